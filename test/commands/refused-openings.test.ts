import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { arraySchema } from '../../src/format/array-schema.ts'
import { encodeText } from '../../src/format/text.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const SPARSE = '22/sparse_basic'
const UUID = '0'.repeat(32)

type Edit = (array: EditedArray) => unknown

async function edited(fixture: string, edit: Edit): Promise<EditedArray> {
  const array = new EditedArray(fixture)
  await edit(array)
  return array
}

async function codesOf(command: string[], array: EditedArray): Promise<{ code: number; codes: unknown[] }> {
  const { code, documents } = await runJson([...command, EDITED], { storage: array.storage() })
  return { code, codes: items(get(documents[0], 'findings')).map((one: Json) => get(one, 'code')) }
}

/** Schemas with which TileDB 2.30 does not open an array, and a part of its error. */
const NOT_OPENED: Readonly<Record<string, [change: Edit, error: RegExp]>> = {
  'two fields of one name': [
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].name = attributes[1].name
      }),
    /must have unique names/,
  ],
  'a tile extent of 0': [
    (array) => array.editSchema(({ domain }) => void domain.dimensions[0].tile_extent?.fill(0)),
    /the process ends with a signal/,
  ],
  'an order of tiles that no array has': [
    (array) =>
      array.editSchema((schema) => {
        schema.tile_order = 'global-order'
      }),
    /ArraySchema::deserialize/,
  ],
  'a size that no integers have': [
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'SCALE_FLOAT', scale: 1, offset: 0, byte_width: 3 }]
      }),
    /byte_width_ does not reflect/,
  ],
  'a file that is no schema': [
    (array) => array.add('__schema/notes', encodeText('notes')),
    /does not contain a fragment name/,
  ],
  'a folder among its schemas': [
    (array) => array.add('__schema/sub/x', encodeText('x')),
    /does not contain a fragment name/,
  ],
}

describe.each(Object.entries(NOT_OPENED))('TileDB does not open an array with %s', (_, [change, error]) => {
  test.each([
    ['ls', 1],
    ['stats', 1],
    ['schema', 1],
    // They read no schema if there is only one.
    ['metadata', 2],
    ['commits', 2],
  ])('%s says so, and ends with 1', async (command, schema_num) => {
    const array = await edited(SPARSE, change)
    const older = new EditedArray(SPARSE)
    if (schema_num > 1) array.add(`__schema/__1000_1000_${UUID}`, older.get(older.find(/__schema\/__\d/)))
    const whole = await run([command, EDITED], { storage: new EditedArray(SPARSE).storage() })
    expect([whole.code, whole.stderr]).toEqual([0, ''])
    const { code, stderr } = await run([command, EDITED], { storage: array.storage() })
    expect(code).toBe(1)
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
    expect(stderr).toMatch(/TileDB 2\.30 does not open the array/)
    expect(stderr).toMatch(error)
  })

  test('check and explain have a finding', async () => {
    const array = await edited(SPARSE, change)
    for (const command of ['check', 'explain']) expect((await codesOf([command], array)).code).toBe(1)
  })
})

test.each([['ls'], ['stats'], ['commits']])('%s names a fragment that is missing, as read does', async (command) => {
  const array = await edited(SPARSE, (array) => array.add(`__commits/__9_9_${UUID}_22.wrt`))
  const { code, stderr } = await run([command, EDITED], { storage: array.storage() })
  expect(code).toBe(1)
  expect(stderr).toMatch(/expected the fragment that a commit names, found no such folder/)
})

describe('what makes every read of TileDB fail, or miss cells, is a finding of explain and of the overview', () => {
  const cases: Readonly<Record<string, [fixture: string, change: Edit, code: string]>> = {
    'tiles without cells': [
      SPARSE,
      (array) =>
        array.editSchema((schema) => {
          schema.capacity = 0n
        }),
      'SCHEMA_CAPACITY',
    ],
    'a reversed domain': [
      SPARSE,
      (array) =>
        array.editSchema(({ domain }) => {
          const [first] = domain.dimensions
          const half = first.domain.length / 2
          first.domain = Uint8Array.of(...first.domain.subarray(half), ...first.domain.subarray(0, half))
        }),
      'SCHEMA_DOMAIN',
    ],
    'an impossible last tile': [
      SPARSE,
      (array) => array.editFooter({ last_tile_cell_num: 1_000_000n }),
      'FOOTER_LAST_TILE',
    ],
    'more tiles than a file can hold': [
      SPARSE,
      (array) => array.editFooter({ sparse_tile_num: 2 ** 18 }),
      'TILE_OFFSETS_COUNT',
    ],
    'a vacuum file that hides cells': [
      SPARSE,
      (array) => {
        const name = array.find(/\.wrt$/).slice(`${EDITED}/__commits/`.length, -'.wrt'.length)
        array.add(`__commits/${name}.vac`, encodeText(`/__fragments/${name}\n`))
      },
      'VACUUM_HIDES_CELLS',
    ],
    'tiles that begin elsewhere in a newer schema': [
      '22/dense_3d_row_row',
      async (array) => {
        const newer = `__schema/__99_99_${UUID}`
        array.add(newer, array.get(array.find(/__schema\/__\d/)))
        await array.rewrite(`${EDITED}/${newer}`, arraySchema, ({ domain }) => void domain.dimensions[0].domain[0]--)
      },
      'FIELD_CHANGED',
    ],
    'a file that is no key-value metadata': [
      SPARSE,
      (array) => array.add('__meta/notes.txt', encodeText('x')),
      'METADATA_NAME_INVALID',
    ],
    'an encrypted file among the key-value metadata of an array that is not encrypted': [
      '22/metadata',
      // The byte of the header that says how the tile is encrypted.
      (array) => array.patch(array.first(/__meta\/__\d/), 4 + 8 + 8 + 1 + 8, [1]),
      'METADATA_UNREADABLE',
    ],
    'a folder among the key-value metadata': [
      SPARSE,
      (array) => array.add('__meta/sub/x', encodeText('x')),
      'METADATA_NAME_INVALID',
    ],
  }
  test.each(Object.entries(cases))('%s', async (_, [fixture, change, code]) => {
    const array = await edited(fixture, change)
    const overview = await codesOf([], array)
    expect([overview.code, overview.codes]).toEqual([1, expect.arrayContaining([code])])
    const explain = await run(['explain', EDITED, '--json'], { storage: array.storage() })
    expect(explain.code).toBe(1)
    // Of very many tiles, explain says no more than that their list is short.
    if (!/^\{\s*"error"/.test(explain.text)) expect(explain.text).toContain(`"${code}"`)
  })
})

test.each(['commits', 'check', 'read', 'explain', 'history'])(
  '%s: an encrypted condition in an array that is not encrypted is damage, not a missing key',
  async (command) => {
    const array = await edited('22/deletes', async (array) => {
      const path = array.find(/__15_15_.*\.del$/)
      // The byte of the header that says how the tile is encrypted.
      array.patch(path, 4 + 8 + 8 + 1 + 8, [1])
    })
    const { schema } = await (await openEdited(array)).newestSchema()
    const cell = schema.domain.dimensions.map(({ name }) => `${name}=1`).join(',')
    const more = command === 'history' ? ['--cell', cell] : []
    const { code, text, stderr } = await run([command, EDITED, ...more, '--json'], { storage: array.storage() })
    expect(code).toBe(1)
    expect(`${text}${stderr}`).toMatch(/NO_ENCRYPTION, as in the schema of the array/)
  },
)

test('explain names an R-tree whose levels cannot be right, whether there is a range or not', async () => {
  const array = await edited(SPARSE, (array) => array.editSection('rtree', undefined, { fanout: 0 }))
  const { code, codes } = await codesOf(['explain'], array)
  expect([code, codes]).toEqual([1, expect.arrayContaining(['RTREE_LEVELS'])])
})

test.each([
  ['a folder', '__meta/sub/x', /TileDB 2\.30 does not open the array/],
  ['a file', '__meta/notes.txt', /TileDB 2\.30 does not open the array/],
  ['what a writer left', `__meta/__1_1_${UUID}.tmp`, /TileDB 2\.30 cannot read the key-value metadata/],
  ['a folder with the name of a file', `__meta/__1_1_${UUID}`, /TileDB 2\.30 cannot read the key-value metadata/],
])('metadata and why say that nobody reads it with %s among it', async (_, path, error) => {
  const added = path.endsWith(UUID) ? `${path}/x` : path
  const storage = (await edited(SPARSE, (array) => array.add(added, encodeText('x')))).storage()
  const { code, stderr } = await run(['metadata', EDITED], { storage })
  expect([code, stderr]).toEqual([1, expect.stringMatching(error)])
  const [folder, name] = path.split('/')
  for (const place of [folder, `${folder}/${name}`]) {
    const { documents } = await runJson(['why', `${EDITED}/${place}`], { storage })
    expect([place, get(documents[0], 'delete'), items(get(documents[0], 'noticed_by'))]).toEqual([
      place,
      'no',
      [/open/.test(String(error)) ? 'open' : 'read'],
    ])
  }
})

test('an overview of a dense array whose domain is reversed has findings, not an error', async () => {
  const array = await edited('22/dense_3d_row_row', (array) =>
    array.editSchema(({ domain }) => {
      const [first] = domain.dimensions
      const half = first.domain.length / 2
      first.domain = Uint8Array.of(...first.domain.subarray(half), ...first.domain.subarray(0, half))
    }),
  )
  expect((await codesOf([], array)).codes).toContain('SCHEMA_DOMAIN')
})

test('read of a field with an AES filter in an array without a key is damage, not a missing key', async () => {
  const array = await edited(SPARSE, (array) =>
    array.editSchema(({ attributes }) => {
      attributes[0].filters.filters = [{ name: 'AES_256_GCM' }]
    }),
  )
  const { code, stderr } = await run(['read', EDITED], { storage: array.storage() })
  expect(code).toBe(1)
  expect(stderr).toMatch(/expected no AES filter in the schema of an array without encryption/)
})

test('a variant for which TileDB refuses nothing is not said', async () => {
  const array = await edited('22/dense_3d_row_row', (array) =>
    array.editSchema((schema) => {
      schema.cell_order = 'hilbert'
    }),
  )
  const { stderr } = await run(['schema', EDITED], { storage: array.storage() })
  expect(stderr).toBe('')
})

test('an enumeration with fewer values than before is said by read, and by the overview', async () => {
  const array = new EditedArray('22/enumerations')
  const { schema_num } = { schema_num: array.matching(/__schema\/__\d/).length }
  expect(schema_num).toBeGreaterThan(0)
  const older = array.find(/__schema\/__\d/)
  array.add(`__schema/__1000_1000_${UUID}`, array.get(older))
  const { enumerationFile } = await import('../../src/format/enumeration.ts')
  const other = `__${'1'.repeat(32)}_0`
  const [file] = array.matching(/__enumerations\/__/)
  array.add(`__schema/__enumerations/${other}`, array.get(file))
  await array.rewrite(`${EDITED}/__schema/__enumerations/${other}`, enumerationFile, (one) => {
    const size = one.offsets ? (one.offsets[1] ?? one.data.length) : one.data.length / 2
    return { ...one, path_name: other, data: one.data.slice(0, size), offsets: one.offsets?.slice(0, 1) }
  })
  await array.rewrite(older, arraySchema, ({ enumerations }) => {
    for (const one of enumerations) if (file.endsWith(one.path_name)) one.path_name = other
  })
  expect((await codesOf([], array)).codes).toContain('ENUMERATION_VALUES')
  const { code, text, stderr } = await run(['read', EDITED], { storage: array.storage() })
  expect([code, text === '']).toEqual([1, false])
  expect(stderr).toMatch(/TileDB 2\.30 reads only the indexes of this enumeration/)
})

describe('why', () => {
  async function whyOf(array: EditedArray, path: string) {
    const { documents } = await runJson(['why', `${EDITED}/${path}`], { storage: array.storage() })
    return documents[0]
  }

  test('the folder of the metadata may not be deleted while a file in it cannot be read', async () => {
    const array = new EditedArray(SPARSE)
    for (const path of array.matching(/\/__meta\//)) array.remove(path)
    array.add(`__meta/__5_5_${UUID}.tmp`, Uint8Array.of(1, 2, 3))
    const found = await whyOf(array, '__meta')
    expect([get(found, 'delete'), get(found, 'noticed_by')]).toEqual(['no', ['read']])
  })

  test('a list that names only other lists has no commits', async () => {
    const array = new EditedArray(SPARSE)
    array.add(`__commits/__1_2_${UUID}_22.con`, encodeText(`__commits/__1_3_${UUID}_22.con\n`))
    const found = await whyOf(array, `__commits/__1_2_${UUID}_22.con`)
    expect(get(found, 'what')).toBe('lines in one file that name no commit: TileDB skips them')
    expect(get(found, 'reason')).not.toMatch(/that it repeats/)
  })

  test('a vacuum of commits is not advised that takes away the file of a delete condition', async () => {
    const array = new EditedArray('22/deletes')
    const commits = array.matching(/\/__commits\/[^/]*\.(?:wrt|del)$/)
    const parts = commits.flatMap((path) => {
      const line = encodeText(`${path.slice(EDITED.length + 1)}\n`)
      if (path.endsWith('.wrt')) return [line]
      const condition = array.get(path)
      const length = new Uint8Array(BigUint64Array.of(BigInt(condition.length)).buffer)
      return [line, length, condition]
    })
    array.add(`__commits/__1_99_${UUID}_22.con`, Buffer.concat(parts))
    for (const path of commits) {
      const found = await whyOf(array, path.slice(EDITED.length + 1))
      expect(String(get(found, 'how'))).not.toMatch(/vacuum\(.*commits/)
      if (path.endsWith('.del')) expect(get(found, 'delete')).toBe('no')
    }
  })

  test('the reason stands once', async () => {
    const array = new EditedArray(SPARSE)
    array.add(`__meta/__5_5_${UUID}`, Uint8Array.of(1, 2, 3))
    const { text } = await run(['why', `${EDITED}/__meta/__5_5_${UUID}`], { storage: array.storage() })
    expect(text.match(/so nobody can tell|while it is there/gi)).toHaveLength(1)
  })
})

test('a number above 2^53 in a message is said to be rounded', async () => {
  const array = await edited(SPARSE, (array) => array.editFooter({ last_tile_cell_num: 2n ** 50n }))
  const { stderr } = await run(['read', EDITED], { storage: array.storage() })
  expect(stderr).not.toMatch(/\d{17}/)
})

test('what stats could not examine has the keys of every document', async () => {
  const array = new EditedArray(SPARSE)
  array.cut(array.find(/__fragment_metadata\.tdb$/), 10)
  const { documents } = await runJson(['stats', EDITED], { storage: array.storage() })
  const [one] = items(get(documents[0], 'not_examined'))
  expect(Object.keys(one as object).sort()).toEqual(['code', 'file', 'message', 'name'])
})

test('where the levels of an R-tree do not fit, what reads it says so, once', async () => {
  const array = await edited(SPARSE, (one) => one.editSection('rtree', undefined, { fanout: 0 }))
  const whole = new EditedArray(SPARSE).storage()
  const calls = [
    ['read', EDITED, '--format', 'csv'],
    ['stats', '--read', EDITED],
    ['explain', EDITED, '--range', 'x=0..50'],
  ]
  for (const args of calls) {
    const { code, stderr, text } = await run(args, { storage: array.storage() })
    expect([args[0], code, stderr.match(/^error: /gm)?.length]).toEqual([args[0], 1, 1])
    expect(stderr).toMatch(/field rtree\.fanout: expected 2 or more, found 0/)
    // All boxes are looked at, so nothing is missing.
    if (args[0] === 'read') expect(text).toBe((await run(args, { storage: whole })).text)
  }
})

test('where a fragment has cells outside of the domain, read and explain say so, as check does', async () => {
  const array = await edited(SPARSE, (one) =>
    one.editSchema(({ domain }) => {
      // From 0 to 99, then from 100,000 to 100,099.
      const { buffer, byteOffset } = domain.dimensions[0].domain
      const view = new DataView(buffer, byteOffset, 8)
      for (const at of [0, 4]) view.setInt32(at, view.getInt32(at, true) + 100_000, true)
    }),
  )
  for (const args of [['read'], ['stats', '--read']]) {
    const { code, stderr } = await run([...args, EDITED], { storage: array.storage() })
    expect([code, stderr.match(/^error: /gm)?.length]).toEqual([1, 1])
    expect(stderr).toMatch(/field nonempty_domain\.x: expected a range inside the domain, found one that leaves it/)
  }
  for (const args of [[], ['check'], ['explain']])
    expect(await codesOf(args, array)).toEqual({ code: 1, codes: expect.arrayContaining(['NONEMPTY_DOMAIN']) })
})

test.each([[[]], [['--all']]])('metadata that is encrypted in an array that is not is damage: %s', async (more) => {
  const array = await edited('22/metadata', (one) => one.patch(one.find(/__meta\/__10_10/), 29, [1]))
  const { code, stderr } = await run(['metadata', EDITED, ...more], { storage: array.storage() })
  expect([code, stderr]).toEqual([1, expect.stringContaining('expected NO_ENCRYPTION, as in the schema of the array')])
})

test('metadata that is not encrypted in an array that is: TileDB cannot read it', async () => {
  const array = new EditedArray('22/encrypted')
  const plain = new EditedArray('22/metadata')
  array.add(`__meta/__5_5_${UUID}`, plain.get(plain.find(/\/__meta\/__10_10/)))
  const { code, text, stderr } = await run(['metadata', EDITED, '--key', array.key ?? ''], { storage: array.storage() })
  expect([code, stderr]).toEqual([1, expect.stringContaining('TileDB 2.30 cannot read the key-value metadata')])
  expect(text).toContain('metadata key')
})

test('metadata of an array whose schema alone is encrypted asks for the key, as check does', async () => {
  // The type of encryption in the header of the schema's tile.
  const array = await edited('22/metadata', (one) => one.patch(one.find(/__schema\/__\d/), 29, [1]))
  for (const command of ['metadata', 'check', 'schema'])
    expect((await run([command, EDITED], { storage: array.storage() })).code).toBe(3)
})

describe('where TileDB fails on a name, every command says so in one line', () => {
  // test/check/names.json has what TileDB 2.30 does; test/check/names.test.ts compares check with it.
  const { fixtures } = JSON.parse(readFileSync(fileURLToPath(new URL('../check/names.json', import.meta.url)), 'utf8'))
  const names = Object.entries<[content: string, verdict: string]>(fixtures['22/vacuum_left'].added)
  // Cells are read without key-value metadata; that __schema is read is tested above. Of the last name the content is wrong, too.
  const ofArray = names.filter(([path]) => !/^__(?:meta|schema)\/|^__9_5_.*\.meta$/.test(path))
  const failing = shortTurn(
    ofArray.filter(([, [, verdict]]) => verdict === 'fails'),
    24,
    8,
  )
  const others = shortTurn(
    ofArray.filter(([, [, verdict]]) => verdict === 'same'),
    8,
    8,
  )

  test.each(failing)('%s', async (path, [content]) => {
    const array = await edited('22/vacuum_left', (one) => one.add(path, encodeText(content)))
    const storage = array.storage()
    // A condition whose name can be read keeps no array from being opened; only commits and reads look into it.
    const isCondition = /^__commits\/(?:ju_nk|__5_5_.*)\.(?:del|upd)$/.test(path)
    for (const command of isCondition ? ['read'] : ['read', 'ls', 'stats', 'commits']) {
      const { code, stderr } = await run([command, EDITED], { storage })
      expect([command, code, stderr.match(/^error: /gm)?.length]).toEqual([command, 1, 1])
    }
    for (const args of [[EDITED], ['explain', EDITED]]) expect((await run(args, { storage })).code).toBe(1)
  })

  test.each(others)('%s, which TileDB passes over, is no error', async (path, [content]) => {
    const array = await edited('22/vacuum_left', (one) => one.add(path, encodeText(content)))
    for (const command of ['read', 'ls', 'stats', 'commits', 'explain']) {
      const { code, stderr } = await run([command, EDITED], { storage: array.storage() })
      expect([command, code, stderr]).toEqual([command, 0, ''])
    }
  })
})

describe('a footer of one of two fragments that cannot be read', () => {
  const cutLast = (fixture: string): Promise<EditedArray> =>
    edited(fixture, (array) => {
      const file = array.find(/__30_30_.*__fragment_metadata/)
      array.cut(file, array.get(file).length - 40)
    })

  test('the overview says that nothing opens, and puts no average in the place of its cells', async () => {
    const storage = (await cutLast('22/duplicates')).storage()
    const { documents } = await runJson([EDITED], { storage })
    expect(documents[0]).toMatchObject({ opens: false, cell_num: 50, certainty: 'at least' })
    const { text } = await run([EDITED], { storage })
    expect(text).toMatch(/reader sees {2}no cells: TileDB 2\.30 does not open the array\. It has at least 50\s+cells; /)
    expect((await run(['ls', EDITED], { storage })).text).toContain('2 fragments (1 unreadable), at least 50 cells')
  })

  test('an array that can be opened has no such words', async () => {
    const storage = new EditedArray('22/duplicates').storage()
    const { documents } = await runJson([EDITED], { storage })
    expect(documents[0]).toMatchObject({ opens: true, cell_num: 53, certainty: 'exact' })
  })

  test.each([['ls'], ['read'], ['tiles'], ['explain']])(
    '%s says that TileDB does not open the array',
    async (command) => {
      const storage = (await cutLast('22/duplicates')).storage()
      const { code, stderr } = await run([command, EDITED], { storage })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cut short; TileDB 2\.30 does not open the array \(/)])
    },
  )

  test('at an earlier time its array opens', async () => {
    const storage = (await cutLast('22/duplicates')).storage()
    const { documents, code } = await runJson([EDITED, '--as-of', '25'], { storage })
    expect([code, documents[0]]).toMatchObject([0, { opens: true, cell_num: 50 }])
    expect((await run(['ls', EDITED, '--as-of', '25'], { storage })).stderr).not.toContain('does not open')
  })
})
