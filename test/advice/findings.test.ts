import { describe, expect, test } from '@jest/globals'
import { typicalBoxText } from '../../src/advice/boxes.ts'
import { arrayFacts } from '../../src/advice/facts.ts'
import { wrongOrder } from '../../src/advice/filters.ts'
import { type AdvisedFinding, arrayFindings } from '../../src/advice/findings.ts'
import { lineText } from '../../src/advice/line.ts'
import { badShapes, smallTiles } from '../../src/advice/tiles.ts'
import { countedCells, countedDeletes, missingStatistics } from '../../src/advice/values.ts'
import { InspectError, unlessFault } from '../../src/base/errors.ts'
import { buildRTree } from '../../src/cells/rtree-builder.ts'
import { ADVICE_CODES } from '../../src/check/codes.ts'
import { planRead } from '../../src/explain/explain.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray, ReadQuery } from '../../src/read/query.ts'
import { pipeline } from '../../src/write/schema-document.ts'
import { contextFor, FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { floats, ints, type Made, madeArray, noise, ZSTD } from './made-array.ts'

async function opened(path: string): Promise<OpenedArray> {
  const target = await openTarget(localFiles, path, contextFor({ key: undefined }))
  if (target.type !== 'array') throw new TypeError('expected an array')
  return openAt(target.array)
}

const N = 40_000
const SPARSE: Made = { dimensions: [['t', 0, 10_000_000, 1_000_000]], attributes: { v: [ZSTD] }, fragments: [] }
const PLANE: Made = {
  dimensions: [
    ['x', 0, 999, 1000],
    ['y', 0, 999, 1000],
  ],
  attributes: { v: [ZSTD] },
  fragments: [],
}
const DENSE: Made = { dense: true, dimensions: [['t', 0, 199_999, 10_000]], attributes: {}, fragments: [] }
/** No bit of these numbers has a pattern. */
const fullNoise = (i: number): number => noise(i) + noise(i + 500_000) / 2 ** 32
const rounded = (count: number): Float64Array => floats(count, (i) => Math.round(noise(i) * 100) / 4)
/** Cells at times from `from` on. */
const cells = (count: number, from = 0): Record<string, Int32Array | Float64Array> => ({
  t: ints(count, (i) => from + i),
  v: rounded(count),
})
/** Cells all over the plane, each place once. */
const plane = (count: number, seed: number): Record<string, Int32Array | Float64Array> => {
  const place = (i: number): number => (i * 7_919 + seed) % 1_000_000
  return {
    x: ints(count, (i) => Math.floor(place(i) / 1000)),
    y: ints(count, (i) => place(i) % 1000),
    v: rounded(count),
  }
}

/** Arrays with one cause each. */
const CAUSED: Readonly<Record<string, Made>> = {
  FRAGMENTS_MANY: { ...SPARSE, fragments: Array.from({ length: 40 }, (_, i) => cells(10, i * 10)) },
  METADATA_NOT_CONSOLIDATED: { ...SPARSE, fragments: Array.from({ length: 20 }, (_, i) => cells(10, i * 10)) },
  FRAGMENTS_OVERLAP: { ...PLANE, fragments: Array.from({ length: 6 }, (_, i) => plane(1000, i)) },
  FRAGMENTS_REPEATED: { ...SPARSE, allows_duplicates: true, fragments: [cells(2000), cells(2000)] },
  TILES_SMALL: { ...SPARSE, capacity: 10n, fragments: [cells(N)] },
  TILES_LARGE: {
    ...DENSE,
    dimensions: [['t', 0, 2_199_999, 2_200_000]],
    attributes: { v: [ZSTD] },
    fragments: [{ v: rounded(2_200_000) }],
  },
  TILES_PADDED: {
    ...PLANE,
    dense: true,
    dimensions: [
      ['y', 0, 9999, 800],
      ['x', 0, 9999, 1000],
    ],
    box: [
      [0, 119],
      [0, 159],
    ],
    fragments: [{ v: rounded(19_200) }],
  },
  TILE_SHAPE: { ...PLANE, capacity: 200n, fragments: [plane(200_000, 1)] },
  BOXES_NOT_PRUNING: {
    ...SPARSE,
    dimensions: [['t', 0, 10_000_000, 1_000_000], 'name'],
    capacity: 1000n,
    fragments: [
      {
        t: ints(N, (i) => Math.floor(i / 1000)),
        name: Array.from({ length: N }, (_, i) => `station-${String(i % 1000).padStart(6, '0')}`),
        v: rounded(N),
      },
    ],
  },
  STORED_LARGER: {
    ...DENSE,
    attributes: { v: [{ name: 'RLE', level: -1 }] },
    fragments: [{ v: floats(200_000, noise) }],
  },
  FILTERS_SAVE_LITTLE: {
    ...DENSE,
    dimensions: [['t', 0, 499_999, 10_000]],
    attributes: { v: [{ name: 'BZIP2', level: 1 }] },
    fragments: [{ v: floats(500_000, fullNoise) }],
  },
  FILTER_ORDER: {
    ...DENSE,
    attributes: { v: [ZSTD, { name: 'BYTESHUFFLE' }] },
    fragments: [{ v: floats(200_000, (i) => i + noise(i) / 1024) }],
  },
  NOTHING_COMPRESSED: { ...DENSE, attributes: { v: [] }, fragments: [{ v: rounded(200_000) }] },
  VALUES_CONSTANT: { ...DENSE, attributes: { v: [ZSTD] }, fragments: [{ v: floats(200_000, () => 7) }] },
}

/** Arrays like those with a cause, just without it. */
const HEALTHY: Readonly<Record<string, Made>> = {
  'nine fragments': { ...SPARSE, fragments: Array.from({ length: 9 }, (_, i) => cells(10, i * 10)) },
  'five fragments in one box': { ...PLANE, fragments: Array.from({ length: 5 }, (_, i) => plane(1000, i)) },
  'duplicates that are no copies': { ...SPARSE, allows_duplicates: true, fragments: [cells(2000), cells(2000, 1)] },
  'tiles of 10,000 cells': { ...SPARSE, fragments: [cells(N)] },
  'Hilbert order': { ...PLANE, capacity: 200n, cell_order: 'hilbert', fragments: [plane(200_000, 1)] },
  'text first': {
    ...SPARSE,
    dimensions: ['name', ['t', 0, 10_000_000, 1_000_000]],
    capacity: 1000n,
    fragments: [
      {
        name: Array.from({ length: N }, (_, i) => `station-${String(i % 1000).padStart(6, '0')}`),
        t: ints(N, (i) => Math.floor(i / 1000)),
        v: rounded(N),
      },
    ],
  },
  'raw numbers that ZSTD does not make smaller': {
    ...DENSE,
    attributes: { v: [] },
    fragments: [{ v: floats(200_000, fullNoise) }],
  },
  'values before a NaN, which stored minima and maxima miss': {
    ...DENSE,
    attributes: { v: [ZSTD] },
    fragments: [{ v: floats(200_000, (i) => (i % 10_000 === 9998 ? Number.NaN : i % 10_000 === 9999 ? 5 : i % 100)) }],
  },
  'NaN at the end of each tile': {
    ...DENSE,
    attributes: { v: [ZSTD] },
    fragments: [{ v: floats(200_000, (i) => (i % 10_000 === 9999 ? Number.NaN : i % 100)) }],
  },
  'a shuffle before ZSTD': {
    ...DENSE,
    attributes: { v: [{ name: 'BYTESHUFFLE' }, ZSTD] },
    fragments: [{ v: floats(200_000, (i) => i + noise(i) / 1024) }],
  },
}

describe('findings describe a typical box in units of the dimensions', () => {
  test.each([
    ['TILES_LARGE', 'a range of 22000 cells (1 % of the non-empty domain) reads 100 % of the array'],
    ['TILE_SHAPE', 'a box of x 100 by y 100 (1 % of the non-empty domain) reads about'],
  ])('%s', async (code, words) => {
    const findings = await arrayFindings(await madeArray(CAUSED[code]))
    expect(findings.find((finding) => finding.code === code)?.message).toContain(words)
  })

  test.each([
    [
      true,
      [
        ['y', 'INT32', 1, [0, 399]],
        ['x', 'INT32', 1, [10, 409]],
      ],
      'a box of 40 by 40 cells',
    ],
    [true, [['day', 'DATETIME_DAY', 1, [0, 999]]], 'a range of day 10 days'],
    [
      false,
      [
        ['lat', 'FLOAT64', 1, [-90, 90]],
        ['lon', 'FLOAT32', 1, [-180, 180]],
      ],
      'a box of lat 18 by lon 36',
    ],
    [
      false,
      [
        ['name', 'STRING_ASCII', 'var', [0, 5]],
        ['t', 'DATETIME_MS', 1, [0, 50_000]],
      ],
      'a box of one name by t 500 ms',
    ],
    [false, [['id', 'UINT64', 1, [7, 8]]], 'a range of id 1'],
  ] as const)('dense %s: %j', (dense, dims, words) => {
    const dimensions = dims.map(([name, type, cell_val_num]) => ({ name, type, cell_val_num }))
    const text = typicalBoxText(
      dimensions,
      dims.map(([, , , box]) => box),
      dense,
    )
    expect(text).toBe(`${words} (1 % of the non-empty domain)`)
  })
})

describe('findings of an array', () => {
  test.each(Object.entries(CAUSED))('%s', async (code, made) => {
    const findings = await arrayFindings(await madeArray(made))
    const found = findings.find((finding) => finding.code === code)
    if (!found) expect(findings.map((finding) => finding.code)).toEqual([code])
    else {
      expect(found.severity).toBe(ADVICE_CODES[code as keyof typeof ADVICE_CODES].severity)
      expect(found.message).toMatch(/\d/)
      expect(found.effect.seconds).toBeGreaterThanOrEqual(0)
      expect(found.effect.share).toBeGreaterThanOrEqual(0)
      expect(found.effect.share).toBeLessThanOrEqual(1)
      expect(found.advice.length).toBeGreaterThan(0)
      for (const { code: line } of found.advice)
        expect(line).toMatch(/^(tiledb\.|tiledb-inspect |e = tiledb\.|s = tiledb\.|with tiledb\.)/)
    }
  })

  test.each(Object.entries(HEALTHY))('none: %s', async (_, made) => {
    expect(await arrayFindings(await madeArray(made))).toEqual([])
  })

  test('none for the fixtures, which are small', async () => {
    const arrays = fixtureFolders().filter(({ kind, key }) => kind === 'array' && key === undefined)
    for (const { path } of turnOfFamilies(arrays, 16, versionOf)) {
      const findings = (await opened(path).then(arrayFindings).catch(unlessFault)) ?? []
      // Some fixtures are about these.
      const slow = findings.filter(({ code }) => !code.startsWith('FRAGMENT_'))
      expect([path, slow]).toEqual([path, []])
    }
  })

  test('old formats with much data lack statistics', async () => {
    const array = await opened(`${FIXTURES}/10/sparse_basic`)
    const [one] = array.fragments
    const large = { ...one, info: { ...one.info, file_sizes: one.info.file_sizes.map(() => 2 ** 23) } }
    const codes = (await arrayFindings({ ...array, fragments: [large] })).map(({ code }) => code)
    expect(codes).toContain('STATISTICS_MISSING')
  })

  test('a single fragment of an old format is written again, because TileDB never consolidates it', async () => {
    const { opened: array, ...facts } = await arrayFacts(await opened(`${FIXTURES}/10/sparse_basic`))
    const [one] = facts.fragments
    const large = { ...one, stored_bytes: 2 ** 23 }
    const advice = (count: number): string =>
      [
        ...missingStatistics({
          ...facts,
          opened: array,
          fragments: Array(count).fill(large),
          stored_bytes: count * 2 ** 23,
        }),
      ]
        .flatMap((finding) => finding.advice.map(lineText))
        .join('\n')
    expect(advice(1)).toContain('tiledb.Array.create(')
    expect(advice(1)).not.toContain('tiledb.consolidate(')
    expect(advice(2)).toContain('tiledb.Array.upgrade_version(')
    expect(advice(2)).toContain('tiledb.consolidate(')
  })

  test('a copy with the time of another fragment must not be deleted by that time', async () => {
    const array = await madeArray(CAUSED.FRAGMENTS_REPEATED)
    const at = async (times: readonly bigint[]): Promise<string> => {
      const fragments = array.fragments.map((one, i) => ({
        ...one,
        fragment: Object.create(one.fragment, {
          timestamp_range: { value: [times[i], times[i]] },
        }) as typeof one.fragment,
      }))
      const findings = await arrayFindings({ ...array, fragments })
      return findings
        .flatMap(({ code, advice }) => (code === 'FRAGMENTS_REPEATED' ? advice.map(lineText) : []))
        .join('\n')
    }
    expect(await at([1n, 2n])).toContain('delete_fragments("array", 2, 2)')
    expect(await at([5n, 5n])).toMatch(/^tiledb-inspect ls array {2}# .*$/)
  })

  test('raw offsets of a field that is compressed: its own filters stay', async () => {
    const array = await madeArray({
      ...CAUSED.BOXES_NOT_PRUNING,
      fragments: [
        {
          t: ints(200_000, (i) => i),
          name: Array.from({ length: 200_000 }, (_, i) => `n${i % 10}`),
          v: floats(200_000, () => 1),
        },
      ],
      coords_filters: pipeline(ZSTD),
      offsets_filters: pipeline(),
    })
    const findings = await arrayFindings(array)
    const found = findings.find(({ code }) => code === 'NOTHING_COMPRESSED')
    expect(found?.message).toContain('not compressed (offsets of "name")')
    expect(found?.advice.map(lineText).join('\n')).toContain(
      'offsets_filters=tiledb.FilterList([tiledb.ZstdFilter(level=3)])',
    )
    expect(found?.advice.map(lineText).join('\n')).not.toContain(' if d.name in ')
  })

  test('boxes of different texts are not taken for equal', async () => {
    // In each fragment every tile has all of its texts, but no text is in two fragments.
    const fragment = (k: number) => ({
      t: ints(20_000, (i) => i),
      name: Array.from({ length: 20_000 }, (_, i) => `${k}-${String((i * 37) % 1000).padStart(6, '0')}`),
      v: floats(20_000, (i) => noise(i + k)),
    })
    const made = { ...CAUSED.BOXES_NOT_PRUNING, capacity: 1000n }
    const codes = async (count: number): Promise<string[]> =>
      (
        await arrayFindings(
          await madeArray({ ...made, fragments: Array.from({ length: count }, (_, k) => fragment(k)) }),
        )
      ).map(({ code }) => code)
    expect(await codes(3)).toContain('BOXES_NOT_PRUNING')
    expect(await codes(5)).not.toContain('BOXES_NOT_PRUNING')
  })

  test('a domain longer than the largest number has no shape and no infinite length', async () => {
    const array = await madeArray({ ...PLANE, capacity: 2n, fragments: [plane(40, 1)] })
    const ends = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer)
    const [one] = (await arrayFacts(array)).fragments
    const wide = array.schema.domain.dimensions.map((dimension) => ({ ...dimension, type: 'FLOAT64' as const }))
    const boxes = Array.from({ length: 4 }, () => wide.map(() => ({ min: ends(-1.7e308), max: ends(1.7e308) })))
    const fragment = Object.create(one.fragment, {
      rtree: { value: async () => buildRTree(22, boxes, wide) },
    }) as typeof one.fragment
    const info = {
      ...one.info,
      tile_num: 4,
      schema: { ...array.schema, domain: { type: undefined, dimensions: wide } },
    }
    const facts = { ...(await arrayFacts(array)), opened: { ...array, schema: info.schema } }
    const found = []
    for await (const finding of badShapes({ ...facts, examined: [{ ...one, fragment, info }] })) found.push(finding)
    expect(found).toEqual([])
  })

  test('a fragment that can be read only in part is ignored', async () => {
    const array = await madeArray({ ...CAUSED.BOXES_NOT_PRUNING, attributes: { v: [] } })
    const damaged = array.fragments.map((one) => ({
      ...one,
      fragment: Object.create(one.fragment, {
        offsets: { value: () => Promise.reject(new InspectError('TRUNCATED', 'expected more')) },
      }) as typeof one.fragment,
    }))
    expect(await arrayFacts({ ...array, fragments: damaged })).toMatchObject({
      examined: [],
      files: [],
      unfiltered_bytes: 0,
    })
  })

  test('tiles do not count as small only because the metadata is too long to examine', async () => {
    const facts = await arrayFacts(await madeArray({ ...SPARSE, capacity: 100n, fragments: [cells(N)] }))
    expect([...smallTiles(facts)]).toEqual([])
    expect([...smallTiles({ ...facts, examined: [], files: [], unfiltered_bytes: 0 })]).toEqual([])
    const small = await arrayFacts(await madeArray(CAUSED.TILES_SMALL))
    const [found] = smallTiles({ ...small, examined: [], files: [], unfiltered_bytes: 0 })
    expect(found.message).toMatch(/^\d+ tiles of 10 cells: \d+ % of the stored bytes/)
  })

  test('a checksum before a compressor', async () => {
    const md5 = { name: 'CHECKSUM_MD5' } as const
    const of = async (filters: readonly FilterConfig[]): Promise<AdvisedFinding[]> => {
      const made = { ...CAUSED.VALUES_CONSTANT, attributes: { v: filters } }
      const findings: AdvisedFinding[] = []
      // As if the array were a thousand times as large.
      for await (const one of wrongOrder({ ...(await arrayFacts(await madeArray(made))), scale: 1000 }))
        findings.push(one)
      return findings
    }
    const [found] = await of([md5, ZSTD])
    expect(found.message).toMatch(/^"v": CHECKSUM_MD5, ZSTD\(3\) computes checksums of 1\.5 GiB; after the compressor/)
    expect(found.advice[1].code).toContain('[tiledb.ZstdFilter(level=3), tiledb.ChecksumMD5Filter()]')
    expect(await of([ZSTD, md5])).toEqual([])
  })

  test('delete conditions: five, or one that certainly deletes much', async () => {
    const array = await madeArray({ ...SPARSE, fragments: [cells(N)] })
    const stays = (value: number) => ({
      node: 'value' as const,
      field: 't',
      op: 'GE' as const,
      value: new Uint8Array(Int32Array.of(value).buffer),
    })
    const deletes = (count: number, value: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `__9_9_${i}`, path: '', time: 9n, stays: stays(value) }))
    const codes = async (some: ReturnType<typeof deletes>): Promise<string[]> =>
      (await arrayFindings({ ...array, deletes: some as never })).map(({ code }) => code)
    expect(await codes(deletes(4, 1))).toEqual([])
    expect(await codes(deletes(5, 1))).toEqual(['DELETES_UNPURGED'])
    expect(await codes(deletes(1, 20_000))).toEqual(['DELETES_UNPURGED'])
    expect(await codes(deletes(1, 9_000))).toEqual([])
  })

  test('a tile with NaN is not certainly deleted, whatever its stored minimum is', async () => {
    const v = (i: number): number => (i % 1000 === 998 ? Number.NaN : i % 1000 === 999 ? 5 : -1)
    const array = await madeArray({ ...SPARSE, capacity: 1000n, fragments: [{ ...cells(N), v: floats(N, v) }] })
    const stays = {
      node: 'value' as const,
      field: 'v',
      op: 'LT' as const,
      value: new Uint8Array(Float64Array.of(3).buffer),
    }
    const deletes = [{ name: '__9_9_0', path: '', time: 9n, stays }]
    expect(await arrayFindings({ ...array, deletes: deletes as never })).toEqual([])
  })

  test('texts that are alike up to a zero byte have one minimum, and are not constant', async () => {
    const names = (last: string) =>
      Array.from({ length: N }, (_, i) => (i === N - 1 ? last : `name\0${'x'.repeat(20)}`))
    const codes = async (last: string): Promise<string[]> => {
      const array = await madeArray({ ...SPARSE, fragments: [{ ...cells(N), v: names(last) }] })
      return (await arrayFindings(array)).map(({ code }) => code)
    }
    expect(await codes(`name\0${'y'.repeat(20)}`)).not.toContain('VALUES_CONSTANT')
    const whole = await madeArray({ ...SPARSE, fragments: [{ ...cells(N), v: Array(N).fill('a name without one') }] })
    expect((await arrayFindings(whole)).map(({ code }) => code)).toContain('VALUES_CONSTANT')
  })

  test('an attribute that older fragments lack is not constant: reads give its fill value there', async () => {
    const array = await madeArray({
      ...CAUSED.VALUES_CONSTANT,
      fragments: Array(2).fill({ v: floats(200_000, () => 7) }),
    })
    const [old, one] = array.fragments
    const codes = async (fragments: typeof array.fragments): Promise<string[]> =>
      (await arrayFindings({ ...array, fragments })).map(({ code }) => code)
    expect(await codes([old, one])).toContain('VALUES_CONSTANT')
    const slots = old.info.slots.map((slot) => (slot.name === 'v' ? { ...slot, name: 'w' } : slot))
    expect(await codes([{ ...old, info: { ...old.info, slots } }, one])).not.toContain('VALUES_CONSTANT')
  })

  test('fragments that wait for vacuum, and many commit files', async () => {
    const array = await madeArray({ ...SPARSE, fragments: [cells(10)] })
    const [entry] = await array.array.fragments()
    const commits = await array.array.commits()
    const codes = async (replaced: number, marks: number): Promise<string[]> => {
      const fragments = Array.from({ length: replaced }, () => ({ ...entry, state: 'to-vacuum' as const }))
      const files = Array.from({ length: marks }, () => commits.files[0])
      const changed = Object.assign(Object.create(array.array) as typeof array.array, {
        fragments: async () => [entry, ...fragments],
        commits: async () => ({ ...commits, files }),
      })
      return (await arrayFindings({ ...array, array: changed })).map(({ code }) => code)
    }
    expect(await codes(7, 999)).toEqual([])
    expect(await codes(8, 1)).toEqual(['VACUUM_PENDING'])
    // One answer to a listing has a thousand names.
    expect(await codes(0, 1000)).toEqual([])
    expect(await codes(0, 1001)).toEqual(['COMMITS_NOT_CONSOLIDATED'])
  })

  test('fragments that reads leave out: dated ahead, or without a commit', async () => {
    const array = await madeArray({ ...SPARSE, fragments: [cells(10)] })
    const [entry] = await array.array.fragments()
    const codes = async (state: typeof entry.state): Promise<string[]> => {
      const other = { ...entry, state, timestamp_range: [4e12, 4e12].map(BigInt) as [bigint, bigint] }
      const changed = Object.assign(Object.create(array.array) as typeof array.array, {
        fragments: async () => [entry, other],
      })
      return (await arrayFindings({ ...array, array: changed })).map(({ code }) => code)
    }
    expect(await codes('future')).toEqual(['FRAGMENT_FUTURE'])
    expect(await codes('uncommitted')).toEqual(['FRAGMENT_UNCOMMITTED'])
    expect(await codes('past')).toEqual([])
  })

  test('few tiles are never small, whatever filters add to them', async () => {
    const v = floats(200_000, fullNoise)
    const array = await madeArray({ ...DENSE, attributes: { v: [{ name: 'RLE', level: -1 }] }, fragments: [{ v }] })
    expect((await arrayFindings(array)).map(({ code }) => code)).toEqual(['STORED_LARGER'])
  })

  test('messages show dates and sizes in a readable form', async () => {
    const array = await madeArray({ ...SPARSE, fragments: [cells(10)] })
    const [entry] = await array.array.fragments()
    const ahead = { ...entry, state: 'future' as const, timestamp_range: [4e12, 4e12].map(BigInt) as [bigint, bigint] }
    const changed = Object.assign(Object.create(array.array) as typeof array.array, {
      fragments: async () => [entry, ahead],
    })
    const [found] = await arrayFindings({ ...array, array: changed })
    expect(found.message).toContain('the first to 2096-10-02T07:06:40Z (4000000000000): ')
    const many = await arrayFindings(await madeArray(CAUSED.FRAGMENTS_MANY))
    expect(many[0].message).toMatch(
      /^\d+ fragments with \d[\d.]* (?:B|KiB) of data each on average: opening and reading them takes about \d+ requests to S3, one fragment in their place about \d+ \(besides listings, commits and schemas\)$/,
    )
  })

  test('a footer with a copy in consolidated metadata takes no requests of its own', async () => {
    const array = await madeArray(CAUSED.FRAGMENTS_MANY)
    const copied = (await array.array.fragments()).map((one) => ({ ...one, has_consolidated_metadata: true }))
    const changed = Object.assign(Object.create(array.array) as typeof array.array, { fragments: async () => copied })
    const [alone] = await arrayFindings(array)
    const [shared] = await arrayFindings({ ...array, array: changed })
    // Three for each footer: the size of the file, the length of the footer, the footer. Consolidation of fragments leaves one alone.
    expect([alone.code, shared.code]).toEqual(['FRAGMENTS_MANY', 'FRAGMENTS_MANY'])
    expect((alone.effect.requests ?? 0) - (shared.effect.requests ?? 0)).toBe(3 * 40)
  })

  test('each code has an array here, or a test of its own', () => {
    const apart = ['COMMITS_NOT_CONSOLIDATED', 'VACUUM_PENDING', 'STATISTICS_MISSING', 'DELETES_UNPURGED']
    expect([...Object.keys(CAUSED), ...apart].sort()).toEqual(Object.keys(ADVICE_CODES).sort())
  })
})

describe('padding', () => {
  const box: [number, number][] = [
    [0, 119],
    [0, 159],
  ]
  const padded: Made = { ...CAUSED.TILES_PADDED, attributes: { v: [] } }

  test('of raw tiles it is told with its bytes, and with the extents that cure it', async () => {
    const found = await arrayFindings(await madeArray(padded))
    // ZSTD would only save the padding.
    expect(found.map(({ code }) => code)).toEqual(['TILES_PADDED'])
    expect(found[0].effect).toMatchObject({ cells: 780_800, share: 0.976, unfiltered_bytes: 6_246_400 })
    expect(found[0].message).toContain('6.0 MiB of 6.1 MiB')
    expect(found[0].advice.map(({ code }) => code).join()).toContain('{"y": 120, "x": 160}')
    const cured: Made = {
      ...padded,
      dimensions: [
        ['y', 0, 9999, 120],
        ['x', 0, 9999, 160],
      ],
    }
    expect(await arrayFindings(await madeArray(cured))).toEqual([])
  })

  test('of fragments that share tiles is cured by consolidation', async () => {
    const days = Array.from({ length: 4 }, () => ({ v: rounded(50_000) }))
    const made: Made = { ...DENSE, dimensions: [['t', 0, 199_999, 200_000]], attributes: { v: [] }, fragments: days }
    const boxes = days.map((_, i): [number, number][] => [[i * 50_000, i * 50_000 + 49_999]])
    const [found] = (await arrayFindings(await madeArray({ ...made, boxes }))).filter(
      ({ code }) => code === 'TILES_PADDED',
    )
    expect(found.advice[0].code).toMatch(/^tiledb\.consolidate\(/)
  })

  test('is not counted as bytes that a compressor would save', async () => {
    const tiles: Made = {
      ...padded,
      dimensions: [
        ['y', 0, 9999, 400],
        ['x', 0, 9999, 300],
      ],
      box,
      fragments: [{ v: floats(19_200, fullNoise) }],
    }
    expect((await arrayFindings(await madeArray(tiles))).map(({ code }) => code)).not.toContain('NOTHING_COMPRESSED')
  })
})

describe('DELETES_UNPURGED with --exact', () => {
  test('counts deleted cells that minima and maxima cannot prove', async () => {
    const array = await opened(`${FIXTURES}/22/deletes`)
    const facts = await arrayFacts(array)
    const query: ReadQuery = { order: 'unordered', ranges: new Map() }
    const asked = { opened: array, query, exact: true }
    const counted = await countedCells(asked, await planRead(asked))
    expect(counted).toEqual({ cells: 14, deleted: 7 })
    if (!counted) return
    expect(countedDeletes(counted, asked, facts)).toBeUndefined()
    const found = countedDeletes(counted, asked, facts, 1)
    expect(found).toMatchObject({ code: 'DELETES_UNPURGED', severity: 'warning' })
    // Of 24 cells 3 are written again later; of the other 21 reads give 14 (test/fixtures/reads.json.gz).
    expect(found?.effect).toMatchObject({ cells: 7, share: 7 / 21 })
  })
})
