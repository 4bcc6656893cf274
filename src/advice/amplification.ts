import { unionOf } from '../cells/rtree-builder.ts'
import { type DenseAxis, denseTileGrid } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'
import type { OpenedArray } from '../read/query.ts'
import { sum } from './facts.ts'

/**
 * How much larger the box around all fragments of a dense array is than the fragments in whole tiles. TileDB consolidates them only up
 * to `sm.consolidation.amplification`, which is 1 by default.
 * @see FragmentConsolidator::are_consolidatable
 */
export function amplification({ schema, fragments }: OpenedArray): number {
  const domains = fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : []))
  if (schema.array_type === 'sparse' || domains.length === 0) return 0
  const axesOf = (domain: NDRange): DenseAxis[] => denseTileGrid(schema, domain).axes
  const cells = axesOf(unionOf(domains, schema.domain.dimensions)).reduce(
    (all, { low, high }) => all * Number(high - low + 1n),
    1,
  )
  return (
    cells / sum(domains, (domain) => axesOf(domain).reduce((all, axis) => all * axis.tile_num * Number(axis.extent), 1))
  )
}
