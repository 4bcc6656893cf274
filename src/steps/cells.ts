import type { RangeSets } from '../cells/bounds.ts'
import { allRows, type ColumnData, type ColumnType, cellBytes } from '../cells/column.ts'
import { gather } from '../cells/gather.ts'
import { NOT_DELETED } from '../cells/rows.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import { concat } from '../filters/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { NDRange } from '../format/range.ts'
import { fillCell } from '../read/fill.ts'
import { CellFilter, writtenAt } from '../read/filter.ts'
import { type OpenedArray, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { Source } from '../read/source.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'

/**
 * All cells that a read of an array returns, in one set: what a rewrite puts into a new array.
 * @param part a box, instead of all; `domain` is the same of a dense array
 */
export async function cellsToRewrite(
  opened: OpenedArray,
  part: { ranges: RangeSets; domain: NDRange | undefined } = { ranges: new Map(), domain: undefined },
): Promise<FragmentCellsToWrite> {
  const { schema, fragments } = opened
  const { ranges } = part
  const dense = schema.array_type === 'dense'
  const types = readColumns(schema, { order: 'row-major', ranges: new Map() })
  const parts: ColumnData[][] = types.map(() => [])
  let cell_num = 0
  const order = dense ? 'row-major' : schema.allows_duplicates ? 'unordered' : 'global'
  for await (const batch of readMerged(opened, { order, ranges })) {
    const rows = batch.rows && Int32Array.from(batch.rows)
    cell_num += rows ? rows.length : batch.cell_num
    for (const [i, type] of types.entries()) {
      const column = batch.columns[i] ?? repeated(fillCell(schema, type), batch.cell_num)
      parts[i].push(gather(column, elementSize(type), rows ?? { from: 0, to: batch.cell_num }))
    }
  }
  const domains = fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : []))
  const domain = dense ? (part.domain ?? unionOf(domains, schema.domain.dimensions)) : undefined
  const kept = types.flatMap((type, i) =>
    dense && type.kind === 'dimension' ? [] : [[type.name, joined(parts[i], type)] as const],
  )
  return { domain, cell_num, columns: new Map(kept) }
}

/** What consolidation does with the cells that delete conditions name: keeps them as they are, with the time of their deletion, or not at all. */
type OfDeleted = 'as-they-are' | 'marked' | 'purged'

/**
 * All cells of a sparse array with their times, as `tiledb.consolidate` writes them: of several cells with the same coordinates, all
 * are kept, the newest first.
 *
 * @param ofDeleted `marked` adds the time and the condition of the deletion of each cell: its place among {@link OpenedArray.deletes}
 */
export async function cellsToConsolidate(
  opened: OpenedArray,
  ofDeleted: OfDeleted = 'as-they-are',
): Promise<FragmentCellsToWrite> {
  const { schema, fragments, deletes } = opened
  const query: ReadQuery = { order: 'global', ranges: new Map() }
  const types = readColumns(schema, query)
  const filter = ofDeleted === 'as-they-are' ? undefined : await CellFilter.of(opened, query, true)
  const parts: ColumnData[][] = types.map(() => [])
  const times: bigint[] = []
  const deletions: Deletion[] = []
  for (const [index, fragment] of fragments.entries()) {
    const source = await Source.open(fragment, index, filter?.wanted ?? types, undefined)
    try {
      const tiles = Array.from(source.tiles(new Map()), ({ tile }) => tile)
      for await (const batch of source.batches(tiles)) {
        const all = allRows(batch.cell_num)
        const found = filter?.deletions([batch], { from: new Uint32Array(all.length), rows: all })
        const rows = ofDeleted === 'purged' ? all.filter((row) => found?.[row] === undefined) : all
        for (const [i, type] of types.entries()) {
          const column = batch.columns[i] ?? repeated(fillCell(schema, type), batch.cell_num)
          parts[i].push(gather(column, elementSize(type), Int32Array.from(rows)))
        }
        for (const row of rows) {
          times.push(BigInt(writtenAt(batch, row)))
          deletions.push(found?.[row])
        }
      }
    } finally {
      await source.close()
    }
  }
  const order = Int32Array.from(times.keys()).sort((a, b) =>
    times[a] > times[b] ? -1 : times[a] < times[b] ? 1 : a - b,
  )
  const uint64s = (value: (cell: number) => bigint): ColumnData => ({
    data: new Uint8Array(BigUint64Array.from(order, value).buffer),
    starts: undefined,
    validity: undefined,
  })
  const columns = new Map(types.map((type, i) => [type.name, gather(joined(parts[i], type), elementSize(type), order)]))
  columns.set(
    '__timestamps',
    uint64s((cell) => times[cell]),
  )
  if (ofDeleted === 'marked') {
    const placeOf = (deletion: Deletion): bigint =>
      deletion ? BigInt(deletes.findIndex(({ name }) => name === deletion.name)) : NOT_DELETED
    columns.set(
      '__delete_timestamps',
      uint64s((cell) => deletions[cell]?.time ?? NOT_DELETED),
    )
    columns.set(
      '__delete_condition_index',
      uint64s((cell) => placeOf(deletions[cell])),
    )
  }
  return { domain: undefined, cell_num: times.length, columns }
}

type Deletion = ReturnType<CellFilter['deletions']>[number]

function elementSize({ type, cell_val_num }: ColumnType): number {
  return cell_val_num === 'var' ? datatypeSize(type) : datatypeSize(type) * cell_val_num
}

/** A column with one cell, so many times. */
function repeated(cell: ColumnData, count: number): ColumnData {
  return gather(cell, cellBytes(cell, 0, cell.data.length).length, new Int32Array(count))
}

/** Columns one after another. */
function joined(parts: readonly ColumnData[], { cell_val_num, nullable }: ColumnType): ColumnData {
  const data = concat(parts.map((part) => part.data))
  const validity = nullable ? concat(parts.map((part) => part.validity ?? new Uint8Array(0))) : undefined
  if (cell_val_num !== 'var') return { data, starts: undefined, validity }
  const counts = parts.map(({ starts }) => (starts ? starts.length - 1 : 0))
  const starts = new Float64Array(counts.reduce((a, b) => a + b, 0) + 1)
  let cell = 0
  let base = 0
  for (const [p, part] of parts.entries()) {
    const own = part.starts ?? new Float64Array(1)
    for (let i = 0; i < counts[p]; i++) starts[cell++] = base + own[i] - own[0]
    base += part.data.length
  }
  starts[cell] = base
  return { data, starts, validity }
}
