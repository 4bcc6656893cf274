import { lastPathPart } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { readAll, withSource } from '../source/source.ts'
import { type InspectArray, METADATA_FOLDER } from '../store/array.ts'
import type { Commits } from '../store/commits.ts'
import { commitPath, commitsFolder } from '../write/array-writer.ts'
import type { ConsolidationMode } from './consolidate.ts'
import type { Place } from './place.ts'

/** What `tiledb.vacuum` removes after each consolidation. @returns paths of what was removed, relative to the array */
export async function vacuum(place: Place, mode: ConsolidationMode): Promise<string[]> {
  const array = await place.array()
  const gone = await VACUUMS[mode](place, array)
  for (const path of gone) place.remove(path)
  return gone
}

type Vacuum = (place: Place, array: InspectArray) => Promise<string[]>

const VACUUMS: Readonly<Record<ConsolidationMode, Vacuum>> = {
  fragments: replacedFragments,
  fragment_meta: olderFragmentMetadata,
  commits: async (_, array) => listedCommitFiles(await array.commits()),
  async array_meta(_, array) {
    const { names, lists } = await vacuumedMetadata(array)
    const there = new Set((await array.folder.folder(METADATA_FOLDER).listIfThere()).map(({ name }) => name))
    return [...names, ...lists].filter((name) => there.has(name)).map((name) => `${METADATA_FOLDER}/${name}`)
  },
}

/** Fragments that a `.vac` file names, their commits, and the files that name them; of listed commits, an `.ign` file says that they are void. */
async function replacedFragments(place: Place, array: InspectArray): Promise<string[]> {
  const { schema } = await array.newestSchema()
  const commits = await array.commits()
  const own = new Set(commits.files.map(({ path }) => path))
  const gone: string[] = []
  const listed: string[] = []
  for (const { path, name, to_vacuum } of await array.fragments()) {
    if (!to_vacuum) continue
    gone.push(path)
    const commit = commitPath(path.includes('/') ? schema.version : COMMITS_IN_ROOT, name)
    if (commit === undefined) continue
    if (own.has(commit)) gone.push(commit)
    if (commits.consolidated.has(path)) listed.push(commit)
  }
  for (const { path, kind } of commits.files) if (kind === 'vacuum') gone.push(path)
  if (listed.length > 0) {
    const [first, last] = [listed[0], listed[listed.length - 1]].map(
      (one) => nameFacts(lastPathPart(one))?.timestamp_range,
    )
    const name = `__${first?.[0] ?? 0n}_${last?.[1] ?? 0n}_${place.cx.uuid()}_${schema.version}.ign`
    await place.writeText(`${commitsFolder(schema.version)}${name}`, listed.map((one) => `${one}\n`).join(''))
  }
  return gone
}

/** A format version whose commits stand in the array's own folder. */
const COMMITS_IN_ROOT = 11

/** Consolidated metadata but that of the latest time. @see FragmentMetaConsolidator::vacuum */
async function olderFragmentMetadata(_: Place, array: InspectArray): Promise<string[]> {
  const found = (await array.commits()).files.filter(({ kind }) => kind === 'fragment-metadata')
  const lastOf = (path: string): bigint => nameFacts(lastPathPart(path))?.timestamp_range[1] ?? 0n
  const paths = found.map(({ path }) => path)
  return paths.filter((path) => paths.some((other) => lastOf(other) > lastOf(path)))
}

/**
 * Files of commits that a list has, and lists beside one that has everything.
 * @see ArrayDirectory::load_consolidated_commit_uris, load_commits_uris_to_consolidate
 */
function listedCommitFiles({ files }: Commits): string[] {
  const ignored = new Set(
    files.flatMap(({ kind, entries }) => (kind === 'ignore' ? entries.map(({ text }) => text) : [])),
  )
  const lists = files.filter(({ kind }) => kind === 'consolidated-commits')
  const listed = new Set(
    lists.flatMap(({ entries }) => entries.map(({ text }) => text)).filter((text) => !ignored.has(text)),
  )
  const gone = files.map(({ path }) => path).filter((path) => listed.has(path))
  const whole = lists.find(
    ({ entries }) => entries.length === listed.size && entries.every(({ text }) => listed.has(text)),
  )
  if (whole)
    for (const { kind, path } of files)
      if (kind === 'ignore' || (kind === 'consolidated-commits' && path !== whole.path)) gone.push(path)
  return gone
}

/** Names of the metadata files that `.vac` files there list, and of these files. */
export async function vacuumedMetadata(array: InspectArray): Promise<{ names: Set<string>; lists: string[] }> {
  const inside = array.folder.folder(METADATA_FOLDER)
  const lists = (await inside.listIfThere()).map(({ name }) => name).filter((name) => name.endsWith('.vac'))
  const names = new Set<string>()
  for (const list of lists) {
    const text = new TextDecoder().decode(await withSource(inside.file(list), readAll))
    for (const line of text.split('\n')) if (line !== '') names.add(lastPathPart(line))
  }
  return { names, lists }
}
