import { sum } from '../base/sum.ts'
import type { ArraySchema } from './array-schema.ts'
import type { CellValNum } from './cell-val-num.ts'
import { type Datatype, datatypeSize } from './datatype.ts'

/** Kind of a {@link Slot}. */
export type SlotKind =
  | 'attribute'
  | 'coords'
  | 'dimension'
  | 'timestamps'
  | 'delete_timestamps'
  | 'delete_condition_index'

/**
 * Names of TileDB's internal fields. TileDB confuses an attribute or a dimension of the same name with the internal field.
 */
export const INTERNAL_FIELDS: readonly string[] = [
  '__coords',
  '__timestamps',
  '__delete_timestamps',
  '__delete_condition_index',
]

/**
 * A field, as the lists of the fragment metadata count it: each list has an entry for each slot, in this order. Documents call it a field,
 * without the place in the lists.
 */
export interface Slot {
  name: string
  kind: SlotKind
  /** Position among the attributes or the dimensions; 0 for the others. */
  index: number
  /** The coordinates slot since version 5: it has entries but no file. */
  phantom: boolean
  /** Type of the elements; that of the first dimension for coordinates. */
  type: Datatype
  /** 1 for coordinates. */
  cell_val_num: CellValNum
  varSized: boolean
  nullable: boolean
  /** Bytes of one cell; for a var-sized slot, of one element. */
  cellSize: number
}

/** The flags that decide how many slots a fragment has. */
export interface SlotFlags {
  includes_timestamps?: boolean | undefined
  includes_delete_metadata?: boolean | undefined
}

/**
 * Returns the slots of a fragment, in stored order.
 *
 * Versions 1 to 4: attributes, then coordinates, which have no entry in the lists of var-sized tiles. Since version 5:
 * attributes, a phantom coordinates slot that upstream's pages do not mention, dimensions, then timestamps (since 14) and
 * delete metadata (since 15).
 *
 * @param schema the fragment's own schema: after schema evolution the array has a newer one
 */
export function fragmentSlots(version: number, schema: ArraySchema, flags: SlotFlags = {}): Slot[] {
  const { dimensions } = schema.domain
  const own = (kind: Exclude<SlotKind, 'attribute' | 'coords' | 'dimension'>): Slot =>
    fieldSlot(kind, 0, { name: `__${kind}`, type: 'UINT64', cell_val_num: 1 })
  const coords = fieldSlot('coords', 0, { name: '__coords', type: dimensions[0]?.type ?? 'UINT8', cell_val_num: 1 })
  const cellSize = sum(dimensions, ({ type }) => datatypeSize(type))
  const slots = schema.attributes.map((attribute, index) => fieldSlot('attribute', index, attribute))
  slots.push({ ...coords, cellSize, phantom: version >= 5 })
  if (version < 5) return slots
  slots.push(...dimensions.map((dimension, index) => fieldSlot('dimension', index, dimension)))
  if (flags.includes_timestamps) slots.push(own('timestamps'))
  if (flags.includes_delete_metadata) slots.push(own('delete_timestamps'), own('delete_condition_index'))
  return slots
}

interface Field extends Pick<Slot, 'name' | 'type' | 'cell_val_num'> {
  nullable?: boolean
}

/** Returns the slot of an attribute, a dimension or an internal field. */
export function fieldSlot(kind: SlotKind, index: number, { name, type, cell_val_num, nullable = false }: Field): Slot {
  const varSized = cell_val_num === 'var'
  const cellSize = datatypeSize(type) * (varSized ? 1 : cell_val_num)
  return { name, kind, index, phantom: false, type, cell_val_num, varSized, nullable, cellSize }
}
