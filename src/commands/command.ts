import type { Command as CommanderCommand } from 'commander'
import { asInspectError, firstOf, InspectError, usage, withPlaceAsync } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { Prose } from '../base/prose.ts'
import type { Output, Result } from '../base/result.ts'
import type { DocumentHead, ErrorInfo, List, NotExamined } from '../documents/common.ts'
import type { ValueStyle } from '../format/value.ts'
import type { CellLineStyle } from '../render/cell-lines.ts'
import type { JsonNotes } from '../render/json.ts'
import type { FoundInTarget } from '../render/reports/reporter.ts'
import type { Folder, Storage } from '../source/source.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import type { Fragment } from '../store/fragment.ts'
import type { ReadContext, Times } from '../store/generic-tile.ts'
import { type Target, withArticle } from '../store/target.ts'
import { refuseTimes } from './times.ts'

/** A file option with this name means stdout. */
export const STDOUT = '-'

/** What every command gets besides its own options. */
export interface CommandContext {
  storage: Storage
  reading: ReadContext
  /** The times between which {@link open} opens targets, if the options name any. */
  times?: Partial<Times>
  style: ValueStyle
  /** Whether tables show long lists in full. */
  full: boolean
  /** The path of something inside a target, as the user would write it. */
  shownPath(path: string): string
  /** The path by which the storage finds what the user wrote. */
  internalPath(written: string): string
  /** Opens a target by the path that the user wrote. */
  open(path: string): Promise<Target>
  /** Shows progress on stderr, only on a terminal and only after a second. */
  progress(what: string): Promise<{ update(done: number, total?: number): void; stop(): void }>
  /**
   * Records a fault that does not end the command. The fault decides the exit code.
   * @param isShown whether the output shows the fault; otherwise it is printed on stderr
   */
  fault(error: InspectError, isShown?: boolean): void
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
}

/** What a command found about one target. The data formats write `document`; `table` shows the same to a person. */
export interface Outcome {
  document: DocumentHead
  /** The last keys of the document, if they are known only after `rows`. */
  tail?(): object
  /** The list in the document whose elements are the lines of NDJSON and CSV. Without it, the whole document is one line. */
  rows?: List<Result>
  /** Whether each line of NDJSON is written at once, because the next row may take hours. */
  flushRows?: boolean
  /** The lines of NDJSON, if there are more of them than `rows`. */
  lines?(): AsyncIterable<Result>
  /** Whether this is one of several fragments or members of a target: rows then name their origin, as with several targets. */
  oneOfSeveral?: boolean
  /** The keys by which rows name their origin. By default the document's path. */
  origin?: { readonly [key: string]: Result }
  /** The columns of CSV, if they are known. CSV needs them for a header without rows, or if the first row may lack some. */
  columns?(): readonly string[] | Promise<readonly string[]>
  /** Writes `rows` as NDJSON or CSV without an object for each row. The text is the same. */
  cellLines?(out: Output, style: Omit<CellLineStyle, 'raw'>): Promise<JsonNotes>
  table(out: Output): Promise<void> | void
  /** Whether the table of a later outcome includes this one. */
  noTable?: boolean
  /** Writes Arrow IPC. @param file whether as a file; otherwise as a stream */
  arrow?(out: Output, file: boolean): Promise<void>
  /** The findings, for formats that report them to other programs. These formats read them instead of `rows`. */
  found?: FoundInTarget
  /** Bytes to write instead of a document. They are not written to a terminal. */
  bytes?: readonly Uint8Array[]
  /**
   * Whether something is missing that the document does not mention. An output file is then removed. Known after the end of the
   * document.
   */
  incomplete?: boolean
  /** Whether something is wrong without an error: exit code 1. Known after the end of the document. */
  foundWrong?: boolean
  /** An error that left nothing to show. It is printed in place of the document. */
  error?: InspectError
}

/** What some commands give that has formats of its own. */
export type Special = 'cells' | 'findings'

/** A use of a command, and the call for it. A test runs every call. */
export type Example = readonly [what: string, call: string]

/** A command: its options, and what it finds. cli.ts prints each {@link Outcome} and sets the exit code. */
export interface CommandModule<Options> {
  /** What the command answers, if its summary in cli/commands.ts does not say everything. */
  about?: string
  /** Three or more. `places` (sparse) and `weather` (dense) are the arrays in `examples/arrays`. */
  examples: readonly Example[]
  /** What the command can also write in formats that other commands do not have. */
  gives?: Special
  /** Whether the output has no format with these options, such as bytes or a script. The extension of `--output` is then ignored. */
  ownOutput?(options: Options): boolean
  /** Whether the command has the options `--as-of` and `--between`, which set {@link CommandContext.times}. */
  takesTimes?: boolean
  /** Whether one run gets all targets. Otherwise each target has its own run. */
  together?: boolean
  /** Adds options and arguments besides the common ones. */
  configure(command: CommanderCommand): void
  run(cx: CommandContext, paths: string[], options: Options): AsyncGenerator<Outcome>
}

/** The first keys of a document. */
export function documentHead<Kind extends string>(kind: Kind, path: string): DocumentHead<Kind> {
  return { kind, path, schema_version: 1 }
}

/** The error as part of a document. */
export function errorResult(cx: Pick<CommandContext, 'shownPath'>, error: InspectError): ErrorInfo {
  const { file, offset, field } = error.at
  return { code: error.code, message: error.message, file: file && cx.shownPath(file), offset, field }
}

/** What could not be examined, as part of a document. */
export function notExaminedResult(cx: CommandContext, { code, message, at }: InspectError): NotExamined {
  return { code, message, file: at.file === undefined ? undefined : cx.shownPath(at.file) }
}

/**
 * Runs `work` on every fragment of a target: on the fragment itself, or on all fragments of an array or of each array in a
 * group. A fragment with a fault gives an outcome with the error, and the next fragment is tried.
 * @throws InspectError WRONG_TARGET for files other than fragment metadata
 */
export async function* throughFragments(
  cx: CommandContext,
  path: string,
  command: string,
  work: (fragment: Fragment) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  yield* throughGroups(cx, path, await cx.open(path), async function* (_, target) {
    if (target.type === 'group') return
    const oneOfSeveral = target.type === 'array'
    for await (const fragment of eachFragment(cx, target, command, 'a fragment, an array or a group'))
      yield { ...(await outcomeOrError(fragment.folder, () => work(fragment))), oneOfSeveral }
  })
}

/**
 * Every fragment of a target: the fragment itself, or all fragments of an array. With times in the options: only the fragments
 * that TileDB reads at these times.
 * @param wanted the targets that the command expects, in words
 * @throws InspectError WRONG_TARGET for groups, and for files other than fragment metadata
 */
export async function* eachFragment(
  cx: CommandContext,
  target: Target,
  command: string,
  wanted: string,
): AsyncGenerator<Fragment> {
  if (target.type !== 'array') {
    if (!('fragment' in target && target.fragment)) throw await wrongTarget(cx, command, target, wanted)
    refuseTimes(cx, 'a fragment')
    yield target.fragment
    return
  }
  const { array } = target
  const opened = async ({ path }: FragmentEntry): Promise<Fragment> => {
    const fragment = array.fragment(path)
    // The footers of a remote array are read ahead. A faulty footer raises its error again when it is used.
    if (array.folder.isRemote) await fragment.info().catch(() => {})
    return fragment
  }
  const all = await array.fragments()
  const entries = cx.times ? all.filter(({ isRead }) => isRead) : all
  if (entries.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no fragments${all.length > 0 ? ' at that time' : ''}`, 'target')
  for await (const fragment of inOrder(entries, atOnce(array.folder), opened)) {
    try {
      yield fragment
    } finally {
      await fragment.close()
    }
  }
}

/**
 * Runs `work` on a target. For a group it runs `work` on the group, and then on each member at any depth, in the group's order. An
 * error in a member is its outcome, and the next member is tried.
 * @param above the identities of the groups around the target
 */
export async function* throughGroups(
  cx: CommandContext,
  path: string,
  target: Target,
  work: (path: string, target: Target) => AsyncGenerator<Outcome>,
  above: readonly string[] = [],
): AsyncGenerator<Outcome> {
  yield* work(path, target)
  if (target.type !== 'group') return
  const { group } = target
  const { findMember } = await import('../store/group-members.ts')
  const around = [...above, await group.identity()]
  const members = await group.members()
  if (members.length === 0) cx.note(`${cx.shownPath(path)} has no members${cx.times ? ' at that time' : ''}`, 'target')
  for (const member of members) {
    const found = await findMember(group, member, around, cx.open)
    if (found.error && found.state !== 'cycle') cx.fault(found.error)
    if (!found.target || found.path === undefined) continue
    for await (const outcome of orFailure(found.path, throughGroups(cx, found.path, found.target, work, around)))
      yield { ...outcome, oneOfSeveral: true }
  }
}

/**
 * The outcomes. An error becomes the last outcome, so that the next target can be tried.
 * @throws InspectError USAGE: wrong options are wrong for every target
 */
export async function* orFailure(path: string, outcomes: AsyncGenerator<Outcome>): AsyncGenerator<Outcome> {
  try {
    yield* outcomes
  } catch (error) {
    if (!(error instanceof InspectError) || error.code === 'USAGE') throw error
    yield failure(path, error)
  }
}

function failure(path: string, error: InspectError): Outcome {
  return { document: documentHead('error', path), error, table() {} }
}

/** Prints a note if the target is a group without members. Without the note, "nothing found" would look like a good result. */
export async function noteIfEmpty(cx: CommandContext, target: Target): Promise<void> {
  if (target.type !== 'group') return
  const members = await target.group.members().catch(() => undefined)
  if (members?.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no members: only its own files are examined`, 'target')
}

/**
 * Runs `work` on fragments of an array, over a network on several at once, and yields the results in order. Each fragment is
 * closed after its work.
 * @param what the work in words, for the progress line
 */
export async function* overEntries<T>(
  cx: CommandContext,
  array: InspectArray,
  entries: readonly FragmentEntry[],
  what: string,
  work: (fragment: Fragment, entry: FragmentEntry) => Promise<T>,
): AsyncGenerator<T> {
  const one = async (entry: FragmentEntry): Promise<T> => {
    const fragment = array.fragment(entry.path)
    try {
      return await work(fragment, entry)
    } finally {
      await fragment.close()
    }
  }
  const progress = await cx.progress(what)
  let done = 0
  try {
    if (array.folder.isRemote) await array.listFragmentsAhead()
    for await (const result of inOrder(entries, atOnce(array.folder), one)) {
      yield result
      progress.update(++done, entries.length)
    }
  } finally {
    progress.stop()
  }
}

/**
 * The error for a target of the wrong type. It lists what is in a group or array, because the user may have meant one of these.
 * @param wanted the targets that the command expects, in words
 */
export async function wrongTarget(
  cx: CommandContext,
  command: string,
  target: Target,
  wanted: string,
): Promise<InspectError> {
  const message = `${command} expects ${wanted}, found ${withArticle(target.type)}${await contentsText(cx, target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * The fragment, if the target is one.
 * @param hint what the command can do with an array, for the error
 * @throws InspectError WRONG_TARGET, with what to type instead
 */
export async function oneFragment(cx: CommandContext, command: string, target: Target, hint = ''): Promise<Fragment> {
  if ('fragment' in target && target.fragment) return target.fragment
  if (target.type !== 'array') throw await wrongTarget(cx, command, target, 'a fragment')
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${hint}; as in: ${command} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
  const message = `${command} expects one fragment, found an array${await contentsText(cx, target)}${instead}`
  throw new InspectError('WRONG_TARGET', message, { file: target.path })
}

async function contentsText(cx: CommandContext, target: Target): Promise<string> {
  if (target.type === 'fragment' || target.type === 'file')
    return target.array ? `; it lies in the array ${cx.shownPath(target.array.folder.path)}` : ''
  if (target.type === 'array') {
    const paths = (await target.array.fragments()).map(({ path }) => path)
    return paths.length === 0 ? ' that has no fragments' : `; its fragments: ${firstOf(paths)}`
  }
  if (target.type !== 'group') return ''
  const { group } = target
  // Paths are listed, not names: the path of a member can be another than its name.
  const { memberPath } = await import('../store/group.ts')
  const members = (await group.members()).map((member) =>
    cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
  )
  return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
}

/** Runs `work` on a fragment. An error becomes the outcome, so that the next fragment is tried. */
export async function outcomeOrError(folder: Folder, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withPlaceAsync({ file: folder.path }, work)
  } catch (error) {
    return failure(folder.path, asInspectError(error))
  }
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Refuses options that have no effect without the option `needed`. The names are commander's: `failOn` for `--fail-on`. */
export function onlyWith(command: CommanderCommand, needed: string, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    const values = command.opts<Record<string, unknown>>()
    const found = values[needed] === undefined && names.find((name) => values[name] !== undefined)
    if (found) throw usage(`--${found} expects --${needed} beside it, found none`)
  })
}
