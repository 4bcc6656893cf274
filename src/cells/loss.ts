import { element } from '../base/element.ts'
import { filterOf } from '../filters/registry.ts'
import { type FloatScale, fitsWidth, floatScale, scaledInteger } from '../filters/scale-float.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type FragmentInfo, filePipeline } from '../objects/fragment.ts'

/** The kind of information that lossy filters remove from values. */
export type ValueLoss = 'none' | 'digits' | 'hidden colours'

/** The loss by the filters of a field. Statistics describe the cells before the loss. */
export function lossOf(info: FragmentInfo, slot: number): ValueLoss {
  let loss: ValueLoss = 'none'
  for (const filter of filePipeline(info, { slot, role: 'data' }, false)) {
    const found = filterOf(filter.name)?.loss?.(filter)
    if (found === 'digits') return found
    loss = found ?? loss
  }
  return loss
}

/** Whether a filter changes the coordinates of a dimension. */
export function hasLossyDimension(info: FragmentInfo): boolean {
  return info.slots.some(({ kind }, slot) => kind === 'dimension' && lossOf(info, slot) !== 'none')
}

/**
 * The scale by which the values of a field were rounded. Undefined if nothing was rounded, or if the loss has no known bound: if
 * SCALE_FLOAT sees what another filter made of the values, or no floats.
 */
export function roundingOf(info: FragmentInfo, slot: number): FloatScale | undefined {
  const { type } = element(info.slots, slot)
  const size = datatypeSize(type)
  if (datatypeKind(type) !== 'float' || (size !== 4 && size !== 8)) return undefined
  const filters = filePipeline(info, { slot, role: 'data' }, false)
  const lossy = filters.filter((filter) => filterOf(filter.name)?.loss?.(filter) !== undefined)
  const first = filters.find(({ name }) => filterOf(name)?.keepsData !== true)
  return lossy.length === 1 && first !== undefined && first === lossy[0] && first.name === 'SCALE_FLOAT'
    ? floatScale(first, size)
    : undefined
}

/** Whether a float fits into the integers of a scale. If not, another value is stored. */
export function isStorable(value: number, scale: FloatScale): boolean {
  return fitsWidth(scaledInteger(value, scale), scale)
}

/** How far a float may be from what is read in its place: half a step of the scale, plus the rounding of floats of this size. */
export function roundingAt(value: number, { scale, offset, single }: FloatScale): number {
  return Math.abs(scale) / 2 + 4 * (single ? 2 ** -23 : 2 ** -52) * (Math.abs(value) + Math.abs(offset))
}

/** What is read in place of a float that is not storable: what x86 processors make of it when they convert it to an integer. */
export function misreadAs(value: number, scale: FloatScale): number {
  const integer = scaledInteger(value, scale)
  const bits = 8 * scale.width
  const isCut = scale.width < 4 && Math.abs(integer) < 2 ** 31
  const outside = scale.width < 4 ? 0 : -(2 ** (bits - 1))
  const stored = isCut ? (integer << (32 - bits)) >> (32 - bits) : outside
  const read = scale.scale * stored + scale.offset
  return scale.single ? Math.fround(read) : read
}
