import type { Command as CommanderCommand } from 'commander'
import { asInspectError, firstOf, InspectError, withPlaceAsync } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { Output, Result } from '../base/result.ts'
import type { DocumentHead, ErrorInfo, List, NotExamined } from '../documents/common.ts'
import type { ValueStyle } from '../format/value.ts'
import type { CellLineStyle } from '../render/cell-lines.ts'
import type { JsonNotes } from '../render/json.ts'
import type { Folder, Storage } from '../source/source.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import type { Fragment } from '../store/fragment.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import { type Target, withArticle } from '../store/target.ts'

/** What every command is given beside its own options. */
export interface CommandContext {
  storage: Storage
  reading: ReadContext
  style: ValueStyle
  /** Whether long lists are to be shown whole in tables. */
  full: boolean
  /** Path of something inside a target, as a person would write it. */
  shownPath(path: string): string
  /** Opens a target by the path the user gave. */
  open(path: string): Promise<Target>
  /** Shows progress on stderr, on a terminal and after a second only. */
  progress(what: string): Promise<{ update(done: number, total?: number): void; stop(): void }>
  /** Records a fault that does not end the command: it decides the exit code, and is printed on stderr unless what is shown says it. */
  fault(error: InspectError, isShown?: boolean): void
  /** Says something on stderr that is no fault, unless --quiet. */
  note(text: string): void
  /**
   * To be asked before anything is written to a file or folder that `option` names, or an argument of the command of that name.
   * @throws InspectError USAGE where that is part of what is read
   */
  refuseReadPlace(path: string, option: string): Promise<void>
}

/** What a command found about one target. Renderers show `document`; `table` shows the same object to people. */
export interface Outcome {
  document: DocumentHead
  /** The document's last keys, where they are known only behind `rows`. */
  tail?(): object
  /** The list of the document that NDJSON and CSV print one element a line; the whole document is one line without it. */
  rows?: List<Result>
  /** Set where the next row may be hours away: each line of NDJSON is then written at once. */
  asFound?: boolean
  /** NDJSON's lines, where they are more than that list. */
  lines?(): AsyncIterable<Result>
  /** Set for one of several fragments below one target: as with several targets, rows then say whose they are. */
  oneOfSeveral?: boolean
  /** What rows say then; the document's path without it. */
  origin?: { readonly [key: string]: Result }
  /** Columns of CSV, where the first row may lack some, or be missing. */
  columns?(): readonly string[] | Promise<readonly string[]>
  /** Writes `rows` as NDJSON or CSV by a faster way than one object a row; the text is the same. */
  cellLines?(out: Output, style: Omit<CellLineStyle, 'raw'>): Promise<JsonNotes>
  table(out: Output): Promise<void> | void
  /** Shown to people as part of a later outcome. */
  noTable?: boolean
  /** Writes Arrow IPC, as a file or else a stream; there where the command says so. */
  arrow?(out: Output, file: boolean): Promise<void>
  /** Bytes to write instead of any document; refused on a terminal. */
  bytes?: readonly Uint8Array[]
  /** Whether something is missing that no document told: then no file is made. Asked behind the last of the document. */
  incomplete?: boolean
  /** Something examined and found wrong, without being an error: exit code 1. Asked behind the last of the document. */
  notRight?: boolean
  /** Set where nothing could be found for this error, which is then printed in place of the document. */
  error?: InspectError
}

/** A command: its options, what it finds, and (in each {@link Outcome}) how that looks. Printing and exit codes are cli.ts's. */
export interface CommandModule<Options> {
  /** Whether `--format arrow` is there. */
  arrow?: boolean
  /** Whether with these options `--output` gets what no format names: bytes, a script. Then its extension says nothing. */
  ownOutput?(options: Options): boolean
  /** Whether all targets are given to one run, which then tries each; else it is run once for each. */
  together?: boolean
  /** Options and arguments beside the common ones. */
  configure(command: CommanderCommand): void
  run(cx: CommandContext, paths: string[], options: Options): AsyncGenerator<Outcome>
}

/** A document's first keys. */
export function documentHead<Kind extends string>(kind: Kind, path: string): DocumentHead<Kind> {
  return { kind, path, schema_version: 1 }
}

/** The error as part of a document. */
export function errorResult(cx: Pick<CommandContext, 'shownPath'>, error: InspectError): ErrorInfo {
  const { file, offset, field } = error.at
  return { code: error.code, message: error.message, file: file && cx.shownPath(file), offset, field }
}

/** What could not be looked at, as part of a document. */
export function notExaminedResult(cx: CommandContext, { code, message, at }: InspectError): NotExamined {
  return { code, message, file: at.file === undefined ? undefined : cx.shownPath(at.file) }
}

/**
 * Does the work for every fragment that a target stands for: itself, all of an array, or all of each array in a group. A fault in
 * one is shown in its place, and the next is tried.
 * @throws InspectError WRONG_TARGET for files that are no fragment metadata
 */
export async function* throughFragments(
  cx: CommandContext,
  path: string,
  command: string,
  work: (fragment: Fragment, path: string) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  yield* throughGroups(cx, path, await cx.open(path), async function* (_, target) {
    if (target.type === 'group') return
    for await (const { fragment, path: at, oneOfSeveral } of eachFragment(
      cx,
      target,
      command,
      'a fragment, an array or a group',
    ))
      yield { ...(await outcomeOrError(fragment.folder, () => work(fragment, at))), oneOfSeveral }
  })
}

/**
 * Every fragment of a target: itself, or all of an array (`oneOfSeveral`).
 * @param wanted what the command expects
 * @throws InspectError WRONG_TARGET for groups and files that are no fragment metadata
 */
export async function* eachFragment(
  cx: CommandContext,
  target: Target,
  command: string,
  wanted: string,
): AsyncGenerator<{ fragment: Fragment; path: string; oneOfSeveral: boolean }> {
  const oneOfSeveral = target.type === 'array'
  if (target.type === 'fragment') yield { fragment: target.fragment, path: target.path, oneOfSeveral }
  else if (target.type === 'array') {
    let none = true
    for await (const fragment of arrayFragments(target.array)) {
      none = false
      yield { fragment, path: fragment.folder.path, oneOfSeveral }
    }
    if (none) cx.note(`${cx.shownPath(target.path)} has no fragments`)
  } else if (target.type === 'file' && target.fragment)
    yield { fragment: target.fragment, path: target.folder.path, oneOfSeveral }
  else throw await wrongTarget(cx, command, target, wanted)
}

/**
 * Does the work for a target; for a group, for each group and each member below it, in the group's order. What cannot be had is
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
  if (members.length === 0) cx.note(`${cx.shownPath(path)} has no members`)
  for (const member of members) {
    const found = await findMember(group, member, around, cx.open)
    if (found.error && found.state !== 'cycle') cx.fault(found.error)
    if (!found.target || found.path === undefined) continue
    try {
      for await (const outcome of throughGroups(cx, found.path, found.target, work, around))
        yield { ...outcome, oneOfSeveral: true }
    } catch (error) {
      if (!(error instanceof InspectError) || error.code === 'USAGE') throw error
      yield { document: documentHead('error', found.path), error, table() {} }
    }
  }
}

/** Nothing is found in a group without members: that is no good news. */
export async function sayIfEmpty(cx: CommandContext, target: Target): Promise<void> {
  if (target.type !== 'group') return
  const members = await target.group.members().catch(() => undefined)
  if (members?.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no members: nothing but its own files is looked at`)
}

async function* arrayFragments(array: InspectArray): AsyncGenerator<Fragment> {
  const opened = async ({ path }: FragmentEntry): Promise<Fragment> => {
    const fragment = array.fragment(path)
    // Far away, footers are read ahead; what is wrong with one is met again by whoever asks for it.
    if (array.folder.isRemote) await fragment.info().catch(() => {})
    return fragment
  }
  for await (const fragment of inOrder(await array.fragments(), atOnce(array.folder), opened)) {
    try {
      yield fragment
    } finally {
      await fragment.close()
    }
  }
}

/** What a group or an array holds is named: one of these is meant. */
export async function wrongTarget(
  cx: CommandContext,
  command: string,
  target: Target,
  wanted: string,
): Promise<InspectError> {
  const message = `${command} expects ${wanted}, found ${withArticle(target.type)}${await narrower(cx, target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * The fragment that a target is.
 * @param otherwise what else there is to do with an array
 * @throws InspectError WRONG_TARGET with what to type in place of it
 */
export async function oneFragment(
  cx: CommandContext,
  command: string,
  target: Target,
  otherwise = '',
): Promise<Fragment> {
  if ((target.type === 'fragment' || target.type === 'file') && target.fragment) return target.fragment
  if (target.type !== 'array') throw await wrongTarget(cx, command, target, 'a fragment')
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${otherwise}; as in: ${command} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
  const message = `${command} expects one fragment, found an array${await narrower(cx, target)}${instead}`
  throw new InspectError('WRONG_TARGET', message, { file: target.path })
}

async function narrower(cx: CommandContext, target: Target): Promise<string> {
  if (target.type === 'array') {
    const paths = (await target.array.fragments()).map(({ path }) => path)
    return paths.length === 0 ? ' that has no fragments' : `; its fragments: ${firstOf(paths)}`
  }
  if (target.type !== 'group') return ''
  const { group } = target
  // a member's name is no path
  const { memberPath } = await import('../store/group.ts')
  const members = (await group.members()).map((member) =>
    cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
  )
  return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
}

/** Runs `work` on a fragment; an InspectError becomes what is shown of it, so that the next one is looked at. */
export async function outcomeOrError(folder: Folder, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withPlaceAsync({ file: folder.path }, work)
  } catch (error) {
    return { document: documentHead('error', folder.path), error: asInspectError(error), table() {} }
  }
}

/** Tries each target of a command that is given them together. Wrong options are wrong for every one. */
export async function* eachTarget(
  paths: readonly string[],
  work: (path: string) => AsyncGenerator<Outcome>,
): AsyncGenerator<Outcome> {
  for (const path of paths) {
    try {
      yield* work(path)
    } catch (error) {
      if (!(error instanceof InspectError) || error.code === 'USAGE') throw error
      yield { document: documentHead('error', path), error, table() {} }
    }
  }
}

/** For options that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}
