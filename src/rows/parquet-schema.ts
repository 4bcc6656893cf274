import type { DataType, Field } from '@uwdata/flechette'
import { Type } from '@uwdata/flechette/src/constants.js'
import type { ConvertedType, LogicalType, ParquetType, SchemaElement } from 'hyparquet'

/** A column of Parquet: a field of Arrow, or a field inside a list or struct. */
export interface Leaf {
  path: string[]
  element: SchemaElement & { type: ParquetType }
}

/**
 * The schema of Parquet that holds the fields of Arrow: its elements, each before its children, and the columns among them. A
 * dictionary has the type of its values. Arrow's own schema, which stands beside it in the file, says what is lost here.
 */
export function parquetSchema(fields: readonly Field[]): { elements: SchemaElement[]; leaves: Leaf[] } {
  const elements: SchemaElement[] = [{ name: 'schema', num_children: fields.length }]
  const leaves: Leaf[] = []
  for (const field of fields) addField(field, field.name, [], { elements, leaves })
  return { elements, leaves }
}

function addField(
  field: Field,
  name: string,
  parents: readonly string[],
  to: { elements: SchemaElement[]; leaves: Leaf[] },
): void {
  const type = valueType(field.type)
  const path = [...parents, name]
  const repetition_type = field.nullable ? 'OPTIONAL' : 'REQUIRED'
  if (isList(type)) {
    // Three levels: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists
    const logical_type: LogicalType = { type: 'LIST' }
    to.elements.push({ name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type })
    to.elements.push({ name: 'list', repetition_type: 'REPEATED', num_children: 1 })
    addField(type.children[0], 'element', [...path, 'list'], to)
  } else if (type.typeId === Type.Struct) {
    to.elements.push({ name, repetition_type, num_children: type.children.length })
    for (const child of type.children) addField(child, child.name, path, to)
  } else {
    const element = { name, repetition_type, ...leafType(type) } as const
    to.elements.push(element)
    to.leaves.push({ path, element })
  }
}

/** The type itself, of dictionaries that of their values. */
export function valueType(type: DataType): DataType {
  return type.typeId === Type.Dictionary ? type.dictionary : type
}

export function isList(type: DataType): type is Extract<DataType, { typeId: 12 | 16 }> {
  return type.typeId === Type.List || type.typeId === Type.FixedSizeList
}

interface LeafType {
  type: ParquetType
  converted_type?: ConvertedType
  logical_type?: LogicalType
}

/**
 * Integers of less than 64 bits, and unsigned ones, have only the older "converted type": hyparquet-writer 0.17 writes the bit width of
 * the newer one as an integer of 32 bits, where Thrift's definition has a byte. Parquet has no seconds, and no durations.
 */
function leafType(type: DataType): LeafType {
  switch (type.typeId) {
    case Type.Int: {
      const { bitWidth, signed } = type
      const physical: ParquetType = bitWidth === 64 ? 'INT64' : 'INT32'
      if (!signed) return { type: physical, converted_type: `UINT_${bitWidth}` }
      return bitWidth < 32 ? { type: physical, converted_type: `INT_${bitWidth as 8 | 16}` } : { type: physical }
    }
    case Type.Float:
      return { type: type.precision === 1 ? 'FLOAT' : 'DOUBLE' }
    case Type.Bool:
      return { type: 'BOOLEAN' }
    case Type.Utf8:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case Type.Binary:
      return { type: 'BYTE_ARRAY' }
    case Type.Date:
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case Type.Timestamp: {
      const unit = (['MILLIS', 'MILLIS', 'MICROS', 'NANOS'] as const)[type.unit]
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit } }
    }
    case Type.Duration:
      return { type: 'INT64' }
    default:
      throw new TypeError(`no type of Parquet for Arrow's ${type.typeId}`)
  }
}
