import { element } from '../base/element.ts'
import { addPlace, type ErrorPlace, InspectError, inconsistent, withPlace } from '../base/errors.ts'
import { CountedBytes, Lease } from '../base/memory.ts'
import { datatypeSize } from '../format/datatype.ts'
import { COORDS, type GenomicsdbField, type GenomicsdbSchema } from '../format/genomicsdb/array-schema.ts'
import { u64 } from '../format/u32.ts'
import { ReadAhead } from '../storage/read-ahead.ts'
import { type ByteSource, findEntry, withSource } from '../storage/source.ts'
import type { GenomicsdbArray, GenomicsdbFragmentFolder } from './array.ts'
import { type GenomicsdbFragment, tileCells } from './fragment.ts'
import { type TileCodec, type TileLayout, tileCodec } from './tile-codec.ts'

/** What a file of a fragment holds: fixed-sized cells, offsets of var-sized cells, or the values of those. */
export type ColumnRole = 'data' | 'offsets' | 'var'

/** A file of a fragment, by the schema. */
export interface ColumnFile {
  name: string
  field: GenomicsdbField
  /** Position of the field: attributes, then coordinates. */
  index: number
  role: ColumnRole
  /** Bytes of a cell; undefined for var-sized values. */
  cellBytes: number | undefined
  layout: TileLayout
}

const OFFSET_BYTES = 8

/** The files by the schema: a workspace has thousands of fragments with the same. */
const known = new WeakMap<GenomicsdbSchema, readonly ColumnFile[]>()

/** The files that a fragment of an array has, besides its mark and its book-keeping. */
export function columnFiles({ array }: Pick<GenomicsdbFragment, 'array'>): readonly ColumnFile[] {
  const files = known.get(array.schema) ?? filesOfFields(array)
  known.set(array.schema, files)
  return files
}

function filesOfFields({ fields, schema }: GenomicsdbArray): ColumnFile[] {
  return fields.flatMap((field, index): ColumnFile[] => {
    const { name, type, cell_val_num, compression, offsets } = field
    const size = datatypeSize(type)
    const dimNum = schema.dimensions.length
    const coords = index === fields.length - 1 ? { dimNum, isColMajor: schema.cell_order === 'col-major' } : undefined
    if (cell_val_num !== 'var') {
      const cellBytes = size * cell_val_num
      const layout = { compression, type, deltaType: type, stride: cell_val_num, runBytes: cellBytes, coords }
      return [{ name: `${name}.tdb`, field, index, role: 'data', cellBytes, layout }]
    }
    // The writer takes runs and bits of offsets by the type of the values.
    const ofOffsets = { compression: offsets?.compression ?? compression, deltaType: 'UINT64' as const }
    const shared = { type, stride: 1, runBytes: size, coords: undefined }
    return [
      {
        ...{ name: `${name}.tdb`, field, index, role: 'offsets', cellBytes: OFFSET_BYTES },
        layout: { ...shared, ...ofOffsets },
      },
      {
        ...{ name: `${name}_var.tdb`, field, index, role: 'var', cellBytes: undefined },
        layout: { ...shared, compression, deltaType: type },
      },
    ]
  })
}

/** Where the tiles of a file are, tile by tile. */
export interface ColumnTiles {
  /** Bytes of the file. */
  file_size: number
  /** Start of each tile in the file, and the end of the last. */
  starts: Float64Array
  /** Unfiltered bytes of each tile. */
  unfiltered_sizes: Float64Array
}

/** An open file of a fragment. */
export interface OpenColumnFile extends ColumnFile, ColumnTiles {
  fragment: GenomicsdbFragment
  source: ByteSource
  /** Bytes of a tile as stored. */
  stored(tile: number): Promise<Uint8Array>
  /** Unfiltered bytes of a tile. @throws InspectError with file and tile */
  read(tile: number): Promise<Uint8Array>
  close(): Promise<void>
}

/**
 * Opens a file of a fragment.
 * @param tiles first and last tile that will be read, to read ahead
 * @throws InspectError MISSING_FILE; INCONSISTENT if the book-keeping contradicts the file; UNSUPPORTED_FILTER
 */
export async function openColumnFile(
  fragment: GenomicsdbFragment,
  column: ColumnFile,
  tiles = { from: 0, to: fragment.tile_num - 1 },
): Promise<OpenColumnFile> {
  const { folder, array } = fragment
  const source = folder.file(column.name)
  const file = source.name
  const stream = new ReadAhead(source)
  const lease = new Lease(array.cx.memory)
  try {
    const found = await columnTiles(fragment, column)
    const { starts, unfiltered_sizes } = found
    const codec = await placed(file, undefined, () => tileCodec(column.layout, array.cx.codecs))
    const startOf = (tile: number): number => element(starts, tile)
    const stored = (tile: number): Promise<Uint8Array> =>
      placed(file, tile, async () => {
        const length = startOf(tile + 1) - startOf(tile)
        new CountedBytes(array.cx.memory, 'a stored tile').add(length, file)
        return stream.read(startOf(tile), length)
      })
    stream.plan(rangesOf(starts, tiles))
    return {
      ...column,
      ...found,
      fragment,
      source,
      stored,
      async read(tile) {
        const bytes = await stored(tile)
        const size = element(unfiltered_sizes, tile)
        return withPlace(tilePlace(file, tile), () => undone(codec, bytes, size, lease))
      },
      async close() {
        lease.release()
        await stream.close()
      },
    }
  } catch (error) {
    await stream.close()
    throw error
  }
}

/** The place of a tile, for errors. */
export function tilePlace(file: string, tile: number): ErrorPlace {
  return { file, tile, field: `tile ${tile}` }
}

/** A tile of no bytes may be stored as none, whatever its compression. */
function undone(codec: TileCodec, stored: Uint8Array, size: number, lease: Lease): Uint8Array {
  if (size === 0 && stored.length === 0) return stored
  return codec(stored, size, () => lease.hold(size))
}

function* rangesOf(starts: Float64Array, { from, to }: { from: number; to: number }) {
  for (let tile = from; tile <= to; tile++) {
    const offset = element(starts, tile)
    yield { offset, length: element(starts, tile + 1) - offset }
  }
}

async function placed<T>(file: string, tile: number | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw addPlace(error, tile === undefined ? { file } : tilePlace(file, tile))
  }
}

/**
 * Finds the tiles of a file. Only the var-sized values of a field without compression need another file: the offsets say where their
 * tiles begin.
 * @throws InspectError MISSING_FILE; INCONSISTENT if the book-keeping contradicts the file
 */
export async function columnTiles(fragment: GenomicsdbFragment, column: ColumnFile): Promise<ColumnTiles> {
  const { book, tile_num } = fragment
  const { index, role, cellBytes, name, layout } = column
  const sizesList = role === 'var' ? element(book.tile_var_sizes, index).values : undefined
  const offsets = element(role === 'var' ? book.tile_var_offsets : book.tile_offsets, index).values
  const isPlain = layout.compression.startsWith('NONE') && offsets.length === 0
  const isPlainVar = isPlain && role === 'var' && sizesList?.length === 0
  const unfiltered = isPlainVar ? undefined : unfilteredSizes(fragment, cellBytes, sizesList, column)
  const isEmpty = unfiltered?.every((size) => size === 0) ?? false
  const file_size = await fileSize(fragment, name, isEmpty)
  if (unfiltered === undefined) return plainVarTiles(fragment, column, file_size)
  if (isPlain) {
    const starts = endsOf(unfiltered)
    const end = element(starts, tile_num)
    if (end === file_size) return { file_size, starts, unfiltered_sizes: unfiltered }
    throw wrongFile(fragment, name, `a file of ${end} bytes, by the book-keeping`, file_size)
  }
  if (offsets.length !== tile_num) {
    const list = role === 'var' ? 'tile_var_offsets' : 'tile_offsets'
    throw wrongFile(fragment, name, `${tile_num} ${list} in the book-keeping`, offsets.length)
  }
  const starts = new Float64Array(tile_num + 1)
  starts.set(offsets)
  starts[tile_num] = file_size
  checkRising(fragment, column, starts)
  return { file_size, starts, unfiltered_sizes: unfiltered }
}

/** Tiles of var-sized values without compression: each begins where the first offset of its cells says. */
async function plainVarTiles(
  fragment: GenomicsdbFragment,
  column: ColumnFile,
  file_size: number,
): Promise<ColumnTiles> {
  const { tile_num } = fragment
  const starts = new Float64Array(tile_num + 1)
  starts[tile_num] = file_size
  const offsets = columnFiles(fragment).find(({ index, role }) => index === column.index && role === 'offsets')
  if (offsets && tile_num > 0) {
    const open = await openColumnFile(fragment, offsets)
    try {
      for (let tile = 0; tile < tile_num; tile++) starts[tile] = u64(await open.read(tile), 0)
    } finally {
      await open.close()
    }
  }
  if (tile_num > 0 && starts[0] !== 0) throw wrongFile(fragment, column.name, 'a first offset of 0', element(starts, 0))
  checkRising(fragment, column, starts)
  return { file_size, starts, unfiltered_sizes: starts.slice(1).map((end, i) => end - element(starts, i)) }
}

/** Refuses tiles that end before they start, or after the end of the file. */
function checkRising(fragment: GenomicsdbFragment, { name }: ColumnFile, starts: Float64Array): void {
  const end = element(starts, starts.length - 1)
  for (let tile = 0; tile < starts.length - 1; tile++) {
    const [from, to] = [element(starts, tile), element(starts, tile + 1)]
    if (from <= to && to <= end) continue
    const fault = { expected: `a tile within the ${end} bytes of the file`, found: `one from ${from} to ${to}` }
    throw inconsistent(fault, tilePlace(`${fragment.folder.path}/${name}`, tile))
  }
}

function unfilteredSizes(
  fragment: GenomicsdbFragment,
  cellBytes: number | undefined,
  varSizes: Float64Array | undefined,
  { name }: ColumnFile,
): Float64Array {
  const { tile_num } = fragment
  if (cellBytes === undefined) {
    if (varSizes?.length === tile_num) return varSizes
    throw wrongFile(fragment, name, `${tile_num} tile_var_sizes in the book-keeping`, varSizes?.length ?? 0)
  }
  const sizes = new Float64Array(tile_num).fill(fragment.array.schema.capacity * cellBytes)
  if (tile_num > 0) sizes[tile_num - 1] = tileCells(fragment, tile_num - 1) * cellBytes
  return sizes
}

function endsOf(sizes: Float64Array): Float64Array {
  const ends = new Float64Array(sizes.length + 1)
  for (const [i, size] of sizes.entries()) ends[i + 1] = element(ends, i) + size
  return ends
}

/** Bytes of a file of a fragment; undefined if it is not there. */
export async function columnFileSize(
  { folder, entries }: GenomicsdbFragmentFolder,
  name: string,
): Promise<number | undefined> {
  const entry = findEntry(entries, name)
  return entry?.kind === 'file' ? (entry.size ?? withSource(folder.file(name), (source) => source.size())) : undefined
}

/** @param mayMiss whether a file without bytes need not be there */
async function fileSize(fragment: GenomicsdbFragment, name: string, mayMiss: boolean): Promise<number> {
  const size = await columnFileSize(fragment, name)
  if (size !== undefined) return size
  if (mayMiss) return 0
  const fault = { expected: `the file ${name} of the fragment`, found: 'no such file' }
  throw new InspectError('MISSING_FILE', fault, { file: `${fragment.folder.path}/${name}` })
}

function wrongFile({ folder }: GenomicsdbFragment, name: string, expected: string, found: number): InspectError {
  return inconsistent({ expected, found }, { file: `${folder.path}/${name}` })
}

/** Whether a file is that of the coordinates. */
export function isCoords({ field }: Pick<ColumnFile, 'field'>): boolean {
  return field.name === COORDS
}
