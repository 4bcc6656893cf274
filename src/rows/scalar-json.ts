import { numberText } from '../base/number-text.ts'
import type { Result } from '../base/result.ts'
import { safeJson } from '../base/unsafe-text.ts'
import { encodeText } from '../format/text.ts'

export interface JsonStyle {
  /** How 64-bit integers are written: as numbers with all digits, or as strings for readers that round numbers. */
  int64: 'number' | 'string'
  /** Whether each key has a line of its own. If false, everything is on one line without spaces. */
  indent: boolean
}

export type JsonScalar = null | boolean | number | bigint | string | Uint8Array

export function isScalar(value: Result): value is JsonScalar {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array
}

/** Returns a scalar as JSON. */
export function scalarJson(value: JsonScalar, style: JsonStyle): string {
  switch (typeof value) {
    case 'number':
      if (value - value !== 0) return `"${value}"`
      return numberText(value)
    case 'string':
      // Readers reject a lone surrogate, so such text is written as bytes.
      return value.isWellFormed() ? safeJson(value) : scalarJson(encodeText(value), style)
    case 'bigint':
      return style.int64 === 'string' ? `"${value}"` : String(value)
    case 'boolean':
      return value ? 'true' : 'false'
  }
  if (value === null) return 'null'
  const [bracket, close] = base64Brackets(style)
  return bracket + base64(value) + close
}

/** Returns the text before and after the base64 of bytes. */
export function base64Brackets({ indent }: JsonStyle): [string, string] {
  return [indent ? '{"base64": "' : '{"base64":"', '"}']
}

export function base64(bytes: Uint8Array): string {
  // Browsers have no Buffer.
  if (typeof Buffer === 'undefined') return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
