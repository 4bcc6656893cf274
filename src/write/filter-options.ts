import { InspectError } from '../base/errors.ts'
import { deltaDatatype } from '../filters/elements.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { FILTER_TYPES, type FilterType, isCompressor } from '../format/filter-type.ts'

/**
 * Pipelines as text: filters separated by commas, each with options behind colons, as in
 * `zstd:level=9,bit-width-reduction:max_window_size=256,sha256`.
 */

/** Filters that users may ask for: encryption comes with a key. */
type Selectable = Exclude<FilterType, 'AES_256_GCM'>

const SELECTABLE = Object.keys(FILTER_TYPES).filter((name): name is Selectable => name !== 'AES_256_GCM')

/** Names without their underscores, so that `-` and `_` and none at all are the same. */
const NAMES: ReadonlyMap<string, Selectable> = new Map([
  ...SELECTABLE.map((name): [string, Selectable] => [bare(name), name]),
  ['md5', 'CHECKSUM_MD5'],
  ['sha256', 'CHECKSUM_SHA256'],
  ['dictionary', 'DICTIONARY_ENCODING'],
  ['bitwidth', 'BIT_WIDTH_REDUCTION'],
  ['floatscale', 'SCALE_FLOAT'],
])

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

type OptionKey = Exclude<keyof FilterConfig, 'name' | 'extra' | 'compressor' | 'y_extent' | 'x_extent'>

/** Other spellings of options, without underscores. */
const OPTION_KEYS: ReadonlyMap<string, OptionKey> = new Map<string, OptionKey>([
  ['level', 'level'],
  ['maxwindowsize', 'max_window_size'],
  ['window', 'max_window_size'],
  ['reinterpretdatatype', 'reinterpret_datatype'],
  ['reinterpret', 'reinterpret_datatype'],
  ['scale', 'scale'],
  ['factor', 'scale'],
  ['offset', 'offset'],
  ['bytewidth', 'byte_width'],
  ['quality', 'quality'],
  ['format', 'format'],
  ['inputformat', 'format'],
  ['lossless', 'lossless'],
])

const PIXEL_FORMATS = ['RGB', 'BGR', 'RGBA', 'BGRA'] as const

/** A filter with the options that TileDB's APIs store when nothing is set; WEBP's pixel format must be chosen and is RGB here. */
export function defaultFilter(name: Selectable): FilterConfig {
  if (name === 'DELTA' || name === 'DOUBLE_DELTA') return { name, level: -1, reinterpret_datatype: 'ANY' }
  if (isCompressor(name)) return { name, level: -1 }
  if (name === 'BIT_WIDTH_REDUCTION') return { name, max_window_size: 256 }
  if (name === 'POSITIVE_DELTA') return { name, max_window_size: 1024 }
  if (name === 'SCALE_FLOAT') return { name, scale: 1, offset: 0, byte_width: 8 }
  if (name === 'WEBP') return { name, quality: 100, format: 'RGB', lossless: false, y_extent: 0, x_extent: 0 }
  return { name }
}

/**
 * @param text the pipeline; empty for no filters
 * @param from what is to blame: the option's name
 * @throws InspectError USAGE
 */
export function parseFilters(text: string, from: string): FilterConfig[] {
  if (text.trim() === '') return []
  return text.split(',').map((one) => parseFilter(one.trim(), from))
}

function parseFilter(text: string, from: string): FilterConfig {
  const [written, ...options] = text.split(':')
  if (bare(written) === 'aes256gcm') {
    throw usage(`${from}: AES_256_GCM is no filter to choose; --key encrypts the array`)
  }
  const name = NAMES.get(bare(written.replace(/^TILEDB_FILTER_/i, '')))
  if (name === undefined) {
    throw usage(`${from} expects filters (${SELECTABLE.join(', ')}), found ${JSON.stringify(written)}`)
  }
  let filter = defaultFilter(name)
  for (const option of options) filter = withOption(filter, option, `${from} ${name}`)
  return filter
}

function withOption(filter: FilterConfig, text: string, from: string): FilterConfig {
  const equals = text.indexOf('=')
  const key = OPTION_KEYS.get(bare(equals < 0 ? text : text.slice(0, equals)))
  if (key === undefined || filter[key] === undefined) {
    const known = [...new Set(OPTION_KEYS.values())].filter((one) => filter[one] !== undefined)
    const options = known.length === 0 ? 'no options' : `options ${known.join(', ')} (as in ${known[0]}=…)`
    throw usage(`${from} expects ${options}, found ${JSON.stringify(text)}`)
  }
  const value = text.slice(equals + 1)
  const at = `${from} ${key}`
  switch (key) {
    case 'level':
      return { ...filter, level: levelOf(filter.name, value, at) }
    case 'max_window_size':
      return { ...filter, max_window_size: integerIn(value, 1, 0xffffffff, at) }
    case 'byte_width': {
      if (!['1', '2', '4', '8'].includes(value))
        throw usage(`${at} expects 1, 2, 4 or 8, found ${JSON.stringify(value)}`)
      return { ...filter, byte_width: Number(value) }
    }
    case 'scale':
    case 'offset':
    case 'quality':
      return { ...filter, [key]: numberOf(value, key, at) }
    case 'lossless':
      return { ...filter, lossless: flagOf(value, at) }
    case 'format': {
      const format = PIXEL_FORMATS.find((one) => one === value.toUpperCase())
      if (format === undefined) throw usage(`${at} expects ${PIXEL_FORMATS.join(', ')}, found ${JSON.stringify(value)}`)
      return { ...filter, format }
    }
    case 'reinterpret_datatype': {
      const type = DATATYPES.find((one) => one === value.toUpperCase())
      if (type === undefined || (datatypeKind(type) !== 'int' && datatypeKind(type) !== 'uint' && type !== 'ANY')) {
        throw usage(`${at} expects an integer type or ANY, found ${JSON.stringify(value)}`)
      }
      return { ...filter, reinterpret_datatype: type }
    }
  }
}

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

/** Above 9 TileDB cannot write with GZIP and BZIP2. */
function levelOf(name: string, value: string, from: string): number {
  return integerIn(value, INT32_MIN, name === 'GZIP' || name === 'BZIP2' ? 9 : INT32_MAX, from)
}

function integerIn(text: string, low: number, high: number, from: string): number {
  const value = Number(text)
  if (/^-?\d+$/.test(text) && value >= low && value <= high) return value
  throw usage(`${from} expects an integer from ${low} to ${high}, found ${JSON.stringify(text)}`)
}

function numberOf(text: string, key: string, from: string): number {
  const value = Number(text)
  const fits = key === 'quality' ? value >= 0 && value <= 100 : key === 'offset' || value !== 0
  if (text !== '' && Number.isFinite(value) && fits) return value
  const expected = key === 'quality' ? 'a number from 0 to 100' : key === 'scale' ? 'a number other than 0' : 'a number'
  throw usage(`${from} expects ${expected}, found ${JSON.stringify(text)}`)
}

function flagOf(text: string, from: string): boolean {
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw usage(`${from} expects true or false, found ${JSON.stringify(text)}`)
}

/** What decides whether a pipeline may stand at a field. */
export interface FilteredField {
  type: Datatype
  cell_val_num: CellValNum
  /** Of the schema. */
  formatVersion: number
  /** Extents of a dense array with two dimensions of one type: WEBP needs them. */
  picture?: { height: number; width: number } | undefined
  /** No filter is held against the type: those of the schema, for offsets, validity and dimensions without filters of their own. */
  anyType?: boolean | undefined
  /** What the values are where they are none of the user's. */
  counts?: string | undefined
}

const STRING_TYPES: readonly Datatype[] = ['STRING_ASCII', 'STRING_UTF8']

/** Formats before which a filter did not exist, or cannot be told in the bytes. */
const SINCE: Readonly<Partial<Record<FilterConfig['name'], number>>> = {
  CHECKSUM_MD5: 4,
  CHECKSUM_SHA256: 4,
  SCALE_FLOAT: 15,
  XOR: 16,
  WEBP: 17,
  DICTIONARY_ENCODING: 13,
  DELTA: 19,
}
const UTF8_OFFSETS_INSIDE_SINCE = 17
const DATES_AS_INTEGERS_SINCE = 20

/**
 * Why TileDB would not make a schema with these filters at a field; undefined where it does. The rules are those of the releases that
 * write a format version, found by trying every filter, and every two, on every datatype.
 */
export function refusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return firstRefusal(filters, field, schemaRefusal)
}

/** Why TileDB makes such a schema, but cannot write a cell through it, or not so that it comes back; undefined where it can. */
export function writingRefusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return firstRefusal(filters, field, cellsRefusal)
}

/** One filter of a field's, which sees `type`. */
type Rule = (
  filter: FilterConfig,
  type: Datatype,
  field: FilteredField,
  first: FilterConfig['name'],
) => string | undefined

function firstRefusal(filters: readonly FilterConfig[], field: FilteredField, rule: Rule): string | undefined {
  let { type } = field
  for (const filter of filters) {
    const why = rule(filter, type, field, filters[0].name)
    if (why !== undefined) return why
    type = typeAfter(filter, type, field.formatVersion)
  }
  return undefined
}

/** From here on (TileDB 2.17) a schema's filters are held against the types they see. */
const TYPES_CHECKED_SINCE = 20

function schemaRefusal(
  filter: FilterConfig,
  type: Datatype,
  field: FilteredField,
  first: FilterConfig['name'],
): string | undefined {
  const { name } = filter
  const { formatVersion, anyType } = field
  const since = SINCE[name]
  if (since !== undefined && formatVersion < since) return `${name} exists since format version ${since}`
  if (!(name in FILTER_TYPES) || name === 'AES_256_GCM') return `${name} is no filter that TileDB takes`
  const option = optionRefusal(filter)
  if (option !== undefined) return option
  if ((name === 'RLE' || name === 'DICTIONARY_ENCODING') && first !== name && isString(field))
    return `${name} must be the first filter of var-sized text`
  if (name === 'DOUBLE_DELTA' && (anyType || formatVersion < TYPES_CHECKED_SINCE))
    return datatypeKind(field.type) === 'float' ? `${name} does not accept ${field.type}` : undefined
  if (anyType) return undefined
  if (name === 'WEBP') return webpRefusal(filter, type, field)
  return formatVersion < TYPES_CHECKED_SINCE ? undefined : typeRefusal(filter, type)
}

function typeRefusal(filter: FilterConfig, type: Datatype): string | undefined {
  const { name } = filter
  const kind = datatypeKind(type)
  const refused = `${name} does not accept ${type}`
  switch (name) {
    case 'DELTA':
    case 'DOUBLE_DELTA': {
      const seen = deltaDatatype(type, filter.reinterpret_datatype)
      if (datatypeKind(seen) === 'float') return refused
      return datatypeSize(type) % datatypeSize(seen) === 0 ? undefined : `${refused} as ${seen}`
    }
    case 'BIT_WIDTH_REDUCTION':
    case 'POSITIVE_DELTA':
      return kind === 'float' || kind === 'text' || type === 'ANY' ? refused : undefined
    case 'SCALE_FLOAT':
      return datatypeSize(type) < 4 ? refused : undefined
    default:
      return undefined
  }
}

/** What TileDB refuses of a filter's options, wherever it stands. */
function optionRefusal({ name, scale, offset, byte_width, quality }: FilterConfig): string | undefined {
  if (name === 'SCALE_FLOAT') {
    if (scale !== undefined && !(Number.isFinite(scale) && Math.abs(scale) >= SMALLEST_NORMAL))
      return `${name} needs a scale other than 0, found ${scale}`
    if (offset !== undefined && !Number.isFinite(offset)) return `${name} needs a finite offset, found ${offset}`
    if (byte_width !== undefined && ![1, 2, 4, 8].includes(byte_width))
      return `${name} needs a byte_width of 1, 2, 4 or 8, found ${byte_width}`
  }
  if (name === 'WEBP' && quality !== undefined && !(quality >= 0 && quality <= 100))
    return `${name} needs a quality from 0 to 100, found ${quality}`
  return undefined
}

/** Of float64: smaller ones TileDB takes for 0. */
const SMALLEST_NORMAL = 2 ** -1022

/** Levels above it TileDB takes into a schema, and then cannot write. */
const HIGHEST_LEVEL = 9

function cellsRefusal(filter: FilterConfig, type: Datatype, field: FilteredField): string | undefined {
  const { name, level, max_window_size } = filter
  const { formatVersion } = field
  if ((name === 'GZIP' || name === 'BZIP2') && level !== undefined && level > HIGHEST_LEVEL)
    return `${name} takes levels up to ${HIGHEST_LEVEL}, found ${level}`
  if (max_window_size === 0) return `${name} needs a max_window_size above 0`
  switch (name) {
    case 'SCALE_FLOAT':
      if (field.counts) return `${name} ruins ${field.counts}`
      return datatypeSize(type) < 4 ? `${name} does not accept ${type}` : undefined
    case 'DELTA':
    case 'DOUBLE_DELTA':
      return typeRefusal(filter, type)
    case 'DICTIONARY_ENCODING':
      if (!isString(field)) return `${name} accepts var-sized STRING_ASCII and STRING_UTF8 only, not ${cellText(field)}`
      if (field.type === 'STRING_UTF8' && formatVersion < UTF8_OFFSETS_INSIDE_SINCE)
        return `${name} accepts STRING_UTF8 since format version ${UTF8_OFFSETS_INSIDE_SINCE}`
      return undefined
    case 'WEBP':
      return webpRefusal(filter, type, field)
    default:
      return undefined
  }
}

function isString({ type, cell_val_num }: FilteredField): boolean {
  return cell_val_num === 'var' && STRING_TYPES.includes(type)
}

function cellText({ type, cell_val_num }: FilteredField): string {
  return cell_val_num === 'var' ? `var-sized ${type}` : type
}

function webpRefusal({ name, format }: FilterConfig, type: Datatype, field: FilteredField): string | undefined {
  if (type !== 'UINT8' || field.cell_val_num !== 1) return `${name} accepts single UINT8 values only`
  const { picture } = field
  if (!picture) return `${name} needs a dense array of two dimensions of one type`
  const depth = depthOf(format)
  if (picture.width % depth !== 0) {
    return `${name} needs tiles of whole ${format} pixels: ${depth} values each, found ${picture.width} in a row`
  }
  if (picture.width / depth > WEBP_MOST || picture.height > WEBP_MOST)
    return `${name} takes at most ${WEBP_MOST} pixels a side`
  return undefined
}

const WEBP_MOST = 16_383

function depthOf(format: FilterConfig['format']): number {
  return format === 'RGBA' || format === 'BGRA' ? 4 : 3
}

const INTEGERS: Readonly<Record<number, Datatype>> = { 1: 'INT8', 2: 'INT16', 4: 'INT32', 8: 'INT64' }

/** Element type that the next filter sees. */
function typeAfter(filter: FilterConfig, type: Datatype, formatVersion: number): Datatype {
  if (filter.name === 'XOR') return INTEGERS[datatypeSize(type)]
  if (filter.name === 'SCALE_FLOAT')
    return formatVersion < DATES_AS_INTEGERS_SINCE ? type : INTEGERS[filter.byte_width ?? 8]
  if (filter.name === 'DELTA' || filter.name === 'DOUBLE_DELTA') return deltaDatatype(type, filter.reinterpret_datatype)
  return type
}

/**
 * Like {@link refusal}, for a pipeline that is offered to every attribute: SCALE_FLOAT would ruin integers that happen to be as
 * wide as a float, which TileDB lets it, and others would do nothing.
 */
export function offerRefusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return (
    firstRefusal(filters, field, (filter, type) =>
      filter.name === 'SCALE_FLOAT' && datatypeKind(type) !== 'float'
        ? `SCALE_FLOAT does not suit ${type}`
        : filter.name === 'POSITIVE_DELTA' && ['bytes', 'bool'].includes(datatypeKind(type))
          ? `POSITIVE_DELTA does not suit ${type}`
          : filter.name === 'BIT_WIDTH_REDUCTION' || filter.name === 'POSITIVE_DELTA'
            ? typeRefusal(filter, type)
            : undefined,
    ) ??
    refusal(filters, field) ??
    writingRefusal(filters, field)
  )
}

const REINTERPRET_SINCE: Readonly<Partial<Record<FilterConfig['name'], number>>> = { DOUBLE_DELTA: 20, DELTA: 19 }

/**
 * Filters with the options that a format version stores, and with what follows from the array.
 * @throws InspectError USAGE where an option would be lost
 */
export function fittedFilters(
  filters: readonly FilterConfig[],
  field: Pick<FilteredField, 'formatVersion' | 'picture'>,
): FilterConfig[] {
  return filters.map((filter) => {
    const since = REINTERPRET_SINCE[filter.name]
    if (since !== undefined && field.formatVersion < since) {
      const { reinterpret_datatype, ...rest } = filter
      if (reinterpret_datatype !== undefined && reinterpret_datatype !== 'ANY') {
        throw usage(`${filter.name} has reinterpret_datatype since format version ${since}`)
      }
      return rest
    }
    if (since !== undefined && filter.reinterpret_datatype === undefined)
      return { ...filter, reinterpret_datatype: 'ANY' }
    if (filter.name !== 'WEBP' || !field.picture) return filter
    return {
      ...filter,
      y_extent: field.picture.height,
      x_extent: field.picture.width,
      extra: filter.extra ?? WEBP_PADDING,
    }
  })
}

/** TileDB stores its options as a C structure, padding included. */
const WEBP_PADDING = new Uint8Array(2)

function usage(message: string): InspectError {
  return new InspectError('USAGE', message)
}
