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

/** The byte ranges of a list that remain when some lines are dropped. Adjacent lines are one range. @param dropped offsets of the lines */
export function rangesWithout(
  lines: readonly ListLine[],
  dropped: ReadonlySet<number>,
): [offset: number, length: number][] {
  const ranges: [number, number][] = []
  for (const { offset, length } of lines) {
    if (dropped.has(offset)) continue
    const last = ranges.at(-1)
    if (last && last[0] + last[1] === offset) last[1] += length
    else ranges.push([offset, length])
  }
  return ranges
}
