import { filterOf } from '../filters/registry.ts'
import { type FragmentInfo, filePipeline } from '../store/fragment.ts'

/** The kind of information that lossy filters remove from values. */
export type Loss = 'none' | 'digits' | 'hidden colours'

/** The loss by the filters of a field. Statistics describe the cells before the loss. */
export function lossOf(info: FragmentInfo, slot: number): Loss {
  let loss: Loss = 'none'
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
