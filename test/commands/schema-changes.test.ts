import { cpSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

/** The changes of each schema, without the whole fields; the first has none. */
async function changesOf(path: string): Promise<(string[] | undefined)[]> {
  const { documents, code } = await runJson(['schema', '--all', path])
  expect(code).toBe(0)
  return documents.map((document: Json) => {
    const changes = get(document, 'changes')
    if (changes === undefined) return undefined
    return items(changes).map((one) => ['change', 'what', 'name'].map((key) => String(get(one, key))).join(' '))
  })
}

describe('schema --all says what changed', () => {
  test.each([
    ['22/evolved_sparse', ['added attribute b']],
    ['22/evolved_dense', ['added attribute c'], ['dropped attribute b']],
    ['labels/dropped', ['extended enumeration e'], ['dropped attribute v']],
    ['labels/readded', ['dropped attribute v'], ['added attribute v', 'added enumeration f']],
  ])('in %s', async (name, ...steps) => {
    expect(await changesOf(`${FIXTURES}/${name}`)).toEqual([undefined, ...steps])
  })

  test('above the schemas, a line for each', async () => {
    const { text } = await run(['schema', '--all', `${FIXTURES}/labels/dropped`])
    expect(text.split('\n').slice(0, 6)).toEqual([
      '3 schemas of test/fixtures/labels/dropped, oldest first'.replace('test/fixtures', FIXTURES),
      '1  1            first, with 2 attributes: v, w',
      '2  20           extended enumeration e by "c", "d"',
      '3  30  current  dropped attribute v',
      '',
      `schema 1/3 of ${FIXTURES}/labels/dropped`,
    ])
    expect((await run(['schema', `${FIXTURES}/labels/dropped`])).text).not.toContain('oldest first')
  })

  test('names what was added together, another form, and a larger current domain', async () => {
    const path = `${folder}/grown`
    const steps = [
      {
        step: 'evolve',
        add_attributes: [
          { name: 'b', type: 'INT8' },
          { name: 'c', type: 'FLOAT32' },
        ],
      },
      { step: 'evolve', drop_attributes: ['b'] },
      { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT16' }], current_domain: { x: [0, 19] } },
    ]
    const schema = {
      format_version: 22,
      array_type: 'sparse',
      dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }],
      attributes: [{ name: 'a', type: 'INT32' }],
      current_domain: { x: [0, 9] },
    }
    writeFileSync(`${folder}/schema.json`, JSON.stringify(schema))
    writeFileSync(`${folder}/steps.json`, JSON.stringify(steps))
    const args = ['--schema', `${folder}/schema.json`, '--cells', '5', '--steps', `${folder}/steps.json`]
    const written = await run(['write-sample', path, ...args])
    expect([written.code, written.stderr]).toEqual([0, ''])
    expect(await changesOf(path)).toEqual([
      undefined,
      ['added attribute b', 'added attribute c'],
      ['dropped attribute b'],
      ['added attribute b', 'extended current_domain null'],
    ])
    const { text } = await run(['schema', '--all', path])
    expect(text).toContain('added attributes b (INT8), c (FLOAT32)\n')
    expect(text).toContain('added attribute b (INT16); current domain x 0..9 -> x 0..19\n')
    expect(text).toContain('x 0..19; it may be expanded up to the domain, and never shrinks')
    // The first and the last schema alone: dropped and added again.
    const [, second, third] = readdirSync(`${path}/__schema`)
      .filter((name) => name.startsWith('__'))
      .sort()
    const two = `${folder}/two`
    cpSync(path, two, { recursive: true, filter: (from) => !from.endsWith(third) })
    const { text: again } = await run(['schema', '--all', two])
    expect(second).not.toBe(third)
    expect(again).toContain('attribute b dropped and added again: INT8 -> INT16')
  })

  test('says that an enumeration came back with other values, and which schema is current', async () => {
    const path = `${folder}/values`
    const enumeration = (name: string, values: string[]): object => ({
      name,
      type: 'STRING_UTF8',
      cell_val_num: 'var',
      values,
    })
    const schema = {
      format_version: 22,
      array_type: 'sparse',
      dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }],
      attributes: [{ name: 'a', type: 'INT32' }],
      enumerations: [enumeration('same', ['p', 'q']), enumeration('other', ['p', 'q'])],
    }
    const steps = [
      { step: 'evolve', drop_enumerations: ['same', 'other'] },
      { step: 'evolve', add_enumerations: [enumeration('same', ['p', 'q']), enumeration('other', ['p', 'r'])] },
    ]
    writeFileSync(`${folder}/values.json`, JSON.stringify(schema))
    writeFileSync(`${folder}/value-steps.json`, JSON.stringify(steps))
    const args = ['--schema', `${folder}/values.json`, '--cells', '5', '--steps', `${folder}/value-steps.json`]
    expect((await run(['write-sample', path, ...args])).stderr).toBe('')
    const { text } = await run(['schema', '--all', path])
    expect(text).toContain('same (2 values), other (2 values, not those of the dropped one: "p", "q")')
    // Another schema has the last name, though it is older.
    const [first] = readdirSync(`${path}/__schema`)
      .filter((name) => name.startsWith('__') && name !== '__enumerations')
      .sort()
    renameSync(`${path}/__schema/${first}`, `${path}/__schema/__5_5_${'a'.repeat(32)}`)
    const { text: again } = await run(['schema', '--all', path])
    expect(again.match(/^\d {2}.*? {2,}current/gm)).toEqual([expect.stringMatching(/^1 {2}5 +current/)])
  })

  test('write-sample takes such a document', async () => {
    const { documents } = await runJson(['schema', '--all', `${FIXTURES}/labels/readded`])
    const { text } = await run(['schema', '--all', '--format', 'ndjson', `${FIXTURES}/labels/readded`])
    writeFileSync(`${folder}/last.json`, text.trimEnd().split('\n').at(-1) ?? '')
    expect(get(documents.at(-1), 'changes')).toBeDefined()
    expect((await run(['write-sample', `${folder}/again`, '--schema', `${folder}/last.json`])).code).toBe(0)
  })

  test('shows the schemas around those that cannot be read, and names these', async () => {
    const broken = `${folder}/broken`
    const array = `${FIXTURES}/22/evolved_dense`
    const whole = (await runJson(['schema', '--all', array])).documents
    expect(whole.length).toBeGreaterThan(2)
    cpSync(array, broken, { recursive: true })
    const [, second] = readdirSync(`${broken}/__schema`)
      .filter((name) => name.startsWith('__') && name !== '__enumerations')
      .sort()
    writeFileSync(`${broken}/__schema/${second}`, 'no schema')
    const { code, documents } = await runJson(['schema', '--all', broken])
    expect(code).toBe(1)
    const names = whole.map((one) => get(one, 'name'))
    expect(documents.slice(0, -1).map((one) => get(one, 'name'))).toEqual(names.filter((name) => name !== second))
    expect(String(get(get(documents.at(-1), 'error'), 'file'))).toContain(second)
    // What the lost schema changed cannot be told from what the next one did.
    const changed = documents.slice(0, -1).map((one) => get(one, 'changes') !== undefined)
    expect(changed).toEqual(names.filter((name) => name !== second).map((_, i) => i > 1))
    const { stderr, text } = await run(['schema', '--all', broken])
    expect(stderr.split(second)).toHaveLength(2)
    expect(text).toMatch(new RegExp(`^2 of ${names.length} schemas of .*\\n1 {2}.*\\n3 {2}`))
    expect(text).toContain(`schema 3/${names.length} of `)
  })
})

test('stats marks attributes that the schema no longer has', async () => {
  const marked = async (array: string, ...options: string[]): Promise<unknown> => {
    const { text } = await run(['stats', `${FIXTURES}/${array}`, '--json', ...options])
    const { fields } = JSON.parse(text) as { fields: { name: string; not_in_schema?: boolean }[] }
    return fields.flatMap(({ name, not_in_schema }) => (not_in_schema ? name : []))
  }
  expect(await marked('22/evolved_dense')).toEqual(['b'])
  expect(await marked('labels/dropped')).toEqual(['v'])
  expect(await marked('labels/dropped', '--as-of', '20')).toEqual([])
  expect(await marked('labels/readded')).toEqual([])
  const { text } = await run(['stats', `${FIXTURES}/22/evolved_dense`])
  expect(text).toMatch(/^b \(dropped\) +\w+ /m)
  expect(text).toMatch(/^dropped: the schema no longer has the attribute/m)
})

test('schema tells which values SCALE_FLOAT has room for', async () => {
  const { text } = await run(['schema', `${FIXTURES}/22/filter_float_scale`])
  expect(text).toContain('\nb2: SCALE_FLOAT has room for -16382.5 to 16385, in steps of 0.5\n')
  expect(text).toContain('\nchained: SCALE_FLOAT has room for -21474836.48 to 21474836.47, in steps of 0.01\n')
  expect(text.split('TileDB takes other values')).toHaveLength(2)
  expect((await run(['schema', `${FIXTURES}/22/sparse_basic`])).text).not.toContain('has room')
})
