import type { AnyIo } from './io.ts'

/**
 * A list with a uint64 for each tile: tile offsets, var tile offsets, validity tile offsets (all in bytes from the
 * start of the data file), var tile sizes (unfiltered bytes) or tile null counts (cells). For a slot without such data
 * the list is empty, or all zeros.
 *
 * @see format_spec/fragment.md, "Tile Offsets", "Tile Sizes", "Tile Null Counts"
 */
export type TileOffsets = ReturnType<typeof tileOffsets>
export function tileOffsets(io: AnyIo) {
  const count = io.derive('value_num', 'uint64', (t) => t.values.length, 'values')
  return { values: io.sizes('values', count, 'one a tile') }
}
