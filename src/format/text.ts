import { element } from '../base/element.ts'

/**
 * Names on disk are UTF-8 by convention, but nothing enforces it. A byte that is not valid UTF-8 becomes a lone low
 * surrogate U+DC80 to U+DCFF, as in Python's "surrogateescape". So every name survives reading and writing.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

export function decodeText(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? decodeEscaping(bytes)
}

/** Returns the text; undefined if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Node's native checks. The module is not imported, because bundlers for pages find no such module. */
const native = globalThis.process?.getBuiltinModule?.('buffer')

/** Whether the bytes are valid UTF-8. */
export const isUtf8: (bytes: Uint8Array) => boolean = native?.isUtf8 ?? ((bytes) => decodeUtf8(bytes) !== undefined)

/** Whether all bytes are ASCII. */
export const isAscii: (bytes: Uint8Array) => boolean = native?.isAscii ?? hasOnlyAscii

function hasOnlyAscii(bytes: Uint8Array): boolean {
  let any = 0
  for (const byte of bytes) any |= byte
  return any < 0x80
}

/** Number of bytes of a character, by its first byte. */
function utf8Length(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

function decodeEscaping(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; ) {
    const lead = element(bytes, i)
    const length = utf8Length(lead)
    const whole = i + length <= bytes.length ? decodeUtf8(bytes.subarray(i, i + length)) : undefined
    if (whole === undefined) {
      out += String.fromCharCode(0xdc00 + lead)
      i += 1
    } else {
      out += whole
      i += length
    }
  }
  return out
}

export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  const parts: number[] = []
  for (const ch of text) {
    const code = ch.charCodeAt(0)
    if (ch.length === 1 && code >= 0xdc80 && code <= 0xdcff) parts.push(code - 0xdc00)
    else for (const byte of encoder.encode(ch)) parts.push(byte)
  }
  return Uint8Array.from(parts)
}
