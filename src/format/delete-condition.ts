import { unexpected } from '../base/errors.ts'
import type { ArraySchema } from './array-schema.ts'
import { enumeration } from './coding.ts'
import { datatypeSize } from './datatype.ts'
import { type AnyIo, countedList, type Describe, type Io, lengthAndBytes, lengthAndSizes } from './io.ts'

export type CombinationOp = 'AND' | 'OR' | 'NOT'
export type ComparisonOp = 'LT' | 'LE' | 'GT' | 'GE' | 'EQ' | 'NE' | 'IN' | 'NOT_IN' | 'ALWAYS_TRUE' | 'ALWAYS_FALSE'

const nodeTypeCoding = enumeration<'expression' | 'value'>('condition node type', { expression: 0, value: 1 })
const combinationCoding = enumeration<CombinationOp>('combination op', { AND: 0, OR: 1, NOT: 2 })
const comparisonCoding = enumeration<ComparisonOp>('query condition op', {
  LT: 0,
  LE: 1,
  GT: 2,
  GE: 3,
  EQ: 4,
  NE: 5,
  IN: 6,
  NOT_IN: 7,
  ALWAYS_TRUE: 253,
  ALWAYS_FALSE: 254,
})

/** Combines other conditions. */
export interface ConditionExpression {
  node: 'expression'
  op: CombinationOp
  children: ConditionNode[]
}

/** Compares one field. */
export interface ConditionValue {
  node: 'value'
  op: ComparisonOp
  field: string
  /** Raw value of the field's type. For a set, all members one after another. Empty in a test for null. */
  value: Uint8Array
  /** For IN and NOT_IN, the start of each set member in `value`, in bytes. Upstream's page lacks it. */
  offsets: Float64Array | undefined
  /** Whether the node tests a text field for null. Files cannot store such a test: only conditions of a query have it. */
  null_test?: true | undefined
}

/**
 * A delete condition: the content of the generic tile in `__commits/<name>.del`. The stored tree is the negation of the
 * user's condition: it describes the cells that stay.
 *
 * @see format_spec/delete_commit_file.md; tiledb/sm/query/deletes_and_updates/serialization.cc
 */
export type ConditionNode = ConditionExpression | ConditionValue

/**
 * Upper limit on the nesting that is read. TileDB has none: it writes the user's condition at any depth, reads 30,000, and ends with a
 * signal at 100,000 (measured with 2.30).
 */
const MAX_DEPTH = 2000

/** Above this depth each list is read by a call of its own, so that errors and annotations name each condition. */
const NAMED_DEPTH = 200

/** Upper limit on the conditions that lie deeper. */
const MAX_DEEP_CONDITIONS = 1_000_000

export const deleteCondition: Describe<ConditionNode> = (io) => conditionNode(io, 0)

function conditionNode(io: AnyIo, depth: number): ConditionNode {
  return nodeType(io) === 'expression' ? expression(io, depth) : comparison(io)
}

function nodeType(io: AnyIo): 'expression' | 'value' {
  return io.coded('node', 'uint8', nodeTypeCoding, '0 expression, 1 value')
}

function combinationOp(io: AnyIo): CombinationOp {
  return io.coded('op', 'uint8', combinationCoding, '0 AND, 1 OR, 2 NOT')
}

/** Reads an expression that lies deep, after its node type. A call for each level would fill the stack. */
function deepExpression(io: AnyIo, depth: number): ConditionExpression {
  const open: { node: ConditionExpression; left: number }[] = []
  const begin = (): ConditionExpression => {
    const expected = `at most ${MAX_DEPTH} nested conditions, which is all that this program reads`
    io.require(depth + open.length < MAX_DEPTH, 'node', () => ({ expected, found: 'more' }), 'TOO_LARGE')
    const node: ConditionExpression = { node: 'expression', op: combinationOp(io), children: [] }
    open.push({ node, left: io.derive('child_num', 'uint64', () => 0, 'conditions') })
    return node
  }
  const whole = begin()
  for (let count = 0; ; count++) {
    while (open.at(-1)?.left === 0) open.pop()
    const last = open.at(-1)
    if (!last) return whole
    const expected = `at most ${MAX_DEEP_CONDITIONS} conditions inside of ${NAMED_DEPTH} others`
    io.require(count < MAX_DEEP_CONDITIONS, 'node', () => ({ expected, found: 'more' }), 'TOO_LARGE')
    last.left--
    last.node.children.push(nodeType(io) === 'expression' ? begin() : comparison(io))
  }
}

function expression(io: Io<ConditionExpression>, depth: number): ConditionExpression {
  // A writer has no bytes left.
  if (depth >= NAMED_DEPTH && io.remaining > 0) return deepExpression(io, depth)
  return {
    node: 'expression',
    op: combinationOp(io),
    children: countedList(io, ['child_num', 'uint64', 'conditions'], 'children', (inner) =>
      conditionNode(inner, depth + 1),
    ),
  }
}

function comparison(io: Io<ConditionValue>): ConditionValue {
  const op = io.coded('op', 'uint8', comparisonCoding, '0 LT, 1 LE, 2 GT, 3 GE, 4 EQ, 5 NE, 6 IN, 7 NOT_IN')
  const field = io.string('field', 'uint32', 'an attribute or a dimension')
  const about =
    'value of the field’s type; for IN and NOT_IN all members, and after them a length in bytes and the start of each, uint64'
  const value = lengthAndBytes(io, 'value', 'uint64', about, 'bytes: 0 in a test for null')
  const isSet = op === 'IN' || op === 'NOT_IN'
  const offsets = isSet ? lengthAndSizes(io, 'offsets', 'start of each member') : undefined
  if (offsets) requireOffsets(io, value.length, offsets)
  return { node: 'value', op, field, value, offsets }
}

/**
 * Requires that the starts never fall and lie within the value. TileDB refuses other conditions (measured with 2.30).
 * @see tiledb/sm/query/ast/query_ast.h, ASTNodeVal's constructor
 */
function requireOffsets(io: Io<ConditionValue>, length: number, offsets: Float64Array): void {
  for (const [i, start] of offsets.entries()) {
    const before = offsets[i - 1] ?? 0
    io.require(start >= before, 'offsets', () => ({
      expected: `member ${i} to begin at ${before} or later`,
      found: start,
    }))
    io.require(start <= length, 'offsets', () => ({
      expected: `member ${i} to begin at ${length} or before`,
      found: start,
    }))
  }
}

/**
 * Whether the node is a set without members, or with empty members only. TileDB 2.30 writes such a set for labels that the
 * enumeration does not have, and then refuses to read the array.
 */
export function lacksMembers({ value, offsets }: ConditionValue): boolean {
  return offsets !== undefined && (value.length === 0 || offsets.length === 0)
}

/** Checks every set of a condition. @throws InspectError BAD_VALUE if one {@link lacksMembers} */
export function requireMembers(node: ConditionNode): void {
  if (node.node === 'expression') for (const child of node.children) requireMembers(child)
  else if (lacksMembers(node))
    throw unexpected(`members with bytes to compare with ${JSON.stringify(node.field)}`, 'none', 'value')
}

/** A part of a condition that TileDB refuses. */
interface RefusedPart {
  field: 'op' | 'child_num' | 'value'
  expected: string
  found: string | number
  /** Whether it is a test for null, whose meaning is clear although TileDB refuses it. */
  isNullTest?: boolean
}

/**
 * What TileDB refuses in a condition when it reads the array.
 * @see ASTNodeVal::check_node_validity and ASTNodeExpr's
 */
export function* refusedParts(node: ConditionNode, schema: ArraySchema): Generator<RefusedPart> {
  if (node.node === 'expression') {
    const { op, children } = node
    if (op === 'NOT') yield { field: 'op', expected: 'AND or OR', found: op }
    else if (children.length < 2)
      yield { field: 'child_num', expected: `2 or more conditions of ${op}`, found: children.length }
    for (const child of children) yield* refusedParts(child, schema)
    return
  }
  const { op, field, value, offsets } = node
  if (lacksMembers(node)) {
    yield { field: 'value', expected: `members with bytes to compare with ${field}`, found: 'none' }
    return
  }
  if (op === 'ALWAYS_TRUE' || op === 'ALWAYS_FALSE') return
  const size = comparedSize(schema, field)
  // TileDB-Py deletes by tests for null in any nullable attribute, but TileDB reads back only those of text (measured with 2.27 and 2.30).
  const isNullTest = size?.nullable === true && !offsets && value.length === 0
  if (size === undefined) return
  if (size.bytes === undefined) {
    yield { field: 'value', expected: `text or values of a fixed size in ${field}`, found: size.type, isNullTest }
    return
  }
  const bytes = `${size.bytes} bytes to compare with ${field}`
  if (!offsets) {
    if (value.length !== size.bytes) yield { field: 'value', expected: bytes, found: value.length, isNullTest }
    return
  }
  // Members of another size are in no set, but TileDB does not refuse them if there is an enumeration (measured with 2.30).
  if (size.labelled) return
  for (const [i, start] of offsets.entries()) {
    const length = (offsets[i + 1] ?? value.length) - start
    if (length === size.bytes) continue
    yield { field: 'value', expected: `members of ${bytes}`, found: `${length} bytes in member ${i}` }
    return
  }
}

/**
 * Size in bytes of the values that a field can be compared with: undefined if TileDB compares none. Undefined as a whole for text of any
 * length, and for a field that the schema does not have.
 * @see ASTNodeVal::check_node_validity
 */
function comparedSize({ attributes, domain }: ArraySchema, field: string) {
  const attribute = attributes.find(({ name }) => name === field)
  const compared = attribute ?? domain.dimensions.find(({ name }) => name === field)
  if (!compared) return undefined
  const { type, cell_val_num } = compared
  const isVar = cell_val_num === 'var'
  if (type === 'STRING_ASCII' || type === 'CHAR' || (isVar && type === 'STRING_UTF8')) return undefined
  const bytes = isVar ? undefined : datatypeSize(type) * cell_val_num
  return { type, bytes, nullable: attribute?.nullable === true, labelled: (attribute?.enumeration ?? '') !== '' }
}

export type UpdateValue = ReturnType<typeof updateValue>
function updateValue(io: AnyIo) {
  return {
    field: io.string('field', 'uint64', 'an attribute'),
    value: lengthAndBytes(io, 'value', 'uint64', 'value that the cells get'),
  }
}

/** An update: a condition, then the values to set. No release writes these files. @see format_spec/update_commit_file.md */
export type UpdateCondition = ReturnType<typeof updateCondition>
export function updateCondition(io: AnyIo) {
  return {
    condition: io.struct('condition', deleteCondition),
    values: countedList(io, ['value_num', 'uint64', 'values'], 'values', updateValue),
  }
}
