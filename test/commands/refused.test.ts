import { describe, expect, test } from '@jest/globals'
import { DAMAGES } from '../../src/damage/damages.ts'
import { deleteCondition } from '../../src/format/delete-condition.ts'
import { whole } from '../check/damage.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items } from '../helpers/json.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { run, runJson } from '../helpers/run.ts'

/** An array with a delete condition that tests a number for null: TileDB writes it, and then refuses to read the array. */
async function nullTested(): Promise<EditedArray> {
  const array = new EditedArray('22/deletes')
  const { schema } = await (await openEdited(array)).newestSchema()
  const { name: field } = schema.domain.dimensions[0]
  await array.rewrite(array.find(/__15_15_.*\.del$/), deleteCondition, () => {
    return { node: 'value', op: 'EQ', field, value: new Uint8Array(0), offsets: undefined } as const
  })
  return array
}

function lacking(pattern: RegExp): EditedArray {
  const array = new EditedArray('22/enumerations')
  for (const path of array.matching(pattern)) array.remove(path)
  return array
}

describe('an array that TileDB refuses, but this program reads', () => {
  test('read shows the cells and the indexes of lost enumerations, says so in one line, and ends with 1', async () => {
    const whole = await run(['read', EDITED], { storage: new EditedArray('22/enumerations').storage() })
    expect(whole.code).toBe(0)
    const { code, text, stderr } = await run(['read', EDITED], { storage: lacking(/__enumerations\//).storage() })
    expect(code).toBe(1)
    expect(text).toBe(whole.text)
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
    expect(stderr).toMatch(
      /TileDB 2\.30 reads only the indexes of this enumeration, not its values \(Cannot get file size of/,
    )
  })

  test('read and explain say that an enumeration cannot be read, too, but not of other fields', async () => {
    const array = new EditedArray('22/enumerations')
    const [file] = array.matching(/__enumerations\//)
    array.cut(file, 40)
    const { schema } = await (await openEdited(new EditedArray('22/enumerations'))).newestSchema()
    const needs = schema.enumerations.find(({ path_name }) => file.endsWith(path_name))?.name
    for (const { name, enumeration } of schema.attributes) {
      for (const command of ['read', 'explain']) {
        const { code, stderr } = await run([command, '--field', name, EDITED, '--json'], { storage: array.storage() })
        expect([command, name, code]).toEqual([command, name, enumeration === needs ? 1 : 0])
        if (command === 'read' && code === 1)
          expect(stderr).toMatch(/TileDB 2\.30 reads only the indexes of this enumeration/)
      }
    }
  })

  test('read and explain say that the number of a compressor is wrong, but not of other fields', async () => {
    const array = new EditedArray('22/sparse_basic')
    await array.editSchema(({ attributes }) => {
      attributes[0].filters.filters = [{ name: 'ZSTD', compressor: 5, level: 3 }]
    })
    const { schema } = await (await openEdited(array)).newestSchema()
    const [{ name }, other] = schema.attributes
    const says = async (...args: string[]): Promise<[number, boolean]> => {
      const { code, text, stderr } = await run(args, { storage: array.storage() })
      return [code, `${text}${stderr}`.includes('expected the number of ZSTD, found 5')]
    }
    expect(await says('read', EDITED, '--field', name, '--limit', '0')).toEqual([1, true])
    expect((await says('explain', EDITED, '--field', name))[1]).toBe(true)
    expect((await says('explain', EDITED, '--field', other.name))[1]).toBe(false)
    expect((await says('read', EDITED, '--field', other.name))[1]).toBe(false)
  })

  test.each(['DELETE_CONDITION_FIELD', 'DELETE_CONDITION_VALUE'] as const)('explain says %s', async (code) => {
    const array = await whole(code)
    await DAMAGES[code].plant(array)
    const { code: exit, documents } = await runJson(['explain', EDITED], { storage: array.storage() })
    expect(exit).toBe(1)
    expect(items(get(documents[0], 'findings')).map((one) => get(one, 'code'))).toContain(code)
  })

  test('read --labels shows indexes, and one error for each field', async () => {
    const { code, text, stderr } = await run(['read', '--labels', EDITED], {
      storage: lacking(/__enumerations\//).storage(),
    })
    expect(code).toBe(1)
    expect(text).not.toBe('')
    expect(stderr).toMatch(/field \w+: expected the file with the values of its enumeration, found no such file/)
  })

  test('read of other fields says nothing', async () => {
    const { schema } = await (await openEdited(new EditedArray('22/enumerations'))).newestSchema()
    const dimension = schema.domain.dimensions[0].name
    const { code, stderr } = await run(['read', '--field', dimension, EDITED], {
      storage: lacking(/__enumerations\//).storage(),
    })
    expect([code, stderr]).toEqual([0, ''])
  })

  test('explain and the overview have it among their findings', async () => {
    const { code, documents } = await runJson(['explain', EDITED], { storage: lacking(/__enumerations\//).storage() })
    expect(code).toBe(1)
    expect(items(get(documents[0], 'findings')).map((one) => get(one, 'code'))).toContain('ENUMERATION_MISSING')
    const overview = await runJson([EDITED], { storage: lacking(/__enumerations\//).storage() })
    expect(items(get(overview.documents[0], 'findings')).map((one) => get(one, 'code'))).toContain(
      'ENUMERATION_MISSING',
    )
  })

  test.each(['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5'])(
    '%s: read shows the cells of empty chunks, says so in one line, and ends with 1; check has an error',
    async (name) => {
      const storage = new EditedArray(`unreadable/${name}`).storage()
      const { code, text, stderr } = await run(['read', EDITED, '--format', 'csv'], { storage })
      expect(code).toBe(1)
      expect(text).toContain('oak')
      expect(stderr.match(/^error: /gm)).toHaveLength(1)
      expect(stderr).toMatch(/TileDB 2\.30 cannot read/)
      const whole = await run(['read', EDITED, '--field', 'x'], { storage })
      expect([whole.code, whole.stderr]).toEqual([0, ''])
      const checked = await runJson(['check', EDITED], { storage })
      expect(checked.code).toBe(1)
      expect(items(get(checked.documents[0], 'findings')).map((one) => get(one, 'severity'))).toEqual(['error'])
    },
  )

  test('metadata and why say that a file in the folder keeps TileDB from its key-value metadata', async () => {
    const array = new EditedArray('22/metadata')
    const name = `__meta/__5_5_${'0'.repeat(32)}.tmp`
    array.add(name, Uint8Array.of(1, 2, 3))
    const storage = array.storage()
    const whole = await run(['metadata', EDITED], { storage: new EditedArray('22/metadata').storage() })
    const { code, text, stderr } = await run(['metadata', EDITED], { storage })
    expect([code, text]).toEqual([1, whole.text])
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
    expect(stderr).toMatch(/\.tmp: TileDB 2\.30 cannot read the key-value metadata \(Cannot read from file/)
    for (const quick of [[], ['--quick']]) {
      const { documents } = await runJson(['why', ...quick, `${EDITED}/${name}`], { storage })
      expect([get(documents[0], 'noticed_by'), get(documents[0], 'delete')]).toEqual([['read'], 'no'])
      expect(get(documents[0], 'reason')).toMatch(/^TileDB cannot read key-value metadata while it is there/)
    }
  })

  test('a name that keeps TileDB from opening the array', async () => {
    const array = new EditedArray('22/metadata')
    array.add('__meta/notes', Uint8Array.of(1, 2, 3))
    const storage = array.storage()
    const { code, stderr } = await run(['metadata', EDITED], { storage })
    expect(code).toBe(1)
    expect(stderr).toMatch(/notes: TileDB 2\.30 does not open the array/)
    const { documents } = await runJson(['why', `${EDITED}/__meta/notes`], { storage })
    expect(get(documents[0], 'noticed_by')).toEqual(['open'])
  })

  test('the overview and commits say that TileDB refuses a delete by a test for null', async () => {
    const array = new EditedArray('22/deletes')
    await array.editSchema((schema) => {
      for (const one of schema.attributes) one.nullable = true
    })
    const { name: field } = (await (await openEdited(array)).newestSchema()).schema.attributes[0]
    const test = { node: 'value', op: 'EQ', field, value: new Uint8Array(0), offsets: undefined } as const
    await array.rewrite(array.find(/__15_15_.*\.del$/), deleteCondition, () => test)
    const storage = array.storage()
    const overview = await runJson([EDITED], { storage })
    expect(overview.code).toBe(1)
    const codes = items(get(overview.documents[0], 'findings')).map((one) => get(one, 'code'))
    expect(codes.filter((code) => code === 'DELETE_CONDITION_VALUE')).toHaveLength(1)
    const commits = await run(['commits', EDITED], { storage })
    expect(commits.code).toBe(1)
    expect(commits.stderr).toMatch(/^error: .*TileDB 2\.30 cannot read these cells/m)
    const { documents } = await runJson(['why', array.find(/__15_15_.*\.del$/)], { storage })
    expect(get(documents[0], 'noticed_by')).toEqual(['read'])
    expect(get(documents[0], 'reason')).toMatch(/^TileDB refuses every read while it is there/)
  })

  test('a value of no bytes for a dimension is no test for null: read fails, as TileDB does', async () => {
    const { code, stderr } = await run(['read', EDITED], { storage: (await nullTested()).storage() })
    expect(code).toBe(1)
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
  })
})

describe('tiles without bytes that TileDB wrote and cannot read', () => {
  test.each(['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5'])(
    '%s: explain and the overview say so, as check and read do',
    async (name) => {
      const storage = new EditedArray(`unreadable/${name}`).storage()
      for (const command of [['check'], ['explain'], []]) {
        const { code, documents } = await runJson([...command, EDITED], { storage })
        const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'severity') === 'error')
        expect([command, code, found.map((one) => get(one, 'code'))]).toEqual([command, 1, ['CHUNK_UNREADABLE']])
      }
      for (const command of [['read'], ['stats', '--read']]) {
        const { code, stderr } = await run([...command, EDITED], { storage })
        expect([command, code]).toEqual([command, 1])
        expect(stderr).toMatch(/TileDB 2\.30 cannot read the fields whose cells are here/)
      }
    },
  )

  test('explain says nothing of fields that it does not read', async () => {
    const array = new EditedArray('unreadable/22_empty_chunk_double_delta')
    const { schema } = await (await openEdited(array)).newestSchema()
    const [{ name }] = schema.domain.dimensions
    const { code } = await run(['explain', EDITED, '--field', name], { storage: array.storage() })
    expect(code).toBe(0)
  })
})

test('the overview and explain say that the next consolidation of commits fails, as check does', async () => {
  const array = await whole('DELETE_CONDITION_FILE')
  await DAMAGES.DELETE_CONDITION_FILE.plant(array)
  for (const command of [['check'], [], ['explain']]) {
    const { code, documents } = await runJson([...command, EDITED], { storage: array.storage() })
    const found = items(get(documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'severity')])
    expect([command, code, found]).toEqual([command, 0, [['DELETE_CONDITION_FILE', 'warning']]])
  }
})

test.each([[false], [true]])(
  'schema shows a schema without enumerations that are lost, and says so: --all %s',
  async (all) => {
    const array = lacking(/__enumerations\//)
    const { storage, command } = { storage: array.storage(), command: ['schema', EDITED, ...(all ? ['--all'] : [])] }
    const { code, documents } = await runJson(command, { storage })
    const { stderr } = await run(command, { storage })
    const { schema } = await (await openEdited(new EditedArray('22/enumerations'))).newestSchema()
    expect(code).toBe(1)
    expect(get(documents.at(-1), 'enumerations')).toEqual([])
    expect(stderr.match(/expected the file with the values of its enumeration, found no such file/g)).toHaveLength(
      schema.enumerations.length,
    )
  },
)
