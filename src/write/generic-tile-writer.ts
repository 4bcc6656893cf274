import { concat } from '../filters/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { Pipeline } from '../filters/pipeline.ts'
import type { FilterConfig, FilterPipeline } from '../format/filter-pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { encode } from '../format/io.ts'
import { fixedChunkLengths, LARGEST_CHUNK } from './chunk-lengths.ts'

/** What writing needs besides values. */
export interface WriteContext {
  codecs: Codecs
  /** AES-256-GCM key of 32 bytes. Everything except footers is then encrypted. */
  key: Uint8Array | undefined
  /** Source of initialisation vectors. */
  randomBytes: (length: number) => Uint8Array
}

/** The level at which TileDB compresses generic tiles. */
const GZIP_LEVEL = 1

/** Makes generic tiles of one format version; loads the pipeline only once. */
export class GenericTileWriter {
  private readonly formatVersion: number
  private readonly cx: WriteContext
  private readonly pipeline: Pipeline
  private readonly filters: FilterPipeline

  private constructor(formatVersion: number, cx: WriteContext, pipeline: Pipeline, filters: FilterPipeline) {
    this.formatVersion = formatVersion
    this.cx = cx
    this.pipeline = pipeline
    this.filters = filters
  }

  static async open(formatVersion: number, cx: WriteContext): Promise<GenericTileWriter> {
    const filters: FilterConfig[] = [{ name: 'GZIP', level: GZIP_LEVEL }]
    if (cx.key) filters.push({ name: 'AES_256_GCM' })
    const tile = { datatype: 'CHAR', cellSize: 1, formatVersion, key: cx.key } as const
    const pipeline = await Pipeline.load(filters, tile, cx.codecs)
    return new GenericTileWriter(formatVersion, cx, pipeline, { max_chunk_size: LARGEST_CHUNK, filters })
  }

  /** A payload in the form of the file: header, pipeline, chunks. */
  write(payload: Uint8Array): Uint8Array {
    const chunks = this.pipeline.forwardTile(payload, fixedChunkLengths(payload.length, 1), {
      randomBytes: this.cx.randomBytes,
    })
    const header: GenericTileHeader = {
      format_version: this.formatVersion,
      persisted_size: chunks.length,
      tile_size: payload.length,
      datatype: 'CHAR',
      cell_size: 1,
      encryption_type: this.cx.key ? 'AES_256_GCM' : 'NO_ENCRYPTION',
      filters: this.filters,
    }
    return concat([encode(header, genericTileHeader), chunks])
  }
}

/**
 * A generic tile as TileDB writes it: chunks of 65,536 bytes through gzip level 1, then AES-256-GCM if there is a key.
 *
 * @param formatVersion of the imitated library, which is stored in the header
 * @see format_spec/generic_tile.md; tiledb/sm/tile/generic_tile_io.cc
 */
export async function writeGenericTile(
  payload: Uint8Array,
  formatVersion: number,
  cx: WriteContext,
): Promise<Uint8Array> {
  return (await GenericTileWriter.open(formatVersion, cx)).write(payload)
}
