import type { ColumnData } from '../cells/column.ts'
import { isWide, lanesOf, numbersOf } from '../cells/elements.ts'
import { datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { attributeLabels } from '../store/labels.ts'
import { finding, type Item, type Place } from './finding.ts'
import { validityFault } from './known-faults.ts'
import type { FieldReader, ReadColumn } from './tile-reader.ts'

/**
 * Checks the offsets and validity of a column's cells.
 * @returns the column, ready for further checks; undefined if it is unknown where its cells begin
 */
export function checkColumn(
  info: FragmentInfo,
  field: FieldReader,
  tile: number,
  column: ReadColumn,
  items: Item[],
): ColumnData | undefined {
  const { validity, data } = column
  if (validity) checkValidity(validity, field.place(tile, 'validity'), validityFault(info, field.slot), items)
  if (!data) return undefined
  let starts: Float64Array | undefined
  if (field.varSized) {
    if (!column.starts) return undefined
    const { type } = info.slots[field.slot]
    const bad = badStart(column.starts, data.length, datatypeSize(type))
    if (bad) {
      items.push(finding(bad.code, { ...field.place(tile), cell: bad.cell }, bad.expected, bad.found))
      if (bad.code === 'CELL_OFFSETS') return undefined
    }
    starts = new Float64Array(column.starts.length + 1)
    starts.set(column.starts)
    starts[column.starts.length] = data.length
  }
  const { nullable, type } = info.slots[field.slot]
  if (nullable && !validity) return undefined
  if (type === 'BOOL') checkBool(data, starts, validity, field.place(tile), items)
  return { data, starts, validity }
}

function checkValidity(validity: Uint8Array, place: Place, known: string | undefined, items: Item[]): void {
  for (let cell = 0; cell < validity.length; cell++) {
    if (validity[cell] <= 1) continue
    items.push(finding('CELL_VALIDITY', { ...place, cell }, '0 or 1', validity[cell], known))
    return
  }
}

/** The value of a null cell has no meaning. */
function checkBool(
  data: Uint8Array,
  starts: Float64Array | undefined,
  validity: Uint8Array | undefined,
  place: Place,
  items: Item[],
): void {
  const at = data.findIndex(
    (byte, i) => byte > 1 && (starts !== undefined || validity === undefined || cellIsValid(validity, data, i)),
  )
  if (at >= 0) items.push(finding('CELL_BOOL', place, '0 or 1', `${data[at]} as element ${at} of the tile`))
}

/** Whether the cell of a fixed-sized field that holds this byte is not null. */
function cellIsValid(validity: Uint8Array, data: Uint8Array, at: number): boolean {
  return validity[Math.floor((at * validity.length) / data.length)] !== 0
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

/**
 * Number of labels that TileDB has for an attribute's cells. Undefined if it reads none, if they cannot be read, or if bytes are
 * left over.
 */
export async function labelNum(
  { array }: Fragment,
  attribute: string,
  { schema, schemaName }: FragmentInfo,
): Promise<number | undefined> {
  if (!array) return undefined
  const { enumeration, isCurrent } = await attributeLabels(array, attribute, schema, schemaName)
  if (!isCurrent || !enumeration) return undefined
  const { type, cell_val_num, data, offsets } = enumeration
  const num = offsets ? offsets.length : data.length / (datatypeSize(type) * Number(cell_val_num))
  return Number.isInteger(num) ? num : undefined
}

/**
 * Checks indexes into an enumeration. Null cells are left out. In dense tiles, only written cells count, as consolidation
 * fills the others.
 */
export function checkEnumerationIndexes(
  info: FragmentInfo,
  field: FieldReader,
  tile: number,
  { data, validity }: ColumnData,
  rows: Uint32Array | undefined,
  size: number,
  items: Item[],
): void {
  const { type } = info.slots[field.slot]
  if (datatypeKind(type) === 'float' || field.varSized) return
  const count = rows?.length ?? Math.floor(data.length / datatypeSize(type))
  const lanes = isWide(type) ? lanesOf(data) : undefined
  const values = lanes ? undefined : numbersOf(type, data)
  const signed = isSignedInteger(type)
  const unwritten = info.dense ? fillIndex(info, field) : undefined
  for (let i = 0; i < count; i++) {
    const cell = rows ? rows[i] : i
    if (validity?.[cell] === 0) continue
    const high = lanes ? (signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]) : 0
    const value = lanes ? high * 2 ** 32 + lanes[2 * cell] : (values?.[cell] ?? 0)
    if ((value >= 0 && value < size) || value === unwritten) continue
    const at = { ...field.place(tile), cell }
    items.push(
      finding('ENUMERATION_INDEX', at, size === 0 ? 'none, as the enumeration is empty' : `0 to ${size - 1}`, value),
    )
    return
  }
}

/** The value in cells of a dense fragment that nobody wrote. */
function fillIndex(info: FragmentInfo, field: FieldReader): number | undefined {
  const { type, fill_value } = info.schema.attributes[info.slots[field.slot].index]
  if (!fill_value) return undefined
  if (!isWide(type)) return numbersOf(type, fill_value)[0]
  const [low, high] = lanesOf(fill_value)
  return (isSignedInteger(type) ? high | 0 : high) * 2 ** 32 + low
}
