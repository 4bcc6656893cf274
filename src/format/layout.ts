import { enumeration, enumerationOf } from './coding.ts'

/**
 * Small enumerations, spelled as the C API prints them.
 *
 * @see tiledb/api/c_api/ (`*_enum.h`), format_spec/array_schema.md
 */

/** Orders of cells or tiles, in the order of their numbers. */
export const LAYOUTS = ['row-major', 'col-major', 'global-order', 'unordered', 'hilbert'] as const
/** Layout as the C API names it; valid schemas have row-major and col-major, for cells also hilbert. */
export type Layout = (typeof LAYOUTS)[number]
export const layoutCoding = enumerationOf('layout', LAYOUTS)

/** Array type. */
export type ArrayType = 'dense' | 'sparse'
export const arrayTypeCoding = enumerationOf<ArrayType>('array type', ['dense', 'sparse'])

/** Order of values; `unordered` except in arrays of dimension labels. */
export type DataOrder = 'unordered' | 'increasing' | 'decreasing'
export const dataOrderCoding = enumerationOf<DataOrder>('data order', ['unordered', 'increasing', 'decreasing'])

/** Encryption as the C API names it. */
export type EncryptionType = 'NO_ENCRYPTION' | 'AES_256_GCM'
export const encryptionTypeCoding = enumerationOf<EncryptionType>('encryption type', ['NO_ENCRYPTION', 'AES_256_GCM'])

/** Type of a group member; `invalid` if it did not exist when it was added (TileDB does not check). */
export type ObjectType = 'invalid' | 'group' | 'array'
export const objectTypeCoding = enumeration<ObjectType>('object type', { invalid: 0, group: 1, array: 2 })
