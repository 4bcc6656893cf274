import { concat } from '../base/bytes.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { allRows, type CellBatch, type ColumnData, type ColumnType, cellBytes } from '../cells/column.ts'
import { type CellPositions, gather } from '../cells/gather.ts'
import { NOT_DELETED } from '../cells/rows.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import { fillCell } from '../read/fill.ts'
import { CellFilter, writtenAt } from '../read/filter.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { SparseSource } from '../read/source.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'

/** The box around all that was written to some fragments. */
export function boxAround(fragments: readonly OpenedFragment[], dimensions: readonly Dimension[]): NDRange {
  return unionOf(
    fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : [])),
    dimensions,
  )
}

/** Called with the number of cells that were read so far, and with that of the fragments' cells, which may be more than are read. */
export type OnRead = (cells: number, ofAll: number) => void

/**
 * All cells that a read of an array returns, in one set: what a rewrite puts into a new array.
 * @param part a box, instead of all cells; `domain` is the same box in a dense array
 */
export async function cellsToRewrite(
  opened: OpenedArray,
  part: { ranges: RangeSets; domain: NDRange | undefined } = { ranges: new Map(), domain: undefined },
  onRead?: OnRead,
): Promise<FragmentCellsToWrite> {
  const { schema, fragments } = opened
  const { ranges } = part
  const dense = schema.array_type === 'dense'
  const collected = new CollectedColumns(schema)
  const sparseOrder = schema.allows_duplicates ? 'unordered' : 'global'
  const order = dense ? 'row-major' : sparseOrder
  const all = cellsOf(opened)
  for await (const batch of readMerged(opened, { order, ranges })) {
    collected.add(batch, batch.rows ? Int32Array.from(batch.rows) : { from: 0, to: batch.cell_num })
    onRead?.(collected.cell_num, all)
  }
  const domain = dense ? (part.domain ?? boxAround(fragments, schema.domain.dimensions)) : undefined
  return {
    domain,
    cell_num: collected.cell_num,
    columns: collected.columns(({ kind }) => !dense || kind !== 'dimension'),
  }
}

/** Number of cells of all fragments. */
function cellsOf({ fragments }: OpenedArray): number {
  return sum(fragments, ({ info }) => Number(cellsInDomain(info)))
}

/** What consolidation does with the cells that delete conditions name: keeps them as they are, with the time of their deletion, or not at all. */
type OfDeleted = 'as-they-are' | 'marked' | 'purged'

/**
 * All cells of a sparse array with their times, as `tiledb.consolidate` writes them. Of several cells with the same coordinates all
 * are kept, the newest first.
 *
 * @param ofDeleted `marked` adds to each deleted cell its time and the index of its condition in {@link OpenedArray.deletes}
 */
export async function cellsToConsolidate(
  opened: OpenedArray,
  ofDeleted: OfDeleted = 'as-they-are',
  onRead?: OnRead,
): Promise<FragmentCellsToWrite> {
  const { schema, fragments, deletes } = opened
  const inAll = cellsOf(opened)
  const collected = new CollectedColumns(schema)
  const filter = ofDeleted === 'as-they-are' ? undefined : await CellFilter.of(opened, EVERYTHING, true)
  const times: bigint[] = []
  const deletions: Deletion[] = []
  for (const [index, fragment] of fragments.entries()) {
    const source = await SparseSource.open(fragment, index, filter?.wanted ?? collected.types)
    try {
      const tiles = Array.from(source.tiles(new Map()), ({ tile }) => tile)
      for await (const batch of source.batches(tiles)) {
        const all = allRows(batch.cell_num)
        const found = filter?.deletions([batch], { from: new Uint32Array(all.length), rows: all })
        collected.add(batch, Int32Array.from(all))
        for (const row of all) {
          times.push(BigInt(writtenAt(batch, row)))
          deletions.push(found?.[row])
        }
        onRead?.(collected.cell_num, inAll)
      }
    } finally {
      await source.close()
    }
  }
  const columns = collected.columns()
  const newestFirst = Int32Array.from(times.keys()).sort((a, b) => rising(times[b], times[a]) || a - b)
  const order = ofDeleted === 'purged' ? newestFirst.filter(staysAfterPurge(schema, columns, deletions)) : newestFirst
  for (const type of collected.types) {
    const column = columns.get(type.name)
    if (column) columns.set(type.name, gather(column, elementSize(type), order))
  }
  const addUint64s = (name: string, value: (cell: number) => bigint): void => {
    const data = new Uint8Array(BigUint64Array.from(order, value).buffer)
    columns.set(name, { data, starts: undefined, validity: undefined })
  }
  addUint64s('__timestamps', (cell) => times[cell])
  if (ofDeleted === 'marked') {
    const indexOf = (deletion: Deletion): bigint =>
      deletion ? BigInt(deletes.findIndex(({ name }) => name === deletion.name)) : NOT_DELETED
    addUint64s('__delete_timestamps', (cell) => deletions[cell]?.time ?? NOT_DELETED)
    addUint64s('__delete_condition_index', (cell) => indexOf(deletions[cell]))
  }
  return { domain: undefined, cell_num: order.length, columns }
}

/**
 * Whether a purge keeps a cell; the cells of a place must be asked about from the newest to the oldest. It drops the deleted cells,
 * and without duplicates what they had overwritten, which would come back otherwise. Measured with TileDB 2.30.
 */
function staysAfterPurge(
  { allows_duplicates, domain }: ArraySchema,
  columns: ReadonlyMap<string, ColumnData>,
  deletions: readonly Deletion[],
): (cell: number) => boolean {
  const emptied = new Set<string>()
  const placeOf = (cell: number): string => {
    const coordinates = domain.dimensions.map(({ name, type, cell_val_num }) => {
      const column = columns.get(name)
      return column ? cellBytes(column, cell, cell_val_num === 'var' ? 0 : datatypeSize(type)).join(' ') : ''
    })
    return coordinates.join(',')
  }
  return (cell) => {
    const isDeleted = deletions[cell] !== undefined
    if (allows_duplicates) return !isDeleted
    if (isDeleted) emptied.add(placeOf(cell))
    return !isDeleted && !(emptied.size > 0 && emptied.has(placeOf(cell)))
  }
}

type Deletion = ReturnType<CellFilter['deletions']>[number]

const EVERYTHING: ReadQuery = { order: 'global', ranges: new Map() }

/** The columns of an array, collected from batches of cells. */
class CollectedColumns {
  readonly types: readonly ColumnType[]
  cell_num = 0
  private readonly schema: ArraySchema
  private readonly parts: readonly ColumnData[][]

  constructor(schema: ArraySchema) {
    this.schema = schema
    this.types = readColumns(schema, EVERYTHING)
    this.parts = this.types.map(() => [])
  }

  /** Adds some cells of a batch. A column that the batch lacks has fill values. */
  add(batch: Pick<CellBatch, 'columns' | 'cell_num'>, positions: CellPositions): void {
    this.cell_num += 'from' in positions ? positions.to - positions.from : positions.length
    for (const [i, type] of this.types.entries()) {
      const column = batch.columns[i] ?? repeated(fillCell(this.schema, type), batch.cell_num)
      this.parts[i].push(gather(column, elementSize(type), positions))
    }
  }

  /** The columns so far, by name. @param isWanted whether a column is needed */
  columns(isWanted: (type: ColumnType) => boolean = () => true): Map<string, ColumnData> {
    return new Map(
      this.types.flatMap((type, i) => (isWanted(type) ? [[type.name, joined(this.parts[i], type)] as const] : [])),
    )
  }
}

function elementSize({ type, cell_val_num }: ColumnType): number {
  return cell_val_num === 'var' ? datatypeSize(type) : datatypeSize(type) * cell_val_num
}

/** By attribute: the cell that a read returns where nothing was written. */
export function fillCells(schema: ArraySchema): Map<string, ColumnData> {
  const attributes = readColumns(schema, EVERYTHING).filter(({ kind }) => kind === 'attribute')
  return new Map(attributes.map((one) => [one.name, fillCell(schema, one)]))
}

/** A column that repeats one cell. */
function repeated(cell: ColumnData, count: number): ColumnData {
  return gather(cell, cellBytes(cell, 0, cell.data.length).length, new Int32Array(count))
}

/** One column from several. */
function joined(parts: readonly ColumnData[], { cell_val_num, nullable }: ColumnType): ColumnData {
  const data = concat(parts.map((part) => part.data))
  const validity = nullable ? concat(parts.map((part) => part.validity ?? new Uint8Array(0))) : undefined
  if (cell_val_num !== 'var') return { data, starts: undefined, validity }
  const counts = parts.map(({ starts }) => (starts ? starts.length - 1 : 0))
  const starts = new Float64Array(counts.reduce((a, b) => a + b, 0) + 1)
  let cell = 0
  let base = 0
  for (const [p, part] of parts.entries()) {
    const startsHere = part.starts ?? new Float64Array(1)
    for (let i = 0; i < counts[p]; i++) starts[cell++] = base + startsHere[i] - startsHere[0]
    base += part.data.length
  }
  starts[cell] = base
  return { data, starts, validity }
}
