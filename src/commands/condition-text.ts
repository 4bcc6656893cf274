import type { ArraySchema } from '../format/array-schema.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { CombinationOp, ComparisonOp, ConditionNode, ConditionValue } from '../format/delete-condition.ts'
import { cellValue, type ValueStyle } from '../format/value.ts'
import { toJson } from '../render/json.ts'
import type { Result } from '../render/result.ts'

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

/**
 * A delete condition as the user wrote it. What is stored is its negation, the cells that stay: AND and OR swap, every comparison flips.
 *
 * @see tiledb/sm/query/deletes_and_updates/serialization.cc
 */
export function conditionText(node: ConditionNode, schema: ArraySchema, style: ValueStyle): string {
  return text(node, true, schema, style, true)
}

function text(node: ConditionNode, negate: boolean, schema: ArraySchema, style: ValueStyle, top: boolean): string {
  if (node.node === 'value') return comparison(node, negate ? NEGATED[node.op] : node.op, schema, style)
  if (node.op === 'NOT') {
    const inner = node.children.map((child) => text(child, !negate, schema, style, false)).join(' and ')
    return top ? inner : `(${inner})`
  }
  const op: CombinationOp = negate ? (node.op === 'AND' ? 'OR' : 'AND') : node.op
  const joined = node.children.map((child) => text(child, negate, schema, style, false)).join(` ${op.toLowerCase()} `)
  return top || node.children.length < 2 ? joined : `(${joined})`
}

function comparison(node: ConditionValue, op: ComparisonOp, schema: ArraySchema, style: ValueStyle): string {
  if (op === 'ALWAYS_TRUE') return 'true'
  if (op === 'ALWAYS_FALSE') return 'false'
  return `${node.field} ${SYMBOLS[op]} ${operand(node, fieldType(schema, node.field), style)}`
}

function operand(
  node: ConditionValue,
  type: { type: Datatype; cell_val_num: CellValNum } | undefined,
  style: ValueStyle,
): string {
  const { value, offsets } = node
  const show = (bytes: Uint8Array): string => {
    if (!type) return toJson(bytes, COMPACT)
    const shown: Result = cellValue(type.type, type.cell_val_num, bytes, style)
    return toJson(shown, COMPACT)
  }
  if (offsets) {
    const members = Array.from(offsets, (start, i) => show(value.subarray(start, offsets[i + 1] ?? value.length)))
    return `[${members.join(', ')}]`
  }
  return value.length === 0 && type?.cell_val_num !== 'var' ? 'null' : show(value)
}

/** Type of a field's values in a condition; those of an enumerated attribute are its labels, whose type the schema does not hold. */
function fieldType(schema: ArraySchema, name: string): { type: Datatype; cell_val_num: CellValNum } | undefined {
  const attribute = schema.attributes.find((a) => a.name === name)
  if (attribute) return attribute.enumeration === '' ? attribute : { type: 'STRING_UTF8', cell_val_num: 'var' }
  return schema.domain.dimensions.find((d) => d.name === name)
}
