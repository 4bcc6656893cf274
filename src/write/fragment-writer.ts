import { unexpected, usage } from '../base/errors.ts'
import { globalOrder } from '../cells/cell-order.ts'
import type { ColumnData } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-coordinates.ts'
import { coordinateRange, unionOf } from '../cells/rtree-builder.ts'
import { hasMinMax, hasSum, type StatisticsField, TileStatistics } from '../cells/tile-statistics.ts'
import { concat } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import { checkVersion } from '../format/format-version.ts'
import { FRAGMENT_METADATA_FILE, type FragmentFooter } from '../format/fragment-footer.ts'
import { fieldSlot, fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { slotHasFiles } from '../store/fragment.ts'
import { checkColumn, checkCoordinates, checkCurrentDomain, checkDuplicates, checkOrder } from './check-cells.ts'
import { DenseTiler, gridOf } from './dense-tiler.ts'
import { type FieldsContext, FieldWriter } from './field-writer.ts'
import {
  emptySlot,
  type GlobalOrderBounds,
  type SlotMetadata,
  writeFragmentMetadata,
} from './fragment-metadata-writer.ts'
import { fragmentName } from './fragment-name.ts'
import { type CellPositions, gather } from './gather.ts'
import type { WriteContext } from './generic-tile-writer.ts'

export type { WriteContext } from './generic-tile-writer.ts'

/** A fragment as values. */
export interface FragmentToWrite {
  /** The schema of the fragment. */
  schema: ArraySchema
  /** `__array_schema.tdb`, or the name in `__schema`. */
  schemaName: string
  /** 1 to 23. */
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
  processedConditions?: readonly string[]
}

/** A fragment as files. */
export interface WrittenFragment {
  /** Name of its folder. */
  name: string
  files: { name: string; bytes: Uint8Array }[]
  /** Undefined in versions 1 and 2. */
  footer: FragmentFooter | undefined
}

/** How the given cells are split into tiles. */
interface Tiling {
  tileNum: number
  cellsPerTile: number
  lastTileCellNum: number
  tile(index: number): { positions: CellPositions; written: Uint32Array | undefined; slabs?: () => Slabs }
}

/**
 * Makes the files of a fragment as TileDB's writers do. Cells are put in global order, split into tiles and filtered chunk by
 * chunk. All lists of the metadata are filled.
 *
 * @throws InspectError BAD_VALUE for cells that TileDB would refuse; errors of filters
 * @see tiledb/sm/query/writers/
 */
export async function writeFragment(fragment: FragmentToWrite, cx: WriteContext): Promise<WrittenFragment> {
  return new FragmentWriter(fragment, cx).write()
}

/** After this many milliseconds of work, signals get a chance to be handled. */
const LONGEST_WORK = 50

/** Size in bytes of the largest dense tile that is written. TileDB reads a tile whole, too. */
const LARGEST_TILE = 2 ** 32
/** Bytes kept for each cell of a dense tile. */
const BYTES_A_POSITION = 4

class FragmentWriter {
  private readonly fragment: FragmentToWrite
  private readonly cx: WriteContext
  private readonly schema: ArraySchema
  private readonly version: number
  private readonly dense: boolean
  private readonly includesTimestamps: boolean
  private readonly includesDeleteMetadata: boolean
  private readonly slots: readonly Slot[]
  private readonly columns: readonly (ColumnData | undefined)[]
  /** Columns of a sparse fragment's dimensions. */
  private readonly coordinates: readonly ColumnData[]
  private readonly tiling: Tiling

  constructor(fragment: FragmentToWrite, cx: WriteContext) {
    checkVersion(fragment.formatVersion)
    this.fragment = fragment
    this.cx = cx
    this.schema = fragment.schema
    this.version = fragment.formatVersion
    this.dense = this.schema.array_type === 'dense'
    const { cell_num, columns } = fragment.cells
    if (cell_num < 1) throw unexpected('at least one cell in a fragment', 'none')
    this.includesTimestamps = this.has('__timestamps', 14)
    this.includesDeleteMetadata = this.has('__delete_timestamps', 15)
    this.slots = fragmentSlots(this.version, this.schema, {
      includes_timestamps: this.includesTimestamps,
      includes_delete_metadata: this.includesDeleteMetadata,
    })
    this.checkNames(columns)
    this.columns = this.slots.map((slot) => {
      if (slot.kind === 'coords' || !this.hasFiles(slot)) return undefined
      const column = checkColumn(slot, columns.get(slot.name), cell_num)
      checkOrder(this.schema, slot, column, cell_num)
      return column
    })
    this.coordinates = this.dense ? [] : this.checkedCoordinates(columns)
    this.tiling = this.dense ? this.denseTiling() : this.sparseTiling()
  }

  async write(): Promise<WrittenFragment> {
    const { slots, tiling } = this
    const cx: FieldsContext = {
      schema: this.schema,
      formatVersion: this.version,
      slots,
      tileNum: tiling.tileNum,
      cellsPerTile: tiling.cellsPerTile,
      cx: this.cx,
    }
    const writers: (FieldWriter | undefined)[] = []
    for (const [i, slot] of slots.entries())
      writers.push(this.hasFiles(slot) ? await FieldWriter.open(cx, i) : undefined)
    const statistics = slots.map((slot, i) => this.statisticsOf(slot, writers[i]))
    const boxes = new TileBoxes(this.schema)
    let rested = Date.now()
    for (let tile = 0; tile < tiling.tileNum; tile++) {
      this.writeTile(tile, writers, statistics, boxes)
      if (Date.now() - rested < LONGEST_WORK) continue
      await new Promise((resolve) => setTimeout(resolve, 0))
      rested = Date.now()
    }
    return this.finish(writers, statistics, boxes)
  }

  private writeTile(
    tile: number,
    writers: readonly (FieldWriter | undefined)[],
    statistics: readonly (TileStatistics | undefined)[],
    boxes: TileBoxes,
  ): void {
    const { tiling, schema } = this
    const cellNum = tile === tiling.tileNum - 1 ? tiling.lastTileCellNum : tiling.cellsPerTile
    const { positions, written, slabs } = tiling.tile(tile)
    if (!this.dense) {
      const coordinates = this.coordinates.map((column, d) => gather(column, dimensionShape(schema, d), positions))
      boxes.add(coordinates, cellNum)
      this.slots.forEach((slot, i) => {
        if (slot.kind === 'coords') writers[i]?.appendCoordinates(tile, this.zippedIfNeeded(coordinates, cellNum))
        if (slot.kind !== 'dimension') return
        const cells = coordinates[slot.index]
        statistics[i]?.add(tile, cells, cellNum, undefined)
        writers[i]?.append(tile, cells, cellNum)
      })
    }
    this.slots.forEach((slot, i) => {
      const writer = writers[i]
      const column = this.columns[i]
      if (slot.kind === 'dimension' || !writer || !column) return
      const cells = gather(column, { size: writer.cellSize, varSized: writer.varSized }, positions)
      statistics[i]?.add(tile, cells, cellNum, written, slabs)
      writer.append(tile, cells, cellNum)
    })
  }

  /** Version 1 stores coordinates cell by cell, unless a compressor filters them. */
  private zippedIfNeeded(coordinates: readonly ColumnData[], cellNum: number): Uint8Array[] {
    const runs = coordinates.map(({ data }) => data)
    if (this.version > 1 || this.schema.coords_filters.filters.some(({ name }) => isCompressor(name))) return runs
    return [zip(runs, cellNum, datatypeSize(this.schema.domain.dimensions[0].type))]
  }

  private statisticsOf(slot: Slot, writer: FieldWriter | undefined): TileStatistics | undefined {
    if (this.version < 11 || !writer) return undefined
    const field: StatisticsField = {
      type: writer.type,
      cell_val_num: writer.cellValNum,
      nullable: writer.nullable,
      dimension: slot.kind === 'dimension',
    }
    return new TileStatistics(field, this.tiling.tileNum)
  }

  private async finish(
    writers: readonly (FieldWriter | undefined)[],
    statistics: readonly (TileStatistics | undefined)[],
    boxes: TileBoxes,
  ): Promise<WrittenFragment> {
    const { fragment, schema, tiling } = this
    const nonemptyDomain = fragment.domain && this.dense ? fragment.domain : boxes.union()
    checkCurrentDomain(schema, nonemptyDomain)
    const { bytes, footer } = await writeFragmentMetadata(
      {
        schema,
        schemaName: fragment.schemaName,
        formatVersion: this.version,
        slots: this.slots,
        slotMetadata: this.slots.map((slot, i) => this.slotMetadata(slot, writers[i], statistics[i])),
        dense: this.dense,
        nonemptyDomain,
        mbrs: boxes.mbrs,
        lastTileCellNum: tiling.lastTileCellNum,
        includesTimestamps: this.includesTimestamps,
        includesDeleteMetadata: this.includesDeleteMetadata,
        processedConditions: fragment.processedConditions ?? [],
        globalOrderBounds: boxes.globalOrderBounds(),
        boundingCoords: concat(boxes.boundingCoords),
      },
      this.cx,
    )
    const files = writers.flatMap((writer) =>
      writer ? [writer.main, writer.variable, writer.validity].filter((sink) => sink !== undefined) : [],
    )
    return {
      name: fragmentName(this.version, fragment.timestampRange, fragment.uuid),
      files: [
        ...files.map(({ name, sink }) => ({ name, bytes: sink.bytes() })),
        { name: FRAGMENT_METADATA_FILE, bytes },
      ],
      footer,
    }
  }

  private slotMetadata(
    slot: Slot,
    writer: FieldWriter | undefined,
    statistics: TileStatistics | undefined,
  ): SlotMetadata {
    const metadata = emptySlot(this.tiling.tileNum)
    if (slot.phantom) this.phantomStatistics(metadata)
    if (!writer) return metadata
    metadata.fileSize = writer.main.sink.length
    metadata.tileOffsets = writer.main.offsets
    if (writer.variable) {
      metadata.fileVarSize = writer.variable.sink.length
      metadata.tileVarOffsets = writer.variable.offsets
      metadata.tileVarSizes = writer.variableSizes
    }
    if (writer.validity) {
      metadata.fileValiditySize = writer.validity.sink.length
      metadata.tileValidityOffsets = writer.validity.offsets
    }
    if (statistics) {
      metadata.min = statistics.extremes('min')
      metadata.max = statistics.extremes('max')
      metadata.sums = statistics.sums
      metadata.nullCounts = statistics.nullCounts
      metadata.fragment = statistics.fragment()
    }
    return metadata
  }

  /** TileDB stores zeros of the first dimension's type for the slot without files. @see FragmentMetadata::set_num_tiles */
  private phantomStatistics(metadata: SlotMetadata): void {
    const { dimensions } = this.schema.domain
    const field: StatisticsField = { type: dimensions[0].type, cell_val_num: 1, nullable: false, dimension: false }
    const size = datatypeSize(field.type)
    if (hasMinMax(field)) {
      const fixed = new Uint8Array(this.tiling.tileNum * size * dimensions.length)
      metadata.min = { fixed, variable: new Uint8Array(0) }
      metadata.max = metadata.min
      metadata.fragment.min = new Uint8Array(size)
      metadata.fragment.max = new Uint8Array(size)
    }
    if (hasSum(field)) metadata.sums = new Uint8Array(8 * this.tiling.tileNum)
  }

  private hasFiles(slot: Slot): boolean {
    return slotHasFiles({ dense: this.dense }, slot)
  }

  private has(name: string, since: number): boolean {
    if (!this.fragment.cells.columns.has(name)) return false
    if (this.dense || this.version < since) {
      throw unexpected(`no ${name} before version ${since}, nor in a dense array`, `some in version ${this.version}`)
    }
    return true
  }

  private checkNames(columns: ReadonlyMap<string, ColumnData>): void {
    const known = new Set(this.slots.filter((slot) => this.hasFiles(slot)).map(({ name }) => name))
    if (!this.dense) for (const { name } of this.schema.domain.dimensions) known.add(name)
    for (const name of columns.keys()) {
      if (!known.has(name) || name === '__coords') throw unexpected(`cells of ${[...known].join(', ')}`, name)
    }
  }

  private checkedCoordinates(columns: ReadonlyMap<string, ColumnData>): ColumnData[] {
    return this.schema.domain.dimensions.map((dimension, index) => {
      const slot = fieldSlot('dimension', index, dimension)
      const column = checkColumn(slot, columns.get(dimension.name), this.fragment.cells.cell_num)
      checkCoordinates(dimension, column)
      return column
    })
  }

  private denseTiling(): Tiling {
    const { domain, stored, cells } = this.fragment
    if (!domain) throw unexpected('the domain of the cells of a dense fragment', 'none')
    if (stored) {
      const { tile_num, cells_per_tile } = gridOf(this.schema, domain)
      checkCount(cells.cell_num, tile_num * cells_per_tile)
      return runs(tile_num, cells_per_tile, cells_per_tile)
    }
    const tiler = new DenseTiler(this.schema, domain)
    this.checkTileSize(tiler.grid.cells_per_tile)
    checkCount(cells.cell_num, tiler.cellNum)
    const { tile_num: tileNum, cells_per_tile: cellsPerTile } = tiler.grid
    const tile = (index: number): ReturnType<Tiling['tile']> => ({
      ...tiler.tile(index),
      slabs: () => tiler.slabs(index, 'row-major'),
    })
    return { tileNum, cellsPerTile, lastTileCellNum: cellsPerTile, tile }
  }

  /** A dense tile is held in memory whole, with one number for each of its cells. */
  private checkTileSize(cells: number): void {
    const sizes = this.schema.attributes.map(({ type, cell_val_num }) =>
      cell_val_num === 'var' ? 8 : cell_val_num * datatypeSize(type),
    )
    const size = Math.max(BYTES_A_POSITION, ...sizes)
    if (cells * size <= LARGEST_TILE) return
    throw usage(
      `expected dense tiles of at most ${LARGEST_TILE} bytes, found ${cells} cells of up to ${size} bytes; smaller tile extents (--dim NAME:TYPE:LO..HI:EXTENT, --tile-extent) make smaller tiles`,
    )
  }

  private sparseTiling(): Tiling {
    const { cell_num } = this.fragment.cells
    const capacity = Number(this.schema.capacity)
    if (!(capacity > 0)) throw unexpected('a capacity above 0', String(this.schema.capacity))
    const { dimensions } = this.schema.domain
    const order = this.fragment.stored ? undefined : globalOrder(this.schema, this.coordinates, cell_num)
    if (!this.schema.allows_duplicates && !this.includesTimestamps) {
      checkDuplicates(dimensions, this.coordinates, order, cell_num)
    }
    const tileNum = Math.ceil(cell_num / capacity)
    const lastTileCellNum = cell_num - (tileNum - 1) * capacity
    const plain = runs(tileNum, capacity, lastTileCellNum)
    if (!order) return plain
    const tile = (index: number): ReturnType<Tiling['tile']> => {
      const from = index * capacity
      return { positions: order.subarray(from, Math.min(from + capacity, cell_num)), written: undefined }
    }
    return { ...plain, tile }
  }
}

/** Tiles of cells that are in stored order already. */
function runs(tileNum: number, cellsPerTile: number, lastTileCellNum: number): Tiling {
  return {
    tileNum,
    cellsPerTile,
    lastTileCellNum,
    tile: (index) => {
      const from = index * cellsPerTile
      const to = from + (index === tileNum - 1 ? lastTileCellNum : cellsPerTile)
      return { positions: { from, to }, written: undefined }
    },
  }
}

function dimensionShape(schema: ArraySchema, index: number): { size: number; varSized: boolean } {
  const { type, cell_val_num } = schema.domain.dimensions[index]
  return { size: datatypeSize(type), varSized: cell_val_num === 'var' }
}

function zip(runsOfDimensions: readonly Uint8Array[], cellNum: number, size: number): Uint8Array {
  const step = size * runsOfDimensions.length
  const out = new Uint8Array(cellNum * step)
  runsOfDimensions.forEach((run, d) => {
    for (let cell = 0; cell < cellNum; cell++) {
      for (let b = 0; b < size; b++) out[cell * step + d * size + b] = run[cell * size + b]
    }
  })
  return out
}

/** The metadata about the coordinates of a sparse fragment's tiles. */
class TileBoxes {
  readonly mbrs: NDRange[] = []
  /** First and last cell of each tile: first all dimensions of the one, then all of the other. */
  readonly boundingCoords: Uint8Array[] = []
  private readonly schema: ArraySchema
  private readonly first: Uint8Array[][]
  private readonly last: Uint8Array[][]

  constructor(schema: ArraySchema) {
    this.schema = schema
    this.first = schema.domain.dimensions.map(() => [])
    this.last = schema.domain.dimensions.map(() => [])
  }

  add(coordinates: readonly ColumnData[], cellNum: number): void {
    const { dimensions } = this.schema.domain
    this.mbrs.push(dimensions.map((dimension, d) => coordinateRange(dimension, coordinates[d], cellNum)))
    const first = coordinates.map((column) => cellBytes(column, 0, cellNum))
    const last = coordinates.map((column) => cellBytes(column, cellNum - 1, cellNum))
    first.forEach((value, d) => {
      this.first[d].push(value)
    })
    last.forEach((value, d) => {
      this.last[d].push(value)
    })
    this.boundingCoords.push(...first, ...last)
  }

  union(): NDRange {
    return unionOf(this.mbrs, this.schema.domain.dimensions)
  }

  globalOrderBounds(): GlobalOrderBounds[] {
    return this.schema.domain.dimensions.map(({ cell_val_num }, d) => ({
      min: listOf(this.first[d], cell_val_num === 'var'),
      max: listOf(this.last[d], cell_val_num === 'var'),
    }))
  }
}

function cellBytes({ data, starts }: ColumnData, cell: number, cellNum: number): Uint8Array {
  if (starts) return data.slice(starts[cell], starts[cell + 1])
  const size = data.length / cellNum
  return data.slice(cell * size, (cell + 1) * size)
}

function listOf(values: readonly Uint8Array[], varSized: boolean): TileMinMax {
  if (!varSized) return { fixed: concat(values), variable: new Uint8Array(0) }
  const starts = new BigUint64Array(values.length)
  let length = 0
  values.forEach((value, i) => {
    starts[i] = BigInt(length)
    length += value.length
  })
  return { fixed: new Uint8Array(starts.buffer), variable: concat(values) }
}

function checkCount(found: number, expected: number): void {
  if (found !== expected) throw unexpected(`${expected} cells for the domain given`, String(found))
}
