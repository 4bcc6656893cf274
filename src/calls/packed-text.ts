/**
 * Bytes as text for an element of HTML: two characters have 13 bits. The text is 8 % shorter than base64. `src/page` reads what
 * `page` writes.
 */

/** All printable characters but `<`, which may end the element, `&` and the backslash. Two of them have 91 * 91 values: above 2^13. */
const DIGITS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))
  .filter((digit) => !'<&\\'.includes(digit))
  .join('')
const BASE = DIGITS.length
const BITS = 13

export function packText(bytes: Uint8Array): string {
  let text = ''
  let [bits, count] = [0, 0]
  const write = (value: number): void => {
    text += DIGITS.charAt(Math.floor(value / BASE)) + DIGITS.charAt(value % BASE)
  }
  for (const byte of bytes) {
    bits |= byte << count
    count += 8
    if (count < BITS) continue
    write(bits & ((1 << BITS) - 1))
    bits >>>= BITS
    count -= BITS
  }
  if (count > 0) write(bits)
  return text
}

/** Undoes {@link packText}. @param length number of bytes */
export function unpackText(text: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  const values = new Uint8Array(128)
  for (let i = 0; i < BASE; i++) values[DIGITS.charCodeAt(i)] = i
  const valueAt = (i: number): number => values[text.charCodeAt(i)] ?? 0
  let [bits, count, at] = [0, 0, 0]
  for (let i = 0; i < text.length; i += 2) {
    bits |= (valueAt(i) * BASE + valueAt(i + 1)) << count
    for (count += BITS; count >= 8; count -= 8) {
      bytes[at++] = bits
      bits >>>= 8
    }
  }
  return bytes
}
