import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../format/commit-files.ts'
import type { Datatype } from '../format/datatype.ts'
import { isConsolidatedName, LAST_TIME } from '../format/timestamped-name.ts'
import type { InspectArray } from '../store/array.ts'
import { stem } from '../store/commits.ts'
import { mayReplace, vacuumLists } from '../store/visibility.ts'
import { type Interval, intersection, intervalsOf } from './dense-windows.ts'
import { openFragment } from './opening.ts'
import type { OpenedFragment } from './query.ts'

/**
 * When a cell was written, milliseconds since 1970. `unknown`: consolidation kept no time of the cell. `never`: no write gave it,
 * consolidation put fill values there.
 */
export type WrittenTime = bigint | 'unknown' | 'never'

/** Lists count whatever the times of the read: they say what was consolidated. */
const ALWAYS = { now: LAST_TIME }

/** A fragment that consolidation replaced. */
interface Original {
  box: readonly Interval[]
  times: WrittenTimes
}

/**
 * When the cells of a fragment of a dense array were written. A consolidated dense fragment has no time of each cell; where all
 * fragments that it replaced are still there, the newest of them that has a cell tells its time.
 */
export class WrittenTimes {
  /** Of all cells, where no cell differs. */
  private readonly time: WrittenTime
  /** Newest first; undefined where no cell differs. */
  private readonly originals: readonly Original[] | undefined

  private constructor(time: WrittenTime, originals?: readonly Original[]) {
    this.time = time
    this.originals = originals
  }

  /**
   * @param known those found already, by name of the fragment, each asked for once. Damaged lists may name each other: where one is asked
   *   for before it is found, its times are unknown.
   */
  static async of(
    array: InspectArray,
    axes: readonly { type: Datatype }[],
    { fragment, info, time }: OpenedFragment,
    known = new Map<string, WrittenTimes>(),
  ): Promise<WrittenTimes> {
    const { name } = fragment
    const before = known.get(name)
    if (before) return before
    const { files } = await array.commits()
    const [list] = vacuumLists(
      files.filter(({ path }) => stem(lastPathPart(path)) === name),
      ALWAYS,
      false,
    )
    if (!list && !isConsolidatedName(name)) return new WrittenTimes(time)
    const unknown = new WrittenTimes('unknown')
    known.set(name, unknown)
    if (!list || !info.dense) return unknown
    const { folders } = await array.listing()
    const byPath = new Map(folders.map((folder) => [folder.path, folder]))
    const opened: OpenedFragment[] = []
    for (const path of list.hides) {
      const folder = byPath.get(path)
      const one = folder && (await openFragment(array, folder).catch(unlessFault))
      // A list with fragments of other times is not that of the consolidation.
      if (!one?.info.dense || !mayReplace(list, path)) return unknown
      opened.push(one)
    }
    const originals: Original[] = []
    for (const one of opened.reverse().sort((a, b) => Number(b.time - a.time))) {
      const box = intervalsOf(one.info.nonempty_domain ?? [], axes)
      originals.push({ box, times: await WrittenTimes.of(array, axes, one, known) })
    }
    const found = new WrittenTimes('never', originals)
    known.set(name, found)
    return found
  }

  /** Those of the cells in a box, with fewer originals to look through. */
  within(box: readonly Interval[]): WrittenTimes {
    const { originals } = this
    if (!originals) return this
    const touching = originals.filter((one) => box.every((side, d) => intersection(side, one.box[d])))
    return new WrittenTimes('never', touching)
  }

  /** The time of all cells; undefined where they differ. */
  get only(): WrittenTime | undefined {
    return this.originals?.length ? undefined : this.time
  }

  /** @param cell its coordinates */
  at(cell: readonly bigint[]): WrittenTime {
    const has = ({ box }: Original): boolean => box.every(({ low, high }, d) => cell[d] >= low && cell[d] <= high)
    const newest = this.originals?.find(has)
    return newest ? newest.times.at(cell) : this.time
  }
}

/** What it means that cells of a fragment have no time. */
export function untimedText({ fragment, info }: OpenedFragment, time: 'unknown' | 'never'): string {
  const { name, timestamp_range } = fragment
  if (time === 'never') return `null where consolidation put fill values into ${name}: no write gave these cells`
  const between = timestamp_range ? `: ${timestamp_range.join(' to ')}` : ''
  const text = `null for cells of ${name}: consolidation kept only the first and last time of all${between}`
  return info.dense ? `${text}; cells with fill values may never have been written` : text
}
