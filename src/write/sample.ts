import { usage, withPlace } from '../base/errors.ts'
import type { MetadataEntry } from '../format/array-metadata.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import type { Dimension } from '../format/dimension.ts'
import type { FilterConfig, FilterPipeline } from '../format/filter-pipeline.ts'
import type { ArrayType, Layout } from '../format/layout.ts'
import type { ValueStyle } from '../format/value.ts'
import type { ArrayToWrite } from './array-writer.ts'
import { DocumentValue } from './document.ts'
import { metadataEntry, parseAttribute, parseDimension, parseEnumeration, parseMetadata } from './field-options.ts'
import { fittedFilters, offerRefusal, parseFilters } from './filter-options.ts'
import { parseJson } from './json-text.ts'
import { cellsFromNdjson, type FragmentCellsToWrite, type NdjsonInput } from './ndjson-cells.ts'
import { Random } from './random.ts'
import { sampleFragments } from './sample-cells.ts'
import {
  checkSchema,
  ENUMERATIONS_SINCE,
  EXPERIMENTAL,
  NEWEST_STABLE,
  OLDEST_WRITTEN,
  pictureOf,
} from './schema-check.ts'
import {
  DEFAULT_CHUNK_SIZE,
  DEFAULT_RLE,
  DEFAULT_ZSTD,
  parseSchemaDocument,
  type SchemaParts,
} from './schema-document.ts'

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
  data?: NdjsonInput | undefined
  style: ValueStyle
}

/** An array, and notes on how it differs from what was asked for. */
export interface Sample {
  array: ArrayToWrite
  notes: string[]
}

const DEFAULT_CELLS = 1000
const DEFAULT_FRAGMENTS = 2
const DEFAULT_SEED = '1'
/** Timestamps of samples begin in the second half of 2024. */
const FIRST_TIMESTAMP = 1_720_000_000_000n
const TIMESTAMP_SPAN = 10_000_000_000

/**
 * The array that the options describe, to be written by `arrayFiles`.
 * @throws InspectError USAGE, BAD_VALUE
 */
export function planSample(options: SampleOptions, inputs: SampleInputs): Sample {
  refuseContradictions(options, inputs)
  const seed = options.seed ?? DEFAULT_SEED
  const random = new Random(`${seed} names`)
  const uuid = (): string => random.uuid()
  const notes: string[] = []
  const given = inputs.schema
    ? givenSchema(inputs.schema, options, inputs.style, uuid, notes)
    : optionsSchema(options, uuid)
  const parts = withFilterOptions(given, options)
  withPlace(inputs.schema ? { file: inputs.schema.file } : {}, () =>
    checkSchema(parts, inputs.data !== undefined || fragmentsOf(options) > 0),
  )
  const { schema, enumerations } = parts
  return {
    array: {
      schema,
      enumerations,
      metadata: metadataOf(options, schema.version, inputs.schema === undefined && options.attr === undefined, seed),
      timestamp: FIRST_TIMESTAMP + BigInt(new Random(`${seed} time`).below(TIMESTAMP_SPAN)),
      uuid,
      fragments: inputs.data
        ? givenCells(inputs.data, parts, inputs.style, notes)
        : sampleFragments(schema, enumerations, {
            seed,
            cells: cellsOf(options),
            atMost: options.cells === undefined,
            fragments: fragmentsOf(options),
          }),
    },
    notes,
  }
}

async function* givenCells(
  data: NdjsonInput,
  { schema, enumerations }: SchemaParts,
  style: ValueStyle,
  notes: string[],
): AsyncGenerator<FragmentCellsToWrite> {
  const cells = await cellsFromNdjson(data, schema, enumerations, style)
  if (cells.columns.has('__delete_condition_index')) {
    notes.push(
      'the processed delete conditions are left out: cells do not say what __delete_condition_index counts, and the array has no deletes',
    )
  }
  yield cells
}

function refuseContradictions(options: SampleOptions, inputs: SampleInputs): void {
  if (options.dense && options.sparse) throw usage('--dense and --sparse exclude each other')
  const own: readonly (keyof SampleOptions)[] = ['dense', 'sparse', 'dim', 'attr', 'enum', 'tileExtent', 'duplicates']
  const generated: readonly (keyof SampleOptions)[] = ['cells', 'fragments']
  for (const [input, keys] of [
    ['schema', own],
    ['data', generated],
  ] as const) {
    const clash = inputs[input] && keys.find((key) => options[key] !== undefined)
    if (clash !== undefined) throw usage(`--${input} says what --${dashed(clash)} would: give one of them`)
  }
  if (inputs.data && !inputs.schema && !options.dim) {
    throw usage('--data needs the schema of its cells: --schema FILE (as schema --json prints it), or --dim and --attr')
  }
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** @throws InspectError USAGE for versions that cannot be written */
function versionOf(options: SampleOptions, otherwise: number): number {
  const version =
    options.formatVersion === undefined ? otherwise : integerOption('--format-version', options.formatVersion, 1, 99)
  if (version === EXPERIMENTAL && !options.experimental) {
    throw usage('no TileDB release opens format version 23: --experimental writes it all the same')
  }
  if (version < OLDEST_WRITTEN || version > EXPERIMENTAL) {
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
    const own = new DocumentValue(json)
      .object()
      .get('format_version', (one) => one.integer(1, 0xffffffff), NEWEST_STABLE)
    const version = versionOf(options, own)
    const parsed = parseSchemaDocument(json, version, uuid, style)
    const { schema, enumerations } = options.formatVersion === undefined ? parsed : withoutNews(parsed, notes)
    if (schema.dimension_labels.length > 0) {
      notes.push(
        `dimension labels are left out: their values are in arrays of their own (${schema.dimension_labels.map(({ name }) => name).join(', ')})`,
      )
    }
    const { validity_filters } = schema
    const changed: ArraySchema = {
      ...schema,
      validity_filters: version >= 7 ? (validity_filters ?? pipeline([DEFAULT_RLE])) : undefined,
      cell_order: options.cellOrder === undefined ? schema.cell_order : layoutOption('--cell-order', options.cellOrder),
      tile_order: options.tileOrder === undefined ? schema.tile_order : layoutOption('--tile-order', options.tileOrder),
      capacity: options.capacity === undefined ? schema.capacity : BigInt(capacityOf(options)),
      dimension_labels: [],
    }
    return { schema: changed, enumerations }
  })
}

/** A schema for an older format version, without newer features that do not affect the stored cells. */
function withoutNews({ schema, enumerations }: SchemaParts, notes: string[]): SchemaParts {
  if (schema.version >= ENUMERATIONS_SINCE || enumerations.length === 0) return { schema, enumerations }
  const names = enumerations.map(({ name }) => name).join(', ')
  notes.push(
    `enumerations exist since format version ${ENUMERATIONS_SINCE}: left out (${names}); attributes keep the indexes`,
  )
  return {
    schema: {
      ...schema,
      enumerations: [],
      attributes: schema.attributes.map((attribute) => ({ ...attribute, enumeration: '' })),
    },
    enumerations: [],
  }
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
  const cell_order = options.cellOrder === undefined ? 'row-major' : layoutOption('--cell-order', options.cellOrder)
  const schema: ArraySchema = {
    version,
    allows_duplicates: options.duplicates ?? false,
    array_type,
    tile_order: options.tileOrder === undefined ? 'row-major' : layoutOption('--tile-order', options.tileOrder),
    cell_order,
    capacity: BigInt(capacityOf(options)),
    coords_filters: pipeline([DEFAULT_ZSTD]),
    offsets_filters: pipeline([DEFAULT_ZSTD]),
    validity_filters: version >= 7 ? pipeline([DEFAULT_RLE]) : undefined,
    domain: { type: version < 5 ? dimensions[0]?.type : undefined, dimensions },
    attributes,
    dimension_labels: [],
    enumerations: enumerations.map(({ name, path_name }) => ({ name, path_name })),
    current_domain: version >= 22 ? { version: 0, type: undefined, range: undefined } : undefined,
  }
  return { schema, enumerations }
}

/** A sparse sample fills one place in ten of its domain. */
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
    filters: pipeline(fittedFilters(parseFilters(filters, '--filters'), { formatVersion: version })),
  }))
}

function pipeline(filters: FilterConfig[]): FilterPipeline {
  return { max_chunk_size: DEFAULT_CHUNK_SIZE, filters }
}

/** The schema with the pipelines from the options. */
function withFilterOptions({ schema, enumerations }: SchemaParts, options: SampleOptions): SchemaParts {
  const formatVersion = schema.version
  const picture = pictureOf(schema)
  const fitted = (filters: readonly FilterConfig[]): FilterConfig[] =>
    fittedFilters(filters, { formatVersion, picture })
  const fields = (options.fieldFilters ?? []).map((text) => fieldFilters(text, schema))
  const own = (name: string): FilterConfig[] | undefined => fields.find((field) => field.name === name)?.filters
  const offered = options.filters === undefined ? undefined : fitted(parseFilters(options.filters, '--filters'))
  const refusals: string[] = []
  const attributes = schema.attributes.map((attribute) => {
    const named = own(attribute.name)
    if (named) return { ...attribute, filters: { ...attribute.filters, filters: fitted(named) } }
    if (!offered) return attribute
    const why = offerRefusal(offered, {
      type: attribute.type,
      cell_val_num: attribute.cell_val_num,
      formatVersion,
      picture,
    })
    if (why === undefined) return { ...attribute, filters: { ...attribute.filters, filters: offered } }
    refusals.push(`${attribute.name}: ${why}`)
    return attribute
  })
  if (offered && refusals.length === schema.attributes.length) {
    throw usage(`--filters: no attribute accepts ${options.filters} (${refusals.join('; ') || 'there is none'})`)
  }
  const named = (text: string | undefined, from: string, before: FilterPipeline): FilterPipeline =>
    text === undefined ? before : { ...before, filters: fitted(parseFilters(text, from)) }
  const { coordsFilters, offsetsFilters, validityFilters } = options
  const changed: ArraySchema = {
    ...schema,
    coords_filters: named(coordsFilters, '--coords-filters', schema.coords_filters),
    offsets_filters: named(offsetsFilters, '--offsets-filters', schema.offsets_filters),
    validity_filters: schema.validity_filters && named(validityFilters, '--validity-filters', schema.validity_filters),
    domain: {
      ...schema.domain,
      dimensions: schema.domain.dimensions.map((dimension) => {
        const filters = own(dimension.name) ?? (coordsFilters === undefined ? undefined : [])
        return filters === undefined
          ? dimension
          : { ...dimension, filters: { ...dimension.filters, filters: fitted(filters) } }
      }),
    },
    attributes,
  }
  if (validityFilters !== undefined && schema.version < 7)
    throw usage(`--validity-filters: nullable attributes exist since format version 7, found ${schema.version}`)
  return {
    schema: options.maxChunkSize === undefined ? changed : withChunkSize(changed, options.maxChunkSize),
    enumerations,
  }
}

/** `NAME=P` */
function fieldFilters(text: string, { domain, attributes }: ArraySchema): { name: string; filters: FilterConfig[] } {
  const names = [...domain.dimensions, ...attributes].map(({ name }) => name)
  // Names may contain "=": the longest that fits is taken.
  const name = names.filter((one) => text.startsWith(`${one}=`)).sort((a, b) => b.length - a.length)[0]
  if (name === undefined)
    throw usage(
      `--field-filters expects NAME=FILTERS with a field of the schema (${names.join(', ')}), found ${JSON.stringify(text)}`,
    )
  return { name, filters: parseFilters(text.slice(name.length + 1), `--field-filters ${name}`) }
}

function withChunkSize(schema: ArraySchema, text: string): ArraySchema {
  const max_chunk_size = integerOption('--max-chunk-size', text, 0, 0xffffffff)
  const sized = (one: FilterPipeline): FilterPipeline => ({ ...one, max_chunk_size })
  return {
    ...schema,
    coords_filters: sized(schema.coords_filters),
    offsets_filters: sized(schema.offsets_filters),
    validity_filters: schema.validity_filters && sized(schema.validity_filters),
    domain: {
      ...schema.domain,
      dimensions: schema.domain.dimensions.map((one) => ({ ...one, filters: sized(one.filters) })),
    },
    attributes: schema.attributes.map((one) => ({ ...one, filters: sized(one.filters) })),
  }
}

/** Array metadata exists since format 4. */
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

const SAMPLE_CAPACITY = 100

function capacityOf({ capacity }: SampleOptions): number {
  return capacity === undefined ? SAMPLE_CAPACITY : integerOption('--capacity', capacity, 1, Number.MAX_SAFE_INTEGER)
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
