import { datatypeSize } from '../datatype.ts'
import { type AnyIo, lengthAndBytes } from '../io.ts'
import { ndRange } from '../range.ts'
import { tileOffsets } from '../tile-offsets.ts'
import { type GenomicsdbSchema, genomicsdbDimensions } from './array-schema.ts'

/**
 * The content of `__book_keeping.tdb.gz`: where the tiles of a fragment are. A field that is not compressed has no offsets of tiles: its
 * file is the column.
 *
 * @see OmicsDataAutomation/TileDB, core/src/fragment/book_keeping.cc
 */
export function bookKeeping(schema: GenomicsdbSchema) {
  const dimensions = genomicsdbDimensions(schema)
  const coordsBytes = dimensions.reduce((bytes, { type }) => bytes + datatypeSize(type), 0)
  const mbr = ndRange(dimensions)
  const ends = (io: AnyIo) => ({
    first: io.bytes('first', coordsBytes, 'coordinates of the first cell'),
    last: io.bytes('last', coordsBytes, 'coordinates of the last cell'),
  })
  const attributeNum = schema.attributes.length
  return (io: AnyIo) => {
    const domain = lengthAndBytes(io, 'domain', 'uint64', 'of the array in sparse fragments, not of their cells')
    const mbr_num = io.derive('mbr_num', 'uint64', (b) => b.mbr_num, 'MBRs: one for each tile of a sparse fragment')
    const mbrs = io.records('mbrs', mbr_num, 2 * coordsBytes, mbr, 'one for each tile').bytes
    const bounding_coords_num = io.derive('bounding_coords_num', 'uint64', (b) => b.bounding_coords_num, 'tiles')
    const ofCoords = 'first and last cell of each tile'
    return {
      domain,
      mbr_num,
      mbrs,
      bounding_coords_num,
      bounding_coords: io.records('bounding_coords', bounding_coords_num, 2 * coordsBytes, ends, ofCoords).bytes,
      tile_offsets: io.list('tile_offsets', attributeNum + 1, tileOffsets, 'one list an attribute, then coordinates'),
      tile_var_offsets: io.list('tile_var_offsets', attributeNum, tileOffsets, 'one list an attribute'),
      tile_var_sizes: io.list('tile_var_sizes', attributeNum, tileOffsets, 'one list an attribute'),
      last_tile_cell_num: io.size('last_tile_cell_num', 'cells: in the last tile'),
    }
  }
}

export type BookKeeping = ReturnType<ReturnType<typeof bookKeeping>>
