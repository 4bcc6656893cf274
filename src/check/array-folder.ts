import type { InspectArray } from '../array.ts'
import { COMMITS_FOLDER, commitKind } from '../commits.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { parseFragmentName, parseTimestampedName } from '../format/timestamped-name.ts'
import { finding, type Items } from './finding.ts'
import { type CheckRun, checkEmpty } from './run.ts'

const LOCK_FILE = '__lock.tdb'
const FRAGMENTS_FOLDER = '__fragments'
const KNOWN_FOLDERS = new Set(['__schema', FRAGMENTS_FOLDER, '__meta', COMMITS_FOLDER, '__fragment_meta', '__labels'])

/** Since this version fragments lie in `__fragments`, their commits in `__commits`. */
export const FOLDERS_SINCE = 12

/**
 * Names of an array's folder against the rules of their version.
 * @see format_spec/array_file_hierarchy.md
 */
export async function* checkArrayFolder(run: CheckRun, array: InspectArray): Items {
  const { folder } = array
  for (const { name, kind } of await array.root()) {
    const file = `${folder.path}/${name}`
    if (name === LOCK_FILE && kind === 'file') yield* checkEmpty(run, folder, name, 'LOCK_NOT_EMPTY')
    else if (kind === 'folder' && !KNOWN_FOLDERS.has(name)) yield* fragmentFolder(file, name, false)
    else if (kind === 'file' && name !== OLD_SCHEMA_FILE && commitKind(name) === undefined) {
      yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a file of an array', 'another one')
    } else if (kind === 'other') yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a file or folder', 'neither')
  }
  for (const { name, kind } of await folder.folder(FRAGMENTS_FOLDER).listIfThere()) {
    const file = `${folder.path}/${FRAGMENTS_FOLDER}/${name}`
    if (kind === 'folder') yield* fragmentFolder(file, name, true)
    else yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a folder of a fragment', 'a file')
  }
  for (const { name, kind } of await folder.folder('__schema').listIfThere()) {
    const file = `${folder.path}/__schema/${name}`
    if (kind === 'folder' && name === '__enumerations') continue
    if (kind !== 'file' || parseTimestampedName(name)?.suffix !== undefined || !parseTimestampedName(name)) {
      yield finding('SCHEMA_NAME_INVALID', { file }, '__<t1>_<t2>_<uuid>', JSON.stringify(name))
    }
  }
}

function* fragmentFolder(file: string, name: string, inFragments: boolean): Generator<ReturnType<typeof finding>> {
  const parsed = parseFragmentName(name)
  if (!parsed) {
    if (inFragments)
      yield finding('FRAGMENT_NAME_INVALID', { file }, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(name))
    else yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a folder of an array', 'another one')
    return
  }
  const [first, last] = parsed.timestamp_range
  if (first > last) yield finding('FRAGMENT_TIMESTAMPS', { file }, `at least ${first}`, last)
  if (inFragments !== parsed.least_version >= FOLDERS_SINCE) {
    const where = parsed.least_version >= FOLDERS_SINCE ? `in ${FRAGMENTS_FOLDER}` : "in the array's own folder"
    yield finding('FRAGMENT_WRONG_FOLDER', { file }, `a fragment of its version ${where}`, 'it elsewhere')
  }
}
