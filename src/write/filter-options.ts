import { usage } from '../base/errors.ts'
import { type FilteredField, TYPES_CHECKED_SINCE } from '../filters/filter.ts'
import { filterOf, typeAfter } from '../filters/registry.ts'
import { DATATYPES, type Datatype, datatypeKind } from '../format/datatype.ts'
import {
  FILTER_OPTION_NAMES,
  FILTER_OPTIONS,
  type FilterConfig,
  type FilterOption,
  PIXEL_FORMATS,
  REINTERPRET_SINCE,
  WEBP_PADDING_BYTES,
} from '../format/filter-pipeline.ts'
import { FILTER_TYPES, type FilterType } from '../format/filter-type.ts'

/**
 * Pipelines as text: filters separated by commas, each with options after colons, as in
 * `zstd:level=9,bit-width-reduction:max_window_size=256,sha256`.
 */

/** Filters that users may ask for. Encryption comes with a key instead. */
type Selectable = Exclude<FilterType, 'AES_256_GCM'>

const SELECTABLE = Object.keys(FILTER_TYPES).filter((name): name is Selectable => name !== 'AES_256_GCM')

/** Names without underscores, so that `-`, `_` and no separator all match. */
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

type OptionKey = Exclude<FilterOption, 'y_extent' | 'x_extent'>

const OPTIONS = FILTER_OPTION_NAMES.filter((name): name is OptionKey => name !== 'y_extent' && name !== 'x_extent')

/** Spellings of options, without underscores. */
const OPTION_KEYS: ReadonlyMap<string, OptionKey> = new Map([
  ...OPTIONS.map((name): [string, OptionKey] => [bare(name), name]),
  ['window', 'max_window_size'],
  ['reinterpret', 'reinterpret_datatype'],
  ['factor', 'scale'],
  ['inputformat', 'format'],
])

/** A filter with the options that TileDB's APIs store by default. */
export function defaultFilter(name: FilterType): FilterConfig {
  return { name, ...FILTER_OPTIONS[name] }
}

/**
 * @param text the pipeline; empty for no filters
 * @param from the option's name, for errors
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
    const known = OPTIONS.filter((one) => filter[one] !== undefined)
    const options = known.length === 0 ? 'no options' : `options ${known.join(', ')} (as in ${known[0]}=…)`
    throw usage(`${from} expects ${options}, found ${JSON.stringify(text)}`)
  }
  const value = text.slice(equals + 1)
  const at = `${from} ${key}`
  switch (key) {
    case 'level':
      return { ...filter, level: integerIn(value, INT32_MIN, filterOf(filter.name)?.highestLevel ?? INT32_MAX, at) }
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
      const formats = PIXEL_FORMATS.filter((one) => one !== 'NONE')
      const format = formats.find((one) => one === value.toUpperCase())
      if (format === undefined) throw usage(`${at} expects ${formats.join(', ')}, found ${JSON.stringify(value)}`)
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

/**
 * Why TileDB refuses to make a schema with these filters on a field; undefined if it accepts. The rules are those of the
 * releases that write a format version. They were found by trying every filter, and every pair, on every datatype.
 */
export function refusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return firstRefusal(filters, field, schemaRefusal)
}

/**
 * Why TileDB accepts such a schema but cannot write cells through it, or cannot read them back the same; undefined if it can.
 */
export function writingRefusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return firstRefusal(filters, field, cellsRefusal)
}

/** Checks one filter of a field. `type` is the datatype that the filter sees. */
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

function schemaRefusal(
  filter: FilterConfig,
  type: Datatype,
  field: FilteredField,
  first: FilterConfig['name'],
): string | undefined {
  const { name } = filter
  const { formatVersion, anyType } = field
  const known = filterOf(name)
  if (known?.since !== undefined && formatVersion < known.since)
    return `${name} exists since format version ${known.since}`
  if (!known || name === 'AES_256_GCM') return `${name} is no filter that TileDB takes`
  const option = known.optionRefusal?.(filter)
  if (option !== undefined) return option
  const isString = field.cell_val_num === 'var' && known.offsetsInsideSince?.[field.type] !== undefined
  if (isString && first !== name) return `${name} must be the first filter of var-sized text`
  if (name === 'DOUBLE_DELTA' && (anyType || formatVersion < TYPES_CHECKED_SINCE))
    return datatypeKind(field.type) === 'float' ? `${name} does not accept ${field.type}` : undefined
  if (anyType || (name !== 'WEBP' && formatVersion < TYPES_CHECKED_SINCE)) return undefined
  return known.typeRefusal?.(type, filter, field)
}

function cellsRefusal(filter: FilterConfig, type: Datatype, field: FilteredField): string | undefined {
  const { name, level = -1, max_window_size } = filter
  const known = filterOf(name)
  if (known?.highestLevel !== undefined && level > known.highestLevel)
    return `${name} takes levels up to ${known.highestLevel}, found ${level}`
  if (max_window_size === 0) return `${name} needs a max_window_size above 0`
  return known?.writingRefusal?.(type, filter, field)
}

/** {@link refusal} for a pipeline that is meant for every attribute. It must also suit the values. */
export function offerRefusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return (
    firstRefusal(filters, field, (filter, type) => {
      const known = filterOf(filter.name)
      if (!known?.suits || known.suits(type)) return undefined
      return known.typeRefusal?.(type, filter, field) ?? `${filter.name} does not suit ${type}`
    }) ??
    refusal(filters, field) ??
    writingRefusal(filters, field)
  )
}

/**
 * The filters with the options that a format version stores, adjusted to the array.
 * @throws InspectError USAGE if an option would be lost
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
      extra: filter.extra ?? new Uint8Array(WEBP_PADDING_BYTES),
    }
  })
}
