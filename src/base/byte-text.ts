/** Bytes as text: digits and characters for people, as in a hex dump, or one character for each byte. */

/** Digits of each byte value, filled on first use. */
const DIGITS: string[] = []

export function byteDigits(byte: number): string {
  DIGITS[byte] ??= byte.toString(16).padStart(2, '0')
  return DIGITS[byte]
}

/** Whether a byte is a character of ASCII that can be seen, or a space. */
export function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f
}

/** The character beside the digits in a hex dump: a dot for a byte that cannot be seen. */
export function byteCharacter(byte: number): string {
  return isPrintable(byte) ? String.fromCharCode(byte) : '.'
}

/** Number of digits of the offsets in a hex dump of `length` bytes. */
export function offsetWidth(length: number): number {
  return Math.max(8, Math.max(0, length - 1).toString(16).length)
}

/** Number of bytes that become characters in one call. */
const AT_ONCE = 4096

/** Bytes as characters of 8 bits: equal for equal bytes, and in their order. */
export function latin1Text(bytes: Uint8Array, from = 0, to = bytes.length): string {
  if (to - from <= AT_ONCE) return String.fromCharCode(...bytes.subarray(from, to))
  let text = ''
  for (let at = from; at < to; at += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + AT_ONCE)))
  return text
}
