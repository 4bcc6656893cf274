import type { Result } from '../base/result.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { CombinationOp, ComparisonOp, ConditionNode, ConditionValue } from '../format/delete-condition.ts'
import { cellValue, type ValueStyle } from '../format/value.ts'
import { toJson } from '../render/json.ts'

const NEGATED: Record<ComparisonOp, ComparisonOp> = {
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

const COMPACT = { int64: 'number', indent: false } as const

const SYMBOLS: Partial<Record<ComparisonOp, string>> = {
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  EQ: '==',
  NE: '!=',
  IN: 'in',
  NOT_IN: 'not in',
}

/** What is needed to show the values in conditions. */
export interface ConditionFields {
  schema: ArraySchema
  /**
   * For attributes with an enumeration: its values as shown. The user names a label, and TileDB stores its index (seen in
   * every release that has enumerations: 2.18, 2.22, 2.30).
   */
  labels: ReadonlyMap<string, readonly Result[]>
}

/**
 * A delete condition as the user wrote it. The file stores its negation, the cells to keep: AND and OR are swapped, and every
 * comparison is reversed.
 *
 * @see tiledb/sm/query/deletes_and_updates/serialization.cc
 */
export function conditionText(node: ConditionNode, fields: ConditionFields, style: ValueStyle): string {
  return text(node, true, fields, style, true)
}

/** Names of the fields in a condition. */
export function* conditionFields(node: ConditionNode): Generator<string> {
  if (node.node === 'value') yield node.field
  else for (const child of node.children) yield* conditionFields(child)
}

function text(node: ConditionNode, negate: boolean, fields: ConditionFields, style: ValueStyle, top: boolean): string {
  if (node.node === 'value') return comparison(node, negate ? NEGATED[node.op] : node.op, fields, style)
  if (node.op === 'NOT') {
    const inner = node.children.map((child) => text(child, !negate, fields, style, false)).join(' and ')
    return top ? inner : `(${inner})`
  }
  const op: CombinationOp = negate ? (node.op === 'AND' ? 'OR' : 'AND') : node.op
  const joined = node.children.map((child) => text(child, negate, fields, style, false)).join(` ${op.toLowerCase()} `)
  return top || node.children.length < 2 ? joined : `(${joined})`
}

function comparison(node: ConditionValue, op: ComparisonOp, fields: ConditionFields, style: ValueStyle): string {
  if (op === 'ALWAYS_TRUE') return 'true'
  if (op === 'ALWAYS_FALSE') return 'false'
  const labels = fields.labels.get(node.field)
  return `${node.field} ${SYMBOLS[op]} ${operand(node, fieldType(fields.schema, node.field), labels, style)}`
}

function operand(
  node: ConditionValue,
  type: { type: Datatype; cell_val_num: CellValNum } | undefined,
  labels: readonly Result[] | undefined,
  style: ValueStyle,
): string {
  const { value, offsets } = node
  const show = (bytes: Uint8Array): string => {
    if (!type) return toJson(bytes, COMPACT)
    const shown: Result = cellValue(type.type, type.cell_val_num, bytes, style)
    const label = typeof shown === 'number' || typeof shown === 'bigint' ? labels?.[Number(shown)] : undefined
    return toJson(label ?? shown, COMPACT)
  }
  if (offsets) {
    const members = Array.from(offsets, (start, i) => show(value.subarray(start, offsets[i + 1] ?? value.length)))
    return `[${members.join(', ')}]`
  }
  return value.length === 0 && type?.cell_val_num !== 'var' ? 'null' : show(value)
}

function fieldType(schema: ArraySchema, name: string): { type: Datatype; cell_val_num: CellValNum } | undefined {
  return schema.attributes.find((a) => a.name === name) ?? schema.domain.dimensions.find((d) => d.name === name)
}
