import { unlessDamaged, unlessFault } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { nameFacts, parseFragmentName, timeText } from '../format/timestamped-name.ts'
import { InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import {
  COMMITS_FOLDER,
  type CommitKind,
  commitKindIn,
  committedPath,
  FRAGMENT_META_FOLDER,
  FRAGMENTS_FOLDER,
} from '../objects/commits.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { Folder, type Storage } from '../storage/source.ts'
import { commitNames, FOLDERS } from './part.ts'
import { MAX_LEVELS_ABOVE, rootAt } from './place.ts'

/**
 * Tells what a missing file or folder of an array would be, by its name, and which paths in the array need it.
 * @returns undefined if there is no array around it, or if TileDB gives nothing such a name
 */
export async function missingPart(
  storage: Storage,
  path: string,
  cx: ReadContext,
): Promise<{ what: string; needed_by: string[] } | undefined> {
  const around = await arrayAround(storage, path, cx)
  if (!around) return undefined
  const inside = new Folder(storage, path).path.slice(around.folder.path.length + 1)
  const form = formOf(inside)
  if (!form) return undefined
  return { what: form.what, needed_by: await neededBy(around, form) }
}

async function arrayAround(storage: Storage, path: string, cx: ReadContext): Promise<InspectArray | undefined> {
  let at = new Folder(storage, path).parent()
  for (let up = 0; at && up < MAX_LEVELS_ABOVE; up++) {
    const root = await rootAt(at, cx).catch(unlessFault)
    if (root) return root instanceof InspectArray ? root : undefined
    at = at.parent()
  }
  return undefined
}

/** What the name of a missing file or folder says. */
interface Form {
  what: Prose
  /** Path of the fragment that it is, lies in, or commits. */
  fragment?: string
  isCommit?: boolean
  /** Name in its fragment, if it is a data file. */
  file?: string
  /** Name, if it is a schema. */
  schema?: string
}

const KINDS: Readonly<Record<CommitKind, string>> = {
  write: 'the commit of a fragment',
  delete: 'a delete condition',
  update: 'an update condition',
  vacuum: 'a list of fragments that consolidation replaced',
  'consolidated-commits': 'consolidated commits',
  ignore: 'a list of commits that do not count any more',
  'fragment-metadata': 'footers of fragments in one file',
}

function formOf(inside: string): Form | undefined {
  const parts = inside.split('/')
  const [folder, name] = parts
  const depth = folder === FRAGMENTS_FOLDER ? 2 : 1
  const fragment = parts.slice(0, depth).join('/')
  const times = parseFragmentName(parts[depth - 1] ?? '')?.timestamp_range
  if (times) {
    const what = `a fragment of ${timeText(times[0])}`
    if (parts.length === depth) return { what, fragment }
    const file = parts.slice(depth).join('/')
    if (file === FRAGMENT_METADATA_FILE) return { what: `the metadata of ${what}`, fragment }
    return file.endsWith('.tdb') ? { what: `a data file of ${what}`, fragment, file } : undefined
  }
  const known = parts.length === 1 ? FOLDERS.get(folder) : undefined
  if (known !== undefined) return { what: known }
  const kind = parts.length === 1 ? commitKindIn('', folder) : isCommitFolder(folder) && commitKindIn(folder, name)
  const last = parts[parts.length - 1]
  const time = nameFacts(last)?.timestamp_range[0]
  const dated = time === undefined ? '' : ` of ${timeText(time)}`
  if (kind)
    return {
      what: KINDS[kind] + dated,
      ...(kind === 'write' ? { fragment: committedPath(inside), isCommit: true } : {}),
    }
  if (folder === SCHEMA_FOLDER && parts.length === 2) return { what: `an array schema${dated}`, schema: name }
  if (folder === METADATA_FOLDER && parts.length === 2) return { what: `key-value metadata${dated}` }
  return undefined
}

function isCommitFolder(folder: string): boolean {
  return folder === COMMITS_FOLDER || folder === FRAGMENT_META_FOLDER
}

/** Paths in the array of what needs the missing file or folder. */
async function neededBy(array: InspectArray, { fragment, file, schema, isCommit }: Form): Promise<string[]> {
  if (file !== undefined && fragment !== undefined) {
    const files = await array.withFragment(fragment, (one) => one.fieldFiles().catch(unlessDamaged))
    return files?.some(({ name }) => name === file) ? [`${fragment}/${FRAGMENT_METADATA_FILE}`] : []
  }
  if (fragment !== undefined) {
    if (isCommit) return (await array.fragments()).flatMap(({ path }) => (path === fragment ? [path] : []))
    return (await array.commits()).files.flatMap((one) => (commitNames(one, fragment) ? [one.path] : []))
  }
  if (schema === undefined) return []
  const using: string[] = []
  for (const { path } of await array.fragments()) {
    const head = await array.withFragment(path, (one) => one.head().catch(unlessDamaged))
    if (head?.array_schema_name === schema) using.push(path)
  }
  return using
}
