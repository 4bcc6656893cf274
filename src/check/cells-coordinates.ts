import type { ColumnData } from '../cells/column.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import type { RTreeLevel } from '../format/rtree.ts'
import { mbrAt } from '../format/rtree.ts'
import type { FragmentInfo } from '../fragment.ts'
import { type KeyLanes, orderLanes } from '../write/cell-order.ts'
import { numbersOf } from '../write/elements.ts'
import { compareValues, coordinateRange } from '../write/rtree-builder.ts'
import { finding, type Item, type Place } from './finding.ts'
import { emptyStringFault, FLOAT_FAULT, FLOAT_TILES_SINCE, HILBERT_FAULT, HILBERT_SETTLED } from './known-faults.ts'

/**
 * Coordinates of a sparse fragment, tile by tile: inside the domain and the tile's box, in the order that the schema promises,
 * no two the same where it forbids them.
 */
export class CoordinatesCheck {
  private readonly info: FragmentInfo
  private readonly dimensions: readonly Dimension[]
  private readonly leaves: RTreeLevel | undefined
  /** Coordinates of the last cell of the tile before; undefined where they are not known. */
  private last: ColumnData[] | undefined

  constructor(info: FragmentInfo, leaves: RTreeLevel | undefined) {
    this.info = info
    this.dimensions = info.schema.domain.dimensions
    this.leaves = leaves && leaves.mbr_num === info.tile_num ? leaves : undefined
  }

  /** A tile whose coordinates could not be read. */
  skip(): void {
    this.last = undefined
  }

  add(tile: number, columns: readonly ColumnData[], cells: number, places: readonly Place[], items: Item[]): void {
    const ranges: NDRange = this.dimensions.map((dimension, d) => coordinateRange(dimension, columns[d], cells))
    const nan = this.dimensions.findIndex((dimension, d) => isNaNColumn(dimension, columns[d]))
    if (nan >= 0) {
      items.push(finding('COORDINATE_DOMAIN', places[nan], 'a coordinate of the domain', 'NaN'))
      this.last = undefined
      return
    }
    this.domain(ranges, places, items)
    if (this.leaves) this.box(tile, ranges, mbrAt(this.leaves, tile, this.dimensions), places, items)
    this.order(columns, cells, places[0], items)
  }

  private domain(ranges: NDRange, places: readonly Place[], items: Item[]): void {
    for (const [d, dimension] of this.dimensions.entries()) {
      if (dimension.cell_val_num === 'var') continue
      const size = datatypeSize(dimension.type)
      const { min, max } = ranges[d]
      const inside =
        compareValues(dimension, min, dimension.domain.subarray(0, size)) >= 0 &&
        compareValues(dimension, max, dimension.domain.subarray(size)) <= 0
      if (!inside) {
        const found = 'coordinates outside of it'
        items.push(finding('COORDINATE_DOMAIN', named(places[d], dimension), 'coordinates inside the domain', found))
      }
    }
  }

  private box(tile: number, ranges: NDRange, mbr: NDRange, places: readonly Place[], items: Item[]): void {
    for (const [d, dimension] of this.dimensions.entries()) {
      const low = compareValues(dimension, ranges[d].min, mbr[d].min)
      const high = compareValues(dimension, ranges[d].max, mbr[d].max)
      if (low < 0 || high > 0) {
        const expected = `coordinates inside the box of tile ${tile}`
        const known = emptyStringFault(this.info, dimension, mbr[d].min)
        items.push(finding('COORDINATE_MBR', named(places[d], dimension), expected, 'some outside of it', known))
      } else if (low > 0 || high < 0) {
        const expected = `the smallest box around tile ${tile}`
        items.push(finding('MBR_LOOSE', named(places[d], dimension), expected, 'a larger one'))
      }
    }
  }

  private order(columns: readonly ColumnData[], cells: number, place: Place, items: Item[]): void {
    const first = columns.map((column, d) => cellOf(column, 0, this.dimensions[d]))
    if (this.last) {
      this.compare(
        this.last.map((column, d) => joined(column, first[d])),
        2,
        -1,
        place,
        items,
      )
    }
    this.compare(columns, cells, 0, place, items)
    this.last = columns.map((column, d) => cellOf(column, cells - 1, this.dimensions[d]))
  }

  /** Each cell against the one before it; the first fault of each kind is told. */
  private compare(columns: readonly ColumnData[], cells: number, base: number, place: Place, items: Item[]): void {
    const { schema, footer } = this.info
    const { falling, same } = firstFaults(orderLanes(schema, columns, cells), cells)
    if (falling >= 0) {
      const at = { ...place, field: `cell ${base + falling}` }
      const expected = 'a cell behind the one before it in global order'
      items.push(finding('COORDINATE_ORDER', at, expected, 'one ahead of it', this.orderFault(columns, cells)))
    }
    if (same >= 0 && !schema.allows_duplicates && footer?.includes_timestamps !== true) {
      const at = { ...place, field: `cell ${base + same}` }
      items.push(finding('COORDINATE_DUPLICATE', at, 'coordinates of its own', 'those of the cell before it'))
    }
  }

  /** Whether the cells are in the order that an old release took for the right one. */
  private orderFault(columns: readonly ColumnData[], cells: number): string | undefined {
    const { format_version, schema } = this.info
    if (format_version < HILBERT_SETTLED && schema.cell_order === 'hilbert') return HILBERT_FAULT
    if (format_version >= FLOAT_TILES_SINCE) return undefined
    const dimensions = this.dimensions.map((one) =>
      datatypeKind(one.type) === 'float' ? { ...one, tile_extent: undefined } : one,
    )
    const untiled = { ...schema, domain: { ...schema.domain, dimensions } }
    return firstFaults(orderLanes(untiled, columns, cells), cells).falling < 0 ? FLOAT_FAULT : undefined
  }
}

/** First cell that sorts ahead of the one before it, and first with the same key; -1 for none. */
function firstFaults(lanes: KeyLanes, cells: number): { falling: number; same: number } {
  let same = -1
  for (let cell = 1; cell < cells; cell++) {
    let lane = 0
    while (lane < lanes.length && lanes[lane][cell - 1] === lanes[lane][cell]) lane++
    if (lane === lanes.length) {
      if (same < 0) same = cell
    } else if (lanes[lane][cell - 1] > lanes[lane][cell]) return { falling: cell, same }
  }
  return { falling: -1, same }
}

function named(place: Place, { name }: Dimension): Place {
  return { ...place, field: name }
}

function isNaNColumn({ type }: Dimension, { data }: ColumnData): boolean {
  if (datatypeKind(type) !== 'float') return false
  const values = numbersOf(type, data)
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return true
  return false
}

/** A column of one of another's cells. */
function cellOf({ data, starts }: ColumnData, cell: number, { type }: Dimension): ColumnData {
  if (!starts) {
    const size = datatypeSize(type)
    return { data: data.slice(cell * size, (cell + 1) * size), starts: undefined, validity: undefined }
  }
  const value = data.slice(starts[cell], starts[cell + 1])
  return { data: value, starts: Float64Array.of(0, value.length), validity: undefined }
}

function joined(a: ColumnData, b: ColumnData): ColumnData {
  const data = new Uint8Array(a.data.length + b.data.length)
  data.set(a.data)
  data.set(b.data, a.data.length)
  const starts = a.starts && Float64Array.of(0, a.data.length, data.length)
  return { data, starts, validity: undefined }
}
