import type { Io } from './io.ts'

/**
 * Minima or maxima of one slot, one for each tile. Since version 11. The global-order bounds of version 23 have this
 * layout, too.
 *
 * Both byte counts come first (upstream's page has another order). For fixed-sized fields, `fixed` has one cell for
 * each tile. For var-sized fields, `fixed` has a uint64 for each tile: the start in `variable`. Both are empty for
 * slots without statistics.
 *
 * @see format_spec/fragment.md, "Tile Mins/Maxes"
 */
export interface TileMinMax {
  fixed: Uint8Array
  variable: Uint8Array
}

export function tileMinMax(io: Io<TileMinMax>): TileMinMax {
  const fixedLength = io.derive('fixed_length', 'uint64', (t) => t.fixed.length, 'bytes')
  const variableLength = io.derive('variable_length', 'uint64', (t) => t.variable.length, 'bytes')
  return {
    fixed: io.bytes('fixed', fixedLength, 'one value a tile; of strings the start of each in `variable`'),
    variable: io.bytes('variable', variableLength, 'strings, back to back'),
  }
}
