import type { KeyValues } from '../documents/common.ts'
import { datatypeKind } from '../format/datatype.ts'
import { type CellValue, cellValue, type ValueStyle } from '../format/value.ts'
import type { WrittenMetadata } from '../objects/array.ts'

/** Key-value metadata by key. Text and bytes are one value each. Values of other types are an array unless there is only one. */
export function keyValueResult(entries: Map<string, WrittenMetadata>, style: ValueStyle): KeyValues {
  const result: KeyValues = Object.create(null)
  for (const [key, entry] of entries) {
    const { type, value_num, timestamp_range } = entry
    const value = storedValue(entry, style)
    if (type !== undefined && value_num !== undefined && value !== undefined)
      result[key] = { type, value_num: readNum(value_num), value, timestamp_range }
  }
  return result
}

/** The number of values that TileDB gives to readers: 1 for an empty value, which is stored with 0. */
export function readNum(value_num: number): number {
  return value_num === 0 ? 1 : value_num
}

/** The value of a key; undefined if the key was deleted. */
export function storedValue({ type, value_num, value }: WrittenMetadata, style: ValueStyle): CellValue | undefined {
  if (type === undefined || value_num === undefined || value === undefined) return undefined
  const whole = value_num === 0 || ['text', 'bytes'].includes(datatypeKind(type))
  return cellValue(type, whole ? 'var' : value_num, value, style)
}
