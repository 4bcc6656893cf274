import { NO_BYTES } from '../base/bytes.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { gather } from '../cells/gather.ts'
import { copyBytes } from '../filters/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import { checkBufferLength } from './arrow-stream.ts'
import type { NameCell } from './arrow-values.ts'

/** Cells for one record batch. All columns have the same number of cells. */
export interface ArrowRows {
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
): ArrowRows {
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

  add(rows: ArrowRows): void {
    for (let c = 0; c < this.columns.length; c++)
      this.size += this.columns[c].add(rows.columns[c], this.count, rows.count)
    for (const c of rows.missing) this.missing.add(c)
    this.tiles.push({ from: this.count, name: rows.name })
    this.count += rows.count
  }

  /** Returns all rows that were added, and starts a new set, which overwrites them. */
  take(): ArrowRows {
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
  private readonly data = new Growing()
  private readonly validity = new Growing()
  /** Whether a tile of this set has validity. */
  private isNullable = false
  /** Start of each var-sized cell. */
  private starts = new Float64Array(0)

  constructor(varSized: boolean) {
    this.varSized = varSized
  }

  /** @returns the number of bytes added */
  add({ data, starts, validity }: ColumnData, before: number, count: number): number {
    if (validity && !this.isNullable) {
      this.isNullable = true
      this.validity.fill(1, before)
    }
    if (validity) this.validity.add(validity, 0, count)
    else if (this.isNullable) this.validity.fill(1, count)
    if (!this.varSized || !starts) {
      this.data.add(data, 0, data.length)
      return data.length
    }
    const first = starts[0]
    const end = starts[count]
    const own = this.roomForStarts(before + count + 1)
    const shift = this.data.length - first
    for (let i = 0; i <= count; i++) own[before + i] = starts[i] + shift
    this.data.add(data, first, end)
    return end - first + 8 * count
  }

  private roomForStarts(count: number): Float64Array {
    if (count > this.starts.length) {
      const starts = new Float64Array(Math.max(count, 2 * this.starts.length, FIRST_ROOM))
      starts.set(this.starts)
      this.starts = starts
    }
    return this.starts
  }

  take(count: number): ColumnData {
    const data = this.data.take()
    const starts = this.varSized ? this.starts.subarray(0, count + 1) : undefined
    const validity = this.isNullable ? this.validity.take() : undefined
    this.isNullable = false
    return { data, starts, validity }
  }
}

const FIRST_ROOM = 4096

/** A growing buffer of bytes. Its memory is used again for the next set: new memory of a batch takes longer than the copy. */
class Growing {
  length = 0
  private bytes = NO_BYTES

  /** Adds the bytes `[from, to)` of a part. */
  add(part: Uint8Array, from: number, to: number): void {
    const at = this.extend(to - from)
    copyBytes(part, from, to, this.bytes, at)
  }

  fill(value: number, count: number): void {
    const at = this.extend(count)
    this.bytes.fill(value, at, at + count)
  }

  /** @returns where the new bytes begin */
  private extend(count: number): number {
    const { length } = this
    const end = length + count
    if (end > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(end, 2 * this.bytes.length, FIRST_ROOM))
      bytes.set(this.bytes.subarray(0, length))
      this.bytes = bytes
    }
    this.length = end
    return length
  }

  /** The bytes, which the next ones overwrite. */
  take(): Uint8Array {
    const { length } = this
    this.length = 0
    return this.bytes.subarray(0, length)
  }
}
