import type { CellValNum } from './cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize } from './datatype.ts'

/**
 * Returns TileDB's default fill value of an attribute: one cell, or one element if cells are var-sized.
 * @see tiledb/sm/misc/constants.cc
 */
export function defaultFillValue(type: Datatype, cellValNum: CellValNum): Uint8Array {
  const size = datatypeSize(type)
  const bytes = new Uint8Array(cellValNum === 'var' ? size : size * cellValNum)
  const element = new Uint8Array(size)
  const view = new DataView(element.buffer)
  const kind = datatypeKind(type)
  if (kind === 'uint') element.fill(0xff)
  else if (kind === 'int' || kind === 'datetime' || kind === 'time' || type === 'CHAR') element[size - 1] = 0x80
  else if (type === 'FLOAT32') view.setUint32(0, 0x7fc00000, true)
  else if (type === 'FLOAT64') view.setUint32(4, 0x7ff80000, true)
  for (let at = 0; at < bytes.length; at += size) bytes.set(element, at)
  return bytes
}
