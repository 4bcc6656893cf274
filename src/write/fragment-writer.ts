import { NO_BYTES } from '../base/bytes.ts'
import { unexpected, usage } from '../base/errors.ts'
import { globalOrder } from '../cells/cell-order.ts'
import { type ColumnData, cellBytes } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-coordinates.ts'
import { type CellPositions, gather } from '../cells/gather.ts'
import { coordinateRange, unionOf } from '../cells/rtree-builder.ts'
import { countsNulls, hasMinMax, hasSum, type StatisticsField } from '../cells/tile-statistics.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import { checkVersion } from '../format/format-version.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { slotHasFiles } from '../objects/fragment.ts'
import { checkCurrentDomain, checkDuplicates, checkInDomain, checkLabelOrder } from './check-cells.ts'
import { DenseTiler } from './dense-tiler.ts'
import { type FieldsContext, FieldWriter } from './field-writer.ts'
import { emptySlot, type SlotMetadata, type TileBounds, writeFragmentMetadata } from './fragment-metadata-writer.ts'
import type { WriteContext } from './generic-tile-writer.ts'

/** A fragment as values. */
export interface FragmentToWrite {
  /** The schema of the fragment. */
  schema: ArraySchema
  /** `__array_schema.tdb`, or the name in `__schema`. */
  schemaName: string
  formatVersion: number
  /** In milliseconds. */
  timestampRange: [bigint, bigint]
  /** 32 hex digits. */
  uuid: string
  /** Dense: the written range, inclusive. Cells fill this box in row-major order unless `stored` is set. */
  domain: NDRange | undefined
  /**
   * By field name: attributes, and dimensions if sparse. Optional: `__timestamps`, `__delete_timestamps`,
   * `__delete_condition_index`.
   */
  cells: { cell_num: number; columns: ReadonlyMap<string, ColumnData> }
  /** Cells are given in stored order. Sparse: this order is kept. Dense: whole tiles with padding. */
  stored?: boolean
  /** Dense: by attribute, a column of one cell, which is stored as padding and counts in statistics. Undefined for zeros that do not count. */
  padding?: ReadonlyMap<string, ColumnData> | undefined
  processedConditions?: readonly string[]
}

/** A fragment as files. */
export interface WrittenFragment {
  /** Name of its folder. */
  name: string
  files: { name: string; bytes: Uint8Array }[]
}

/** The division of cells into tiles. */
interface Tiling {
  tileNum: number
  cellsPerTile: number
  lastTileCellNum: number
  tile(index: number): { positions: CellPositions; written?: Uint32Array | undefined; slabs?: () => Slabs }
}

/**
 * Makes the files of a fragment as TileDB's writers do. Cells are put in global order, split into tiles and filtered chunk by
 * chunk. All lists of the metadata are filled.
 *
 * @throws InspectError BAD_VALUE for cells that TileDB would refuse; errors of filters
 * @see tiledb/sm/query/writers/
 */
export async function writeFragment(fragment: FragmentToWrite, cx: WriteContext): Promise<WrittenFragment> {
  const { schema, formatVersion, cells } = fragment
  checkVersion(formatVersion)
  const { dimensions } = schema.domain
  const dense = schema.array_type === 'dense'
  const slots = fragmentSlots(formatVersion, schema, {
    includes_timestamps: cells.columns.has('__timestamps'),
    includes_delete_metadata: cells.columns.has('__delete_timestamps'),
  })
  const column = (name: string): ColumnData => {
    const found = cells.columns.get(name)
    if (!found) throw unexpected(`cells of ${name}`, 'none', name)
    return found
  }
  checkNames(fragment, slots)
  for (const slot of slots) {
    if (slot.kind === 'attribute') checkLabelOrder(schema, slot, column(slot.name), cells.cell_num)
    await cx.pause?.()
  }
  const coordinates = dense ? [] : dimensions.map(({ name }) => column(name))
  for (const [d, own] of coordinates.entries()) {
    checkInDomain(dimensions[d], own, cells.cell_num)
    await cx.pause?.()
  }
  const tiling = dense ? denseTiling(fragment) : await sparseTiling(fragment, coordinates, cx.pause)
  const { tileNum, cellsPerTile, lastTileCellNum } = tiling
  const fields: FieldsContext = { ...cx, schema, formatVersion, slots, tileNum, cellsPerTile }
  const writers: (FieldWriter | undefined)[] = []
  for (const [i, slot] of slots.entries())
    writers.push(slotHasFiles({ dense }, slot) ? await FieldWriter.open(fields, i) : undefined)
  const tiles: TileBounds[] = []
  for (let tile = 0; tile < tileNum; tile++) {
    const cellNum = tile === tileNum - 1 ? lastTileCellNum : cellsPerTile
    const { positions, written, slabs } = tiling.tile(tile)
    const tileCoordinates = coordinates.map((one, d) => gather(one, datatypeSize(dimensions[d].type), positions))
    if (!dense) tiles.push(tileBoundsOf(dimensions, tileCoordinates, cellNum))
    for (const writer of writers) {
      if (!writer) continue
      const { kind, index, name, cellSize } = writer.slot
      if (kind === 'coords') writer.appendCoordinates(tile, storedCoordinates(fragment, tileCoordinates, cellNum))
      else if (kind === 'dimension') writer.append(tile, tileCoordinates[index], cellNum)
      else if (fragment.padding) {
        const padded = gather(column(name), cellSize, positions, fragment.padding.get(name))
        // Where TileDB counts no nulls at all, it does not count those of padding either.
        const counts = countsNulls({ ...writer.slot, dimension: false })
        writer.append(tile, padded, cellNum, counts ? undefined : written)
      } else writer.append(tile, gather(column(name), cellSize, positions), cellNum, written, slabs)
    }
    cx.onCells?.(cellNum, (tileNum - 1) * cellsPerTile + lastTileCellNum)
    await cx.pause?.()
  }
  const boxes = tiles.map(({ mbr }) => mbr)
  const nonemptyDomain = dense && fragment.domain ? fragment.domain : unionOf(boxes, dimensions)
  checkCurrentDomain(schema, nonemptyDomain)
  const slotMetadata = slots.map(
    (slot, i) => writers[i]?.metadata() ?? (slot.phantom ? phantomSlot(schema, tileNum) : emptySlot(tileNum)),
  )
  const metadata = { fragment, dense, slots, slotMetadata, nonemptyDomain, tiles, lastTileCellNum }
  return {
    name: fragmentName(formatVersion, fragment.timestampRange, fragment.uuid),
    files: [
      ...writers.flatMap((writer) => writer?.files() ?? []),
      { name: FRAGMENT_METADATA_FILE, bytes: (await writeFragmentMetadata(metadata, cx)).file },
    ],
  }
}

/**
 * Name of a fragment's folder: `__<t1>_<t2>_<uuid>_<version>` since version 5, without the version in 3 and 4. Earlier
 * `__<uuid>_<t>`, or `__<uuid>_<last>_<first>` if the two timestamps differ.
 *
 * @see format_spec/timestamped_name.md; tiledb/storage_format/uri/generate_uri.cc
 */
export function fragmentName(formatVersion: number, [first, last]: readonly [bigint, bigint], uuid: string): string {
  if (formatVersion < 3) return first === last ? `__${uuid}_${first}` : `__${uuid}_${last}_${first}`
  const name = `__${first}_${last}_${uuid}`
  return formatVersion < 5 ? name : `${name}_${formatVersion}`
}

/** Refuses columns that the fragment cannot store, such as one of the two delete fields without the other. */
function checkNames({ schema, cells }: FragmentToWrite, slots: readonly Slot[]): void {
  const fields = [...slots.filter(({ kind }) => kind !== 'coords'), ...schema.domain.dimensions]
  const known = new Set(fields.map(({ name }) => name))
  for (const name of cells.columns.keys())
    if (!known.has(name)) throw unexpected(`cells of ${[...known].join(', ')}`, name)
}

function denseTiling({ schema, domain, stored }: FragmentToWrite): Tiling {
  if (!domain) throw new TypeError('dense cells without the box that they fill')
  const tiler = new DenseTiler(schema, domain)
  const { tile_num: tileNum, cells_per_tile: cellsPerTile } = tiler.grid
  if (stored) return runs(tileNum, cellsPerTile, cellsPerTile)
  checkTileSize(schema, cellsPerTile)
  const tile = (index: number): ReturnType<Tiling['tile']> => ({
    ...tiler.tile(index),
    slabs: () => tiler.slabs(index, 'row-major'),
  })
  return { tileNum, cellsPerTile, lastTileCellNum: cellsPerTile, tile }
}

/** Size in bytes of the largest dense tile that is written. TileDB reads a tile whole, too. */
const LARGEST_TILE = 2 ** 32
/** Bytes of memory for each cell of a dense tile. */
const BYTES_A_POSITION = 4

/** Refuses dense tiles that are too large: a tile is held in memory whole, with one number per cell. */
function checkTileSize({ attributes }: ArraySchema, cells: number): void {
  const sizes = attributes.map(({ type, cell_val_num }) =>
    cell_val_num === 'var' ? 8 : cell_val_num * datatypeSize(type),
  )
  const size = Math.max(BYTES_A_POSITION, ...sizes)
  if (cells * size <= LARGEST_TILE) return
  throw usage({
    expected: `dense tiles of at most ${LARGEST_TILE} bytes`,
    found: `${cells} cells of up to ${size} bytes; smaller tile extents (--dim NAME:TYPE:LO..HI:EXTENT, --tile-extent) make smaller tiles`,
  })
}

async function sparseTiling(
  { schema, cells, stored }: FragmentToWrite,
  coordinates: readonly ColumnData[],
  pause: WriteContext['pause'],
): Promise<Tiling> {
  const { cell_num } = cells
  const capacity = Number(schema.capacity)
  if (!(capacity > 0)) throw unexpected('a capacity above 0', String(schema.capacity))
  const order = stored ? undefined : await globalOrder(schema, coordinates, cell_num, pause)
  await pause?.()
  if (!schema.allows_duplicates && !cells.columns.has('__timestamps'))
    checkDuplicates(schema.domain.dimensions, coordinates, order, cell_num)
  const tileNum = Math.ceil(cell_num / capacity)
  const plain = runs(tileNum, capacity, cell_num - (tileNum - 1) * capacity)
  if (!order) return plain
  return {
    ...plain,
    tile: (index) => ({ positions: order.subarray(index * capacity, Math.min((index + 1) * capacity, cell_num)) }),
  }
}

/** The tiles of cells that are already in stored order. */
function runs(tileNum: number, cellsPerTile: number, lastTileCellNum: number): Tiling {
  return {
    tileNum,
    cellsPerTile,
    lastTileCellNum,
    tile: (index) => {
      const from = index * cellsPerTile
      return { positions: { from, to: from + (index === tileNum - 1 ? lastTileCellNum : cellsPerTile) } }
    },
  }
}

/** The coordinates of a tile as they are stored: by dimension, or cell by cell in version 1 unless a compressor filters them. */
function storedCoordinates(
  { schema, formatVersion }: FragmentToWrite,
  coordinates: readonly ColumnData[],
  cellNum: number,
): Uint8Array[] {
  const runsOfDimensions = coordinates.map(({ data }) => data)
  if (formatVersion > 1 || schema.coords_filters.filters.some(({ name }) => isCompressor(name))) return runsOfDimensions
  const size = datatypeSize(schema.domain.dimensions[0].type)
  const step = size * runsOfDimensions.length
  const out = new Uint8Array(cellNum * step)
  for (const [d, run] of runsOfDimensions.entries())
    for (let cell = 0; cell < cellNum; cell++)
      out.set(run.subarray(cell * size, (cell + 1) * size), cell * step + d * size)
  return [out]
}

/** The box of a tile, and the coordinates of its first and last cell. */
export function tileBoundsOf(
  dimensions: readonly Dimension[],
  coordinates: readonly ColumnData[],
  cellNum: number,
): TileBounds {
  const cell = (column: ColumnData, d: number, at: number): Uint8Array =>
    cellBytes(column, at, datatypeSize(dimensions[d].type)).slice()
  return {
    mbr: dimensions.map((dimension, d) => coordinateRange(dimension, coordinates[d], cellNum)),
    first: coordinates.map((column, d) => cell(column, d, 0)),
    last: coordinates.map((column, d) => cell(column, d, cellNum - 1)),
  }
}

/** The metadata of the slot without files: TileDB stores zeros of the first dimension's type. @see FragmentMetadata::set_num_tiles */
export function phantomSlot({ domain: { dimensions } }: ArraySchema, tileNum: number): SlotMetadata {
  const metadata = emptySlot(tileNum)
  const { sections, fragment } = metadata
  const [{ type }] = dimensions
  const field: StatisticsField = { type, cell_val_num: 1, nullable: false, dimension: false }
  const size = datatypeSize(type)
  if (hasMinMax(field)) {
    sections.tile_mins = { fixed: new Uint8Array(tileNum * size * dimensions.length), variable: NO_BYTES }
    sections.tile_maxs = sections.tile_mins
    fragment.min = new Uint8Array(size)
    fragment.max = new Uint8Array(size)
  }
  if (hasSum(field)) sections.tile_sums = { values: new Uint8Array(8 * tileNum) }
  return metadata
}
