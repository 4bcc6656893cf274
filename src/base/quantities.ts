/** Types of the values in documents. The JSON Schemas are made from them: see src/documents. */

/**
 * A whole number.
 * @asType integer
 */
export type Integer = number

/**
 * A number of things, or the index of one.
 * @asType integer
 * @minimum 0
 */
export type Count = number

/**
 * Bytes.
 * @asType integer
 * @minimum 0
 */
export type Bytes = number

/** A 64-bit integer; a string with `--int64 string`. */
export type Int64 = bigint | number

/** A floating-point number. */
export type Float = number

/** Bytes that are not valid text, in base64. */
export type Binary = Uint8Array

/** A name as it is stored: text, or bytes where it is not UTF-8. */
export type StoredName = string
