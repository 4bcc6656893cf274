import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const folder = temporaryFolder()
const KEY = '0123456789abcdeF0123456789abcdeF'
let serial = 0

async function ok(...args: string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}: ${stderr}${text.slice(0, 2000)}`)
  return text
}

function fresh(): string {
  return `${folder}/s${serial++}`
}

function fileOf(value: unknown): string {
  const path = `${fresh()}.json`
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

/** Writes by steps. @returns the folder */
async function stepped(steps: readonly object[], ...args: string[]): Promise<string> {
  const path = fresh()
  await ok('write-sample', path, '--steps', fileOf({ steps }), ...args)
  return path
}

async function cells(array: string, ...args: string[]): Promise<Record<string, unknown>[]> {
  const text = await ok('read', array, '--format', 'ndjson', '--quiet', ...args)
  return text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Paths of all files below a folder, sorted. */
function filesBelow(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true, encoding: 'utf8' })
  const files = entries.filter((one) => one.isFile())
  return files.map((one) => join(relative(path, one.parentPath), one.name)).sort()
}

/** Every file below a folder, with its bytes. */
function contentOf(path: string): Map<string, string> {
  return new Map(filesBelow(path).map((file) => [file, readFileSync(`${path}/${file}`, 'base64')]))
}

const clean = async (array: string, ...args: string[]): Promise<void> => {
  expect(await ok('check', array, '--level', 'cells', '--fail-on', 'warning', '--all', '--quiet', ...args)).toMatch(
    /OK/,
  )
}

const SCHEMA = {
  array_type: 'sparse',
  capacity: 3,
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }],
  attributes: [{ name: 'a', type: 'INT32' }],
}
const CREATE = { step: 'create', schema: SCHEMA, time: 10 }
const write = (time: number, ...values: [x: number, a: number][]) => ({
  step: 'write',
  time,
  cells: values.map(([x, a]) => ({ x, a })),
})

describe('steps', () => {
  test('each step works on the result of those before it', async () => {
    const array = await stepped([
      CREATE,
      write(20, [1, 1], [2, 2]),
      write(30, [1, 5], [4, 2]),
      { step: 'delete', where: 'a == 2', time: 40 },
      write(50, [2, 2]),
      { step: 'consolidate' },
      { step: 'vacuum' },
    ])
    expect(await cells(array)).toEqual([
      { x: 1, a: 5 },
      { x: 2, a: 2 },
    ])
    expect(await cells(array, '--as-of', '35')).toEqual([
      { x: 1, a: 5 },
      { x: 2, a: 2 },
      { x: 4, a: 2 },
    ])
    expect(await cells(array, '--as-of', '25')).toEqual([
      { x: 1, a: 1 },
      { x: 2, a: 2 },
    ])
    const names = filesBelow(array).filter((file) => file.startsWith('__fragments/') || file.startsWith('__commits/'))
    expect(names.filter((file) => !/__20_50_|__40_40_.*\.del$/.test(file))).toEqual([])
    await clean(array)
  })

  test('only fragments between two times, or with given names, are consolidated', async () => {
    const writes = [20, 30, 40, 50].map((time, i) => write(time, [i, i]))
    const between = await stepped([CREATE, ...writes, { step: 'consolidate', between: [20, 30] }, { step: 'vacuum' }])
    expect(
      filesBelow(between)
        .filter((file) => file.endsWith('.wrt'))
        .map((file) => file.slice(12, 17)),
    ).toEqual(['20_30', '40_40', '50_50'])
    const { code, stderr } = await run([
      'write-sample',
      fresh(),
      '--steps',
      fileOf([CREATE, ...writes, { step: 'consolidate', fragments: ['nobody'] }]),
    ])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/steps\.5: expected fragments that are read now, found "nobody"/),
    })
  })

  test('says why dense tiles cannot be filled up, as in TileDB', async () => {
    const fields = [
      '--dim',
      'x:INT32:0..49:10',
      '--dim',
      'y:INT32:0..9:4',
      '--attr',
      'a:INT64',
      '--filters',
      'double-delta',
    ]
    const { code, stderr } = await run(['write-sample', fresh(), '--dense', ...fields, '--consolidate', 'fragments'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/found a larger one: consolidation fills dense tiles up with fill values, /),
    })
  })

  // As TileDB 2.30 stores and then reads them: null meets no comparison, so nulls never stay.
  test.each([
    ['s == None', ['x']],
    ['s != None', ['']],
  ])('a delete of text where %s compares with empty text', async (where, left) => {
    const attributes = [{ name: 's', type: 'STRING_UTF8', cell_val_num: 'var', nullable: true }]
    const words = [null, '', 'x'].map((s, x) => ({ x, s }))
    const write = { step: 'write', cells: words, time: 20 }
    const create = { ...CREATE, schema: { ...SCHEMA, attributes } }
    const array = await stepped([create, write, { step: 'delete', where, time: 30 }])
    expect((await cells(array)).map(({ s }) => s)).toEqual(left)
    await clean(array)
  })

  test('purged cells exist at no time', async () => {
    const array = await stepped([
      CREATE,
      write(20, [1, 1], [2, 2]),
      write(30, [3, 3]),
      { step: 'delete', where: 'a < 2', time: 40 },
      { step: 'consolidate', purge: true },
      { step: 'vacuum' },
    ])
    expect(await cells(array, '--as-of', '35')).toEqual([
      { x: 2, a: 2 },
      { x: 3, a: 3 },
    ])
    await clean(array)
  })

  const first = write(11, [1, 0], [2, 7])
  const condition = (time: number, where: string): object => ({ step: 'delete', where, time })
  // What TileDB 2.30 leaves, as [x, a, time].
  test.each<[string, object[], number[][]]>([
    [
      'no cell is deleted',
      [write(12, [1, 9])],
      [
        [1, 9, 12],
        [1, 0, 11],
        [2, 7, 11],
      ],
    ],
    [
      'another is deleted',
      [write(12, [1, 9]), condition(13, 'a == 7')],
      [
        [1, 9, 12],
        [1, 0, 11],
      ],
    ],
    ['the newest is deleted', [write(12, [1, 9]), condition(13, 'a == 9')], [[2, 7, 11]]],
    [
      'the oldest is deleted',
      [write(12, [1, 9]), condition(13, 'a == 0')],
      [
        [1, 9, 12],
        [2, 7, 11],
      ],
    ],
    [
      'one between is deleted',
      [write(12, [1, 5]), condition(13, 'a == 5'), write(14, [1, 9])],
      [
        [1, 9, 14],
        [2, 7, 11],
      ],
    ],
    ['the newest of three is', [write(12, [1, 1]), write(13, [1, 8]), condition(14, 'a >= 8')], [[2, 7, 11]]],
  ])('a purge drops what a deleted cell had overwritten: %s', async (_, steps, left) => {
    const array = await stepped([CREATE, first, ...steps, { step: 'consolidate', purge: true }, { step: 'vacuum' }])
    const [fragment] = fragmentNames(array)
    const text = await ok('decode', `${array}/__fragments/${fragment}`, '--format', 'csv')
    expect(
      text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').map(Number)),
    ).toEqual(left)
    await clean(array)
  })

  test('deletions at the same time keep their conditions through consolidations', async () => {
    const array = await stepped([
      CREATE,
      write(20, [1, 1], [2, 2], [3, 3]),
      write(30, [4, 4]),
      { step: 'delete', where: 'x == 1', time: 40 },
      { step: 'delete', where: 'x == 2', time: 40 },
      { step: 'consolidate' },
      { step: 'vacuum' },
      write(50, [5, 5]),
      { step: 'delete', where: 'x == 5', time: 35 },
      { step: 'consolidate' },
      { step: 'vacuum' },
    ])
    const [fragment] = fragmentNames(array)
    const path = `${array}/__fragments/${fragment}`
    const { processed_conditions: names } = JSON.parse(await ok('metadata', path, '--json'))
    const { commits } = JSON.parse(await ok('commits', array, '--json'))
    const conditionOf = (index: number | null): unknown =>
      index === null ? null : commits.find(({ file }: { file: string }) => file === names[index]).condition
    const rows = (await ok('decode', path, '--format', 'ndjson', '--quiet'))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row))
    expect(rows.map(({ x, __delete_condition_index: index }) => [x, conditionOf(index)])).toEqual([
      [1, 'x == 1'],
      [2, 'x == 2'],
      [3, null],
      [4, null],
      [5, null],
    ])
  })

  test.each([
    [[{ ...CREATE, time: '1960-01-01' }], /steps\.0\.time: expected a time since 1970, found "1960-01-01"/],
    [
      [CREATE, { step: 'write', cells: [{ x: 1, a: 1, __written: '1969-12-31T23:59:59.999' }] }],
      /expected a time since 1970, found "1969-12-31T23:59:59.999"/,
    ],
    [
      [
        { ...CREATE, time: `${2n ** 64n - 1n}` },
        { step: 'write', cells: [{ x: 1, a: 1 }] },
      ],
      /expected a time for this step, found none after 18446744073709551615/,
    ],
    [[{ ...CREATE, path: 'a//b' }], /expected a path inside the folder, found "a\/\/b"/],
    [[{ ...CREATE, path: '/' }], /expected a path inside the folder, found "\/"/],
  ])('times and paths that TileDB has no place for: %#', async (steps, message) => {
    const { code, stderr } = await run(['write-sample', fresh(), '--steps', fileOf({ steps })])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('a vacuum of commits keeps delete conditions, so that TileDB can consolidate commits again', async () => {
    const array = await stepped([
      CREATE,
      write(20, [1, 1], [2, 2]),
      { step: 'delete', where: 'a == 1', time: 30 },
      { step: 'consolidate', mode: 'commits' },
      { step: 'vacuum', mode: 'commits' },
    ])
    const names = filesBelow(array).filter((file) => file.startsWith('__commits/'))
    expect(names.map((name) => name.slice(-4))).toEqual(['.con', '.del'])
    await clean(array)
  })

  test('commits and metadata: a vacuum removes what a list names, keeps what came later, and ignores listed fragments that are gone', async () => {
    const array = await stepped([
      CREATE,
      write(20, [1, 1]),
      write(30, [2, 2]),
      { step: 'consolidate', mode: 'fragment_meta' },
      { step: 'consolidate', mode: 'commits' },
      { step: 'vacuum', mode: 'commits' },
      { step: 'consolidate' },
      { step: 'vacuum' },
      write(40, [3, 3]),
      { step: 'consolidate', mode: 'fragment_meta' },
      { step: 'vacuum', mode: 'fragment_meta' },
      { step: 'metadata', put: { a: 1, b: 'text' }, time: 50 },
      { step: 'metadata', put: { a: [2, 3] }, delete: ['b'] },
      { step: 'consolidate', mode: 'array_meta' },
    ])
    expect(await cells(array)).toEqual([
      { x: 1, a: 1 },
      { x: 2, a: 2 },
      { x: 3, a: 3 },
    ])
    const kinds = filesBelow(array).map((file) => file.replace(/_[0-9a-f]{32}(?:_22)?/, ''))
    expect(kinds.filter((file) => /^__(?:commits|fragment_meta|meta)/.test(file)).sort()).toEqual([
      '__commits/__20_30.con',
      '__commits/__20_30.ign',
      '__commits/__20_30.wrt',
      '__commits/__40_40.wrt',
      '__fragment_meta/__20_40.meta',
      '__meta/__50_50',
      '__meta/__50_51',
      '__meta/__50_51.vac',
      '__meta/__51_51',
    ])
    expect(JSON.parse(await ok('metadata', array, '--json')).metadata).toEqual({
      a: { type: 'INT64', value_num: 2, value: [2, 3], timestamp_range: [50, 51] },
    })
    await clean(array)
    const vacuumed = fresh()
    await ok(
      'write-sample',
      vacuumed,
      '--steps',
      fileOf([
        CREATE,
        { step: 'metadata', put: { a: 1 } },
        { step: 'metadata', put: { a: 2 } },
        { step: 'consolidate', mode: 'array_meta' },
        { step: 'vacuum', mode: 'array_meta' },
      ]),
    )
    expect(
      filesBelow(vacuumed)
        .filter((file) => file.startsWith('__meta/'))
        .map((file) => file.slice(0, 14)),
    ).toEqual(['__meta/__11_12'])
  })

  test('the nulls of padding do not count where TileDB counts no nulls', async () => {
    const attributes = [
      { name: 'a', type: 'STRING_UTF8', nullable: true },
      { name: 'b', type: 'INT32', cell_val_num: 'var', nullable: true },
      { name: 'c', type: 'INT32', nullable: true },
    ]
    const dimensions = [{ name: 'x', type: 'INT32', domain: [0, 3], tile_extent: 2 }]
    const cellsOf = (count: number): object[] => Array.from({ length: count }, (_, x) => ({ x, a: 'x', b: [1], c: 1 }))
    const array = await stepped([
      { step: 'create', time: 10, schema: { array_type: 'dense', dimensions, attributes } },
      { step: 'write', time: 20, cells: cellsOf(3) },
      { step: 'write', time: 30, cells: cellsOf(1) },
      { step: 'consolidate' },
      { step: 'vacuum' },
    ])
    await clean(array)
    const [fragment] = fragmentNames(array)
    const target = await openTarget(localFiles, `${array}/__fragments/${fragment}`, contextFor({ key: undefined }))
    if (target.type !== 'fragment') throw new Error('expected a fragment')
    // `metadata` leaves out counts that TileDB does not make.
    const stored = [0, 1, 2].map(async (slot) => [...((await target.fragment.offsets('tile_null_counts', slot)) ?? [])])
    // TileDB 2.30 writes the same when it consolidates these fragments.
    expect(await Promise.all(stored)).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
    ])
  })

  test('a consolidated dense tile has fill values as padding, which count in statistics and in differences', async () => {
    const steps = (filter: string): object[] => [
      {
        step: 'create',
        time: 10,
        schema: {
          array_type: 'dense',
          dimensions: SCHEMA.dimensions,
          attributes: [{ name: 'a', type: 'INT64', filters: { filters: [{ name: filter }] } }],
        },
      },
      write(20, [0, 5], [1, 6]),
      write(30, [2, 7]),
      { step: 'consolidate' },
      { step: 'vacuum' },
    ]
    const array = await stepped(steps('BYTESHUFFLE'))
    expect(await ok('tiles', array)).toContain('-9223372036854775808')
    await clean(array)
    const delta = ['write-sample', fresh(), '--steps', fileOf({ steps: steps('DOUBLE_DELTA') })]
    expect((await run(delta)).stderr).toContain('differences that fit in 64 signed bits')
  })

  test('the schema evolves: older cells have fill values, labels grow, the current domain grows', async () => {
    const array = await stepped([
      {
        step: 'create',
        time: 10,
        schema: {
          ...SCHEMA,
          attributes: [
            { name: 'a', type: 'INT32' },
            { name: 'k', type: 'UINT8', enumeration: 'kinds' },
          ],
          enumerations: [{ name: 'kinds', type: 'STRING_ASCII', values: ['oak'] }],
          current_domain: { x: [0, 9] },
        },
      },
      { step: 'write', cells: [{ x: 1, a: 1, k: 'oak' }] },
      {
        step: 'evolve',
        add_attributes: [{ name: 'b', type: 'FLOAT64' }],
        drop_attributes: ['a'],
        extend_enumerations: [{ name: 'kinds', values: ['elm'] }],
        current_domain: { x: [0, 50] },
      },
      { step: 'write', cells: [{ x: 40, k: 'elm', b: 1.5 }] },
    ])
    expect(await cells(array, '--labels')).toEqual([
      { x: 1, k: 'oak', b: 'NaN' },
      { x: 40, k: 'elm', b: 1.5 },
    ])
    await clean(array)
  })

  test.each([3, 5, 9])(
    'an array of format %i is upgraded: its fragments have two format versions',
    async (format_version) => {
      const array = await stepped([
        { step: 'create', schema: { ...SCHEMA, format_version }, time: 10 },
        write(20, [1, 1]),
        { step: 'evolve', format_version: 22, time: 30 },
        write(40, [2, 2]),
        { step: 'consolidate' },
        { step: 'vacuum' },
        write(50, [3, 3]),
      ])
      expect(await cells(array)).toEqual([
        { x: 1, a: 1 },
        { x: 2, a: 2 },
        { x: 3, a: 3 },
      ])
      expect(filesBelow(array).some((file) => /^__(?:20_20_|[0-9a-f]{32}_20)/.test(file))).toBe(false)
      await clean(array)
    },
  )

  test('formats 10 and 11 evolve, too', async () => {
    for (const format_version of [10, 11]) {
      const array = await stepped([
        { step: 'create', schema: { ...SCHEMA, format_version }, time: 10 },
        { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT8', nullable: true }], time: 20 },
        { step: 'write', cells: [{ x: 1, a: 1, b: null }] },
      ])
      expect(await cells(array)).toEqual([{ x: 1, a: 1, b: null }])
      await clean(array)
    }
  })

  test('a group of arrays, and an array with dimension labels', async () => {
    const dense = {
      array_type: 'dense',
      dimensions: [{ name: 'i', type: 'INT32', domain: [0, 3], tile_extent: 2 }],
      attributes: [{ name: 'a', type: 'INT32' }],
      dimension_labels: [{ name: 'height', dimension_index: 0, order: 'increasing', type: 'FLOAT64' }],
    }
    const group = await stepped([
      { step: 'create', path: 'one', schema: SCHEMA, time: 10 },
      { step: 'create', path: 'two', schema: dense },
      { step: 'write', path: 'two', cells: [0, 1, 2, 3].map((i) => ({ i, a: i })) },
      { step: 'write', path: 'two/__labels/l0', cells: [0, 1, 2, 3].map((index) => ({ index, label: index / 2 })) },
      { step: 'group', path: 'more' },
      { step: 'group', add: [{ uri: 'one', name: 'first' }, { uri: 'two' }, { uri: 'more', type: 'group' }] },
      { step: 'group', remove: ['two'] },
      { step: 'metadata', put: { about: 'arrays' } },
    ])
    const { members, metadata } = JSON.parse(await ok('ls', group, '--json'))
    expect(
      members.map(({ name, type, uri }: { name: string; type: string; uri: string }) => [name, type, uri]),
    ).toEqual([
      ['first', 'array', 'one'],
      [null, 'group', 'more'],
    ])
    expect(metadata).toEqual({
      about: { type: 'STRING_UTF8', value_num: 6, value: 'arrays', timestamp_range: [17, 17] },
    })
    expect(await cells(`${group}/two/__labels/l0`)).toHaveLength(4)
    await clean(group)
    await clean(`${group}/two`)
  })

  test.each(shortTurn([3, 5, 7, 9, 11, 12, 14, 15, 17, 20, 22], 4))(
    'format %i: consolidation and vacuum change no cell',
    async (version) => {
      for (const kind of ['--sparse', '--dense']) {
        const shape = [kind, '--format-version', String(version), '--cells', '60', '--fragments', '3', '--key', KEY]
        const [plain, consolidated] = [fresh(), fresh()]
        await ok('write-sample', plain, ...shape)
        await ok('write-sample', consolidated, ...shape, '--consolidate', 'fragments', '--vacuum', 'fragments')
        expect(await cells(consolidated, '--key', KEY)).toEqual(await cells(plain, '--key', KEY))
        const { fragments } = JSON.parse(await ok('ls', consolidated, '--json', '--key', KEY))
        expect(fragments).toHaveLength(1)
        await clean(consolidated, '--key', KEY)
      }
    },
  )
})

describe('steps that TileDB would refuse', () => {
  const created = (more: object): object => ({ ...CREATE, schema: { ...SCHEMA, ...more } })
  const evolved = (more: object): object => ({ step: 'evolve', time: 50, ...more })
  const labelled = (more: object, schema: object = {}): object[] => [
    created({
      dimension_labels: [{ name: 'l', dimension_index: 0, order: 'increasing', type: 'FLOAT64', ...more }],
      ...schema,
    }),
  ]
  const added = (member: object): object[] => [{ step: 'group', add: [member] }]
  test.each<[string, readonly object[], RegExp]>([
    [
      'an evolution before format 10',
      [created({ format_version: 9 }), evolved({ drop_attributes: [] })],
      /steps\.1: expected an array of format version 10 or newer: "format_version" upgrades it, found version 9/,
    ],
    [
      'enumerations before format 20',
      [created({ format_version: 19 }), evolved({ drop_enumerations: ['e'] })],
      /steps\.1\.drop_enumerations: expected none before format version 20: .*, found version 19/,
    ],
    [
      'an enumeration that comes back shorter, which SOMA writes and cannot read',
      [
        created({ enumerations: [{ name: 'e', type: 'STRING_ASCII', values: ['oak', 'elm'] }] }),
        evolved({
          drop_enumerations: ['e'],
          add_enumerations: [{ name: 'e', type: 'STRING_ASCII', values: ['elm'] }],
        }),
      ],
      /steps\.1\.add_enumerations: expected 2 values or more in "e", as before: cells may index them, found 1/,
    ],
    [
      'a delete by a test for null, which TileDB writes and cannot read',
      [
        created({ attributes: [{ name: 'a', type: 'INT32', nullable: true }] }),
        { step: 'delete', where: '(x > 3) | (a == null)' },
      ],
      /steps\.1\.where: expected no test for null, which TileDB writes and then fails to read/,
    ],
    [
      'a current domain that shrinks',
      [created({ current_domain: { x: [0, 50] } }), evolved({ current_domain: { x: [0, 49] } })],
      /steps\.1\.current_domain\.x: expected a current domain that holds the one before, found one that leaves a part/,
    ],
    [
      'an attribute whose name is taken',
      [CREATE, evolved({ add_attributes: [{ name: 'a', type: 'INT32' }] })],
      /steps\.1\.attributes\.1\.name: expected a name of its own, found "a" twice/,
    ],
    ['labels before format 18', labelled({}, { format_version: 17 }), /labels exist since format version 18/],
    [
      'a label of a dimension that is not there',
      labelled({ dimension_index: 1 }),
      /expected a dimension from 0 to 0, found 1/,
    ],
    [
      'a label of a float dimension',
      labelled({}, { dimensions: [{ name: 'x', type: 'FLOAT64', domain: [0, 1] }] }),
      /expected a dimension of integers or dates, found FLOAT64/,
    ],
    [
      'a label without an order',
      labelled({ order: 'unordered' }),
      /expected increasing or decreasing, found unordered/,
    ],
    ['a label in another array', labelled({ uri: 'elsewhere' }), /expected __labels\/NAME, relative, found elsewhere/],
    [
      'a member outside without a type',
      added({ uri: 's3://b/a', relative: false }),
      /expected "type" for a member outside/,
    ],
    [
      'a member that is not there',
      added({ uri: 'a' }),
      /expected an array or a group at "a", found none: create it first/,
    ],
    [
      'a member that leaves twice',
      [{ step: 'group', remove: ['a'] }],
      /expected members of the group to remove, found "a"/,
    ],
    ['an array where a group is to be', [CREATE, { step: 'group' }], /expected a group, found an array/],
  ])('%s', async (_, steps, message) => {
    const { code, stderr } = await run(['write-sample', fresh(), '--steps', fileOf({ steps })])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })
})

describe('writes', () => {
  const schema = (): string => fileOf(SCHEMA)

  test('each --data becomes a fragment with its --timestamp', async () => {
    const array = fresh()
    const data = [
      [{ x: 1, a: 1 }],
      [
        { x: 1, a: 2 },
        { x: 3, a: 3 },
      ],
    ].map((some) => fileOf(some.map((cell) => JSON.stringify(cell)).join('\n')))
    await ok(
      'write-sample',
      array,
      '--schema',
      schema(),
      '--data',
      data[0],
      '--data',
      data[1],
      '--timestamp',
      '100',
      '--timestamp',
      '200',
    )
    expect(await cells(array)).toEqual([
      { x: 1, a: 2 },
      { x: 3, a: 3 },
    ])
    expect(await cells(array, '--as-of', '150')).toEqual([{ x: 1, a: 1 }])
    expect(filesBelow(array).filter((file) => file.startsWith('__schema/'))[0]).toMatch(/__100_100_/)
  })

  test.each(['csv', 'tsv'])('what decode prints as %s gives the same cells', async (format) => {
    for (const name of [
      'type_nullable',
      'type_multi_value',
      'type_text',
      'type_datetimes',
      'enumerations',
      'sparse_consolidated',
    ]) {
      const array = `${FIXTURES}/22/${name}`
      const [fragment] = fragmentNames(array)
      const cellsOf = (path: string): Promise<string> => ok('decode', path, '--format', 'ndjson', '--quiet')
      const data = `${fresh()}.${format}`
      writeFileSync(data, await ok('decode', `${array}/__fragments/${fragment}`, '--format', format, '--quiet'))
      const again = fresh()
      await ok('write-sample', again, '--schema', fileOf(await ok('schema', array, '--json')), '--data', data)
      const [other] = fragmentNames(again)
      expect(await cellsOf(`${again}/__fragments/${other}`)).toBe(await cellsOf(`${array}/__fragments/${fragment}`))
    }
  })

  test.each([
    ['x,a\n1,2,3\n', /line 2: expected 2 fields, as in the header, found 3/],
    ['x,a,x\n1,2,3\n', /x: expected each column once, found two of this name/],
    ['x,a\n1,"2\n', /line 2: expected a quote that ends the text/],
    ['x,a\n1,"2"3\n', /line 2: expected the end of the field after its quotes, found "3"/],
    ['x,a\n1,5"\n2,6"\n', /line 2: expected quotes around a whole field, found one after "5"/],
    ['x,a\n1,\n', /line 2: expected a value .*found null/],
    ['x,a\r\n\r\n1,two\r\n', /line 3: expected .*found "two"/],
  ])('CSV that is wrong: %j', async (text, message) => {
    const data = `${fresh()}.csv`
    writeFileSync(data, text)
    const { code, stderr } = await run(['write-sample', fresh(), '--schema', schema(), '--data', data])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('a value of an enumeration may be long', async () => {
    const long = 'é'.repeat(200_000)
    const given = {
      ...SCHEMA,
      attributes: [{ name: 'a', type: 'UINT8', enumeration: 'e' }],
      enumerations: [{ name: 'e', type: 'STRING_UTF8', values: ['short', long] }],
    }
    const array = fresh()
    const data = fileOf(JSON.stringify({ x: 1, a: long }))
    await ok('write-sample', array, '--schema', fileOf(given), '--data', data)
    expect(await cells(array)).toEqual([{ x: 1, a: 1 }])
  })

  test.each(['\n', '\r\n', '\r'])('lines of CSV may end with %j, which quotes keep', async (end) => {
    const data = `${fresh()}.csv`
    writeFileSync(data, ['\ufeffx,a', '1,one', `2,"a${end}b"`, '', '"3","say ""three"", then"', ''].join(end))
    const given = { ...SCHEMA, attributes: [{ name: 'a', type: 'STRING_UTF8', cell_val_num: 'var' }] }
    const array = fresh()
    await ok('write-sample', array, '--schema', fileOf(given), '--data', data)
    expect(await cells(array)).toEqual([
      { x: 1, a: 'one' },
      { x: 2, a: `a${end}b` },
      { x: 3, a: 'say "three", then' },
    ])
  })

  test.each(['__written', '__fragment'])('rows are grouped by %s', async (key) => {
    const [array, again] = [fresh(), fresh()]
    await ok('write-sample', array, '--cells', '50', '--fragments', '4')
    const other = key === '__written' ? /,"__fragment":"[^"]*"/g : /,"__written":"[^"]*"/g
    const rows = (await ok('read', array, '--format', 'ndjson', '--provenance')).replace(other, '')
    expect(rows).toContain(key)
    await ok('write-sample', again, '--schema', fileOf(await ok('schema', array, '--json')), '--data', fileOf(rows))
    const times = async (path: string): Promise<unknown> =>
      JSON.parse(await ok('ls', path, '--json')).fragments.map(
        (one: { timestamp_range: unknown }) => one.timestamp_range,
      )
    expect(await times(again)).toEqual(await times(array))
    expect(await cells(again)).toEqual(await cells(array))
  })

  test('the same options give the same bytes, other ones other names', async () => {
    const steps = [
      CREATE,
      write(20, [1, 1]),
      { step: 'delete', where: 'x < 1' },
      write(30, [2, 2]),
      { step: 'consolidate' },
    ]
    const made = async (...args: string[]) => contentOf(await stepped(steps, '--key', KEY, ...args))
    const first = await made()
    expect(await made()).toEqual(first)
    expect([...(await made('--seed', '2')).keys()]).not.toEqual([...first.keys()])
  })
})

describe('--append', () => {
  test('a group gets new arrays and groups beside its members', async () => {
    const group = await stepped([
      { step: 'create', path: 'one', schema: SCHEMA, time: 10 },
      { step: 'group', add: [{ uri: 'one', name: 'first' }] },
    ])
    const steps = [
      { step: 'create', path: 'two', schema: SCHEMA },
      { step: 'group', path: 'more' },
      { step: 'group', add: [{ uri: 'two' }, { uri: 'more' }], remove: ['first'] },
    ]
    await ok('write-sample', group, '--append', '--steps', fileOf({ steps }))
    const { members } = JSON.parse(await ok('ls', group, '--json'))
    expect(members.map(({ uri, type }: { uri: string; type: string }) => [uri, type])).toEqual([
      ['two', 'array'],
      ['more', 'group'],
    ])
    await clean(group)
  })

  test('an array that holds the mark of a group is an array, as for TileDB', async () => {
    const group = await stepped([
      { step: 'create', path: 'one', schema: SCHEMA, time: 10 },
      { step: 'group', path: '' },
    ])
    writeFileSync(`${group}/one/__tiledb_group.tdb`, '')
    const steps = [
      { step: 'group', add: [{ uri: 'one' }] },
      { step: 'metadata', path: 'one', put: { k: 1 } },
    ]
    await ok('write-sample', group, '--append', '--steps', fileOf({ steps }))
    const { members } = JSON.parse(await ok('ls', group, '--json'))
    expect(members.map(({ type }: { type: string }) => type)).toEqual(['array'])
  })

  const data = (): string => fileOf('{"x":7,"a":70}')

  test('adds to the array with the newest schema, and changes no file', async () => {
    const array = await stepped(
      [CREATE, write(20, [1, 1]), { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT8', nullable: true }] }],
      '--key',
      KEY,
    )
    const before = contentOf(array)
    await ok(
      'write-sample',
      array,
      '--append',
      '--data',
      fileOf('{"x":7,"a":70,"b":null}'),
      '--delete',
      'a == 1',
      '--metadata',
      'k=5',
      '--key',
      KEY,
    )
    expect(await cells(array, '--key', KEY)).toEqual([{ x: 7, a: 70, b: null }])
    const after = contentOf(array)
    for (const [file, bytes] of before) expect(after.get(file)).toBe(bytes)
    expect(after.size).toBeGreaterThan(before.size)
    await clean(array, '--key', KEY)
  })

  test.each([
    ['a later step that fails', ['--delete', 'nobody == 1'], /nobody/],
    [
      'removing what was there',
      ['--consolidate', 'fragments', '--vacuum', 'fragments'],
      /--append leaves what is there as it is/,
    ],
    ['options of a new array', ['--capacity', '5'], /expected no --capacity beside it/],
    ['a key for an array without', ['--key', KEY], /the array is not encrypted/],
  ])('leaves the array as it was: %s', async (_, args, message) => {
    const array = await stepped([CREATE, write(20, [1, 1])])
    const before = contentOf(folder)
    const { code, stderr } = await run(['write-sample', array, '--append', '--data', data(), ...args])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
    const after = contentOf(folder)
    for (const file of after.keys()) if (file.endsWith('.json')) after.delete(file)
    for (const file of before.keys()) if (file.endsWith('.json')) before.delete(file)
    expect(after).toEqual(before)
  })

  test('needs an existing array; without --append nothing is ever overwritten', async () => {
    const { code, stderr } = await run(['write-sample', fresh(), '--append', '--data', data()])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/--append expects an array or a group that exists/),
    })
    const array = await stepped([CREATE])
    const again = await run(['write-sample', array, '--steps', fileOf([CREATE])])
    expect(again.stderr).toMatch(/nothing is ever overwritten/)
  })
})

test.each([
  [[{ step: 'write', cells: [] }], /expected an array at "" for this step, found none/],
  [[CREATE, { step: 'wirte' }], /steps\.1\.step: expected one of create, write, .*did you mean "write"/],
  [[CREATE, { step: 'write', cells: [{ x: 1 }] }], /steps\.1\.cells\.0: expected every field/],
  [[CREATE, { step: 'write', path: '../out', cells: [] }], /a path inside the folder/],
  [[CREATE, CREATE], /expected a place where nothing is yet/],
  [[CREATE, { step: 'evolve', drop_attributes: ['b'] }], /steps\.1\.drop_attributes: expected names of a, found "b"/],
  [
    [
      { ...CREATE, time: 20 },
      { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT8' }], time: 10 },
    ],
    /steps\.1\.time: expected a time whose name comes after/,
  ],
  [[CREATE, { step: 'metadata' }], /keys to "put"/],
  [
    [
      { ...CREATE, schema: { ...SCHEMA, format_version: 15 } },
      { step: 'delete', where: 'a == 1' },
    ],
    /format version 16 or newer to delete/,
  ],
  [
    [
      { ...CREATE, schema: { ...SCHEMA, attributes: [{ name: 'n', type: 'INT32', nullable: true }] } },
      { step: 'delete', where: 'n == None' },
    ],
    /expected no test for null, which TileDB writes and then fails to read/,
  ],
])('a step that cannot be done: %j', async (steps, message) => {
  const path = fresh()
  const { code, stderr } = await run(['write-sample', path, '--steps', fileOf(steps)])
  expect(stderr).toMatch(message)
  expect(code).toBe(2)
  expect(filesBelow(folder).some((file) => file.startsWith(`${path.slice(folder.length + 1)}/`))).toBe(false)
})
