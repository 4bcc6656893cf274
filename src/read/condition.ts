import { badValue, unexpected } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import type { ColumnData, ColumnType } from '../cells/column.ts'
import { isWide, numbersOf, uint32LanesOf } from '../cells/elements.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type ComparisonOp, type ConditionNode, type ConditionValue, lacksMembers } from '../format/delete-condition.ts'
import { ByteSet } from './byte-set.ts'

/**
 * Conditions on cells, evaluated as TileDB 2.30 does.
 *
 * @see tiledb/sm/query/query_condition.cc; tiledb/sm/query/ast/query_ast.cc
 */

/** What each comparison becomes inside NOT. TileDB does not evaluate NOT, it reverses the comparisons inside. So nulls meet neither. */
export const NEGATED: Readonly<Record<ComparisonOp, ComparisonOp>> = {
  LT: 'GE',
  LE: 'GT',
  GT: 'LE',
  GE: 'LT',
  EQ: 'NE',
  NE: 'EQ',
  IN: 'NOT_IN',
  NOT_IN: 'IN',
  ALWAYS_TRUE: 'ALWAYS_FALSE',
  ALWAYS_FALSE: 'ALWAYS_TRUE',
}

/**
 * Negates a condition as TileDB does for a delete: it stores the condition of the cells that stay. Files cannot hold tests of text for
 * null: they become comparisons with empty text. Null meets neither, so such deletes take all nulls.
 * @see QueryCondition::negated_condition
 */
export function negated(node: ConditionNode): ConditionNode {
  if (node.node === 'expression') {
    if (node.op === 'NOT') return node.children[0]
    return { node: 'expression', op: node.op === 'AND' ? 'OR' : 'AND', children: node.children.map(negated) }
  }
  const op = NEGATED[node.op]
  if (!lacksMembers(node)) return { ...node, op, null_test: undefined }
  // TileDB would store such a set, and then refuse to read the array. A member without bytes is the empty text.
  const [inside, outside] = node.offsets?.length ? (['EQ', 'NE'] as const) : (['ALWAYS_FALSE', 'ALWAYS_TRUE'] as const)
  return { ...node, op: op === 'IN' ? inside : outside, offsets: undefined }
}

/** A column for the evaluation of a condition. */
export interface ConditionColumn {
  type: Pick<ColumnType, 'type' | 'cell_val_num' | 'nullable'>
  data: ColumnData
}

/** What is known about the cells of a field in a tile. */
export interface FieldBounds {
  type: Datatype
  cell_val_num: CellValNum
  /** Raw values of the smallest and the largest cell that is not null; both undefined if they are unknown. */
  min: Uint8Array | undefined
  max: Uint8Array | undefined
  /** Number of null cells, 0 for a field that is not nullable; undefined if it is unknown. */
  nulls?: number | undefined
  /** Number of cells; undefined if it is unknown. */
  cells?: number | undefined
}

/** Names of the fields that a condition needs. */
export function conditionFields(node: ConditionNode, names = new Set<string>()): Set<string> {
  if (node.node === 'value') names.add(node.field)
  else for (const child of node.children) conditionFields(child, names)
  return names
}

/** Whether a comparison tests for null. A stored empty value is a test for null, but for text it is the empty text. */
export function isNullTest({ op, value, null_test }: ConditionValue, type: Datatype | undefined): boolean {
  if (op !== 'EQ' && op !== 'NE') return false
  return null_test ?? (value.length === 0 && (type === undefined || datatypeKind(type) !== 'text'))
}

/**
 * Evaluates a condition on cells.
 *
 * A comparison with a null cell is false, even NE and NOT_IN. If the fragment lacks a field, no cell meets a comparison of it, not even
 * a test for null. So a delete by a field that was added later deletes all cells of older fragments. In an OR, TileDB then also ignores
 * the comparisons before the missing field: only those after it count.
 *
 * @param columns cells of the condition's fields, all of one fragment, without fields that the fragment lacks
 * @returns by cell: 1 if it meets the condition
 * @throws InspectError BAD_VALUE if TileDB cannot compare a field's type, or a stored value does not fit it
 */
export function meets(node: ConditionNode, columns: ReadonlyMap<string, ConditionColumn>, cellNum: number): Uint8Array {
  return evaluate(node, false, columns, cellNum) ?? new Uint8Array(cellNum)
}

/** {@link meets}; undefined for a comparison of a missing field. The caller may change the result. */
function evaluate(
  node: ConditionNode,
  negated: boolean,
  columns: ReadonlyMap<string, ConditionColumn>,
  cellNum: number,
): Uint8Array | undefined {
  if (node.node === 'value') {
    const column = columns.get(node.field)
    return column && compareCells(node, negated ? NEGATED[node.op] : node.op, column, cellNum)
  }
  const { children, all, negatesChildren } = combination(node, negated)
  let met: Uint8Array | undefined
  for (const child of children) {
    const found = evaluate(child, negatesChildren, columns, cellNum)
    if (!met || !found) met = found ?? new Uint8Array(cellNum)
    else if (all) for (let i = 0; i < cellNum; i++) met[i] &= found[i]
    else for (let i = 0; i < cellNum; i++) met[i] |= found[i]
  }
  return met ?? new Uint8Array(cellNum).fill(Number(all))
}

/** How an expression combines its children. `all`: whether all of them must be met, not just one. */
function combination(node: ConditionNode & { node: 'expression' }, negated: boolean) {
  const isNot = node.op === 'NOT'
  return { children: node.children, all: isNot || (node.op === 'AND') !== negated, negatesChildren: negated !== isNot }
}

function compareCells(
  node: ConditionValue,
  op: ComparisonOp,
  { type, data }: ConditionColumn,
  cellNum: number,
): Uint8Array {
  const { validity } = data
  const met = new Uint8Array(cellNum)
  if (isNullTest(node, type.type)) {
    const wanted = op === 'NE' ? 1 : 0
    if (!validity) return met.fill(wanted)
    for (let i = 0; i < cellNum; i++) met[i] = (validity[i] === 0 ? 0 : 1) === wanted ? 1 : 0
    return met
  }
  if (op === 'ALWAYS_FALSE') return met
  if (op === 'ALWAYS_TRUE') met.fill(1)
  else if (op === 'IN' || op === 'NOT_IN') findMembers(node, op, type, data, met)
  else compareValues(node, WANTED[op], type, data, met)
  if (validity) for (let i = 0; i < cellNum; i++) if (validity[i] === 0) met[i] = 0
  return met
}

type Wanted = readonly [less: number, equal: number, greater: number, unordered: number]

/** By op: 1 for each result of a comparison that meets it. NaN is unordered, as in C++. */
const WANTED: Readonly<Record<'LT' | 'LE' | 'GT' | 'GE' | 'EQ' | 'NE', Wanted>> = {
  LT: [1, 0, 0, 0],
  LE: [1, 1, 0, 0],
  GT: [0, 0, 1, 0],
  GE: [0, 1, 1, 0],
  EQ: [0, 1, 0, 0],
  NE: [1, 0, 1, 1],
}

type FieldType = Pick<ColumnType, 'type' | 'cell_val_num'>

/** How TileDB compares the cells of a field; undefined if it cannot. */
export function comparisonOf({ type, cell_val_num }: FieldType): 'text' | 'first-char' | 'wide' | 'number' | undefined {
  // TileDB compares only the first character of fixed-sized CHAR cells, as a signed byte.
  if (type === 'CHAR') return cell_val_num === 'var' ? 'text' : 'first-char'
  if (type === 'STRING_ASCII' || type === 'STRING_UTF8') return 'text'
  const kind = datatypeKind(type)
  if (kind === 'text' || kind === 'bytes' || cell_val_num !== 1) return undefined
  return isWide(type) ? 'wide' : 'number'
}

function compareValues(
  { field, value }: ConditionValue,
  wanted: Wanted,
  type: FieldType,
  { data, starts }: ColumnData,
  met: Uint8Array,
): void {
  const how = comparisonOf(type)
  if (how === undefined) throw badValue(`conditions cannot compare ${JSON.stringify(field)}, ${cellsOf(type)}`)
  const size = datatypeSize(type.type)
  if (how === 'text') compareText(data, starts, value, wanted, met)
  else if (how === 'first-char') compareFirstChars(data, value, wanted, met)
  else if (value.length !== size)
    throw unexpected(`${size} bytes to compare with ${JSON.stringify(field)} (${type.type})`, `${value.length} bytes`)
  else if (how === 'wide') compareWide(type.type, data, value, wanted, met)
  else {
    const cells = numbersOf(type.type, data)
    // With a single type of array, one loop runs at full speed for all types.
    const doubles = cells instanceof Float64Array ? cells : new Float64Array(cells)
    compareNumbers(doubles, numbersOf(type.type, value)[0], wanted, met)
  }
}

/** Describes the cells of a field in an error message. */
export function cellsOf({ type, cell_val_num }: FieldType): string {
  if (cell_val_num === 1) return `which is ${type}`
  return `whose cells hold ${cell_val_num === 'var' ? 'any number of' : cell_val_num} ${type}`
}

function compareNumbers(
  cells: Float64Array,
  value: number,
  [less, equal, greater, unordered]: Wanted,
  met: Uint8Array,
) {
  for (let i = 0; i < met.length; i++) {
    const cell = cells[i]
    if (cell < value) met[i] = less
    else if (cell > value) met[i] = greater
    else met[i] = cell === value ? equal : unordered
  }
}

function compareWide(type: Datatype, data: Uint8Array, value: Uint8Array, wanted: Wanted, met: Uint8Array): void {
  const [less, equal, greater] = wanted
  const lanes = uint32LanesOf(data)
  // With its sign bit flipped, a signed integer compares as an unsigned one.
  const flip = datatypeKind(type) === 'uint' ? 0 : 0x80000000
  const [low, top] = uint32LanesOf(value)
  const high = (top ^ flip) >>> 0
  for (let i = 0; i < met.length; i++) {
    const cellHigh = (lanes[2 * i + 1] ^ flip) >>> 0
    const cellLow = lanes[2 * i]
    if (cellHigh !== high) met[i] = cellHigh < high ? less : greater
    else if (cellLow !== low) met[i] = cellLow < low ? less : greater
    else met[i] = equal
  }
}

function compareFirstChars(data: Uint8Array, value: Uint8Array, [less, equal, greater]: Wanted, met: Uint8Array): void {
  const size = Math.max(1, Math.floor(data.length / Math.max(1, met.length)))
  // An empty value compares as the zero byte at the end of a C string.
  const wanted = value.length === 0 ? 0 : (value[0] << 24) >> 24
  for (let i = 0; i < met.length; i++) {
    const cell = (data[i * size] << 24) >> 24
    if (cell !== wanted) met[i] = cell < wanted ? less : greater
    else met[i] = equal
  }
}

/** Compares bytes as unsigned, then lengths. */
function compareText(
  data: Uint8Array,
  starts: Float64Array | undefined,
  value: Uint8Array,
  [less, equal, greater]: Wanted,
  met: Uint8Array,
): void {
  const size = starts ? 0 : data.length / Math.max(1, met.length)
  for (let i = 0; i < met.length; i++) {
    const start = starts ? starts[i] : i * size
    const length = (starts ? starts[i + 1] : start + size) - start
    const shared = Math.min(length, value.length)
    let at = 0
    while (at < shared && data[start + at] === value[at]) at++
    const difference = at < shared ? data[start + at] - value[at] : length - value.length
    if (difference !== 0) met[i] = difference < 0 ? less : greater
    else met[i] = equal
  }
}

/** Evaluates IN and NOT_IN. Members are compared as bytes: 0.0 and -0.0 differ, and NaN equals NaN. */
function findMembers(
  node: ConditionValue,
  op: 'IN' | 'NOT_IN',
  { type, cell_val_num }: FieldType,
  { data, starts }: ColumnData,
  met: Uint8Array,
): void {
  const members = setMembers(node)
  const set = new ByteSet(members)
  const [inside, outside] = op === 'IN' ? [1, 0] : [0, 1]
  if (starts) {
    for (let i = 0; i < met.length; i++) met[i] = set.has(data, starts[i], starts[i + 1]) ? inside : outside
    return
  }
  const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
  for (let i = 0; i < met.length; i++) met[i] = set.has(data, i * size, (i + 1) * size) ? inside : outside
}

/** The members of IN and NOT_IN. */
export function setMembers({ value, offsets }: Pick<ConditionValue, 'value' | 'offsets'>): Uint8Array[] {
  return Array.from(offsets ?? [], (start, i) => value.subarray(start, offsets?.[i + 1] ?? value.length))
}

/**
 * Whether any cell of a tile may meet a condition. False only if certainly none does.
 *
 * @param bounds returns what is known about the cells of a field; undefined if nothing is
 */
export function mayMeet(
  node: ConditionNode,
  bounds: (field: string) => FieldBounds | undefined,
  negated = false,
): boolean {
  if (node.node === 'value') return comparisonMayMeet(node, negated ? NEGATED[node.op] : node.op, bounds(node.field))
  const { children, all, negatesChildren } = combination(node, negated)
  return all
    ? children.every((child) => mayMeet(child, bounds, negatesChildren))
    : children.some((child) => mayMeet(child, bounds, negatesChildren))
}

function comparisonMayMeet(node: ConditionValue, op: ComparisonOp, known: FieldBounds | undefined): boolean {
  if (op === 'ALWAYS_FALSE') return false
  if (!known) return true
  const { type, nulls, cells, min, max } = known
  if (isNullTest(node, type)) return op === 'NE' ? nulls === undefined || nulls !== cells : nulls !== 0
  if (nulls !== undefined && nulls === cells) return false
  const how = comparisonOf(known)
  if (op === 'ALWAYS_TRUE' || !min || !max || how === undefined || how === 'first-char') return true
  const order = how === 'text' ? compareBytes : (a: Uint8Array, b: Uint8Array) => compareElements(type, a, b)
  if (op === 'NOT_IN') return true
  if (op === 'IN') {
    // Zeros of both signs compare as equal, and NaN as outside no bounds. So neither excludes a tile.
    return setMembers(node).some((member) => fits(known, member) && !(order(member, min) < 0 || order(member, max) > 0))
  }
  if (!fits(known, node.value)) return true
  const low = order(min, node.value)
  const high = order(max, node.value)
  if (Number.isNaN(low) || Number.isNaN(high)) return true
  if (op === 'LT') return low < 0
  if (op === 'LE') return low <= 0
  if (op === 'GT') return high > 0
  if (op === 'GE') return high >= 0
  if (op === 'EQ') return low <= 0 && high >= 0
  // NaN cells meet NE, but the bounds do not include them.
  return low !== 0 || high !== 0 || datatypeKind(type) === 'float'
}

/** Whether a value has the form of the field's cells. */
function fits({ type, cell_val_num }: FieldBounds, value: Uint8Array): boolean {
  return datatypeKind(type) === 'text' || (cell_val_num === 1 && value.length === datatypeSize(type))
}

/** Compares two values: below 0, 0 or above 0; NaN if one of them is NaN. */
function compareElements(type: Datatype, a: Uint8Array, b: Uint8Array): number {
  if (!isWide(type)) {
    const [x] = numbersOf(type, a)
    const [y] = numbersOf(type, b)
    if (x === y) return 0
    if (x < y) return -1
    return x > y ? 1 : Number.NaN
  }
  const signed = datatypeKind(type) !== 'uint'
  const [x, y] = [a, b].map((bytes) => {
    const [low, high] = uint32LanesOf(bytes)
    return (BigInt(signed ? high | 0 : high) << 32n) | BigInt(low)
  })
  return rising(x, y)
}
