import type { ColumnData } from '../cells/column.ts'
import type { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { filterOf } from '../filters/registry.ts'
import { datatypeSize } from '../format/datatype.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { type FragmentInfo, filePipeline } from '../store/fragment.ts'
import { MEANINGS } from './codes.ts'
import { finding, type Item, type Place } from './finding.ts'
import { validityFault } from './known-faults.ts'

/**
 * Checks the cells of dense tiles outside the non-empty domain. Writers fill them: ordered writes with zeros, consolidation
 * with fill values or with nulls. Any other value means that the domain was once larger or the cells were changed.
 *
 * Cells outside the array's domain are ignored.
 *
 * @see tiledb/sm/query/writers/dense_tiler.cc, get_tile
 */
export class UnwrittenCells {
  private readonly cells: DenseCoordinates
  private readonly info: FragmentInfo
  /** One finding per fragment is enough: if the domain is wrong, every field shows it. */
  private reported = false

  constructor(info: FragmentInfo, cells: DenseCoordinates) {
    this.info = info
    this.cells = cells
  }

  add(tile: number, slot: number, column: ColumnData, place: Place, items: Item[]): void {
    if (this.reported) return
    const marks = this.cells.unwritten(tile)
    if (!marks || this.isChanged(slot)) return
    const { type, cell_val_num, fill_value } = this.fieldOf(slot)
    const fills = [defaultFillValue(type, cell_val_num), ...(fill_value ? [fill_value] : [])]
    const { data, starts, validity } = column
    const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
    for (let cell = marks.indexOf(1); cell >= 0; cell = marks.indexOf(1, cell + 1)) {
      if (validity?.[cell] === 0) continue
      const from = starts ? starts[cell] : cell * size
      const to = starts ? starts[cell + 1] : from + size
      if (isZero(data, from, to) || fills.some((fill) => isSame(data, from, to, fill))) continue
      this.reported = true
      const at = { ...place, field: `${place.field}, cell ${cell}` }
      const { unwritten } = MEANINGS.NONEMPTY_DOMAIN
      items.push(finding('NONEMPTY_DOMAIN', at, 'a fill value outside of the non-empty domain', 'another', unwritten))
      return
    }
  }

  private fieldOf(slot: number) {
    const { type, cell_val_num } = this.info.slots[slot]
    const { fill_value } = this.info.schema.attributes[this.info.slots[slot].index]
    return { type, cell_val_num, fill_value }
  }

  /** Whether filters change a field's cells, or its validity may be misread. */
  private isChanged(slot: number): boolean {
    if (this.info.slots[slot].nullable && validityFault(this.info, slot) !== undefined) return true
    const filters = filePipeline(this.info, { slot, role: 'data' }, false)
    return filters.some(({ name }) => filterOf(name)?.loss)
  }
}

function isZero(data: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (data[at] !== 0) return false
  return true
}

function isSame(data: Uint8Array, from: number, to: number, fill: Uint8Array): boolean {
  if (to - from !== fill.length) return false
  for (let at = 0; at < fill.length; at++) if (data[from + at] !== fill[at]) return false
  return true
}
