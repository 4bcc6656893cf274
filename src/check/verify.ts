import { asInspectError, InspectError, isNew } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { Storage } from '../source/source.ts'
import type { Fragment } from '../store/fragment.ts'
import { type ReadContext, readContext } from '../store/generic-tile.ts'
import { GROUP_DETAILS_FOLDER } from '../store/group.ts'
import { openFragment, openTarget, type Target, withArticle } from '../store/target.ts'
import { type PlanOptions, planTarget, type Unit } from './units.ts'
import {
  blameKey,
  knownAlready,
  merge,
  nothingYet,
  type Verification,
  type Verified,
  type VerifyFailure,
} from './verification.ts'
import { isTileName, Verifier } from './verifier.ts'

export interface VerifyOptions extends PlanOptions {
  /** Undo every filter, and read files without checksums, too. */
  deep: boolean
}

/** Runs units and gives the results in their order, on this thread or on workers. */
export type UnitRunner = (units: AsyncIterable<Unit>) => AsyncIterable<Verification>

/**
 * Verifies every MD5, SHA-256 and AES-GCM tag of a fragment, an array or all members of a group. It continues after a failure
 * and gives failures as they are found. A wrong tag is held back until another tag is right; if none is, the key is wrong.
 * The result does not depend on who runs the units.
 *
 * @param progress called with the number of finished units
 * @param found collects everything except the failures that are given
 * @throws InspectError WRONG_TARGET
 */
export async function* verifyFailures(
  target: Target,
  cx: ReadContext,
  options: VerifyOptions,
  runner: UnitRunner,
  progress: (done: number) => void,
  found: Verified,
): AsyncGenerator<VerifyFailure> {
  let done = 0
  for await (const part of runner(planTarget(target, cx, options))) {
    merge(found, part)
    yield* settled(found)
    progress(++done)
  }
  blameKey(found)
  // An unreadable schema turns up with the array and again with each fragment.
  const reported = new Set<string>()
  found.notExamined = found.notExamined.filter((error) => isNew(reported, error))
  yield* found.failures.splice(0)
}

/** Removes and returns the failures that no later result can change. If one must wait, all after it wait, too. */
function settled(found: Verified): VerifyFailure[] {
  if (found.keyProven || found.tagNum > 0) return found.failures.splice(0)
  const first = found.failures.findIndex(({ filter }) => filter === 'AES_256_GCM')
  return found.failures.splice(0, first < 0 ? found.failures.length : first)
}

/** What a unit's path leads to. For a fragment, the unit says so. */
type Opened = Exclude<Target, { type: 'fragment' }> | { type: 'fragment'; fragment: Fragment }

/** Runs units. It keeps the last targets open, as units of a fragment follow one another. */
export class UnitWorker {
  private readonly storage: Storage
  private readonly cx: ReadContext
  private readonly deep: boolean
  /** By path; the most recently used is last. */
  private readonly open = new Map<string, { opened: Promise<{ target: Opened; cx: ReadContext }>; users: number }>()

  constructor(storage: Storage, cx: ReadContext, deep: boolean) {
    this.storage = storage
    this.cx = cx
    this.deep = deep
  }

  /** Number of units that should run at once. */
  atOnce(path: string): number {
    return atOnce({ isRemote: this.storage.isRemote?.(path) ?? false })
  }

  async run(unit: Unit): Promise<Verification> {
    const { path, part } = unit
    const known = knownAlready(part)
    if (known) return known
    await this.makeRoom(path)
    const use = this.open.get(path) ?? { opened: this.opened(unit), users: 0 }
    this.open.delete(path)
    this.open.set(path, use)
    use.users++
    try {
      return await this.runOn(use.opened, unit)
    } finally {
      use.users--
    }
  }

  private async runOn(
    opening: Promise<{ target: Opened; cx: ReadContext }>,
    { path, part }: Unit,
  ): Promise<Verification> {
    const found = nothingYet()
    let opened: { target: Opened; cx: ReadContext }
    try {
      opened = await opening
    } catch (error) {
      // The target was removed after the work was planned.
      found.notExamined.push(asInspectError(error))
      return found
    }
    const { target, cx } = opened
    const verifier = new Verifier(cx, this.deep, found)
    try {
      if (part.kind === 'array-files' && target.type === 'array') await verifier.arrayFiles(target.array)
      else if (part.kind === 'group-files' && target.type === 'group') {
        await verifier.genericTileFiles(target.group.folder, GROUP_DETAILS_FOLDER, isTileName)
        await verifier.genericTileFiles(target.group.folder, '__meta', isTileName)
      } else if (target.type === 'fragment') {
        // The schema shows whether the data files are encrypted.
        await target.fragment.info()
        if (part.kind === 'data-file') await verifier.dataFile(target.fragment, part)
        else await this.fragmentMetadata(verifier, target.fragment, found)
      } else throw new InspectError('WRONG_TARGET', `expected ${part.kind}, found ${withArticle(target.type)}`)
    } catch (error) {
      const file = target.type === 'fragment' ? target.fragment.metadataSource().name : path
      if (part.kind === 'fragment-metadata') found.fragmentNum = 1
      verifier.fail(error, { fragment: target.type === 'fragment' ? target.fragment.name : null, file })
    }
    found.keyProven = cx.keyProven
    return found
  }

  private async fragmentMetadata(verifier: Verifier, fragment: Fragment, found: Verification): Promise<void> {
    found.fragmentNum = 1
    await verifier.metadataFile(fragment)
  }

  private async opened({ path, part }: Unit): Promise<{ target: Opened; cx: ReadContext }> {
    const cx = readContext(this.cx.codecs, this.cx.key, this.cx.maxTileSize)
    const isFragment = part.kind === 'fragment-metadata' || part.kind === 'data-file'
    const target: Opened = isFragment
      ? { type: 'fragment', fragment: await openFragment(this.storage, path, cx) }
      : await openTarget(this.storage, path, cx)
    return { target, cx }
  }

  /** Closes targets that are no longer in use, before another is opened. */
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

async function close(opened: Promise<{ target: Opened }>): Promise<void> {
  const target = await opened.then(
    (one) => one.target,
    () => undefined,
  )
  if (target?.type === 'fragment') await target.fragment.close()
}

/** A runner that does everything on this thread. @param path of the target */
export function runHere(worker: UnitWorker, path: string): UnitRunner {
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

/** Packs a Verification for another thread, as error classes do not survive the transfer. */
export function packed(found: Verification): object {
  return { ...found, notExamined: found.notExamined.map(({ code, message, at }) => ({ code, message, at })) }
}

export function unpacked(found: Verification): Verification {
  return {
    ...found,
    notExamined: found.notExamined.map(({ code, message, at }) => new InspectError(code, message, at)),
  }
}
