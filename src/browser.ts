/**
 * The library for browsers and other places without Node. It reads with `fetch` by ranges, from a folder that the user
 * chose, from memory, or from a custom storage. The code of a filter is loaded when the filter is first used.
 *
 * ```js
 * import { openArray } from 'tiledb-inspect/browser'
 * const array = await openArray('https://example.org/path/to/array')
 * for (const { name, visible } of await array.fragments()) console.log(name, visible)
 * ```
 */
import { usage } from './base/errors.ts'
import { portable } from './filters/codecs/portable.ts'
import { packedWasm } from './filters/codecs/wasm-file.ts'
import { type BaseOptions, openersWith, type StoragePlace } from './library/opening.ts'
import { parquetWith, type WriteParquet } from './library/parquet.ts'
import { Client, DEFAULT_LIMITS } from './storage/remote/client.ts'
import { HttpStorage } from './storage/remote/http.ts'
import { remoteTarget } from './storage/remote/urls.ts'

export * from './library/exports.ts'

/** Without a storage, paths are `http` or `https` URLs. */
export type OpenOptions = BaseOptions

function findPlace(url: string, { onNote = () => {} }: OpenOptions = {}): StoragePlace {
  if (!/^https?:\/\//i.test(url)) throw usage({ expected: 'a URL with http or https, or a storage', found: 'neither' })
  const { path, access } = remoteTarget(url)
  return { storage: new HttpStorage(new Client(DEFAULT_LIMITS), onNote, access ? [access] : []), path }
}

const codecs = portable(packedWasm)
const openers = openersWith<OpenOptions>(codecs, findPlace, {})

/**
 * Opens whatever is at `path`, in the storage or on the network.
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE if the path is not an `http` or `https` URL
 */
export const open = openers.open

/** Opens an array. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openArray = openers.openArray

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openFragment = openers.openFragment

/** Opens a group. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openGroup = openers.openGroup

/** Writes cells as a Parquet file: see {@link WriteParquet}. */
export const writeParquet: WriteParquet = parquetWith(codecs)
