import { concat, startsOf } from '../base/bytes.ts'
import { type Fault, InspectError } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { ConditionExpression, ConditionNode } from '../format/delete-condition.ts'
import { type Enumeration, enumerationValues, enumerationValueType } from '../format/enumeration.ts'
import { bytesOf } from '../format/value.ts'
import type { InspectArray } from '../objects/array.ts'
import { cellsOf, comparisonOf, NEGATED } from './condition.ts'
import {
  type Comparison,
  type FieldName,
  type Literal,
  parseSyntax,
  syntaxFields,
  type WhereNode,
  whereFault,
} from './where-syntax.ts'

/** Examples of conditions, for the help of `--where`. */
export const WHERE_FORMS = 'a > 5 and (s == "x" or b in [1, 2]), 1 < a <= 5, not a == None, attr("a b") != 3'

/** The enumerations of attributes, by name of the attribute. */
export type Enumerations = ReadonlyMap<string, Enumeration>

interface Field {
  name: string
  type: Datatype
  cell_val_num: CellValNum
  enumeration: Enumeration | undefined
}

/** Loads the enumerations that a condition needs, then parses it as {@link parseWhere} does. @throws InspectError USAGE, or the error of reading an enumeration */
export async function loadWhere(text: string, schema: ArraySchema, array: InspectArray): Promise<ConditionNode> {
  const enumerations = new Map<string, Enumeration>()
  for (const field of syntaxFields(parseSyntax(text))) {
    const attribute = schema.attributes.find(({ name }) => name === field)
    const entry = attribute && schema.enumerations.find(({ name }) => name === attribute.enumeration)
    if (entry) enumerations.set(field, await array.enumeration(entry))
  }
  return parseWhere(text, schema, enumerations)
}

/**
 * Parses the text of `--where`: a condition in the syntax of TileDB-Py's QueryCondition, or as `commits` prints it. Dates are text, or
 * counts of their unit. An attribute with an enumeration is compared with labels.
 *
 * @param enumerations the enumerations of all attributes in the condition that have one
 * @returns the condition as TileDB would build it: without NOT, and with indexes in place of labels
 * @throws InspectError USAGE, whose message tells what is wrong and where
 */
export function parseWhere(text: string, schema: ArraySchema, enumerations: Enumerations = new Map()): ConditionNode {
  return new Resolver(text, schema, enumerations).node(parseSyntax(text), false)
}

/** Finds the types of the fields in a condition, and encodes its values. */
class Resolver {
  private readonly text: string
  private readonly schema: ArraySchema
  private readonly enumerations: Enumerations

  constructor(text: string, schema: ArraySchema, enumerations: Enumerations) {
    this.text = text
    this.schema = schema
    this.enumerations = enumerations
  }

  node(node: WhereNode, negated: boolean): ConditionNode {
    if (node.is === 'comparison') return this.comparison(node, negated)
    if (node.is === 'NOT') return this.node(node.part, !negated)
    const parts = node.parts.map((part) => this.node(part, negated))
    const opposite = node.is === 'AND' ? 'OR' : 'AND'
    return combined(negated ? opposite : node.is, parts)
  }

  private comparison({ field: name, op: written, values }: Comparison, negated: boolean): ConditionNode {
    const field = this.field(name)
    // Comparisons are reversed before labels are looked up. So a value that is no label meets neither `x < …` nor `not x < …`.
    const op = negated ? (NEGATED[written] as Comparison['op']) : written
    const isSet = op === 'IN' || op === 'NOT_IN'
    const base = { node: 'value', op, field: field.name, offsets: undefined } as const
    const none = values.find(({ value }) => value === null)
    if (none) {
      if (op !== 'EQ' && op !== 'NE') throw this.fault(none, 'None goes only with == and !=')
      const isText = datatypeKind(field.type) === 'text'
      return { ...base, value: new Uint8Array(0), ...(isText && { null_test: true }) }
    }
    if (comparisonOf(field) === undefined)
      throw this.fault(
        name,
        `conditions cannot compare ${JSON.stringify(field.name)}, ${cellsOf(field)}: only with None,`,
      )
    if (field.enumeration) return this.labels(field, field.enumeration, op, name, values)
    if (!isSet) return { ...base, value: this.bytes(field, values[0]) }
    const members = values.map((value) => this.member(field, value))
    return { ...base, value: concat(members), offsets: startsOf(members) }
  }

  private labels(
    field: Field,
    enumeration: Enumeration,
    op: Comparison['op'],
    name: FieldName,
    values: readonly Literal[],
  ): ConditionNode {
    const isSet = op === 'IN' || op === 'NOT_IN'
    if (!isSet && op !== 'EQ' && op !== 'NE' && !enumeration.ordered)
      throw this.fault(
        name,
        `the labels of ${JSON.stringify(field.name)} have no order: only ==, != and in compare them,`,
      )
    const labels = enumerationValues(enumeration)
    const { cell_val_num } = enumeration
    const type = enumerationValueType(enumeration, labels)
    const indexes = values.flatMap((value) => {
      const wanted = this.bytes({ type, cell_val_num }, value)
      const index = labels.findIndex((label) => sameBytes(label, wanted))
      return index < 0 ? [] : [bytesOf(field.type, 1, index)]
    })
    const base = { node: 'value', field: field.name, offsets: undefined } as const
    if (isSet) return { ...base, op, value: concat(indexes), offsets: startsOf(indexes) }
    if (indexes.length > 0) return { ...base, op, value: indexes[0] }
    // No cell has the value: as in TileDB, nothing meets the comparison, not even <=.
    return { ...base, op: op === 'NE' ? 'ALWAYS_TRUE' : 'ALWAYS_FALSE', value: new Uint8Array(0) }
  }

  private field({ name, kind, at }: FieldName): Field {
    const { attributes } = this.schema
    const { dimensions } = this.schema.domain
    const attribute = attributes.find((one) => one.name === name)
    const found = attribute ?? dimensions.find((one) => one.name === name)
    if (!found) {
      const names = [...dimensions, ...attributes].map((one) => one.name)
      throw this.fault(
        { at },
        { expected: `a field (${names.join(', ')})`, found: `${JSON.stringify(name)}${didYouMean(name, names)}` },
      )
    }
    if (kind !== undefined && (kind === 'attr') !== (attribute !== undefined))
      throw this.fault(
        { at },
        `${JSON.stringify(name)} is ${attribute ? 'an attribute, not a dimension' : 'a dimension, not an attribute'},`,
      )
    const { type, cell_val_num } = found
    if (!attribute?.enumeration) return { name, type, cell_val_num, enumeration: undefined }
    const enumeration = this.enumerations.get(name)
    if (!enumeration) throw this.fault({ at }, `found no labels of ${JSON.stringify(name)}`)
    return { name, type, cell_val_num, enumeration }
  }

  /** Encodes a member of a set. In a field of fixed-sized text, TileDB needs members that are as long as its cells. */
  private member({ type, cell_val_num }: Field, literal: Literal): Uint8Array {
    const bytes = this.bytes({ type, cell_val_num }, literal)
    const size = cell_val_num === 'var' ? bytes.length : datatypeSize(type) * cell_val_num
    if (bytes.length !== size) throw this.fault(literal, { expected: `${size} bytes in a member`, found: bytes.length })
    return bytes
  }

  private bytes({ type, cell_val_num }: Pick<Field, 'type' | 'cell_val_num'>, literal: Literal): Uint8Array {
    // Text may be compared with text of any length.
    const isText = datatypeKind(type) === 'text'
    try {
      return bytesOf(type, isText ? 'var' : cell_val_num, this.value(type, literal))
    } catch (error) {
      if (!(error instanceof InspectError) || error.code === 'USAGE') throw error
      throw this.fault(literal, error.message)
    }
  }

  /** Converts a value for its type. As in TileDB-Py, numbers must not be text, but 5.0 and True count as integers. */
  private value(type: Datatype, literal: Literal): unknown {
    const { value } = literal
    const kind = datatypeKind(type)
    if (kind === 'text' || kind === 'bytes') return value
    if (typeof value === 'string' && kind !== 'datetime' && !(kind === 'float' && /^-?(NaN|Infinity)/.test(value)))
      throw this.fault(literal, { expected: `a number for ${type}`, found: 'text' })
    if (typeof value === 'boolean' && kind !== 'bool') return BigInt(value)
    return value
  }

  private fault({ at }: { at: number }, fault: Fault): InspectError {
    return whereFault(this.text, at, fault)
  }
}

/** Joins conditions as TileDB does: children with the same op are merged into one expression. */
function combined(op: 'AND' | 'OR', parts: readonly ConditionNode[]): ConditionExpression {
  const children = parts.flatMap((part) => (part.node === 'expression' && part.op === op ? part.children : [part]))
  return { node: 'expression', op, children }
}
