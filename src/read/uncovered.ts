/** A box of cells: along each axis its position and its number of cells. */
interface Box {
  readonly at: readonly number[]
  readonly lengths: readonly number[]
}

/** Number of boxes from which on it costs less to take the whole box. */
const MANY_BOXES = 64

/** The cells of a box that no other box has, as boxes that do not overlap. If they would be many, it is the whole box. */
export function uncovered(box: Box, covers: readonly Box[]): readonly Box[] {
  let rest: Box[] = [box]
  for (const cover of covers) {
    rest = rest.flatMap((one) => without(one, cover))
    if (rest.length > MANY_BOXES) return [box]
  }
  return rest
}

/** The cells of a box that are not in another: what lies before and after it along each axis. */
function without(box: Box, cover: Box): Box[] {
  const out: Box[] = []
  const at = [...box.at]
  const lengths = [...box.lengths]
  for (let d = 0; d < at.length; d++) {
    const end = at[d] + lengths[d]
    const low = Math.max(at[d], cover.at[d])
    const high = Math.min(end, cover.at[d] + cover.lengths[d])
    if (high <= low) return [box]
    if (low > at[d]) out.push({ at: [...at], lengths: lengths.with(d, low - at[d]) })
    if (high < end) out.push({ at: at.with(d, high), lengths: lengths.with(d, end - high) })
    at[d] = low
    lengths[d] = high - low
  }
  return out
}
