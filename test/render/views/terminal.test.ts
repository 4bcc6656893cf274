import { describe, expect, test } from '@jest/globals'
import { run } from '../../helpers/run.ts'
import { PLACES, PLACES_FRAGMENT, shown, WEATHER, WEATHER_FRAGMENT } from '../../helpers/views.ts'

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
})
