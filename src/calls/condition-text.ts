import type { Result } from '../base/result.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { ComparisonOp, ConditionNode, ConditionValue } from '../format/delete-condition.ts'
import { type CellValue, cellValue, type ValueStyle } from '../format/value.ts'
import type { InspectArray } from '../objects/array.ts'
import { attributeLabels } from '../objects/labels.ts'
import { conditionFields, isNullTest, NEGATED, setMembers } from '../read/condition.ts'
import { COMPARISONS, fieldText } from '../read/where-syntax.ts'
import { isScalar, scalarJson } from '../rows/scalar-json.ts'
import type { CommandContext } from './command.ts'
import { enumerationResult } from './schema-result.ts'

const COMPACT = { int64: 'number', indent: false } as const

/** How a comparison is written. */
const SYMBOLS: Partial<Record<ComparisonOp, string>> = {
  ...Object.fromEntries(Array.from(COMPARISONS, ([symbol, op]) => [op, symbol])),
  IN: 'in',
  NOT_IN: 'not in',
}

/** What is needed to show the values in conditions. */
interface ConditionFields {
  schema: ArraySchema
  /**
   * The values of enumerations as they are shown, by attribute. The user names a label, and TileDB stores its index (seen in
   * every release that has enumerations: 2.18, 2.22, 2.30).
   */
  labels: ReadonlyMap<string, readonly Result[]>
  style: ValueStyle
}

/** The text of a condition, with the labels of enumerations instead of their indexes. */
export async function shownCondition(
  { style }: Pick<CommandContext, 'style'>,
  array: InspectArray,
  node: ConditionNode,
): Promise<string> {
  const { schema } = await array.newestSchema()
  const labels = new Map<string, readonly CellValue[]>()
  for (const field of conditionFields(node)) {
    const { enumeration } = await attributeLabels(array, field, schema)
    if (enumeration) labels.set(field, enumerationResult(enumeration, style).values)
  }
  return conditionText(node, { schema, labels, style })
}

/**
 * A delete condition as the user wrote it. The file stores its negation, which is true for the cells to keep: AND and OR are swapped,
 * and every comparison is reversed.
 *
 * @see tiledb/sm/query/deletes_and_updates/serialization.cc
 */
export function conditionText(node: ConditionNode, fields: ConditionFields): string {
  return text(node, true, fields, true)
}

function text(node: ConditionNode, negate: boolean, fields: ConditionFields, top: boolean): string {
  if (node.node === 'value') return comparison(node, negate ? NEGATED[node.op] : node.op, fields)
  const isNot = node.op === 'NOT'
  const op = isNot || (node.op === 'AND') !== negate ? ' and ' : ' or '
  const joined = node.children.map((child) => text(child, negate !== isNot, fields, false)).join(op)
  return top || (!isNot && node.children.length < 2) ? joined : `(${joined})`
}

/** The text of a value, or of the values of a cell that has several. */
function valueText(value: Result): string {
  if (isScalar(value)) return scalarJson(value, COMPACT)
  return `[${Array.from(value as Iterable<Result>, valueText).join(',')}]`
}

function comparison(node: ConditionValue, op: ComparisonOp, fields: ConditionFields): string {
  if (op === 'ALWAYS_TRUE') return 'true'
  if (op === 'ALWAYS_FALSE') return 'false'
  const { field, value, offsets } = node
  const { schema, labels, style } = fields
  const type = [...schema.attributes, ...schema.domain.dimensions].find(({ name }) => name === field)
  const show = (bytes: Uint8Array): string => {
    if (!type) return scalarJson(bytes, COMPACT)
    // Cells of a fixed length may be compared with text of any length.
    const count = datatypeKind(type.type) === 'text' ? 'var' : type.cell_val_num
    const shown: Result = cellValue(type.type, count, bytes, style)
    const label =
      typeof shown === 'number' || typeof shown === 'bigint' ? labels.get(field)?.[Number(shown)] : undefined
    return valueText(label ?? shown)
  }
  if (offsets) return `${fieldText(field)} ${SYMBOLS[op]} [${setMembers(node).map(show).join(', ')}]`
  return `${fieldText(field)} ${SYMBOLS[op]} ${isNullTest(node, type?.type) ? 'null' : show(value)}`
}
