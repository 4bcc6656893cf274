import type { ColumnType } from '../cells/column.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import type { VcfField } from './maps.ts'

/*
 * What the fields of a call are, by the schema and by vidmap.json.
 */

/** An attribute, as its array stores it. */
export interface StoredField {
  name: string
  type: Datatype
  cell_val_num: CellValNum
}

/**
 * How the cells of a field become values.
 *
 * - `value`: one number
 * - `text`: all bytes are one text
 * - `flag`: a byte that is 1, or absent
 * - `numbers`: a list of numbers
 * - `genotype`: alleles and phases, as VCF prints them
 * - `alleles`: texts with `|` between them, `&` for `<NON_REF>`
 * - `filters`: indexes of the list of fields in vidmap.json
 * - `nested`: lists of lists in one cell: see {@link nestedLists}
 */
export type FieldForm = 'value' | 'text' | 'flag' | 'numbers' | 'genotype' | 'alleles' | 'filters' | 'nested'

/** A field of a call. */
export interface CallField {
  /** Number of the field in the schema. */
  index: number
  stored: StoredField
  form: FieldForm
  /** Type of the numbers in a nested field. */
  item: Datatype
  /** Whether phases stand between the alleles of a genotype. */
  hasPhases: boolean
}

/** The end of a call, which is shown as a position. */
export const END = 'END'

/**
 * What vidmap.json says of an attribute. FORMAT fields that INFO has, too, are stored with a suffix. A field of tuples has an attribute
 * for each element of them.
 */
function vcfFieldOf(named: ReadonlyMap<string, VcfField>, name: string): VcfField | undefined {
  const own = named.get(name)
  if (own) return own
  if (name.endsWith(FORMAT_SUFFIX)) return named.get(name.slice(0, -FORMAT_SUFFIX.length))
  const [, tuples, index] = TUPLE_ELEMENT.exec(name) ?? []
  const field = tuples === undefined ? undefined : vcfFieldOf(named, tuples)
  const type = field?.types[Number(index)]
  return field && type !== undefined ? { ...field, types: [type] } : undefined
}

/** Name of an attribute with an element of tuples, as `AS_RAW_MQRankSum_tuple_element_0`. */
const TUPLE_ELEMENT = /^(.+)_tuple_element_(\d+)$/s
const FORMAT_SUFFIX = '_FORMAT'

/** The fields of the calls of an array, in the order of the schema. @param fields those of vidmap.json */
export function callFields(attributes: readonly StoredField[], fields: readonly VcfField[]): CallField[] {
  const named = new Map(fields.toReversed().map((field) => [field.name, field]))
  return attributes.flatMap((stored, index) => {
    if (stored.name === END) return []
    const vcf = vcfFieldOf(named, stored.name)
    const form = formOf(stored, vcf)
    return [{ index, stored, form, item: itemType(vcf), hasPhases: vcf?.lengths[0] !== 'P' }]
  })
}

function formOf({ name, type, cell_val_num }: StoredField, vcf: VcfField | undefined): FieldForm {
  const isText = datatypeKind(type) === 'text'
  if (isText && name === 'ALT') return 'alleles'
  if (isText && cell_val_num === 'var' && vcf && vcf.lengths.length > 1) return 'nested'
  if (isText) return cell_val_num === 1 && vcf?.types[0] === 'Flag' ? 'flag' : 'text'
  if (name === 'GT' && cell_val_num === 'var' && type === 'INT32') return 'genotype'
  if (name === 'FILTER' && cell_val_num === 'var' && type === 'INT32') return 'filters'
  return cell_val_num === 1 ? 'value' : 'numbers'
}

/** The type of the elements of a nested field. */
function itemType(vcf: VcfField | undefined): Datatype {
  const name = vcf?.types[0]?.toLowerCase() ?? ''
  if (name.startsWith('float')) return 'FLOAT32'
  return name.startsWith('char') || name.startsWith('str') ? 'CHAR' : 'INT32'
}

/** The column in which the values of a field are shown: lists as they are stored, genotypes as text. */
export function columnOf({ stored, form }: CallField): ColumnType {
  const { name } = stored
  const shared = { name, kind: 'attribute', nullable: true } as const
  switch (form) {
    case 'flag':
      return { ...shared, type: 'BOOL', cell_val_num: 1 }
    case 'text':
    case 'genotype':
    case 'alleles':
    case 'filters':
      return { ...shared, type: 'STRING_UTF8', cell_val_num: 'var' }
    case 'nested':
      return { ...shared, type: 'BLOB', cell_val_num: 'var' }
    default:
      return { ...shared, type: stored.type, cell_val_num: stored.cell_val_num }
  }
}
