import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { datatypeSize } from '../format/datatype.ts'
import { checkBufferLength } from './arrow-stream.ts'
import type { NameCell } from './arrow-values.ts'

/** Cells for one record batch: all columns have the same number of cells. */
export interface Rows {
  count: number
  columns: ColumnData[]
  /** Columns that could not be read in a tile; their cells there are null. */
  missing: ReadonlySet<number>
  name: NameCell
}

/** Size of a cell in bytes; undefined if cells differ. */
function cellSize({ type, cell_val_num }: ColumnType): number | undefined {
  return cell_val_num === 'var' ? undefined : datatypeSize(type) * cell_val_num
}

/** The rows of a tile. If they are neighbours, their columns are views of the tile's columns. */
export function selectRows(
  { tile, first = 0, cell_num, rows, columns }: CellBatch,
  types: readonly ColumnType[],
): Rows {
  const count = rows?.length ?? cell_num
  const from = rows && count > 0 ? rows[0] : 0
  const apart = rows && count > 0 && rows[count - 1] - from + 1 !== count ? rows : undefined
  const missing = new Set<number>()
  return {
    count,
    columns: types.map((type, c) => {
      const data = columns[c]
      if (data) return apart ? gather(data, cellSize(type), apart) : neighbours(data, cellSize(type), from, count)
      missing.add(c)
      return nulls(cellSize(type), count)
    }),
    missing,
    name: (i) => `cell ${first + (rows ? rows[i] : i)} of tile ${tile}`,
  }
}

/** @throws InspectError TOO_LARGE for more than a buffer of Arrow holds */
function nulls(size: number | undefined, count: number): ColumnData {
  const length = (size ?? 0) * count
  checkBufferLength(length)
  return {
    data: new Uint8Array(length),
    starts: size === undefined ? new Float64Array(count + 1) : undefined,
    validity: new Uint8Array(count),
  }
}

function neighbours(
  { data, starts, validity }: ColumnData,
  size: number | undefined,
  from: number,
  count: number,
): ColumnData {
  return {
    data: size === undefined ? data : data.subarray(from * size, (from + count) * size),
    starts: starts?.subarray(from, from + count + 1),
    validity: validity?.subarray(from, from + count),
  }
}

function gather({ data, starts, validity }: ColumnData, size: number | undefined, rows: Uint32Array): ColumnData {
  const chosen = validity && new Uint8Array(rows.length)
  if (validity && chosen) for (let i = 0; i < rows.length; i++) chosen[i] = validity[rows[i]]
  if (size !== undefined) return { data: gatherFixed(data, size, rows), starts: undefined, validity: chosen }
  return { ...gatherVar(data, starts ?? new Float64Array(0), rows), validity: chosen }
}

/** Copies runs of neighbours at once. */
function gatherFixed(data: Uint8Array, size: number, rows: Uint32Array): Uint8Array {
  const out = new Uint8Array(rows.length * size)
  for (let i = 0; i < rows.length; ) {
    const first = i
    const from = rows[first]
    do i++
    while (i < rows.length && rows[i] - from === i - first)
    copy(data, from * size, (from + i - first) * size, out, first * size)
  }
  return out
}

function gatherVar(
  data: Uint8Array,
  starts: Float64Array,
  rows: Uint32Array,
): { data: Uint8Array; starts: Float64Array } {
  const chosen = new Float64Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++) chosen[i + 1] = chosen[i] + starts[rows[i] + 1] - starts[rows[i]]
  const out = new Uint8Array(chosen[rows.length])
  for (let i = 0; i < rows.length; i++) copy(data, starts[rows[i]], starts[rows[i] + 1], out, chosen[i])
  return { data: out, starts: chosen }
}

/** A few bytes are copied faster in a loop than by a call. */
const SHORT = 32

function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > SHORT) to.set(from.subarray(start, end), at)
  else for (let i = start, o = at; i < end; i++, o++) to[o] = from[i]
}

/** Rows of several small tiles, copied one after another. */
export class MergedRows {
  count = 0
  /** Number of bytes held. */
  size = 0
  private readonly columns: MergedColumn[]
  private missing = new Set<number>()
  private tiles: { from: number; name: NameCell }[] = []

  constructor(types: readonly ColumnType[]) {
    this.columns = types.map((type) => new MergedColumn(cellSize(type) === undefined))
  }

  add(rows: Rows): void {
    for (const [c, column] of this.columns.entries()) this.size += column.add(rows.columns[c], this.count, rows.count)
    for (const c of rows.missing) this.missing.add(c)
    this.tiles.push({ from: this.count, name: rows.name })
    this.count += rows.count
  }

  /** All rows so far; the next {@link add} starts a new set. */
  take(): Rows {
    const { count, missing, tiles } = this
    const columns = this.columns.map((column) => column.take(count))
    this.count = 0
    this.size = 0
    this.missing = new Set()
    this.tiles = []
    return {
      count,
      columns,
      missing,
      name: (i) => {
        const tile = tiles.findLast(({ from }) => from <= i)
        return tile ? tile.name(i - tile.from) : `row ${i}`
      },
    }
  }
}

class MergedColumn {
  private readonly varSized: boolean
  private data = new Growing()
  private validity: Growing | undefined
  private starts: number[] = []

  constructor(varSized: boolean) {
    this.varSized = varSized
  }

  /** @returns the number of bytes added */
  add({ data, starts, validity }: ColumnData, before: number, count: number): number {
    if (validity || this.validity) {
      this.validity ??= filled(before)
      this.validity.add(validity ?? new Uint8Array(count).fill(1))
    }
    if (!this.varSized || !starts) {
      this.data.add(data)
      return data.length
    }
    const first = starts[0]
    const shift = this.data.length - first
    for (let i = 0; i < count; i++) this.starts.push(starts[i] + shift)
    this.data.add(data.subarray(first, starts[count]))
    return starts[count] - first + 8 * count
  }

  take(count: number): ColumnData {
    const data = this.data.take()
    const { length } = data
    const starts = this.varSized ? Float64Array.from([...this.starts, data.length]) : undefined
    const validity = this.validity?.take().subarray(0, count)
    // The next batch will be about as large.
    this.data = new Growing(length)
    this.validity = undefined
    this.starts = []
    return { data, starts, validity }
  }
}

function filled(count: number): Growing {
  const out = new Growing()
  out.add(new Uint8Array(count).fill(1))
  return out
}

const FIRST_ROOM = 4096

/** A growing buffer of bytes. */
class Growing {
  length = 0
  private bytes: Uint8Array

  constructor(room = FIRST_ROOM) {
    this.bytes = new Uint8Array(room)
  }

  add(part: Uint8Array): void {
    const end = this.length + part.length
    if (end > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(end, this.bytes.length * 2))
      bytes.set(this.bytes.subarray(0, this.length))
      this.bytes = bytes
    }
    copy(part, 0, part.length, this.bytes, this.length)
    this.length = end
  }

  take(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}
