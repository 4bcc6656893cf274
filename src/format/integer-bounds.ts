import { datatypeKind } from './datatype.ts'
import { integerOf } from './dense-tiles.ts'
import { type Dimension, domainRange } from './dimension.ts'
import type { Range } from './range.ts'

/**
 * The lowest and the highest coordinate of a range of a dimension of integers. Undefined for text and floats, and if the dimension has
 * no domain.
 * @param range by default the domain
 */
export function integerBounds(
  dimension: Dimension,
  range: Range = domainRange(dimension),
): { low: bigint; high: bigint } | undefined {
  const { type, domain, cell_val_num } = dimension
  const kind = datatypeKind(type)
  if (cell_val_num === 'var' || kind === 'float' || kind === 'text' || domain.length === 0) return undefined
  return { low: integerOf(type, range.min), high: integerOf(type, range.max) }
}
