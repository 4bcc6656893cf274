import type { ColumnData } from '../cells/column.ts'
import type { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { allCells, isWide, numbersOf, uint32LanesOf, type VisitedCells, withEnd } from '../cells/elements.ts'
import { viewOf } from '../filters/bytes.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { attributeLabels } from '../objects/labels.ts'
import type { KnownFault } from './codes/known.ts'
import { meaningOf } from './codes.ts'
import { type Finding, type FindingPlace, finding, type Item } from './finding.ts'
import { validityFault } from './known-faults.ts'
import type { FieldReader, ReadColumn } from './tile-reader.ts'

/** The cells of a field in a tile. */
export interface CellsOfTile {
  info: FragmentInfo
  field: FieldReader
  tile: number
}

/**
 * Checks the offsets and the validity of a column's cells.
 * @param dense tells which cells of a dense fragment are padding
 * @returns the column for further checks; undefined if it is unknown where its cells begin
 */
export function checkColumn(
  { info, field, tile }: CellsOfTile,
  column: ReadColumn,
  dense: DenseCoordinates | undefined,
  items: Item[],
): ColumnData | undefined {
  const { validity, data } = column
  const { nullable, type } = info.slots[field.slot]
  if (validity)
    checkValidity(validity, field.place(tile, 'validity'), validityFault(info, info.slots[field.slot]), items)
  if (!data) return undefined
  let starts: Float64Array | undefined
  if (field.varSized) {
    if (!column.starts) return undefined
    const stored = { starts: column.starts, storedStarts: column.storedStarts }
    const sizes = { length: data.length, size: datatypeSize(type) }
    const fault = (needed?: Uint8Array): Finding | undefined => startFault(stored, sizes, field.place(tile), needed)
    const first = fault()
    const needed = first && dense?.neededStarts(tile)
    const bad = needed ? (fault(needed) ?? unusedStart(first)) : first
    if (bad) {
      items.push(bad)
      if (bad.code === 'CELL_OFFSETS') return undefined
    }
    starts = withEnd(column.starts, data.length)
  }
  if (nullable && !validity) return undefined
  if (type === 'BOOL') checkBool(data, starts, validity, field.place(tile), items)
  return { data, starts, validity }
}

/** A finding about a start, for one that readers never look at. */
function unusedStart(found: Finding): Finding {
  const state = { code: 'CELL_OFFSETS', variant: 'unusedStart' } as const
  return { ...found, ...state, ...meaningOf(state) }
}

function checkValidity(validity: Uint8Array, place: FindingPlace, known: KnownFault | undefined, items: Item[]): void {
  for (let cell = 0; cell < validity.length; cell++) {
    if (validity[cell] <= 1) continue
    items.push(finding('CELL_VALIDITY', { ...place, cell }, '0 or 1', validity[cell], known))
    return
  }
}

/** Checks the bytes of BOOL cells. The bytes of null cells have no meaning. */
function checkBool(
  data: Uint8Array,
  starts: Float64Array | undefined,
  validity: Uint8Array | undefined,
  place: FindingPlace,
  items: Item[],
): void {
  const isNull = (at: number): boolean =>
    starts === undefined && validity?.[Math.floor((at * validity.length) / data.length)] === 0
  const at = data.findIndex((byte, i) => byte > 1 && !isNull(i))
  if (at >= 0) items.push(finding('CELL_BOOL', place, '0 or 1', `${data[at]} as element ${at} of the tile`))
}

/**
 * Finds the first wrong start of a value.
 * @param values bytes of all values, and of an element of a value
 * @param needed marks of the starts that are examined; undefined for all
 */
function startFault(
  { starts, storedStarts }: { starts: Float64Array; storedStarts: Uint8Array | undefined },
  { length, size }: { length: number; size: number },
  place: FindingPlace,
  needed: Uint8Array | undefined,
): Finding | undefined {
  let before = 0
  let uneven = -1
  for (let cell = 0; cell < starts.length; cell++) {
    if (needed?.[cell] === 0) continue
    const start = starts[cell]
    if (start < before || start > length || (cell === 0 && start !== 0)) {
      const expected = cell === 0 ? 'a start at 0' : `a start from ${before} to ${length}`
      const found = storedStarts ? viewOf(storedStarts).getBigUint64(8 * cell, true) : start
      return finding('CELL_OFFSETS', { ...place, cell }, expected, found)
    }
    if (uneven < 0 && (start - before) % size !== 0) uneven = cell - 1
    before = start
  }
  if (uneven < 0 && starts.length > 0 && (length - before) % size !== 0) uneven = starts.length - 1
  if (uneven < 0) return undefined
  const found = (starts[uneven + 1] ?? length) - starts[uneven]
  return finding('CELL_VAR_SIZE', { ...place, cell: uneven }, `a value of whole elements of ${size} bytes`, found)
}

/**
 * Number of labels that TileDB has for an attribute's cells. Undefined if TileDB reads none, if they cannot be read, or if some
 * bytes are no whole label.
 */
export async function labelNum(
  { array }: Fragment,
  attribute: string,
  { schema }: FragmentInfo,
): Promise<number | undefined> {
  if (!array) return undefined
  const { enumeration, isCurrent } = await attributeLabels(array, attribute, schema)
  if (!isCurrent || !enumeration) return undefined
  const { type, cell_val_num, data, offsets } = enumeration
  const num = offsets ? offsets.length : data.length / (datatypeSize(type) * Number(cell_val_num))
  return Number.isInteger(num) ? num : undefined
}

/**
 * Checks that cells index existing values of their enumeration. Ignores null cells, and cells of dense tiles that nobody wrote.
 * @param rows returns the written cells; undefined if all are
 * @param size number of values
 */
export function checkEnumerationIndexes(
  { info, field, tile }: CellsOfTile,
  { data, validity }: ColumnData,
  rows: (() => Iterable<VisitedCells>) | undefined,
  size: number,
  items: Item[],
): void {
  const { type } = info.slots[field.slot]
  if (datatypeKind(type) === 'float' || field.varSized) return
  const count = Math.floor(data.length / datatypeSize(type))
  const indexOf = indexReader(type, data)
  const { fill_value } = info.schema.attributes[info.slots[field.slot].index]
  // Consolidation fills the cells that nobody wrote.
  const unwritten = info.dense && fill_value ? indexReader(type, fill_value)(0) : undefined
  for (const { length, at } of rows?.() ?? allCells(count))
    for (let i = 0; i < length; i++) {
      const cell = at ? at[i] : i
      if (validity?.[cell] === 0) continue
      const value = indexOf(cell)
      if ((value >= 0 && value < size) || value === unwritten) continue
      const expected = size === 0 ? 'none, as the enumeration is empty' : `0 to ${size - 1}`
      items.push(finding('ENUMERATION_INDEX', { ...field.place(tile), cell }, expected, value))
      return
    }
}

/** Makes a function that returns the index in a cell. */
function indexReader(type: Datatype, data: Uint8Array): (cell: number) => number {
  if (!isWide(type)) {
    const values = numbersOf(type, data)
    return (cell) => values[cell]
  }
  const lanes = uint32LanesOf(data)
  const highs = isSignedInteger(type) ? new Int32Array(lanes.buffer, lanes.byteOffset, lanes.length) : lanes
  return (cell) => highs[2 * cell + 1] * 2 ** 32 + lanes[2 * cell]
}
