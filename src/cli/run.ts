import { ClosedPipe, exitCodeOf, freeStack, hasCode, InspectError } from '../base/errors.ts'
import type { Outcome } from '../calls/outcome.ts'
import { FEW_KEPT } from '../storage/kept-ends.ts'
import type { Storage } from '../storage/source.ts'
import { type Watch, watched } from '../storage/watched.ts'
import type { Report } from './report.ts'

/** Upper limit on the faults that wait. A target with more of them is damaged beyond doubt. */
const MAX_WAITING = 1000

/**
 * One run of a command on its targets. Faults wait until it is sure that they are none of a writer's doing: what is being removed
 * looks damaged.
 */
export class Run {
  /** What the run reads from. */
  readonly storage: Storage
  private readonly watch: Watch
  private readonly report: Report
  /** Whether the command has put files in place: what a writer does from then on does not matter. */
  private isSettled = false
  /** Whether the command has found that something is wrong, without an error. */
  private isWrong = false
  private waiting: { fault: InspectError; isShown: boolean }[] = []
  /** The code and the place of the first faults that were told. */
  private readonly told = new Set<string>()

  /**
   * @param storage a storage that has kept nothing of an earlier run
   * @param readsOnce whether the command reads each file once
   */
  constructor(storage: Storage, report: Report, readsOnce: boolean) {
    this.watch = watched(storage, readsOnce ? FEW_KEPT : undefined)
    this.storage = this.watch.storage
    this.report = report
  }

  /** The change of the target that was noticed so far: CHANGED_WHILE_READ. */
  changed(): InspectError | undefined {
    return this.watch.changed()
  }

  /** Records a fault, which decides the exit code. @param isShown whether the output shows it */
  fault(fault: InspectError, isShown: boolean): void {
    freeStack(fault)
    this.waiting.push({ fault, isShown })
    if (this.waiting.length > MAX_WAITING) this.tell()
  }

  foundWrong(): void {
    this.isWrong = true
  }

  /**
   * Reports the faults so far.
   * @param outcome what is to be shown next
   * @throws InspectError CHANGED_WHILE_READ if faults, or what the outcome says, may be the doing of a writer; drops the faults
   */
  async settle(outcome?: Outcome): Promise<void> {
    const changed = await this.judged(outcome?.kind === 'error' ? outcome.error : undefined)
    if (changed) throw changed
  }

  /** {@link settle} before the command puts files in place. */
  async settleForGood(isWrong: boolean): Promise<void> {
    const changed = isWrong ? await this.watch.confirm() : undefined
    if (changed) throw changed
    await this.settle()
    this.isSettled = true
  }

  /** The error that ends the run. If files changed during the run, it says so. */
  async cause(error: unknown): Promise<unknown> {
    if (error instanceof ClosedPipe || hasCode(error, 'USAGE')) {
      // Nobody reads any more, but the exit code still says what was found.
      await this.settle().catch(() => this.report.addExitCode(3))
      return error
    }
    return (await this.judged(error)) ?? error
  }

  /** The change that caused the faults so far, which are then dropped. Without one they are told. @param error one more fault */
  private async judged(error: unknown): Promise<InspectError | undefined> {
    const faults = [...this.waiting.map(({ fault }) => fault), error].filter((one) => one instanceof InspectError)
    const damage = faults.filter((fault) => exitCodeOf(fault) === 1)
    const files = damage.flatMap(({ at: { file } }) => (file === undefined ? [] : [file]))
    const looksWrong = this.isWrong || damage.length > 0
    const look = (): Promise<InspectError | undefined> | InspectError | undefined =>
      looksWrong ? this.watch.confirm(files) : this.watch.changed()
    const changed = this.isSettled ? undefined : await look()
    if (changed) {
      this.waiting = []
      this.isWrong = false
    } else this.tell()
    return changed
  }

  private tell(): void {
    if (this.isWrong) this.report.addExitCode(1)
    this.isWrong = false
    for (const { fault, isShown } of this.waiting.splice(0)) {
      if (isShown || this.isTold(fault)) this.report.addExitCode(exitCodeOf(fault))
      else this.report.error(fault)
    }
  }

  /** Whether the same fault was told before, as where a command opens a file at several times. */
  private isTold(fault: InspectError): boolean {
    if (fault.at.file === undefined || fault.at.offset === undefined) return false
    const key = `${fault.code} ${JSON.stringify(fault.at)}`
    if (this.told.has(key)) return true
    if (this.told.size < MAX_WAITING) this.told.add(key)
    return false
  }
}

/**
 * Runs `work`. If the target is changed meanwhile, everything is opened afresh, and `work` is run once more.
 * @param open returns a run whose storage has kept nothing of an earlier one
 * @param mayRepeat whether a run that failed may be replaced by another, as nobody has seen anything of it
 * @throws InspectError CHANGED_WHILE_READ if the second run also sees a change, or does not find its target any more
 */
export async function runOrRepeat(
  open: (isRepeated: boolean) => Run,
  work: () => Promise<void>,
  mayRepeat: () => boolean,
): Promise<void> {
  let first: unknown
  for (;;) {
    const run = open(first !== undefined)
    try {
      await work()
      await run.settle()
      return
    } catch (error) {
      const cause = await run.cause(error)
      const isChange = hasCode(cause, 'CHANGED_WHILE_READ')
      const mayAgain = mayRepeat()
      if (first !== undefined) throw hasCode(cause, 'NOT_FOUND') ? first : cause
      if (!isChange || !mayAgain) throw cause
      first = cause
    }
  }
}
