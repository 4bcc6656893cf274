import { lastPathPart } from '../base/paths.ts'
import { nameFacts, parseFragmentName } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from './array.ts'
import { type CommitEntry, type CommitFile, linePath, stem } from './commits.ts'
import { isNearly } from './cut-commit-lists.ts'

/** A line of a list of commits that names no fragment, but nearly one that is there. */
export interface ChangedLine {
  list: CommitFile
  entry: CommitEntry
  fragment: FragmentEntry
  /** The line with the name of the fragment. */
  text: string
  /** Which of the two names was changed. Undefined if nothing tells. */
  changed: 'line' | 'folder' | undefined
}

/** The lines of `.con` files that name no fragment, but nearly one that is there. */
export async function changedLines(array: InspectArray, entries: readonly FragmentEntry[]): Promise<ChangedLine[]> {
  const { files, ignored } = await array.commits()
  const there = new Set(entries.map(({ path }) => path))
  const isAstray = ({ text }: CommitEntry): boolean => {
    const path = linePath(text)
    return path?.includes('/') === true && !there.has(path) && !ignored.has(path)
  }
  const lines = files.flatMap((list) =>
    list.kind === 'consolidated-commits' ? list.entries.filter(isAstray).map((entry) => ({ list, entry })) : [],
  )
  if (lines.length === 0) return []
  const byPart = new Map<string, FragmentEntry[]>()
  for (const fragment of entries)
    for (const part of partsOf(fragment.name)) byPart.set(part, [...(byPart.get(part) ?? []), fragment])
  const found: ChangedLine[] = []
  for (const { list, entry } of lines) {
    const name = stem(entry.name)
    const alike = partsOf(name).flatMap((part) => byPart.get(part) ?? [])
    const fragment = alike.find((one) => one.path.includes('/') && isNearly(one.name, name))
    if (!fragment) continue
    const text = entry.text.slice(0, -entry.name.length) + fragment.name + entry.name.slice(name.length)
    found.push({ list, entry, fragment, text, changed: await whichChanged(array, list, entry, fragment) })
  }
  return found
}

/** Three parts of a name. If at most two characters of it were changed, one part is as it was. */
function partsOf(name: string): string[] {
  return [name.slice(0, -35), name.slice(-35, -19), name.slice(-19)].map((part, i) => `${i}${part}`)
}

/** Whether the line or the name of the folder was changed: the other name is in a second place, or its times make sense. */
async function whichChanged(
  array: InspectArray,
  list: CommitFile,
  entry: CommitEntry,
  fragment: FragmentEntry,
): Promise<ChangedLine['changed']> {
  if (fragment.committed) return 'line'
  const { files } = await array.commits()
  const isNamed = async (name: string): Promise<boolean> =>
    (await array.keptFooter(name)) !== undefined ||
    files.some(({ path }) => stem(lastPathPart(path)) === name) ||
    files.some(({ entries }) => entries.some((one) => one !== entry && stem(one.name) === name))
  const isSound = (name: string): boolean => {
    const [first, last] = nameFacts(name)?.timestamp_range ?? [1n, 0n]
    return parseFragmentName(name) !== undefined && first <= last && last <= array.cx.now
  }
  // TileDB gives a list the first time of its first line, and the last time of its last line.
  const isOfList = (name: string): boolean => {
    const [own, times] = [name, lastPathPart(list.path)].map((one) => nameFacts(one)?.timestamp_range)
    const isFirst = entry === list.entries[0]
    const isLast = entry === list.entries.at(-1)
    return (!isFirst || own?.[0] === times?.[0]) && (!isLast || own?.[1] === times?.[1])
  }
  for (const tells of [isNamed, isSound, isOfList]) {
    const isFolderRight = await tells(fragment.name)
    if (isFolderRight !== (await tells(stem(entry.name)))) return isFolderRight ? 'line' : 'folder'
  }
  return undefined
}
