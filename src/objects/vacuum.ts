import { lastPathPart } from '../base/paths.ts'
import { LAST_TIME, nameFacts } from '../format/timestamped-name.ts'
import { type InspectArray, METADATA_FOLDER, vacuumedMetadata } from './array.ts'
import { type Commits, pathOfCommit } from './commits.ts'

/** What `tiledb.consolidate` merges and `tiledb.vacuum` removes: values of sm.consolidation.mode and sm.vacuum.mode. */
export const CONSOLIDATION_MODES = ['fragments', 'fragment_meta', 'commits', 'array_meta'] as const

export type ConsolidationMode = (typeof CONSOLIDATION_MODES)[number]

/** The effects of a vacuum on an array. */
interface Vacuumed {
  /** Paths that it removes, relative to the array. */
  gone: readonly string[]
  /** Lines of `.con` files that it cancels by an `.ign` file. */
  voided: readonly string[]
}

/** The effects that `tiledb.vacuum` would have now. */
export async function vacuumedBy(array: InspectArray, mode: ConsolidationMode): Promise<Vacuumed> {
  if (mode === 'fragments') return replacedFragments(array)
  const { files } = await array.commits()
  if (mode === 'fragment_meta') return { gone: olderFragmentMetadata(files), voided: [] }
  if (mode === 'commits') return { gone: listedCommitFiles(files), voided: [] }
  const inside = array.folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  const listed = await vacuumedMetadata(inside, entries, array.cx)
  const gone = entries.filter(({ name }) => listed.has(name) || name.endsWith('.vac'))
  return { gone: gone.map(({ name }) => `${METADATA_FOLDER}/${name}`), voided: [] }
}

/**
 * The array at all times, as a vacuum of fragments sees it. So a vacuum also removes fragments that queries still read, if a
 * `.vac` file with a time in the future names them.
 * @see FragmentConsolidator::vacuum; measured with TileDB 2.30
 */
export function atAllTimes(array: InspectArray): InspectArray {
  return array.at({ from: 0n, now: LAST_TIME })
}

/** Committed fragments that a `.vac` file names, their commits, and the files that name them. */
export async function replacedFragments(array: InspectArray): Promise<Vacuumed> {
  const { files, consolidated } = await array.commits()
  const commitFiles = new Set(files.map(({ path }) => path))
  const gone: string[] = []
  const voided: string[] = []
  for (const { path, to_vacuum, committed } of await atAllTimes(array).fragments()) {
    if (!to_vacuum || !committed) continue
    gone.push(path)
    const commit = pathOfCommit(path)
    if (commitFiles.has(commit)) gone.push(commit)
    if (consolidated.has(path)) voided.push(commit)
  }
  for (const { path, kind } of files) if (kind === 'vacuum') gone.push(path)
  return { gone, voided }
}

/** Whether a vacuum deletes fragments whose cells no other fragment has: a `.vac` file hides them, and what replaced them is gone. */
export async function losesCells(array: InspectArray): Promise<boolean> {
  if (!(await array.commits()).files.some(({ kind }) => kind === 'vacuum')) return false
  return (await atAllTimes(array).fragments()).some(({ state }) => state === 'hidden')
}

/**
 * Bytes that a vacuum of fragments frees: it also removes the `.vac` files. Commit files of fragments have no bytes. 0 if it
 * would lose cells: nobody should run it then.
 * @param replaced bytes of the `to-vacuum` fragments
 */
export async function freedBytes(array: InspectArray, replaced: number): Promise<number> {
  if (await losesCells(array)) return 0
  const { files } = await array.commits()
  let bytes = replaced
  for (const { kind, size } of files) if (kind === 'vacuum') bytes += size
  return bytes
}

/** Consolidated fragment metadata files except those with the latest time. @see FragmentMetaConsolidator::vacuum */
function olderFragmentMetadata(files: Commits['files']): string[] {
  const lastOf = (path: string): bigint => nameFacts(lastPathPart(path))?.timestamp_range[1] ?? 0n
  const paths = files.filter(({ kind }) => kind === 'fragment-metadata').map(({ path }) => path)
  return paths.filter((path) => paths.some((other) => lastOf(other) > lastOf(path)))
}

/**
 * Commit files that a `.con` file lists, and all `.ign` and other `.con` files if one `.con` file has every listed line.
 * @see ArrayDirectory::load_consolidated_commit_uris, load_commits_uris_to_consolidate
 */
function listedCommitFiles(files: Commits['files']): string[] {
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
