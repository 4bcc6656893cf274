import { commandLineText, InspectError } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from '../objects/commits.ts'
import { deletePlaces } from '../objects/deletes.ts'
import { isPartlyWithin, isRead } from '../objects/visibility.ts'
import { missingPaths } from '../read/opening.ts'

/** What TileDB finds when it opens an array between two times. */
export interface ReaderView {
  between: readonly [from: bigint, to: bigint]
  /** Why TileDB does not open the array; undefined if it does. */
  fails: string | undefined
  /** Path of the schema, in the array. */
  schema: string | undefined
  /** Paths of the fragments that a query reads. */
  fragments: readonly string[]
  /** Fragments without metadata whose footer is in a consolidated file: TileDB opens the array, but every query fails. */
  broken: readonly string[]
  /** Names of the delete conditions that count. */
  deletes: readonly string[]
}

/** Limit on the times that are compared: each opening looks at the name of every fragment. */
const MAX_VIEWS = 256
/** Limit on the time stamps all of whose pairs are tried. */
const MAX_PAIRED = 16
/** Limit on the times whose neighbours are tried, if there are too many times to try all. */
const MAX_NEAR = 32

/** Times between which an array is opened. */
export interface ViewTimes {
  /** Openings with all that was written until a time, the earliest first. */
  until: readonly ReaderView['between'][]
  /** Openings that leave out what was written before a time. */
  within: readonly ReaderView['between'][]
  /** Whether these are all openings that make a difference. */
  isAll: boolean
}

/**
 * The times between which an array is worth opening: what it holds changes only at the time stamps in names. If there are too many,
 * the stamps beside `near` are taken, and others evenly.
 */
export async function timesWorthOpening(array: InspectArray, near: readonly bigint[]): Promise<ViewTimes> {
  const stamps = await stampsOf(array)
  const chosen = stamps.length <= MAX_VIEWS ? stamps : thinned(stamps, near)
  const last = chosen.at(-1) ?? 0n
  const end = last > array.cx.now ? last : array.cx.now
  const found: ReaderView['between'][] = chosen.map((stamp) => [0n, stamp])
  if (chosen.length > 0 && chosen[0] > 0n) found.unshift([0n, chosen[0] - 1n])
  found.push([0n, array.cx.now])
  if (end > array.cx.now) found.push([0n, end])
  if (chosen.length <= MAX_PAIRED)
    for (const [i, from] of chosen.entries()) for (const to of [...chosen.slice(i), end]) found.push([from, to])
  else for (const from of chosen) found.push([from, end])
  return {
    until: found.filter(([from]) => from === 0n).sort(([, a], [, b]) => rising(a, b)),
    within: found.filter(([from]) => from !== 0n),
    isAll: chosen.length === stamps.length,
  }
}

function thinned(stamps: readonly bigint[], near: readonly bigint[]): bigint[] {
  const kept = new Set<bigint>([stamps[0], stamps[stamps.length - 1]])
  for (const stamp of near.slice(0, MAX_NEAR)) {
    const at = stamps.indexOf(stamp)
    if (at >= 0) for (const one of stamps.slice(Math.max(0, at - 1), at + 2)) kept.add(one)
  }
  const step = Math.ceil(stamps.length / (MAX_VIEWS / 4))
  for (let i = 0; i < stamps.length; i += step) kept.add(stamps[i])
  return [...kept].sort(rising).slice(0, MAX_VIEWS)
}

/** Every time in the names of an array's files and folders, the earliest first. */
async function stampsOf(array: InspectArray): Promise<bigint[]> {
  const names: string[] = (await array.root()).map(({ name }) => name)
  for (const folder of [FRAGMENTS_FOLDER, COMMITS_FOLDER, SCHEMA_FOLDER, METADATA_FOLDER])
    names.push(...(await array.folder.folder(folder).listIfThere()).map(({ name }) => name))
  for (const { entries } of (await array.commits()).files) names.push(...entries.map(({ name }) => name))
  const found = new Set<bigint>()
  for (const name of names) for (const stamp of stampsIn(name)) found.add(stamp)
  return [...found].sort(rising)
}

/** The times in a name. */
export function stampsIn(name: string): readonly bigint[] {
  return name.startsWith('__') && /\d/.test(name) ? (nameFacts(name)?.timestamp_range ?? []) : []
}

/**
 * Tells what TileDB finds when it opens an array. Reads no fragment.
 * @param isGone returns whether a path in the array is removed; fragments that are still listed may lack a file
 */
export async function arrayView(
  array: InspectArray,
  between: ReaderView['between'],
  isGone: (path: string) => boolean = () => false,
): Promise<ReaderView> {
  const [from, now] = between
  const opened = array.at({ from, now })
  const view: ReaderView = { between, fails: undefined, schema: undefined, fragments: [], broken: [], deletes: [] }
  try {
    const { file } = await opened.newestSchema()
    const { visibility, folders } = await opened.listing()
    const fragments = folders.filter((folder) => isRead(visibility.state(folder))).map(({ path }) => path)
    const missing = await missingPaths(opened)
    const broken = [...missing, ...fragments.filter((path) => isGone(`${path}/${FRAGMENT_METADATA_FILE}`))]
    const footers = broken.length > 0 ? await opened.consolidatedFooters() : undefined
    const lost = broken.find((path) => !footers?.has(lastPathPart(path)))
    if (lost !== undefined) {
      const what = missing.includes(lost) ? 'which a commit names, has no folder' : `has no ${FRAGMENT_METADATA_FILE}`
      return { ...view, fails: `the fragment ${lastPathPart(lost)}${missing.includes(lost) ? ',' : ''} ${what}` }
    }
    const deletes = (await deletePlaces(opened)).map(({ name }) => name)
    return { ...view, schema: file.path, fragments: [...fragments, ...missing], broken, deletes }
  } catch (error) {
    if (!(error instanceof InspectError) || error.code === 'KEY_NEEDED' || error.code === 'WRONG_KEY') throw error
    return { ...view, fails: commandLineText(error) }
  }
}

/** Whether an opening between two times has only a part of a fragment's cells: each cell has a time stamp of its own. */
export function isCut(path: string, [from, now]: ReaderView['between']): boolean {
  return isPartlyWithin(path, { from, now })
}
