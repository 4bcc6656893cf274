import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { type Describe, encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { bytes } from './build-bytes.ts'

/** A structure in a generic tile without filters, as a file holds it. */
export function genericTileBytes<T>(value: T, describe: Describe<T>, formatVersion = 22): Uint8Array {
  const payload = encode(value, describe)
  const none = new Uint8Array(0)
  const chunks = encode(
    { chunks: [{ original_length: payload.length, metadata: none, data: payload }], extra: none },
    tileChunks,
  )
  const header = encode(
    {
      format_version: formatVersion,
      persisted_size: chunks.length,
      tile_size: payload.length,
      datatype: 'CHAR',
      cell_size: 1n,
      encryption_type: 'NO_ENCRYPTION',
      filters: { max_chunk_size: 65536, filters: [] },
    },
    genericTileHeader,
  )
  return bytes(header, chunks)
}
