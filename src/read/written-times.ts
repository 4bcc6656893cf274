import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { Datatype } from '../format/datatype.ts'
import { isConsolidatedName, LAST_TIME } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import { stem } from '../objects/commits.ts'
import { mayReplace, vacuumLists } from '../objects/visibility.ts'
import { type AxisInterval, intersection, intervalsOf } from './dense-windows.ts'
import { openListedFragment } from './opening.ts'
import type { OpenedFragment } from './query.ts'

/**
 * The time at which a cell was written, in milliseconds since 1970. `unknown`: consolidation kept no time of the cell. `never`: it was
 * not written, consolidation put fill values there.
 */
export type WrittenTime = bigint | 'unknown' | 'never'

/** A time at which every vacuum list holds. Whatever the time of the read, the lists tell what was consolidated. */
const ALWAYS = { now: LAST_TIME }

/** A fragment that consolidation replaced. */
interface Original {
  box: readonly AxisInterval[]
  times: WrittenTimes
}

/**
 * When each cell of a fragment of a dense array was written. A consolidated dense fragment does not store these times. If all fragments that
 * it replaced still exist, the time of a cell is that of the newest one that has it.
 */
export class WrittenTimes {
  /** The time of all cells that no original has. */
  private readonly time: WrittenTime
  /** Newest first; undefined if all cells have the same time. */
  private readonly originals: readonly Original[] | undefined

  private constructor(time: WrittenTime, originals?: readonly Original[]) {
    this.time = time
    this.originals = originals
  }

  /**
   * Finds the times of a fragment.
   * @param known the times that were found before, by the name of the fragment. Damaged lists may name each other, so a fragment has unknown
   *   times until its own are found.
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
      const one = folder && (await openListedFragment(array, folder).catch(unlessFault))
      // A list that names fragments of other times does not come from the consolidation.
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

  /** The times of the cells in a box, which are found faster. */
  within(box: readonly AxisInterval[]): WrittenTimes {
    const { originals } = this
    if (!originals) return this
    const touching = originals.filter((one) => box.every((side, d) => intersection(side, one.box[d])))
    return new WrittenTimes(this.time, touching)
  }

  /** The time of all cells; undefined if they differ. */
  get only(): WrittenTime | undefined {
    return this.originals?.length ? undefined : this.time
  }

  /** The time of a cell. @param cell its coordinates */
  at(cell: readonly bigint[]): WrittenTime {
    const has = ({ box }: Original): boolean => box.every(({ low, high }, d) => cell[d] >= low && cell[d] <= high)
    const newest = this.originals?.find(has)
    return newest ? newest.times.at(cell) : this.time
  }
}

/** A remark that explains why cells of a fragment have no time. */
export function untimedText({ fragment, info }: OpenedFragment, time: 'unknown' | 'never'): string {
  const { name, timestamp_range } = fragment
  if (time === 'never') return `null where consolidation put fill values into ${name}: no write gave these cells`
  const between = timestamp_range ? `: ${timestamp_range.join(' to ')}` : ''
  const text = `null for cells of ${name}: consolidation kept only the first and last time of all${between}`
  return info.dense ? `${text}; cells with fill values may never have been written` : text
}
