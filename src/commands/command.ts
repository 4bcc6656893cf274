import type { Command as CommanderCommand } from 'commander'
import { asInspectError, firstOf, InspectError, usage, withPlaceAsync } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
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
  /** The times between which targets are opened, if the options name any. To be set before {@link open}. */
  times?: Partial<Times>
  style: ValueStyle
  /** Whether tables show long lists in full. */
  full: boolean
  /** The path of something inside a target, as the user would write it. */
  shownPath(path: string): string
  /** The path by which the storage finds what the user wrote. */
  internalPath(given: string): string
  /** Opens a target by the path that the user gave. */
  open(path: string): Promise<Target>
  /** Shows progress on stderr, only on a terminal and only after a second. */
  progress(what: string): Promise<{ update(done: number, total?: number): void; stop(): void }>
  /**
   * Records a fault that does not end the command. It decides the exit code, and is printed on stderr unless the output shows
   * it.
   */
  fault(error: InspectError, isShown?: boolean): void
  /** Whether {@link fault} wants those of every tile, also where they say the same. */
  wantsEveryFault?: boolean
  /** Prints a message on stderr that is not a fault, unless --quiet is given. */
  note(text: string): void
  /**
   * Call this before anything is written to a file or folder that the user named.
   * @param option that named it; the name of the command if its argument did
   * @throws InspectError USAGE if that place is also read
   */
  refuseReadPlace(path: string, option: string): Promise<void>
}

/** What a command found about one target. Renderers write `document`; `table` shows the same to a person. */
export interface Outcome {
  document: DocumentHead
  /** The document's last keys, if they are known only after `rows`. */
  tail?(): object
  /** The list of the document whose elements are the lines of NDJSON and CSV. Without it, the whole document is one line. */
  rows?: List<Result>
  /** Set if the next row may take hours: each line of NDJSON is then written at once. */
  flushRows?: boolean
  /** The lines of NDJSON, if they are more than `rows`. */
  lines?(): AsyncIterable<Result>
  /** Set if this is one of several fragments of a target: rows then name their origin, as with several targets. */
  oneOfSeveral?: boolean
  /** What rows name as their origin if there are several; by default the document's path. */
  origin?: { readonly [key: string]: Result }
  /** Columns of CSV, if they are known: for a header without rows, or if the first row may lack some. */
  columns?(): readonly string[] | Promise<readonly string[]>
  /** Writes `rows` as NDJSON or CSV faster than with one object per row; the text is the same. */
  cellLines?(out: Output, style: Omit<CellLineStyle, 'raw'>): Promise<JsonNotes>
  table(out: Output): Promise<void> | void
  /** Set if the table of a later outcome includes this one. */
  noTable?: boolean
  /** Writes Arrow IPC, as a file or as a stream. Defined for commands with the format. */
  arrow?(out: Output, file: boolean): Promise<void>
  /** The findings, for formats that report them to other programs; they are read in place of `rows`. */
  found?: FoundInTarget
  /** Bytes to write instead of a document; refused on a terminal. */
  bytes?: readonly Uint8Array[]
  /**
   * Whether something is missing and the document does not say so. Then no file is made. Read after the end of the document.
   */
  incomplete?: boolean
  /** Whether something is wrong but not an error: exit code 1. Read after the end of the document. */
  foundWrong?: boolean
  /** An error that left nothing to show. It is printed in place of the document. */
  error?: InspectError
}

/** Formats that only some commands write. */
export type FormatOfSome = 'arrow' | 'sarif' | 'junit' | 'github'

/** What a command is good for, and a call that does it. A test runs every call. */
export type Example = readonly [what: string, call: string]

/** A command: its options and what it finds. Each {@link Outcome} knows how it looks. cli.ts prints and sets exit codes. */
export interface CommandModule<Options> {
  /** What the command answers, if its summary in cli/commands.ts does not say everything. */
  about?: string
  /** Three or more. `places` (sparse) and `weather` (dense) are the arrays in `examples/arrays`. */
  examples: readonly Example[]
  /** Values of `--format` that the command takes besides those of every command. */
  formats?: readonly FormatOfSome[]
  /**
   * Whether these options make `--output` hold something without a format, such as bytes or a script. Its extension is then
   * ignored.
   */
  ownOutput?(options: Options): boolean
  /** Whether one run gets all targets and tries each; otherwise there is one run per target. */
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
 * Does the work for every fragment of a target: the fragment itself, or all fragments of an array or of each array in a group.
 * A fault in one fragment is shown in its place, and the next is tried.
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
 * Every fragment of a target: the fragment itself, or all fragments of an array; if times were asked for, those that are read then.
 * @param wanted what the command expects
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
    // For a remote array, footers are read ahead. A faulty one raises its error again when it is used.
    if (array.folder.isRemote) await fragment.info().catch(() => {})
    return fragment
  }
  const all = await array.fragments()
  const entries = cx.times ? all.filter(({ isRead }) => isRead) : all
  if (entries.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no fragments${all.length > 0 ? ' at that time' : ''}`)
  for await (const fragment of inOrder(entries, atOnce(array.folder), opened)) {
    try {
      yield fragment
    } finally {
      await fragment.close()
    }
  }
}

/**
 * Does the work for a target. For a group: for the group and each member below it, in the group's order. A failure is
 * recorded, and the next member is tried.
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
  if (members.length === 0) cx.note(`${cx.shownPath(path)} has no members${cx.times ? ' at that time' : ''}`)
  for (const member of members) {
    const found = await findMember(group, member, around, cx.open)
    if (found.error && found.state !== 'cycle') cx.fault(found.error)
    if (!found.target || found.path === undefined) continue
    for await (const outcome of orFailure(found.path, throughGroups(cx, found.path, found.target, work, around)))
      yield { ...outcome, oneOfSeveral: true }
  }
}

/**
 * Gives the outcomes. An error becomes the last of them, so that the next target can be tried. Only wrong options end the
 * command.
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

/** Prints a note if a group has no members. Otherwise "nothing found" would look like a good result. */
export async function noteIfEmpty(cx: CommandContext, target: Target): Promise<void> {
  if (target.type !== 'group') return
  const members = await target.group.members().catch(() => undefined)
  if (members?.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no members: nothing but its own files is looked at`)
}

/**
 * Does `work` on fragments of an array, on several at once over a network, and yields the results in order. A fragment
 * is closed after its work.
 * @param what the work, for the progress line
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

/** The error for a target of the wrong type. It lists the contents of a group or array: one of them may have been meant. */
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
 * @param otherwise what else can be done with an array
 * @throws InspectError WRONG_TARGET, with what to type instead
 */
export async function oneFragment(
  cx: CommandContext,
  command: string,
  target: Target,
  otherwise = '',
): Promise<Fragment> {
  if ('fragment' in target && target.fragment) return target.fragment
  if (target.type !== 'array') throw await wrongTarget(cx, command, target, 'a fragment')
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${otherwise}; as in: ${command} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
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
  // A member's name is not a path.
  const { memberPath } = await import('../store/group.ts')
  const members = (await group.members()).map((member) =>
    cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
  )
  return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
}

/** Runs `work` on a fragment. An InspectError becomes its outcome, so that the next fragment is tried. */
export async function outcomeOrError(folder: Folder, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withPlaceAsync({ file: folder.path }, work)
  } catch (error) {
    return failure(folder.path, asInspectError(error))
  }
}

/** For options that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Refuses options that say nothing without the option `needed`. Names as commander keeps them. */
export function onlyWith(command: CommanderCommand, needed: string, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    const given = command.opts<Record<string, unknown>>()
    const found = given[needed] === undefined && names.find((name) => given[name] !== undefined)
    if (found) throw usage(`--${found} expects --${needed} beside it, found none`)
  })
}
