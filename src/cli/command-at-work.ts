import type { Command } from 'commander'
import { InspectError } from '../base/errors.ts'
import { type CommandContext, type CommandModule, NO_PROGRESS } from '../calls/command.ts'
import type { Outcome } from '../calls/outcome.ts'
import { noteSeconds } from '../calls/times.ts'
import { withState } from '../calls/walkers.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { closeTarget, type Target } from '../objects/target.ts'
import type { ProgressLine } from '../render/progress.ts'
import type { Storage } from '../storage/source.ts'
import type { CommonOptions } from './args.ts'
import { FORMATS } from './formats.ts'
import { internalPath, openPath, refuseReadPlace } from './paths.ts'
import type { Report } from './report.ts'
import { Run } from './run.ts'

/** What does not change while a command works. */
export interface Setting extends Required<Pick<CommandContext, 'shownPath' | 'inner'>> {
  module: CommandModule<never>
  command: Command
  options: CommonOptions
  /** The paths of the targets. */
  paths: readonly string[]
  /** Whether the command works on one target after another. */
  isEach: boolean
  report: Report
  /** The storage with a meter for the progress line. */
  metered: (storage: Storage) => Storage
  line: ProgressLine | undefined
  /** A new context for reading. Each array needs its own, which learns whether the array is encrypted and whether the key fits. */
  newReading: () => ReadContext
}

/** A command at work: its context, what it has opened, and what it has said of the target that it works on. */
export class CommandAtWork {
  readonly cx: CommandContext
  /** The first fault and the last note about the target. */
  reported: { fault?: InspectError; note?: string } = {}
  private readonly setting: Setting
  private run: Run
  /** The targets that were opened, by their paths in the storage. So two arguments that are equal are read in one state. */
  private readonly opened = new Map<string, { target: Target; reading: ReadContext }>()
  /** The target that the command works on. */
  private current = ''
  /** The notes about the target, which are printed once even if the run begins anew. */
  private readonly noted = new Set<string>()

  constructor(setting: Setting, storage: Storage) {
    this.setting = setting
    this.run = this.newRun(storage)
    this.cx = this.context()
  }

  /** Goes on to a target. */
  goTo(target: string): void {
    this.current = target
    this.noted.clear()
  }

  /** Begins a run on the target. @param storage has kept nothing of an earlier run */
  begin(storage: Storage): Run {
    this.run = this.newRun(storage)
    this.cx.storage = this.run.storage
    this.reported = {}
    return this.run
  }

  /** Adds what the command finds, as soon as no writer can have caused it. Closes what the command has opened. */
  async finish(outcomes: AsyncIterable<Outcome>, add: (outcome: Outcome) => Promise<void>): Promise<void> {
    try {
      for await (const found of outcomes) {
        const outcome = found.kind === 'error' ? { ...found, error: await this.stated(found.error) } : found
        await this.run.settle(outcome)
        await add(outcome)
        await this.run.settle()
      }
    } catch (error) {
      throw error instanceof InspectError ? await this.stated(error) : error
    } finally {
      for (const { target } of this.opened.values()) await closeTarget(target)
      this.opened.clear()
    }
  }

  private newRun(storage: Storage): Run {
    const { metered, report, module } = this.setting
    return new Run(metered(storage), report, module.readsOnce === true)
  }

  private stated(error: InspectError): Promise<InspectError> {
    return withState(
      Array.from(this.opened.values(), ({ target }) => target),
      error,
    )
  }

  private context(): CommandContext {
    const { command, options, paths, report, shownPath, line, newReading, inner } = this.setting
    return {
      storage: this.run.storage,
      reading: newReading(),
      style: { raw: options.raw ?? false },
      full: options.full ?? false,
      wantsReport: 'reporter' in FORMATS[report.format],
      shownPath,
      namesOptions: true,
      internalPath,
      open: (path) => this.openTarget(path),
      progress: (work) => line?.begin(work) ?? NO_PROGRESS,
      fault: (error, isShown) => {
        this.reported.fault ??= error
        this.run.fault(error, isShown ?? false)
      },
      foundWrong: () => this.run.foundWrong(),
      settle: (isWrong) => this.run.settleForGood(isWrong),
      note: (text, names) => this.note(text, names !== 'target'),
      refuseReadPlace: (path, option) => refuseReadPlace(command, paths, path, option),
      inner,
    }
  }

  private async openTarget(path: string): Promise<Target> {
    const { cx, opened } = this
    const place = internalPath(path).replace(/(?<=.)\/+$/, '')
    const before = opened.get(place)
    if (before) {
      cx.reading = before.reading
      return before.target
    }
    cx.reading = { ...this.setting.newReading(), ...cx.times, onFault: cx.fault }
    const target = await openPath(this.run.storage, path, cx.reading)
    opened.set(place, { target, reading: cx.reading })
    await noteSeconds(cx, target)
    return target
  }

  private note(text: string, needsTarget: boolean): void {
    this.reported.note = text
    // Prose: a run that begins anew says the same again.
    if (this.noted.has(text)) return
    this.noted.add(text)
    this.setting.report.note(this.setting.isEach && needsTarget ? `${this.current}: ${text}` : text)
  }
}
