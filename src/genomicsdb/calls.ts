import { element } from '../base/element.ts'
import { inconsistent, withPlace } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import { sum } from '../base/sum.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { datatypeSize } from '../format/datatype.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import { encodeText } from '../format/text.ts'
import { type CallField, columnOf, END } from './call-fields.ts'
import { fieldColumn, type OpenField } from './cells.ts'
import { type ColumnFile, columnFiles, openColumnFile } from './column-file.ts'
import { type GenomicsdbFragment, tileCells } from './fragment.ts'
import type { Callset, Vidmap } from './maps.ts'
import { placeOfColumn } from './maps.ts'
import {
  int64Numbers,
  type MergedFragment,
  type MergedRun,
  mergedCalls,
  type TileBox,
  type WantedCalls,
} from './merge.ts'

/*
 * The calls of an interval as columns of a table: cells of all fragments, with the names of their samples and contigs.
 *
 * "Column" has two meanings here. In GenomicsDB's own matrix, `rows` are samples and `columns` are positions: both are coordinates. A
 * `ColumnData` or `ColumnType` is a column of the table that is shown.
 */

/** A fragment whose columns are read tile by tile, in any order. Its files are open only during a read. */
export class FragmentColumns implements MergedFragment {
  readonly name: string
  readonly path: string
  readonly tiles: readonly TileBox[]
  private readonly fragment: GenomicsdbFragment
  /** The fields that were read so far, by index. */
  private readonly met = new Map<number, OpenField>()
  /** The files of each field, by the field's index. */
  private files: Map<number, ColumnFile[]> | undefined

  constructor(fragment: GenomicsdbFragment) {
    this.fragment = fragment
    this.name = fragment.name
    this.path = fragment.folder.path
    this.tiles = genomicsdbTileBoxes(fragment)
  }

  async column(tile: number, index: number): Promise<ColumnData> {
    const field = this.met.get(index) ?? (await this.openField(index))
    try {
      const column = await fieldColumn(field, tile)
      if (column) return column
    } finally {
      await field.data?.source.close()
      await field.values?.source.close()
    }
    throw inconsistent(`there is no field ${index}`, { file: this.path })
  }

  private async openField(index: number): Promise<OpenField> {
    this.files ??= groupBy(columnFiles(this.fragment), (file) => file.index)
    const files = this.files.get(index) ?? []
    const [data, values] = await Promise.all(
      // Tiles are read in any order, so nothing is read ahead.
      files.map((file) => openColumnFile(this.fragment, file, { from: 0, to: -1 })),
    )
    const field = { name: files[0]?.field.name ?? '', index, data, values }
    this.met.set(index, field)
    return field
  }

  async close(): Promise<void> {
    for (const { data, values } of this.met.values()) {
      await data?.close()
      await values?.close()
    }
    this.met.clear()
  }
}

/** The boxes of the tiles of a fragment. @throws InspectError of {@link int64Numbers} */
export function genomicsdbTileBoxes(fragment: GenomicsdbFragment): TileBox[] {
  const { book, tile_num, folder } = fragment
  const file = `${folder.path}/${BOOK_KEEPING_FILE}`
  const numbers = withPlace({ file }, () => int64Numbers(book.mbrs, 4 * tile_num, 0, 1, 'mbrs'))
  return Array.from({ length: tile_num }, (_, tile) => ({
    cell_num: tileCells(fragment, tile),
    rows: [element(numbers, 4 * tile), element(numbers, 4 * tile + 1)],
    columns: [element(numbers, 4 * tile + 2), element(numbers, 4 * tile + 3)],
  }))
}

/** What gives the calls of an interval their names and places. */
export interface CallMaps {
  callset: Callset | undefined
  vidmap: Vidmap | undefined
}

/** Which columns are shown after those of a call's sample and position. */
export interface ShownFields {
  fields: readonly CallField[]
  /** Whether it is shown where each cell is stored: fragment, tile, number in the tile, row and column. */
  provenance?: boolean | undefined
}

const TEXT = { type: 'STRING_UTF8', cell_val_num: 'var' } as const
const NUMBER = { type: 'INT64', cell_val_num: 1 } as const

/** The columns that every call has: its sample, and its position in the genome. */
const PLACE_COLUMNS: readonly ColumnType[] = [
  { name: 'sample', kind: 'dimension', ...TEXT, nullable: true },
  { name: 'contig', kind: 'dimension', ...TEXT, nullable: true },
  { name: 'pos', kind: 'dimension', ...NUMBER, nullable: true },
  { name: 'end', kind: 'dimension', ...NUMBER, nullable: true },
]

/** The columns that {@link ShownFields.provenance} adds. */
const PROVENANCE_COLUMNS: readonly ColumnType[] = [
  { name: '__fragment', kind: 'attribute', ...TEXT, nullable: false },
  ...['__tile', '__cell', '__row', '__column'].map((name) => ({
    ...{ name, kind: 'attribute' as const, ...NUMBER, nullable: false },
  })),
]

/** Names of the columns that are no fields. */
const OWN_NAMES = new Set([...PLACE_COLUMNS, ...PROVENANCE_COLUMNS].map(({ name }) => name))
/** Added to the name of a field if a column that is no field has that name, too. */
const FIELD_SUFFIX = '_FIELD'

/** All columns of the calls. Those of the fields begin at {@link FIRST_FIELD}, in their order. */
export function callColumns({ fields, provenance }: ShownFields): ColumnType[] {
  const fieldColumns = fields.map(columnOf).map((column) => {
    const { name } = column
    return OWN_NAMES.has(name) ? { ...column, name: name + FIELD_SUFFIX } : column
  })
  return [...PLACE_COLUMNS, ...fieldColumns, ...(provenance ? PROVENANCE_COLUMNS : [])]
}

/** Index of the first column of a field. */
export const FIRST_FIELD = PLACE_COLUMNS.length

/**
 * The calls of an interval, batch by batch.
 * @param fragments oldest first
 * @param coords index of the coordinates among the fields of the schema
 * @param end index of END among them: see {@link placeFields}
 * @param onUnknown called for a row without a sample, and a column without a contig
 * @throws InspectError of reading the fragments
 */
export async function* callBatches(
  fragments: readonly MergedFragment[],
  { coords, end }: { coords: number; end: number },
  shown: ShownFields,
  {
    maps,
    wanted,
    memory,
    onUnknown,
  }: {
    maps: CallMaps
    wanted: WantedCalls
    memory: Memory
    onUnknown: (what: 'row' | 'column', number: number) => void
  },
): AsyncGenerator<CellBatch> {
  // A FILTER cell names filters by their place among all fields of vidmap.json.
  const filters = (maps.vidmap?.fields ?? []).map(({ name }) => name)
  const samples = new Map((maps.callset?.samples ?? []).map(({ name, row }) => [row, encodeText(name)]))
  const batchOf = (runs: readonly MergedRun[]): CellBatch => {
    const count = sum(runs, (run) => run.count)
    const rows = numbersOf(runs, count, 'rows')
    const columns = numbersOf(runs, count, 'columns')
    const ends = numbersOf(runs, count, 'ends')
    const names = Array.from(rows, (row) => {
      const name = samples.get(row)
      if (!name) onUnknown('row', row)
      return name
    })
    const places = placeColumns(maps, columns, ends, onUnknown)
    const fields = shown.fields.map((field) => shownColumn(field, gathered(runs, count, field), count, filters))
    const provenance = shown.provenance ? provenanceColumns(runs, count, rows, columns) : []
    return { tile: 0, cell_num: count, rows: undefined, columns: [texts(names), ...places, ...fields, ...provenance] }
  }
  for await (const runs of mergedCalls(fragments, { coords, end }, wanted)) {
    for (const { tile } of runs) for (const { index } of shown.fields) await tile.load(index)
    for (const piece of piecesOf(runs, shown.fields, memory)) yield batchOf(piece)
  }
}

/** How often memory holds the cells of a batch: once as they are gathered, once as text. */
const TIMES_CELLS = 2

/** Cuts a batch if its cells take more memory than there is. @throws InspectError TOO_LARGE if a single call takes more */
function* piecesOf(
  runs: readonly MergedRun[],
  fields: readonly CallField[],
  memory: Memory,
): Generator<readonly MergedRun[]> {
  const most = memory.room / TIMES_CELLS
  const tiles = new Set(runs.map(({ tile }) => tile))
  if (sum(tiles, (tile) => sum(fields, ({ index }) => tile.column(index).data.length)) <= most) {
    yield runs
    return
  }
  let piece: MergedRun[] = []
  let bytes = 0
  for (const run of cutRuns(runs, fields, most)) {
    const more = bytesOf(run, fields)
    if (piece.length > 0 && bytes + more > most) {
      yield piece
      piece = []
      bytes = 0
    }
    new CountedBytes(memory, 'the cells of a call', TIMES_CELLS).add(more, run.tile.fragment.path)
    piece.push(run)
    bytes += more
  }
  yield piece
}

/** Cuts each run of more than `most` bytes into single calls. */
function* cutRuns(runs: readonly MergedRun[], fields: readonly CallField[], most: number): Generator<MergedRun> {
  for (const run of runs) {
    if (bytesOf(run, fields) <= most) yield run
    else for (let i = 0; i < run.count; i++) yield { ...run, from: run.from + i, count: 1 }
  }
}

/** Bytes that the cells of a run have in some fields. */
function bytesOf({ tile, from, count }: MergedRun, fields: readonly CallField[]): number {
  return sum(fields, ({ index, stored: { type, cell_val_num } }) => {
    const { starts } = tile.column(index)
    if (cell_val_num !== 'var') return count * cell_val_num * datatypeSize(type)
    return (starts?.[from + count] ?? 0) - (starts?.[from] ?? 0)
  })
}

/** Coordinates or ends of the cells of some runs. @param total number of these cells */
function numbersOf(runs: readonly MergedRun[], total: number, key: 'rows' | 'columns' | 'ends'): Float64Array {
  const all = new Float64Array(total)
  let at = 0
  for (const { tile, from, count } of runs) {
    all.set(tile.places[key].subarray(from, from + count), at)
    at += count
  }
  return all
}

function placeColumns(
  { vidmap }: CallMaps,
  columns: Float64Array,
  ends: Float64Array,
  onUnknown: (what: 'column', number: number) => void,
): ColumnData[] {
  const contigs = vidmap?.contigs ?? []
  const encoded = new Map(contigs.map((contig) => [contig, encodeText(contig.name)]))
  const starts = Array.from(columns, (column) => {
    const place = placeOfColumn(contigs, column)
    if (!place) onUnknown('column', column)
    return place
  })
  const names = starts.map((place) => place && encoded.get(place.contig))
  const positions = starts.map((place) => place?.pos)
  const lasts = Array.from(ends, (end) => placeOfColumn(contigs, end)?.pos)
  return [texts(names), int64s(positions), int64s(lasts)]
}

function provenanceColumns(
  runs: readonly MergedRun[],
  total: number,
  rows: Float64Array,
  columns: Float64Array,
): ColumnData[] {
  const names: Uint8Array[] = []
  const [tiles, cells] = [new Float64Array(total), new Float64Array(total)]
  for (const { tile, from, count } of runs) {
    const name = encodeText(tile.fragment.name)
    for (let i = 0; i < count; i++) {
      tiles[names.length] = tile.tile
      cells[names.length] = from + i
      names.push(name)
    }
  }
  return [texts(names), ...[tiles, cells, rows, columns].map((numbers) => int64s([...numbers]))]
}

/** Makes a column of texts. An undefined one becomes null. */
function texts(all: readonly (Uint8Array | undefined)[]): ColumnData {
  const starts = new Float64Array(all.length + 1)
  const validity = new Uint8Array(all.length)
  let length = 0
  for (const [i, text] of all.entries()) {
    starts[i] = length
    validity[i] = text ? 1 : 0
    length += text?.length ?? 0
  }
  starts[all.length] = length
  const data = new Uint8Array(length)
  for (const [i, text] of all.entries()) if (text) data.set(text, starts[i])
  return { data, starts, validity }
}

/** Makes a column of INT64. An undefined number becomes null. */
function int64s(all: readonly (number | undefined)[]): ColumnData {
  const data = new Uint8Array(8 * all.length)
  const view = new DataView(data.buffer)
  const validity = new Uint8Array(all.length)
  for (const [i, number] of all.entries()) {
    if (number === undefined) continue
    validity[i] = 1
    view.setInt32(8 * i + 4, Math.floor(number / 2 ** 32), true)
    view.setUint32(8 * i, number >>> 0, true)
  }
  return { data, starts: undefined, validity }
}

/** The cells of a field, run by run, as they are stored. */
function gathered(runs: readonly MergedRun[], total: number, { index, stored }: CallField): ColumnData {
  if (stored.cell_val_num !== 'var') {
    const size = datatypeSize(stored.type) * stored.cell_val_num
    const data = new Uint8Array(size * total)
    let at = 0
    for (const { tile, from, count } of runs) {
      data.set(tile.column(index).data.subarray(from * size, (from + count) * size), at)
      at += count * size
    }
    return { data, starts: undefined, validity: undefined }
  }
  const parts: Uint8Array[] = []
  const starts = new Float64Array(total + 1)
  let [length, cell] = [0, 0]
  for (const { tile, from, count } of runs) {
    const column = tile.column(index)
    const first = column.starts?.[from] ?? 0
    const end = column.starts?.[from + count] ?? 0
    for (let i = 0; i < count; i++) starts[cell++] = length + (column.starts?.[from + i] ?? 0) - first
    parts.push(column.data.subarray(first, end))
    length += end - first
  }
  starts[total] = length
  const data = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    data.set(part, at)
    at += part.length
  }
  return { data, starts, validity: undefined }
}

/** The only byte in a text that is absent. */
const ABSENT_BYTE = 0x7f
/** The largest INT32, which stands for a number that is absent. */
const ABSENT_INT32 = 0x7fffffff
/** Numbers that stand for an allele that was not called. */
const NO_ALLELE = [-1, ABSENT_INT32, -0x80000000]
/** Stands for PASS among the filters of a cell, as PASS is no field of vidmap.json. */
const PASS = -1

/** The cells of a field as {@link columnOf} says they are shown. */
function shownColumn(field: CallField, data: ColumnData, count: number, filters: readonly string[]): ColumnData {
  const { form, stored } = field
  switch (form) {
    case 'flag': {
      const validity = data.data.map((byte) => (byte === ABSENT_BYTE ? 0 : 1))
      return { data: data.data.map((byte) => (byte === 1 ? 1 : 0)), starts: undefined, validity }
    }
    case 'genotype':
      return texts(mapLists(data, count, (numbers) => encodeText(genotype(numbers, field.hasPhases))))
    case 'filters':
      return texts(
        mapLists(data, count, (numbers) => encodeText(numbers.map((n) => filterName(n, filters)).join(LIST_SEPARATOR))),
      )
    case 'text':
    case 'alleles':
    case 'nested':
      return withoutAbsent(stored.cell_val_num === 'var' ? data : asTexts(data, stored.cell_val_num, count), count)
    default:
      return { ...data, validity: numberValidity(data, field, count) }
  }
}

/** Stands between the texts of a cell, as the importer writes alleles. */
export const LIST_SEPARATOR = '|'

/** The name of a filter, by its place among the fields of vidmap.json. */
function filterName(place: number, filters: readonly string[]): string {
  return place === PASS ? 'PASS' : (filters[place] ?? String(place))
}

/** Maps cells that are lists of INT32. A cell without numbers, or with only absent ones, gives undefined. */
function mapLists<T>(
  { data, starts }: ColumnData,
  count: number,
  map: (numbers: readonly number[]) => T,
): (T | undefined)[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const all: (T | undefined)[] = []
  for (let cell = 0; cell < count; cell++) {
    const [from, to] = [starts?.[cell] ?? 0, starts?.[cell + 1] ?? 0]
    const numbers: number[] = []
    for (let at = from; at < to; at += 4) numbers.push(view.getInt32(at, true))
    all.push(numbers.length === 0 || numbers.every((n) => n === ABSENT_INT32) ? undefined : map(numbers))
  }
  return all
}

/** A genotype as VCF prints it. @param hasPhases whether a phase stands between two alleles: 0 for `/`, 1 for `|` */
export function genotype(numbers: readonly number[], hasPhases: boolean): string {
  const allele = (n: number): string => (NO_ALLELE.includes(n) ? '.' : String(n))
  if (!hasPhases) return numbers.map(allele).join('/')
  const phase = (n: number): string => (n === 0 ? '/' : '|')
  return numbers.map((n, i) => (i % 2 === 0 ? allele(n) : phase(n))).join('')
}

/** The highest allele of each genotype; 0 if no allele was called, undefined for a cell without a genotype. */
export function highestAlleles(data: ColumnData, count: number, hasPhases: boolean): (number | undefined)[] {
  const step = hasPhases ? 2 : 1
  return mapLists(data, count, (numbers) =>
    numbers.reduce((high, n, i) => (i % step > 0 || NO_ALLELE.includes(n) ? high : Math.max(high, n)), 0),
  )
}

/** How many alternative alleles each cell has. @param data the cells of ALT, which lists them */
export function alternativeNums(data: ColumnData, count: number): number[] {
  const { starts, validity } = withoutAbsent(data, count)
  return Array.from({ length: count }, (_, cell) => {
    if (validity?.[cell] === 0) return 0
    const own = data.data.subarray(starts?.[cell] ?? 0, starts?.[cell + 1] ?? 0)
    return own.reduce((num, byte) => (byte === LIST_SEPARATOR.charCodeAt(0) ? num + 1 : num), 1)
  })
}

/** Texts of `size` bytes each as a column of texts of any length. */
function asTexts({ data }: ColumnData, size: number, count: number): ColumnData {
  return { data, starts: Float64Array.from({ length: count + 1 }, (_, i) => i * size), validity: undefined }
}

/** Marks texts as null if they are absent: if they are empty, or have no byte but {@link ABSENT_BYTE}. */
function withoutAbsent({ data, starts }: ColumnData, count: number): ColumnData {
  const validity = new Uint8Array(count)
  for (let cell = 0; cell < count; cell++) {
    const [from, to] = [starts?.[cell] ?? 0, starts?.[cell + 1] ?? 0]
    for (let at = from; at < to && validity[cell] === 0; at++) if (data[at] !== ABSENT_BYTE) validity[cell] = 1
  }
  return { data, starts, validity }
}

/** The largest number of each type, which stands for an absent one: its 32-bit words, lowest first. */
const ABSENT_WORDS: { readonly [type: string]: readonly number[] } = {
  INT32: [ABSENT_INT32],
  INT64: [0xffffffff, 0x7fffffff],
  FLOAT32: [0x7f7fffff],
  FLOAT64: [0xffffffff, 0x7fefffff],
}

/** The validity of cells of numbers: 1 if any number of the cell is there. */
function numberValidity({ data, starts }: ColumnData, { stored }: CallField, count: number): Uint8Array {
  const words = ABSENT_WORDS[stored.type]
  const size = datatypeSize(stored.type)
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const validity = new Uint8Array(count)
  const cellBytes = size * (stored.cell_val_num === 'var' ? 1 : stored.cell_val_num)
  for (let cell = 0; cell < count; cell++) {
    const from = starts ? (starts[cell] ?? 0) : cell * cellBytes
    const to = starts ? (starts[cell + 1] ?? 0) : from + cellBytes
    for (let at = from; at < to && validity[cell] === 0; at += size)
      if (!words?.every((word, i) => view.getUint32(at + 4 * i, true) === word)) validity[cell] = 1
  }
  return validity
}

/** Indexes of the fields that tell where a call lies, for {@link callBatches}. Undefined if the array has no END. */
export function placeFields({ array }: Pick<GenomicsdbFragment, 'array'>): { coords: number; end: number } | undefined {
  const end = array.fields.findIndex(({ name }) => name === END)
  return end < 0 ? undefined : { coords: array.fields.length - 1, end }
}
