/**
 * Reads TileDB arrays, fragments and groups without the TileDB library.
 *
 * ```js
 * import { openArray } from 'tiledb-inspect'
 * const array = await openArray('path/to/array')
 * for (const { name, visible } of await array.fragments()) console.log(name, visible)
 * ```
 *
 * Only what is exported here is stable. Objects may have further members, which can change with any release.
 */
import process from 'node:process'
import type { Fragment, InspectArray, InspectGroup, Target } from './library.ts'
import { localStorage } from './node/file.ts'
import { nodeCodecs } from './node/node-codecs.ts'
import { arrayOf, type BaseOptions, fragmentOf, groupOf, openAt, type Place } from './opening.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from './source/remote/urls.ts'

export * from './library.ts'

/** Without a storage, paths are local, or `s3://`, `http://` and `https://` URLs. */
export interface OpenOptions extends BaseOptions {
  /** Whether requests to S3 are signed with credentials found through the environment. Default: true. */
  signRequests?: boolean | undefined
}

/**
 * Opens whatever is at `path`: a local path, or a URL as on the command line (`s3://bucket/array`, with the settings of the
 * environment: docs/remote.md).
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE for URLs of other schemes
 */
export async function open(path: string, options: OpenOptions = {}): Promise<Target> {
  return openAt(await placeOf(path, options), nodeCodecs, options.key)
}

async function placeOf(path: string, options: OpenOptions): Promise<Place> {
  const { storage, signRequests = true, onNote } = options
  if (storage) return { storage, path }
  refuseOtherSchemes(path)
  // TileDB takes the path of a file:// URL without decoding it.
  if (!isRemotePath(path)) return { storage: localStorage, path: path.replace(/^file:\/\/(localhost)?(?=\/)/, '') }
  const { openPlaces } = await import('./source/remote/places.ts')
  const note = onNote ?? (() => {})
  const { storage: remote, given } = openPlaces(localStorage, [path], {
    env: process.env,
    signRequests,
    note,
    show: undefined,
  })
  return { storage: remote, path: remoteTarget(given[0]).path }
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
