import type { RangeSets } from '../cells/bounds.ts'
import { numbersOf } from '../cells/elements.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'

/**
 * Whether TileDB 2.30 may find wrong cells in the ranges: it takes the texts of the slowest dimension for sorted, which they are only
 * inside a tile of the other dimensions.
 *
 * @returns the string dimension, and another one with tiles
 * @see ResultTile::compute_results_sparse<char>
 */
export function unsortedTexts(
  { cell_order, domain: { dimensions } }: ArraySchema,
  ranges: RangeSets,
): { text: string; tiled: string } | undefined {
  if (cell_order !== 'row-major' && cell_order !== 'col-major') return undefined
  const slowest = cell_order === 'row-major' ? 0 : dimensions.length - 1
  const { name, cell_val_num } = dimensions[slowest]
  const tiled = dimensions.find(hasTiles)
  return cell_val_num === 'var' && ranges.has(slowest) && tiled ? { text: name, tiled: tiled.name } : undefined
}

/** Whether a dimension has more than one tile. */
function hasTiles({ type, domain, tile_extent }: Dimension): boolean {
  if (!tile_extent || domain.length === 0) return false
  if (datatypeKind(type) === 'float') {
    const [low, high] = numbersOf(type, domain)
    return high - low >= numbersOf(type, tile_extent)[0]
  }
  const [low, high] = [domain.subarray(0, domain.length / 2), domain.subarray(domain.length / 2)]
  return integerOf(type, high) - integerOf(type, low) >= integerOf('UINT64', tile_extent)
}
