import type { Prose } from '../base/prose.ts'
import { shellWord } from '../base/shell-word.ts'
import { pythonString } from '../base/unsafe-text.ts'
import { useOf } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { type FilterConfig, type FilterOption, OPTIONS } from '../format/filter-pipeline.ts'
import type { OpenedArray } from '../read/query.ts'
import {
  breaksTiles,
  consolidatables,
  DO_NOT_CONSOLIDATE,
  filledCells,
  lacksConditions,
  leastAmplification,
  neighbours,
  takenLater,
} from './consolidation.ts'
import { type AdviceLine, inspectLine } from './line.ts'
import { dtypeOf } from './numpy-types.ts'
import { keepsTimes, vacuumNote } from './vacuum-note.ts'

/*
 * Makes the lines of advice: calls of TileDB-Py, or commands of this program.
 */

/** How an array is changed when it is written again. */
export interface Rewrite {
  cell_order?: ArraySchema['cell_order'] | undefined
  capacity?: number | undefined
  /** By name of the dimension: the extent in its unit. */
  tile_extents?: Readonly<Record<string, number>> | undefined
  /** Names of the dimensions in their new order. */
  dimensions?: readonly string[] | undefined
  /** New filters of attributes and dimensions, and whether all offsets or all validity get them, too. */
  filters?:
    | { fields: readonly string[]; filters: readonly FilterConfig[]; offsets?: boolean; validity?: boolean }
    | undefined
}

/**
 * The calls that merge fragments. If a dense array has gaps between its fragments, TileDB merges only neighbours, unless the
 * configuration allows it to fill the gaps.
 */
export function consolidationLines(opened: OpenedArray): [first: AdviceLine, ...vacuum: AdviceLine[]] {
  const line = consolidationLine(opened)
  return line.does === 'consolidate' ? [line, vacuumLine(opened)] : [line]
}

/** Prefers to merge neighbours if one step takes at least half of the fragments: filled gaps take space. */
function consolidationLine(opened: OpenedArray): AdviceLine {
  const { path: folder } = opened.array.folder
  if (takenLater(opened) > 0)
    return inspectLine(
      `tiledb-inspect check --plan ${shellWord(folder)}`,
      'first: consolidation also takes fragments dated ahead, and readers of today may then miss all cells',
    )
  if (lacksConditions(opened)) return purgeLines(opened, 'consolidation')[0]
  const path = pathOf(opened)
  // Sparse arrays have no gaps, and may have 100,000 fragments.
  const all = opened.schema.array_type === 'sparse' ? [] : consolidatables(opened)
  if (breaksTiles(opened, all)) return inspectLine(`tiledb-inspect explain ${shellWord(folder)}`, DO_NOT_CONSOLIDATE)
  const amplification = Math.ceil(leastAmplification(all))
  if (amplification <= 1) return { does: 'consolidate', code: `tiledb.consolidate(${path})` }
  const withSetting = (name: string, value: number, note: Prose): AdviceLine => ({
    does: 'consolidate',
    code: `tiledb.consolidate(${path}, config=tiledb.Config({"sm.consolidation.${name}": "${value}"}))`,
    note,
  })
  const { first, count } = neighbours(all) ?? { first: 0, count: 0 }
  if (2 * count >= all.length && !breaksTiles(opened, all.slice(first, first + count)))
    return withSetting(
      'step_min_frags',
      2,
      `the first step merges ${count} of ${all.length} fragments, which follow each other in time`,
    )
  const { box_cells, tile_cells } = filledCells(all)
  return withSetting(
    'amplification',
    amplification,
    `fills the gaps: stores ${box_cells} cells in place of ${tile_cells}`,
  )
}

/** How deleted cells are removed from the files for good: by a consolidation, or in a copy of the array. */
export type PurgeWay = 'consolidation' | 'copy'

/** A single fragment must be copied, because TileDB never consolidates it. @param fragment_num number of fragments that a consolidation can take */
export function purgeWay(fragment_num: number): PurgeWay {
  return fragment_num < 2 ? 'copy' : 'consolidation'
}

/** The calls that remove deleted cells from the files for good. */
export function purgeLines(opened: OpenedArray, way = purgeWay(opened.fragments.length)): AdviceLine[] {
  if (way === 'copy') return rewriteLines(opened, {})
  const path = pathOf(opened)
  return [
    {
      does: 'consolidate',
      code: `tiledb.consolidate(${path}, config=tiledb.Config({"sm.consolidation.purge_deleted_cells": "true"}))`,
      note: 'reads as of a time before the delete lose the deleted cells',
      loses: 'deleted cells',
    },
    { does: 'vacuum', code: `tiledb.vacuum(${path})`, note: 'removes the old fragments, which hold them' },
  ]
}

/** The call that removes fragments which consolidated ones replaced. @param version format version of the consolidated fragments */
export function vacuumLine(opened: OpenedArray, version = opened.schema.version): AdviceLine {
  return {
    does: 'vacuum',
    code: `tiledb.vacuum(${pathOf(opened)})`,
    note: vacuumNote(opened, version),
    ...(!keepsTimes(opened.schema, version) && { loses: 'earlier cells' }),
  }
}

/** The calls that consolidate and vacuum one kind of file. */
export function modeLines(opened: OpenedArray, mode: 'fragment_meta' | 'commits'): AdviceLine[] {
  return (['consolidate', 'vacuum'] as const).map((does) => {
    const settings = does === 'vacuum' ? 'sm.vacuum' : 'sm.consolidation'
    return { does, code: `tiledb.${does}(${pathOf(opened)}, config=tiledb.Config({"${settings}.mode": "${mode}"}))` }
  })
}

/**
 * The calls that make a new array next to the old one, and write all cells and key-value metadata into it. A note lists what they do not
 * carry over.
 */
export function rewriteLines(
  opened: OpenedArray,
  change: Rewrite,
): [load: AdviceLine, create: AdviceLine, copy: AdviceLine] {
  const { schema, array } = opened
  const enumerations = [...new Set(schema.attributes.flatMap(({ enumeration }) => enumeration || []))]
  const path = pathOf(opened)
  const fresh = pythonString(`${array.folder.path}.new`)
  const load =
    enumerations.length > 0
      ? `a = tiledb.open(${path}); s, e = a.schema, [a.enum(n) for n in ${listOf(enumerations)}]; a.close()`
      : `s = tiledb.ArraySchema.load(${path})`
  return [
    { does: 'load', code: load },
    {
      does: 'create',
      code: `tiledb.Array.create(${fresh}, tiledb.ArraySchema(${schemaOptions(schema, change).join(', ')}))`,
    },
    {
      does: 'copy',
      code: `with tiledb.open(${path}) as a, tiledb.open(${fresh}, "w") as b: ${copyOf(schema)}; b.meta.update(a.meta)`,
      note: copyNote(schema),
    },
  ]
}

/** Arguments of TileDB-Py's `ArraySchema` for the new array, from the schema `s` of the old one. Its enumerations are in `e`. */
function schemaOptions(schema: ArraySchema, change: Rewrite): string[] {
  const dense = schema.array_type === 'dense'
  const { cell_order, capacity, tile_extents, dimensions, filters } = change
  const own = (of: string): string =>
    filters && filters.fields.length > 0
      ? `filters=${filterList(filters.filters)} if ${of}.name in ${listOf(filters.fields)} else ${of}.filters`
      : `filters=${of}.filters`
  const changes = (fields: readonly { name: string }[]): boolean =>
    fields.some(({ name }) => filters?.fields.includes(name))
  const order = dimensions?.map((name) => `s.domain.dim(${pythonString(name)})`).join(', ') ?? '*s.domain'
  const extents =
    tile_extents &&
    `{${Object.entries(tile_extents)
      .map(([name, extent]) => `${pythonString(name)}: ${extent}`)
      .join(', ')}}`
  const domain =
    extents || changes(schema.domain.dimensions)
      ? `*[tiledb.Dim(d.name, domain=d.domain, tile=${extents ? `${extents}.get(d.name, d.tile)` : 'd.tile'}, dtype=d.dtype, ${own('d')}) for d in s.domain]`
      : order
  const attributes = changes(schema.attributes)
    ? `[tiledb.Attr(a.name, ${attributeOptions(schema)}, ${own('a')}) for a in s]`
    : '[*s]'
  const ofDimensions =
    changes(schema.domain.dimensions) || schema.domain.dimensions.some((one) => one.filters.filters.length > 0)
  return [
    `domain=tiledb.Domain(${domain})`,
    `attrs=${attributes}`,
    ...(schema.attributes.some(({ enumeration }) => enumeration) ? ['enums=e'] : []),
    `cell_order=${cell_order ? JSON.stringify(cell_order) : 's.cell_order'}`,
    `tile_order=${cell_order === 'hilbert' ? '"row-major"' : 's.tile_order'}`,
    ...(dense ? [] : [`capacity=${capacity ?? 's.capacity'}`, 'sparse=True', 'allows_duplicates=s.allows_duplicates']),
    // TileDB-Py would give these filters to all dimensions.
    ...(ofDimensions ? [] : ['coords_filters=s.coords_filters']),
    `offsets_filters=${filters?.offsets ? filterList(filters.filters) : 's.offsets_filters'}`,
    `validity_filters=${filters?.validity ? filterList(filters.filters) : 's.validity_filters'}`,
  ]
}

/** Arguments of TileDB-Py's `Attr` that keep everything of an attribute except its filters. */
function attributeOptions({ attributes }: ArraySchema): string {
  const any = (is: (attribute: Attribute) => unknown): boolean => attributes.some(is)
  return [
    // TileDB-Py maps the dtype of STRING_ASCII to another TileDB type.
    any(({ type }) => type === 'STRING_ASCII') ? 'dtype="ascii" if a.isascii else a.dtype' : 'dtype=a.dtype',
    'var=a.isvar',
    'nullable=a.isnullable',
    // TileDB-Py refuses to read the fill value of a nullable attribute.
    any(({ nullable }) => nullable) ? 'fill=None if a.isnullable else a.fill' : 'fill=a.fill',
    ...(any(({ enumeration }) => enumeration) ? ['enum_label=a.enum_label'] : []),
  ].join(', ')
}

/** Whether slices of a dense array may begin below 0. TileDB-Py would count such coordinates from the end. */
function wrapsSlices({ array_type, domain: { dimensions } }: ArraySchema): boolean {
  const isNegative = ({ type, domain }: Dimension): boolean =>
    datatypeKind(type) !== 'datetime' && integerOf(type, domain.subarray(0, domain.length / 2)) < 0n
  return array_type === 'dense' && dimensions.some(isNegative)
}

/** Statements that copy all cells of array `a` into `b`. */
function copyOf(schema: ArraySchema): string {
  const { array_type, attributes } = schema
  if (wrapsSlices(schema))
    return 'p, q = tiledb.Subarray(a), tiledb.Subarray(b); [x.add_dim_range(i, ends) for x in (p, q) for i, ends in enumerate(a.nonempty_domain())]; b.write_subarray(q, a.read_subarray(p))'
  // If an attribute has an enumeration, `a[…]` returns its values, but writes need the indexes.
  const indexes = attributes.some(({ enumeration }) => enumeration)
  // TileDB-Py drops masks of sparse cells and of texts. It needs None in place of null.
  const unmasked = (cells: string, masked: string): string =>
    attributes.some(({ nullable }) => nullable)
      ? `{n: v.astype(object).filled([None]) if ${masked} else v for n, v in ${cells}.items()}`
      : cells
  if (array_type === 'sparse') {
    const all = indexes ? 'a.subarray(slice(None))' : 'a[:]'
    return `d = ${unmasked(all, 'hasattr(v, "mask")')}; b[tuple(d.pop(x.name) for x in b.domain)] = d`
  }
  const box = indexes ? 'a.subarray(box)' : 'a[box]'
  const texts = attributes.some(({ nullable, cell_val_num }) => nullable && cell_val_num === 'var')
  const cells = texts ? unmasked(box, 'hasattr(v, "mask") and v.dtype == object') : box
  return `box = tuple(slice(lo, hi + 1) for lo, hi in a.nonempty_domain()); b[box] = ${cells}`
}

/** Lists what {@link copyOf} and the new schema leave out. */
export function notCopied(schema: ArraySchema): string[] {
  const { array_type, attributes, dimension_labels, current_domain } = schema
  const isFloat = (type: string): boolean => type === 'FLOAT32' || type === 'FLOAT64'
  return [
    ...(dimension_labels && dimension_labels.length > 0 ? ['dimension labels'] : []),
    ...(current_domain?.range ? ['the current domain'] : []),
    ...(array_type === 'dense' && attributes.some(({ nullable, type }) => nullable && isFloat(type))
      ? ['NaN of nullable attributes (they become null)']
      : []),
    // TileDB-Py does not read the validity of a subarray.
    ...(wrapsSlices(schema) && attributes.some(({ nullable }) => nullable) ? ['nulls (they become values)'] : []),
  ]
}

function copyNote(schema: ArraySchema): Prose {
  const without = ['earlier states', ...notCopied(schema)].join(' and ')
  return `the whole array goes through memory, without ${without}; then the new array takes the place of the old one`
}

/** A Python list of texts. */
function listOf(texts: readonly string[]): string {
  return `[${texts.map(pythonString).join(', ')}]`
}

/** The TileDB-Py call that makes a list of filters. @param max_chunk_size in bytes */
export function filterList(filters: readonly FilterConfig[], max_chunk_size = USUAL_CHUNK): string {
  const texts = filters.map(
    (filter) => `tiledb.${useOf(filter.name).python ?? 'Filter'}(${argumentsOf(filter).join(', ')})`,
  )
  const chunks = max_chunk_size === USUAL_CHUNK ? '' : `, chunksize=${max_chunk_size}`
  return `tiledb.FilterList([${texts.join(', ')}]${chunks})`
}

/** Default of `max_chunk_size`, in bytes. */
const USUAL_CHUNK = 65_536

/** The arguments of a TileDB-Py filter. Defaults are left out, and so are extents, which follow from the array. */
function argumentsOf(filter: FilterConfig): string[] {
  const options = Object.entries(OPTIONS) as [FilterOption, { python: string | undefined }][]
  return options.flatMap(([option, { python }]) => {
    const value = filter[option]
    if (python === undefined || value === undefined || value === 'ANY') return []
    if (option === 'level' && value === -1) return []
    return `${python}=${pythonValue(option, value)}`
  })
}

function pythonValue(option: FilterOption, value: unknown): string {
  if (option === 'reinterpret_datatype')
    return `np.dtype("${dtypeOf(value as Datatype) ?? String(value).toLowerCase()}")`
  if (option === 'format') return `tiledb.filter.lt.WebpInputFormat.WEBP_${value}`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return String(value)
}

/** The path of an array as a Python string. */
export function pathOf({ array }: OpenedArray): string {
  return pythonString(array.folder.path)
}
