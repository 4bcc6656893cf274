import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { FragmentInfo } from '../fragment.ts'

/** Element type and shape of a slot's cells. Zipped coordinates have the dimensions' common type. */
export function slotType(info: Pick<FragmentInfo, 'schema'>, slot: Slot): { type: Datatype; cell_val_num: CellValNum } {
  if (slot.kind === 'attribute') return info.schema.attributes[slot.index]
  if (slot.kind === 'dimension') return info.schema.domain.dimensions[slot.index]
  if (slot.kind === 'coords') return { type: info.schema.domain.dimensions[0].type, cell_val_num: 1 }
  return { type: 'UINT64', cell_val_num: 1 }
}
