import { Slab } from '../base/slab.ts'
import { orderLanes } from '../cells/cell-order.ts'
import { type ColumnData, sameCell } from '../cells/column.ts'
import { numbersOf } from '../cells/elements.ts'
import { compareValues, coordinateRange, isInDomain } from '../cells/rtree-builder.ts'
import type { KeyLanes } from '../cells/sorted-positions.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import { mbrAt, type RTreeLevel } from '../format/rtree.ts'
import { isAscii } from '../format/text.ts'
import { type FragmentInfo, mayRepeatCoordinates } from '../objects/fragment.ts'
import { type FindingPlace, finding, type Item } from './finding.ts'
import { emptyStringFault } from './known-faults.ts'
import { nanOrders, type OldOrder, oldOrders } from './old-orders.ts'
import { RoundedCoordinates, type TileNotes } from './rounded-coordinates.ts'

/**
 * Checks the coordinates of a sparse fragment, tile by tile. They must lie inside the domain and the tile's box, and in the order
 * of the schema. If the schema forbids duplicates, there must be none.
 */
export class CoordinatesCheck {
  private readonly info: FragmentInfo
  private readonly dimensions: readonly Dimension[]
  private readonly leaves: RTreeLevel | undefined
  /** Coordinates of the last cell of the tile before; undefined if unknown. */
  private last: ColumnData[] | undefined
  private readonly oldOrders: readonly OldOrder[]
  private readonly rounded: RoundedCoordinates
  /** Whether any text so far has a byte of 0x80 or more. Releases disagree only about the order of such text. */
  private beyondAscii = false
  /** Dimensions whose NaN coordinates were reported. */
  private readonly nanReported = new Set<number>()

  /** @param merged whether the cells may come from several writes */
  constructor(info: FragmentInfo, leaves: RTreeLevel | undefined, merged: boolean) {
    this.info = info
    this.oldOrders = oldOrders(info, merged)
    this.rounded = new RoundedCoordinates(info)
    this.dimensions = info.schema.domain.dimensions
    this.leaves = leaves && leaves.mbr_num === info.tile_num ? leaves : undefined
  }

  /** Called for a tile whose coordinates could not be read. */
  skip(): void {
    this.last = undefined
  }

  /** Checks the next tile. @param count number of its cells @param placeOf the place of a dimension's coordinates, for findings */
  add(
    tile: number,
    columns: readonly ColumnData[],
    count: number,
    placeOf: (dimension: number) => FindingPlace,
    items: Item[],
  ): void {
    const ranges: NDRange = this.dimensions.map((dimension, d) => coordinateRange(dimension, columns[d], count))
    for (const [d, dimension] of this.dimensions.entries()) {
      if (this.nanReported.has(d) || !hasNaN(dimension, columns[d].data)) continue
      this.nanReported.add(d)
      const at = named(placeOf(d), dimension)
      items.push(finding('COORDINATE_DOMAIN', at, 'coordinates of the domain', 'NaN', 'nanCoordinate'))
    }
    this.rounded.next(this.leaves && mbrAt(this.leaves, tile, this.dimensions))
    const notes = { placeOf, items }
    this.checkDomain(ranges, notes)
    if (this.leaves) this.checkBox(tile, columns, ranges, mbrAt(this.leaves, tile, this.dimensions), notes)
    this.beyondAscii ||= columns.some(({ data, starts }) => starts !== undefined && !isAscii(data))
    this.checkOrder(columns, count, notes)
  }

  private checkDomain(ranges: NDRange, notes: TileNotes): void {
    const { placeOf, items } = notes
    for (const [d, dimension] of this.dimensions.entries()) {
      if (dimension.cell_val_num === 'var') continue
      if (isInDomain(dimension, ranges[d]) || this.rounded.explainsDomain(d, ranges[d], notes)) continue
      const [expected, found] = ['coordinates inside the domain', 'coordinates outside of it']
      items.push(finding('COORDINATE_DOMAIN', named(placeOf(d), dimension), expected, found))
    }
  }

  /** Compares the coordinates of a tile with its box. */
  private checkBox(
    tile: number,
    columns: readonly ColumnData[],
    ranges: NDRange,
    mbr: NDRange,
    notes: TileNotes,
  ): void {
    const { placeOf, items } = notes
    for (const [d, dimension] of this.dimensions.entries()) {
      if (this.rounded.explainsBox(d, ranges[d], mbr[d], notes)) continue
      const low = compareValues(dimension, ranges[d].min, mbr[d].min)
      const high = compareValues(dimension, ranges[d].max, mbr[d].max)
      const boxIsNaN = hasNaN(dimension, mbr[d].min)
      // TileDB makes a box of NaN if the first coordinate is NaN. The check of the R-tree reports such a box.
      const isUnfounded = boxIsNaN && !hasNaN(dimension, columns[d].data.subarray(0, mbr[d].min.length))
      if (low < 0 || high > 0 || isUnfounded || (!boxIsNaN && hasNaN(dimension, ranges[d].min))) {
        const expected = `coordinates inside the box of tile ${tile}`
        const known = emptyStringFault(this.info, dimension, mbr[d].min)
        items.push(finding('COORDINATE_MBR', named(placeOf(d), dimension), expected, 'some outside of it', known))
      } else if (low > 0 || high < 0) {
        const expected = `the smallest box around tile ${tile}`
        items.push(finding('MBR_LOOSE', named(placeOf(d), dimension), expected, 'a larger one'))
      }
    }
  }

  /** Compares the cells of a tile with one another, and its first cell with the last of the tile before. */
  private checkOrder(columns: readonly ColumnData[], count: number, notes: TileNotes): void {
    const first = columns.map((column, d) => cellOf(column, 0, this.dimensions[d]))
    const both = this.last?.map((column, d) => joined(column, first[d]))
    if (both) this.compareCells(both, 2, -1, notes)
    this.compareCells(columns, count, 0, notes)
    this.last = columns.map((column, d) => cellOf(column, count - 1, this.dimensions[d]))
  }

  /**
   * Compares each cell with the previous one, and reports the first fault of each kind.
   * @param count number of cells
   * @param base number of the first of them in the tile; -1 if it is the last cell of the tile before
   */
  private compareCells(columns: readonly ColumnData[], count: number, base: number, notes: TileNotes): void {
    const { placeOf, items } = notes
    const { schema } = this.info
    // The faults if cells must be in an old order; without one, in the order of today.
    const faultsBy = ({ rule, holds }: Partial<OldOrder> = {}): OrderFaults => {
      const lanes = orderLanes(schema, columns, count, rule)
      const isSame = (cell: number): boolean =>
        columns.every((column, d) => sameCell(column, cell - 1, cell, datatypeSize(this.dimensions[d].type)))
      if (!holds) return firstFaults(lanes, count, isSame)
      const some = Uint32Array.from({ length: count }, (_, cell) => cell).filter((cell) => holds(columns, cell))
      const { falling } = firstFaults(
        lanes.map((lane) => some.map((cell) => lane[cell])),
        some.length,
        () => false,
      )
      return { falling, same: firstFaults([], count, isSame).same }
    }
    let { falling, same } = faultsBy()
    if (falling >= 0 && this.rounded.explainsOrder(columns, falling, notes)) falling = -1
    if (same >= 0 && this.rounded.explainsOrder(columns, same, notes)) same = -1
    if (falling >= 0) {
      const at = { ...placeOf(0), cell: base + falling }
      const expected = 'a cell that sorts after the one before it in global order'
      const orders = this.nanReported.size > 0 ? [...this.oldOrders, ...nanOrders(this.info)] : this.oldOrders
      let known: OldOrder | undefined
      for (const order of orders) {
        if (order.rule.text !== 'unsigned' && !this.beyondAscii) continue
        const faults = faultsBy(order)
        if (faults.falling >= 0) continue
        known = order
        // In this order all cells were examined, not only those before the fault.
        same = faults.same
        break
      }
      items.push(finding('COORDINATE_ORDER', at, expected, 'one that sorts before it', known?.faults))
    }
    if (same >= 0 && !mayRepeatCoordinates(this.info)) {
      const at = { ...placeOf(0), cell: base + same }
      const found = 'those of the cell before it'
      items.push(finding('COORDINATE_DUPLICATE', at, 'coordinates of its own', found))
    }
  }
}

interface OrderFaults {
  /** The first cell that sorts before the previous one; -1 for none. */
  falling: number
  /** The first examined cell with the coordinates of the previous one; -1 for none. */
  same: number
}

/**
 * @param lanes keys of the order; without any, only equal cells are found
 * @param count number of cells
 * @param isSame whether a cell has the coordinates of the one before it
 */
function firstFaults(lanes: KeyLanes, count: number, isSame: (cell: number) => boolean): OrderFaults {
  let same = -1
  for (let cell = 1; cell < count; cell++) {
    let lane = 0
    while (lane < lanes.length && lanes[lane][cell - 1] === lanes[lane][cell]) lane++
    if (lane === lanes.length) {
      if (same < 0 && isSame(cell)) same = cell
    } else if (lanes[lane][cell - 1] > lanes[lane][cell]) return { falling: cell, same }
  }
  return { falling: -1, same }
}

/** The place of a dimension. */
function named(place: FindingPlace, { name }: Dimension): FindingPlace {
  return { ...place, field: name }
}

function hasNaN({ type }: Dimension, data: Uint8Array): boolean {
  if (datatypeKind(type) !== 'float') return false
  const values = numbersOf(type, data)
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return true
  return false
}

const slab = new Slab()

/** A copy of one cell of a column. */
function cellOf({ data, starts }: ColumnData, cell: number, { type }: Dimension): ColumnData {
  const size = datatypeSize(type)
  const [from, to] = starts ? [starts[cell], starts[cell + 1]] : [cell * size, (cell + 1) * size]
  const value = slab.take(to - from)
  value.set(data.subarray(from, to))
  return { data: value, starts: starts && Float64Array.of(0, value.length), validity: undefined }
}

/** A column with the one cell of each of two columns. */
function joined(a: ColumnData, b: ColumnData): ColumnData {
  const data = slab.take(a.data.length + b.data.length)
  data.set(a.data)
  data.set(b.data, a.data.length)
  const starts = a.starts && Float64Array.of(0, a.data.length, data.length)
  return { data, starts, validity: undefined }
}
