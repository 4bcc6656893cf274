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
import type { Fragment, InspectArray, InspectGroup, Target } from './library.ts'
import { arrayOf, type BaseOptions, fragmentOf, groupOf, openAt, type Place } from './opening.ts'
import { Client, DEFAULT_LIMITS } from './source/remote/client.ts'
import { HttpStorage } from './source/remote/http.ts'
import { remoteTarget } from './source/remote/urls.ts'

export * from './library.ts'

/** Without a storage, paths are `http` or `https` URLs. */
export type OpenOptions = BaseOptions

const codecs = portable(packedWasm)

/**
 * Opens whatever is at `path`, in the storage or on the network.
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE if the path is not an `http` or `https` URL
 */
export async function open(path: string, options: OpenOptions = {}): Promise<Target> {
  return openAt(placeOf(path, options), codecs, options.key)
}

function placeOf(path: string, { storage, onNote = () => {} }: OpenOptions): Place {
  if (storage) return { storage, path }
  if (!/^https?:\/\//i.test(path)) throw usage('expected a URL with http or https, or a storage, found neither')
  const { path: inside, access } = remoteTarget(path)
  return { storage: new HttpStorage(new Client(DEFAULT_LIMITS), onNote, access ? [access] : []), path: inside }
}

/** Opens an array. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export async function openArray(path: string, options?: OpenOptions): Promise<InspectArray> {
  return arrayOf(await open(path, options), path)
}

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export async function openFragment(path: string, options?: OpenOptions): Promise<Fragment> {
  return fragmentOf(await open(path, options), path)
}

/** Opens a group. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export async function openGroup(path: string, options?: OpenOptions): Promise<InspectGroup> {
  return groupOf(await open(path, options), path)
}
