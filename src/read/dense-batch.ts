import { NO_BYTES } from '../base/bytes.ts'
import type { CellBatch, ColumnData } from '../cells/column.ts'
import { type BoxPlace, constantPlace, copyBox } from '../cells/copy-box.ts'
import { axisCoordinates, writeRising } from '../cells/dense-coordinates.ts'
import { uint32LanesOf, unsignedArray, wideNumbersOf } from '../cells/elements.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { type ConditionColumn, meets } from './condition.ts'
import type { DenseColumn, DenseSource } from './dense-source.ts'
import type { Window } from './dense-windows.ts'
import { PROVENANCE, provenanceColumns, type ReadQuery } from './query.ts'

/** Owner of a cell that no fragment has. */
export const UNWRITTEN = -1
/** Owner of a cell whose tile cannot be read. */
export const LOST = -2

/** A tile of a fragment that was read. */
export interface ReadTile {
  source: DenseSource
  /** Number of the tile in the fragment. */
  tile: number
  /** By attribute; undefined for an attribute that the fragment lacks, or has in another form. */
  columns: (ColumnData | undefined)[]
}

/** Fixed-sized cells and validity of an attribute. There is no data if the attribute is var-sized. */
interface FixedCells {
  data: Uint8Array | undefined
  validity: Uint8Array | undefined
}

/** A window whose cells are being assembled. */
export interface Assembly {
  window: Window
  /** By attribute. Var-sized cells are copied from their tiles at the end. */
  columns: FixedCells[]
  /** By cell: the index of its tile in `tiles`, {@link UNWRITTEN} or {@link LOST}. Undefined if nothing needs it. */
  owner: Int32Array | undefined
  /** By cell: its position in the tile. */
  place: Int32Array | undefined
  tiles: ReadTile[]
}

/** What the batches of a read consist of. */
interface BatchForm {
  readonly query: ReadQuery
  readonly dimensions: readonly Dimension[]
  /** By dimension. */
  readonly coordinates: readonly CoordinateColumn[]
  /** Attributes to show, then others that the condition needs. */
  readonly attributes: readonly DenseColumn[]
  /** Number of attributes to show. */
  readonly shownNum: number
}

/** Makes a batch of some cells of a window, with their coordinates. */
export function batchOf(form: BatchForm, made: Assembly, first: number, count: number): CellBatch {
  const { query, attributes } = form
  const isUsed = !query.leavesOutCoordinates || query.where !== undefined || query.provenance === true
  const coordinates = form.coordinates.map((column): ColumnData => {
    const data = isUsed ? column.cells(made.window, first, count) : NO_BYTES
    return { data, starts: undefined, validity: undefined }
  })
  const { owner } = made
  const owners = owner?.subarray(first, first + count)
  const places = made.place?.subarray(first, first + count)
  const values = attributes.map(({ size = 0, fill }, c): ColumnData => {
    const { data, validity: all } = made.columns[c]
    const validity = all?.subarray(first, first + count)
    if (data) return { data: data.subarray(first * size, (first + count) * size), starts: undefined, validity }
    return { ...varColumn(made.tiles, c, fill, owners, places), validity }
  })
  const met =
    query.where && owners && meetsCondition(form, query.where, { tiles: made.tiles, owners, coordinates, values })
  if (met && owners && !query.leavesOutUnmet) hideUnmet(form, made, { met, owners, places }, values)
  const shown = query.leavesOutCoordinates ? coordinates.map(() => undefined) : coordinates
  const columns: CellBatch['columns'] = [...shown, ...values.slice(0, form.shownNum)]
  if (query.provenance) columns.push(...provenanceOf(form, made, first, coordinates, count))
  return { tile: 0, cell_num: count, rows: owners && rowsOf(owners, query.leavesOutUnmet ? met : undefined), columns }
}

/** The columns of {@link PROVENANCE}. */
function provenanceOf(
  { dimensions }: BatchForm,
  { owner, place, tiles }: Assembly,
  first: number,
  coordinates: readonly ColumnData[],
  count: number,
): ColumnData[] {
  const [fragment, tile, cell, written] = PROVENANCE.map(({ type }) => new Uint8Array(count * datatypeSize(type)))
  const [validity, timed] = [new Uint8Array(count), new Uint8Array(count)]
  const fragments = new Int32Array(fragment.buffer)
  const [tileLanes, cellLanes, writtenLanes] = [tile, cell, written].map(uint32LanesOf)
  const times = tiles.map(({ source, tile }) => source.timesOf(tile))
  const only = times.map((own) => (own ? own.only : 'unknown'))
  const lanes = only.map((time) => lanesOfInteger(typeof time === 'bigint' ? time : 0n))
  for (let i = 0; i < count && owner && place; i++) {
    const number = owner[first + i]
    if (number < 0) continue
    validity[i] = 1
    const { source, tile: n } = tiles[number]
    fragments[i] = source.index
    tileLanes[2 * i] = n
    tileLanes[2 * i + 1] = n / 2 ** 32
    cellLanes[2 * i] = place[first + i]
    const time = only[number] ?? times[number]?.at(cellAt(dimensions, coordinates, i))
    if (typeof time !== 'bigint') {
      if (times[number] && time) source.remarkUntimed(time)
      continue
    }
    timed[i] = 1
    const [low, high] = only[number] === undefined ? lanesOfInteger(time) : lanes[number]
    writtenLanes[2 * i] = low
    writtenLanes[2 * i + 1] = high
  }
  return provenanceColumns([fragment, tile, cell, written], validity, timed)
}

/** The coordinates of a cell. */
function cellAt(dimensions: readonly Dimension[], coordinates: readonly ColumnData[], i: number): bigint[] {
  return dimensions.map(({ type }, d) => {
    const size = datatypeSize(type)
    return integerOf(type, coordinates[d].data.subarray(i * size, (i + 1) * size))
  })
}

/** Writes fill values over the attributes of cells that do not meet the condition. */
function hideUnmet(
  { attributes }: BatchForm,
  { tiles }: Assembly,
  { met, owners, places }: { met: Uint8Array; owners: Int32Array; places: Int32Array | undefined },
  values: ColumnData[],
): void {
  const shown = owners.map((owner, i) => (met[i] === 1 ? owner : UNWRITTEN))
  for (let i = 0; i < met.length; ) {
    let end = i + 1
    while (end < met.length && met[end] === met[i]) end++
    if (met[i] === 0) fillBox(attributes, values, [end - i], { at: i, strides: [1] })
    i = end
  }
  for (const [c, { size, fill }] of attributes.entries())
    if (size === undefined) values[c] = { ...values[c], ...varColumn(tiles, c, fill, shown, places) }
}

/** Writes fill values into a box of cells. @param columns by attribute */
export function fillBox(
  attributes: readonly DenseColumn[],
  columns: readonly Readonly<FixedCells>[],
  lengths: readonly number[],
  to: BoxPlace,
): void {
  const from = constantPlace(lengths)
  for (const [c, { fill, size }] of attributes.entries()) {
    const { data, validity } = columns[c]
    if (data && size !== undefined) copyBox(fill.data, data, { lengths, from, to, size })
    if (validity && fill.validity) copyBox(fill.validity, validity, { lengths, from, to, size: 1 })
  }
}

/** The cells of a batch, with the tile of each. */
interface OwnedCells {
  tiles: readonly ReadTile[]
  owners: Int32Array
  coordinates: readonly ColumnData[]
  values: readonly ColumnData[]
}

/** {@link meets} for the cells of a batch. The result of a comparison depends on whether the cell's fragment has the field. */
function meetsCondition(
  { attributes, dimensions }: BatchForm,
  where: ConditionNode,
  { tiles, owners, coordinates, values }: OwnedCells,
): Uint8Array {
  const columns = new Map<string, ConditionColumn>()
  for (const [d, { name, type, cell_val_num }] of dimensions.entries())
    columns.set(name, { type: { type, cell_val_num, nullable: false }, data: coordinates[d] })
  for (const [c, { type }] of attributes.entries()) columns.set(type.name, { type, data: values[c] })
  /** Results by the fields that a tile lacks. */
  const byMissing = new Map<string, Uint8Array>()
  const results = tiles.map(({ columns: own }) => {
    const missing = attributes.flatMap(({ type }, c) => (own[c] ? [] : [type.name]))
    const key = JSON.stringify(missing)
    const known = byMissing.get(key)
    if (known) return known
    const there = new Map(columns)
    for (const name of missing) there.delete(name)
    const result = meets(where, there, owners.length)
    byMissing.set(key, result)
    return result
  })
  return Uint8Array.from(owners, (owner, i) => (owner < 0 ? 0 : results[owner][i]))
}

/** Copies var-sized cells from their tiles. Cells that follow each other in a tile are copied together. */
function varColumn(
  tiles: readonly ReadTile[],
  c: number,
  fill: ColumnData,
  owners: Int32Array | undefined,
  places: Int32Array | undefined,
): { data: Uint8Array; starts: Float64Array } {
  const count = owners?.length ?? 0
  const starts = new Float64Array(count + 1)
  if (!owners || !places) return { data: new Uint8Array(0), starts }
  let length = 0
  for (let i = 0; i < count; i++) {
    const from = owners[i] < 0 ? undefined : tiles[owners[i]].columns[c]?.starts
    const at = places[i]
    length += from ? from[at + 1] - from[at] : fill.data.length
    starts[i + 1] = length
  }
  const data = new Uint8Array(length)
  for (let i = 0; i < count; ) {
    const number = owners[i]
    const column = number < 0 ? undefined : tiles[number].columns[c]
    if (!column?.starts) {
      data.set(fill.data, starts[i++])
      continue
    }
    const at = places[i]
    let run = 1
    while (i + run < count && owners[i + run] === number && places[i + run] === at + run) run++
    data.set(column.data.subarray(column.starts[at], column.starts[at + run]), starts[i])
    i += run
  }
  return { data, starts }
}

/** The coordinates of cells along one axis. */
export class CoordinateColumn {
  private readonly type: Dimension['type']
  private readonly d: number
  private readonly reuse: boolean
  /** Memory that is used again, and what its cells are. */
  private memory = NO_BYTES
  private made: string | undefined

  /** @param reuse whether the next cells may overwrite the last */
  constructor({ type }: Dimension, d: number, reuse: boolean) {
    this.type = type
    this.d = d
    this.reuse = reuse
  }

  /** The coordinates of some cells of a window. Along fast axes the next window often has the same. */
  cells({ blocks }: Window, first: number, count: number): Uint8Array {
    const { type, d, reuse } = this
    const size = datatypeSize(type)
    const [{ axes, strides, at }] = blocks
    const { segments } = axes[d]
    const key =
      reuse && blocks.length === 1 && segments.length <= FEW_SEGMENTS
        ? `${segments.map(({ low, length }) => `${low}+${length}`).join()} ${strides[d]} ${first - at} ${count}`
        : undefined
    if (key !== undefined && key === this.made) return this.memory.subarray(0, count * size)
    if (!reuse || this.memory.length < count * size) this.memory = new Uint8Array(count * size)
    const out = this.memory.subarray(0, count * size)
    this.made = key
    for (const { axes, strides, at, cell_num } of blocks) {
      const from = Math.max(first, at)
      const end = Math.min(first + count, at + cell_num)
      if (end <= from) continue
      const { segments, length } = axes[d]
      const cells = out.subarray((from - first) * size, (end - first) * size)
      if (strides[d] === 1 && segments.length === 1 && end - at <= length) {
        writeRising(type, segments[0].low + BigInt(from - at), cells)
        continue
      }
      const values = new Uint8Array(length * size)
      for (const { low, length: many, at: place } of segments)
        values.set(axisCoordinates(type, low, 1, many, { first: 0, count: many }), place * size)
      fillPattern(values, size, strides[d], from - at, cells)
    }
    return out
  }
}

/** Number of segments up to which it is worth comparing them with the last. */
const FEW_SEGMENTS = 1024

/** Fills `out` with each value `stride` times, and then with all of them again and again. It begins at the cell `first` of this pattern. */
function fillPattern(values: Uint8Array, size: number, stride: number, first: number, out: Uint8Array): void {
  const length = values.length / size
  const count = out.length / size
  const period = Math.min(stride * length, count)
  const fill = fillerOf(values, size, out)
  let index = Math.floor(first / stride) % length
  let left = stride - (first % stride)
  for (let i = 0; i < period; left = stride) {
    // With a stride of 1 the values are copied as they are, up to the last.
    const many = Math.min(period - i, stride === 1 ? length - index : left)
    if (stride === 1) out.set(values.subarray(index * size, (index + many) * size), i * size)
    else fill(index, i, i + many)
    index = stride === 1 ? 0 : (index + 1) % length
    i += many
  }
  for (let done = period; done < count; done *= 2) out.copyWithin(done * size, 0, Math.min(done, count - done) * size)
}

/** The function that fills the cells `[from, to)` with the value of an index. */
function fillerOf(
  values: Uint8Array,
  size: number,
  out: Uint8Array,
): (index: number, from: number, to: number) => void {
  if (size === 8) {
    const [read, write] = [values, out].map((bytes) => wideNumbersOf('UINT64', bytes) as BigUint64Array)
    return (index, from, to) => write.fill(read[index], from, to)
  }
  const UnitArray = unsignedArray(size)
  const [read, write] = [values, out].map((bytes) => new UnitArray(bytes.buffer, bytes.byteOffset, bytes.length / size))
  return (index, from, to) => write.fill(read[index], from, to)
}

/** The two halves of a 64-bit integer. */
function lanesOfInteger(value: bigint): [low: number, high: number] {
  return [Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n))]
}

/** The cells that could be read and, with `met`, that meet the condition; undefined for all. */
function rowsOf(owners: Int32Array, met: Uint8Array | undefined): Uint32Array | undefined {
  if (!met && !owners.includes(LOST)) return undefined
  const rows = new Uint32Array(owners.length)
  let kept = 0
  for (let i = 0; i < rows.length; i++) if (owners[i] !== LOST && met?.[i] !== 0) rows[kept++] = i
  return rows.subarray(0, kept)
}
