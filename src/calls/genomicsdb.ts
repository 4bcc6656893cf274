import { firstOf, InspectError } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { NextCommand } from '../documents/overview.ts'
import { fragmentFolder, fragmentFolders, type GenomicsdbArray, openGenomicsdbArray } from '../genomicsdb/array.ts'
import { type GenomicsdbFragment, openGenomicsdbFragment } from '../genomicsdb/fragment.ts'
import type { GenomicsdbKind, GenomicsdbTarget } from '../genomicsdb/target.ts'
import { word } from '../mend/shell.ts'
import type { CommandContext } from './command.ts'
import type { Outcome } from './outcome.ts'
import { outcomeOrError } from './walkers.ts'

/** What a command does with a target of GenomicsDB. */
export interface GenomicsdbHandler<Options> {
  /** @param args the arguments after the target */
  run(cx: CommandContext, target: GenomicsdbTarget, args: readonly string[], options: Options): AsyncGenerator<Outcome>
}

/** What messages and help call each kind of target. */
const WORDS: Readonly<Record<GenomicsdbKind, string>> = {
  workspace: 'a workspace of GenomicsDB',
  array: 'an array of GenomicsDB',
  fragment: 'a fragment of GenomicsDB',
  file: 'a file of GenomicsDB',
}

export function genomicsdbWords(kind: GenomicsdbKind): string {
  return WORDS[kind]
}

/** The error for a target of GenomicsDB that a command, or one of its options, does not take. */
export function notForGenomicsdb(call: string, { kind, path }: GenomicsdbTarget): InspectError {
  return new InspectError('WRONG_TARGET', `${call} does not take ${WORDS[kind]}`, { file: path })
}

/** The array of a target. @throws InspectError WRONG_TARGET if it lies in none */
export async function arrayOf(cx: CommandContext, call: string, target: GenomicsdbTarget): Promise<GenomicsdbArray> {
  const array = 'array' in target ? target.array : undefined
  if (!array) throw notForGenomicsdb(call, target)
  return openGenomicsdbArray(array, cx.reading)
}

/**
 * Runs `work` on the fragment of a target, or on each marked fragment of an array. Faults become outcomes, as in
 * `throughFragments` (walkers.ts).
 */
export async function* throughGenomicsdbFragments(
  cx: CommandContext,
  call: string,
  target: GenomicsdbTarget,
  work: (fragment: GenomicsdbFragment) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  const array = await arrayOf(cx, call, target)
  const one = 'fragment' in target ? target.fragment : undefined
  if (!one && target.kind === 'file') throw notForGenomicsdb(call, target)
  const folders = one ? [await fragmentFolder(one)] : await fragmentFolders(array)
  const shown = folders.filter(({ isMarked }) => isMarked || one)
  for (const folder of shown) {
    const open = async (): Promise<Outcome> => work(await openGenomicsdbFragment(array, folder))
    yield { ...(await outcomeOrError(folder.folder, open)), ...(!one && { oneOfSeveral: true }) }
  }
  if (shown.length === 0) cx.note(`${cx.shownPath(target.path)} has no fragments`, 'target')
  for (const { folder, isMarked } of folders)
    if (!isMarked && !one) cx.note(`${cx.shownPath(folder.path)} is left out: it has no mark`, 'target')
}

/** The fragment of a target, or of an array that has a single one. @throws InspectError WRONG_TARGET */
export async function singleGenomicsdbFragment(
  cx: CommandContext,
  call: string,
  target: GenomicsdbTarget,
): Promise<GenomicsdbFragment> {
  const array = await arrayOf(cx, call, target)
  const folder = 'fragment' in target ? target.fragment : undefined
  if (folder) {
    const found = await fragmentFolder(folder)
    if (!found.isMarked) cx.note(`${cx.shownPath(folder.path)} has no mark: GenomicsDB does not read it`, 'target')
    return openGenomicsdbFragment(array, found)
  }
  if (target.kind === 'file') throw notForGenomicsdb(call, target)
  const all = (await fragmentFolders(array)).filter(({ isMarked }) => isMarked)
  const [only, ...more] = all
  if (only && more.length === 0) return openGenomicsdbFragment(array, only)
  const contents = only ? `; its fragments: ${firstOf(all.map(({ name }) => name))}` : ' that has no fragments'
  throw new InspectError('WRONG_TARGET', `${call} expects one fragment, found ${WORDS.array}${contents}`, {
    file: target.path,
  })
}

/** A call of a command that shows more: what it shows, in words, the command, and its options. */
export type GenomicsdbCall = readonly [shows: Prose, command: string, options?: string]

/** Commands to continue with, as they can be typed in a shell. @param path the path of their target in the storage */
export function genomicsdbNext(
  { shownPath }: CommandContext,
  path: string,
  calls: readonly GenomicsdbCall[],
): NextCommand[] {
  const target = word(shownPath(path))
  return calls.map(([shows, command, options = '']) => ({
    shows,
    command: `tiledb-inspect ${command} ${target} ${options}`.trimEnd(),
  }))
}
