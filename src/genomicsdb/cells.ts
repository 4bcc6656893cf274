import { element } from '../base/element.ts'
import { faultOf, InspectError, inconsistent } from '../base/errors.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { datatypeSize } from '../format/datatype.ts'
import { u64s } from '../format/u32.ts'
import { type ColumnFile, columnFiles, type OpenColumnFile, openColumnFile, tilePlace } from './column-file.ts'
import { type GenomicsdbFragment, tileCells } from './fragment.ts'

/** Which cells of a fragment are read. */
export interface FragmentCellsOptions {
  /** Names of attributes; undefined for all. Dimensions are always there. */
  fields?: readonly string[] | undefined
  /** First and last tile, both included. */
  tiles?: { from: number; to: number } | undefined
  /** As `skipTile` of the cells of TileDB (cells/fragment-cells.ts). */
  skipTile?: ((tile: number) => boolean) | undefined
  /** Whether to skip every tile with an unreadable column. */
  wholeTiles?: boolean | undefined
  /**
   * Called for a column that cannot be read, which is then missing in its batch. Without it the error is thrown.
   * @param tile undefined if no tile of the column can be read
   */
  onFault?: ((fault: InspectError, column: string, tile: number | undefined) => void) | undefined
}

/** The cells of a fragment, as they are stored. */
export interface GenomicsdbCells {
  /** The dimensions, then the attributes. */
  columns: readonly ColumnType[]
  /** A batch for each tile. */
  batches(): AsyncGenerator<CellBatch>
  close(): Promise<void>
}

/** The columns of a fragment: the dimensions, then the attributes. */
export function genomicsdbColumns({ array }: Pick<GenomicsdbFragment, 'array'>): ColumnType[] {
  const attributes = array.fields.slice(0, -1)
  return [
    ...array.dimensions.map((dimension) => ({ ...dimension, kind: 'dimension' as const, nullable: false })),
    ...attributes.map(({ name, type, cell_val_num }) => ({
      ...{ name, kind: 'attribute' as const, type, cell_val_num },
      nullable: false,
    })),
  ]
}

/** The files of one field, or why they cannot be read. */
export interface OpenField {
  name: string
  index: number
  data: OpenColumnFile | undefined
  values: OpenColumnFile | undefined
}

/** Opens the cells of a fragment. @throws InspectError UNSUPPORTED_VERSION for a dense array, whose cells have no coordinates */
export async function openFragmentCells(
  fragment: GenomicsdbFragment,
  { fields, tiles, skipTile, wholeTiles, onFault }: FragmentCellsOptions = {},
): Promise<GenomicsdbCells> {
  const { array, tile_num, folder } = fragment
  if (array.schema.dense) {
    const fault = { expected: 'a sparse array, as GenomicsDB makes them', found: 'a dense array of TileDB before 1.0' }
    throw new InspectError('UNSUPPORTED_VERSION', fault, { file: folder.path })
  }
  const columns = genomicsdbColumns(fragment).filter(
    ({ kind, name }) => kind === 'dimension' || (fields?.includes(name) ?? true),
  )
  const wanted = { from: tiles?.from ?? 0, to: Math.min(tiles?.to ?? tile_num - 1, tile_num - 1) }
  const told = (error: unknown, name: string, tile?: number): undefined => {
    const fault = faultOf(error)
    if (!onFault) throw fault
    onFault(fault, name, tile)
  }
  const coords = array.fields.length - 1
  const open: OpenField[] = []
  const close = async (): Promise<void> => {
    for (const { data, values } of open) {
      await data?.close()
      await values?.close()
    }
  }
  try {
    const files = columnFiles(fragment)
    for (const index of [coords, ...array.fields.keys()].slice(0, -1)) {
      const { name } = element(array.fields, index)
      if (index !== coords && !columns.some((column) => column.kind === 'attribute' && column.name === name)) continue
      const ofField = files.filter((file) => file.index === index)
      open.push(await openField(fragment, ofField, wanted, told))
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    columns,
    async *batches() {
      for (let tile = wanted.from; tile <= wanted.to; tile++) {
        if (skipTile?.(tile)) continue
        const cell_num = tileCells(fragment, tile)
        const read: (ColumnData | undefined)[] = []
        for (const field of open) {
          const column = await fieldColumn(field, tile).catch((error: unknown) => told(error, field.name, tile))
          if (field.index === coords) read.push(...dimensionColumns(fragment, column?.data))
          else read.push(column)
        }
        if (!wholeTiles || read.every((column) => column !== undefined))
          yield { tile, cell_num, rows: undefined, columns: read }
      }
    },
    close,
  }
}

async function openField(
  fragment: GenomicsdbFragment,
  files: readonly ColumnFile[],
  tiles: { from: number; to: number },
  told: (error: unknown, name: string) => undefined,
): Promise<OpenField> {
  const { index, field } = element(files, 0)
  const opened: OpenColumnFile[] = []
  try {
    for (const file of files) opened.push(await openColumnFile(fragment, file, tiles))
  } catch (error) {
    for (const one of opened.splice(0)) await one.close()
    told(error, field.name)
  }
  return { name: field.name, index, data: opened[0], values: opened[1] }
}

/** The cells of a field in a tile; undefined if its file could not be opened. @throws InspectError */
export async function fieldColumn({ data, values }: OpenField, tile: number): Promise<ColumnData | undefined> {
  if (!data) return undefined
  const cells = await data.read(tile)
  if (!values) return { data: cells, starts: undefined, validity: undefined }
  const bytes = await values.read(tile)
  const starts = varStarts(data, values, tile, cells, bytes.length)
  return { data: bytes, starts, validity: undefined }
}

/**
 * Starts of the cells of a tile in its values, and the end of the last. Stored offsets count from the start of the values of the whole
 * fragment.
 * @throws InspectError INCONSISTENT
 */
function varStarts(
  { source }: OpenColumnFile,
  values: OpenColumnFile,
  tile: number,
  offsets: Uint8Array,
  length: number,
): Float64Array {
  const base = valuesBefore(values, tile)
  const size = datatypeSize(values.field.type)
  const starts = u64s(offsets, base + length)
  const wrong = (expected: string, found: string | number): InspectError =>
    inconsistent({ expected, found }, tilePlace(source.name, tile))
  const first = element(starts, 0)
  if (first !== base) throw wrong(`a first offset of ${base}`, first)
  for (let i = 0; i < starts.length - 1; i++) {
    const from = starts[i] ?? 0
    const to = starts[i + 1] ?? 0
    if (from > to || (to - from) % size !== 0)
      throw wrong(`cells of whole elements of ${size} bytes, up to ${base + length}`, `cell ${i} from ${from} to ${to}`)
    starts[i] = from - base
  }
  starts[starts.length - 1] = length
  return starts
}

const sums = new WeakMap<Float64Array, Float64Array>()

/** Unfiltered bytes of the tiles before a tile. */
function valuesBefore({ unfiltered_sizes }: OpenColumnFile, tile: number): number {
  let before = sums.get(unfiltered_sizes)
  if (!before) {
    before = new Float64Array(unfiltered_sizes.length)
    let sum = 0
    for (const [i, size] of unfiltered_sizes.entries()) {
      before[i] = sum
      sum += size
    }
    sums.set(unfiltered_sizes, before)
  }
  return element(before, tile)
}

/** Coordinates, which are stored cell by cell, as a column for each dimension. */
function dimensionColumns({ array }: GenomicsdbFragment, coords: Uint8Array | undefined): (ColumnData | undefined)[] {
  const { dimensions } = array
  const size = datatypeSize(element(dimensions, 0).type)
  const cellBytes = size * dimensions.length
  return dimensions.map((_, dimension) => {
    if (!coords) return undefined
    const data = new Uint8Array(coords.length / dimensions.length)
    for (let from = dimension * size, to = 0; to < data.length; from += cellBytes, to += size)
      for (let i = 0; i < size; i++) data[to + i] = coords[from + i] ?? 0
    return { data, starts: undefined, validity: undefined }
  })
}
