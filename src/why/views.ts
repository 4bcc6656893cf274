import { InspectError } from '../base/errors.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from '../store/array.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from '../store/commits.ts'
import { deletePlaces } from '../store/deletes.ts'
import { isPartlyWithin, isRead } from '../store/visibility.ts'

/** What TileDB finds when it opens an array between two times. */
export interface View {
  between: readonly [from: bigint, to: bigint]
  /** Why TileDB does not open the array; undefined if it does. */
  fails: string | undefined
  /** Path of the schema, in the array. */
  schema: string | undefined
  /** Paths of the fragments that a query reads. */
  fragments: readonly string[]
  /** Those of them without metadata, of which a consolidated file has the footer: TileDB opens the array, but no query succeeds. */
  broken: readonly string[]
  /** Names of the delete conditions that count. */
  deletes: readonly string[]
}

/** Most openings that are compared; each looks at the name of every fragment. */
const MOST_VIEWS = 256
/** Most different time stamps whose pairs are all tried. */
const MOST_PAIRED = 16

/** Most times beside which others are tried, where there are too many for all. */
const MOST_NEAR = 32

/** Times between which an array is opened. */
export interface Times {
  pairs: readonly (readonly [from: bigint, to: bigint])[]
  /** Whether these are all that make a difference. */
  isAll: boolean
}

/**
 * The times between which an array is worth opening: what it holds changes only at a time stamp of some name. With many of them,
 * those beside `near` are taken, and others evenly.
 */
export async function timesWorthOpening(array: InspectArray, near: readonly bigint[]): Promise<Times> {
  const stamps = await stampsOf(array)
  const chosen = stamps.length <= MOST_VIEWS ? stamps : thinned(stamps, near)
  const last = chosen.at(-1) ?? 0n
  const end = last > array.cx.now ? last : array.cx.now
  const found: (readonly [bigint, bigint])[] = chosen.map((stamp) => [0n, stamp])
  if (chosen.length > 0 && chosen[0] > 0n) found.unshift([0n, chosen[0] - 1n])
  found.push([0n, array.cx.now])
  if (end > array.cx.now) found.push([0n, end])
  if (chosen.length <= MOST_PAIRED)
    for (const [i, from] of chosen.entries()) for (const to of [...chosen.slice(i), end]) found.push([from, to])
  else for (const from of chosen) found.push([from, end])
  return { pairs: found, isAll: chosen.length === stamps.length }
}

function thinned(stamps: readonly bigint[], near: readonly bigint[]): bigint[] {
  const kept = new Set<bigint>([stamps[0], stamps[stamps.length - 1]])
  for (const stamp of near.slice(0, MOST_NEAR)) {
    const at = stamps.indexOf(stamp)
    if (at >= 0) for (const one of stamps.slice(Math.max(0, at - 1), at + 2)) kept.add(one)
  }
  const step = Math.ceil(stamps.length / (MOST_VIEWS / 4))
  for (let i = 0; i < stamps.length; i += step) kept.add(stamps[i])
  return [...kept].sort((a, b) => (a < b ? -1 : 1)).slice(0, MOST_VIEWS)
}

/** Every time in the names of an array's files and folders, rising. */
async function stampsOf(array: InspectArray): Promise<bigint[]> {
  const names: string[] = (await array.root()).map(({ name }) => name)
  for (const folder of [FRAGMENTS_FOLDER, COMMITS_FOLDER, SCHEMA_FOLDER, METADATA_FOLDER])
    names.push(...(await array.folder.folder(folder).listIfThere()).map(({ name }) => name))
  for (const { entries } of (await array.commits()).files) names.push(...entries.map(({ name }) => name))
  const found = new Set<bigint>()
  for (const name of names) for (const stamp of stampsIn(name)) found.add(stamp)
  return [...found].sort((a, b) => (a < b ? -1 : 1))
}

/** The times in a name. */
export function stampsIn(name: string): readonly bigint[] {
  return name.startsWith('__') && /\d/.test(name) ? (nameFacts(name)?.timestamp_range ?? []) : []
}

/**
 * What TileDB finds at one opening. Reads no fragment.
 * @param isGone whether a path in the array is taken away, so that fragments which are listed may lack a file
 */
export async function viewOf(
  array: InspectArray,
  between: View['between'],
  isGone: (path: string) => boolean = () => false,
): Promise<View> {
  const [from, now] = between
  const opened = array.at({ from, now })
  const view: View = { between, fails: undefined, schema: undefined, fragments: [], broken: [], deletes: [] }
  try {
    const { file } = await opened.newestSchema()
    const { visibility, folders } = await opened.listing()
    const fragments = folders.map(({ path }) => path).filter((path) => isRead(visibility.state(path)))
    const missing = (await opened.missingFragments()).filter((path) => path.startsWith(`${FRAGMENTS_FOLDER}/`))
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
    return { ...view, fails: error.message }
  }
}

/** Whether TileDB reads only a part of a fragment's cells between two times, by their own time stamps. */
export function isCut(path: string, [from, now]: View['between']): boolean {
  return isPartlyWithin(path, { from, now })
}
