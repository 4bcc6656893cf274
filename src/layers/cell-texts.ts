import { type ColumnData, cellBytes } from '../cells/column.ts'
import { decodeText } from '../format/text.ts'
import { type OpenedArray, type ReadOrder, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'

/*
 * Gives each text of cells a number. Cells repeat few texts, so most are only compared as bytes. Each text becomes a string once.
 */

/** A hash of bytes (FNV-1a), of 32 bits. */
export function hashOf(data: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (data[i] ?? 0), 0x01000193)
  return hash >>> 0
}

/** Slots of a new table. Their number is always a power of two. */
const MIN_SLOTS = 1024

/** Different texts. Each has a number: 0 for the first that was met, 1 for the next, and so on. */
export class Texts {
  /** Bytes of each text, and their hash, by the text's number. */
  private readonly known: Uint8Array[] = []
  private readonly hashes: number[] = []
  /** A hash table: each slot holds a text's number plus one, or 0 if it is free. */
  private slots = new Int32Array(MIN_SLOTS)
  private readonly onNew: ((bytes: number) => void) | undefined

  /** @param onNew called with the length of each new text before it is kept; may throw, if memory has no room for it */
  constructor(onNew?: (bytes: number) => void) {
    this.onNew = onNew
  }

  get size(): number {
    return this.known.length
  }

  /** The text that has a number. */
  text(number: number): string {
    return decodeText(this.known[number] ?? new Uint8Array())
  }

  /** All texts, by number. */
  all(): string[] {
    return this.known.map((bytes) => decodeText(bytes))
  }

  /** The number of a cell's text. A text that no cell had so far gets the next number. */
  numberOf({ data, starts }: ColumnData, cell: number): number {
    const from = starts?.[cell] ?? 0
    const to = starts?.[cell + 1] ?? data.length
    const hash = hashOf(data, from, to)
    const mask = this.slots.length - 1
    let slot = hash & mask
    for (let number = this.slots[slot] ?? 0; number !== 0; number = this.slots[slot] ?? 0) {
      if (this.hashes[number - 1] === hash && isSame(this.known[number - 1], data, from, to)) return number - 1
      slot = (slot + 1) & mask
    }
    this.onNew?.(to - from)
    this.known.push(data.slice(from, to))
    this.hashes.push(hash)
    this.slots[slot] = this.known.length
    if (this.known.length * 2 > this.slots.length) this.grow()
    return this.known.length - 1
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 4)
    const mask = this.slots.length - 1
    for (const [number, hash] of this.hashes.entries()) {
      let slot = hash & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = number + 1
    }
  }
}

function isSame(known: Uint8Array | undefined, data: Uint8Array, from: number, to: number): boolean {
  if (known?.length !== to - from) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== data[from + i]) return false
  return true
}

/** A batch of the cells of a read, as texts. */
export interface Batch {
  /** Number of cells. */
  length: number
  /** Position in the columns of a cell, which is counted from 0 in the batch. */
  at(cell: number): number
  /** A column for each asked name; an empty one if the array has no such field. */
  columns: readonly ColumnData[]
}

const NOTHING: ColumnData = { data: new Uint8Array(), starts: undefined, validity: undefined }

/** The cells of an array, with the columns of some names. Each batch overwrites the memory of the one before. */
export async function* batchesOf(
  opened: OpenedArray,
  names: readonly string[],
  order: ReadOrder,
): AsyncGenerator<Batch> {
  const query = { order, ranges: new Map(), fields: names, reuse: true }
  const fields = readColumns(opened.schema, query)
  const places = names.map((name) => fields.findIndex((field) => field.name === name))
  for await (const { columns, cell_num, rows } of readMerged(opened, query))
    yield {
      length: rows?.length ?? cell_num,
      at: rows ? (cell) => rows[cell] ?? 0 : (cell) => cell,
      columns: places.map((place) => columns[place] ?? NOTHING),
    }
}

/** The text of a cell of variable size. */
export function cellText(column: ColumnData, cell: number): string {
  return decodeText(cellBytes(column, cell, 0))
}
