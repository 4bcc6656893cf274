import type { ColumnData } from '../cells/column.ts'
import { numberOf, numbersOf } from '../cells/elements.ts'
import { isStorable, lossOf, misreadAs, roundingAt, roundingOf } from '../cells/loss.ts'
import type { FloatScale } from '../filters/scale-float.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange, Range } from '../format/range.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import { type FindingPlace, finding, type Item } from './finding.ts'

/** Where what is found in a tile is noted. */
export interface TileNotes {
  /** Returns the place of the tile in the data file of a dimension. */
  placeOf(dimension: number): FindingPlace
  items: Item[]
}

/** A dimension whose filter changes coordinates. */
interface RoundedDimension {
  dimension: Dimension
  /** Undefined if nobody knows by how much coordinates were changed. */
  scale: FloatScale | undefined
}

/**
 * Explains what is odd about coordinates that a filter rounded. TileDB orders and bounds cells by the coordinates as they were written. What
 * rounding alone explains is noted once a dimension. What the filter lost is found with the sums (cells-rounded.ts), and not again here.
 */
export class RoundedCoordinates {
  private readonly info: FragmentInfo
  /** By dimension; undefined for one whose coordinates are as they were written. */
  private readonly rounded: readonly (RoundedDimension | undefined)[]
  private readonly noted = new Set<number>()
  /** Whether the filter lost coordinates of the tile, by dimension. */
  private isLost: readonly boolean[] = []
  /** Whether it did so in this tile or in the one before. */
  private mayBeOutOfOrder = false

  constructor(info: FragmentInfo) {
    this.info = info
    this.rounded = info.schema.domain.dimensions.map((dimension, d) => {
      const slot = info.slots.findIndex(({ kind, index }) => kind === 'dimension' && index === d)
      return slot < 0 || lossOf(info, slot) === 'none' ? undefined : { dimension, scale: roundingOf(info, slot) }
    })
  }

  /** Begins a tile. @param box its box in the metadata, if there is one */
  next(box: NDRange | undefined): void {
    const before = this.isLost
    this.isLost = this.rounded.map((one, d) => {
      const scale = one?.scale
      if (!one || !scale || !box) return false
      return [box[d].min, box[d].max].some((end) => !isStorable(numberOf(one.dimension.type, end), scale))
    })
    this.mayBeOutOfOrder = [...before, ...this.isLost].some(Boolean)
  }

  /** Whether rounding or loss explains coordinates outside of the domain. */
  explainsDomain(d: number, range: Range, notes: TileNotes): boolean {
    const one = this.rounded[d]
    if (!one) return false
    const { domain } = one.dimension
    const [low, high] = [domain.subarray(0, domain.length / 2), domain.subarray(domain.length / 2)]
    return this.explainsEnds(d, range, { min: low, max: high }, true, notes)
  }

  /** Whether rounding or loss explains coordinates that do not fill the box of their tile, or leave it. */
  explainsBox(d: number, range: Range, box: Range, notes: TileNotes): boolean {
    return this.explainsEnds(d, range, box, false, notes)
  }

  /** Whether rounding or loss explains that a cell does not sort after the one before it, or has the same coordinates. */
  explainsOrder(columns: readonly ColumnData[], cell: number, notes: TileNotes): boolean {
    if (this.mayBeOutOfOrder) return true
    const d = this.rounded.findIndex((one, i) => one !== undefined && this.mayChangePlaces(one, columns[i], cell))
    if (d < 0) return false
    this.note(d, notes)
    return true
  }

  /** @param mayBeInside whether coordinates inside the ends are as they should be */
  private explainsEnds(d: number, range: Range, ends: Range, mayBeInside: boolean, notes: TileNotes): boolean {
    const one = this.rounded[d]
    if (!one) return false
    if (this.isLost[d]) return true
    const { scale } = one
    const number = (bytes: Uint8Array): number => numberOf(one.dimension.type, bytes)
    const [low, high] = [number(range.min) - number(ends.min), number(range.max) - number(ends.max)]
    if (low === 0 && high === 0) return true
    if (scale) {
      const isNear = (distance: number, end: Uint8Array): boolean =>
        Math.abs(distance) <= roundingAt(number(end), scale)
      // A NaN that was lost shows in the sum.
      const isLostNaN = (value: Uint8Array): boolean => number(value) === misreadAs(Number.NaN, scale)
      const lowFits = isNear(low, ends.min) || (mayBeInside && low > 0) || isLostNaN(range.min)
      const highFits = isNear(high, ends.max) || (mayBeInside && high < 0) || isLostNaN(range.max)
      if (!lowFits || !highFits) return false
    }
    this.note(d, notes)
    return true
  }

  /** Whether a cell and the one before it may have been in another order before they were rounded. */
  private mayChangePlaces({ dimension, scale }: RoundedDimension, column: ColumnData, cell: number): boolean {
    if (!scale || this.info.schema.cell_order === 'hilbert') return true
    const values = numbersOf(dimension.type, column.data)
    const [a, b] = [values[cell - 1], values[cell]]
    if (Math.abs(a - b) <= roundingAt(a, scale) + roundingAt(b, scale)) return true
    const { tile_extent, domain } = dimension
    if (!tile_extent) return false
    const [start, extent] = [numberOf(dimension.type, domain), numberOf(dimension.type, tile_extent)]
    const tileOf = (value: number): number => Math.floor((value - start) / extent)
    return [a, b].some((value) => {
      const by = roundingAt(value, scale)
      return tileOf(value - by) !== tileOf(value + by)
    })
  }

  private note(d: number, { placeOf, items }: TileNotes): void {
    const one = this.rounded[d]
    if (!one || this.noted.has(d)) return
    this.noted.add(d)
    const { name } = one.dimension
    const [expected, found] = ['coordinates as they were written', 'only some of their digits']
    items.push(finding('COORDINATE_MBR', { ...placeOf(d), field: name }, expected, found, 'lossyCoordinates'))
  }
}
