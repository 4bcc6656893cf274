import { describe, expect, test } from '@jest/globals'
import type { Output, Result } from '../../../src/base/result.ts'
import { fragmentColumns } from '../../../src/calls/listed-fragment.ts'
import type { CellsLine } from '../../../src/documents/cells.ts'
import type { SchemaDocument } from '../../../src/documents/schema.ts'
import { cellsTable } from '../../../src/render/views/cells.ts'
import { footerTable } from '../../../src/render/views/footer.ts'
import { arrayTable, fragmentTable } from '../../../src/render/views/ls.ts'
import { fragmentMetadataTable } from '../../../src/render/views/metadata.ts'
import { rtreeTable } from '../../../src/render/views/rtree.ts'
import { schemaTable } from '../../../src/render/views/schema.ts'
import { tileTable } from '../../../src/render/views/tile.ts'
import { verifyTable } from '../../../src/render/views/verify.ts'
import { document, drawn, each } from '../../helpers/views.ts'
import { sink } from '../sink.ts'

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
