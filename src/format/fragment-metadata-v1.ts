import type { ArraySchema } from './array-schema.ts'
import { checkVersion } from './format-version.ts'
import { fragmentSlots } from './fragment-slots.ts'
import type { Describe, Io } from './io.ts'
import { type NDRange, ndRange, ndRangeSize } from './range.ts'
import { type TileOffsets, tileOffsets } from './tile-offsets.ts'

/**
 * Fragment metadata of versions 1 and 2: one generic tile with everything. There is no footer, no R-tree and no dense
 * flag: TileDB takes the fragment for sparse if its folder has `__coords.tdb`.
 *
 * @see tiledb/sm/fragment/v1v2preloaded_fragment_metadata.cc
 */
export interface FragmentMetadataV1 {
  version: number
  /** Undefined if its stored size is 0. */
  nonempty_domain: NDRange | undefined
  /** MBRs of the tiles, one after another; none in dense fragments. */
  mbr_num: number
  mbrs: Uint8Array
  /** Coordinates of each tile's first and last cell. TileDB ignores them. */
  bounding_coords_num: number
  bounding_coords: Uint8Array
  /** One list for each attribute and one for the coordinates. */
  tile_offsets: TileOffsets[]
  /** One list for each attribute. */
  tile_var_offsets: TileOffsets[]
  tile_var_sizes: TileOffsets[]
  last_tile_cell_num: bigint
  file_sizes: Float64Array
  file_var_sizes: Float64Array
}

export function fragmentMetadataV1(schema: ArraySchema): Describe<FragmentMetadataV1> {
  const dimensions = schema.domain.dimensions
  const mbr = ndRange(dimensions)
  const mbrBytes = ndRangeSize(dimensions) ?? 0
  return (io: Io<FragmentMetadataV1>) => {
    const version = io.u32('version', 'format version')
    checkVersion(version)
    const n = fragmentSlots(version, schema).length
    const domainLength = io.derive(
      'nonempty_domain_length',
      'uint64',
      (m) => (m.nonempty_domain ? mbrBytes : 0),
      'bytes: 0: there is none',
    )
    io.require(
      domainLength === 0 || domainLength === mbrBytes,
      'nonempty_domain_length',
      () => `expected 0 or ${mbrBytes} bytes, found ${domainLength}`,
    )
    const nonempty_domain = domainLength === 0 ? undefined : io.struct('nonempty_domain', mbr)
    const mbr_num = io.derive(
      'mbr_num',
      'uint64',
      (m) => m.mbr_num,
      'MBRs: one for each tile of a sparse fragment; 0 in dense ones',
    )
    const mbrs = io.records('mbrs', mbr_num, mbrBytes, mbr, 'one for each tile').bytes
    const bounding_coords_num = io.derive('bounding_coords_num', 'uint64', (m) => m.bounding_coords_num, 'tiles')
    const bounding_coords = io.bytes(
      'bounding_coords',
      bounding_coords_num * mbrBytes,
      'first and last cell of each tile; readers pass over them',
    )
    return {
      version,
      nonempty_domain,
      mbr_num,
      mbrs,
      bounding_coords_num,
      bounding_coords,
      tile_offsets: io.list('tile_offsets', n, tileOffsets, 'one list a slot: attributes, then coordinates'),
      tile_var_offsets: io.list('tile_var_offsets', n - 1, tileOffsets, 'one list an attribute'),
      tile_var_sizes: io.list('tile_var_sizes', n - 1, tileOffsets, 'one list an attribute'),
      last_tile_cell_num: io.u64('last_tile_cell_num', 'cells: in the last tile'),
      file_sizes: io.sizes('file_sizes', n, 'bytes: one a slot'),
      file_var_sizes: io.sizes('file_var_sizes', n - 1, 'bytes: one an attribute'),
    }
  }
}
