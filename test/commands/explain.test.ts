import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

async function explained(...args: string[]): Promise<{ code: number; document: Json }> {
  const { code, documents } = await runJson(['explain', ...args])
  return { code, document: documents[0] }
}

const hintFolder = temporaryFolder()

describe('steps', () => {
  test('their seconds add up to those of the whole read, which undoes filters, too', async () => {
    const { document } = await explained(`${FIXTURES}/22/deletes`, '--exact')
    const total = get(document, 'total')
    expect(get(total, 'unfilter_seconds')).toBeGreaterThan(0)
    for (const key of ['seconds', 'local_seconds']) {
      const all = items(get(document, 'steps')).reduce((sum: number, step) => sum + Number(get(step, key)), 0)
      expect(all).toBeCloseTo(Number(get(total, key)), 5)
    }
  })
})

describe('opening, and requests by their kinds', () => {
  test('the first steps have a sum of their own, in the table and in JSON', async () => {
    const array = `${FIXTURES}/22/commits_consolidated`
    const { document } = await explained(array)
    const steps = items(get(document, 'steps')) as Record<string, number>[]
    const opening = get(document, 'opening') as Record<string, number>
    // As libtiledb 2.30.0 sent them to an S3 server.
    expect(opening).toMatchObject({ list_requests: 5, head_requests: 5, get_requests: 10, requests: 20 })
    for (const key of ['bytes', 'reads', 'requests', 'get_requests', 'seconds', 'local_seconds'])
      expect(opening[key]).toBeCloseTo(
        steps.slice(0, opening.step_num).reduce((all, step) => all + step[key], 0),
        5,
      )
    expect(steps[opening.step_num]).toMatchObject({ name: 'delete conditions' })
    const total = get(document, 'total') as Record<string, number>
    expect(total.list_requests + total.head_requests + total.get_requests).toBe(total.requests)
    const { text } = await run(['explain', array])
    expect(text).toContain(`\nrequests to S3: ${total.requests}, of them 5 LIST, 5 HEAD, ${total.get_requests} GET\n`)
    const [, opened, after] = text.match(/\n= opening .* (\d+) .* ms .* ms\n(\w+)/) ?? []
    expect([Number(opened), after]).toEqual([opening.requests, 'delete'])
  })
})

test.each(['global', 'hilbert', 'times'])(
  'the result of small_tiles/%s is no larger with a smaller budget, though tiles are read twice',
  async (name) => {
    const array = `${FIXTURES}/small_tiles/${name}`
    const [{ document: usual }, { document: small }] = await Promise.all([
      explained(array),
      explained(array, '--budget', '10K'),
    ])
    expect(get(small, 'result_size')).toEqual(get(usual, 'result_size'))
    expect(get(small, 'result')).toEqual(get(usual, 'result'))
    const tilesRead = (document: Json): number => Number(get(get(document, 'total'), 'tiles_read'))
    expect(tilesRead(small)).toBeGreaterThan(tilesRead(usual))
  },
)

test('requests of a finding are those that the head of the output counts, about', async () => {
  const array = `${folder}/many`
  const dimensions = [
    '--dim',
    'x:INT32:0..9999',
    '--dim',
    'y:INT32:0..9999',
    '--attr',
    'a:INT64',
    '--attr',
    's:STRING_ASCII',
  ]
  await run(['write-sample', array, ...dimensions, '--fragments', '30', '--cells', '9000', '--capacity', '500'])
  const { document } = await explained(array)
  const requests = Number(get(get(document, 'total'), 'requests'))
  const found = items(get(document, 'findings')).filter((one) => /FRAGMENTS_/.test(String(get(one, 'code'))))
  expect(found.map((one) => get(one, 'code'))).toEqual(['FRAGMENTS_MANY', 'FRAGMENTS_OVERLAP'])
  for (const finding of found) {
    const [, said] = String(get(finding, 'message')).match(/about (\d+) requests to S3/) ?? []
    expect(Math.abs(Number(said) / requests - 1)).toBeLessThan(0.05)
  }
  const [, promised] = String(get(found[0], 'message')).match(/one fragment in their place about (\d+)/) ?? []
  const merged = `${folder}/merged`
  cpSync(array, merged, { recursive: true })
  expect((await run(['write-sample', merged, '--append', '--consolidate', 'fragments'])).code).toBe(0)
  const after = items(get((await explained(merged)).document, 'steps')).filter((step) =>
    ['footers', 'fragment metadata', 'tiles'].includes(String(get(step, 'name'))),
  )
  expect(after).toHaveLength(3)
  expect(after.reduce((sum: number, step) => sum + Number(get(step, 'requests')), 0)).toBe(Number(promised))
})

test.each([
  ['note', 1],
  ['warning', 1],
  ['error', 0],
] as const)('--fail-on %s of an array with warnings: exit code %d', async (severity, code) => {
  const array = `${folder}/many`
  expect((await run(['explain', array, '--fail-on', severity])).code).toBe(code)
  expect((await run(['explain', `${FIXTURES}/overlaps`, '--fail-on', severity])).code).toBe(0)
  expect((await run(['explain', array])).code).toBe(0)
  expect((await run(['explain', array, '--fail-on', 'bad'])).code).toBe(2)
})

describe('cells of a dense result', () => {
  const START = 4_611_686_018_427_387_904n

  test('coordinates beyond 2^53, as dates in nanoseconds are, are counted exactly', async () => {
    const array = `${folder}/beyond`
    const dimension = ['--dim', `x:INT64:${START}..${START + 99n}:10`]
    await run([
      'write-sample',
      array,
      '--dense',
      ...dimension,
      '--attr',
      'a:INT32',
      '--cells',
      '100',
      '--fragments',
      '1',
    ])
    const counted = async (...args: string[]): Promise<unknown> =>
      get(get((await explained(array, ...args)).document, 'result_size'), 'cell_num')
    expect(await counted()).toBe(100)
    expect(await counted('--range', `x=${START + 3n}..${START + 7n}`)).toBe(5)
    const { document } = await explained(array, '--range', `x=${START + 3n}..${START + 7n}`)
    expect(document).toMatchObject({ total: { cells_in_tiles: 10, cells_asked: 5 } })
  })

  test('those of a range end with the domain, and those of an open one where `read` ends', async () => {
    const [array, data] = [`${folder}/ends`, `${folder}/ends.ndjson`]
    writeFileSync(data, Array.from({ length: 10 }, (_, i) => `{"x":${i + 10},"a":${i}}\n`).join(''))
    const args = ['--dense', '--dim', 'x:INT32:1..50:10', '--attr', 'a:INT32', '--data', data]
    expect((await run(['write-sample', array, ...args])).code).toBe(0)
    for (const [range, cells] of [
      ['x=0..1000', 50],
      ['x=15..', 5],
      ['x=..12', 3],
      ['x=30..', 0],
    ] as const) {
      const { document } = await explained(array, '--range', range)
      const read = (await runJson(['read', array, '--range', range])).documents[0]
      expect([range, get(get(document, 'result_size'), 'cell_num')]).toEqual([range, cells])
      expect([range, items(get(read, 'cells')).length]).toEqual([range, cells])
      const { text } = await run(['explain', array, '--range', range])
      expect(text.split('\n').slice(0, 2).join(' ')).toContain(`, ${range}`)
    }
  })
})

describe('data files that are not there, or short', () => {
  test.each(['missing', 'short'])('%s: exit code 1 and a finding, if the read needs the file', async (how) => {
    const array = `${folder}/${how}`
    cpSync(`${FIXTURES}/22/sparse_2d_row_row`, array, { recursive: true })
    const file = `${firstFragment(array)}/a0.tdb`
    if (how === 'missing') rmSync(file)
    else truncateSync(file, 3)
    const { code, document } = await explained(array)
    expect(code).toBe(1)
    expect(items(get(document, 'findings'))).toMatchObject([
      { code: how === 'missing' ? 'FILE_MISSING' : 'FILE_SHORT', severity: 'error', field: 'a' },
    ])
    const without = await explained(array, '--field', String(get(items(get(document, 'fields'))[0], 'name')))
    expect([without.code, get(without.document, 'findings')]).toEqual([0, []])
  })
})

test('a dense read says how many cells its tiles have for those in the ranges; too many are a finding', async () => {
  const array = `${folder}/dense`
  const dimensions = ['--dim', 'y:INT32:0..399:200', '--dim', 'x:INT32:0..399:200']
  const size = ['--fragments', '1', '--cells', '160000', '--attr', 'a:FLOAT64']
  await run(['write-sample', array, '--dense', ...dimensions, ...size])
  const asked = async (...ranges: string[]): Promise<Json> => (await explained(array, ...ranges)).document
  const one = await asked('--range', 'y=5', '--range', 'x=7')
  expect(one).toMatchObject({ total: { cells_in_tiles: 40_000, cells_asked: 1 } })
  const messagesOf = (document: Json): string[] =>
    items(get(document, 'findings')).map((finding) => String(get(finding, 'message')))
  expect(messagesOf(one)).toContain('40000 cells are read for about 1 in the ranges: tiles have 40000 cells')
  const many = await asked('--range', 'y=0..99', '--range', 'x=0..399')
  expect(many).toMatchObject({ total: { cells_in_tiles: 80_000, cells_asked: 40_000 } })
  expect(messagesOf(many).join()).not.toContain('cells are read for')
  expect(await asked()).toMatchObject({ total: { cells_in_tiles: null, cells_asked: null } })
  const { text } = await run(['explain', array, '--range', 'y=0..99'])
  expect(text).toContain('80,000 cells in these tiles for 40,000 in the ranges, 2.0 for each\n')
})

describe('buffers for the result', () => {
  const buffers = async (...args: string[]): Promise<Json[]> =>
    items(get((await explained(...args)).document, 'result'))
  const places = ['examples/arrays/places', '--range', 'lat=40..60', '--field', 'name', '--field', 'population']

  // As the arrays that TileDB-Py returns.
  test('--exact counts what TileDB returns', async () => {
    expect(await buffers(...places, '--exact')).toEqual([
      { name: 'lat', data_bytes: 72, offsets_bytes: null, validity_bytes: null, certainty: 'exact' },
      { name: 'lon', data_bytes: 72, offsets_bytes: null, validity_bytes: null, certainty: 'exact' },
      { name: 'name', data_bytes: 95, offsets_bytes: 72, validity_bytes: null, certainty: 'exact' },
      { name: 'population', data_bytes: 36, offsets_bytes: null, validity_bytes: 9, certainty: 'exact' },
    ])
  })

  test('metadata alone gives bounds: the cells and values of all tiles that are read', async () => {
    const [lat, , name] = await buffers(...places)
    expect(lat).toMatchObject({ data_bytes: 256, certainty: 'at most' })
    expect(name).toMatchObject({ offsets_bytes: 256, certainty: 'at most' })
    expect(Number(get(name, 'data_bytes'))).toBeGreaterThanOrEqual(95)
  })

  test('of a dense array: the cells of the ranges, and of the box around the fragments', async () => {
    const array = `${folder}/dense-buffers`
    const dimensions = ['--dim', 'y:INT32:0..399:200', '--dim', 'x:INT32:0..399:200']
    await run([
      'write-sample',
      array,
      '--dense',
      ...dimensions,
      '--fragments',
      '1',
      '--cells',
      '160000',
      '--attr',
      'a:FLOAT64',
    ])
    const [y, , a] = await buffers(array, '--range', 'y=0..99', '--range', 'y=300..399')
    expect(y).toMatchObject({ data_bytes: 200 * 400 * 4, certainty: 'exact' })
    expect(a).toMatchObject({ data_bytes: 200 * 400 * 8, certainty: 'exact' })
  })

  test('their sum is shown; of a dense array without ranges also that of A[:], as TileDB-Py returns them', async () => {
    const array = `${folder}/dense-result`
    const attributes = ['--attr', 'a:FLOAT64', '--attr', 'n:INT16?']
    const size = ['--fragments', '1', '--cells', '50']
    await run(['write-sample', array, '--dense', '--dim', 'r:INT32:0..99:50', ...attributes, ...size])
    const sizeOf = async (...args: string[]): Promise<Json> =>
      get((await explained(...args)).document, 'result_size') as Json
    const [cell_num, bytes, coordinate_bytes] = [50, 50 * (4 + 8 + 2 + 1), 200]
    const known = { cell_num, bytes, coordinate_bytes, certainty: 'exact' }
    expect(await sizeOf(array)).toEqual({ ...known, whole_cell_num: 100, whole_bytes: 100 * (8 + 2 + 1) })
    expect(await sizeOf(array, '--range', 'r=0..49')).toEqual({ ...known, whole_cell_num: null, whole_bytes: null })
    expect((await run(['explain', array])).text).toContain(
      '\nresult: 50 cells of the non-empty domain, 750 B (550 B without coordinates); A[:]: 100 cells, 1.1 KiB\n',
    )
    expect(await sizeOf(...places, '--exact')).toMatchObject({ cell_num: 9, bytes: 356, coordinate_bytes: 144 })
    expect((await run(['explain', ...places])).text).toContain('\nresult: at most 32 cells, ')
  })

  test('--full shows them', async () => {
    const { text } = await run(['explain', ...places, '--full', '--exact'])
    expect(text).toMatch(
      /\nbuffers for the result, in bytes\nfield +data +offsets +validity +certainty\n(.*\n){2}name +95 +72 +- +exact\n/,
    )
  })
})

describe('--config', () => {
  const overlaps = `${FIXTURES}/overlaps`
  const consolidated = async (...settings: string[]): Promise<Json> => {
    const given = settings.flatMap((setting) => ['--config', `sm.consolidation.${setting}`])
    return get((await explained(overlaps, ...given)).document, 'consolidation') as Json
  }

  test('settings of consolidation decide which fragments the first step takes', async () => {
    const names = fragmentNames(overlaps)
    expect(names).toHaveLength(3)
    expect(await consolidated()).toMatchObject({ config: {}, merged_num: 3, merged: null })
    expect(await consolidated('step_min_frags=2', 'step_max_frags=2')).toMatchObject({
      config: { 'sm.consolidation.step_min_frags': '2', 'sm.consolidation.step_max_frags': '2' },
      fragment_num: 3,
      merged_num: 2,
    })
    // What is kept of deleted cells changes nothing of that.
    expect(await consolidated('step_min_frags=2', 'step_max_frags=2', 'purge_deleted_cells=true')).toMatchObject({
      fragment_num: 3,
      merged_num: 2,
    })
    expect((await run(['explain', overlaps, '--config', 'sm.consolidation.purge_deleted_cells=1'])).code).toBe(2)
    expect(await consolidated('timestamp_start=2')).toMatchObject({ fragment_num: 2, merged: names.slice(1) })
    expect(await consolidated('timestamp_end=1')).toMatchObject({ fragment_num: 1, merged_num: 0, merged: [] })
  })

  test('the table says the same, and which settings it follows', async () => {
    const said = async (...settings: string[]): Promise<string> => {
      const given = settings.flatMap((setting) => ['--config', `sm.consolidation.${setting}`])
      return (await run(['explain', overlaps, ...given])).text
    }
    expect(await said('step_min_frags=2', 'step_max_frags=2', 'max_fragment_size=10000')).toMatch(
      /\ntiledb\.consolidate merges 2 of 3 fragments into fragments of at most 10000 bytes in its first step; further steps take the result and the rest\n {2}with sm\.consolidation\.step_min_frags=2, .*\n {2}__/,
    )
    expect(await said('steps=1', 'step_min_frags=1', 'step_max_frags=1')).toMatch(
      /\ntiledb\.consolidate does nothing: of 3 fragments, none that follow each other in time can be merged\n {2}with sm/,
    )
    expect(await said('steps=1')).toContain(
      '\ntiledb.consolidate merges 3 of 3 fragments into one fragment in its first step\n',
    )
  })

  test('without --remedies nothing is promised of consolidation: --remedies computes it', async () => {
    const path = `${hintFolder}/many`
    const dims = ['--dim', 'x:INT32:0..999:100', '--attr', 'a:INT32', '--cells', '200', '--fragments', '20']
    expect((await run(['write-sample', path, ...dims])).code).toBe(0)
    const hint = 'what a read costs after tiledb.consolidate: --remedies'
    for (const options of [[], ['--exact']]) {
      const { text } = await run(['explain', path, ...options])
      expect([text.includes(hint), text.includes('consolidated: ')]).toEqual([true, false])
    }
    const computed = (await run(['explain', path, '--remedies'])).text
    expect([computed.includes(hint), /consolidated: .*; computed/.test(computed)]).toEqual([false, true])
  })

  test('without --remedies nothing is promised of other tiles: --remedies computes it', async () => {
    const path = `${hintFolder}/rows`
    const dims = ['--dim', 'x:INT32:0..999:1000', '--dim', 'y:INT32:0..999:1000', '--attr', 'a:FLOAT64']
    const cells = ['--cells', '60000', '--fragments', '1', '--capacity', '500']
    expect((await run(['write-sample', path, ...dims, ...cells])).code).toBe(0)
    const box = ['--range', 'x=0..999', '--range', 'y=0..9']
    const hint = 'what a read costs with other tiles: --remedies'
    const atMost = (await run(['explain', path, ...box])).text
    expect([atMost.includes(hint), atMost.includes('written anew')]).toEqual([true, false])
    const computed = (await run(['explain', path, ...box, '--remedies'])).text
    expect([computed.includes(hint), /order, written anew: .*; computed/.test(computed)]).toEqual([false, true])
  })

  test('a read of an earlier time: nothing is said of what consolidation makes of later fragments, nor that they are dated ahead', async () => {
    const path = `${hintFolder}/earlier`
    const dims = ['--dim', 'x:INT32:0..999:100', '--attr', 'a:INT32', '--cells', '200', '--fragments', '20']
    expect((await run(['write-sample', path, ...dims, '--timestamp', '1'])).code).toBe(0)
    const { text } = await run(['explain', path, '--remedies', '--as-of', '15'])
    expect(text).toContain('FRAGMENTS_MANY')
    expect(text).not.toMatch(/consolidated: |FRAGMENT_FUTURE/)
  })

  test('sm.mem.total_budget is --budget', async () => {
    const total = async (...args: string[]): Promise<Json> =>
      get((await explained(overlaps, ...args)).document, 'total') as Json
    expect(await total('--config', 'sm.mem.total_budget=70000')).toEqual(await total('--budget', '70000'))
    const { code, stderr } = await run(['explain', overlaps, '--config', 'sm.mem.total_budget=1', '--budget', '1'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected one of them, found both')])
  })

  test.each([
    [
      'sm.consolidation.min_frags=2',
      /knows no key "sm.consolidation.min_frags"; it knows sm.consolidation.step_min_frags, /,
    ],
    ['sm.mem.total=2', /it knows sm.mem.total_budget, /],
    ['step_min_frags', /expects KEY=VALUE, found "step_min_frags"/],
    ['sm.consolidation.steps=-1', /steps expects a whole number from 0 to 4294967295, found "-1"/],
    ['sm.consolidation.timestamp_end=1e3', /expects a whole number from 0 to 18446744073709551615/],
    ['sm.consolidation.amplification=x', /amplification expects a number from 0 on, found "x"/],
    ['sm.consolidation.step_size_ratio=1.5', /step_size_ratio from 0 to 1, found 1.5/],
    ['sm.consolidation.step_max_frags=2', /step_min_frags of at most step_max_frags, 2, found 4294967295/],
    ['sm.mem.total_budget=much', /expects bytes/],
  ])('%s is wrong usage', async (setting, message) => {
    const { code, stderr } = await run(['explain', overlaps, '--config', setting])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})

test('a budget that is too small comes after the title, and no word of findings that there are none', async () => {
  const { text } = await run(['explain', `${FIXTURES}/22/sparse_basic`, '--budget', '1K'])
  expect(text).toMatch(/^.*\nmemory budget: TOO SMALL, at least [\d.]+ KiB are needed\n/)
  expect(text).not.toContain('findings: none')
  expect((await run(['explain', `${FIXTURES}/22/sparse_basic`])).text).toMatch(/^.*\nfindings: none\n/)
})

// Counted by TileDB 2.30 with sm.mem.total_budget.
describe('--budget: what does not fit into memory is read part after part', () => {
  test.each([
    ['overlaps', 'global', 350_000, 36, 299_937, 46_714, 87],
    ['overlaps', 'global', 300_000, 40, 347_808, 50_938, 96],
    ['overlaps', 'unordered', 100_000, 36, 299_937, 46_261, 78],
    ['overlaps', 'unordered', 70_000, 36, 299_937, 46_261, 93],
  ] as const)('%s %s %d', async (array, order, budget, tiles_read, unfiltered_bytes, vfs_bytes, reads) => {
    const { document } = await explained(
      `${FIXTURES}/${array}`,
      '--exact',
      '--order',
      order,
      '--budget',
      String(budget),
    )
    expect(get(document, 'total')).toMatchObject({ tiles_read, unfiltered_bytes, vfs_bytes, reads })
  })

  test.each([
    ['hilbert', 200_000, 58, 163_356, 61],
    ['row-major', 100_000, 58, 165_102, 72],
  ] as const)('cells that are merged in %s order', async (order, budget, tiles_read, vfs_bytes, reads) => {
    const array = `${folder}/${order}`
    const field = ['--dim', 'x:INT32:0..9999', '--dim', 'y:INT32:0..9999', '--attr', 'a:INT64', '--cell-order', order]
    const size = ['--fragments', '3', '--cells', '9000', '--capacity', '500', '--seed', '18']
    await run(['write-sample', array, ...field, ...size])
    const total = async (text: string): Promise<Json | undefined> =>
      get((await explained(array, '--exact', '--budget', text)).document, 'total')
    expect(await total('1M')).toMatchObject({ tiles_read: 54 })
    expect(await total(String(budget))).toMatchObject({ tiles_read, vfs_bytes, reads })
    // Without coordinates, no number is less.
    const most = get((await explained(array, '--budget', String(budget))).document, 'total')
    for (const [key, counted] of Object.entries({ tiles_read, vfs_bytes, reads }))
      expect(Number(get(most, key))).toBeGreaterThanOrEqual(counted)
  })
})

// Bisected with TileDB 2.30.
test.each(['global', 'unordered'])('a %s read of no fragment loads no lists of tiles', async (order) => {
  const { document } = await explained(`${FIXTURES}/overlaps`, '--range', 'x=9998..9999', '--exact', '--order', order)
  expect(Math.abs(Number(get(get(document, 'total'), 'memory_bytes')) / 17_702 - 1)).toBeLessThan(0.02)
})

// Bisected with TileDB 2.30: from there on a read gives all cells.
test.each([
  ['FLOAT64:0..1000', 'FLOAT64:0..1000', 'row-major', 3, 2500, 300, 3, 64_124],
  ['INT32:0..99', 'INT32:0..99', 'row-major', 3, 7000, 500, 1, 56_271],
  // Tiles whose boxes begin at the same place.
  ['INT32:0..19', 'INT32:0..999', 'col-major', 3, 9000, 500, 2, 56_405],
  ['INT32:0..99', 'INT32:0..99', 'col-major', 4, 10_000, 500, 2, 78_843],
] as const)(
  'wide tiles of several fragments: x %s, y %s, %s, %d',
  async (x, y, order, fragments, cells, capacity, seed, least) => {
    const array = `${folder}/wide-${least}`
    const dimensions = ['--dim', `x:${x}`, '--dim', `y:${y}`, '--attr', 'a:INT8', '--cell-order', order]
    const size = [
      '--fragments',
      `${fragments}`,
      '--cells',
      `${cells}`,
      '--capacity',
      `${capacity}`,
      '--seed',
      `${seed}`,
    ]
    await run(['write-sample', array, ...dimensions, ...size])
    const memory = async (...how: string[]): Promise<number> =>
      Number(get(get((await explained(array, '--order', 'global', ...how)).document, 'total'), 'memory_bytes'))
    expect(Math.abs((await memory('--exact')) / least - 1)).toBeLessThan(0.01)
    expect(await memory()).toBeGreaterThanOrEqual(0.99 * least)
  },
)

test.each([
  ['deletes', 14, 7],
  // The fragment has the deleted cells and their times: the conditions have done their work.
  ['deletes_consolidated', 14, 7],
  ['deletes_purged', 17, 0],
])('%s: --exact counts deleted cells that are still stored', async (array, result_cell_num, deleted_cell_num) => {
  const { document } = await explained(`${FIXTURES}/22/${array}`, '--exact')
  expect(get(document, 'total')).toMatchObject({ result_cell_num, deleted_cell_num })
})

test('findings count the cells of a dense array in the ranges once, however many fragments have them', async () => {
  const array = `${folder}/dense-six`
  const dimensions = ['--dim', 'y:INT32:0..399:200', '--dim', 'x:INT32:0..399:200']
  const size = ['--fragments', '6', '--cells', '160000', '--attr', 'a:FLOAT64']
  await run(['write-sample', array, '--dense', ...dimensions, ...size])
  const { document } = await explained(array, '--range', 'y=0..9', '--range', 'x=0..9')
  const { cells_in_tiles, cells_asked } = get(document, 'total') as Record<string, number>
  expect(cells_asked).toBe(100)
  const messages = items(get(document, 'findings')).map((finding) => String(get(finding, 'message')))
  expect(messages.join()).toContain(`${cells_in_tiles} cells are read for about 100 in the ranges`)
})

test('of files without filters no unfiltered bytes are told, and what helps is seen by the stored ones', async () => {
  const array = `${folder}/no-filters`
  const dimensions = ['x', 'y'].map((name) => ({ name, type: 'INT32', domain: [0, 511], tile_extent: 512 }))
  const schema = { array_type: 'dense', dimensions, attributes: [{ name: 'a', type: 'FLOAT64' }] }
  writeFileSync(`${folder}/no-filters.json`, JSON.stringify(schema))
  await run(['write-sample', array, '--schema', `${folder}/no-filters.json`, '--fragments', '1', '--cells', '262144'])
  const { text } = await run(['explain', array, '--range', 'x=0..3', '--range', 'y=0..3'])
  expect(text).toMatch(/TILES_LARGE.*\n {2}tile extents .*: 1 tile, about .* stored \(-90 %\)/)
  expect(text).not.toContain('0 B unfiltered')
})
