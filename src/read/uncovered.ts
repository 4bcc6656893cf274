/** Coordinates along an axis: the first, and the end, which is the first after them. */
export interface Side<T extends number | bigint> {
  readonly from: T
  readonly end: T
}

/**
 * The cells of a box that another box does not have, as boxes that do not overlap, in row-major order of their first cells; undefined if
 * the boxes have no cell in common. Coordinates are only compared, so positions in a window and 64-bit coordinates both do.
 */
export function boxDifference<T extends number | bigint>(
  box: readonly Side<T>[],
  other: readonly Side<T>[],
): Side<T>[][] | undefined {
  const before: Side<T>[][] = []
  const after: Side<T>[][] = []
  const beside = [...box]
  for (const [d, side] of box.entries()) {
    const both = inBoth(side, other[d])
    if (!both) return undefined
    if (side.from < both.from) before.push(beside.with(d, { from: side.from, end: both.from }))
    if (both.end < side.end) after.push(beside.with(d, { from: both.end, end: side.end }))
    beside[d] = both
  }
  return [...before, ...after.reverse()]
}

function inBoth<T extends number | bigint>(a: Side<T>, b: Side<T>): Side<T> | undefined {
  const { from } = a.from > b.from ? a : b
  const { end } = a.end < b.end ? a : b
  return from < end ? { from, end } : undefined
}

/** A box of cells: along each axis its position and its number of cells. */
interface Box {
  readonly at: readonly number[]
  readonly lengths: readonly number[]
}

/** Number of boxes from which on it costs less to take the whole box. */
const MANY_BOXES = 64

/** The cells of a box that no other box has, as boxes that do not overlap. If they would be many, it is the whole box. */
export function uncovered(box: Box, covers: readonly Box[]): readonly Box[] {
  let rest: (readonly Side<number>[])[] = [sidesOf(box)]
  for (const cover of covers) {
    const sides = sidesOf(cover)
    rest = rest.flatMap((one) => boxDifference(one, sides) ?? [one])
    if (rest.length > MANY_BOXES) return [box]
  }
  return rest.map((sides) => ({ at: sides.map(({ from }) => from), lengths: sides.map(({ from, end }) => end - from) }))
}

function sidesOf({ at, lengths }: Box): Side<number>[] {
  return at.map((from, d) => ({ from, end: from + lengths[d] }))
}
