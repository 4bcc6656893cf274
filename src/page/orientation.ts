import type { AxisRole, LayerImage, PictureAxis } from '../layers/picture.ts'

/**
 * Decides which dimension of a picture goes across, which goes up, and which way each runs. All pictures ask here, so that two of one
 * array never differ.
 */

/** A dimension, and what is known of it. */
export type AxisFacts = Pick<PictureAxis, 'dimension' | 'falls'> & { role: AxisRole | undefined }

export interface Orientation {
  /** Positions in the list of the dimension across and the one up. */
  across: number
  up: number
  /** Whether the last coordinate is at the left, instead of the first. */
  isLastLeft: boolean
  /** Whether the last coordinate is at the top, instead of the first. */
  isLastTop: boolean
}

/** What goes across, the first before the others; what is not listed may. */
const ACROSS: readonly (AxisRole | undefined)[] = ['longitude', 'x', 'column', 'time']
/** What goes up. */
const UP: readonly (AxisRole | undefined)[] = ['latitude', 'y', 'row']
/** What rises to the top. Rows count from the top. */
const RISING: readonly (AxisRole | undefined)[] = ['latitude', 'y', 'time']

/**
 * How two dimensions lie in a picture. Without facts, the first goes down and the second across, as rows and columns do.
 * @param axes the two dimensions, in the order of the schema
 */
export function orientationOf(axes: readonly [AxisFacts, AxisFacts]): Orientation {
  const wantsAcross = ({ role }: AxisFacts): number => Number(ACROSS.includes(role)) - Number(UP.includes(role))
  const across = wantsAcross(axes[0]) > wantsAcross(axes[1]) ? 0 : 1
  const up = 1 - across
  return { across, up, isLastLeft: isLastLeft(axes[across] ?? axes[1]), isLastTop: isLastTop(axes[up] ?? axes[0]) }
}

/** Whether the last coordinate of what goes across is at the left. */
export function isLastLeft({ falls }: Pick<AxisFacts, 'falls'>): boolean {
  return falls === true
}

/** Whether the last coordinate of what goes up is at the top. */
export function isLastTop({ role, falls }: Partial<Pick<AxisFacts, 'role' | 'falls'>>): boolean {
  return RISING.includes(role) !== (falls === true)
}

/** Whether the rows and columns of an image are those of a picture, and no places on earth. */
export function isOfCamera({ axes }: LayerImage): boolean {
  return axes.every(({ role }) => role === 'row' || role === 'column')
}
