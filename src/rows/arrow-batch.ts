import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { gather } from '../cells/gather.ts'
import { copyBytes } from '../filters/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import { checkBufferLength } from './arrow-stream.ts'
import type { NameCell } from './arrow-values.ts'

/** Cells for one record batch. All columns have the same number of cells. */
export interface Rows {
  count: number
  columns: ColumnData[]
  /** Indexes of the columns that could not be read in a tile. Their cells in that tile are null. */
  missing: ReadonlySet<number>
  name: NameCell
}

/** Size of a cell in bytes; undefined for var-sized cells. */
function cellSize({ type, cell_val_num }: ColumnType): number | undefined {
  return cell_val_num === 'var' ? undefined : datatypeSize(type) * cell_val_num
}

/** Rows of a tile. If the rows are consecutive, the bytes of their columns are views of the tile's bytes. */
export function selectRows(
  { tile, first = 0, cell_num, rows, columns }: CellBatch,
  types: readonly ColumnType[],
): Rows {
  const count = rows?.length ?? cell_num
  const from = rows && count > 0 ? rows[0] : 0
  const isRun = !rows || count === 0 || rows[count - 1] - from + 1 === count
  const positions = isRun ? { from, to: from + count } : new Int32Array(rows.buffer, rows.byteOffset, count)
  const missing = new Set<number>()
  return {
    count,
    columns: types.map((type, c) => {
      const data = columns[c]
      if (data) return gather(data, cellSize(type) ?? 0, positions)
      missing.add(c)
      return nulls(cellSize(type), count)
    }),
    missing,
    name: (i) => `cell ${first + (rows ? rows[i] : i)} of tile ${tile}`,
  }
}

/** Returns null cells. @throws InspectError TOO_LARGE if they exceed a buffer of Arrow */
function nulls(size: number | undefined, count: number): ColumnData {
  const length = (size ?? 0) * count
  checkBufferLength(length)
  return {
    data: new Uint8Array(length),
    starts: size === undefined ? new Float64Array(count + 1) : undefined,
    validity: new Uint8Array(count),
  }
}

/** Rows of several small tiles, copied into one set of columns. */
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

  /** Returns all rows that were added, and starts a new set. */
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
    copyBytes(part, 0, part.length, this.bytes, this.length)
    this.length = end
  }

  take(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}
