import { InspectError } from '../base/errors.ts'
import { localStorage, readShort } from './file.ts'

const KEY_BYTES = 32
/** A file of more is none of a key. */
const MOST_KEY_BYTES = 1024

/**
 * The AES-256-GCM key from `--key`, `--key-file` or the environment, in this order; undefined for none.
 * @throws InspectError USAGE where it is no key; the key itself never stands in the message
 */
export async function readKey(
  options: { key?: string | undefined; keyFile?: string | undefined },
  fromEnvironment: string | undefined,
): Promise<Uint8Array | undefined> {
  if (options.key !== undefined) return parseKey(new TextEncoder().encode(options.key), '--key')
  if (options.keyFile !== undefined) {
    if (mayBeKey(options.keyFile) && (await localStorage.kind(options.keyFile)) === undefined)
      throw new InspectError('USAGE', '--key-file expects a file, found what may be a key itself: --key takes one')
    return parseKey(readShort(options.keyFile, MOST_KEY_BYTES), '--key-file')
  }
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    return parseKey(new TextEncoder().encode(fromEnvironment), 'TILEDB_INSPECT_KEY')
  }
  return undefined
}

/** Whether a word looks like a key: no message repeats it then. */
export function mayBeKey(word: string): boolean {
  return /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?|[^./\\]{32})$/.test(word)
}

/** A key as 32 raw bytes, 64 hex digits or base64; one trailing newline is tolerated. */
export function parseKey(given: Uint8Array, from: string): Uint8Array {
  if (given.length === KEY_BYTES) return given
  const bytes = withoutNewline(given)
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
  throw new InspectError(
    'USAGE',
    `${from} expects a key of 32 bytes, 64 hex digits or base64 of 32 bytes, found ${bytes.length} bytes`,
  )
}

function withoutNewline(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  if (end > 0 && bytes[end - 1] === 0x0a) end--
  if (end > 0 && bytes[end - 1] === 0x0d) end--
  return bytes.subarray(0, end)
}
