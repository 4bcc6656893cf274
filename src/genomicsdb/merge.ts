import { InspectError, withPlaceAsync } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'

/*
 * The cells of all fragments of an interval, in the order of column and row. Where fragments hold a cell at one place, that of the
 * newest counts.
 */

/** A tile, by its box. */
export interface TileBox {
  cell_num: number
  rows: readonly [low: number, high: number]
  columns: readonly [low: number, high: number]
}

/** A fragment whose cells are merged. */
export interface MergedFragment {
  name: string
  /** Path of its folder. */
  path: string
  tiles: readonly TileBox[]
  /** The cells of a field in a tile. @param field its number: attributes in the order of the schema, then coordinates */
  column(tile: number, field: number): Promise<ColumnData>
}

/** The numbers of the fields that the merge itself reads. */
export interface PlaceFields {
  coords: number
  end: number
}

/** What is wanted. */
export interface WantedCalls {
  /** Columns, both ends included: a call is wanted if it touches one of them. Undefined for all. */
  columns?: readonly (readonly [from: number, to: number])[] | undefined
  /** Rows; undefined for all. */
  rows?: ReadonlySet<number> | undefined
}

/** A tile that is open, with the columns that were read of it. */
export class OpenTile {
  readonly fragment: MergedFragment
  readonly tile: number
  readonly places: Places
  private readonly read = new Map<number, ColumnData>()

  constructor(fragment: MergedFragment, tile: number, places: Places) {
    this.fragment = fragment
    this.tile = tile
    this.places = places
  }

  /** Reads a field, if it was not read yet. @throws InspectError as the fragment */
  async load(field: number): Promise<void> {
    if (!this.read.has(field)) this.read.set(field, await this.fragment.column(this.tile, field))
  }

  /** A field that was loaded. */
  column(field: number): ColumnData {
    const column = this.read.get(field)
    if (!column) throw new TypeError(`field ${field} was not loaded`)
    return column
  }
}

/** The coordinates and ends of the cells of a tile. */
export interface Places {
  rows: Float64Array
  columns: Float64Array
  ends: Float64Array
}

/** Cells of one tile that follow each other in the merge. */
export interface MergedRun {
  tile: OpenTile
  from: number
  count: number
}

const COORD_BYTES = 8
const COORD_NUM = 2

/** The 64-bit integers at every `step`-th place, as numbers. @throws InspectError BAD_VALUE beyond 2^53 */
export function int64Numbers(
  bytes: Uint8Array,
  count: number,
  first: number,
  step: number,
  field: string,
): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const at = (first + i * step) * COORD_BYTES
    const number = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
    if (!Number.isSafeInteger(number))
      throw new InspectError(
        'BAD_VALUE',
        { expected: 'a number below 2^53', found: `2^53 or more in cell ${i}` },
        { field },
      )
    numbers[i] = number
  }
  return numbers
}

export function least(numbers: Float64Array): number {
  return numbers.reduce((a, b) => Math.min(a, b))
}

export function most(numbers: Float64Array): number {
  return numbers.reduce((a, b) => Math.max(a, b))
}

async function placesOf(fragment: MergedFragment, tile: number, fields: PlaceFields): Promise<Places> {
  const { cell_num = 0 } = fragment.tiles[tile] ?? {}
  const { data } = await fragment.column(tile, fields.coords)
  const ends = await fragment.column(tile, fields.end)
  checkLength(data, COORD_NUM * cell_num, 'coordinates')
  checkLength(ends.data, cell_num, 'END')
  return {
    rows: int64Numbers(data, cell_num, 0, COORD_NUM, '__coords'),
    columns: int64Numbers(data, cell_num, 1, COORD_NUM, '__coords'),
    ends: int64Numbers(ends.data, cell_num, 0, 1, 'END'),
  }
}

function checkLength(data: Uint8Array, numbers: number, field: string): void {
  if (data.length >= numbers * COORD_BYTES) return
  const found = `${data.length} bytes`
  throw new InspectError('INCONSISTENT', { expected: `${numbers} numbers of 8 bytes`, found }, { field })
}

/** Walks the cells of a fragment. */
class Cursor {
  /** Place among the fragments: a higher one is newer. */
  readonly order: number
  open: OpenTile | undefined
  at = 0
  private readonly fragment: MergedFragment
  private readonly fields: PlaceFields
  private readonly touches: (box: TileBox) => boolean
  private next = 0

  constructor(
    order: number,
    fragment: MergedFragment,
    { fields, touches }: { fields: PlaceFields; touches: (box: TileBox) => boolean },
  ) {
    this.order = order
    this.fragment = fragment
    this.fields = fields
    this.touches = touches
  }

  get column(): number {
    return this.open?.places.columns[this.at] ?? Number.POSITIVE_INFINITY
  }

  get row(): number {
    return this.open?.places.rows[this.at] ?? Number.POSITIVE_INFINITY
  }

  /** Goes to the next cell. Returns a promise if a tile has to be read. */
  step(): Promise<void> | undefined {
    this.at++
    return this.open && this.at < this.open.places.rows.length ? undefined : this.nextTile()
  }

  async nextTile(): Promise<void> {
    this.at = 0
    this.open = undefined
    for (; this.next < this.fragment.tiles.length; this.next++) {
      const box = this.fragment.tiles[this.next]
      if (!box || box.cell_num === 0 || !this.touches(box)) continue
      const tile = this.next++
      const { fragment, fields } = this
      const places = await withPlaceAsync({ file: fragment.path, tile }, () => placesOf(fragment, tile, fields))
      this.open = new OpenTile(fragment, tile, places)
      return
    }
  }
}

/** Whether a cursor comes before another one: by place, and at one place the newest. */
function isBefore(a: Cursor, b: Cursor): boolean {
  if (a.column !== b.column) return a.column < b.column
  return a.row === b.row ? a.order > b.order : a.row < b.row
}

/** A heap of cursors, the first on top. */
class CursorHeap {
  private readonly all: Cursor[] = []

  get top(): Cursor | undefined {
    return this.all[0]
  }

  add(cursor: Cursor): void {
    const { all } = this
    let i = all.length
    all.push(cursor)
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = all[parent]
      if (!above || !isBefore(cursor, above)) break
      all[i] = above
      i = parent
    }
    all[i] = cursor
  }

  /** Puts the top where it belongs after a step; takes it out at its end. */
  settle(): void {
    const { all } = this
    const last = all[0]?.open ? all[0] : all.pop()
    if (!last || all.length === 0) return
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      let below = all[child]
      const right = all[child + 1]
      if (below && right && isBefore(right, below)) {
        below = right
        child++
      }
      if (!below || !isBefore(below, last)) break
      all[i] = below
      i = child
    }
    all[i] = last
  }
}

/** Most calls of a batch. */
const BATCH_CALLS = 4096

/**
 * Walks the calls of all fragments in the order of column and row. The second cell of a long call, which lies at its end, is left out.
 * @param fragments the oldest first
 * @throws InspectError of the fragments
 */
export async function* mergedCalls(
  fragments: readonly MergedFragment[],
  fields: PlaceFields,
  { columns, rows }: WantedCalls,
): AsyncGenerator<readonly MergedRun[]> {
  const last = columns?.reduce((most, [, to]) => Math.max(most, to), -1) ?? Number.POSITIVE_INFINITY
  const rowList = rows && [...rows]
  const touches = (box: TileBox): boolean =>
    box.columns[0] <= last && (!rowList || rowList.some((row) => box.rows[0] <= row && row <= box.rows[1]))
  const isWanted = ({ places }: OpenTile, at: number): boolean => {
    const column = places.columns[at] ?? 0
    const end = places.ends[at] ?? -1
    if (end < column || (rows && !rows.has(places.rows[at] ?? -1))) return false
    return !columns || columns.some(([from, to]) => column <= to && end >= from)
  }
  const heap = new CursorHeap()
  for (const [order, fragment] of fragments.entries()) {
    const cursor = new Cursor(order, fragment, { fields, touches })
    await cursor.nextTile()
    if (cursor.open) heap.add(cursor)
  }
  let runs: MergedRun[] = []
  let count = 0
  let [column, row] = [-1, -1]
  for (let top = heap.top; top?.open; top = heap.top) {
    if (top.column > last) break
    const { open, at } = top
    // The first cell at a place is that of the newest fragment.
    const isOlder = top.column === column && top.row === row
    column = top.column
    row = top.row
    if (!isOlder && isWanted(open, at)) {
      const run = runs.at(-1)
      if (run?.tile === open && run.from + run.count === at) run.count++
      else runs.push({ tile: open, from: at, count: 1 })
      count++
    }
    const step = top.step()
    if (step) await step
    heap.settle()
    if (count < BATCH_CALLS) continue
    yield runs
    runs = []
    count = 0
  }
  if (count > 0) yield runs
}
