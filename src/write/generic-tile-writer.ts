import { concat } from '../base/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { Pipeline } from '../filters/pipeline.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { encode } from '../format/io.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { fixedChunkLengths, LARGEST_CHUNK } from './chunk-lengths.ts'

/** What writers need besides values. */
export interface WriteContext {
  codecs: Codecs
  /** AES-256-GCM key of 32 bytes. Everything except footers is then encrypted. */
  key: Uint8Array | undefined
  /** Source of initialisation vectors. */
  randomBytes: (length: number) => Uint8Array
  /** See {@link ReadContext.pause}. */
  pause?: ReadContext['pause']
  /** Called with the number of cells of each tile that was written, and of all tiles of its fragment. */
  onCells?: (cells: number, ofFragment: number) => void
}

/** The level at which TileDB compresses generic tiles. */
const GZIP_LEVEL = 1

/**
 * Returns a function that makes generic tiles as TileDB writes them: chunks of 65,536 bytes through gzip level 1, then AES-256-GCM if there is a key.
 *
 * @param formatVersion of the imitated library, which is stored in the header
 * @returns a function that puts a payload in the form of the file: header, pipeline, chunks
 * @see format_spec/generic_tile.md; tiledb/sm/tile/generic_tile_io.cc
 */
export async function genericTileWriter(
  formatVersion: number,
  { codecs, key, randomBytes }: WriteContext,
): Promise<(payload: Uint8Array) => Uint8Array> {
  const filters: FilterConfig[] = [{ name: 'GZIP', level: GZIP_LEVEL }]
  if (key) filters.push({ name: 'AES_256_GCM' })
  const pipeline = await Pipeline.load(filters, { datatype: 'CHAR', cellSize: 1, formatVersion, key }, codecs)
  return (payload) => {
    const chunks = pipeline.forwardTile(payload, fixedChunkLengths(payload.length, 1, LARGEST_CHUNK), { randomBytes })
    const header: GenericTileHeader = {
      format_version: formatVersion,
      persisted_size: chunks.length,
      tile_size: payload.length,
      datatype: 'CHAR',
      cell_size: 1n,
      encryption_type: key ? 'AES_256_GCM' : 'NO_ENCRYPTION',
      filters: { max_chunk_size: LARGEST_CHUNK, filters },
    }
    return concat([encode(header, genericTileHeader), chunks])
  }
}
