import { addPlace } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import { concat, NO_BYTES } from '../filters/bytes.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { filterOf, keepsOffsets } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { type FileRole, fieldFileBase } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { filePipeline } from '../store/fragment.ts'
import { ByteSink } from './byte-sink.ts'
import { fixedChunkLengths, LARGEST_CHUNK, varChunkLengths } from './chunk-lengths.ts'
import type { WriteContext } from './generic-tile-writer.ts'

/** What all fields of a fragment share. */
export interface FieldsContext {
  schema: ArraySchema
  formatVersion: number
  slots: readonly Slot[]
  tileNum: number
  cellsPerTile: number
  cx: WriteContext
}

/** A data file: its tiles one after another, and where each begins. */
class TileSink {
  readonly name: string
  readonly sink = new ByteSink()
  readonly offsets: Float64Array

  constructor(name: string, tileNum: number) {
    this.name = name
    this.offsets = new Float64Array(tileNum)
  }

  append(tile: number, stored: Uint8Array): void {
    this.offsets[tile] = this.sink.length
    this.sink.append(stored)
  }
}

/** The offsets tile of strings whose data holds the offsets: a count of no chunks. */
const NO_CHUNKS = new Uint8Array(8)

/** Writes the data files of one slot, tile by tile. */
export class FieldWriter {
  readonly slot: Slot
  readonly type: Datatype
  readonly cellValNum: CellValNum
  /** Size in bytes of a cell, or of one element if cells are var-sized. */
  readonly cellSize: number
  readonly varSized: boolean
  readonly nullable: boolean
  /** Fixed data, coordinates or offsets. */
  readonly main: TileSink
  readonly variable: TileSink | undefined
  readonly validity: TileSink | undefined
  /** Unfiltered bytes of each var-sized tile. */
  readonly variableSizes: Float64Array
  private readonly cx: FieldsContext
  private readonly pipelines: Record<'data' | 'offsets' | 'validity', Pipeline | undefined>
  /** Size of the largest chunk in bytes; undefined if tiles are not split. */
  private readonly largest: Record<'data' | 'offsets' | 'validity', number | undefined>
  private readonly stringOffsets: boolean

  private constructor(cx: FieldsContext, index: number, pipelines: FieldWriter['pipelines']) {
    const slot = cx.slots[index]
    this.cx = cx
    this.slot = slot
    const { type, cell_val_num, varSized, nullable } = slot
    this.type = type
    this.cellValNum = cell_val_num
    this.cellSize = slot.cellSize
    this.varSized = varSized
    this.nullable = nullable
    this.pipelines = pipelines
    const filters = filePipeline(cx, { slot: index, role: dataRole(slot, varSized) }, false)
    this.stringOffsets = varSized && keepsStringOffsets(type, filters, cx.schema.version)
    const largest = (role: 'data' | 'offsets' | 'validity'): number | undefined => largestChunk(cx, slot, role)
    this.largest = {
      data: cutsTiles(type, varSized, filters, cx.schema.version) ? largest('data') : undefined,
      offsets: largest('offsets'),
      validity: largest('validity'),
    }
    const base = fieldFileBase(cx.formatVersion, slot) ?? ''
    this.main = new TileSink(`${base}.tdb`, cx.tileNum)
    if (varSized) this.variable = new TileSink(`${base}_var.tdb`, cx.tileNum)
    if (nullable) this.validity = new TileSink(`${base}_validity.tdb`, cx.tileNum)
    this.variableSizes = new Float64Array(cx.tileNum)
  }

  static async open(cx: FieldsContext, index: number): Promise<FieldWriter> {
    const slot = cx.slots[index]
    const { type, varSized, nullable } = slot
    const load = (role: FileRole, datatype: Datatype, cellSize: number, stringOffsets: boolean): Promise<Pipeline> => {
      const filters = filePipeline(cx, { slot: index, role }, cx.cx.key !== undefined)
      const tile = { datatype, cellSize, formatVersion: cx.formatVersion, key: cx.cx.key, stringOffsets }
      return Pipeline.load(filters, tile, cx.cx.codecs)
    }
    const filters = filePipeline(cx, { slot: index, role: dataRole(slot, varSized) }, false)
    const stringOffsets = varSized && keepsStringOffsets(type, filters, cx.schema.version)
    try {
      return new FieldWriter(cx, index, {
        data: await load(dataRole(slot, varSized), type, slot.cellSize, stringOffsets),
        offsets: varSized ? await load('offsets', 'UINT64', 8, false) : undefined,
        validity: nullable ? await load('validity', 'UINT8', 1, false) : undefined,
      })
    } catch (error) {
      throw addPlace(error, { field: slot.name })
    }
  }

  /** Filters and appends the next tile. `cells.starts` begins with 0. */
  append(tile: number, cells: ColumnData, cellNum: number): void {
    try {
      this.appendTile(tile, cells, cellNum)
    } catch (error) {
      throw addPlace(error, { field: this.slot.name })
    }
  }

  private appendTile(tile: number, cells: ColumnData, cellNum: number): void {
    const { data, starts, validity } = cells
    if (starts && this.variable) {
      const offsets = starts.subarray(0, cellNum)
      const lengths = this.varChunks(starts)
      this.variable.append(tile, this.filter('data', data, lengths, this.stringOffsets ? offsets : undefined))
      this.variableSizes[tile] = data.length
      this.main.append(tile, this.stringOffsets ? NO_CHUNKS : this.filterFixed('offsets', offsetBytes(offsets), 8))
    } else this.main.append(tile, this.filterFixed('data', data, this.cellSize))
    if (validity && this.validity) this.validity.append(tile, this.filterFixed('validity', validity, 1))
  }

  /** Appends coordinates of versions 1 to 4. All dimensions share one file, but a chunk holds cells of only one dimension. */
  appendCoordinates(tile: number, dimensions: readonly Uint8Array[]): void {
    const size = coordinateSize(this.cx.schema)
    const lengths = dimensions.flatMap((data) => cut(data.length, size, this.largest.data))
    this.main.append(tile, this.filter('data', concat(dimensions), lengths))
  }

  private varChunks(starts: Float64Array): number[] {
    const { formatVersion, cellsPerTile, schema } = this.cx
    const bytes = starts[starts.length - 1]
    // Releases 2.1 to 2.4 store no chunk for an empty tile; others store one empty chunk.
    if (bytes === 0 && formatVersion >= 6 && formatVersion <= 10) return []
    const { data: largest } = this.largest
    if (largest === undefined) return [bytes]
    if (formatVersion >= 11) return varChunkLengths(starts, this.cellSize)
    // Releases 2.0 to 2.2, and 2.3 in sparse arrays, split by the initial size of a tile's buffer: eight bytes per cell.
    const byBuffer =
      formatVersion >= 5 && (formatVersion <= 8 || (formatVersion === 9 && schema.array_type === 'sparse'))
    return cut(bytes, this.cellSize, byBuffer ? Math.min(largest, 8 * cellsPerTile) : largest)
  }

  private filterFixed(role: 'data' | 'offsets' | 'validity', data: Uint8Array, cellSize: number): Uint8Array {
    return this.filter(role, data, cut(data.length, cellSize, this.largest[role]))
  }

  private filter(
    role: 'data' | 'offsets' | 'validity',
    data: Uint8Array,
    lengths: readonly number[],
    offsets?: Float64Array,
  ): Uint8Array {
    const { randomBytes } = this.cx.cx
    return this.pipelines[role]?.forwardTile(data, lengths, { offsets, randomBytes }) ?? NO_BYTES
  }
}

function dataRole(slot: Slot, varSized: boolean): FileRole {
  return slot.kind === 'attribute' || slot.kind === 'dimension' ? (varSized ? 'var' : 'data') : slot.kind
}

/** @see tiledb/sm/filter/filter_pipeline.cc, skip_offsets_filtering. Readers decide by the schema's version. */
function keepsStringOffsets(type: Datatype, filters: readonly FilterConfig[], schemaVersion: number): boolean {
  return filters.some((filter) => keepsOffsets(filter, type, schemaVersion))
}

/** Whether data tiles are split into chunks. @see tiledb/sm/filter/filter_pipeline.cc, use_tile_chunking */
function cutsTiles(
  type: Datatype,
  varSized: boolean,
  filters: readonly FilterConfig[],
  schemaVersion: number,
): boolean {
  // STRING_UTF8 tiles have been whole since STRING_ASCII data holds its offsets, although STRING_UTF8 kept its own elsewhere
  // at first.
  if (varSized && (type === 'STRING_ASCII' || type === 'STRING_UTF8'))
    return !keepsStringOffsets('STRING_ASCII', filters, schemaVersion)
  return !filters.some(({ name }) => filterOf(name)?.needsWholeTile)
}

function cut(bytes: number, cellSize: number, largest: number | undefined): number[] {
  return largest === undefined ? [bytes] : fixedChunkLengths(bytes, cellSize, largest)
}

/**
 * Size of the largest chunk in bytes. Releases before 2.0 take it from the pipeline; 0 there means that tiles are not split,
 * so undefined. A schema before version 5 stores no pipeline for dimensions.
 */
function largestChunk(
  { schema, formatVersion }: FieldsContext,
  slot: Slot,
  role: 'data' | 'offsets' | 'validity',
): number | undefined {
  const size = maxChunkSize(schema, slot, role)
  if (size === 0) return undefined
  return formatVersion < 5 && size !== undefined ? size : LARGEST_CHUNK
}

function maxChunkSize(schema: ArraySchema, slot: Slot, role: 'data' | 'offsets' | 'validity'): number | undefined {
  if (role === 'offsets') return schema.offsets_filters.max_chunk_size
  if (role === 'validity') return schema.validity_filters?.max_chunk_size
  if (slot.kind === 'attribute') return schema.attributes[slot.index].filters.max_chunk_size
  if (slot.kind !== 'dimension') return schema.coords_filters.max_chunk_size
  if (schema.version < 5) return undefined
  const own = schema.domain.dimensions[slot.index].filters
  return (own.filters.length > 0 ? own : schema.coords_filters).max_chunk_size
}

/** uint64, little-endian. */
function offsetBytes(offsets: Float64Array): Uint8Array {
  const lanes = new Uint32Array(2 * offsets.length)
  for (let i = 0; i < offsets.length; i++) {
    lanes[2 * i] = offsets[i] % 2 ** 32
    lanes[2 * i + 1] = offsets[i] / 2 ** 32
  }
  return new Uint8Array(lanes.buffer)
}

/** Size in bytes of one coordinate in files of versions 1 to 4. */
function coordinateSize(schema: ArraySchema): number {
  return datatypeSize(schema.domain.dimensions[0].type)
}
