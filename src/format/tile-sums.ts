import type { AnyIo } from './io.ts'

/**
 * Sums of one slot, 8 bytes for each tile: int64, uint64 or float64, depending on the field's type. Since version 11.
 *
 * @see format_spec/fragment.md, "Tile Sums"
 */
export type TileSums = ReturnType<typeof tileSums>
export function tileSums(io: AnyIo) {
  const count = io.derive('value_num', 'uint64', (t) => t.values.length / 8, 'values')
  return { values: io.bytes('values', count * 8, '8 bytes a tile: int64, uint64 or float64, by the type') }
}
