import { parseLines } from '../format/commit-files.ts'
import type { InspectArray } from '../objects/array.ts'
import type { CommitEntry } from '../objects/commits.ts'
import { readAll, withSource } from '../storage/source.ts'

/** A line of a list file. Its length includes the newline and, in a `.con` file, the condition that follows. */
interface ListLine {
  text: string
  offset: number
  length: number
}

/** The lines of a `.con`, `.ign` or `.vac` file. A damaged file has the lines before the damage. @param path path in the array */
export async function listLines(array: InspectArray, path: string): Promise<ListLine[]> {
  const file = (await array.commits()).files.find((one) => one.path === path)
  if (file?.kind === 'consolidated-commits') return file.entries.map(lineOf)
  const bytes = await withSource(array.folder.file(path), readAll)
  return parseLines(bytes).map(({ text, offset }) => lineOf({ text, offset, tile: undefined }))
}

function lineOf({ text, offset, tile }: Pick<CommitEntry, 'text' | 'offset' | 'tile'>): ListLine {
  const end = tile ? tile.offset + tile.length : offset + new TextEncoder().encode(text).length + 1
  return { text, offset, length: end - offset }
}

/** A part of a file that is written again: a range of the old one, or a line of text. */
export type WrittenPart = [offset: number, length: number] | string

/**
 * The parts of a list that is written again without some lines. Adjacent lines are one part.
 * @param changed by the offset of a line: what is in its place; undefined if it is dropped
 */
export function partsOfList(
  lines: readonly ListLine[],
  changed: ReadonlyMap<number, string | undefined>,
): WrittenPart[] {
  const parts: WrittenPart[] = []
  for (const { offset, length } of lines) {
    const text = changed.get(offset)
    const last = parts.at(-1)
    if (text !== undefined) parts.push(text)
    else if (changed.has(offset)) continue
    else if (Array.isArray(last) && last[0] + last[1] === offset) last[1] += length
    else parts.push([offset, length])
  }
  return parts
}
