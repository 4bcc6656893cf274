/**
 * The library for browsers, and wherever else there is nothing of Node: reads from memory, over `fetch` by ranges, or from a storage
 * of one's own. What a filter needs is loaded when it is first met.
 *
 * ```js
 * import { openArray } from 'tiledb-inspect/browser'
 * const array = await openArray('https://example.org/path/to/array')
 * for (const { name, visible } of await array.fragments()) console.log(name, visible)
 * ```
 */
import { InspectError } from './base/errors.ts'
import { portable, portableCodecs } from './filters/codecs/portable.ts'
import type { Fragment, InspectArray, InspectGroup, Target } from './library.ts'
import { arrayOf, type BaseOptions, fragmentOf, groupOf, openAt, type Place } from './opening.ts'
import { Client, DEFAULT_LIMITS } from './source/remote/client.ts'
import { HttpStorage } from './source/remote/http.ts'
import { remoteTarget } from './source/remote/urls.ts'

export * from './library.ts'

/** Without a storage, paths are URLs with `http` or `https`. */
export interface OpenOptions extends BaseOptions {
  /**
   * Gives a wasm file of a package by its specifier, `package/folder/name.wasm`: filters ZSTD, BZIP2 and WEBP have theirs in
   * such. Unless given, it is fetched from where `import.meta.resolve` says. ZSTD does without it, at half the speed.
   */
  readWasm?: ((specifier: string) => Promise<ArrayBuffer>) | undefined
}

/**
 * Opens whatever stands at `path`, of the storage or on the network.
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE for what is no URL with `http` or `https`
 */
export async function open(path: string, options: OpenOptions = {}): Promise<Target> {
  const { key, readWasm } = options
  return openAt(placeOf(path, options), readWasm ? portable(readWasm) : portableCodecs, key)
}

function placeOf(path: string, { storage, onNote = () => {} }: OpenOptions): Place {
  if (storage) return { storage, path }
  if (!/^https?:\/\//i.test(path))
    throw new InspectError('USAGE', 'expected a URL with http or https, or a storage, found neither')
  const { path: inside, access } = remoteTarget(path)
  return { storage: new HttpStorage(new Client(DEFAULT_LIMITS), onNote, access ? [access] : []), path: inside }
}

/** Opens an array. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openArray(path: string, options?: OpenOptions): Promise<InspectArray> {
  return arrayOf(await open(path, options), path)
}

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openFragment(path: string, options?: OpenOptions): Promise<Fragment> {
  return fragmentOf(await open(path, options), path)
}

/** Opens a group. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openGroup(path: string, options?: OpenOptions): Promise<InspectGroup> {
  return groupOf(await open(path, options), path)
}
