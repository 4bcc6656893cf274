import { usage, withPlace } from '../base/errors.ts'
import { parseJson } from '../base/json-text.ts'
import type { Prose } from '../base/prose.ts'
import type { MetadataEntry } from '../format/array-metadata.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import type { Dimension } from '../format/dimension.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import type { ArrayType, Layout } from '../format/layout.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import type { ValueStyle } from '../format/value.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { ArrayToWrite } from './array-writer.ts'
import { DocumentValue, integer, or } from './document.ts'
import { metadataEntry, parseAttribute, parseDimension, parseEnumeration, parseMetadata } from './field-options.ts'
import { fittedFilters, offerRefusal, parseFilters } from './filter-options.ts'
import { cellsFromRows, type FragmentCellsToWrite, type RowInput } from './ndjson-cells.ts'
import { Random } from './random.ts'
import { sampleFragments } from './sample-cells.ts'
import { checkSchema, ENUMERATIONS_SINCE, OLDEST_WRITTEN, pictureOf } from './schema-check.ts'
import { parseSchemaDocument, pipeline, type SchemaParts, schemaOf } from './schema-document.ts'

/** The options of a sample on the command line, as text. */
export interface SampleOptions {
  dense?: boolean
  sparse?: boolean
  dim?: readonly string[]
  attr?: readonly string[]
  enum?: readonly string[]
  cells?: string
  fragments?: string
  capacity?: string
  tileExtent?: string
  cellOrder?: string
  tileOrder?: string
  duplicates?: boolean
  filters?: string
  fieldFilters?: readonly string[]
  offsetsFilters?: string
  validityFilters?: string
  coordsFilters?: string
  maxChunkSize?: string
  metadata?: readonly string[]
  formatVersion?: string
  experimental?: boolean
  seed?: string
}

/** Files that options name. */
export interface SampleInputs {
  schema?: { text: string; file: string } | undefined
  /** Cells. Each input becomes a fragment or several. */
  data?: readonly RowInput[] | undefined
  /** Times of the first fragments, in milliseconds since 1970. Each further fragment is a millisecond later. */
  times?: readonly bigint[] | undefined
  style: ValueStyle
  /** See {@link ReadContext.pause}. */
  pause?: ReadContext['pause']
  /** Called while cells are made, with the number of further cells. Not for given cells. */
  onMade?: ((cells: number) => void) | undefined
}

/** An array, and notes on how it differs from what was asked for. */
export interface SampledArray {
  array: ArrayToWrite
  /** Upper limit on the cells of all fragments; undefined if the user's cells are written. */
  most_cells: number | undefined
  notes: Prose[]
}

const DEFAULT_CELLS = 1000
const DEFAULT_FRAGMENTS = 2
const SAMPLE_CAPACITY = 100n
const DEFAULT_SEED = '1'
/** Timestamps of samples begin in the second half of 2024. */
const FIRST_TIMESTAMP = 1_720_000_000_000n
const TIMESTAMP_SPAN = 10_000_000_000

/** Time of the schema of a sample, in milliseconds since 1970. */
export function firstTimestamp(seed: string): bigint {
  return FIRST_TIMESTAMP + BigInt(new Random(`${seed} time`).below(TIMESTAMP_SPAN))
}

/**
 * Plans the array that the options describe, which `arrayFiles` writes.
 * @throws InspectError USAGE, BAD_VALUE
 */
export function planSample(options: SampleOptions, inputs: SampleInputs): SampledArray {
  refuseContradictions(options, inputs)
  const seed = options.seed ?? DEFAULT_SEED
  const random = new Random(`${seed} names`)
  const uuid = (): string => random.uuid()
  const notes: string[] = []
  const parts = inputs.schema
    ? givenSchema(inputs.schema, options, inputs.style, uuid, notes)
    : optionsSchema(options, uuid)
  const { schema, enumerations } = parts
  applyFilters(schema, options)
  withPlace(inputs.schema ? { file: inputs.schema.file } : {}, () =>
    checkSchema(parts, inputs.data !== undefined || fragmentsOf(options) > 0),
  )
  const { data, times = [] } = inputs
  const fragments = data
    ? givenCells(data, parts, inputs.style, notes)
    : sampleFragments(schema, enumerations, {
        seed,
        cells: cellsOf(options),
        atMost: options.cells === undefined,
        fragments: fragmentsOf(options),
        pause: inputs.pause,
        onMade: inputs.onMade,
      })
  // In dense arrays the option limits the cells of each fragment.
  const most = cellsOf(options) * (schema.array_type === 'dense' ? fragmentsOf(options) : 1)
  return {
    array: {
      schema,
      enumerations,
      metadata: metadataOf(options, schema.version, inputs.schema === undefined && options.attr === undefined, seed),
      timestamp: times[0] ?? firstTimestamp(seed),
      uuid,
      fragments: timed(fragments, times),
    },
    most_cells: data ? undefined : most,
    notes,
  }
}

async function* givenCells(
  data: readonly RowInput[],
  { schema, enumerations }: SchemaParts,
  style: ValueStyle,
  notes: string[],
): AsyncGenerator<FragmentCellsToWrite> {
  const lost =
    'the processed delete conditions are left out: cells do not say what __delete_condition_index counts, and the array has no deletes'
  for (const input of data)
    for (const cells of await cellsFromRows(input, schema, enumerations, style)) {
      if (cells.columns.has('__delete_condition_index') && !notes.includes(lost)) notes.push(lost)
      yield cells
    }
}

/** The same fragments. The first of them get these times. */
async function* timed(
  fragments: Iterable<FragmentCellsToWrite> | AsyncIterable<FragmentCellsToWrite>,
  times: readonly bigint[],
): AsyncGenerator<FragmentCellsToWrite> {
  let index = 0
  for await (const cells of fragments) yield { ...cells, time: times[index++] ?? cells.time }
}

/** Options that an input file replaces. */
const REPLACED_BY: Readonly<Record<'schema' | 'data', readonly (keyof SampleOptions)[]>> = {
  schema: ['dense', 'sparse', 'dim', 'attr', 'enum', 'tileExtent', 'duplicates'],
  data: ['cells', 'fragments'],
}

function refuseContradictions(options: SampleOptions, inputs: SampleInputs): void {
  if (options.dense && options.sparse) throw usage('--dense and --sparse exclude each other')
  for (const input of ['schema', 'data'] as const) {
    const clash = inputs[input] && REPLACED_BY[input].find((key) => options[key] !== undefined)
    if (clash !== undefined) throw usage(`--${input} says what --${dashed(clash)} would: give one of them`)
  }
  if (inputs.data && !inputs.schema && !options.dim) {
    throw usage('--data needs the schema of its cells: --schema FILE (as schema --json prints it), or --dim and --attr')
  }
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The format version to write. @throws InspectError USAGE for versions that cannot be written */
function versionOf(options: SampleOptions, otherwise: number): number {
  const version =
    options.formatVersion === undefined ? otherwise : integerOption('--format-version', options.formatVersion, 1, 99)
  if (version > NEWEST_STABLE && version <= NEWEST_FORMAT_VERSION && !options.experimental) {
    throw usage(`no TileDB release opens format version ${version}: --experimental writes it all the same`)
  }
  if (version < OLDEST_WRITTEN || version > NEWEST_FORMAT_VERSION) {
    throw usage(`--format-version expects a version from ${OLDEST_WRITTEN} to ${NEWEST_STABLE}, found ${version}`)
  }
  return version
}

function givenSchema(
  { text, file }: { text: string; file: string },
  options: SampleOptions,
  style: ValueStyle,
  uuid: () => string,
  notes: string[],
): SchemaParts {
  return withPlace({ file }, () => {
    const json = parseJson(text)
    const stated = or(integer(1, 0xffffffff), NEWEST_STABLE)(new DocumentValue(json).object().at('format_version'))
    const version = versionOf(options, stated)
    const parts = parseSchemaDocument(json, version, uuid, style)
    const { schema, enumerations } = parts
    if (options.formatVersion !== undefined && version < ENUMERATIONS_SINCE && enumerations.length > 0) {
      // Newer features that do not affect the stored cells are left out.
      const names = enumerations.map(({ name }) => name).join(', ')
      notes.push(
        `enumerations exist since format version ${ENUMERATIONS_SINCE}: left out (${names}); attributes keep the indexes`,
      )
      parts.enumerations = []
      schema.enumerations = []
      for (const attribute of schema.attributes) attribute.enumeration = ''
    }
    if (schema.dimension_labels.length > 0) {
      const names = schema.dimension_labels.map(({ name }) => name).join(', ')
      notes.push(`dimension labels are left out: their values are in arrays of their own (${names})`)
      schema.dimension_labels = []
    }
    applyOrders(schema, options)
    return parts
  })
}

function optionsSchema(options: SampleOptions, uuid: () => string): SchemaParts {
  const version = versionOf(options, NEWEST_STABLE)
  const array_type: ArrayType = options.dense ? 'dense' : 'sparse'
  const dimensions = dimensionsOf(options, array_type)
  const enumerations = (options.enum ?? (options.attr || version < ENUMERATIONS_SINCE ? [] : [SAMPLE_ENUMERATION])).map(
    (text) => parseEnumeration(text, uuid()),
  )
  const attributes = options.attr
    ? options.attr.map((text) => parseAttribute(text, version))
    : sampleAttributes(version)
  const allows_duplicates = options.duplicates ?? false
  const fields = { version, allows_duplicates, array_type, attributes, capacity: SAMPLE_CAPACITY }
  const schema = schemaOf(fields, dimensions, enumerations)
  applyOrders(schema, options)
  return { schema, enumerations }
}

/** Sets the orders and the capacity that the options name. */
function applyOrders(schema: ArraySchema, { cellOrder, tileOrder, capacity }: SampleOptions): void {
  if (cellOrder !== undefined) schema.cell_order = layoutOption('--cell-order', cellOrder)
  if (tileOrder !== undefined) schema.tile_order = layoutOption('--tile-order', tileOrder)
  if (capacity !== undefined)
    schema.capacity = BigInt(integerOption('--capacity', capacity, 1, Number.MAX_SAFE_INTEGER))
}

/** Places in the domain of a sparse sample for each cell. */
const PLACES_PER_CELL = 10
const SMALLEST_SIDE = 100

function dimensionsOf(options: SampleOptions, arrayType: ArrayType): Dimension[] {
  const cells = Math.max(1, cellsOf(options))
  const side = Math.max(SMALLEST_SIDE, 10 * Math.ceil(Math.sqrt(PLACES_PER_CELL * cells) / 10))
  const hint = { arrayType, length: arrayType === 'dense' ? cells : side, extent: options.tileExtent }
  if (options.dim) return options.dim.map((text) => parseDimension(text, hint))
  if (arrayType === 'sparse') return ['x', 'y'].map((name) => parseDimension(`${name}:INT32:1..${side}`, hint))
  const columns = divisorNearRoot(cells)
  return [`row:INT32:1..${cells / columns}`, `col:INT32:1..${columns}`].map((text) => parseDimension(text, hint))
}

/** The largest divisor of a number, up to its square root. */
function divisorNearRoot(number: number): number {
  let divisor = Math.floor(Math.sqrt(number))
  while (number % divisor !== 0) divisor--
  return divisor
}

const SAMPLE_ENUMERATION = 'kind:STRING_ASCII=alder,birch,chestnut,elm,oak,yew'

/** Attributes of the default sample, with the filters they have unless others are asked for. */
function sampleAttributes(version: number): Attribute[] {
  const maybeNull = version >= 7 ? ':nullable' : ''
  const checksum = version >= 5 ? ',sha256' : ''
  const fields: [string, string][] = [
    // Not POSITIVE_DELTA: TileDB could not consolidate fragments with interleaved values, nor append smaller values.
    ['id:INT64', `bit-width-reduction,zstd${checksum}`],
    [`kind:UINT8${version >= ENUMERATIONS_SINCE ? ':enum=kind' : ''}`, 'rle'],
    ['name:STRING_UTF8', version >= 17 ? 'dictionary,zstd' : 'zstd'],
    [`height:FLOAT64${maybeNull}`, `byteshuffle,zstd:level=9${checksum}`],
    ['seen:DATETIME_SEC', `double-delta,zstd`],
    [`readings:FLOAT32:var${maybeNull}`, 'lz4'],
    ['color:UINT8:3', ''],
  ]
  return fields.map(([field, filters]) => ({
    ...parseAttribute(field, version),
    filters: pipeline(...fittedFilters(parseFilters(filters, '--filters'), { formatVersion: version })),
  }))
}

/** Sets the pipelines that the options name. */
function applyFilters(schema: ArraySchema, options: SampleOptions): void {
  const { version: formatVersion, attributes, domain } = schema
  const picture = pictureOf(schema)
  const parsed = (text: string, from: string): FilterConfig[] =>
    fittedFilters(parseFilters(text, from), { formatVersion, picture })
  const fields = (options.fieldFilters ?? []).map((text) => fieldFilters(text, schema, parsed))
  const filtersOf = (name: string): FilterConfig[] | undefined => fields.find((field) => field.name === name)?.filters
  const offered = options.filters === undefined ? undefined : parsed(options.filters, '--filters')
  const refusals: string[] = []
  for (const { name, type, cell_val_num, filters } of attributes) {
    const named = filtersOf(name)
    const why = named || !offered ? undefined : offerRefusal(offered, { type, cell_val_num, formatVersion, picture })
    if (why === undefined) filters.filters = named ?? offered ?? filters.filters
    else refusals.push(`${name}: ${why}`)
  }
  if (offered && refusals.length === attributes.length) {
    throw usage(`--filters: no attribute accepts ${options.filters} (${refusals.join('; ') || 'there is none'})`)
  }
  const { coordsFilters, offsetsFilters, validityFilters } = options
  if (coordsFilters !== undefined) schema.coords_filters.filters = parsed(coordsFilters, '--coords-filters')
  if (offsetsFilters !== undefined) schema.offsets_filters.filters = parsed(offsetsFilters, '--offsets-filters')
  if (validityFilters !== undefined && schema.validity_filters)
    schema.validity_filters.filters = parsed(validityFilters, '--validity-filters')
  for (const { name, filters } of domain.dimensions)
    filters.filters = filtersOf(name) ?? (coordsFilters === undefined ? filters.filters : [])
  if (validityFilters !== undefined && formatVersion < 7)
    throw usage(`--validity-filters: nullable attributes exist since format version 7, found ${formatVersion}`)
  if (options.maxChunkSize === undefined) return
  const max_chunk_size = integerOption('--max-chunk-size', options.maxChunkSize, 0, 0xffffffff)
  const ofFields = [...domain.dimensions, ...attributes].map(({ filters }) => filters)
  for (const one of [schema.coords_filters, schema.offsets_filters, schema.validity_filters, ...ofFields])
    if (one) one.max_chunk_size = max_chunk_size
}

/** Parses `NAME=PIPELINE`. */
function fieldFilters(
  text: string,
  { domain, attributes }: ArraySchema,
  parsed: (text: string, from: string) => FilterConfig[],
): { name: string; filters: FilterConfig[] } {
  const names = [...domain.dimensions, ...attributes].map(({ name }) => name)
  // Names may contain "=", so the longest name that fits is taken.
  const name = names.filter((one) => text.startsWith(`${one}=`)).sort((a, b) => b.length - a.length)[0]
  if (name === undefined)
    throw usage(
      `--field-filters expects NAME=FILTERS with a field of the schema (${names.join(', ')}), found ${JSON.stringify(text)}`,
    )
  return { name, filters: parsed(text.slice(name.length + 1), `--field-filters ${name}`) }
}

/** First format version with array metadata. */
const METADATA_SINCE = 4

function metadataOf(options: SampleOptions, version: number, isDefault: boolean, seed: string): MetadataEntry[] {
  if (options.metadata) {
    if (version < METADATA_SINCE)
      throw usage(`--metadata: array metadata exists since format version ${METADATA_SINCE}, found ${version}`)
    const entries = options.metadata.map(parseMetadata)
    const twice = entries.find(({ key }, i) => entries.findIndex((other) => other.key === key) < i)
    if (twice) throw usage(`--metadata expects each key once, found ${JSON.stringify(twice.key)} twice`)
    return entries
  }
  if (!isDefault || version < METADATA_SINCE) return []
  return [
    metadataEntry('about', 'a sample made by tiledb-inspect'),
    metadataEntry('seed', seed),
    metadataEntry('origin', [51.5, -0.12]),
  ]
}

const LAYOUT_NAMES: readonly Layout[] = ['row-major', 'col-major', 'hilbert']

function layoutOption(option: string, text: string): Layout {
  const layout = LAYOUT_NAMES.find((one) => one === text.toLowerCase())
  if (layout === undefined) throw usage(`${option} expects ${LAYOUT_NAMES.join(', ')}, found ${JSON.stringify(text)}`)
  return layout
}

function cellsOf({ cells }: SampleOptions): number {
  return cells === undefined ? DEFAULT_CELLS : integerOption('--cells', cells, 0, 2 ** 31)
}

function fragmentsOf(options: SampleOptions): number {
  if (cellsOf(options) === 0) return 0
  return options.fragments === undefined
    ? DEFAULT_FRAGMENTS
    : integerOption('--fragments', options.fragments, 0, 100_000)
}

function integerOption(option: string, text: string, low: number, high: number): number {
  const value = Number(text.replace(/_/g, ''))
  if (/^[\d_]+$/.test(text) && value >= low && value <= high) return value
  throw usage(`${option} expects an integer from ${low} to ${high}, found ${JSON.stringify(text)}`)
}
