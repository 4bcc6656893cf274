import { type InspectError, inconsistent, unlessFault } from '../base/errors.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, denseAxis } from '../format/dense-tiles.ts'
import { type Dimension, domainRange } from '../format/dimension.ts'
import { FILTER_OPTIONS } from '../format/filter-pipeline.ts'
import { footerLengthIsStored } from '../format/fragment-footer.ts'
import type { Fragment, FragmentInfo } from './fragment.ts'

/** An attribute or dimension whose form in the array has changed since the cells were written. */
interface ChangedField {
  name: string
  /** Its form in the schema with which TileDB opens the array. */
  now: string
  /** Its form in the fragment's own schema: that of the stored cells. */
  written: string
}

/**
 * Attributes that were dropped after the fragment was written, and added again with another type, other values per cell, other nullability
 * or other filters. TileDB 2.30 reads the stored cells as if they had the array's form: it fails, or gives wrong values, or memory that is
 * not the array's. An attribute that was added again with the same form is read correctly.
 */
export async function changedFields(fragment: Fragment): Promise<readonly ChangedField[]> {
  const { array } = fragment
  if (!array) return []
  const { schema, schemaName } = await fragment.info()
  // If the schema cannot be read, other code reports it.
  const current = await array.newestSchema().catch(unlessFault)
  if (!current || current.file.name === schemaName) return []
  return changedAttributes(current.schema, schema)
}

/** By the schema of fragments. Thousands of fragments share one. */
const known = new WeakMap<ArraySchema, { current: ArraySchema; changed: readonly ChangedField[] }>()

/** The attributes of a fragment's own schema that have another form in the current one. */
export function changedAttributes(current: ArraySchema, written: ArraySchema): readonly ChangedField[] {
  if (current === written) return []
  const found = known.get(written)
  if (found?.current === current) return found.changed
  const changed = comparedAttributes(current, written)
  known.set(written, { current, changed })
  return changed
}

function comparedAttributes(current: ArraySchema, written: ArraySchema): ChangedField[] {
  const changed: ChangedField[] = []
  for (const attribute of written.attributes) {
    const same = current.attributes.find(({ name }) => name === attribute.name)
    if (!same) continue
    const [now, before] = [formOf(same), formOf(attribute)]
    const [filtersNow, filtersBefore] = [filtersOf(same), filtersOf(attribute)]
    if (now !== before) changed.push({ name: attribute.name, now, written: before })
    else if (filtersNow !== filtersBefore)
      changed.push({
        name: attribute.name,
        now: `${now} with ${filtersNow}`,
        written: `${before} with ${filtersBefore}`,
      })
  }
  return changed
}

/** Names of the attributes that fragments have, and the schema has no longer. */
export function droppedAttributes(
  { attributes }: ArraySchema,
  fragments: readonly { info: Pick<FragmentInfo, 'schema'> }[],
): Set<string> {
  const now = new Set(attributes.map(({ name }) => name))
  const stored = fragments.flatMap(({ info }) => info.schema.attributes.map(({ name }) => name))
  return new Set(stored.filter((name) => !now.has(name)))
}

/** What decides at which coordinates the cells of a fragment are, if it has changed in the array since they were written. */
interface ChangedTiles extends Omit<ChangedField, 'name'> {
  /** Its place in a schema. */
  field: string
}

/**
 * The first thing by which cells are elsewhere in the array than in a fragment's own schema: whether the array is dense, its number of
 * dimensions, the type of a dimension, in sparse arrays its name, and in dense ones where its tiles begin, and the orders. TileDB never
 * changes any of these. It reads such a fragment by the schema of the array, mostly without an error: cells come back at coordinates at
 * which nobody wrote them, or not at all, or the process ends (measured with TileDB 2.30).
 */
export function changedTiles(current: ArraySchema, written: ArraySchema): ChangedTiles | undefined {
  if (current === written) return undefined
  if (current.array_type !== written.array_type)
    return { field: 'array_type', now: current.array_type, written: written.array_type }
  const coordinates = changedCoordinates(current, written)
  if (coordinates || current.array_type === 'sparse') return coordinates
  for (const { name, now, before } of pairedDimensions(current, written)) {
    const [tilesNow, tilesBefore] = [tilesOf(now), tilesOf(before)]
    if (tilesNow !== tilesBefore) return { field: `dimensions.${name}`, now: tilesNow, written: tilesBefore }
  }
  const order = changedOrder(current, written)
  return order && { field: order, now: current[order], written: written[order] }
}

/**
 * The first thing by which the coordinates of cells have another form in the array than in a fragment's own schema. Types of one size
 * have the same integers: TileDB reads the cells as they were written. Only the coordinates of sparse cells are stored, each dimension
 * in a file that TileDB finds by its name.
 */
export function changedCoordinates(current: ArraySchema, written: ArraySchema): ChangedTiles | undefined {
  const [length, lengthBefore] = [current, written].map(({ domain }) => domain.dimensions.length)
  if (length !== lengthBefore)
    return { field: 'dimensions', now: dimensionNum(length), written: dimensionNum(lengthBefore) }
  const areStored = written.array_type === 'sparse'
  for (const { name, now, before } of pairedDimensions(current, written)) {
    const field = `dimensions.${name}`
    if (areStored && now.name !== name) return { field, now: JSON.stringify(now.name), written: JSON.stringify(name) }
    if (coordinateForm(now) !== coordinateForm(before)) return { field, now: now.type, written: before.type }
  }
  return undefined
}

/** Whether some dimension has another domain in the array than in a fragment's own schema. TileDB never changes a domain. */
export function hasOtherDomain(current: ArraySchema, written: ArraySchema): boolean {
  if (current === written) return false
  return pairedDimensions(current, written).some(({ now, before }) => !sameBytes(now.domain, before.domain))
}

/** What two dimensions have in common whose stored coordinates are the same. */
function coordinateForm({ type, cell_val_num }: Dimension): string {
  return `${cell_val_num} of ${datatypeSize(type)} bytes${datatypeKind(type) === 'float' ? ', floats' : ''}`
}

/** The dimensions of both schemas, by their positions. The names do not matter to the cells of dense tiles. */
function pairedDimensions(current: ArraySchema, written: ArraySchema) {
  return written.domain.dimensions.flatMap((before, d) => {
    const now = current.domain.dimensions[d]
    return now ? [{ name: before.name, now, before }] : []
  })
}

function dimensionNum(count = 0): string {
  return `${count} ${count === 1 ? 'dimension' : 'dimensions'}`
}

/** The order that has changed, if it matters: one of tiles or cells that lie in a line is the same in every order. */
function changedOrder(
  current: ArraySchema,
  { domain, ...written }: ArraySchema,
): 'tile_order' | 'cell_order' | undefined {
  const areLines = (one: 'tile_num' | 'extent'): boolean =>
    domain.dimensions.filter((dimension) => (axisOf(dimension)?.[one] ?? 0) > 1).length < 2
  if (current.tile_order !== written.tile_order && !areLines('tile_num')) return 'tile_order'
  if (current.cell_order !== written.cell_order && !areLines('extent')) return 'cell_order'
  return undefined
}

/**
 * The error of a command that takes the cells of a fragment by the schema of the array, if they are elsewhere in it.
 * @param changedIn what the command cannot work with
 */
export function otherTiles(
  current: ArraySchema,
  { fragment, info }: { fragment: Pick<Fragment, 'folder'>; info: Pick<FragmentInfo, 'schema'> },
  changedIn = changedTiles,
): InspectError | undefined {
  const changed = changedIn(current, info.schema)
  if (!changed) return undefined
  const { field, now, written } = changed
  const fault = { expected: `${now}, as in the array's schema`, found: `${written} in the schema of the fragment` }
  return inconsistent(fault, { file: fragment.folder.path, field })
}

/** Where the tiles of a dimension begin, and how long they are. */
function tilesOf(dimension: Dimension): string {
  const axis = axisOf(dimension)
  return axis ? `tiles of ${axis.extent} from ${axis.domainLow} on` : 'no tiles'
}

/** The tiles of a dimension over its whole domain; undefined if it cannot have any. */
function axisOf(dimension: Dimension): DenseAxis | undefined {
  try {
    return denseAxis(dimension, domainRange(dimension))
  } catch (error) {
    unlessFault(error)
    return undefined
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

/** Options that only say how filters write. Undoing them finds in the chunks what it needs. Measured with TileDB 2.30. */
const OF_WRITING: ReadonlySet<string> = new Set(['level', 'max_window_size', 'quality', 'lossless'])
/** Keys of a stored filter that are none of its options. */
const NO_OPTIONS: ReadonlySet<string> = new Set(['name', 'compressor', 'options_length', 'extra'])

/** What TileDB undoes of the filters of an attribute. It takes them from the array's schema, whatever schema the cells were written with. */
function filtersOf({ filters: { filters } }: Pick<Attribute, 'filters'>): string {
  const undone = filters.filter(({ name }) => name !== 'NONE')
  if (undone.length === 0) return 'no filters'
  return undone
    .map(({ name, ...options }) => {
      const defaults = new Map<string, unknown>(Object.entries((FILTER_OPTIONS as Record<string, object>)[name] ?? {}))
      const other = Object.entries(options).filter(
        ([option, value]) => !OF_WRITING.has(option) && !NO_OPTIONS.has(option) && value !== defaults.get(option),
      )
      const texts = other.map(([option, value]) => `${option}=${value}`)
      return texts.length === 0 ? name : `${name}(${texts.join(', ')})`
    })
    .join(', ')
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
