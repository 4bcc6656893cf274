import type { Fault } from '../base/errors.ts'
import type { ArraySchema } from './array-schema.ts'
import { checkVersion } from './format-version.ts'
import { fragmentSlots } from './fragment-slots.ts'
import type { AnyIo } from './io.ts'
import { ndRange, ndRangeSize } from './range.ts'
import { tileOffsets } from './tile-offsets.ts'

/**
 * Fragment metadata of versions 1 and 2: one generic tile with everything. There is no footer, no R-tree and no dense
 * flag. TileDB takes a fragment for sparse if its folder has `__coords.tdb`.
 *
 * @see tiledb/sm/fragment/v1v2preloaded_fragment_metadata.cc
 */
export type FragmentMetadataV1 = ReturnType<ReturnType<typeof fragmentMetadataV1>>

export function fragmentMetadataV1(schema: ArraySchema) {
  const mbr = ndRange(schema.domain.dimensions)
  const mbrBytes = ndRangeSize(schema.domain.dimensions) ?? 0
  return (io: AnyIo) => {
    const version = io.u32('version', 'format version')
    checkVersion(version)
    const n = fragmentSlots(version, schema).length
    const ownLength = (m: { nonempty_domain: unknown }): number => (m.nonempty_domain ? mbrBytes : 0)
    const domainLength = io.derive('nonempty_domain_length', 'uint64', ownLength, 'bytes: 0 if there is none')
    const badLength = (): Fault => ({ expected: `0 or ${mbrBytes} bytes`, found: domainLength })
    io.require(domainLength === 0 || domainLength === mbrBytes, 'nonempty_domain_length', badLength)
    const nonempty_domain = domainLength === 0 ? undefined : io.struct('nonempty_domain', mbr)
    const ofNum = 'MBRs: one for each tile of a sparse fragment; 0 in dense ones'
    const mbr_num = io.derive('mbr_num', 'uint64', (m) => m.mbr_num, ofNum)
    const mbrs = io.records('mbrs', mbr_num, mbrBytes, mbr, 'one for each tile').bytes
    const bounding_coords_num = io.derive('bounding_coords_num', 'uint64', (m) => m.bounding_coords_num, 'tiles')
    const ofCoords = 'first and last cell of each tile; readers skip them'
    return {
      version,
      nonempty_domain,
      mbr_num,
      mbrs,
      bounding_coords_num,
      bounding_coords: io.bytes('bounding_coords', bounding_coords_num * mbrBytes, ofCoords),
      tile_offsets: io.list('tile_offsets', n, tileOffsets, 'one list a slot: attributes, then coordinates'),
      tile_var_offsets: io.list('tile_var_offsets', n - 1, tileOffsets, 'one list an attribute'),
      tile_var_sizes: io.list('tile_var_sizes', n - 1, tileOffsets, 'one list an attribute'),
      last_tile_cell_num: io.u64('last_tile_cell_num', 'cells: in the last tile'),
      file_sizes: io.sizes('file_sizes', n, 'bytes: one a slot'),
      file_var_sizes: io.sizes('file_var_sizes', n - 1, 'bytes: one an attribute'),
    }
  }
}
