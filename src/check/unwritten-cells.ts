import type { ColumnData } from '../cells/column.ts'
import type { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { filterOf } from '../filters/registry.ts'
import { datatypeSize } from '../format/datatype.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { type Fragment, type FragmentInfo, filePipeline } from '../objects/fragment.ts'
import type { CellsOfTile } from './cells-columns.ts'
import { finding, type Item } from './finding.ts'
import { validityFault } from './known-faults.ts'

/**
 * Checks the cells of dense tiles outside the non-empty domain. Writers fill them: ordered writes with zeros, consolidation
 * with fill values or with nulls. Any other value means that the domain was larger, or that the cells were changed. A fragment
 * gets only one finding, because every field shows a wrong domain.
 *
 * Ignores cells outside the array's domain.
 *
 * @see tiledb/sm/query/writers/dense_tiler.cc, get_tile
 */
export function checkUnwrittenCells(
  fragment: Fragment,
  { info, field, tile }: CellsOfTile,
  dense: DenseCoordinates,
  { data, starts, validity }: ColumnData,
  items: Item[],
): void {
  if (isChanged(info, field.slot)) return
  const { type, cell_val_num } = info.slots[field.slot]
  const { fill_value } = info.schema.attributes[info.slots[field.slot].index]
  const fills = [defaultFillValue(type, cell_val_num), ...(fill_value ? [fill_value] : [])]
  const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
  for (const cell of markedOf(dense.unwritten(tile))) {
    if (validity?.[cell] === 0) continue
    const from = starts ? starts[cell] : cell * size
    const to = starts ? starts[cell + 1] : from + size
    if (isZero(data, from, to) || fills.some((fill) => isSame(data, from, to, fill))) continue
    const at = { ...field.place(tile), cell }
    const item = finding('NONEMPTY_DOMAIN', at, 'a fill value outside of the non-empty domain', 'another', 'unwritten')
    items.push({ ...item, once: fragment.folder.path })
    return
  }
}

/** The marked cells. */
function* markedOf(pieces: Iterable<{ first: number; marks: Uint8Array }>): Generator<number> {
  for (const { first, marks } of pieces)
    for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) yield first + at
}

/** Whether filters change a field's cells, or its validity may be misread. */
function isChanged(info: FragmentInfo, slot: number): boolean {
  if (validityFault(info, info.slots[slot]) !== undefined) return true
  return filePipeline(info, { slot, role: 'data' }, false).some(({ name }) => filterOf(name)?.loss)
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
