import type { AnyIo } from './io.ts'

/**
 * Minima or maxima of one slot, one for each tile. Since version 11. The global-order bounds of version 23 have this
 * layout, too. Both lists are empty for slots without statistics.
 *
 * @see format_spec/fragment.md, "Tile Mins/Maxes", which has another order: in real bytes both byte counts come first
 */
export type TileMinMax = ReturnType<typeof tileMinMax>
export function tileMinMax(io: AnyIo) {
  const fixedLength = io.derive('fixed_length', 'uint64', (t) => t.fixed.length, 'bytes')
  const variableLength = io.derive('variable_length', 'uint64', (t) => t.variable.length, 'bytes')
  return {
    fixed: io.bytes('fixed', fixedLength, 'one value a tile; for strings the start of each in `variable`'),
    variable: io.bytes('variable', variableLength, 'strings, back to back'),
  }
}
