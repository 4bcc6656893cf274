import { unlessFault } from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { FragmentEntry, InspectArray } from './array.ts'
import { stem } from './commits.ts'
import { type FragmentInfo, storedCellNum } from './fragment.ts'
import { isRead } from './visibility.ts'

/** What is compared of a fragment. */
type Held = Pick<FragmentInfo, 'nonempty_domain'> & { cellNum: number }

interface Timed {
  entry: FragmentEntry
  first: bigint
  last: bigint
}

/** A consolidated fragment, and those of its sources that readers read beside it. */
export interface ReadTwice {
  whole: FragmentEntry
  read: readonly FragmentEntry[]
}

/**
 * Finds consolidated fragments of a sparse array whose sources are read, too, since no vacuum file names them any more.
 * A fragment written later at an earlier time, or left out of a consolidation, also lies in the times of a consolidated one. So only
 * sources that make up the whole fragment count: from its first to its last time, as many cells, and the same ends in each
 * dimension. Without duplicates, readers get the same cells all the same.
 */
export async function* readTwice(
  array: InspectArray,
  entries: readonly FragmentEntry[],
  allowsDuplicates: boolean,
): AsyncGenerator<ReadTwice> {
  const timed = entries.flatMap((entry): Timed[] => {
    const [first, last] = entry.timestamp_range ?? []
    return first === undefined || last === undefined || !entry.committed ? [] : [{ entry, first, last }]
  })
  const consolidated = timed.filter(({ entry, first, last }) => first < last && isRead(entry.state))
  if (consolidated.length === 0) return
  timed.sort((a, b) => rising(a.first, b.first))
  const starts = timed.map(({ first }) => first)
  const { visibility } = await array.listing()
  const { files } = await array.commits()
  const listNames = new Set(files.flatMap(({ kind, path }) => (kind === 'vacuum' ? [stem(lastPathPart(path))] : [])))
  const known = new Map<string, Held | undefined>()
  for (const whole of consolidated) {
    const ofWhole = (one: FragmentEntry): boolean =>
      visibility.lists(one.path).some(({ name }) => name === whole.entry.name)
    // The first that begins at that time or later.
    const from = lastNotAfter(starts.length, (i) => starts[i] ?? 0n, whole.first - 1n) + 1
    if (starts[from] !== whole.first) continue
    let isAnyRead = false
    const sources: FragmentEntry[] = []
    for (let at = from; ; at++) {
      const one = timed[at]
      if (!one || one.first > whole.last) break
      const { entry, last } = one
      if (entry === whole.entry || last > whole.last || !(isRead(entry.state) || ofWhole(entry))) continue
      isAnyRead ||= isRead(entry.state)
      sources.push(entry)
    }
    if (!isAnyRead || !sources.some(({ timestamp_range }) => timestamp_range?.[1] === whole.last)) continue
    if (!(await areWhole(array, whole.entry, sources, known))) continue
    // What is wrong in a list of that name is told of the list.
    if (!allowsDuplicates && listNames.has(whole.entry.name)) continue
    yield { whole: whole.entry, read: sources.filter(({ state }) => isRead(state)) }
  }
}

/** Whether the sources have as many cells as the whole, and reach as far in each dimension. */
async function areWhole(
  array: InspectArray,
  whole: FragmentEntry,
  sources: readonly FragmentEntry[],
  known: Map<string, Held | undefined>,
): Promise<boolean> {
  const all = await held(array, whole, known)
  if (!all?.nonempty_domain || all.cellNum === 0) return false
  const parts: Held[] = []
  let cellNum = 0
  for (const source of sources) {
    const part = await held(array, source, known)
    if (!part?.nonempty_domain) return false
    parts.push(part)
    cellNum += part.cellNum
    if (cellNum > all.cellNum) return false
  }
  if (cellNum !== all.cellNum) return false
  return all.nonempty_domain.every(({ min, max }, d) =>
    [[min, 'min'] as const, [max, 'max'] as const].every(([end, key]) =>
      parts.some(({ nonempty_domain }) => sameBytes(nonempty_domain?.[d]?.[key] ?? end, end)),
    ),
  )
}

async function held(
  array: InspectArray,
  { path }: FragmentEntry,
  known: Map<string, Held | undefined>,
): Promise<Held | undefined> {
  if (known.has(path)) return known.get(path)
  const fragment = array.fragment(path)
  try {
    const info = await fragment.info()
    known.set(path, { nonempty_domain: info.nonempty_domain, cellNum: storedCellNum(info) })
  } catch (error) {
    unlessFault(error)
    known.set(path, undefined)
  } finally {
    await fragment.close()
  }
  return known.get(path)
}
