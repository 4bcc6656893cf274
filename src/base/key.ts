import { usage } from './errors.ts'

const KEY_BYTES = 32

/**
 * Parses a key given as 32 raw bytes, 64 hex digits or base64. One newline at the end is ignored.
 *
 * @param from where the key comes from, for the error
 * @throws InspectError USAGE
 */
export function parseKey(given: Uint8Array | string, from: string): Uint8Array {
  const all = typeof given === 'string' ? new TextEncoder().encode(given) : given
  const bytes = all.length === KEY_BYTES ? all : withoutNewline(all)
  if (bytes.length === KEY_BYTES) return bytes
  const text = new TextDecoder('latin1').decode(bytes)
  if (/^[0-9a-fA-F]{64}$/.test(text))
    return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    const decoded = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/').replace(/=?$/, '=')), (ch) =>
      ch.charCodeAt(0),
    )
    if (decoded.length === KEY_BYTES) return decoded
  }
  throw usage(`${from} expects a key of 32 bytes, 64 hex digits or base64 of 32 bytes, found ${bytes.length} bytes`)
}

function withoutNewline(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  if (end > 0 && bytes[end - 1] === 0x0a) end--
  if (end > 0 && bytes[end - 1] === 0x0d) end--
  return bytes.subarray(0, end)
}
