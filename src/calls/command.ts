import type { Command as CommanderCommand } from 'commander'
import type { InspectError } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { ValueStyle } from '../format/value.ts'
import type { OpeningTimes, ReadContext } from '../objects/read-context.ts'
import type { Target } from '../objects/target.ts'
import type { Progress, Work } from '../render/progress.ts'
import type { Storage } from '../storage/source.ts'
import type { Outcome } from './outcome.ts'
import type { Takes } from './targets.ts'

/** What every command gets besides its own options. */
export interface CommandContext {
  storage: Storage
  reading: ReadContext
  /** The times between which {@link open} opens targets, if the options name any. */
  times?: Partial<OpeningTimes>
  style: ValueStyle
  /** Whether tables show long lists in full. */
  full: boolean
  /** The path of something inside a target, as the user would write it. */
  shownPath(path: string): string
  /** Whether the output is a report of findings for other programs, such as SARIF. */
  wantsReport?: boolean
  /** Whether texts may name options of the command line. On a page nobody can give them. */
  namesOptions: boolean
  /** The path by which the storage finds what the user wrote. */
  internalPath(written: string): string
  /** Opens a target by the path that the user wrote. */
  open(path: string): Promise<Target>
  /** Shows on stderr how far some work is, only on a terminal and only after a second. */
  progress(work: Work): Progress
  /**
   * Records a fault that does not end the command. The fault decides the exit code.
   * @param isShown whether the output shows the fault; otherwise it is printed on stderr
   */
  fault(error: InspectError, isShown?: boolean): void
  /** Records that something is not right, without an error: exit code 1. */
  foundWrong(): void
  /**
   * Makes sure that no writer has changed what was read, before the command puts files in place. After that, the run cannot begin anew.
   * @param isWrong whether the command has found damage, which may be the doing of a writer
   * @throws InspectError CHANGED_WHILE_READ
   */
  settle?(isWrong: boolean): Promise<void>
  /** Whether {@link fault} wants the fault of every tile, even if an earlier tile had the same. */
  wantsEveryFault?: boolean
  /**
   * Prints a message on stderr that is not a fault, unless --quiet is given.
   * @param names whether the message names the target. If there are several, it is put in front of other messages
   */
  note(text: Prose, names?: 'target'): void
  /**
   * Refuses to write to a place that the command reads. To be called before a file or folder is written that the user named.
   * @param option the option that names `path`; the name of the command if its argument names it
   * @throws InspectError USAGE
   */
  refuseReadPlace(path: string, option: string): Promise<void>
  /** Other calls of the program. Only the command line has them. */
  inner?(): Promise<InnerCalls>
}

/** What a call from within may read and print. */
export interface CallLimits {
  /** Folders and URLs in which targets must lie. Without any, targets may lie everywhere, except where facts about this process are. */
  roots: readonly string[]
  /** Largest output that is kept, in bytes. */
  most: number
}

/** Other calls of the program, from within a command. */
export interface InnerCalls {
  /** The commands that only read, with what they do. */
  commands: ReadonlyMap<string, string>
  /**
   * Runs a call that only reads, and catches what it prints.
   * @param argv the command and its arguments
   * @throws InspectError USAGE if the call writes, names a key, or reads where it may not
   */
  run(argv: readonly string[], limits: CallLimits): Promise<Called>
  /** What `help` finds for words: calls, or a hint where there are none. */
  answers(words: readonly string[]): string
}

/** What a call from within has printed. */
export interface Called {
  /** The exit code. */
  code: number
  /** Stdout, at most so many bytes as were allowed, in whole lines. */
  text: string
  /** Stderr. */
  errors: string
  /** What `text` lacks. */
  leftOut: { bytes: number; isMore: boolean }
  /** Options of the command that make its output shorter. */
  narrows: readonly string[]
}

/** The progress of work that shows none. */
export const NO_PROGRESS: Progress = { update() {}, stop() {} }

/** What some commands give that has formats of its own. */
export type SpecialResult = 'cells' | 'findings'

/** A use of a command, and the call for it. A test runs every call. */
export type Example = readonly [what: string, call: string]

/** A command: its options, and what it finds. cli.ts prints each {@link Outcome} and sets the exit code. */
export interface CommandModule<Options> {
  /** What the command answers, if its summary in cli/commands.ts does not say everything. */
  about?: string
  /** Three or more. `places` (sparse) and `weather` (dense) are the arrays in `examples/arrays`. */
  examples: readonly Example[]
  /** The targets that the command takes. Without it, its arguments are other things, or any paths. */
  takes?: Takes
  /** What it takes with an option that changes that. */
  takesWith?: { readonly [option: string]: Takes }
  /** What the command can also write in formats that other commands do not have. */
  gives?: SpecialResult
  /** Whether the output has no format with these options, such as bytes or a script. The extension of `--output` is then ignored. */
  ownOutput?(options: Options): boolean
  /** Whether the command has the options `--as-of` and `--between`, which set {@link CommandContext.times}. */
  takesTimes?: boolean
  /** Whether it reads each file once, so that little of what was read is kept. */
  readsOnce?: boolean
  /** Whether one run gets all targets. Otherwise each target has its own run. */
  together?: boolean
  /** Adds options and arguments besides the common ones. */
  configure(command: CommanderCommand): void
  run(cx: CommandContext, paths: string[], options: Options): AsyncGenerator<Outcome>
}
