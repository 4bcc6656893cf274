import { orUnknown } from './coding.ts'
import { datatypeCoding } from './datatype.ts'
import { filterPipeline } from './filter-pipeline.ts'
import { checkVersion, FIRST_EXPERIMENTAL_VERSION } from './format-version.ts'
import type { AnyIo } from './io.ts'
import { encryptionTypeCoding } from './layout.ts'

/** Bytes of the header before the filter pipeline. */
export const GENERIC_TILE_FIXED_BYTES = 34

/**
 * Header of a generic tile. Generic tiles contain schemas, fragment metadata, array and group metadata, group details,
 * enumerations, delete conditions and consolidated fragment metadata. `persisted_size` bytes of chunks (tile-chunks.ts)
 * follow the header. It does not say what they contain: that depends on the file. A newer release may append to an
 * older fragment: then `format_version` is higher than the fragment's. TileDB looks neither at the version, nor at the datatype
 * and the cell size.
 *
 * @see format_spec/generic_tile.md, which says that pipelines never have the AES filter; those of encrypted generic tiles do
 */
export type GenericTileHeader = ReturnType<typeof genericTileHeader>
export function genericTileHeader(io: AnyIo) {
  const ofVersion = 'format version: of the library that wrote the tile; decides how the pipeline below is read'
  const format_version = io.u32('format_version', ofVersion)
  // TileDB accepts these numbers, too, but then refuses the content.
  if (format_version >= FIRST_EXPERIMENTAL_VERSION) checkVersion(format_version, 'format_version')
  const ofFilters =
    'GZIP of level 1 if TileDB wrote the tile, then AES_256_GCM in encrypted arrays; readers accept any pipeline'
  return {
    format_version,
    persisted_size: io.size('persisted_size', 'bytes: of the chunks after the header'),
    tile_size: io.size('tile_size', 'bytes: of the content'),
    datatype: io.coded('datatype', 'uint8', orUnknown(datatypeCoding), 'CHAR in every tile'),
    cell_size: io.u64('cell_size', 'bytes: 1 in every tile'),
    encryption_type: io.coded('encryption_type', 'uint8', encryptionTypeCoding, '0 `NO_ENCRYPTION`, 1 `AES_256_GCM`'),
    ...io.within('filter_pipeline', 'uint32', (inner) => ({
      filters: inner.struct('filters', filterPipeline(format_version), ofFilters),
      ...bytesAfterFilters(inner),
    })),
  }
}

/** TileDB looks at no bytes after the filters (measured with 2.30). */
function bytesAfterFilters(io: AnyIo): { after_filters?: Uint8Array } {
  const after_filters = io.rest('after_filters', 'none if TileDB wrote the tile; readers skip them')
  return after_filters.length > 0 ? { after_filters } : {}
}
