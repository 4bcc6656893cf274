import type { RangeType } from '../format/range.ts'
import { intervalsOf } from '../read/dense-windows.ts'
import { boxDifference, type Side } from '../read/uncovered.ts'
import type { Listed } from './listed-fragment.ts'
import { comparableDomain } from './overlaps.ts'

/** Most looks at two boxes, and most boxes that are cut. Many fragments that overlap in part would need far more. */
const [MAX_LOOKS, MAX_CUTS] = [1_000_000, 100_000]

type Box = readonly Side<bigint>[]

/**
 * Finds the fragments that newer ones overwrite wholly: a reader takes no cell from them. TileDB's dense reader skips such fragments.
 * Which cells a sparse fragment has is not known from its box, so its answer is null.
 *
 * @param found all fragments of an array, oldest first, with the number of those that each overlaps
 * @param newest name of the newest schema: a fragment with an older one may lack a field that the fragment below it has
 * @returns for each fragment whether it is overwritten; null if that is not known, or if the fragment is not read
 */
export function overwrittenFragments(
  found: readonly Listed[],
  dimensions: readonly RangeType[],
  newest: string | undefined,
): (boolean | null)[] {
  const isDense = ({ isRead, result }: Listed): boolean => isRead && result.dense === true
  const boxes = found.map((one): Box | undefined => {
    // One that overlaps no other is neither overwritten, nor does it overwrite one.
    const domain = isDense(one) && one.result.overlap_num !== 0 ? comparableDomain(one, dimensions) : undefined
    return domain && intervalsOf(domain, dimensions).map(({ low, high }) => ({ from: low, end: high + 1n }))
  })
  let [looks, cuts] = [0, 0]
  return boxes.map((box, i) => {
    if (!box) return isDense(found[i]) && found[i].result.overlap_num === 0 ? false : null
    const schema = found[i].result.array_schema_name
    let rest: Box[] = [box]
    for (let j = i + 1; j < boxes.length && rest.length > 0; j++) {
      const cover = boxes[j]
      if (++looks > MAX_LOOKS) return null
      if (!cover || !meet(box, cover)) continue
      const name = found[j].result.array_schema_name
      if (name !== schema && name !== newest) continue
      cuts += rest.length
      if (cuts > MAX_CUTS) return null
      rest = rest.flatMap((one) => boxDifference(one, cover) ?? [one])
    }
    return rest.length === 0
  })
}

function meet(a: Box, b: Box): boolean {
  return a.every(({ from, end }, d) => from < b[d].end && b[d].from < end)
}
