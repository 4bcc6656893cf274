import type { ArraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { domainRange } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'

/** Number of cells in the domain of a dense array. */
export function domainCells({ domain }: ArraySchema): bigint {
  return cellsOf(domain.dimensions, [])
}

/** Number of cells that a read of a whole dense array returns: those of the current domain if there is one, otherwise of the domain. */
export function openedCells({ domain, current_domain }: ArraySchema): bigint {
  return cellsOf(domain.dimensions, current_domain?.range ?? [])
}

/** Cells in a box. @param ranges in place of the domains of the first dimensions */
function cellsOf(dimensions: ArraySchema['domain']['dimensions'], ranges: NDRange): bigint {
  return dimensions.reduce((cells, dimension, d) => {
    const { min, max } = ranges[d] ?? domainRange(dimension)
    const along = integerOf(dimension.type, max) - integerOf(dimension.type, min) + 1n
    return along > 0n ? cells * along : 0n
  }, 1n)
}
