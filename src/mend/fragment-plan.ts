import { boxesMeet } from '../cells/rtree-builder.ts'
import { noLoss } from '../check/codes/row.ts'
import { type FindingCode, isMendedByRecover } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { NDRange } from '../format/range.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { isContradiction, lastingContradictions } from '../recover/contradictions.ts'
import type { ArrayDrafts } from './array-drafts.ts'
import {
  DamagedFragment,
  loseSign,
  planRecoverArray,
  planRecoverFragment,
  type RecoverWay,
  restoreContradicted,
} from './damaged-fragment.ts'
import type { Draft } from './drafts.ts'
import { olderText } from './older.ts'
import { type DividedTimes, rewriteFragment, whyNotRewritten } from './rewrite-plan.ts'
import { wayOf } from './ways.ts'

/** A fragment whose cells are written again. */
interface Rewrite {
  draft: Draft
  codes: Set<FindingCode>
  divided: DividedTimes | undefined
  /** Whether only a newer format mends it: filters of older ones give every filter the type of the field. */
  needsNewFormat: boolean
}

/** Plans for damaged fragments: `recover` writes their metadata anew, or their cells are written again. */
export class FragmentPlanner {
  private readonly drafts: ArrayDrafts
  private readonly damaged = new Map<FragmentEntry, DamagedFragment>()
  /** What contradicts the cells of fragments, and is not mended by new metadata. */
  private readonly lasting = new Map<FragmentEntry, ReadonlySet<Finding>>()
  private readonly contradicted = new Map<FragmentEntry, Draft>()
  private readonly rewrites = new Map<FragmentEntry, Rewrite>()
  /** Boxes around all cells of fragments. */
  private readonly boxes = new Map<FragmentEntry, NDRange | undefined>()

  constructor(drafts: ArrayDrafts) {
    this.drafts = drafts
  }

  /** Plans a call of `recover`. */
  async recover(finding: Finding, way: RecoverWay): Promise<void> {
    const { drafts } = this
    const entry = drafts.entryOf(finding)
    if (!entry) return drafts.leave(finding)
    if (entry.state === 'to-vacuum') return drafts.retireReplaced(entry, finding)
    if (!entry.committed) {
      const draft = drafts.draft(`aside ${entry.path}`, finding)
      if (!drafts.moved.has(entry.path)) drafts.retire(draft, entry)
      return
    }
    if ((await this.lastingOf(entry)).has(finding)) {
      this.contradicted.set(entry, drafts.draft(`contradicted ${entry.path}`, finding))
      return
    }
    const found = this.damaged.get(entry) ?? new DamagedFragment(entry)
    this.damaged.set(entry, found)
    await found.add(finding, drafts.draft(`recover ${entry.path}`, finding), way, drafts.array)
  }

  /**
   * The findings that cells of a fragment contradict its metadata, without those that `recover` mends or drops: it drops such tiles, too,
   * when it drops others.
   */
  async lastingOf(entry: FragmentEntry): Promise<ReadonlySet<Finding>> {
    const known = this.lasting.get(entry)
    if (known) return known
    const { drafts } = this
    const own = drafts.findings.filter((finding) => drafts.entryOf(finding) === entry)
    const isCut = own.some((finding) => wayOf(finding) === 'drop')
    const found = isCut ? undefined : await drafts.tryRead(entry, (fragment) => lastingContradictions(fragment, own))
    const lasting = new Set(found)
    this.lasting.set(entry, lasting)
    return lasting
  }

  /** Plans to write the cells of a fragment again. @param divided set if they have times of their own, which are to be divided */
  rewrite(entry: FragmentEntry, finding: Finding, divided?: DividedTimes): void {
    const draft = this.drafts.draft(`rewrite ${entry.path}`, finding)
    const found = this.rewrites.get(entry) ?? { draft, codes: new Set(), divided, needsNewFormat: false }
    found.codes.add(finding.code)
    found.needsNewFormat ||= finding.code === 'CHUNK_UNREADABLE' && finding.variant === 'otherTypes'
    this.rewrites.set(entry, found)
  }

  /** The drafts whose steps run last: `recover` copies what the other steps have put right. */
  lastDrafts(): ReadonlySet<Draft> {
    return new Set([...this.damaged.values()].map(({ draft }) => draft))
  }

  async finish(): Promise<void> {
    await this.finishRewrites()
    await this.finishRecover()
    await this.finishContradicted()
  }

  private async finishContradicted(): Promise<void> {
    const { drafts } = this
    for (const [entry, draft] of this.contradicted) {
      if (await this.restoreReplaced({ entry, draft })) continue
      const others = drafts.entries.length - 1
      draft.notLost.add(`${others} other fragments`)
      const own = drafts.findings.filter((one) => isContradiction(one.code) && drafts.entryOf(one) === entry)
      const tiles = new Set(own.flatMap(({ tile }) => (tile === undefined ? [] : [tile])))
      await restoreContradicted(draft, entry, tiles, drafts)
      drafts.moveFooters(entry, draft, true)
    }
  }

  /** Plans to write cells again where `decode` can read them. That also mends what `recover` would mend. */
  private async finishRewrites(): Promise<void> {
    const { array, entries, shell } = this.drafts
    for (const [entry, { draft, codes, divided, needsNewFormat }] of this.rewrites) {
      const damaged = this.damaged.get(entry)
      const why = damaged?.isUnreadable
        ? 'its tiles cannot all be found or read: ask for a plan again when that is mended'
        : await whyNotRewritten(array, entry, entries, divided, needsNewFormat)
      // If coordinates are wrong, `recover` cannot mend the fragment, either.
      const isRecovered = why !== undefined && ![...codes].some((code) => code.startsWith('COORDINATE_'))
      if (damaged && !isRecovered) {
        draft.absorb(damaged.draft)
        this.damaged.delete(entry)
      }
      if (why === undefined) {
        const contradicted = this.contradicted.get(entry)
        if (contradicted) {
          draft.absorb(contradicted)
          this.contradicted.delete(entry)
          loseSign(draft, shell.at(entry.path))
        }
        await rewriteFragment(array, entry, { codes, divided }, draft, shell)
      } else {
        draft.outcome = 'leave'
        draft.say({ text: `the fragment cannot be written again as it is: ${why}` })
      }
    }
  }

  /** Recovers each fragment by itself, or the whole array if what is left of a dense fragment becomes several. */
  private async finishRecover(): Promise<void> {
    const { drafts, damaged } = this
    const { array, shell, fresh } = drafts
    const all: DamagedFragment[] = []
    for (const one of damaged.values()) {
      await one.seekLack(array)
      const mayGiveWay = one.isCut || one.lack !== undefined
      if (!mayGiveWay || !(await this.restoreReplaced(one))) all.push(one)
    }
    for (const finding of drafts.findings) {
      const entry = finding.severity === 'error' && !isMendedByRecover(finding.code) && drafts.entryOf(finding)
      const one = entry && damaged.get(entry)
      if (one) one.keepsErrors = true
    }
    for (const one of all) {
      one.isContradicted = this.contradicted.has(one.entry)
      one.keepsErrors ||= one.isContradicted
    }
    for (const one of all) await one.measure(array, drafts.entries.length, drafts.words)
    for (const one of all) await this.sayOlder(one)
    for (const one of all) await one.keepOthers(shell, fresh)
    if (all.some(({ isParted }) => isParted)) return planRecoverArray(all, shell, fresh)
    for (const one of all) {
      const { entry, draft } = one
      if (one.isLost) this.takeLost(one)
      else await planRecoverFragment(one, array, shell, fresh)
      drafts.moveFooters(entry, draft, one.lack !== undefined, shell.kept(entry.path))
    }
  }

  /** Takes away a fragment without a whole tile. */
  private takeLost({ entry, draft }: DamagedFragment): void {
    const { drafts } = this
    const list = drafts.lists.find(({ name }) => name === entry.name)
    if (list && !drafts.moved.has(list.path)) {
      // The list goes, too: what is left of the fragments in it must not stay hidden.
      drafts.takeConsolidated(draft, list)
      return
    }
    drafts.move(draft, entry.path)
    drafts.uncommit(draft, entry)
  }

  /**
   * Restores the fragments that a consolidated one replaced, if they are all whole: it lost cells that they still have.
   * @returns whether it does
   */
  private async restoreReplaced({ entry, draft }: Pick<DamagedFragment, 'entry' | 'draft'>): Promise<boolean> {
    const { drafts } = this
    const list = await this.listOfWhole(entry)
    if (!list) return false
    draft.takeBackLost()
    draft.addLost(noLoss('nothing: the fragments that it replaced are still there'))
    await drafts.sayConsolidate(draft, list.hides)
    drafts.takeConsolidated(draft, list)
    drafts.moveFooters(entry, draft)
    draft.end(drafts.shell.check())
    return true
  }

  /** The list of the fragments that a consolidated one replaced, if they are all whole. */
  private async listOfWhole(entry: FragmentEntry): Promise<ArrayDrafts['lists'][number] | undefined> {
    const { drafts } = this
    const list = drafts.lists.find(({ name }) => name === entry.name)
    if (!list || drafts.moved.has(list.path)) return undefined
    for (const name of list.hides) {
      const one = drafts.entryNamed(name)
      const isThere =
        one?.committed && !drafts.moved.has(one.path) && !this.damaged.has(one) && !this.contradicted.has(one)
      if (!isThere || !(await drafts.isWhole(one))) return undefined
    }
    return list
  }

  /** Plans to restore what a fragment replaced that lost the times of its cells. @returns whether it does */
  async restoreTimes(finding: Finding): Promise<boolean> {
    const entry = this.drafts.entryOf(finding)
    if (!entry || !(await this.listOfWhole(entry))) return false
    return this.restoreReplaced({ entry, draft: this.drafts.draft(`recover ${entry.path}`, finding) })
  }

  /** Says how many fragments may have older cells at the coordinates of dropped ones. Readers see these again. */
  private async sayOlder({ entry, draft, lostBoxes }: DamagedFragment): Promise<void> {
    if (!entry.isRead || lostBoxes.length === 0) return
    const all = await this.drafts.olderThan(entry)
    if (all.length === 0) return
    const { dimensions } = (await this.drafts.array.newestSchema()).schema.domain
    let num = 0
    for (const one of all) {
      const box = this.damaged.get(one)?.isLost ? undefined : await this.boxOf(one)
      if (box && lostBoxes.some((lost) => boxesMeet(lost, box, dimensions))) num++
    }
    if (num > 0) draft.bringsBack.add(olderText(num, true))
  }

  private async boxOf(entry: FragmentEntry): Promise<NDRange | undefined> {
    if (!this.boxes.has(entry)) this.boxes.set(entry, (await this.drafts.infoOf(entry))?.nonempty_domain)
    return this.boxes.get(entry)
  }
}
