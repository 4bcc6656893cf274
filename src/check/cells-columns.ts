import type { ColumnData } from '../cells/column.ts'
import { slotType } from '../cells/slot-type.ts'
import { datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { type FragmentInfo, slotShape } from '../fragment.ts'
import { isWide, lanesOf, numbersOf } from '../write/elements.ts'
import { finding, type Item, type Place } from './finding.ts'
import type { FieldReader, ReadColumn } from './tile-reader.ts'

/**
 * Offsets and validity of a column's cells. @returns the column ready to be looked into; undefined where its cells cannot be
 * told apart
 */
export function checkColumn(
  info: FragmentInfo,
  field: FieldReader,
  tile: number,
  column: ReadColumn,
  items: Item[],
): ColumnData | undefined {
  const { validity, data } = column
  if (validity) checkValidity(validity, field.place(tile, 'validity'), items)
  if (!data) return undefined
  let starts: Float64Array | undefined
  if (field.varSized) {
    if (!column.starts) return undefined
    const { type } = slotType(info, info.slots[field.slot])
    const bad = badStart(column.starts, data.length, datatypeSize(type))
    if (bad) {
      const at = { ...field.place(tile), field: `${field.place(tile).field}, cell ${bad.cell}` }
      items.push(finding(bad.code, at, bad.expected, bad.found))
      if (bad.code === 'CELL_OFFSETS') return undefined
    }
    starts = new Float64Array(column.starts.length + 1)
    starts.set(column.starts)
    starts[column.starts.length] = data.length
  }
  const nullable = slotShape(info, info.slots[field.slot]).nullable
  if (nullable && !validity) return undefined
  return { data, starts, validity }
}

function checkValidity(validity: Uint8Array, place: Place, items: Item[]): void {
  for (let cell = 0; cell < validity.length; cell++) {
    if (validity[cell] <= 1) continue
    const at = { ...place, field: `${place.field}, cell ${cell}` }
    items.push(finding('CELL_VALIDITY', at, '0 or 1', validity[cell]))
    return
  }
}

function badStart(
  starts: Float64Array,
  length: number,
  size: number,
): { code: 'CELL_OFFSETS' | 'CELL_VAR_SIZE'; cell: number; expected: string; found: number } | undefined {
  let before = 0
  let uneven = -1
  for (let cell = 0; cell < starts.length; cell++) {
    const start = starts[cell]
    if (start < before || start > length || (cell === 0 && start !== 0)) {
      const expected = cell === 0 ? 'a start at 0' : `a start from ${before} to ${length}`
      return { code: 'CELL_OFFSETS', cell, expected, found: start }
    }
    if (uneven < 0 && (start - before) % size !== 0) uneven = cell - 1
    before = start
  }
  if (uneven < 0 && starts.length > 0 && (length - before) % size !== 0) uneven = starts.length - 1
  if (uneven < 0) return undefined
  const found = (starts[uneven + 1] ?? length) - starts[uneven]
  return { code: 'CELL_VAR_SIZE', cell: uneven, expected: `a value of whole elements of ${size} bytes`, found }
}

/** Indexes into an enumeration: of cells that are not null, and of dense tiles the written ones. */
export function checkEnumerationIndexes(
  info: FragmentInfo,
  field: FieldReader,
  tile: number,
  { data, validity }: ColumnData,
  rows: Uint32Array | undefined,
  size: number,
  items: Item[],
): void {
  const { type } = slotType(info, info.slots[field.slot])
  if (datatypeKind(type) === 'float' || field.varSized) return
  const count = rows?.length ?? Math.floor(data.length / datatypeSize(type))
  const lanes = isWide(type) ? lanesOf(data) : undefined
  const values = lanes ? undefined : numbersOf(type, data)
  const signed = isSignedInteger(type)
  for (let i = 0; i < count; i++) {
    const cell = rows ? rows[i] : i
    if (validity?.[cell] === 0) continue
    const high = lanes ? (signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]) : 0
    const value = lanes ? high * 2 ** 32 + lanes[2 * cell] : (values?.[cell] ?? 0)
    if (value >= 0 && value < size) continue
    const place = field.place(tile)
    const at = { ...place, field: `${place.field}, cell ${cell}` }
    items.push(finding('ENUMERATION_INDEX', at, `0 to ${size - 1}`, value))
    return
  }
}
