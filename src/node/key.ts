import { usage } from '../base/errors.ts'
import { parseKey } from '../base/key.ts'
import { localFiles, readShort } from './file.ts'

/** Upper limit on the bytes of a key file. */
const MAX_KEY_BYTES = 1024

/**
 * The AES-256-GCM key from `--key`, `--key-file` or the environment, in this order; undefined if there is none.
 * @throws InspectError USAGE if it is not a key; the message never contains the key
 */
export async function readKey(
  options: { key?: string | undefined; keyFile?: string | undefined },
  fromEnvironment: string | undefined,
): Promise<Uint8Array | undefined> {
  if (options.key !== undefined) return parseKey(options.key, '--key')
  if (options.keyFile !== undefined) {
    if (mayBeKey(options.keyFile) && (await localFiles.kind(options.keyFile)) === undefined)
      throw usage('--key-file expects a file, found what may be a key itself: --key takes one')
    return parseKey(readShort(options.keyFile, MAX_KEY_BYTES), '--key-file')
  }
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    return parseKey(fromEnvironment, 'TILEDB_INSPECT_KEY')
  }
  return undefined
}

/** Whether a word looks like a key, so that no message repeats it. */
export function mayBeKey(word: string): boolean {
  return /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?|[^./\\]{32})$/.test(word)
}
