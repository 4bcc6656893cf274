import { unlessFault } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { datatypeSize } from '../format/datatype.ts'
import { denseAxis } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { footerLengthIsStored } from '../format/fragment-footer.ts'
import type { Fragment } from './fragment.ts'

/** An attribute or dimension whose form in the array has changed since the cells were written. */
interface ChangedField {
  name: string
  /** Its form in the schema with which TileDB opens the array. */
  now: string
  /** Its form in the fragment's own schema: that of the stored cells. */
  written: string
}

/**
 * Attributes that were dropped after the fragment was written, and added again with another type, other values per cell
 * or other nullability. TileDB 2.30 reads the stored cells as if they had the array's form: it fails, or gives wrong
 * values, or memory that is not the array's. An attribute that was added again with the same form is read correctly.
 */
export async function changedFields(fragment: Fragment): Promise<ChangedField[]> {
  const { array } = fragment
  if (!array) return []
  const { schema, schemaName } = await fragment.info()
  // If the schema cannot be read, other code reports it.
  const current = await array.newestSchema().catch(unlessFault)
  if (!current || current.file.name === schemaName) return []
  return changedAttributes(current.schema, schema)
}

/** The attributes of a fragment's own schema that have another form in the current one. */
export function changedAttributes(current: ArraySchema, written: ArraySchema): ChangedField[] {
  const changed: ChangedField[] = []
  for (const attribute of written.attributes) {
    const same = current.attributes.find(({ name }) => name === attribute.name)
    if (!same) continue
    const [now, before] = [formOf(same), formOf(attribute)]
    if (now !== before) changed.push({ name: attribute.name, now, written: before })
  }
  return changed
}

/**
 * The first dimension by which dense tiles begin elsewhere in the array than in a fragment's own schema. TileDB never changes
 * dimensions. It lays the tiles of such a fragment over the grid of the array, without an error: cells come back at coordinates at
 * which nobody wrote them, or not at all (measured with TileDB 2.30).
 */
export function changedTiles(current: ArraySchema, written: ArraySchema): ChangedField | undefined {
  if (current.array_type !== 'dense' || written.array_type !== 'dense') return undefined
  for (const [d, dimension] of written.domain.dimensions.entries()) {
    const same = current.domain.dimensions[d]
    const [now, before] = [same ? tilesOf(same) : 'no such dimension', tilesOf(dimension)]
    if (now !== before) return { name: dimension.name, now, written: before }
  }
  return undefined
}

/** Where the tiles of a dimension begin, and how long they are. */
function tilesOf(dimension: Dimension): string {
  const { type, domain } = dimension
  const first = domain.subarray(0, datatypeSize(type))
  try {
    const { domainLow, extent } = denseAxis(dimension, { min: first, max: first })
    return `tiles of ${extent} from ${domainLow} on`
  } catch (error) {
    unlessFault(error)
    return 'no tiles'
  }
}

/**
 * The number of attributes that the array has now, if TileDB 2.30 fails to open the array because the fragment was written
 * with another number; otherwise undefined. If a footer's length is not stored, TileDB computes it from the array's current
 * schema.
 *
 * @see tiledb/sm/fragment/fragment_metadata.cc: get_footer_size; measured with formats 4 to 9
 */
export async function changedFooterLength(fragment: Fragment): Promise<number | undefined> {
  const { format_version, schema } = await fragment.info()
  if (!fragment.array || format_version < 3 || footerLengthIsStored(format_version, schema)) return undefined
  const now = (await fragment.array.newestSchema().catch(unlessFault))?.schema.attributes.length
  return now === schema.attributes.length ? undefined : now
}

/** The form of an attribute. Stored cells can only be read with the form that they were written with. */
export function formOf({
  type,
  cell_val_num,
  nullable,
}: Pick<Attribute, 'type' | 'cell_val_num' | 'nullable'>): string {
  const values = cell_val_num === 1 ? '' : `, ${cell_val_num === 'var' ? 'variable length' : `${cell_val_num} a cell`}`
  return `${type}${values}${nullable ? ', nullable' : ''}`
}
