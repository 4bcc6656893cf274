import { element } from '../base/element.ts'
import { lastPathPart } from '../base/paths.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { type Enumeration, enumerationValues } from '../format/enumeration.ts'
import { hasTimes, nameFacts } from '../format/timestamped-name.ts'
import { withSource } from '../storage/source.ts'
import { ARRAY_FOLDERS, enumerationPath, type FragmentEntry, type InspectArray } from './array.ts'
import { type CommitFile, readsTimes } from './commits.ts'
import { deletePlaces } from './deletes.ts'
import { type FragmentInfo, filePipeline, slotHasFiles } from './fragment.ts'
import { readGenericTileHeader } from './generic-tile.ts'
import { vacuumPath } from './visibility.ts'

/**
 * Whether TileDB may refuse an array that this program reads: because of its schemas, its enumerations, its delete conditions or a name in
 * its folders. Costs nothing after an opening, except for schemas that nothing else needs. check/refusals.ts finds out.
 */
export async function mayBeRefused(array: InspectArray): Promise<boolean> {
  if ((await deletePlaces(array)).length > 0) return true
  if ((await array.commits()).files.some(({ kind }) => kind === 'update')) return true
  const { schema } = await array.newestSchema()
  if (schema.current_domain?.range !== undefined || (await hasOddEnumeration(array, schema))) return true
  return mayNotOpen(array, true)
}

/** Whether an enumeration cannot be read, has a value twice, or was another one before. */
async function hasOddEnumeration(array: InspectArray, { enumerations, attributes }: ArraySchema): Promise<boolean> {
  const names = new Set(['', ...enumerations.map(({ name }) => name)])
  if (attributes.some(({ enumeration }) => !names.has(enumeration))) return true
  for (const { name, path_name } of enumerations) {
    if (path_name.includes('/')) return true
    const read = await array.enumeration({ name, path_name }).catch(() => undefined)
    if (!read || read.name !== name || read.path_name !== path_name || hasTwins(read)) return true
    if (array.cx.refusedTiles.has(`${array.folder.path}/${enumerationPath(path_name)}`)) return true
    for (const file of await array.schemaFiles()) {
      const other = await array.schema(file.name).catch(() => undefined)
      if (!other || other.enumerations.some((one) => one.name === name && one.path_name !== path_name)) return true
    }
  }
  return false
}

function hasTwins(enumeration: Enumeration): boolean {
  const { type, cell_val_num, data, offsets } = enumeration
  if (!offsets && data.length % (datatypeSize(type) * Number(cell_val_num)) !== 0) return true
  const latin1 = new TextDecoder('latin1')
  const values = enumerationValues(enumeration)
  return new Set(values.map((bytes) => latin1.decode(bytes))).size < values.length
}

/**
 * Whether TileDB may not open an array because of its schemas, all of which it reads.
 * @param names whether the names of fragments and commits are looked at, too
 * @param sole whether a schema is read that is the only one: not if the command needs no schema
 */
export async function mayNotOpen(array: InspectArray, names: boolean, sole = true): Promise<boolean> {
  if (names && (await hasOddName(array))) return true
  if ((await array.schemaStrays()).length > 0) return true
  const files = await array.schemaFiles()
  if (files.length === 0) return true
  for (const { name, path } of files) {
    const isRefused = (): boolean => array.cx.refusedTiles.has(`${array.folder.path}/${path}`)
    if (files.length === 1 && !sole) return isRefused()
    const schema = await array.schema(name).catch(() => undefined)
    if (!schema || isOdd(schema) || isRefused()) return true
    // With a key, this program reads schemas without encryption, too.
    if (!array.cx.key || files.length === 1) continue
    const { encryption_type } = await withSource(array.folder.file(path), readGenericTileHeader)
    if (encryption_type !== 'AES_256_GCM') return true
  }
  return false
}

/** Whether something lies among fragments or commits that TileDB may stumble over. check/array-folder.ts and commit-files.ts have the rules. */
async function hasOddName(array: InspectArray): Promise<boolean> {
  const { folders } = await array.listing()
  const { files, others } = await array.commits()
  if (others.length > 0 || folders.some(isTimeReversed) || files.some(isOddCommit)) return true
  return (await array.root()).some(({ name, kind }) => {
    const isMask = kind === 'file' && ARRAY_FOLDERS.has(name)
    const [first, last] = nameFacts(name)?.timestamp_range ?? [0n, 0n]
    return isMask || first > last
  })
}

function isOddCommit(file: CommitFile): boolean {
  if (readsTimes(file) && !hasTimes(lastPathPart(file.path))) return true
  const { kind, entries } = file
  if (kind === 'vacuum') return entries.some(({ text }) => vacuumPath(text) === undefined)
  return entries.some(({ tile, name }) => tile !== undefined && !hasTimes(name))
}

/** Whether something in a schema is as TileDB never writes it. check/schemas.ts has the rules; this is quick, and only finds what may break one. */
function isOdd({
  array_type,
  tile_order,
  capacity,
  domain,
  attributes,
  dimension_labels,
  ...others
}: ArraySchema): boolean {
  const { dimensions } = domain
  const isDense = array_type === 'dense'
  const names = new Set([...dimensions, ...attributes, ...dimension_labels].map(({ name }) => name))
  if (names.size < dimensions.length + attributes.length + dimension_labels.length || dimensions.length === 0)
    return true
  if ((tile_order !== 'row-major' && tile_order !== 'col-major') || (!isDense && capacity === 0n)) return true
  if (dimensions.some((one) => hasOddDomain(one, isDense))) return true
  // Only dense reads fill cells.
  if (isDense && attributes.some(hasOddFill)) return true
  const pipelines = [...dimensions, ...attributes].map(({ filters }) => filters)
  pipelines.push(others.coords_filters, others.offsets_filters)
  if (others.validity_filters) pipelines.push(others.validity_filters)
  return pipelines.some(({ filters }) => filters.some(isOddFilter))
}

function isOddFilter(filter: ArraySchema['coords_filters']['filters'][number]): boolean {
  const { name, compressor, byte_width, options_length } = filter
  const hasOdd = compressor !== undefined || byte_width !== undefined || options_length !== undefined
  return hasOdd || name.startsWith('UNKNOWN_') || name === 'AES_256_GCM'
}

function hasOddFill({ type, cell_val_num, fill_value }: Attribute): boolean {
  const size = datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
  return fill_value !== undefined && (fill_value.length === 0 || fill_value.length % size !== 0)
}

/** Whether a domain is reversed, or cannot be divided into tiles. */
function hasOddDomain({ type, cell_val_num, domain, tile_extent }: Dimension, isDense: boolean): boolean {
  if (cell_val_num === 'var') return false
  if (isDense && !tile_extent) return true
  const size = datatypeSize(type)
  if (datatypeKind(type) === 'float') {
    const view = new DataView(domain.buffer, domain.byteOffset, domain.byteLength)
    const [low, high] =
      size === 4
        ? [view.getFloat32(0, true), view.getFloat32(4, true)]
        : [view.getFloat64(0, true), view.getFloat64(8, true)]
    return isDense || !(low <= high)
  }
  const [low, high] = [integerOf(type, domain.subarray(0, size)), integerOf(type, domain.subarray(size))]
  const extent = tile_extent && integerOf('UINT64', tile_extent)
  return low > high || (extent !== undefined && (extent === 0n || (isDense && extent > high - low + 1n)))
}

/** Whether the first time in a committed fragment's name is the later one. */
export function isTimeReversed({
  committed,
  timestamp_range,
}: Pick<FragmentEntry, 'committed' | 'timestamp_range'>): boolean {
  return committed && timestamp_range !== undefined && timestamp_range[0] > timestamp_range[1]
}

/** Whether a footer contradicts itself or its schema, so that readers may fail. check/footer.ts has the rules. */
export function isOddFooter(info: FragmentInfo): boolean {
  const { dense, null_nonempty_domain, schema, tile_num, last_tile_cell_num, cells_per_tile } = info
  if (null_nonempty_domain || dense !== (schema.array_type === 'dense')) return true
  if (!dense && tile_num > 0 && (last_tile_cell_num < 1 || last_tile_cell_num > cells_per_tile)) return true
  return tile_num > mostTiles(info)
}

/** Most tiles that a fragment can have: in the first file of a field, every tile takes a byte or more. */
export function mostTiles(info: FragmentInfo): number {
  const { file_sizes, slots } = info
  let most = -1
  for (let i = 0; i < slots.length; i++) {
    if (slotHasFiles(info, element(slots, i))) most = Math.max(most, file_sizes[i] ?? -1)
  }
  return most < 0 ? Number.POSITIVE_INFINITY : most
}

/** Filters whose form of no bytes TileDB may fail to read, mostly because of the filter that follows. */
const ODD_FILTERS = /^(?:BITSHUFFLE|BYTESHUFFLE|XOR|RLE|GZIP|DELTA|DOUBLE_DELTA)$/

/** Whether TileDB may fail to read a tile without bytes of a field. check/empty-tiles.ts finds out. */
export function hasOddFilters(info: FragmentInfo, slot: number): boolean {
  const one = info.slots[slot]
  if (!one?.varSized || !slotHasFiles(info, one)) return false
  return filePipeline(info, { slot, role: 'var' }, false).some(({ name }) => ODD_FILTERS.test(name))
}
