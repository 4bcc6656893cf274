import type { Command as CommanderCommand } from 'commander'
import type { InspectArray } from '../array.ts'
import { firstOf, InspectError, withPlaceAsync } from '../errors.ts'
import type { ValueStyle } from '../format/value.ts'
import type { Fragment } from '../fragment.ts'
import type { ReadContext } from '../generic-tile.ts'
import type { JsonNotes, JsonStyle } from '../render/json.ts'
import type { Document, Output, Result } from '../render/result.ts'
import type { RemoteOptions } from '../source/remote/remote.ts'
import type { Folder, Storage } from '../source/source.ts'
import { type Target, withArticle } from '../target.ts'

/** What every command is given beside its own options. */
export interface CommandContext {
  storage: Storage
  /** How URLs among the targets are read; for other threads. */
  remote: RemoteOptions | undefined
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
}

/** What a command found about one target. Renderers show `document`; `table` shows the same object to people. */
export interface Outcome {
  document: Document
  /** Key of the list that NDJSON and CSV print one element a line; the whole document is one line without it. */
  rows?: string
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
  cellLines?(out: Output, format: 'ndjson' | 'csv', int64: JsonStyle['int64']): Promise<JsonNotes>
  table(out: Output): Promise<void> | void
  /** Shown to people as part of a later outcome. */
  noTable?: boolean
  /** Writes Arrow IPC, as a file or else a stream; there where the command says so. */
  arrow?(out: Output, file: boolean): Promise<void>
  /** Bytes to write instead of any document; refused on a terminal. */
  bytes?: readonly Uint8Array[]
  /** Something examined and found wrong, without being an error: exit code 1. Asked behind the last of the document. */
  notRight?: boolean
  /** Set where nothing could be found for this error, which is then printed in place of the document. */
  error?: InspectError
}

/** A command: its options, what it finds, and (in each {@link Outcome}) how that looks. Printing and exit codes are cli.ts's. */
export interface CommandModule<Options> {
  /** Whether `--format arrow` is there. */
  arrow?: boolean
  /** Whether all targets are given to one run, which then tries each; else it is run once for each. */
  together?: boolean
  /** Options and arguments beside the common ones. */
  configure(command: CommanderCommand): void
  run(cx: CommandContext, paths: string[], options: Options): AsyncGenerator<Outcome>
}

/** A document's first keys. */
export function documentHead(kind: string, path: string): Pick<Document, 'kind' | 'path' | 'schema_version'> {
  return { kind, path, schema_version: 1 }
}

/** The error as part of a document. */
export function errorResult(
  cx: Pick<CommandContext, 'shownPath'>,
  error: InspectError,
): { [key: string]: Result | undefined } {
  const { file, offset, field } = error.at
  return { code: error.code, message: error.message, file: file && cx.shownPath(file), offset, field }
}

/**
 * Every fragment that a target stands for: itself, or all of an array (`oneOfSeveral`). A fault in one is recorded and the next is tried.
 * @throws InspectError WRONG_TARGET for groups and files that are no fragment metadata
 */
export async function* eachFragment(
  cx: CommandContext,
  path: string,
  command: string,
): AsyncGenerator<{ fragment: Fragment; path: string; oneOfSeveral: boolean }> {
  const target = await cx.open(path)
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
  else throw await wrongTarget(command, target, 'a fragment or an array')
}

async function* arrayFragments(array: InspectArray): AsyncGenerator<Fragment> {
  for (const entry of await array.fragments()) {
    const fragment = array.fragment(entry.path)
    try {
      yield fragment
    } finally {
      await fragment.close()
    }
  }
}

/** What a group or an array holds is named: one of these is meant. */
export async function wrongTarget(command: string, target: Target, wanted: string): Promise<InspectError> {
  const message = `${command} expects ${wanted}, found ${withArticle(target.type)}${await narrower(target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/** {@link wrongTarget} where one fragment is wanted. @param otherwise what else there is to do */
export async function notOneFragment(command: string, target: Target, otherwise = ''): Promise<InspectError> {
  if (target.type !== 'array') return wrongTarget(command, target, 'a fragment')
  const message = `${command} expects one fragment, found an array${await narrower(target)}${otherwise}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

async function narrower(target: Target): Promise<string> {
  if (target.type === 'array') {
    return `; its fragments: ${firstOf((await target.array.fragments()).map(({ path }) => path)) || 'none'}`
  }
  if (target.type !== 'group') return ''
  return `; its members: ${firstOf((await target.group.members()).map(({ name, uri }) => name ?? uri)) || 'none'}`
}

/** Runs `work` on a fragment; an InspectError becomes what is shown of it, so that the next one is looked at. */
export async function outcomeOrError(folder: Folder, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withPlaceAsync({ file: folder.path }, work)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { document: documentHead('error', folder.path), error, table() {} }
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
