import type { TileRole } from '../cells/tile-files.ts'
import type { ArraySchema } from '../format/array-schema.ts'

/*
 * Values of options, for the commands that take them and for completion.
 */

/** What a file of a field holds. */
export const ROLES: readonly TileRole[] = ['data', 'offsets', 'var', 'validity']

export const CELL_ORDERS: readonly ArraySchema['cell_order'][] = ['row-major', 'col-major', 'hilbert']
export const TILE_ORDERS: readonly ArraySchema['tile_order'][] = ['row-major', 'col-major']

/** Forms of a schema that `whatif` prints. */
export const EMITTED = ['schema', 'python'] as const

/** By what `whatif` chooses filters. */
export const BEST_KINDS = ['smallest', 'fastest', 'balanced'] as const
