import { commandLineText, exitCodeOf, type InspectError } from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import type { Prose } from '../base/prose.ts'
import type { CellValue, ValueStyle } from '../format/value.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { ByteSource } from '../storage/source.ts'

/** Settings for reading bytes and for showing values. */
export interface PartSettings {
  reading: ReadContext
  style: ValueStyle
}

/** The bytes that offsets count in: those of a file, or what a filter makes of them, which no file has. */
export interface Space extends PartSettings {
  /** The file that the bytes are in, or come from. */
  readonly file: string
  /** Upper limit on the elements of lists in this space: see {@link import('../format/io.ts').Origin}. */
  mostElements?: number | undefined
  /** The content in words; undefined for the file itself. */
  readonly name: string | undefined
  /** Bytes. */
  readonly length: number
  read(offset: number, length: number): Promise<Uint8Array>
}

/** A range of cells in a tile; `to` is inclusive. */
export interface CellRange {
  tile: number
  from: number
  to: number
}

/** The result of comparing a value with the files or bytes that it describes. */
export interface Note {
  verdict?: 'valid' | 'invalid' | undefined
  meaning?: Prose | undefined
}

/** A list of values of one type, without an object per value. */
export interface Elements {
  count: number
  /** Returns the offset of an element in the part's space; for `count` the end of the last element. */
  start(index: number): number
  value(index: number): CellValue
  /** Set if the elements are cells of a data tile: the tile, and the number of the cell that is element 0. */
  cells?: { tile: number; first: number } | undefined
  /** Names of the elements, if they have any. */
  names?: readonly string[] | undefined
  /** Notes on single elements. */
  note?: ((index: number) => Note | undefined) | undefined
}

/**
 * A named range of bytes in a {@link Space}, and what it means. Children in the same space lie side by side and cover the part.
 * Children with a space of their own may follow them. Children are made when they are asked for: before that no tile is read,
 * and no long list expanded.
 */
export interface Part {
  name: string
  /** `uint32`, `text`, `struct`, `list`, `INT32`, `gap`… */
  type: string
  space: Space
  offset: number
  /** Bytes. */
  length: number
  /** What a user calls the part, if its name is a number. */
  label?: string | undefined
  /** Other names of the part in a path. One may have several steps. */
  keys?: readonly (readonly string[])[] | undefined
  /** Whether paths may leave out the name of this part. */
  transparent?: boolean | undefined
  value?: CellValue | undefined
  /** The stored number, if `value` is the meaning of it. */
  stored?: number | undefined
  unit?: string | undefined
  /** What the field is, from the description of its structure. */
  description?: string | undefined
  /** What these particular bytes mean. */
  meaning?: Prose | undefined
  /** Result of comparing a checksum, count or size with what it describes. */
  verdict?: 'valid' | 'invalid' | undefined
  /** Why the bytes could not be read further. */
  fault?: InspectError | undefined
  children?: (() => Promise<Children>) | undefined
  elements?: Elements | undefined
  /** The range of the tile's unfiltered bytes that these stored bytes become; `to` is exclusive. */
  becomes?: { from: number; to: number } | undefined
  /** Unfiltered size in bytes that a tile claims. */
  claimedSize?: number | undefined
  /** Cells that depend on these bytes. */
  cells?: CellRange | undefined
}

/** The children of a part. Those in its space come first, by rising offset. */
export interface Children {
  count: number
  at(index: number): Part | Promise<Part>
  /** Returns the index of the child in the parent's space that holds a byte; -1 if there is none. */
  find(offset: number): number
}

/** Makes the space of a file. */
export async function fileSpace(source: ByteSource, { reading, style }: PartSettings): Promise<Space> {
  const length = await source.size()
  const read: Space['read'] = (offset, count) => source.read(offset, count)
  return { file: source.name, name: undefined, length, reading, style, read, mostElements: undefined }
}

/** Makes the space of bytes in memory that were made from those of another space. */
export function memorySpace(from: Space, name: string, bytes: Uint8Array, mostElements?: number): Space {
  const { file, reading, style } = from
  const read: Space['read'] = async (offset, count) => bytes.subarray(offset, offset + count)
  return { file, name, length: bytes.length, reading, style, read, mostElements }
}

/** Children from a list. @param last makes one more child, with a space of its own, when it is asked for */
export function childList(parts: readonly Part[], last?: () => Part | Promise<Part>): Children {
  const holds = ({ space, offset, length }: Part, at: number): boolean =>
    space === parts[0].space && at >= offset && at < offset + length
  return {
    count: parts.length + (last ? 1 : 0),
    at: (index) => (last && index === parts.length ? last() : parts[index]),
    find: (offset) => parts.findIndex((part) => holds(part, offset)),
  }
}

/** The children, and one more after them. */
export function appended({ count, at, find }: Children, last: Part): Children {
  return {
    count: count + 1,
    at: (index) => (index < count ? at(index) : last),
    find(offset) {
      const found = find(offset)
      return found < 0 && offset >= last.offset && offset < last.offset + last.length ? count : found
    },
  }
}

/** Children that are made one by one. @param start returns the offset of a child; for `count` the end of the last */
export function lazyChildren(
  count: number,
  start: (index: number) => number,
  at: (index: number) => Part | Promise<Part>,
): Children {
  return {
    count,
    at,
    find: (offset) => (count === 0 || offset >= start(count) ? -1 : lastNotAfter(count, start, offset)),
  }
}

/** Makes the part of bytes between other parts. */
export function gap(space: Space, offset: number, length: number, meaning: string, fault?: InspectError): Part {
  return { name: 'gap', type: 'gap', space, offset, length, meaning, fault }
}

/** Makes the part of a uint64 that is known to be right. */
export function numberPart(space: Space, offset: number, name: string, value: number, unit: string): Part {
  return { name, type: 'uint64', space, offset, length: 8, value, unit, verdict: 'valid' }
}

/** Makes the part of bytes that cannot be read. */
export function unreadable(space: Space, offset: number, length: number, fault: InspectError): Part {
  return {
    name: 'unreadable',
    type: 'gap',
    space,
    offset,
    length,
    meaning: commandLineText(fault),
    verdict: exitCodeOf(fault) === 1 ? 'invalid' : undefined,
    fault,
  }
}

/** The parts, with a gap wherever no part covers bytes between `from` and `to`. */
export function withGaps(space: Space, parts: readonly Part[], from: number, to: number, meaning: string): Part[] {
  const out: Part[] = []
  let at = from
  for (const part of parts) {
    if (part.offset > at) out.push(gap(space, at, part.offset - at, meaning))
    out.push(part)
    at = Math.max(at, part.offset + part.length)
  }
  if (to > at) out.push(gap(space, at, to - at, meaning))
  return out
}

/** A part and every part below it, parents first, long lists included. */
export async function* everyPart(part: Part): AsyncGenerator<Part> {
  yield part
  const children = await part.children?.()
  if (!children) return
  for (let i = 0; i < children.count; i++) yield* everyPart(await children.at(i))
}
