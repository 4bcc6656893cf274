import { describe, expect, test } from '@jest/globals'
import { PLACES, PLACES_FRAGMENT, shown, WEATHER, WEATHER_FRAGMENT } from '../../helpers/views.ts'

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
