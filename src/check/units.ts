import { asInspectError, type ErrorFacts, InspectError, unlessFault } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { folderOf } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import { TileFile } from '../cells/tile-files.ts'
import { type TileRole, tileRole } from '../cells/tile-places.ts'
import type { InspectArray } from '../objects/array.ts'
import type { FieldFile, Fragment, FragmentInfo } from '../objects/fragment.ts'
import { type ReadContext, readContext } from '../objects/read-context.ts'
import { openKnownFragment, openTarget, type Target } from '../objects/target.ts'
import type { Storage } from '../storage/source.ts'
import type { IgnoredReason, Item, Level, NotExaminedItem } from './finding.ts'

/** A stretch of tiles. */
interface TileStretch {
  from: number
  /** Exclusive. */
  to: number
  /** Stored bytes. */
  bytes: number
}

/** A stretch of tiles of one data file. */
export interface DataFilePart extends Omit<TileStretch, 'bytes'> {
  name: string
  slot: number
  role: TileRole
}

/** A stretch of tiles of fields that are read together. */
export interface FieldsStretch extends TileStretch {
  slots: readonly number[]
}

/** What a unit does to the array, group or fragment that it opens. */
export type UnitPart =
  | { kind: 'array-files' }
  | { kind: 'group-files' }
  | { kind: 'fragment-metadata' }
  | ({ kind: 'data-file' } & DataFilePart)
  | FieldsPart

/** Stretches of tiles that `check` examines. */
export interface FieldsPart {
  kind: 'fields'
  stretches: readonly FieldsStretch[]
  level: Level
  ignored: IgnoredReason | undefined
  /** Whether the fragment's own footer is taken, though it has a copy: {@link Fragment.asStored}. */
  asStored: boolean
  /**
   * Set if several units share the cells of the same fields; `last` for the last of these units. If one of them finds anything,
   * or is unsure, one unit checks all tiles again, because findings depend on earlier tiles.
   */
  shared?: 'more' | 'last' | undefined
}

/** What a unit found. */
export interface UnitResult<I> {
  counts: Readonly<Record<string, number>>
  items: readonly (I | NotExaminedItem)[]
  /** Set if only a check of all tiles can tell that nothing is wrong. */
  unsure?: boolean | undefined
}

/** Adds the counts of a part to a total. */
export function addCounts(total: Record<string, number>, part: Readonly<Record<string, number>>): void {
  for (const [name, num] of Object.entries(part)) total[name] += num
}

/** A piece of work that any thread can do alone after it opens `path`. */
export interface Unit<I> {
  /** Path of the array, group or fragment. */
  path: string
  part: UnitPart | { kind: 'known'; result: UnitResult<I> }
  /** Stored bytes, for an even share of work. */
  bytes: number
}

/** A unit that needs no work. It gives a known result its place in the order of all results. */
export function knownUnit<I>(items: readonly (I | NotExaminedItem)[], counts: UnitResult<I>['counts'] = {}): Unit<I> {
  return { path: '', part: { kind: 'known', result: { counts, items } }, bytes: 0 }
}

/** What a check finds, and the units that find the rest. */
export type CheckWork = AsyncGenerator<Item | Unit<Item>>

/** Runs units and gives the results in their order, on this thread or on workers. */
export type UnitRunner<I> = (units: AsyncIterable<Unit<I>>) => AsyncIterable<UnitResult<I>>

/** The opened target of a unit. */
export type UnitTarget = Exclude<Target, { type: 'fragment' }> | { type: 'fragment'; fragment: Fragment }

/** Does the work of one unit. */
export type UnitWork<I> = (target: UnitTarget, cx: ReadContext, unit: Unit<I>) => Promise<UnitResult<I>>

/** Stored bytes of one unit: few enough to keep all threads busy, enough that sharing costs little. */
export const UNIT_BYTES = 16 * 2 ** 20

/**
 * Cuts the tiles of a fragment's files into stretches with about {@link UNIT_BYTES} stored bytes each. If the metadata does not say
 * where the tiles are, all of them are one stretch: reading them then gives the error.
 * @param files those that are read together
 */
export async function tileStretches(
  fragment: Fragment,
  { tile_num }: FragmentInfo,
  files: readonly FieldFile[],
): Promise<TileStretch[]> {
  const bytes = sum(files, ({ size }) => size)
  const whole = [{ from: 0, to: tile_num, bytes }]
  if (bytes <= UNIT_BYTES) return whole
  const lists: Float64Array[] = []
  try {
    for (const file of files) lists.push((await TileFile.open(fragment, file.slot, tileRole(file))).offsets)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return whole
  }
  const stretches: TileStretch[] = []
  let stretch: TileStretch = { from: 0, to: 0, bytes: 0 }
  for (let tile = 0; tile < tile_num; tile++) {
    stretch.to = tile + 1
    for (const offsets of lists) stretch.bytes += Math.max(0, (offsets[tile + 1] ?? offsets[tile]) - offsets[tile])
    if (stretch.bytes < UNIT_BYTES) continue
    stretches.push(stretch)
    stretch = { from: tile + 1, to: tile + 1, bytes: 0 }
  }
  if (stretch.to > stretch.from) stretches.push(stretch)
  return stretches
}

/** A target with the context in which it was opened. */
interface OpenedIn {
  target: UnitTarget
  cx: ReadContext
}

/** Runs units. Keeps the last targets open, because the units of a fragment follow one another. */
export class UnitWorker<I> {
  private readonly storage: Storage
  private readonly cx: ReadContext
  private readonly work: UnitWork<I>
  /** By path; the most recently used is last. */
  private readonly open = new Map<string, { opened: Promise<OpenedIn>; users: number }>()
  /** The array of the fragment that was opened last, by the folder around it. */
  private around: { folder: string; array: Promise<InspectArray | undefined> } | undefined

  constructor(storage: Storage, cx: ReadContext, work: UnitWork<I>) {
    this.storage = storage
    this.cx = cx
    this.work = work
  }

  /** Number of units that should run at once. */
  atOnce(path: string): number {
    return atOnce({ isRemote: this.storage.isRemote?.(path) ?? false })
  }

  async run(unit: Unit<I>): Promise<UnitResult<I>> {
    const { path, part } = unit
    if (part.kind === 'known') return part.result
    await this.makeRoom(path)
    const use = this.open.get(path) ?? { opened: this.opened(path, part), users: 0 }
    this.open.delete(path)
    this.open.set(path, use)
    use.users++
    try {
      const opened = await use.opened.catch((error: unknown) => asInspectError(error))
      // For example, the target was removed after the work was planned.
      if (opened instanceof InspectError) return { counts: {}, items: [{ notExamined: opened }] }
      return await this.work(opened.target, opened.cx, unit)
    } finally {
      use.users--
    }
  }

  private async opened(path: string, { kind }: UnitPart): Promise<OpenedIn> {
    const { codecs, key, memory, pause } = this.cx
    const cx = { ...readContext(codecs, key, memory), pause }
    if (kind === 'array-files' || kind === 'group-files')
      return { target: await openTarget(this.storage, path, cx), cx }
    // A key has to open something of each fragment, or it may be the wrong one. So such fragments share nothing.
    const array = key === undefined ? await this.arrayAround(path, cx) : undefined
    if (array) return { target: { type: 'fragment', fragment: fragmentOf(array, path) }, cx: array.cx }
    return { target: { type: 'fragment', fragment: await openKnownFragment(this.storage, path, cx) }, cx }
  }

  /** The array of a fragment. Fragments that follow one another share it, and so its schemas are read once. */
  private arrayAround(path: string, cx: ReadContext): Promise<InspectArray | undefined> {
    const folder = folderOf(path)
    if (this.around?.folder !== folder)
      this.around = {
        folder,
        array: openKnownFragment(this.storage, path, cx).then(
          async ({ array }) => {
            // Its fragments then have the footers that readers take.
            await array?.consolidatedFooters().catch(unlessFault)
            return array
          },
          // The fragments that follow are opened one by one, so that each has its own error.
          () => undefined,
        ),
      }
    return this.around.array
  }

  /** Closes targets that are not in use, so that another can be opened. */
  private async makeRoom(path: string): Promise<void> {
    if (this.open.has(path)) return
    for (const [known, { opened, users }] of [...this.open]) {
      if (this.open.size < this.atOnce(path)) return
      if (users > 0) continue
      this.open.delete(known)
      await close(opened)
    }
  }

  async close(): Promise<void> {
    const all = [...this.open.values()]
    this.open.clear()
    for (const { opened } of all) await close(opened)
  }
}

/** @param path of a folder in the array, as the storage names it */
function fragmentOf(array: InspectArray, path: string): Fragment {
  return array.fragment(path.slice(array.folder.path.length + 1))
}

async function close(opened: Promise<OpenedIn>): Promise<void> {
  const { target } = await opened.catch(() => ({ target: undefined }))
  if (target?.type === 'fragment') await target.fragment.close()
}

/** Makes a runner that does everything on this thread. @param path of the target */
export function runHere<I>(worker: UnitWorker<I>, path: string): UnitRunner<I> {
  return async function* (units) {
    try {
      yield* inOrder(
        units,
        worker.atOnce(path),
        (unit) => worker.run(unit),
        ({ bytes }) => bytes,
      )
    } finally {
      await worker.close()
    }
  }
}

/** Packs a result for another thread. The transfer keeps no error classes. */
export function packed<I extends object>({ counts, items, unsure }: UnitResult<I>): UnitResult<object> {
  const pack = ({ code, fault, at }: InspectError): ErrorFacts => ({ code, fault, at })
  return {
    counts,
    unsure,
    items: items.map((item) => (isNotExamined(item) ? { notExamined: pack(item.notExamined) } : item)),
  }
}

/** Undoes {@link packed}. */
export function unpacked<I extends object>({ counts, items, unsure }: UnitResult<I>): UnitResult<I> {
  const unpack = ({ code, fault, at }: ErrorFacts): InspectError => new InspectError(code, fault, at)
  return {
    counts,
    unsure,
    items: items.map((item) => (isNotExamined(item) ? { notExamined: unpack(item.notExamined) } : item)),
  }
}

function isNotExamined(item: object): item is NotExaminedItem {
  return 'notExamined' in item
}
