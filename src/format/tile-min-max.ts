import type { Io } from './io.ts'

/**
 * Minima or maxima of one slot, one a tile; since version 11. Also the layout of the global-order bounds of version 23.
 *
 * Both byte counts stand first (upstream's page has another order). Fixed-sized fields: `fixed` holds one cell a tile.
 * Var-sized: `fixed` holds a uint64 start in `variable` a tile. Slots without statistics have neither.
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
