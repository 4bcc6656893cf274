import type { DataType, Field } from '@uwdata/flechette'
import { Type } from '@uwdata/flechette/src/constants.js'
import { uint32LanesOf } from '../cells/elements.ts'
import type { ArrowBody } from './arrow-stream.ts'
import { isList } from './parquet-schema.ts'

/** A column of a record batch, or what is inside of its lists or structs. */
export interface ArrowArray {
  type: DataType
  nullable: boolean
  length: number
  /** A bit for each value, 0 for null; undefined if none is null. */
  validity: Uint8Array | undefined
  /** The other buffers of the type. */
  buffers: readonly Uint8Array[]
  children: readonly ArrowArray[]
}

/** The columns of a record batch. */
export function arraysOf(fields: readonly Field[], body: ArrowBody): ArrowArray[] {
  const [nodes, buffers] = [body.nodes.values(), body.buffers.values()]
  const next = <T>(of: Iterator<T>): T => {
    const { done, value } = of.next()
    if (done) throw new TypeError('a record batch lacks a node or a buffer')
    return value
  }
  const arrayOf = ({ type, nullable }: Field): ArrowArray => {
    const { length, nullCount } = next(nodes)
    const bits = next(buffers)
    const own = Array.from({ length: bufferNum(type) }, () => next(buffers))
    const inside = isList(type) || type.typeId === Type.Struct ? type.children : []
    const validity = nullCount > 0 ? bits : undefined
    return { type, nullable, length, validity, buffers: own, children: inside.map(arrayOf) }
  }
  return fields.map(arrayOf)
}

/** The number of buffers that a type has besides the validity. */
function bufferNum({ typeId }: DataType): number {
  if (typeId === Type.Struct || typeId === Type.FixedSizeList) return 0
  return typeId === Type.Utf8 || typeId === Type.Binary ? 2 : 1
}

/**
 * The entries of a Parquet column: one for each value, each null and each empty list. Levels say where lists begin, and what is null.
 * @see https://github.com/apache/parquet-format#nested-encoding
 */
export interface Entries {
  count: number
  /** The slot of each entry in the array, or, where no value is, `-1 - definition level`; undefined for 0, 1, 2… */
  slots: Int32Array | undefined
  /** Repetition level of each entry; undefined if no list is around them. */
  repetition: Uint8Array | undefined
  /** Definition level of the entries that have a value. */
  definition: number
  /** Number of lists around them. */
  depth: number
}

/** The values of a column, and what stands in the dictionary of an array of indexes. */
export interface LeafValues {
  entries: Entries
  array: ArrowArray
  /** The values that the array's indexes mean, if it has indexes. */
  dictionary: ArrowArray | undefined
}

/** @param dictionaries the values of dictionaries by their numbers */
export function leavesOf(array: ArrowArray, dictionaries: ReadonlyMap<number, ArrowArray>): LeafValues[] {
  const rows: Entries = { count: array.length, slots: undefined, repetition: undefined, definition: 0, depth: 0 }
  const leaves: LeafValues[] = []
  descend(array, rows, dictionaries, leaves)
  return leaves
}

function descend(
  array: ArrowArray,
  around: Entries,
  dictionaries: ReadonlyMap<number, ArrowArray>,
  leaves: LeafValues[],
): void {
  const { type, children } = array
  const entries = array.nullable ? intoNullable(around, array.validity) : around
  if (isList(type)) {
    const ends = type.typeId === Type.FixedSizeList ? multiples(array.length, type.stride) : intsOf(array.buffers[0])
    for (const child of children) descend(child, intoLists(entries, ends), dictionaries, leaves)
  } else if (type.typeId === Type.Struct) {
    for (const child of children) descend(child, entries, dictionaries, leaves)
  } else {
    const dictionary = type.typeId === Type.Dictionary ? dictionaries.get(type.id) : undefined
    if (dictionary && isList(dictionary.type)) {
      descend(dictionary, mappedEntries(entries, indexReader(array)), dictionaries, leaves)
    } else leaves.push({ entries, array, dictionary })
  }
}

/** The entries inside something that may be null. */
function intoNullable(entries: Entries, validity: Uint8Array | undefined): Entries {
  const { count, definition } = entries
  const inside = { ...entries, definition: definition + 1 }
  if (!validity) return inside
  const slots = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const slot = entries.slots ? entries.slots[i] : i
    const isNull = slot >= 0 && ((validity[slot >> 3] >> (slot & 7)) & 1) === 0
    slots[i] = isNull ? -1 - definition : slot
  }
  return { ...inside, slots }
}

/** The entries of the values in lists. @param ends where each list begins, and the end of the last one */
function intoLists({ count, slots, repetition, definition, depth }: Entries, ends: Int32Array): Entries {
  const lengthOf = (slot: number): number => (slot < 0 ? 0 : ends[slot + 1] - ends[slot])
  let total = 0
  for (let i = 0; i < count; i++) total += Math.max(1, lengthOf(slots ? slots[i] : i))
  const inside = new Int32Array(total)
  const levels = new Uint8Array(total)
  let at = 0
  for (let i = 0; i < count; i++) {
    const slot = slots ? slots[i] : i
    const length = lengthOf(slot)
    levels[at] = repetition ? repetition[i] : 0
    if (length === 0) inside[at++] = slot < 0 ? slot : -1 - definition
    for (let value = 0; value < length; value++) {
      if (value > 0) levels[at] = depth + 1
      inside[at++] = ends[slot] + value
    }
  }
  return { count: total, slots: inside, repetition: levels, definition: definition + 1, depth: depth + 1 }
}

/** The entries, with what their slots stand for. */
export function mappedEntries(entries: Entries, to: (slot: number) => number): Entries {
  const slots = new Int32Array(entries.count)
  for (let i = 0; i < slots.length; i++) {
    const slot = entries.slots ? entries.slots[i] : i
    slots[i] = slot < 0 ? slot : to(slot)
  }
  return { ...entries, slots }
}

/** Reads the indexes of a dictionary. They are less than the number of its values, which Arrow's writer has made sure of. */
export function indexReader({ type, buffers: [bytes] }: ArrowArray): (slot: number) => number {
  const width = type.typeId === Type.Dictionary ? type.indices.bitWidth : 32
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (width) {
    case 8:
      return (slot) => bytes[slot]
    case 16:
      return (slot) => view.getUint16(2 * slot, true)
    default:
      return (slot) => view.getUint32((width / 8) * slot, true)
  }
}

export function intsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = uint32LanesOf(bytes)
  return new Int32Array(buffer, byteOffset, length)
}

function multiples(count: number, of: number): Int32Array {
  return Int32Array.from({ length: count + 1 }, (_, i) => i * of)
}
