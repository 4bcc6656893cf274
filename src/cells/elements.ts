import { Slab } from '../base/slab.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'

/** Elements that are numbers: of every type except 8-byte integers. */
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

/** The bytes at an address that typed arrays accept: a copy if they are not aligned. */
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

/** Elements as numbers, for types of up to 4 bytes and for floats. Text and bytes count as unsigned bytes. */
export function numbersOf(type: Datatype, bytes: Uint8Array): Numbers {
  const size = datatypeSize(type)
  const from = aligned(bytes, size)
  const NumberArray = ARRAYS[type] ?? (size === 4 ? Uint32Array : size === 2 ? Uint16Array : Uint8Array)
  return new NumberArray(from.buffer, from.byteOffset, Math.floor(from.length / size))
}

const ARRAYS: { readonly [type in Datatype]?: new (...args: [ArrayBufferLike, number, number]) => Numbers } = {
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  FLOAT32: Float32Array,
  FLOAT64: Float64Array,
}

/** One element, at an address that typed arrays accept, and views of it. A view of its own for each element takes longer. */
const one = new Uint8Array(new ArrayBuffer(8))
const viewsOfOne = new Map<Datatype, Numbers>()

/** The first of {@link numbersOf}. */
export function numberOf(type: Datatype, bytes: Uint8Array): number {
  let view = viewsOfOne.get(type)
  if (!view) {
    view = numbersOf(type, one)
    viewsOfOne.set(type, view)
  }
  for (let i = 0; i < view.BYTES_PER_ELEMENT; i++) one[i] = bytes[i]
  return view[0]
}

/** 8-byte integers as pairs of lanes, the low lane first. */
export function lanesOf(bytes: Uint8Array): Uint32Array {
  const from = aligned(bytes, 4)
  return new Uint32Array(from.buffer, from.byteOffset, from.length >>> 2)
}

/** Which cells of a tile count, and in what order they are visited. */
export interface Cells {
  length: number
  /** Positions of the cells; undefined means 0, 1, 2… */
  at: Uint32Array | undefined
}

/** The starts of values, with the end of the last one added. */
export function withEnd(starts: Float64Array, end: number): Float64Array {
  const out = new Float64Array(starts.length + 1)
  out.set(starts)
  out[starts.length] = end
  return out
}
