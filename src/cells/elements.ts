import { Slab } from '../base/slab.ts'
import { sum } from '../base/sum.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'

/** Elements of every type except 8-byte integers. */
export type Numbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array

const slab = new Slab()

/** The bytes at an address that typed arrays accept. Unaligned bytes are copied. @param size bytes of an element */
export function aligned(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.byteOffset % size === 0) return bytes
  const copy = slab.take(bytes.length)
  copy.set(bytes)
  return copy
}

/** Whether elements are 8-byte integers, which a number cannot always hold exactly. */
export function isWide(type: Datatype): boolean {
  return datatypeSize(type) === 8 && datatypeKind(type) !== 'float'
}

/** Elements of types that are not {@link isWide}. Text and bytes count as unsigned bytes. */
export function numbersOf(type: Datatype, bytes: Uint8Array): Numbers {
  const size = datatypeSize(type)
  const from = aligned(bytes, size)
  const NumberArray = ARRAYS[type] ?? unsignedArray(size)
  return new NumberArray(from.buffer, from.byteOffset, Math.floor(from.length / size))
}

/** Where the elements of an array are: its buffer, the offset in bytes, and their number. */
type Place = [buffer: ArrayBufferLike, offset: number, length: number]

/** The array of unsigned elements of 1, 2 or 4 bytes. */
export function unsignedArray(size: number): new (...of: Place) => Uint8Array | Uint16Array | Uint32Array {
  if (size === 4) return Uint32Array
  return size === 2 ? Uint16Array : Uint8Array
}

const ARRAYS: { readonly [type in Datatype]?: new (...of: Place) => Numbers } = {
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  FLOAT32: Float32Array,
  FLOAT64: Float64Array,
}

/** Memory for one element, and views of it. Making a view for each element takes longer. */
const one = new Uint8Array(new ArrayBuffer(8))
const viewsOfOne = new Map<Datatype, Numbers>()

/** The first element of {@link numbersOf}. */
export function numberOf(type: Datatype, bytes: Uint8Array): number {
  let view = viewsOfOne.get(type)
  if (!view) {
    view = numbersOf(type, one)
    viewsOfOne.set(type, view)
  }
  for (let i = 0; i < view.BYTES_PER_ELEMENT; i++) one[i] = bytes[i] ?? 0
  return view[0] ?? Number.NaN
}

/** 8-byte integers. */
export function wideNumbersOf(type: Datatype, bytes: Uint8Array): BigInt64Array | BigUint64Array {
  const { buffer, byteOffset, length } = aligned(bytes, 8)
  return isSignedInteger(type)
    ? new BigInt64Array(buffer, byteOffset, length >>> 3)
    : new BigUint64Array(buffer, byteOffset, length >>> 3)
}

/** Integers in which cells are copied. A copy of floats could change bits that look like a NaN. */
export type Units = Uint8Array | Uint16Array | Uint32Array

/** The largest unit, in bytes, that divides all sizes and offsets. */
export function unitOf(...numbers: readonly number[]): 1 | 2 | 4 {
  if (numbers.every((number) => number % 4 === 0)) return 4
  return numbers.every((number) => number % 2 === 0) ? 2 : 1
}

/** Aligned bytes as units. */
export function unitsOf(bytes: Uint8Array, unit: 1 | 2 | 4): Units {
  if (unit === 1) return bytes
  const UnitArray = unit === 4 ? Uint32Array : Uint16Array
  return new UnitArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, Math.floor(bytes.length / unit))
}

/** The 4-byte lanes of the elements. An 8-byte element has two, the low lane first. */
export function uint32LanesOf(bytes: Uint8Array): Uint32Array {
  const from = aligned(bytes, 4)
  return new Uint32Array(from.buffer, from.byteOffset, from.length >>> 2)
}

/** The cells of a tile that count, in the order in which they are visited. */
export interface VisitedCells {
  length: number
  /** Positions of the cells; undefined for 0, 1, 2… */
  at: Uint32Array | undefined
}

/** Most cells of a piece: their positions take 4 MiB. */
export const PIECE_CELLS = 1 << 20

/** Most cells whose positions are kept: they take 64 MiB. */
const KEPT_CELLS = 1 << 24

/** Returns pieces that are visited several times. Unless there are many cells, they are made once. @param cells most cells of all pieces */
export function revisited(make: () => Iterable<VisitedCells>, cells: number): () => Iterable<VisitedCells> {
  if (cells > KEPT_CELLS) return make
  const made = [...make()]
  return () => made
}

/** All cells of a tile. @param cells their number */
export function allCells(cells: number): VisitedCells[] {
  return [{ length: cells, at: undefined }]
}

export function cellNumOf(pieces: Iterable<VisitedCells>): number {
  return sum(pieces, ({ length }) => length)
}

/**
 * Those of some cells for which a byte is not 0, in pieces: the positions of all cells of a tile may need four times the memory of the cells.
 * @param pieces of cells, with their positions unless it is one piece
 */
export function* markedPieces(pieces: Iterable<VisitedCells>, marks: Uint8Array): Generator<VisitedCells> {
  for (const piece of pieces) {
    const { length, at } = piece
    if (at || length <= PIECE_CELLS) yield markedCells(piece, marks)
    else if (marks.indexOf(0) < 0) yield piece
    else
      for (let from = 0; from < length; from += PIECE_CELLS)
        yield markedRange(from, Math.min(length, from + PIECE_CELLS), marks)
  }
}

/** The cells of a range, end excluded, whose mark is not 0. */
function markedRange(from: number, to: number, marks: Uint8Array): VisitedCells {
  const at = new Uint32Array(to - from)
  let length = 0
  for (let cell = from; cell < to; cell++) if (marks[cell] !== 0) at[length++] = cell
  return { length, at: at.subarray(0, length) }
}

/** Those of some cells for which a byte is not 0, such as cells that are not null. */
function markedCells(cells: VisitedCells, marks: Uint8Array): VisitedCells {
  const { length: total, at } = cells
  const found = new Uint32Array(total)
  let length = 0
  for (let i = 0; i < total; i++) {
    const cell = at?.[i] ?? i
    if (marks[cell] !== 0) found[length++] = cell
  }
  return length === total ? cells : { length, at: found.subarray(0, length) }
}

/** The starts of values, and the end of the last one. */
export function withEnd(starts: Float64Array, end: number): Float64Array {
  const out = new Float64Array(starts.length + 1)
  out.set(starts)
  out[starts.length] = end
  return out
}
