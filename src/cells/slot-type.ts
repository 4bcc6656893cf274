import { filterOf } from '../filters/registry.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import type { TileRole } from './tile-places.ts'

/** The properties of a fragment that decide the types of its tiles. */
type TileOwner = Pick<FragmentInfo, 'format_version' | 'dense' | 'schema'>

/** Element types of an unfiltered tile. */
interface TileDatatypes {
  datatype: Datatype
  /** Another type with which a release may have filtered the tile, although its readers do not use it. */
  otherDatatype: Datatype | undefined
}

/**
 * Element types of a slot's tiles by role. Validity tiles are single bytes. But TileDB 2.4 to 2.10 (formats 10 to 14) filters
 * them with the attribute's type when it writes dense tiles in row-major or col-major order. It uses bytes when it writes in
 * global order, and when it reads. If a filter's metadata shows the type, the written cells can be recovered. BYTESHUFFLE and
 * BITSHUFFLE do not show it, so their cells are those that every reader sees.
 *
 * @see DenseTiler::get_tile_null and WriterBase::init_tile_nullable of 2.10
 */
export function tileDatatypes(info: TileOwner, slot: Slot, role: TileRole): TileDatatypes {
  if (role === 'offsets') return { datatype: 'UINT64', otherDatatype: undefined }
  const { type } = slot
  if (role !== 'validity') return { datatype: type, otherDatatype: undefined }
  return { datatype: 'UINT8', otherDatatype: mayBeFilteredAsValues(info, slot) ? type : undefined }
}

function mayBeFilteredAsValues(info: TileOwner, slot: Slot): boolean {
  const sizeIsShown =
    info.schema.validity_filters?.filters.some(({ name }) => filterOf(name)?.elementSize === 'shown') === true
  return sizeIsShown && validityAsValues(info, slot)
}

/** A remark about nulls that are shown as they were written, because a filter stores the type. */
export const NULLS_AS_WRITTEN =
  'nulls are shown as they were written; TileDB 2.4 to 2.10 filtered them as if they were values, and TileDB reads them as bytes: it may show other nulls'

/** Whether a field's validity may have been filtered with the type of its values, which TileDB then reads wrongly. */
export function validityAsValues(
  { format_version, dense, schema }: TileOwner,
  { nullable, type }: Pick<Slot, 'nullable' | 'type'>,
): boolean {
  if (!dense || format_version < 10 || format_version > 14 || !nullable || type === 'UINT8') return false
  return schema.validity_filters?.filters.some(({ name }) => filterOf(name)?.elementSize !== undefined) === true
}
