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
import { type BaseOptions, openersWith, type StoragePlace } from './library/opening.ts'
import { parquetWith, type WriteParquet } from './library/parquet.ts'
import { localFiles } from './node/file.ts'
import { nodeCodecs, portableCodecs } from './node/node-codecs.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from './storage/remote/urls.ts'

export * from './library/exports.ts'

/** Without a storage, paths are local, or `s3://`, `gs://`, `azure://`, `http://` and `https://` URLs. */
export interface OpenOptions extends BaseOptions {
  /** Whether requests to clouds are signed with credentials found through the environment. Default: true. */
  signRequests?: boolean | undefined
}

async function findPlace(path: string, options: OpenOptions = {}): Promise<StoragePlace> {
  refuseOtherSchemes(path)
  // TileDB takes the path of a file:// URL without decoding it.
  if (!isRemotePath(path)) return { storage: localFiles, path: path.replace(/^file:\/\/(localhost)?(?=\/)/, '') }
  const { signRequests = true, onNote: note = () => {} } = options
  const { openPlaces } = await import('./storage/remote/places.ts')
  const { storage, paths } = openPlaces(localFiles, [path], { env: process.env, signRequests, note, show: undefined })
  return { storage, path: remoteTarget(paths[0]).path }
}

const openers = openersWith<OpenOptions>(nodeCodecs, findPlace, { signRequests: true })

/**
 * Opens whatever is at `path`: a local path, or a URL as on the command line (`s3://bucket/array`, with the settings of the
 * environment: docs/remote.md).
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE for URLs of other schemes
 */
export const open = openers.open

/** Opens an array. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openArray = openers.openArray

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openFragment = openers.openFragment

/** Opens a group. @throws InspectError WRONG_TARGET if something else is there; as {@link open} */
export const openGroup = openers.openGroup

/** Writes cells as a Parquet file: see {@link WriteParquet}. */
export const writeParquet: WriteParquet = parquetWith(portableCodecs)
