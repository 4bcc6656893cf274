import { readdir } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import type { AdviceLine } from '../../src/advice/line.ts'
import type { Output, Result } from '../../src/base/result.ts'
import { fragmentColumns } from '../../src/calls/listed-fragment.ts'
import type { CellsLine } from '../../src/documents/cells.ts'
import type { SchemaDocument } from '../../src/documents/schema.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { cellsTable } from '../../src/render/views/cells.ts'
import { consolidationTexts, writeFindings } from '../../src/render/views/explain.ts'
import { footerTable } from '../../src/render/views/footer.ts'
import { arrayTable, fragmentTable } from '../../src/render/views/ls.ts'
import { fragmentMetadataTable } from '../../src/render/views/metadata.ts'
import { rtreeTable } from '../../src/render/views/rtree.ts'
import { schemaTable } from '../../src/render/views/schema.ts'
import { tileTable } from '../../src/render/views/tile.ts'
import { verifyTable } from '../../src/render/views/verify.ts'
import { rangeText, timeRangeText, versionText } from '../../src/render/views/wording.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { sink } from './sink.ts'

const WEATHER = 'examples/arrays/weather'
const PLACES = 'examples/arrays/places'
const WEATHER_FRAGMENT = `${WEATHER}/__fragments/__1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22`
const PLACES_FRAGMENT = `${PLACES}/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22`

async function shown(args: readonly string[], columns?: number): Promise<string> {
  const { text, stderr, code } = await run(args, columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } })
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return text
}

test('advice that two findings share is printed once', async () => {
  const shared = { severity: 'warning' as const, message: 'm', meaning: '', effect: { seconds: 1 } }
  const out = sink()
  const consolidate: AdviceLine = { does: 'consolidate', code: 'tiledb.consolidate("a")' }
  const vacuum: AdviceLine = { does: 'vacuum', code: 'tiledb.vacuum("a")' }
  await writeFindings(
    [
      { ...shared, code: 'FRAGMENTS_MANY', advice: [consolidate, vacuum] },
      { ...shared, code: 'FRAGMENTS_OVERLAP', advice: [{ ...consolidate }, { ...vacuum }] },
      { ...shared, code: 'TILES_LARGE', advice: [vacuum] },
    ],
    out,
  )
  expect(out.text().split('\n')).toEqual([
    'warning FRAGMENTS_MANY: m',
    'tiledb.consolidate("a")',
    'tiledb.vacuum("a")',
    'warning FRAGMENTS_OVERLAP: m',
    '  as for FRAGMENTS_MANY',
    'warning TILES_LARGE: m',
    'tiledb.vacuum("a")',
    '',
  ])
})

describe('what tiledb.consolidate would do', () => {
  const stuck = { fragment_num: 9, merged_num: 0, least_amplification: 2.04 }

  test.each([
    [{ ...stuck, fragment_num: 1, merged_by_two: [] }, []],
    [
      { ...stuck, merged_num: 9, least_amplification: 1, merged_by_two: [] },
      ['tiledb.consolidate merges all 9 fragments into one'],
    ],
    [
      { ...stuck, merged_by_two: Array.from('abcdefg') },
      [
        'tiledb.consolidate does nothing: the box around the 9 fragments, or around the first of them, has 2.1 times the cells of their tiles',
        '  sm.consolidation.amplification 3 instead of 1 merges them all, and also stores cells in the gaps',
        '  with sm.consolidation.step_min_frags 2 its first step merges 7 fragments:',
        ...Array.from('abcde', (name) => `    ${name}`),
        '    … 2 more',
      ],
    ],
  ])('%j', (consolidation, texts) => {
    expect(consolidationTexts({ ...consolidation, config: {}, merged: null })).toEqual(texts)
  })

  test('of arrays of several fragments, and of no other time than now', async () => {
    const said = async (...args: string[]): Promise<string[]> =>
      (await shown(['explain', ...args])).split('\n').filter((line) => /^(result|tiledb\.cons)/.test(line))
    expect(await said('test/fixtures/22/deletes', '--exact')).toEqual([
      'result: 14 cells, 362 B (250 B without coordinates); 7 more are deleted but still read (stats --read says by what, and how to remove them)',
      'tiledb.consolidate merges all 2 fragments into one',
    ])
    const isResult = expect.stringMatching(/^result: /)
    expect(await said('test/fixtures/22/deletes', '--as-of', '25')).toEqual([isResult])
    expect(await said(PLACES)).toEqual([isResult])
  })
})

describe('in a pipe', () => {
  test('the schema of a dense array', async () => {
    expect(await shown(['schema', WEATHER])).toBe(`\
schema of examples/arrays/weather
name              __1795261442235_1795261442235_1c6f8e9a3e95a5d80e524bd66dba9972
written           2026-11-21T11:44:02.235Z (1795261442235)
array type        dense
format version    22 (TileDB 2.25 to 2.30)
encryption        none
tile order        row-major
cell order        row-major
capacity          10,000 cells a tile (of sparse fragments)
duplicates        not allowed
coords filters    ZSTD
offsets filters   DOUBLE_DELTA, BIT_WIDTH_REDUCTION(max_window_size=256), ZSTD
validity filters  RLE
current domain    none: the whole domain

2 dimensions
dimension  type   domain  tile extent  filters
station    INT32  0..5              3  (coords filters) ZSTD
day        INT32  1..366           31  (coords filters) ZSTD

3 attributes
attribute    type               nullable  fill value     filters
temperature  FLOAT32            no        NaN            BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
rain_mm      INT16              yes       null (-32768)  BIT_WIDTH_REDUCTION(max_window_size=256), GZIP(level=6)
sky          STRING_ASCII[var]  no        "\\x00"         DICTIONARY_ENCODING
`)
  })

  test('the schema of a sparse array', async () => {
    expect(await shown(['schema', PLACES])).toBe(`\
schema of examples/arrays/places
name              __1795261442283_1795261442283_1870408598652e0619deef44b7a17cbf
written           2026-11-21T11:44:02.283Z (1795261442283)
array type        sparse
format version    22 (TileDB 2.25 to 2.30)
encryption        none
tile order        row-major
cell order        hilbert
capacity          8 cells a tile
duplicates        not allowed
coords filters    ZSTD
offsets filters   ZSTD
validity filters  RLE
current domain    none: the whole domain

2 dimensions
dimension  type     domain     tile extent  filters
lat        FLOAT64  -90..90              -  BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
lon        FLOAT64  -180..180            -  BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256

3 attributes
attribute   type              nullable  fill value         filters
name        STRING_UTF8[var]  no        "\\x00"             ZSTD(level=9), CHECKSUM_MD5
population  UINT32            yes       null (4294967295)  BIT_WIDTH_REDUCTION(max_window_size=256), CHECKSUM_SHA256
founded     DATETIME_DAY      yes       null (NaT)         ZSTD(level=9)
`)
  })

  test('the fragments of an array', async () => {
    expect(await shown(['ls', WEATHER])).toMatchSnapshot()
  })

  test('the files of a fragment', async () => {
    expect(await shown(['ls', PLACES_FRAGMENT])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
state             live
type              sparse
format version    22 (written by TileDB 2.25 to 2.30, read by 2.25 and later)
time              2024-05-01T10:00:00Z (1714557600000)
schema            __1795261442283_1795261442283_1870408598652e0619deef44b7a17cbf
cells             40
tiles             5
size              11.2 KiB (11,426 bytes)
non-empty domain  lat -37.81..69.65, lon -157.86..174.76

9 files
file                     field       role                       size  tiles  unfiltered  ratio  filters
a0.tdb                   name        offsets               370 bytes      5   320 bytes   0.86  ZSTD
a0_var.tdb               name        var                   872 bytes      5   367 bytes   0.42  ZSTD(level=9), CHECKSUM_MD5
a1.tdb                   population  data                  785 bytes      5   160 bytes   0.20  BIT_WIDTH_REDUCTION(max_window_size=256), CHECKSUM_SHA256
a1_validity.tdb          population  validity              228 bytes      5    40 bytes   0.18  RLE
a2.tdb                   founded     data                  407 bytes      5   320 bytes   0.79  ZSTD(level=9)
a2_validity.tdb          founded     validity              225 bytes      5    40 bytes   0.18  RLE
d0.tdb                   lat         data      1.1 KiB (1,110 bytes)      5   320 bytes   0.29  BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
d1.tdb                   lon         data      1.1 KiB (1,110 bytes)      5   320 bytes   0.29  BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
__fragment_metadata.tdb  -           metadata  6.2 KiB (6,319 bytes)      -           -      -  -
data: 5.0 KiB (5,107 bytes), unfiltered 1.8 KiB (1,887 bytes), ratio 0.37
`)
  })

  test('a footer, fields in stored order', async () => {
    expect(await shown(['footer', PLACES_FRAGMENT])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
format_version            22 (TileDB 2.25 to 2.30)
array_schema_name         __1795261442283_1795261442283_1870408598652e0619deef44b7a17cbf
dense                     false
null_nonempty_domain      false
nonempty_domain           lat -37.81..69.65, lon -157.86..174.76
sparse_tile_num           5
last_tile_cell_num        8
includes_timestamps       false
includes_delete_metadata  false

fields, bytes of their files
field                file  var file  validity file
name                  370       872              0
population            785         0            228
founded               407         0            225
__coords (phantom)      0         0              0
lat                 1,110         0              0
lon                 1,110         0              0

fields, where the metadata file has their sections
field               offsets    var  var sizes  validity   mins   maxs   sums  nulls
name                    242    902      1,514     2,126  2,746  3,386  4,023  4,748
population              353  1,014      1,626     2,226  2,845  3,485  4,122  4,847
founded                 465  1,114      1,726     2,336  2,965  3,605  4,247  4,955
__coords (phantom)      576  1,214      1,826     2,446  3,088  3,725  4,372  5,064
lat                     676  1,314      1,926     2,546  3,188  3,825  4,472  5,163
lon                     789  1,414      2,026     2,646  3,287  3,924  4,610  5,262

rtree_offset                            0
fragment_min_max_sum_null_count_offset  5,361
processed_conditions_offset             5,534
footer_offset                           5,633
footer_size                             678 bytes
`)
  })

  test('the boxes of an R-tree', async () => {
    expect(await shown(['rtree', PLACES_FRAGMENT])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
R-tree, 5 boxes, 2 levels, fanout 10
level  boxes  what
0          1  root
1          5  one a tile

5 tiles (level 1)
tile  lat            lon
   0  -34.93..-0.18  -78.47..138.6
   1  -37.81..41.01  18.42..174.76
   2  1.35..59.94    30.31..139.69
   3  45.5..69.65    -73.57..30.52
   4  4.71..64.15    -157.86..-9.14
`)
  })

  test('the tiles that a range touches', async () => {
    expect(await shown(['rtree', PLACES_FRAGMENT, '--range', 'lat=0..10'])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
R-tree, 5 boxes, 2 levels, fanout 10
the range touches 3 of 5 tiles
tile  lat            lon
   1  -37.81..41.01  18.42..174.76
   2  1.35..59.94    30.31..139.69
   4  4.71..64.15    -157.86..-9.14
`)
  })

  test('that a dense fragment has no R-tree', async () => {
    expect(await shown(['rtree', WEATHER_FRAGMENT])).toBe(`\
examples/arrays/weather/__fragments/__1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22
dense: no R-tree
`)
  })

  test('key-value metadata', async () => {
    expect(await shown(['metadata', WEATHER])).toBe(`\
examples/arrays/weather: 5 metadata keys
key            type         length                  time  value
missing_share  FLOAT64           1  2024-05-01T10:00:01Z  0.04
source         STRING_UTF8      43  2024-05-01T10:00:01Z  "invented for the examples of tiledb-inspect"
stations       STRING_UTF8      51  2024-05-01T10:00:01Z  "Helsinki, Reykjavik, Zurich, Lisbon, Nairobi, Quito"
title          STRING_UTF8      46  2024-05-01T10:00:01Z  "Weather at six stations, January to April 2024"
year           INT64             1  2024-05-01T10:00:01Z  2024
`)
  })

  test('that there is no metadata', async () => {
    expect(await shown(['metadata', PLACES])).toBe(`\
examples/arrays/places: no key-value metadata
`)
  })

  test('the metadata of a fragment, by field and by tile', async () => {
    expect(await shown(['metadata', WEATHER_FRAGMENT])).toBe(`\
examples/arrays/weather/__fragments/__1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22
format version 22 (TileDB 2.25 to 2.30), 8 tiles; offsets and sizes in bytes
field               min      max                   sum  nulls
temperature         -12.8    22.1    6401.899992994964      0
rain_mm             0        42                   2260     25
sky                 "clear"  "snow"                  0      0
__coords (phantom)  -        -                       0      0
station             -        -                       0      0
day                 -        -                       0      0

tiles of temperature
tile  offset    min   max                 sum
   0       0   -9.3     6  -37.40000084787607
   1     416  -11.5  10.6  167.60000105202198
   2     839  -12.8   9.2  155.10000038146973
   3   1,270   -2.4  12.5   396.1999966055155
   4   1,670    8.8  20.9   1374.499994277954
   5   2,045    9.5  21.5  1443.3000001907349
   6   2,422   11.1    22   1515.899998664856
   7   2,791   11.4  22.1   1386.700002670288

tiles of rain_mm
tile  offset  validity offset  min  max  sum  nulls
   0       0                0    0   20  307      5
   1     132               69    0   20  222      3
   2     260              126    0   42  417      4
   3     393              189    0   41  325      1
   4     527              249    0   20  207      2
   5     652              300    0   24  303      5
   6     784              369    0   20  236      2
   7     912              420    0   24  243      3

tiles of sky
tile  offset  var offset  var unfiltered      min     max
   0       0           0             405  "clear"  "snow"
   1       8         167             415  "clear"  "snow"
   2      16         334             409  "clear"  "snow"
   3      24         501             383  "clear"  "snow"
   4      32         670             425  "clear"  "rain"
   5      40         832             420  "clear"  "rain"
   6      48         994             413  "clear"  "rain"
   7      56       1,156             394  "clear"  "rain"

only zeros in the lists of tiles of station, day
`)
  })

  test('commit files', async () => {
    expect(await shown(['commits', WEATHER])).toBe(`\
examples/arrays/weather: 1 commit file
file                                                                             kind                                   time  effect   refers to
__commits/__1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22.wrt  write  2024-05-01T10:00:00Z (1714557600000)  visible  fragment of that name
`)
  })

  test('the times of commits, of their entries and of delete conditions', async () => {
    const { commits } = JSON.parse(await shown(['commits', '--json', 'test/fixtures/22/commits_consolidated']))
    const times = commits.map((one: { kind: string; timestamp_range: number[] }) => [one.kind, ...one.timestamp_range])
    expect(times.slice(0, 4)).toEqual([
      ['consolidated-commits', 10, 30],
      ['write', 10, 10],
      ['write', 20, 20],
      ['delete', 25, 25],
    ])
  })

  test('the stages of a tile', async () => {
    expect(await shown(['tile', PLACES_FRAGMENT, 'lat', '0'])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
lat, tile 0 of 5
file        d0.tdb (data)
cells       8
offset      0
size        222 bytes
unfiltered  64 bytes, ratio 0.29

1 chunk
chunk  offset  stage                 bytes  filter metadata
    0       8  stored                  202  metadata 112 + data 90
               CHECKSUM_SHA256  202 -> 114  data e342e8fe97fc…, metadata 2e7bb381f865…
               ZSTD              114 -> 72  data 73 -> 64, metadata 17 -> 8
               BYTESHUFFLE        72 -> 64  part_lengths [64]
`)
  })

  test('cells', async () => {
    expect(await shown(['decode', PLACES_FRAGMENT, '--limit', '5'])).toBe(`\
examples/arrays/places/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
   lat     lon  name            population  founded
 -34.6  -58.38  "Buenos Aires"     3121000  1580-06-11
-23.55  -46.63  "São Paulo"       11450000  1554-01-25
-33.45  -70.67  "Santiago"            null  1541-02-12
-12.05  -77.04  "Lima"                null  1535-01-18
 -0.18  -78.47  "Quito"               null  1534-12-06
5 of 40 cells
`)
  })

  test('the verdict on checksums', async () => {
    expect(await shown(['verify-checksums', PLACES])).toBe(`\
examples/arrays/places
PARTLY VERIFIED: every checksum fits; 4 data files without a checksum
fragments  1
files      10
tiles      20
chunks     20
checksums  40

4 data files without a checksum
__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22/
  a0.tdb, a1_validity.tdb, a2.tdb, a2_validity.tdb

2 metadata files have no checksum: only metadata of encrypted arrays has one.
Files without a checksum were not read: --deep undoes their filters and compares sizes.
`)
  })
})

describe('a terminal of 80 columns', () => {
  test('leaves long cells of a schema to lines below', async () => {
    expect(await shown(['schema', WEATHER], 80)).toBe(`\
schema of examples/arrays/weather
name              __1795261442235_1795261442235_1c6f8e9a3e95a5d80e524bd66dba9972
written           2026-11-21T11:44:02.235Z (1795261442235)
array type        dense
format version    22 (TileDB 2.25 to 2.30)
encryption        none
tile order        row-major
cell order        row-major
capacity          10,000 cells a tile (of sparse fragments)
duplicates        not allowed
coords filters    ZSTD
offsets filters   DOUBLE_DELTA, BIT_WIDTH_REDUCTION(max_window_size=256), ZSTD
validity filters  RLE
current domain    none: the whole domain

2 dimensions
┌───────────┬───────┬────────┬─────────────┬───────────────────────┐
│ dimension │ type  │ domain │ tile extent │ filters               │
├───────────┼───────┼────────┼─────────────┼───────────────────────┤
│ station   │ INT32 │ 0..5   │           3 │ (coords filters) ZSTD │
│ day       │ INT32 │ 1..366 │          31 │ (coords filters) ZSTD │
└───────────┴───────┴────────┴─────────────┴───────────────────────┘

3 attributes
┌─────────────┬───────────────────┬──────────┬───────────────┐
│ attribute   │ type              │ nullable │ fill value    │
├─────────────┼───────────────────┼──────────┼───────────────┤
│ temperature │ FLOAT32           │ no       │ NaN           │
│ rain_mm     │ INT16             │ yes      │ null (-32768) │
│ sky         │ STRING_ASCII[var] │ no       │ "\\x00"        │
└─────────────┴───────────────────┴──────────┴───────────────┘

filters
temperature  BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
rain_mm      BIT_WIDTH_REDUCTION(max_window_size=256), GZIP(level=6)
sky          DICTIONARY_ENCODING
`)
  })

  test('leaves domains to lines below, and shows beginnings of names', async () => {
    expect(await shown(['ls', PLACES], 80)).toMatchSnapshot()
  })

  test('leaves filters to lines below', async () => {
    expect(await shown(['ls', PLACES_FRAGMENT], 80)).toBe(`\
examples/arrays/places/__fragments/
  __1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
state             live
type              sparse
format version    22 (written by TileDB 2.25 to 2.30, read by 2.25 and later)
time              2024-05-01T10:00:00Z (1714557600000)
schema            __1795261442283_1795261442283_1870408598652e0619deef44b7a17cbf
cells             40
tiles             5
size              11.2 KiB (11,426 bytes)
non-empty domain  lat -37.81..69.65, lon -157.86..174.76

9 files
┌───────────────────────┬────────────┬──────────┬─────────┬────────────┬───────┐
│ file                  │ field      │ role     │    size │ unfiltered │ ratio │
├───────────────────────┼────────────┼──────────┼─────────┼────────────┼───────┤
│ a0.tdb                │ name       │ offsets  │   370 B │      320 B │  0.86 │
│ a0_var.tdb            │ name       │ var      │   872 B │      367 B │  0.42 │
│ a1.tdb                │ population │ data     │   785 B │      160 B │  0.20 │
│ a1_validity.tdb       │ population │ validity │   228 B │       40 B │  0.18 │
│ a2.tdb                │ founded    │ data     │   407 B │      320 B │  0.79 │
│ a2_validity.tdb       │ founded    │ validity │   225 B │       40 B │  0.18 │
│ d0.tdb                │ lat        │ data     │ 1.1 KiB │      320 B │  0.29 │
│ d1.tdb                │ lon        │ data     │ 1.1 KiB │      320 B │  0.29 │
│ __fragment…tadata.tdb │ -          │ metadata │ 6.2 KiB │          - │     - │
└───────────────────────┴────────────┴──────────┴─────────┴────────────┴───────┘
… 1 more column: tiles (--vertical shows all)

filters
a0.tdb           ZSTD
a0_var.tdb       ZSTD(level=9), CHECKSUM_MD5
a1.tdb           BIT_WIDTH_REDUCTION(max_window_size=256), CHECKSUM_SHA256
a1_validity.tdb  RLE
a2.tdb           ZSTD(level=9)
a2_validity.tdb  RLE
d0.tdb           BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
d1.tdb           BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256

data: 5.0 KiB (5,107 bytes), unfiltered 1.8 KiB (1,887 bytes), ratio 0.37
`)
  })

  test('splits the offsets of a footer', async () => {
    expect(await shown(['footer', WEATHER_FRAGMENT], 80)).toBe(`\
examples/arrays/weather/__fragments/
  __1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22
format_version            22 (TileDB 2.25 to 2.30)
array_schema_name         __1795261442235_1795261442235_1c6f8e9a3e95a5d80e524bd6
                          6dba9972
dense                     true
null_nonempty_domain      false
nonempty_domain           station 0..5, day 1..121
sparse_tile_num           0
last_tile_cell_num        93
includes_timestamps       false
includes_delete_metadata  false

fields, bytes of their files
┌────────────────────┬───────┬──────────┬───────────────┐
│ field              │  file │ var file │ validity file │
├────────────────────┼───────┼──────────┼───────────────┤
│ temperature        │ 3,163 │        0 │             0 │
│ rain_mm            │ 1,040 │        0 │           492 │
│ sky                │    64 │    1,320 │             0 │
│ __coords (phantom) │     0 │        0 │             0 │
│ station            │     0 │        0 │             0 │
│ day                │     0 │        0 │             0 │
└────────────────────┴───────┴──────────┴───────────────┘

fields, where the metadata file has their sections
┌────────────────────┬─────────┬───────┬───────────┬──────────┐
│ field              │ offsets │   var │ var sizes │ validity │
├────────────────────┼─────────┼───────┼───────────┼──────────┤
│ temperature        │      99 │   763 │     1,386 │    2,008 │
│ rain_mm            │     224 │   863 │     1,486 │    2,108 │
│ sky                │     345 │   963 │     1,586 │    2,227 │
│ __coords (phantom) │     463 │ 1,086 │     1,708 │    2,327 │
│ station            │     563 │ 1,186 │     1,808 │    2,427 │
│ day                │     663 │ 1,286 │     1,908 │    2,527 │
└────────────────────┴─────────┴───────┴───────────┴──────────┘
┌────────────────────┬───────┬───────┬───────┬───────┐
│ field              │  mins │  maxs │  sums │ nulls │
├────────────────────┼───────┼───────┼───────┼───────┤
│ temperature        │ 2,627 │ 3,286 │ 3,953 │ 4,627 │
│ rain_mm            │ 2,760 │ 3,412 │ 4,107 │ 4,726 │
│ sky                │ 2,859 │ 3,522 │ 4,230 │ 4,844 │
│ __coords (phantom) │ 2,988 │ 3,655 │ 4,329 │ 4,943 │
│ station            │ 3,088 │ 3,755 │ 4,429 │ 5,042 │
│ day                │ 3,187 │ 3,854 │ 4,528 │ 5,141 │
└────────────────────┴───────┴───────┴───────┴───────┘

rtree_offset                            0
fragment_min_max_sum_null_count_offset  5,240
processed_conditions_offset             5,400
footer_offset                           5,499
footer_size                             662 bytes
`)
  })

  test('shows the stages of a tile as lines', async () => {
    expect(await shown(['tile', PLACES_FRAGMENT, 'lat', '0'], 80)).toBe(`\
examples/arrays/places/__fragments/
  __1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
lat, tile 0 of 5
file        d0.tdb (data)
cells       8
offset      0
size        222 bytes
unfiltered  64 bytes, ratio 0.29

1 chunk
chunk 0 at 8
  stored           202 bytes: metadata 112 + data 90
  CHECKSUM_SHA256  202 -> 114 bytes: data e342e8fe97fc…, metadata 2e7bb381f865…
  ZSTD             114 -> 72 bytes: data 73 -> 64, metadata 17 -> 8
  BYTESHUFFLE      72 -> 64 bytes: part_lengths [64]
`)
  })

  test('puts what failed below the name of the file where a digest is too wide to stand beside it', async () => {
    const { text } = await run(['verify-checksums', 'examples/damaged/places'], { columns: 80, env: { NO_COLOR: '1' } })
    const folder = '__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22/'
    expect(text).toContain(`
message
${folder}
a1_validity.tdb
  expected a file of 228 bytes, found none
${folder}
a2.tdb
  expected 407 bytes, found 300
${folder}
d0.tdb
  expected e342e8fe97fc02317870c2691fc7d038b494e39da95b5f727410328e95dd7a3e,
  found f569673b1fab6a9159953ceabd0c3e294db9e578054404097139b5ee28709a5f
`)
  })

  test('shows cells in a frame', async () => {
    expect(await shown(['decode', WEATHER_FRAGMENT, '--limit', '3'], 80)).toBe(`\
examples/arrays/weather/__fragments/
  __1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22
┌─────────┬─────┬─────────────┬─────────┬─────────┐
│ station │ day │ temperature │ rain_mm │ sky     │
├─────────┼─────┼─────────────┼─────────┼─────────┤
│       0 │   1 │        -2.5 │       5 │ "snow"  │
│       0 │   2 │        -1.9 │       9 │ "snow"  │
│       0 │   3 │        -5.4 │    null │ "clear" │
└─────────┴─────┴─────────────┴─────────┴─────────┘
3 of 726 cells
`)
  })

  test('puts the boxes of tiles below their table, and has room for narrow columns that stand behind them', async () => {
    expect(await shown(['tiles', PLACES_FRAGMENT, '--field', 'lat'], 80)).toBe(`\
examples/arrays/places/__fragments/
  __1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
format version 22 (TileDB 2.25 to 2.30), 5 tiles; offsets and sizes in bytes
┌──────┬───────┬───────┬──────┬────────┬──────┬────────────┬───────┐
│ tile │ cells │ field │ role │ offset │ size │ unfiltered │ ratio │
├──────┼───────┼───────┼──────┼────────┼──────┼────────────┼───────┤
│    0 │     8 │ lat   │ data │      0 │  222 │         64 │  0.29 │
│    1 │     8 │ lat   │ data │    222 │  222 │         64 │  0.29 │
│    2 │     8 │ lat   │ data │    444 │  222 │         64 │  0.29 │
│    3 │     8 │ lat   │ data │    666 │  222 │         64 │  0.29 │
│    4 │     8 │ lat   │ data │    888 │  222 │         64 │  0.29 │
└──────┴───────┴───────┴──────┴────────┴──────┴────────────┴───────┘
no room for: sum

boxes of the tiles
0  lat -34.93..-0.18, lon -78.47..138.6
1  lat -37.81..41.01, lon 18.42..174.76
2  lat 1.35..59.94, lon 30.31..139.69
3  lat 45.5..69.65, lon -73.57..30.52
4  lat 4.71..64.15, lon -157.86..-9.14
`)
  })

  test('leaves the number of a digest to the column that has it', async () => {
    const narrow = await shown(['at', `${PLACES_FRAGMENT}/d0.tdb`, '0x64'], 80)
    expect(narrow).toContain('│                   digest    │     76 │     32 │ bytes 0xe342e8fe97fc…, valid │\n')
  })

  test('counts one byte as one', async () => {
    const text = await shown(['at', `${WEATHER_FRAGMENT}/a2_var.tdb`, '40'], 80)
    expect(text).toContain('│               id_size           │     40 │      1 │ uint8 1 byte, valid │\n')
  })

  test('tells offsets and format versions from amounts', async () => {
    const offset = await shown(['at', `${PLACES_FRAGMENT}/__fragment_metadata.tdb`, '5999'], 80)
    expect(offset).toContain('│       [5] lon                │  5,999 │      8 │ uint64 1414 (0x586), valid │\n')
    const version = await shown(['at', `${PLACES_FRAGMENT}/__fragment_metadata.tdb`, '5633'], 80)
    expect(version).toContain('│ uint32 22 (TileDB 2.25 to 2.30) │\n')
  })

  test('names the files of a field where their filters stand below', async () => {
    expect(await shown(['stats', PLACES], 80)).toContain(`
filters
name offsets         ZSTD
name var             ZSTD(level=9), CHECKSUM_MD5
lat data             BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
lon data             BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
population data      BIT_WIDTH_REDUCTION(max_window_size=256), CHECKSUM_SHA256
population validity  RLE
founded data         ZSTD(level=9)
founded validity     RLE
`)
  })

  test('puts the filters of compared files below their sizes', async () => {
    const text = await shown(['stats', PLACES, WEATHER], 80)
    expect(text).toContain(`
┌────────────────────────────────────┬─────────┬─────────┬──────────┬───────┐
│ what                               │       a │       b │    b - a │ b / a │
├────────────────────────────────────┼─────────┼─────────┼──────────┼───────┤
│ temperature data                   │     0 B │ 3.1 KiB │ +3.1 KiB │     - │
`)
    expect(text).toContain(`
filters
temperature data     BYTESHUFFLE, ZSTD(level=9), CHECKSUM_SHA256
`)
  })

  test('breaks what a finding says as it began, and its file behind a folder', async () => {
    const { text } = await run(['check', 'examples/damaged/places'], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toContain(`
error CHECKSUM_MISMATCH
__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22/
d0.tdb: tile 0, chunk 0, byte 20, field CHECKSUM_SHA256
  expected e342e8fe97fc02317870c2691fc7d038b494e39da95b5f727410328e95dd7a3e,
  found f569673b1fab6a9159953ceabd0c3e294db9e578054404097139b5ee28709a5f
`)
  })

  test('shows whole boxes of the R-tree, however long their numbers and dates', async () => {
    const args = ['rtree', 'test/fixtures/22/float_dims']
    const ranges = /\S+\.\.\S+/g
    const whole = (await shown(args)).match(ranges) ?? []
    expect(whole.length).toBeGreaterThan(1)
    expect((await shown(args, 80)).match(ranges)).toEqual(whole)
    expect((await shown(args, 60)).match(ranges)).toEqual(whole)
    const box = [
      ['1970-01-01T08:56:32.118', '1970-01-09T02:36:43.765'],
      [-164.53212089815534, -105.11062272365179],
    ] as const
    const boxes = Array.from({ length: 21 }, () => box)
    const counts = { fanout: 30, level_num: 1, mbr_num: 21 }
    const document = { schema_version: 1, kind: 'rtree', path: 'p', ...counts, levels: [boxes] } as const
    const out = sink(80)
    await rtreeTable(document, ['time', 'x'], false, out)
    expect(out.text()).toContain(`
21 tiles (level 0)
 0  time 1970-01-01T08:56:32.118..1970-01-09T02:36:43.765
    x -164.53212089815534..-105.11062272365179
 1  time`)
    expect(out.text()).toMatch(/\n19 {2}time .*\n.*\n… 1 more \(--full shows all\)\n$/)
  })

  test.each([80, 60, 50])('shows at %i columns where the bytes of a cell are', async (width) => {
    const text = await shown(['at', WEATHER_FRAGMENT, '--cell', 'station=1,day=7'], width)
    expect(text).toContain(`
value
temperature data  -4.1, bytes 148+4 of its content
rain_mm data      3, bytes 74+2 of its content
rain_mm validity  1, bytes 37+1 of its content
`)
  })

  test('shows at 50 columns what a byte is, with whole numbers', async () => {
    const text = await shown(['at', `${WEATHER_FRAGMENT}/__fragment_metadata.tdb`, '40'], 50)
    expect(text).toContain('\n        filter_num       uint32 1 filter, valid\n')
  })

  test('explains every kind of damage in whole sentences', async () => {
    const args = ['write-sample', '--damage', 'list']
    const text = await shown(args, 80)
    expect(text).toContain('\nFRAGMENT_NAME_INVALID (warning)\n  a fragment with a name that TileDB does not write\n')
    expect(text).not.toContain('…')
    expect(await shown(args, 200)).toContain('│ FRAGMENT_NAME_INVALID ')
  })

  test('does not cut the ends of a domain', async () => {
    const text = await shown(['schema', 'test/fixtures/22/float64_full_domain_2d'], 80)
    expect(text).toContain('│ -1.7976931348623157e+308..1.7976931348623157e+308 │')
  })

  test.each([
    [66, '… 1 more column: tiles (--vertical shows all)\n'],
    [60, '… 2 more columns: tiles, size (--vertical shows all)\n'],
  ])('names every column of a listing that %i columns have no room for', async (width, said) => {
    expect(await shown(['ls', 'test/fixtures/10/sparse_consolidated'], width)).toContain(said)
  })

  test('numbers the schemas of an evolved array', async () => {
    const array = 'test/fixtures/22/evolved_sparse'
    const headings = (await shown(['schema', '--all', array])).match(/^schema .*/gm) ?? []
    expect(headings.length).toBeGreaterThan(1)
    expect(headings).toEqual(headings.map((_, i) => `schema ${i + 1}/${headings.length} of ${array}`))
    const newest = await shown(['schema', array])
    expect(newest.startsWith(`${headings.at(-1)}\n`)).toBe(true)
    expect(newest).toContain('--all shows each')
    expect(await shown(['schema', PLACES])).toMatch(/^schema of /)
  })

  test('counts no file of footers as a commit', async () => {
    const text = await shown(['commits', 'test/fixtures/22/fragment_metadata_consolidated'])
    expect(text.split('\n')[1]).toBe('3 commit files, 1 consolidated fragment metadata file')
  })

  test('says nothing of cells and boxes that nobody could read', async () => {
    const args = ['ls', 'test/fixtures/22/encrypted']
    const { text, code } = await run(args, { columns: 80, env: { NO_COLOR: '1' } })
    expect(code).toBe(3)
    expect(text).not.toContain('non-empty domain')
    expect(text).toContain('\n1 fragment (1 unreadable), 10.6 KiB (10,826 bytes)\n')
  })

  test('says that the tiles of files are left out', async () => {
    expect(await shown(['ls', PLACES_FRAGMENT], 80)).toContain('\n… 1 more column: tiles (--vertical shows all)\n')
    expect(await shown(['ls', PLACES_FRAGMENT], 300)).not.toContain('more column')
  })

  test('says where cells are cut', async () => {
    const args = ['decode', 'test/fixtures/22/type_multi_value/__1', '--limit', '2']
    const said =
      /\n… 3 more columns: \w+, \w+, \w+ \(--field shows those that are named, --vertical\n {2}all\)\n2 of 20 cells\n/
    expect(await shown(args, 80)).toMatch(said)
    expect(await shown(args, 300)).toMatch(/\n2 of 20 cells\n$/)
    expect(await shown(args)).toMatch(/\n2 of 20 cells\n$/)
  })

  test('has long notes beside bytes go on below themselves', async () => {
    const text = await shown(['tile', '--hex', PLACES_FRAGMENT, 'lat', '2'], 80)
    expect(
      text.startsWith(`\
examples/arrays/places/__fragments/
  __1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22/d0.tdb
tile 2 of 5, in a file of 1,110 bytes
`),
    ).toBe(true)
    expect(text).toContain(`
                       [0] uint32: original_length 64 bytes,
                           compressed_length 73 bytes (valid)
`)
    expect(text).toContain('\n                         digest bytes: 0x2e7bb381f865a4df… (32 bytes) (valid)\n')
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

async function drawn(view: (out: Output) => Promise<void>, columns?: number, full = false): Promise<string> {
  const out = { ...sink(columns), full }
  await view(out)
  return out.text()
}

/** A document, or what a view needs of one. */
function document<T>(rest: object): T {
  return { kind: 'test', path: 'array', schema_version: 1, ...rest } as T
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

describe('fragments', () => {
  const fragment = (name: string, rest: { [key: string]: Result }): { [key: string]: Result } => ({
    name,
    timestamp_range: [10n, 10n],
    cell_num: 4,
    cells_in_domain: 4,
    tile_num: 1,
    size: 100,
    ratio: null,
    array_schema_name: null,
    nonempty_domain: [[1, 4]],
    visible: true,
    state: 'live',
    ...rest,
  })
  const array = (fragments: Result[]) =>
    document<Parameters<typeof arrayTable>[0]>({
      array_type: 'sparse',
      format_version: 22,
      encryption: 'NO_ENCRYPTION',
      schemas: [],
      later_deletes: [],
      missing_fragments: [],
      fragment_num: fragments.length,
      fragments,
      read: { fragment_num: 1 },
      total_size: 100 * fragments.length,
    })
  const arrayShown = (shown: ReturnType<typeof array>, names: string[], out: Output) =>
    arrayTable(shown, (exact) => fragmentColumns(shown, names, exact), out)

  test('that TileDB does not read are explained, an unreadable one shows why', async () => {
    const unread = { cell_num: null, cells_in_domain: null, tile_num: null, nonempty_domain: null }
    const fragments = [
      fragment('__a', {}),
      fragment('__b', { visible: false, state: 'uncommitted' }),
      fragment('__c', { ...unread, error: { code: 'TRUNCATED', message: 'expected 8 bytes, found 3' } }),
    ]
    expect(await drawn((out) => arrayShown(array(fragments), ['x'], out))).toMatchSnapshot()
  })

  test('are told apart at 80 columns by a number and a beginning that is enough', async () => {
    const name = (i: number): string => `__1714557600000_1714557600000_04894f5595${i}7af000ebf5f96a638b95d_22`
    const many = array(
      Array.from({ length: 25 }, (_, i) =>
        fragment(name(i + 10), {
          state: i === 22 ? 'uncommitted' : 'live',
          nonempty_domain: [[-37.8136, 69.6492 + i]],
        }),
      ),
    )
    const text = await drawn((out) => arrayShown(many, ['latitude'], out), 80)
    const rows = text.split('\n').filter((line) => /^│ +\d/.test(line))
    expect(rows).toHaveLength(20)
    // what needs attention comes first
    expect(rows[0]).toMatch(/uncommitted/)
    const beginnings = rows.map((row) => row.split('│')[2].trim())
    const names = Array.from({ length: 25 }, (_, i) => name(i + 10))
    for (const [i, beginning] of beginnings.entries()) {
      expect(names.filter((one) => one.startsWith(beginning))).toEqual([names[i === 0 ? 22 : i - 1]])
      expect(text).toContain(
        `\n${String(i + 1).padEnd(2)}  latitude -37.8136..${i === 0 ? 91.6492 : 69.6492 + i - 1}`.slice(0, 25),
      )
    }
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('are cut after 20 unless all are asked for', async () => {
    const many = array(Array.from({ length: 25 }, (_, i) => fragment(`__${i}`, {})))
    const some = await drawn((out) => arrayShown(many, ['x'], out), 120)
    expect(some).toContain('… 5 more (--full shows all)\n25 fragments, 100 cells')
    expect(some).not.toContain('__20')
    expect(await drawn((out) => arrayShown(many, ['x'], out), 120, true)).toContain('__24 ')
    // a pipe is searched
    expect(await drawn((out) => arrayShown(many, ['x'], out))).toContain('__24 ')
  })

  test('that are not there are told', async () => {
    expect(await drawn((out) => arrayShown(array([]), ['x'], out))).toContain('\nno fragments\n')
  })

  test('show files that are missing or that nobody lists', async () => {
    const files = [
      {
        name: 'a0.tdb',
        field: 'a',
        role: 'data',
        tile_num: 1,
        unfiltered_size: 8,
        filters: [],
        size: null,
        listed_size: 40,
        state: 'missing',
      },
      { name: 'x.tdb', field: null, role: 'unknown', size: 5, state: 'not-listed' },
    ]
    const text = await drawn((out) => fragmentTable(document({ ...fragment('__a', {}), files }), ['x'], out))
    expect(text).toContain('missing (listed with 40 bytes)')
    expect(text).toContain('not listed in the metadata')
  })
})

test('a tile outside of an array, encrypted: no role, and the lengths of encrypted parts', async () => {
  const part = { plain_length: 328, encrypted_length: 328, iv: '00', tag: '01' }
  const metadata = { metadata_parts: [], data_parts: [part] }
  const stages = [{ filter: 'AES_256_GCM', metadata, input_length: 424, output_length: 344 }]
  const chunks = [{ offset: 8, original_length: 400, filtered_length: 344, metadata_length: 80, stages }]
  const tile = { field: 'x.tdb', file: 'x.tdb', offset: 0, size: 432, next_offset: null, unfiltered_size: 400, chunks }
  const text = await drawn((out) => tileTable(document(tile), out))
  expect(text).toContain('file        x.tdb\n')
  expect(text).toContain('AES_256_GCM  424 -> 344  data 328 -> 328\n')
})

test('what a name holds does not act on the terminal', async () => {
  const evil = 'a\x1b[31m\nb\u202e'
  const attribute = {
    name: evil,
    type: 'INT32',
    cell_val_num: 1,
    nullable: false,
    fill_value: evil,
    order: 'unordered',
    enumeration: evil,
  }
  const filters = { max_chunk_size: 65_536, filters: [] }
  const schema = document<SchemaDocument>({
    path: evil,
    name: evil,
    array_type: 'dense',
    encryption: 'NO_ENCRYPTION',
    tile_order: 'row-major',
    cell_order: 'row-major',
    coords_filters: filters,
    offsets_filters: filters,
    dimensions: [{ name: evil, type: 'INT32', domain: [evil, evil], tile_extent: null, filters }],
    attributes: [{ ...attribute, filters }],
    enumerations: [],
    dimension_labels: [],
    current_domain: null,
  })
  const views: ((out: Output) => Promise<void>)[] = [
    (out) => schemaTable(schema, undefined, out),
    (out) =>
      rtreeTable(document({ path: evil, level_num: 1, mbr_num: 1, levels: [[[[evil, evil]]]] }), [evil], false, out),
    (out) =>
      footerTable(document({ path: evil, array_schema_name: evil, fields: [{ name: evil, file_size: 1 }] }), out),
    (out) => cellsTable({ path: evil }, each([{ [evil]: evil }]), undefined, out),
    (out) =>
      verifyTable(
        document({
          ...{ path: evil, verdict: 'damaged', unprotected_files: [evil], not_examined: [{ message: evil }] },
          failures: [{ file: evil, tile: null, chunk: null, filter: null, offset: null, message: evil }],
        }),
        out,
      ),
  ]
  for (const view of views) {
    for (const columns of [undefined, 80]) {
      const text = await drawn(view, columns)
      expect(text).toContain('\\x1b[31m')
      expect(text).not.toMatch(/[\x1b\u202e]/)
    }
  }
})

describe('cells', () => {
  /** Rows that are made one by one; says how many were, and whether the source was closed. */
  function source(count: number): {
    cells: AsyncGenerator<CellsLine>
    made: () => number
    closed: () => boolean
  } {
    let made = 0
    let closed = false
    async function* rows(): AsyncGenerator<CellsLine> {
      try {
        for (; made < count; made++) yield { d: made, a: made === 150 ? 'longer than all before' : 'x' }
      } finally {
        closed = true
      }
    }
    return { cells: rows(), made: () => made, closed: () => closed }
  }

  test('stream into a pipe, all of them, while they are made', async () => {
    const { cells, made } = source(1000)
    const madeAtFirst: number[] = []
    const lines: string[] = []
    const out: Output = {
      columns: undefined,
      color: false,
      write: (text) => {
        if (String(text).includes('"x"')) madeAtFirst.push(made())
        lines.push(...String(text).split('\n'))
      },
    }
    await cellsTable({ path: 'array' }, cells, ['d', 'a'], out)
    expect(madeAtFirst[0]).toBeLessThan(300)
    expect(lines).toContain('150  "longer than all before"')
    expect(lines).toContain('1,000 cells')
  })

  test('are cut on a terminal, their source closed', async () => {
    const { cells, made, closed } = source(1000)
    const text = await drawn((out) => cellsTable({ path: 'array' }, cells, ['d', 'a'], out), 80)
    expect(text).toContain('the first 100 cells (--full shows all)\n')
    expect(made()).toBeLessThan(150)
    expect(closed()).toBe(true)
  })

  test('are frames on a terminal, a new one where numbers outgrow theirs', async () => {
    const text = await drawn((out) => cellsTable({ path: 'array' }, source(250).cells, ['d', 'a'], out), 80, true)
    const lines = text.split('\n')
    expect(lines.filter((line) => /^[┌└]/.test(line)).map((line) => line[0])).toEqual(['┌', '└', '┌', '└'])
    expect(text).toContain('│ 99 │')
    expect(text).toContain('│ 249 │')
  })

  test('begin a new table where other columns begin, and mark what could not be read', async () => {
    const cells = [{ d: 1, a: 2 }, { d: 2 }, { d: 3, b: null }]
    expect(await drawn((out) => cellsTable({ path: 'array' }, each(cells), undefined, out))).toBe(`\
array
d  a
1  2
2  ?
d  b
3  null
3 cells
`)
  })
})

test('colour adds to words, and can be switched off', async () => {
  const args = ['verify-checksums', PLACES]
  const colored = await run(args, { columns: 80 })
  expect(colored.text).toContain('\x1b[38;5;130mPARTLY VERIFIED')
  const plain = await run(args, { columns: 80, env: { NO_COLOR: '1' } })
  expect(colored.text.replace(/\x1b\[[\d;]+m/g, '')).toBe(plain.text)
})

test('sizes of var-sized tiles are shown where those of the first tiles are 0', async () => {
  const tile_num = 12
  const offsets = Array.from({ length: tile_num }, (_, tile) => tile * 20)
  const tile_var_sizes = Array.from({ length: tile_num }, (_, tile) => (tile < 11 ? 0 : 1500))
  const field = { name: 's', tile_offsets: offsets, tile_var_offsets: offsets, tile_var_sizes }
  const head = { kind: 'fragment-metadata', path: 'p', schema_version: 1 } as const
  const out = sink()
  await fragmentMetadataTable({ ...head, format_version: 22, tile_num, fields: [field] }, out)
  expect(out.text()).toContain('tile  offset  var offset  var unfiltered\n')
  expect(out.text()).toContain('  11     220         220           1,500\n')
})

test('a range is one value only if its ends are the same to their last character', () => {
  const start = 'chromosome_1_position_00'
  expect(rangeText([`${start}1`, `${start}9`])).toBe(`"${start}…".."${start}…"`)
  expect(rangeText([`${start}1`, `${start}1`])).toBe(`"${start}…"`)
  expect(rangeText([7, 7])).toBe('7')
})

test('timestamps are dates only where they are plausible', () => {
  expect(timeRangeText([10, 20])).toBe('10..20')
  expect(timeRangeText([1714557600000n, 1714557600000n])).toBe('2024-05-01T10:00:00Z (1714557600000)')
  expect(timeRangeText([1714557600001n, 1714557600002n], false)).toBe(
    '2024-05-01T10:00:00.001Z..2024-05-01T10:00:00.002Z',
  )
  expect(timeRangeText([0n, 2n ** 64n - 1n])).toBe('0..18446744073709551615')
})

test('format versions name their releases', () => {
  expect(versionText(1)).toBe('1 (TileDB 1.4)')
  expect(versionText(NEWEST_FORMAT_VERSION)).toBe(`${NEWEST_FORMAT_VERSION} (no TileDB release yet)`)
  expect(versionText(99)).toBe('99 (unknown)')
})

describe('every fixture', () => {
  const commands = ['schema', 'ls', 'footer', 'rtree', 'metadata', 'tiles', 'stats', 'commits', 'verify-checksums']

  test('is shown in 80 columns and in a pipe, within the width, with the exit code of its JSON', async () => {
    const key = ['--key', '0123456789abcdeF0123456789abcdeF']
    for (const version of ['1', '5', '22']) {
      const folder = `test/fixtures/${version}`
      const entries = await readdir(folder, { withFileTypes: true })
      const folders = entries.filter((entry) => entry.isDirectory())
      for (const { name } of shortTurn(folders, version === '22' ? 12 : 4)) {
        for (const command of commands) {
          const args = [command, `${folder}/${name}`, ...key]
          const { code } = await run([...args, '--json'])
          const pipe = await run(args)
          const terminal = await run(args, { columns: 80, env: { NO_COLOR: '1' } })
          expect({ args, codes: [pipe.code, terminal.code] }).toEqual({ args, codes: [code, code] })
          const wide = terminal.text
            .split('\n')
            .filter((line) => line.startsWith('│') && line.length > 80 && isNarrow(line))
          expect({ args, wide }).toEqual({ args, wide: [] })
        }
      }
    }
  })
})

/** Whether every character takes one column. */
function isNarrow(line: string): boolean {
  return /^[\x20-\x7e│…]*$/.test(line)
}
