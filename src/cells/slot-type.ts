import { filterOf } from '../filters/registry.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type FragmentInfo, slotShape } from '../store/fragment.ts'
import type { TileRole } from './tile-places.ts'

/** Element type and shape of a slot's cells. Zipped coordinates have the dimensions' common type. */
export function slotType(info: Pick<FragmentInfo, 'schema'>, slot: Slot): { type: Datatype; cell_val_num: CellValNum } {
  if (slot.kind === 'attribute') return info.schema.attributes[slot.index]
  if (slot.kind === 'dimension') return info.schema.domain.dimensions[slot.index]
  if (slot.kind === 'coords') return { type: info.schema.domain.dimensions[0].type, cell_val_num: 1 }
  return { type: 'UINT64', cell_val_num: 1 }
}

/** What of a fragment the types of its tiles depend on. */
export type TileOwner = Pick<FragmentInfo, 'format_version' | 'dense' | 'schema'>

/** Element types ahead of all filters of a tile. */
export interface TileDatatypes {
  datatype: Datatype
  /** The one that a release may have filtered it as, against its own readers. */
  otherDatatype: Datatype | undefined
}

/**
 * Element types of a slot's tiles by role. Validity is single bytes; but TileDB 2.4 to 2.10 (formats 10 to 14) gives the filters the
 * attribute's type when it writes dense tiles in row-major or col-major order, and bytes when it writes in global order and whenever
 * it reads. Where a filter's metadata tells, what was written can be read; behind BYTESHUFFLE and BITSHUFFLE nothing tells, and
 * what all readers see is taken.
 *
 * @see DenseTiler::get_tile_null and WriterBase::init_tile_nullable of 2.10
 */
export function tileDatatypes(info: TileOwner, slot: Slot, role: TileRole): TileDatatypes {
  if (role === 'offsets') return { datatype: 'UINT64', otherDatatype: undefined }
  const { type } = slotType(info, slot)
  if (role !== 'validity') return { datatype: type, otherDatatype: undefined }
  return { datatype: 'UINT8', otherDatatype: mayBeFilteredAsValues(info, slot) ? type : undefined }
}

function mayBeFilteredAsValues(info: TileOwner, slot: Slot): boolean {
  const { nullable } = slotShape(info, slot)
  const told =
    info.schema.validity_filters?.filters.some(({ name }) => filterOf(name)?.elementSize === 'shown') === true
  return told && validityAsValues(info, nullable, slotType(info, slot).type)
}

/** Whether a field's validity may have been filtered as values, so that TileDB's readers see other cells than were written. */
export function validityAsValues(
  { format_version, dense, schema }: TileOwner,
  nullable: boolean,
  type: Datatype,
): boolean {
  if (!dense || format_version < 10 || format_version > 14 || !nullable || type === 'UINT8') return false
  return schema.validity_filters?.filters.some(({ name }) => filterOf(name)?.elementSize !== undefined) === true
}
