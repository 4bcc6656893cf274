import { cpSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { Lease, Memory } from '../../src/base/memory.ts'
import type { WhatifDocument, WhatifField, WhatifLayout } from '../../src/documents/whatif.ts'
import { localFiles } from '../../src/node/file.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { openTarget } from '../../src/objects/target.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { firstCandidates } from '../../src/whatif/candidates.ts'
import { cellTotals, type LayoutChange, type TriedLayout, tryLayouts } from '../../src/whatif/layout.ts'
import { type FilterSample, takeSample } from '../../src/whatif/sample.ts'
import { tryFilters } from '../../src/whatif/trial.ts'
import { readSeconds, tryField } from '../../src/whatif/whatif.ts'
import { defaultFilter, parseFilters } from '../../src/write/filter-options.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get } from '../helpers/json.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { run, runJson } from '../helpers/run.ts'

quickTrials()

const WEATHER = fileURLToPath(new URL('../../examples/arrays/weather', import.meta.url))
const CX = { codecs: writingCodecs, key: undefined }
const NO_FILTERS = { max_chunk_size: 65_536, filters: [] }

async function openedAt(path: string): Promise<OpenedArray> {
  const target = await openTarget(localFiles, path, contextFor({ key: undefined }))
  if (target.type !== 'array') throw new Error('expected an array')
  return openAt(target.array)
}

const documents = new Map<string, Promise<WhatifDocument>>()

/** The document of a call. Tests that ask the same of an array that nobody changes share it. */
function whatif(...args: string[]): Promise<WhatifDocument> {
  const call = JSON.stringify(args)
  const document = documents.get(call) ?? whatifAnew(...args)
  documents.set(call, document)
  return document
}

async function whatifAnew(...args: string[]): Promise<WhatifDocument> {
  const { code, text, stderr } = await run(['whatif', ...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(text)
}

function fieldOf({ fields }: WhatifDocument, name: string | null): WhatifField {
  const field = fields.find((one) => one.name === name)
  if (!field) throw new Error(`no field ${name}`)
  return field
}

function sampleOf(data: Uint8Array, some: Partial<FilterSample> = {}): FilterSample {
  return {
    field: 'a',
    role: 'data',
    type: 'FLOAT64',
    cell_val_num: 1,
    cellSize: 8,
    pipeline: NO_FILTERS,
    parts: [{ data, starts: undefined, stored_bytes: data.length + 20, offsets_bytes: 0 }],
    whole: true,
    file_bytes: data.length + 20,
    file_offsets_bytes: 0,
    offsetsPipeline: NO_FILTERS,
    ...some,
  }
}

/** Measurements rounded to one decimal place, as doubles. */
function rounded(count: number): Uint8Array {
  let at = 20
  let state = 1
  const values = Float64Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    at += (state % 201) / 1000 - 0.1
    return Math.round(at * 10) / 10
  })
  return new Uint8Array(values.buffer)
}

describe('the sizes are those that TileDB made', () => {
  // TileDB wrote each of them with the filters in its name.
  const arrays = readdirSync(`${FIXTURES}/22`).filter((name) => /^filter_.*(?<!webp|\.json)$/.test(name))
  test('are compared for enough arrays', () => expect(arrays.length).toBeGreaterThan(12))
  test.each(arrays)('%s', async (name) => {
    const { fragments } = await openedAt(`${FIXTURES}/22/${name}`)
    const held = new Lease(new Memory())
    const { samples } = await takeSample(fragments, { seed: '1', bytes: undefined, fields: undefined, held })
    expect(samples.length).toBeGreaterThan(0)
    const sizes = samples.flatMap(({ parts }) =>
      parts.map(({ data, starts }) => data.length + (starts?.byteLength ?? 0)),
    )
    expect(held.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
    for (const sample of samples) {
      const { field, role, pipeline, parts } = sample
      const { bytes } = await tryFilters(sample, pipeline.filters, CX)
      expect(sample.whole).toBe(true)
      expect({ field, role, bytes }).toEqual({
        field,
        role,
        bytes: parts.reduce((sum, one) => sum + one.stored_bytes, 0),
      })
      if (field !== null) expect(bytes).toBe(sample.file_bytes)
    }
  })
})

test('a number of tiles that a footer only claims is refused before anything is made for each of them', async () => {
  const array = new EditedArray('22/sparse_basic')
  await array.editFooter({ sparse_tile_num: 2 ** 32 })
  const { code, documents } = await runJson(['whatif', EDITED], { storage: array.storage() })
  expect(code).toBe(1)
  expect(get(get(documents[0], 'error'), 'message')).toMatch(/^expected 4294967296 tile offsets, found \d+$/)
})

test('without --filters, pipelines are tried for each field, the offsets and the validity, and the smallest comes first', async () => {
  const document = await whatif(WEATHER)
  expect(document.fields.map(({ name, role }) => [name, role])).toEqual(
    expect.arrayContaining([
      ['temperature', 'data'],
      ['sky', 'var'],
      [null, 'validity'],
    ]),
  )
  for (const { candidates, stored } of document.fields) {
    const sizes = candidates.map(({ bytes, offsets_bytes = 0 }) => bytes + offsets_bytes)
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(candidates.length).toBeGreaterThan(5)
    for (const { undo_mb_s, do_mb_s } of [stored, ...candidates])
      expect(Math.min(undo_mb_s, do_mb_s)).toBeGreaterThan(0)
  }
})

test('POSITIVE_DELTA is a candidate for offsets alone: TileDB refuses a later write of values that decrease', () => {
  const data = new Uint8Array(BigInt64Array.from([1n, 2n, 3n]).buffer)
  const some = { type: 'INT64' as const, cellSize: 8 }
  const has = (sample: FilterSample): boolean =>
    firstCandidates(sample).some((filters) => filters.some(({ name }) => name === 'POSITIVE_DELTA'))
  expect(has(sampleOf(data, some))).toBe(false)
  expect(has(sampleOf(data, { ...some, role: 'var' }))).toBe(false)
  expect(has(sampleOf(data, { ...some, type: 'UINT64', field: null, role: 'offsets' }))).toBe(true)
})

test('the ratio of text counts values and offsets, whichever file keeps the offsets', async () => {
  const { stored, candidates } = fieldOf(await whatif(WEATHER), 'sky')
  expect(candidates.some(({ filters }) => filters[0]?.name === 'RLE')).toBe(true)
  const all = [stored, ...candidates]
  const unfiltered = all.map(({ bytes, offsets_bytes = 0, ratio }) => (bytes + offsets_bytes) * (ratio ?? 0))
  for (const one of unfiltered) expect(one / unfiltered[0]).toBeCloseTo(1, 2)
})

test('pipelines keep the checksum that the field has now', async () => {
  const { candidates } = fieldOf(await whatif(WEATHER), 'temperature')
  expect(candidates.every(({ checksummed }) => checksummed)).toBe(true)
})

test('filters that do not accept the type are refused, with the reason', async () => {
  const { candidates, refused } = fieldOf(
    await whatif(WEATHER, '--field', 'temperature', '--filters', 'delta'),
    'temperature',
  )
  expect(candidates).toEqual([])
  expect(refused.map(({ reason }) => reason)).toEqual(['DELTA does not accept FLOAT32'])
})

test('an unknown field is wrong usage', async () => {
  const { code, stderr } = await run(['whatif', WEATHER, '--field', 'wind'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--field expects a field') })
})

test('rounded floats are tried with their scale, and a loss of bits is reported', async () => {
  const sample = sampleOf(rounded(20_000))
  const scales = firstCandidates(sample).flatMap((filters) => filters.filter(({ name }) => name === 'SCALE_FLOAT'))
  expect(new Set(scales.map(({ scale, byte_width }) => `${scale} ${byte_width}`))).toEqual(new Set(['0.1 2']))
  const { changed, deviation } = await tryFilters(sample, scales.slice(0, 1), CX)
  // 0.1 times an integer is not always the nearest double.
  expect(changed).toBeGreaterThan(0)
  expect(changed).toBeLessThan(0.5)
  expect(deviation).toBeGreaterThan(0)
  expect(deviation).toBeLessThan(1e-12)
})

test('a pipeline that loses bits is never the best', async () => {
  const { candidates, best } = await tryField(sampleOf(rounded(5_000)), undefined, CX)
  expect(candidates[0].changed).toBeGreaterThan(0)
  expect(best.size?.changed).toBe(0)
})

test('pipelines are ordered by the reading speed of TileDB, not of this program', async () => {
  const numbers = sampleOf(new Uint8Array(Int32Array.from({ length: 50_000 }, (_, i) => (i * 7_919) % 1000).buffer), {
    type: 'INT32',
    cellSize: 4,
  })
  const seconds = async (text: string): Promise<number> =>
    readSeconds(await tryFilters(numbers, parseFilters(text, 'test'), CX))
  const plain = await seconds('')
  const shuffled = await seconds('byteshuffle')
  const reduced = await seconds('bit-width-reduction')
  const positive = await seconds('positive-delta:max_window_size=4')
  expect([plain, shuffled, reduced, positive]).toEqual([plain, shuffled, reduced, positive].sort((a, b) => a - b))
  // Measured: about 22 nanoseconds for each integer.
  expect(reduced).toBeGreaterThan(plain + 50_000 * 10e-9)
})

const samples = temporaryFolder()

test('a part of a large tile has the same ratios as the whole tile', async () => {
  const array = `${samples}/large-tiles`
  const cells = ['--dim', 'x:INT32:1..80000:80000', '--cells', '80000', '--fragments', '1']
  const attributes = ['--attr', 'v:INT32:var', '--attr', 'f:FLOAT64:nullable']
  const { code } = await run(['write-sample', array, '--dense', ...cells, ...attributes, '--filters', 'zstd'])
  expect(code).toBe(0)
  const filters = ['--filters', 'byteshuffle,zstd']
  const [part, whole] = [
    await whatif(array, ...filters, '--sample', '1000'),
    await whatif(array, ...filters, '--sample', 'all'),
  ]
  expect(part.sample).toMatchObject({ whole: false })
  expect(part.sample.bytes).toBeLessThan(whole.sample.bytes / 2)
  const ratios = ({ fields }: WhatifDocument): number[] =>
    fields.flatMap(({ stored, candidates }) => [stored.ratio ?? 0, candidates[0].ratio ?? 0])
  for (const [i, ratio] of ratios(whole).entries()) expect(Math.abs(ratios(part)[i] / ratio - 1)).toBeLessThan(0.15)
})

test('noise is left as it is', async () => {
  let state = 1
  const noise = Uint8Array.from({ length: 100_000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state >> 8
  })
  const { best } = await tryField(sampleOf(noise, { type: 'UINT8', cellSize: 1 }), undefined, CX)
  expect(best.balanced).toBeUndefined()
})

test('text in a dictionary has no offsets of its own', async () => {
  const words = Array.from({ length: 5000 }, (_, i) => ['alpha', 'beta', 'gamma'][i % 3])
  const data = new TextEncoder().encode(words.join(''))
  const starts = new Float64Array(words.length + 1)
  for (const [i, word] of words.entries()) starts[i + 1] = starts[i] + word.length
  const sample = sampleOf(data, {
    role: 'var',
    type: 'STRING_ASCII',
    cell_val_num: 'var',
    cellSize: 1,
    parts: [{ data, starts, stored_bytes: data.length, offsets_bytes: 40_020 }],
    file_offsets_bytes: 40_020,
  })
  const inside = await tryFilters(sample, [defaultFilter('DICTIONARY_ENCODING')], CX)
  const outside = await tryFilters(sample, parseFilters('lz4', 'test'), CX)
  expect([inside.offsets_bytes, outside.offsets_bytes]).toEqual([8, 40_020])
  // TileDB undoes the filters of offsets that lie outside, too.
  const slower = { ...sample, offsetsPipeline: { ...NO_FILTERS, filters: parseFilters('zstd', 'test') } }
  const zstd = async (text: string): Promise<number> =>
    (await tryFilters(slower, parseFilters(text, 'test'), CX)).tiledb_seconds
  expect(await zstd('lz4')).toBeGreaterThan(outside.tiledb_seconds + 20e-6)
  expect(await zstd('dictionary')).toBe(inside.tiledb_seconds)
  expect(inside.bytes).toBeLessThan(data.length / 2)
})

describe('other tiles and orders', () => {
  const PLACES = fileURLToPath(new URL('../../examples/arrays/places', import.meta.url))
  const scratch = temporaryFolder()

  test('all cells are written anew: fewer and larger tiles have less metadata', async () => {
    const { layouts, fields } = await whatif(PLACES, '--capacity', '50')
    expect(fields).toEqual([])
    const [now, after] = layouts
    expect([now.change, now.tile_num, after.tile_num]).toEqual(['', 5, 1])
    expect(after.data_size).toBeLessThan(now.data_size)
    expect(after.rtree_size + after.statistics_size).toBeLessThan(now.rtree_size + now.statistics_size)
  })

  test('the cost of a read after a change is what explain says about an array written like that', async () => {
    const [path, schema, cells] = ['sample', 'schema.json', 'cells.ndjson'].map((name) => `${scratch}/${name}`)
    const change = ['--tile-extent', 'day=5', '--tile-extent', 'station=2']
    const { layouts } = await whatif(WEATHER, ...change, '--range', 'day=7..8')
    await run(['whatif', WEATHER, ...change, '--emit', 'schema', '-o', schema])
    await run(['read', WEATHER, '--format', 'ndjson', '-o', cells])
    expect((await run(['write-sample', path, '--schema', schema, '--data', cells])).code).toBe(0)
    const explained = async (array: string): Promise<unknown> => {
      const { text } = await run(['explain', array, '--range', 'day=7..8', '--exact', '--json'])
      const { total } = JSON.parse(text)
      const { tiles_read, cells_read, unfiltered_bytes, stored_bytes, vfs_bytes, reads } = total
      // The names in the metadata differ, and so do its bytes.
      const near = expect.closeTo(vfs_bytes, -2)
      return { tiles_read, cells_read, unfiltered_bytes, stored_bytes, vfs_bytes: near, reads }
    }
    expect(layouts.map(({ read_cost }) => read_cost)).toEqual([await explained(WEATHER), await explained(path)])
    expect(layouts[0].read_cost).not.toEqual(layouts[1].read_cost)
  })

  test('of a range, the last line is about what comes from storage, and the one before about all bytes', async () => {
    const change = ['--tile-extent', 'day=5', '--tile-extent', 'station=2', '--range', 'day=7..8']
    const { layouts } = await whatif(WEATHER, ...change)
    const [now, after] = layouts.map(({ read_cost }) => read_cost?.vfs_bytes ?? 0)
    const { text } = await run(['whatif', WEATHER, ...change])
    expect(text).toMatch(/ of all bytes\n.*this range: .*\n$/)
    const best = 'this range: tile extents day 5, station 2, written anew reads least from storage'
    expect(text.includes(best)).toBe(after <= 0.95 * now)
  })

  test('the present layout has the sizes of the files', async () => {
    const [now] = (await whatif(PLACES, '--capacity', '50')).layouts
    const [fragment] = fragmentNames(PLACES).map((name) => `${PLACES}/__fragments/${name}`)
    const size = (name: string): number => statSync(`${fragment}/${name}`).size
    const data = readdirSync(fragment).filter((name) => name !== '__fragment_metadata.tdb')
    expect(now.data_size).toBe(data.reduce((sum, name) => sum + size(name), 0))
    expect(now.fragment_metadata_size).toBe(size('__fragment_metadata.tdb'))
  })

  const folder = temporaryFolder()

  // What a large array has is told here, so that a small one is estimated from boxes, too.
  const LARGE = 17 * 1024 * 1024

  test.each<[string, string[], LayoutChange]>([
    ['sparse', ['--dim', 'x:INT32:0..999:100', '--dim', 'y:INT64:0..999:100', '--capacity', '500'], { capacity: 100 }],
    ['text', ['--dim', 'x:STRING_ASCII', '--dim', 'y:FLOAT64:0..1', '--capacity', '500'], { capacity: 200 }],
    [
      'hilbert',
      ['--dim', 'x:INT32:0..999:1000', '--dim', 'y:INT32:0..999:1000', '--capacity', '500'],
      { cell_order: 'hilbert' },
    ],
    [
      'dense',
      ['--dense', '--dim', 'x:INT32:0..199:10', '--dim', 'y:INT32:0..99:10'],
      { tile_extents: { x: 20, y: 20 } },
    ],
  ])('a large array is estimated from boxes of it: %s', async (name, schema, change) => {
    const path = `${folder}/${name}`
    const made = await run([
      'write-sample',
      path,
      ...schema,
      '--attr',
      'a:INT32',
      '--cells',
      '20000',
      '--fragments',
      '1',
    ])
    expect(made.code).toBe(0)
    const opened = await openedAt(path)
    const layouts = async (bytes: number): Promise<TriedLayout[]> => {
      const found: TriedLayout[] = []
      const { cells } = await cellTotals(opened)
      for await (const one of tryLayouts(opened, [change], { fields: new Map() }, writingCodecs, {
        extent: { cells, bytes },
        seed: '1',
      }))
        found.push(one)
      return found
    }
    const [now, estimated] = await layouts(LARGE)
    const [same, written] = await layouts(0)
    expect(now).toEqual(same)
    expect(written.sample_cell_num).toBeNull()
    expect(estimated.sample_cell_num).toBeGreaterThan(500)
    expect(estimated.sample_cell_num).toBeLessThan(20_000)
    expect([estimated.change, estimated.tile_num]).toEqual([written.change, written.tile_num])
    expect(Math.abs(estimated.data_size / written.data_size - 1)).toBeLessThan(0.05)
    const off = (key: 'fragment_metadata_size' | 'rtree_size' | 'statistics_size'): number =>
      Math.abs(estimated[key] / written[key] - 1)
    expect(off('fragment_metadata_size')).toBeLessThan(0.3)
    expect(off('statistics_size')).toBeLessThan(0.4)
    expect(off('rtree_size')).toBeLessThan(0.6)
  })

  describe('one fragment from several: consolidated as by TileDB, or written anew', () => {
    const changes = async (path: string, ...args: string[]): Promise<readonly WhatifLayout[]> =>
      (await whatif(path, ...args)).layouts

    test('with the sizes of the fragment that TileDB made', async () => {
      const made = '__10_30_32ef0f2d841e4284eb2d65bafd915a38_22'
      const path = `${folder}/before`
      cpSync(`${FIXTURES}/22/vacuum_left`, path, { recursive: true, filter: (file) => !file.includes(made) })
      const layouts = await changes(path)
      expect(layouts.map(({ change }) => change)).toEqual(expect.arrayContaining(['consolidated', 'written anew']))
      const sizes = readdirSync(`${FIXTURES}/22/vacuum_left/__fragments/${made}`).map((name) => ({
        name,
        size: statSync(`${FIXTURES}/22/vacuum_left/__fragments/${made}/${name}`).size,
      }))
      const bytes = (isMetadata: boolean): number =>
        sizes
          .filter(({ name }) => (name === '__fragment_metadata.tdb') === isMetadata)
          .reduce((sum, { size }) => sum + size, 0)
      const consolidated = layouts.find(({ change }) => change === 'consolidated')
      expect(consolidated).toMatchObject({ fragment_num: 1, tile_num: 4, data_size: bytes(false) })
      // Names of other lengths and times may compress to other sizes.
      expect(Math.abs((consolidated?.fragment_metadata_size ?? 0) / bytes(true) - 1)).toBeLessThan(0.01)
    })

    test('deleted cells stay, with the times of their deletions', async () => {
      const [now, consolidated, anew, larger] = await changes(`${FIXTURES}/22/deletes`, '--capacity', '100')
      // As TileDB 2.30 consolidates the fixture.
      expect(consolidated).toMatchObject({ change: 'consolidated', tile_num: 4, data_size: 2109 })
      expect(consolidated.data_size).toBeGreaterThan(now.data_size)
      // Other tiles are told apart from one fragment.
      expect([anew, larger].map(({ change }) => change)).toEqual(['written anew', 'capacity 100, written anew'])
      expect(anew.tile_num).toBeGreaterThan(larger.tile_num)
    })

    test('no consolidation if TileDB would not consolidate all fragments, or if there is only one', async () => {
      const names = async (...args: [string, ...string[]]): Promise<string[]> =>
        (await changes(...args)).map(({ change }) => change)
      expect(await names(PLACES, '--capacity', '50')).toEqual(['', 'capacity 50, written anew'])
    })
  })

  test('cells of several fragments are counted before newer ones hide older ones', async () => {
    const path = `${folder}/several`
    const dims = ['--dim', 'x:INT32:0..99:10', '--dim', 'y:INT32:0..99:10', '--capacity', '100']
    const made = await run(['write-sample', path, ...dims, '--attr', 'a:INT32', '--cells', '12000', '--fragments', '3'])
    expect(made.code).toBe(0)
    const opened = await openedAt(path)
    const { cells } = await cellTotals(opened)
    const tiles: number[] = []
    for (const bytes of [LARGE, 0])
      for await (const { tile_num, fragment_num } of tryLayouts(opened, [{}], { fields: new Map() }, writingCodecs, {
        extent: { cells, bytes },
        seed: '1',
      }))
        if (fragment_num === 1) tiles.push(tile_num)
    const [estimated, written] = tiles
    expect(written).toBeLessThan(cells / 100)
    expect(Math.abs(estimated / written - 1)).toBeLessThan(0.1)
  })

  test.each([
    [['--capacity', '0'], 'at least 1'],
    [['--tile-extent', 'nowhere=3'], '--tile-extent expects a field'],
    [['--tile-extent', 'lat'], '--tile-extent expects NAME=N'],
    [['--cell-order', 'random'], '--cell-order expects'],
    [['--best', 'balanced'], '--best expects --emit'],
    [['--emit', 'rust'], '--emit expects schema, python, found "rust"'],
    [['--emit', 'schema', '--filters', 'lz4', '--filters', 'zstd'], 'expected one --filters'],
  ])('%s is wrong usage', async (args, message) => {
    const { code, stderr } = await run(['whatif', PLACES, ...args])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })
})

describe('--emit', () => {
  async function emittedSchema(...args: string[]) {
    const { code, text } = await run(['whatif', WEATHER, '--emit', 'schema', ...args])
    expect(code).toBe(0)
    return JSON.parse(text)
  }

  test('without changes prints the present schema', async () => {
    const stored = JSON.parse((await run(['schema', WEATHER, '--json'])).text)
    expect(await emittedSchema()).toEqual({ ...stored, name: '' })
  })

  test('has the filters for the fields that accept them', async () => {
    const { attributes, dimensions } = await emittedSchema('--filters', 'scale-float:scale=0.1:byte_width=4,zstd')
    const first = ({ name, filters }: { name: string; filters: { filters: { name: string }[] } }) => [
      name,
      filters.filters[0]?.name,
    ]
    expect([...attributes, ...dimensions].map(first)).toEqual([
      ['temperature', 'SCALE_FLOAT'],
      ['rain_mm', 'BIT_WIDTH_REDUCTION'],
      ['sky', 'DICTIONARY_ENCODING'],
      ['station', undefined],
      ['day', undefined],
    ])
  })

  test('has other tiles, and the best filters', async () => {
    const { dimensions, attributes } = await emittedSchema('--tile-extent', 'day=100', '--best', 'smallest')
    expect(dimensions.map(({ tile_extent }: { tile_extent: number }) => tile_extent)).toEqual([3, 100])
    const [temperature] = attributes
    expect(temperature.filters.filters.at(-1).name).toBe('CHECKSUM_SHA256')
    expect(temperature.filters.filters[0].name).not.toBe('BYTESHUFFLE')
  })

  test('makes an array of the size that whatif says: offsets that move among the values count once', async () => {
    const [old, fresh, schema, cells] = ['old', 'new', 'schema.json', 'cells.ndjson'].map(
      (name) => `${samples}/${name}`,
    )
    const fields = ['--dim', 'x:INT32:0..9999:10000', '--attr', 'word:STRING_ASCII', '--attr', 'list:INT32:var']
    await run(['write-sample', old, ...fields, '--capacity', '500', '--cells', '1500', '--fragments', '1'])
    const { fields: tried, total } = await whatif(old)
    const filters = tried.map(({ candidates, smallest }) => candidates[smallest ?? -1]?.filters[0]?.name)
    expect(filters).toContain('DICTIONARY_ENCODING')
    await run(['whatif', old, '--best', 'smallest', '--emit', 'schema', '-o', schema])
    await run(['read', old, '--format', 'ndjson', '-o', cells])
    expect((await run(['write-sample', fresh, '--schema', schema, '--data', cells])).code).toBe(0)
    expect((await whatif(fresh)).total.bytes).toBe(total.smallest_bytes)
  })

  test('prints TileDB-Py code', async () => {
    const { text } = await run(['whatif', WEATHER, '--emit', 'python'])
    expect(text).toContain('tiledb.Dim(name="day", domain=(1, 366), tile=31, dtype="int32", filters=')
    expect(text).toContain(
      'tiledb.Attr(name="sky", dtype="ascii", var=True, filters=tiledb.FilterList([tiledb.DictionaryFilter()])),',
    )
    expect(text).toContain('tiledb.BitWidthReductionFilter(window=256), tiledb.GzipFilter(level=6)')
  })

  test('says what TileDB-Py cannot create', async () => {
    const { text } = await run(['whatif', `${FIXTURES}/22/current_domain`, '--emit', 'python'])
    expect(text).toContain('# Not carried over: the current domain\n')
  })
})

test('a field whose present filters refuse its values is left out with a note', async () => {
  const { code, text, stderr } = await run(['whatif', `${FIXTURES}/unreadable/22_tail_lost_bit_width_double_delta`])
  expect(code).toBe(0)
  expect(stderr).toContain('is left out: its stored filters cannot write its values again')
  expect(text).toContain('nothing to try')
})

test('a box of whole tiles that memory cannot hold several times is refused in words', async () => {
  const array = `${samples}/boxes`
  const shape = ['--dense', '--dim', 'x:INT32:0..119999:60000', '--attr', 'a:INT32', '--attr', 'b:INT64']
  expect((await run(['write-sample', array, '--fragments', '1', '--cells', '120000', ...shape])).code).toBe(0)
  const { code, stderr } = await run(['whatif', array, '--tile-extent', 'x=120000', '--memory', '3M'])
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/in the cells of a tile that are written anew \(a ninth of --memory\)/),
  ])
  // Few cells are written, but a tile is stored whole.
  const sparse = `${samples}/few-in-a-tile`
  const long = ['--dense', '--dim', 'x:INT32:0..1999999999:10', '--attr', 'a:INT32']
  expect((await run(['write-sample', sparse, '--fragments', '1', ...long])).code).toBe(0)
  const wide = await run(['whatif', sparse, '--tile-extent', 'x=500000000'])
  expect([wide.code, wide.stderr]).toEqual([3, expect.stringContaining('(a ninth of --memory)')])
})
