import { parseLines } from '../format/commit-files.ts'
import { readAll, withSource } from '../source/source.ts'
import type { InspectArray } from '../store/array.ts'
import type { CommitEntry } from '../store/commits.ts'

/** A line of a list file, and the bytes that it takes with its newline and, in a `.con` file, its condition. */
interface ListLine {
  text: string
  offset: number
  length: number
}

/** The lines of a `.con`, `.ign` or `.vac` file, of a damaged one those before the damage. @param path relative to the array */
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

/** What is left of a list without some of its lines: neighbours together. @param dropped offsets of lines */
export function partsWithout(
  lines: readonly ListLine[],
  dropped: ReadonlySet<number>,
): [offset: number, length: number][] {
  const parts: [number, number][] = []
  for (const { offset, length } of lines) {
    if (dropped.has(offset)) continue
    const last = parts.at(-1)
    if (last && last[0] + last[1] === offset) last[1] += length
    else parts.push([offset, length])
  }
  return parts
}
