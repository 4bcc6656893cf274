import { type Datatype, datatypeCoding } from './datatype.ts'
import { type FilterPipeline, filterPipeline } from './filter-pipeline.ts'
import { checkVersion } from './format-version.ts'
import type { Io } from './io.ts'
import { type EncryptionType, encryptionTypeCoding } from './layout.ts'

/** Bytes of the header before the filter pipeline. */
export const GENERIC_TILE_FIXED_BYTES = 34

/**
 * Header of a generic tile. Generic tiles contain schemas, fragment metadata, array and group metadata, group details,
 * enumerations, delete conditions and consolidated fragment metadata. `persisted_size` bytes of chunks (tile-chunks.ts)
 * follow the header. It does not tell what they contain: that depends on the file.
 *
 * @see format_spec/generic_tile.md, which says that pipelines never have the AES filter; those of encrypted generic tiles do
 */
export interface GenericTileHeader {
  /**
   * Format version of the library that wrote the tile. A newer release may append to an older fragment: then it is
   * higher.
   */
  format_version: number
  /** Bytes of the chunks after the header. */
  persisted_size: number
  /** Unfiltered bytes. */
  tile_size: number
  datatype: Datatype
  /** Bytes. */
  cell_size: number
  encryption_type: EncryptionType
  filters: FilterPipeline
}

export function genericTileHeader(io: Io<GenericTileHeader>): GenericTileHeader {
  const format_version = io.u32(
    'format_version',
    'format version: of the library that wrote the tile; decides how the pipeline below is read',
  )
  checkVersion(format_version, 'format_version')
  const persisted_size = io.size('persisted_size', 'bytes: of the chunks behind the header')
  const tile_size = io.size('tile_size', 'bytes: of the content')
  const datatype = io.coded('datatype', 'uint8', datatypeCoding, 'CHAR in every tile')
  const cell_size = io.size('cell_size', 'bytes: 1 in every tile')
  const encryption_type = io.coded(
    'encryption_type',
    'uint8',
    encryptionTypeCoding,
    '0 `NO_ENCRYPTION`, 1 `AES_256_GCM`',
  )
  const filters = io.within('filter_pipeline', 'uint32', (inner) =>
    inner.struct(
      'filters',
      filterPipeline(format_version),
      'GZIP of level 1 when TileDB writes, and behind it AES_256_GCM in encrypted arrays; any pipeline is read',
    ),
  )
  return { format_version, persisted_size, tile_size, datatype, cell_size, encryption_type, filters }
}
