/**
 * Datatypes, numbered and named as in the C API (`tiledb_datatype_t`, `tiledb_datatype_to_str`).
 * The number is a uint8 on disk, and the position in this table.
 *
 * @see format_spec/array_schema.md; tiledb/api/c_api/datatype/datatype_api_enum.h
 */

import { enumerationOf } from './coding.ts'

type DatatypeKind = 'int' | 'uint' | 'float' | 'text' | 'bytes' | 'bool' | 'datetime' | 'time'

const TABLE = [
  ['INT32', 4, 'int'],
  ['INT64', 8, 'int'],
  ['FLOAT32', 4, 'float'],
  ['FLOAT64', 8, 'float'],
  ['CHAR', 1, 'text'],
  ['INT8', 1, 'int'],
  ['UINT8', 1, 'uint'],
  ['INT16', 2, 'int'],
  ['UINT16', 2, 'uint'],
  ['UINT32', 4, 'uint'],
  ['UINT64', 8, 'uint'],
  ['STRING_ASCII', 1, 'text'],
  ['STRING_UTF8', 1, 'text'],
  ['STRING_UTF16', 2, 'text'],
  ['STRING_UTF32', 4, 'text'],
  ['STRING_UCS2', 2, 'text'],
  ['STRING_UCS4', 4, 'text'],
  ['ANY', 1, 'bytes'],
  ['DATETIME_YEAR', 8, 'datetime'],
  ['DATETIME_MONTH', 8, 'datetime'],
  ['DATETIME_WEEK', 8, 'datetime'],
  ['DATETIME_DAY', 8, 'datetime'],
  ['DATETIME_HR', 8, 'datetime'],
  ['DATETIME_MIN', 8, 'datetime'],
  ['DATETIME_SEC', 8, 'datetime'],
  ['DATETIME_MS', 8, 'datetime'],
  ['DATETIME_US', 8, 'datetime'],
  ['DATETIME_NS', 8, 'datetime'],
  ['DATETIME_PS', 8, 'datetime'],
  ['DATETIME_FS', 8, 'datetime'],
  ['DATETIME_AS', 8, 'datetime'],
  ['TIME_HR', 8, 'time'],
  ['TIME_MIN', 8, 'time'],
  ['TIME_SEC', 8, 'time'],
  ['TIME_MS', 8, 'time'],
  ['TIME_US', 8, 'time'],
  ['TIME_NS', 8, 'time'],
  ['TIME_PS', 8, 'time'],
  ['TIME_FS', 8, 'time'],
  ['TIME_AS', 8, 'time'],
  ['BLOB', 1, 'bytes'],
  ['BOOL', 1, 'bool'],
  ['GEOM_WKB', 1, 'bytes'],
  ['GEOM_WKT', 1, 'bytes'],
] as const satisfies readonly (readonly [string, number, DatatypeKind])[]

/** Datatype as the C API names it. */
export type Datatype = (typeof TABLE)[number][0]

/** Names in the order of their numbers on disk. */
export const DATATYPES: readonly Datatype[] = TABLE.map(([name]) => name)

/** uint8 on disk. */
export const datatypeCoding = enumerationOf('datatype', DATATYPES)

/** Bytes of an element. */
export type ElementSize = (typeof TABLE)[number][1]

const SIZES = Object.fromEntries(TABLE.map(([name, size]) => [name, size])) as Record<Datatype, ElementSize>
const KINDS = Object.fromEntries(TABLE.map(([name, , kind]) => [name, kind])) as Record<Datatype, DatatypeKind>

/** Returns the bytes of one element. */
export function datatypeSize(datatype: Datatype): ElementSize {
  return SIZES[datatype]
}

/** Returns the kind of a datatype's values. It decides how they are compared, summed and printed. */
export function datatypeKind(datatype: Datatype): DatatypeKind {
  return KINDS[datatype]
}

/** Whether elements are signed integers. Dates and times are: they are int64 counts of their unit. */
export function isSignedInteger(datatype: Datatype): boolean {
  const kind = KINDS[datatype]
  return kind === 'int' || kind === 'datetime' || kind === 'time'
}
