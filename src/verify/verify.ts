import { InspectError, isNew } from '../errors.ts'
import type { Fragment } from '../fragment.ts'
import { type ReadContext, readContext } from '../generic-tile.ts'
import { GROUP_DETAILS_FOLDER, isGroupDetailsName } from '../group.ts'
import type { Storage } from '../source/source.ts'
import { openFragment, openTarget, type Target, withArticle } from '../target.ts'
import { type PlanOptions, planTarget, type Unit } from './units.ts'
import { blameKey, merge, nothingYet, type Verification, type Verified, type VerifyFailure } from './verification.ts'
import { isTileName, Verifier } from './verifier.ts'

export interface VerifyOptions extends PlanOptions {
  /** Undo every filter, and read files without checksums too. */
  deep: boolean
}

/** Does units, in their order: one after the other here, or by workers. */
export type UnitRunner = (units: AsyncIterable<Unit>) => AsyncIterable<Verification>

/**
 * Verifies every MD5, SHA-256 and AES-GCM tag of a fragment, an array or all members of a group, goes on after a failure, and
 * gives failures as they are found. Tags that do not fit wait for one that does: without any, the key is to blame. The result
 * does not depend on who runs the units.
 *
 * @param progress told the number of units done
 * @param found takes up all but the failures that are given
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
  // A schema that cannot be read is met with the array and with each of its fragments.
  const told = new Set<string>()
  found.notExamined = found.notExamined.filter((error) => isNew(told, error))
  yield* found.failures.splice(0)
}

/** Takes out the failures that nothing found later can change; all behind one that has to wait, wait with it. */
function settled(found: Verified): VerifyFailure[] {
  if (found.tagNum > 0) return found.failures.splice(0)
  const first = found.failures.findIndex(({ filter }) => filter === 'AES_256_GCM')
  return found.failures.splice(0, first < 0 ? found.failures.length : first)
}

/** What a unit's path stands for: of fragments the unit itself says so. */
type Opened = Exclude<Target, { type: 'fragment' }> | { type: 'fragment'; fragment: Fragment }

/** Runs units one by one, keeping the fragment that was opened last: its units follow one another. */
export class UnitWorker {
  private readonly storage: Storage
  private readonly cx: ReadContext
  private readonly deep: boolean
  private open: { path: string; target: Opened; cx: ReadContext } | undefined

  constructor(storage: Storage, cx: ReadContext, deep: boolean) {
    this.storage = storage
    this.cx = cx
    this.deep = deep
  }

  async run({ path, part }: Unit): Promise<Verification> {
    const found = nothingYet()
    if (part.kind === 'fault') {
      found.notExamined.push(part.error)
      return found
    }
    let opened: { target: Opened; cx: ReadContext }
    try {
      opened = await this.opened(path, part.kind === 'fragment-metadata' || part.kind === 'data-file')
    } catch (error) {
      // What is gone since the work was planned.
      if (!(error instanceof InspectError)) throw error
      found.notExamined.push(error)
      return found
    }
    const { target, cx } = opened
    const verifier = new Verifier(cx, this.deep, found)
    try {
      if (part.kind === 'array-files' && target.type === 'array') await verifier.arrayFiles(target.array)
      else if (part.kind === 'group-files' && target.type === 'group') {
        await verifier.genericTileFiles(target.group.folder, GROUP_DETAILS_FOLDER, isGroupDetailsName)
        await verifier.genericTileFiles(target.group.folder, '__meta', isTileName)
      } else if (target.type === 'fragment') {
        // The schema tells whether data files end in the AES filter.
        await target.fragment.info()
        if (part.kind === 'data-file') await verifier.dataFile(target.fragment, part)
        else await this.fragmentMetadata(verifier, target.fragment, found)
      } else throw new InspectError('WRONG_TARGET', `expected ${part.kind}, found ${withArticle(target.type)}`)
    } catch (error) {
      const file = target.type === 'fragment' ? target.fragment.metadataSource().name : path
      if (part.kind === 'fragment-metadata') found.fragmentNum = 1
      verifier.fail(error, { fragment: target.type === 'fragment' ? target.fragment.name : null, file })
    }
    return found
  }

  private async fragmentMetadata(verifier: Verifier, fragment: Fragment, found: Verification): Promise<void> {
    found.fragmentNum = 1
    await verifier.metadataFile(fragment)
  }

  private async opened(path: string, isFragment: boolean): Promise<{ target: Opened; cx: ReadContext }> {
    if (this.open?.path === path) return this.open
    await this.close()
    const cx = readContext(this.cx.codecs, this.cx.key, this.cx.maxTileSize)
    const target: Opened = isFragment
      ? { type: 'fragment', fragment: await openFragment(this.storage, path, cx) }
      : await openTarget(this.storage, path, cx)
    this.open = { path, target, cx }
    return this.open
  }

  async close(): Promise<void> {
    const target = this.open?.target
    this.open = undefined
    if (target?.type === 'fragment') await target.fragment.close()
  }
}

/** A runner that does everything here, one unit after the other. */
export function runHere(worker: UnitWorker): UnitRunner {
  return async function* (units) {
    try {
      for await (const unit of units) yield await worker.run(unit)
    } finally {
      await worker.close()
    }
  }
}

/** A Verification for another thread, and back: error classes do not survive the crossing. */
export function packed(found: Verification): object {
  return { ...found, notExamined: found.notExamined.map(({ code, message, at }) => ({ code, message, at })) }
}

export function unpacked(found: Verification): Verification {
  return {
    ...found,
    notExamined: found.notExamined.map(({ code, message, at }) => new InspectError(code, message, at)),
  }
}
