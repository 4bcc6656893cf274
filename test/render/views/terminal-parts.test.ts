import { describe, expect, test } from '@jest/globals'
import type { HistoryDocument } from '../../../src/documents/history.ts'
import type { ReadStatsDocument } from '../../../src/documents/read-stats.ts'
import type { OneStats } from '../../../src/documents/stats.ts'
import { historyTable } from '../../../src/render/views/history.ts'
import { readStatsTable } from '../../../src/render/views/read-stats.ts'
import { rtreeTable } from '../../../src/render/views/rtree.ts'
import { statsTable } from '../../../src/render/views/stats.ts'
import { run, runJson } from '../../helpers/run.ts'
import { drawn, PLACES, PLACES_FRAGMENT, shown, WEATHER, WEATHER_FRAGMENT } from '../../helpers/views.ts'
import { sink } from '../sink.ts'

describe('a terminal of 80 columns', () => {
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

  test('shows first why a condition chose a tile: minima and maxima of its fields', async () => {
    expect(await shown(['tiles', PLACES_FRAGMENT, '--where', 'population > 10000000'], 80)).toBe(`\
examples/arrays/places/__fragments/
  __1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22
format version 22 (TileDB 2.25 to 2.30), 5 tiles; offsets and sizes in bytes
┌──────┬───────┬────────────┬─────────┬──────────┬──────────┬───────┐
│ tile │ cells │ field      │     min │      max │      sum │ nulls │
├──────┼───────┼────────────┼─────────┼──────────┼──────────┼───────┤
│    0 │     8 │ population │ 2817000 │ 11450000 │ 23599000 │     4 │
│    1 │     8 │ population │  456000 │ 15600000 │ 21096000 │     4 │
│    2 │     8 │ population │ 1640000 │ 14000000 │ 48680000 │     2 │
└──────┴───────┴────────────┴─────────┴──────────┴──────────┴───────┘
3 of 5 tiles
no room for: role, offset, size, unfiltered, ratio

boxes of the tiles
0  lat -34.93..-0.18, lon -78.47..138.6
1  lat -37.81..41.01, lon 18.42..174.76
2  lat 1.35..59.94, lon 30.31..139.69
`)
    // In a pipe, too, the table has only these fields, but all their files, which --field names as well.
    const args = ['tiles', PLACES_FRAGMENT, '--where', 'population > 10000000']
    const plain = await shown(args)
    expect(plain.match(/ validity /g)).toHaveLength(3)
    expect(plain).not.toContain('founded')
    expect(await shown([...args, '--field', 'founded'])).toMatch(/ founded .*(?<!population)\n/)
    const [{ tiles }] = (await runJson(args)).documents as { tiles?: { fields: { name: string }[] }[] }[]
    expect(tiles?.[0].fields.map(({ name }) => name)).toContain('founded')
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

  test('shows beginnings of the names of commits, which leaves room for their effects', async () => {
    const text = await shown(['commits', 'test/fixtures/22/deletes'], 80)
    expect(text).toContain('file begins')
    expect(text).toMatch(/│ effect .*│ refers to/)
    expect(text).toMatch(/^│ __10_10_\w+\.wrt +│ write +│.*│ visible +│ fragment of that name │$/m)
  })

  test('shows the largest fields, and sums of the others', async () => {
    const { documents } = await runJson(['stats', PLACES])
    const [document] = documents as unknown as [OneStats]
    const [field] = document.fields
    const fields = Array.from({ length: 50 }, (_, i) => ({ ...field, name: `a_field_with_a_long_name_${i}` }))
    const text = await drawn((out) => statsTable({ ...document, fields }, out), 80)
    expect(text).toMatch(/^│ … 40 more \(--full\) +│ +│ +[\d.]+ KiB │/m)
    expect(text.match(/^│ a_field_with/gm)).toHaveLength(10)
    expect(await drawn((out) => statsTable({ ...document, fields }, out), 80, true)).not.toContain('40 more')
  })

  test('shows whole values of a cell below its versions', async () => {
    const { documents } = await runJson(['history', WEATHER, '--cell', 'station=1,day=7'])
    const [document] = documents as unknown as [HistoryDocument]
    const flux = [-874.289872055645, 433.7409115870747, Math.PI, Math.E]
    const withValues = (values: Record<string, number | string>): HistoryDocument => ({
      ...document,
      versions: document.versions.map((version) => ({ ...version, values })),
    })
    for (const columns of [60, 80, 100, 200]) {
      const text = await drawn(
        (out) => historyTable(withValues(Object.fromEntries(flux.entries())), false, out),
        columns,
      )
      for (const value of flux)
        expect(text.match(new RegExp(`=${value}\\b`, 'g'))).toHaveLength(document.versions.length)
    }
    const many = withValues(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`field_${i}`, i + Math.PI])))
    expect(await drawn((out) => historyTable(many, false, out), 80)).toMatch(
      /^values\n(?:.*\n)*? +field_\d+=[\d.]+, and \d\d\s+more\n/m,
    )
    expect(await drawn((out) => historyTable(many, false, out), 80, true)).toContain(`field_98=${98 + Math.PI}`)
  })

  const NOW = { isNow: true, chosen: undefined }

  test.each([60, 80, 90])('shows whole minima, maxima, sums and dates of what a reader sees (%i)', async (columns) => {
    const { documents } = await runJson(['stats', '--read', PLACES])
    const [document] = documents as unknown as [ReadStatsDocument]
    const field = document.fields.find(({ name }) => name === 'lat')
    if (!field) throw new Error('lat expected')
    const numbers = { min: -142.93380360533752, max: 17477840.263979755, sum: 145389979.41511813, mean: 14539 }
    const dates = { min: '2026-05-21T20:57:37.746504578', max: '2057-08-12T00:56:07.998051995', sum: null, mean: null }
    const fields = [
      { ...field, ...numbers, name: 'flux' },
      { ...field, ...dates, name: 'seen', type: 'DATETIME_NS' } as const,
    ]
    for (const some of [fields, [fields[0]], [fields[1]]]) {
      const text = await drawn((out) => readStatsTable({ ...document, fields: some }, [], NOW, out), columns)
      const found = text.slice(text.indexOf('\nfields\n'))
      for (const { min, max, sum } of some)
        for (const value of [min, max, sum]) if (value !== null) expect(found).toContain(` ${value}`)
      expect(found).not.toContain('…')
    }
  })

  test('breaks what a finding says as it began, and cuts the name of its file', async () => {
    const { text } = await run(['check', 'examples/damaged/places'], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toContain(`
error CHECKSUM_MISMATCH __fragments/__1714557600000…00ebf5f96a638b95d_22/d0.tdb:
tile 0, chunk 0, byte 20, field CHECKSUM_SHA256
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
    [66, ['tiles']],
    [60, ['tiles', 'size']],
    [50, ['tiles', 'size']],
  ])('names every column of a listing that %i columns have no room for', async (width, inOrder) => {
    const args = ['ls', 'test/fixtures/10/sparse_consolidated']
    const headings = (text: string): string[] =>
      text
        .split('\n')
        .find((line) => line.includes('│'))
        ?.match(/\w[\w -]*\w/g) ?? []
    const [, ...all] = headings(await shown(args, 300))
    const text = await shown(args, width)
    // The line of names is wrapped where it is long.
    const unwrapped = text.replaceAll('\n  ', ' ')
    const [said, , names = ''] = /\n… (\d+) more columns?: (.+) \(--vertical shows all\)\n/.exec(unwrapped) ?? []
    const [, below = ''] = /^# (.+)$/m.exec(text) ?? []
    const named = names.split(', ')
    const elsewhere = [...headings(text), ...below.split('; ')]
    expect(named.toSorted()).toEqual(all.filter((name) => !elsewhere.includes(name)).toSorted())
    expect(said).toContain(`… ${named.length} more column${named.length === 1 ? '' : 's'}: `)
    // Those that matter least are named first.
    expect(named.filter((name) => name === 'tiles' || name === 'size')).toEqual(inOrder)
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
