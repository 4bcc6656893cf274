import { element } from '../base/element.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'
import { type FragmentInfo, storedCellNum } from './fragment.ts'

/**
 * Cells inside the non-empty domain. In a sparse fragment these are all cells.
 * @param box the non-empty domain, if the caller has it: it may have to be decoded
 */
export function cellsInDomain(info: FragmentInfo, box: NDRange | undefined = info.nonempty_domain): number | bigint {
  if (!info.dense) return storedCellNum(info)
  const cells = pointsInDomain(info, box)
  return cells <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cells) : cells
}

/** Points of integer dimensions inside the non-empty domain; 0 if there is none. @param box as in {@link cellsInDomain} */
export function pointsInDomain({ schema, nonempty_domain }: FragmentInfo, box = nonempty_domain): bigint {
  if (!box) return 0n
  let points = 1n
  for (const [d, { type }] of schema.domain.dimensions.entries()) {
    const { min, max } = element(box, d)
    points *= integerOf(type, max) - integerOf(type, min) + 1n
  }
  return points
}

/** Cells of a dense fragment's tiles outside of its non-empty domain, which it stores beside those that were written. */
export function paddingNum(info: FragmentInfo): number {
  return info.dense ? Math.max(0, storedCellNum(info) - Number(cellsInDomain(info))) : 0
}
