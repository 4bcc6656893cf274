import { addPlace, InspectError } from '../errors.ts'
import { Pipeline, type ReadOptions, type TileType, type UnfilteredTile } from '../filters/pipeline.ts'
import { type FileRole, fieldFileBase } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import {
  type Fragment,
  type FragmentInfo,
  filePipeline,
  type OffsetsList,
  slotCellSize,
  slotShape,
} from '../fragment.ts'
import { keyOrDamage } from '../generic-tile.ts'
import type { ByteRange, ByteSource } from '../source/source.ts'
import { slotType } from './slot-type.ts'

/** Which of a slot's files: its fixed data (or coordinates, times), offsets, var-sized values or validity. */
export type TileRole = 'data' | 'offsets' | 'var' | 'validity'

/** A range of a data file. */
export interface TilePlace {
  offset: number
  /** Bytes as stored. */
  size: number
}

const NO_OFFSETS_BYTES = 8

/**
 * The tiles of one data file of a fragment: where they are, how they are filtered, and their unfiltered bytes.
 */
export class TileFile {
  readonly name: string
  readonly slot: number
  readonly role: TileRole
  readonly source: ByteSource
  readonly offsets: Float64Array
  private readonly fragment: Fragment
  private readonly info: FragmentInfo
  private readonly size: number
  private readonly varSizes: Float64Array | undefined
  private plain: Promise<Pipeline> | undefined
  private withOffsets: Promise<Pipeline> | undefined

  private constructor(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    role: TileRole,
    lists: { offsets: Float64Array; size: number; varSizes: Float64Array | undefined },
  ) {
    this.fragment = fragment
    this.info = info
    this.slot = slot
    this.role = role
    this.offsets = lists.offsets
    this.size = lists.size
    this.varSizes = lists.varSizes
    const base = fieldFileBase(info.format_version, info.slots[slot]) ?? ''
    this.name = `${base}${role === 'var' ? '_var' : role === 'validity' ? '_validity' : ''}.tdb`
    this.source = fragment.folder.file(this.name)
  }

  /** @throws InspectError INCONSISTENT where the metadata has no offset for each tile */
  static async open(fragment: Fragment, slot: number, role: TileRole): Promise<TileFile> {
    const info = await fragment.info()
    const list: OffsetsList =
      role === 'var' ? 'tile_var_offsets' : role === 'validity' ? 'tile_validity_offsets' : 'tile_offsets'
    const offsets = (await fragment.offsets(list, slot)) ?? new Float64Array(0)
    const name = info.slots[slot].name
    if (offsets.length < info.tile_num) {
      throw new InspectError('INCONSISTENT', `expected ${info.tile_num} tile offsets, found ${offsets.length}`, {
        file: fragment.metadataSource().name,
        field: `${list}.${name}`,
      })
    }
    const varSizes = role === 'var' ? await fragment.offsets('tile_var_sizes', slot) : undefined
    const sizes =
      role === 'var' ? info.file_var_sizes : role === 'validity' ? info.file_validity_sizes : info.file_sizes
    return new TileFile(fragment, info, slot, role, { offsets, size: sizes?.[slot] ?? 0, varSizes })
  }

  get tileNum(): number {
    return this.info.tile_num
  }

  /** Cells of tile `tile`, padding of dense tiles included. */
  cells(tile: number): number {
    return tile === this.info.tile_num - 1 ? this.info.last_tile_cell_num : this.info.cells_per_tile
  }

  /**
   * Where a tile is stored: up to the next tile, the last one up to the size that the footer gives (files may be longer).
   * @throws InspectError INCONSISTENT where offsets do not rise
   */
  place(tile: number): TilePlace {
    const offset = this.offsets[tile]
    const end = tile + 1 < this.info.tile_num ? this.offsets[tile + 1] : this.size
    if (end < offset) {
      throw new InspectError(
        'INCONSISTENT',
        `expected tile ${tile} to end behind its start ${offset}, found its end at ${end}`,
        {
          file: this.source.name,
          field: `tile ${tile}`,
        },
      )
    }
    return { offset, size: end - offset }
  }

  /** Bytes a tile must have unfiltered; undefined where the metadata does not tell. */
  expectedSize(tile: number): number | undefined {
    const cells = this.cells(tile)
    if (this.role === 'offsets') return cells * 8
    if (this.role === 'validity') return cells
    if (this.role === 'var') return this.varSizes?.[tile]
    return cells * slotCellSize(this.info, this.info.slots[this.slot])
  }

  /** Tells the source which tiles will be read, so that one far away can fetch those that lie together at once. */
  plan(
    from: number,
    to: number,
    together?: number,
    { skip, first }: { skip?: ((tile: number) => boolean) | undefined; first?: number } = {},
  ): void {
    const { source } = this
    if (!source.plan) return
    const ranges: ByteRange[] = []
    for (let tile = from; tile <= to; tile++) {
      if (skip?.(tile)) continue
      const [offset, end] = [this.offsets[tile], tile + 1 < this.info.tile_num ? this.offsets[tile + 1] : this.size]
      // Whoever reads a tile that ends before it starts says so.
      if (end > offset) ranges.push({ offset, length: end - offset })
    }
    source.plan(ranges, together, first)
  }

  /** The stored bytes of a tile. @throws InspectError MISSING_FILE where the file that the metadata lists is not there */
  async stored(tile: number): Promise<Uint8Array> {
    const { offset, size } = this.place(tile)
    try {
      return await this.source.read(offset, size)
    } catch (error) {
      if (!(error instanceof InspectError) || error.code !== 'NOT_FOUND') throw error
      const message = `expected a file of ${this.size} bytes, which the metadata lists; found no such file`
      throw new InspectError('MISSING_FILE', message, error.at, { cause: error })
    }
  }

  /** Reads a tile and undoes its filters. `stringOffsets` where the offsets file says that the data holds the offsets. */
  async read(tile: number, options: ReadOptions & { stringOffsets?: boolean } = {}): Promise<UnfilteredTile> {
    const stored = await this.stored(tile)
    return this.unfilter(tile, stored, options)
  }

  /** Undoes the filters of a tile's stored bytes. */
  async unfilter(
    tile: number,
    stored: Uint8Array,
    options: ReadOptions & { stringOffsets?: boolean } = {},
  ): Promise<UnfilteredTile> {
    try {
      const pipeline = await this.pipeline(options.stringOffsets === true)
      return pipeline.reverseTile(stored, {
        expectedSize: this.expectedSize(tile),
        ...options,
        offset: this.offsets[tile],
      })
    } catch (error) {
      throw addPlace(keyOrDamage(error, this.fragment.cx), { file: this.source.name, offset: this.offsets[tile] })
    }
  }

  /** Filters of this file, in writing order. */
  get filters(): FilterConfig[] {
    const { varSized } = slotShape(this.info, this.info.slots[this.slot])
    const role: FileRole = this.role === 'data' && varSized ? 'offsets' : this.role
    return filePipeline(this.info, { slot: this.slot, role }, this.fragment.encrypted)
  }

  /** The pipeline of this file's tiles. */
  pipeline(stringOffsets: boolean): Promise<Pipeline> {
    if (stringOffsets) {
      this.withOffsets ??= this.loadPipeline(true)
      return this.withOffsets
    }
    this.plain ??= this.loadPipeline(false)
    return this.plain
  }

  private loadPipeline(stringOffsets: boolean): Promise<Pipeline> {
    const { info, fragment, role } = this
    const slot = info.slots[this.slot]
    const tile: TileType = {
      datatype: role === 'offsets' ? 'UINT64' : role === 'validity' ? 'UINT8' : slotType(info, slot).type,
      cellSize: role === 'offsets' ? 8 : role === 'validity' ? 1 : slotCellSize(info, slot),
      formatVersion: info.format_version,
      key: fragment.cx.key,
      stringOffsets,
      maxTileSize: fragment.cx.maxTileSize,
    }
    return Pipeline.load(this.filters, tile, fragment.cx.codecs)
  }

  close(): Promise<void> {
    return this.source.close()
  }
}

/** Bytes that are fetched ahead of their reading, of all files that are read side by side. */
const TOGETHER_BYTES = 64 * 2 ** 20
/** The same of one file, and at first: a reader may want only a few cells. */
const MOST_BYTES = 8 * 2 ** 20
const FIRST_BYTES = 2 ** 20

/** Tells the sources of files that are read side by side which tiles will be read of them; all without `from`, `to` and `skip`. */
export function planTiles(
  files: readonly TileFile[],
  from = 0,
  to = Number.POSITIVE_INFINITY,
  skip?: (tile: number) => boolean,
): void {
  const planned = files.filter(({ source }) => source.plan)
  const together = Math.min(MOST_BYTES, TOGETHER_BYTES / planned.length)
  for (const file of planned) file.plan(from, Math.min(to, file.tileNum - 1), together, { skip, first: FIRST_BYTES })
}

/**
 * Whether an offsets tile says that the var tile holds the offsets itself (RLE and dictionary of strings): 8 zero bytes, a count of no chunks.
 * TileDB decides by the schema's version instead, and then cannot read what its own newer releases appended to old arrays.
 */
export function isStringOffsetsTile(stored: Uint8Array): boolean {
  return stored.length >= NO_OFFSETS_BYTES && stored.subarray(0, NO_OFFSETS_BYTES).every((byte) => byte === 0)
}
