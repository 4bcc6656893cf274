import { concat, NO_BYTES } from '../base/bytes.ts'
import { withPlace, withPlaceAsync } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-coordinates.ts'
import { TileStatistics } from '../cells/tile-statistics.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { filterOf, keepsOffsets } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { cellsRole, fieldFileBase } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { filePipeline, pipelineOf } from '../objects/fragment.ts'
import { ByteSink } from './byte-sink.ts'
import { fixedChunkLengths, LARGEST_CHUNK, varChunkLengths } from './chunk-lengths.ts'
import { emptySlot, type SlotMetadata, withStatistics } from './fragment-metadata-writer.ts'
import type { WriteContext } from './generic-tile-writer.ts'

/** The facts that all fields of a fragment share. */
export interface FieldsContext extends WriteContext {
  schema: ArraySchema
  formatVersion: number
  slots: readonly Slot[]
  tileNum: number
  cellsPerTile: number
}

/** A data file: its tiles one after another, and where each begins. */
class TileSink extends ByteSink {
  readonly name: string
  readonly offsets: Float64Array

  constructor(name: string, tileNum: number) {
    super()
    this.name = name
    this.offsets = new Float64Array(tileNum)
  }

  appendTile(tile: number, stored: Uint8Array): void {
    this.offsets[tile] = this.length
    this.append(stored)
  }
}

/** The tile of offsets of strings whose data holds the offsets: a count of 0 chunks. */
const NO_CHUNKS = new Uint8Array(8)

/** The content of a tile: fixed data, coordinates or var-sized values; their offsets; their validity. */
type Part = 'data' | 'offsets' | 'validity'

/** Writes the data files of one slot, tile by tile, and computes what the fragment's metadata says about them. */
export class FieldWriter {
  readonly slot: Slot
  private readonly cx: FieldsContext
  private readonly pipelines: Partial<Record<Part, Pipeline>> = {}
  /** Size of the largest chunk in bytes; undefined if tiles are not split. */
  private readonly largest: Readonly<Record<Part, number | undefined>>
  /** Whether the data of strings holds their offsets. */
  private readonly stringOffsets: boolean
  /** The file of fixed data, coordinates or offsets. */
  private readonly main: TileSink
  private readonly variable: TileSink | undefined
  private readonly validity: TileSink | undefined
  /** Unfiltered bytes of each var-sized tile. */
  private readonly variableSizes: Float64Array
  private readonly statistics: TileStatistics | undefined

  private constructor(cx: FieldsContext, index: number) {
    const slot = cx.slots[index]
    this.cx = cx
    this.slot = slot
    const { varSized, nullable } = slot
    const filters = filePipeline(cx, { slot: index, role: cellsRole(slot) }, false)
    this.stringOffsets = varSized && keepsStringOffsets(slot.type, filters, cx.schema.version)
    this.largest = {
      data: cutsTiles(slot, filters, cx.schema.version) ? largestChunk(cx, slot, 'data') : undefined,
      offsets: largestChunk(cx, slot, 'offsets'),
      validity: largestChunk(cx, slot, 'validity'),
    }
    const sink = (suffix: string): TileSink =>
      new TileSink(`${fieldFileBase(cx.formatVersion, slot) ?? ''}${suffix}.tdb`, cx.tileNum)
    this.main = sink('')
    this.variable = varSized ? sink('_var') : undefined
    this.validity = nullable ? sink('_validity') : undefined
    this.variableSizes = new Float64Array(cx.tileNum)
    if (cx.formatVersion >= 11)
      this.statistics = new TileStatistics({ ...slot, dimension: slot.kind === 'dimension' }, cx.tileNum)
  }

  /** Opens a writer for the slot at an index. */
  static async open(cx: FieldsContext, index: number): Promise<FieldWriter> {
    const writer = new FieldWriter(cx, index)
    const { type, cellSize, varSized, nullable, name } = writer.slot
    const load = async (part: Part, datatype: Datatype, size: number): Promise<void> => {
      const { formatVersion, key } = cx
      const role = part === 'data' ? cellsRole(writer.slot) : part
      const filters = filePipeline(cx, { slot: index, role }, key !== undefined)
      const stringOffsets = part === 'data' && writer.stringOffsets
      const tile = { datatype, cellSize: size, formatVersion, key, stringOffsets }
      writer.pipelines[part] = await Pipeline.load(filters, tile, cx.codecs)
    }
    await withPlaceAsync({ field: name }, async () => {
      await load('data', type, cellSize)
      if (varSized) await load('offsets', 'UINT64', 8)
      if (nullable) await load('validity', 'UINT8', 1)
    })
    return writer
  }

  files(): { name: string; bytes: Uint8Array }[] {
    const sinks = [this.main, this.variable, this.validity].filter((sink) => sink !== undefined)
    return sinks.map((sink) => ({ name: sink.name, bytes: sink.bytes() }))
  }

  metadata(): SlotMetadata {
    const { main, variable, validity, variableSizes, statistics } = this
    const { sections, fragment } = emptySlot(this.cx.tileNum)
    sections.tile_offsets = { values: main.offsets }
    if (variable) {
      sections.tile_var_offsets = { values: variable.offsets }
      sections.tile_var_sizes = { values: variableSizes }
    }
    if (validity) sections.tile_validity_offsets = { values: validity.offsets }
    const sizes = {
      fileSize: main.length,
      fileVarSize: variable?.length ?? 0,
      fileValiditySize: validity?.length ?? 0,
    }
    return withStatistics({ ...sizes, sections, fragment }, statistics)
  }

  /**
   * Filters and appends the next tile. `cells.starts` begins with 0.
   *
   * @param written positions of the cells that are not padding, in the writer's order; undefined for all
   * @param slabs returns the slabs of a dense tile
   */
  append(tile: number, cells: ColumnData, cellNum: number, written?: Uint32Array, slabs?: () => Slabs): void {
    const counted = written && [{ length: written.length, at: written }]
    this.statistics?.add(tile, cells, cellNum, counted && (() => counted), slabs)
    withPlace({ field: this.slot.name }, () => {
      const { data, starts, validity } = cells
      if (starts && this.variable) {
        const offsets = starts.subarray(0, cellNum)
        const lengths = this.varChunks(starts)
        this.variable.appendTile(tile, this.filter('data', data, lengths, this.stringOffsets ? offsets : undefined))
        this.variableSizes[tile] = data.length
        this.main.appendTile(
          tile,
          this.stringOffsets ? NO_CHUNKS : this.filterFixed('offsets', offsetBytes(offsets), 8),
        )
      } else this.main.appendTile(tile, this.filterFixed('data', data, this.slot.cellSize))
      if (validity) this.validity?.appendTile(tile, this.storedValidity(validity))
    })
  }

  /** Appends coordinates of versions 1 to 4. All dimensions share one file, but a chunk holds cells of only one dimension. */
  appendCoordinates(tile: number, dimensions: readonly Uint8Array[]): void {
    const size = datatypeSize(this.slot.type)
    const lengths = dimensions.flatMap((data) => fixedChunkLengths(data.length, size, this.largest.data))
    this.main.appendTile(tile, this.filter('data', concat(dimensions), lengths))
  }

  /** The stored bytes of a tile of validity. */
  storedValidity(validity: Uint8Array): Uint8Array {
    return this.filterFixed('validity', validity, 1)
  }

  private varChunks(starts: Float64Array): number[] {
    const { formatVersion, cellsPerTile, schema } = this.cx
    const bytes = starts[starts.length - 1]
    // Releases 2.1 to 2.4 store no chunk for an empty tile; others store one empty chunk.
    if (bytes === 0 && formatVersion >= 6 && formatVersion <= 10) return []
    const { data: largest } = this.largest
    const { cellSize } = this.slot
    if (largest === undefined) return [bytes]
    if (formatVersion >= 11) return varChunkLengths(starts, cellSize)
    // Releases 2.0 to 2.2, and 2.3 in sparse arrays, split by the initial size of a tile's buffer: eight bytes per cell.
    const byBuffer =
      formatVersion >= 5 && (formatVersion <= 8 || (formatVersion === 9 && schema.array_type === 'sparse'))
    return fixedChunkLengths(bytes, cellSize, byBuffer ? Math.min(largest, 8 * cellsPerTile) : largest)
  }

  private filterFixed(part: Part, data: Uint8Array, cellSize: number): Uint8Array {
    return this.filter(part, data, fixedChunkLengths(data.length, cellSize, this.largest[part]))
  }

  private filter(part: Part, data: Uint8Array, lengths: readonly number[], offsets?: Float64Array): Uint8Array {
    const { randomBytes } = this.cx
    return this.pipelines[part]?.forwardTile(data, lengths, { offsets, randomBytes }) ?? NO_BYTES
  }
}

/**
 * Whether the filters keep the offsets of strings among the values. Readers decide by the schema's version.
 * @see tiledb/sm/filter/filter_pipeline.cc, skip_offsets_filtering
 */
export function keepsStringOffsets(type: Datatype, filters: readonly FilterConfig[], schemaVersion: number): boolean {
  return filters.some((filter) => keepsOffsets(filter, type, schemaVersion))
}

/** Whether data tiles are split into chunks. @see tiledb/sm/filter/filter_pipeline.cc, use_tile_chunking */
export function cutsTiles(
  { type, varSized }: Pick<Slot, 'type' | 'varSized'>,
  filters: readonly FilterConfig[],
  schemaVersion: number,
): boolean {
  // STRING_UTF8 tiles are not split in the versions where STRING_ASCII data holds its offsets, even if STRING_UTF8 data does not
  // hold them yet.
  if (varSized && (type === 'STRING_ASCII' || type === 'STRING_UTF8'))
    return !keepsStringOffsets('STRING_ASCII', filters, schemaVersion)
  return !filters.some(({ name }) => filterOf(name)?.needsWholeTile)
}

/**
 * Size of the largest chunk in bytes. Releases before 2.0 take it from the pipeline. 0 there means that tiles are not split: the
 * result is undefined. A schema before version 5 stores no pipeline for dimensions.
 */
function largestChunk({ schema, formatVersion }: FieldsContext, slot: Slot, part: Part): number | undefined {
  const stored = slot.kind !== 'dimension' || part !== 'data' || schema.version >= 5
  const size = stored ? pipelineOf(schema, slot, part).max_chunk_size : LARGEST_CHUNK
  if (size === 0) return undefined
  return formatVersion < 5 ? size : LARGEST_CHUNK
}

/** Offsets as little-endian uint64 numbers. */
export function offsetBytes(offsets: Float64Array): Uint8Array {
  const lanes = new Uint32Array(2 * offsets.length)
  for (let i = 0; i < offsets.length; i++) {
    lanes[2 * i] = offsets[i] % 2 ** 32
    lanes[2 * i + 1] = offsets[i] / 2 ** 32
  }
  return new Uint8Array(lanes.buffer)
}
