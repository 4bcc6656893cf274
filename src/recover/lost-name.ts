import { InspectError, unlessDamaged } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { fragmentsFolder } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { InspectArray } from '../objects/array.ts'
import { Fragment } from '../objects/fragment.ts'
import { mounted } from '../storage/overlay.ts'
import { Folder } from '../storage/source.ts'
import { fragmentName } from '../write/fragment-writer.ts'
import { Random } from '../write/random.ts'

/** What the user knows about a lost name. */
interface KnownOfName {
  /** Times of the first and the last write, in milliseconds. */
  times: readonly [bigint, bigint] | undefined
  /** Format version. */
  version: number | undefined
}

interface NamedFragment {
  array: InspectArray
  fragment: Fragment
  /** What was assumed, in words. */
  assumed: string[]
}

/**
 * Opens a fragment whose folder has lost its name as if it lay in its place. Only the name tells when the fragment was written, and in
 * which format version. A commit whose fragment is gone may be its own, and tells both.
 * @throws InspectError NOT_RECOVERED if nothing tells when it was written
 */
export async function underItsName(array: InspectArray, folder: Folder, known: KnownOfName): Promise<NamedFragment> {
  const missing = (await array.missingFragments()).filter((path) => agrees(path, known))
  const [only] = missing
  const assumed: string[] = []
  let path = missing.length === 1 ? only : undefined
  if (path !== undefined && !known.times)
    assumed.push('that it is the one fragment that a commit names and that is gone')
  if (path === undefined) {
    const { times } = known
    if (!times) throw timeMissing(folder, missing)
    let version = known.version ?? (await storedVersion(array, folder))
    if (version === undefined) {
      version = (await array.newestSchema()).schema.version
      assumed.push(`that it has format version ${version}, as the array's schema`)
    }
    const [uuid = new Random(`${folder.path} ${times.join(' ')}`).uuid()] = /[0-9a-f]{32}/.exec(folder.name) ?? []
    const name = fragmentName(version, times, uuid)
    path = `${fragmentsFolder(version)}${name}`
  }
  const storage = mounted(array.folder.storage, `${array.folder.path}/${path}`, folder.path)
  const around = new InspectArray(new Folder(storage, array.folder.path), array.cx)
  return { array: around, fragment: around.fragment(path), assumed }
}

function agrees(path: string, { times, version }: KnownOfName): boolean {
  const facts = nameFacts(lastPathPart(path))
  if (version !== undefined && facts?.format_version !== version) return false
  return times === undefined || facts?.timestamp_range.every((time, i) => time === times[i]) === true
}

function timeMissing(folder: Folder, missing: readonly string[]): InspectError {
  const gone =
    missing.length > 1 ? `; commits name ${missing.length} fragments that are gone, such as ${missing[0]}` : ''
  const fault = {
    expected: 'a name that tells when the fragment was written',
    found: `${JSON.stringify(folder.name)}: give the time with --timestamp T1 or T1..T2${gone}`,
  }
  return new InspectError('NOT_RECOVERED', fault, { file: folder.path })
}

/** The format version in the metadata; undefined if it cannot be read. */
async function storedVersion(array: InspectArray, folder: Folder): Promise<number | undefined> {
  const fragment = new Fragment(folder, array.cx, array)
  try {
    return (await fragment.info().catch(unlessDamaged))?.format_version
  } finally {
    await fragment.close()
  }
}
