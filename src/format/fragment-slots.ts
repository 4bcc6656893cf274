import type { ArraySchema } from './array-schema.ts'

/** Kind of a {@link Slot}. */
export type SlotKind =
  | 'attribute'
  | 'coords'
  | 'dimension'
  | 'timestamps'
  | 'delete_timestamps'
  | 'delete_condition_index'

/**
 * Names of TileDB's internal fields. TileDB confuses an attribute or dimension of such a name with the internal field.
 */
export const OWN_FIELDS: readonly string[] = [
  '__coords',
  '__timestamps',
  '__delete_timestamps',
  '__delete_condition_index',
]

/** One field of the fragment metadata. Every per-field list in it has an entry for each slot, in this order. */
export interface Slot {
  name: string
  kind: SlotKind
  /** Position among the attributes or the dimensions; 0 for the others. */
  index: number
  /** The coordinates slot since version 5: it has entries but no file. */
  phantom: boolean
}

/** The flags that decide how many slots a fragment has. */
export interface SlotFlags {
  includes_timestamps?: boolean | undefined
  includes_delete_metadata?: boolean | undefined
}

/**
 * The slots of a fragment, in stored order.
 *
 * Versions 1 to 4: attributes, then coordinates, which have no entry in the lists of var-sized tiles. Since 5:
 * attributes, a phantom coordinates slot that upstream's pages do not mention, dimensions. Then timestamps (since 14)
 * and delete metadata (since 15).
 *
 * @param schema the fragment's own schema, which after schema evolution is not the array's newest
 */
export function fragmentSlots(version: number, schema: ArraySchema, flags: SlotFlags = {}): Slot[] {
  const slots: Slot[] = schema.attributes.map(({ name }, index) => ({ name, kind: 'attribute', index, phantom: false }))
  slots.push({ name: '__coords', kind: 'coords', index: 0, phantom: version >= 5 })
  if (version < 5) return slots
  schema.domain.dimensions.forEach(({ name }, index) => {
    slots.push({ name, kind: 'dimension', index, phantom: false })
  })
  if (flags.includes_timestamps) slots.push({ name: '__timestamps', kind: 'timestamps', index: 0, phantom: false })
  if (flags.includes_delete_metadata) {
    slots.push({ name: '__delete_timestamps', kind: 'delete_timestamps', index: 0, phantom: false })
    slots.push({ name: '__delete_condition_index', kind: 'delete_condition_index', index: 0, phantom: false })
  }
  return slots
}
