import { usage } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { type FilteredField, TYPES_CHECKED_SINCE } from '../filters/filter.ts'
import { filterOf, typeAfter } from '../filters/registry.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import {
  FILTER_OPTIONS,
  FILTER_TYPES,
  type FilterConfig,
  type FilterOption,
  type FilterType,
  OPTIONS,
  type OptionValues,
  PIXEL_FORMATS,
  REINTERPRET_SINCE,
  WEBP_PADDING_BYTES,
} from '../format/filter-pipeline.ts'

/**
 * Pipelines as text: filters separated by commas, each with options after colons, as in
 * `zstd:level=9,bit-width-reduction:max_window_size=256,sha256`.
 */

/** Filters that users may ask for. Encryption comes with a key instead. */
type Selectable = Exclude<FilterType, 'AES_256_GCM'>

const SELECTABLE = Object.keys(FILTER_TYPES).filter((name): name is Selectable => name !== 'AES_256_GCM')

/** Names without underscores, so that `-`, `_` and no separator all match. */
const NAMES: ReadonlyMap<string, Selectable> = new Map([
  ...SELECTABLE.flatMap((name) => [name, shortName(name)].map((one): [string, Selectable] => [bare(one), name])),
  ['bitwidth', 'BIT_WIDTH_REDUCTION'],
  ['floatscale', 'SCALE_FLOAT'],
])

/** A name like `md5` or `double-delta`. */
function shortName(name: Selectable): string {
  return name
    .toLowerCase()
    .replace(/^checksum_|_encoding$/g, '')
    .replaceAll('_', '-')
}

/** The help on filters: a line for all filters with the same options. */
export function filtersHelp(): string {
  const optionsOf = (name: Selectable): string =>
    ASKED.filter((option) => option in FILTER_OPTIONS[name]).join(', ') || 'no options'
  return [...groupBy(SELECTABLE, optionsOf)]
    .map(([options, names]) => `${names.map(shortName).join(', ')}: ${options}`)
    .join('\n  ')
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** The storable values that a user may ask for, where these are not all. */
const ASKED_VALUES: { readonly [option in FilterOption]?: { fits(value: unknown): boolean; are: string } } = {
  reinterpret_datatype: {
    fits: (type) => type === 'ANY' || /^U?INT/.test(String(type)),
    are: 'an integer type or ANY',
  },
  max_window_size: { fits: (size) => size !== 0, are: 'an integer from 1 to 4294967295' },
  scale: { fits: (scale) => scale !== 0, are: 'a number other than 0' },
  byte_width: { fits: (width) => [1, 2, 4, 8].includes(Number(width)), are: '1, 2, 4 or 8' },
  quality: { fits: (quality) => Number(quality) >= 0 && Number(quality) <= 100, are: 'a number from 0 to 100' },
  format: { fits: (format) => format !== 'NONE', are: PIXEL_FORMATS.slice(1).join(', ') },
}

/** Options that users may give. The extents of WEBP follow from the array. */
const ASKED = (Object.keys(OPTIONS) as FilterOption[]).filter((name) => !name.endsWith('_extent'))

/** Spellings of options, without underscores. */
const OPTION_KEYS: ReadonlyMap<string, FilterOption> = new Map([
  ...ASKED.map((name): [string, FilterOption] => [bare(name), name]),
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
 * Parses a pipeline.
 * @param text the filters; empty for none
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
    throw usage(`${from}: AES_256_GCM cannot be chosen as a filter; --key encrypts the array`)
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
    const known = ASKED.filter((one) => filter[one] !== undefined)
    const options = known.length === 0 ? 'no options' : `options ${known.join(', ')} (as in ${known[0]}=…)`
    throw usage(`${from} expects ${options}, found ${JSON.stringify(text)}`)
  }
  return { ...filter, [key]: optionOf(filter.name, key, text.slice(equals + 1), from) }
}

function optionOf(filter: FilterConfig['name'], option: FilterOption, text: string, from: string): unknown {
  const { values } = OPTIONS[option]
  const asked = ASKED_VALUES[option]
  const limits = option === 'level' ? filterOf(filter)?.highestLevel : undefined
  const allowed = limits === undefined ? values : ([Number(values[0]), limits] as const)
  const value = parseValue(text, allowed)
  if (value !== undefined && (!asked || asked.fits(value))) return value
  throw usage(`${from} ${option} expects ${asked ? asked.are : wordsFor(allowed)}, found ${JSON.stringify(text)}`)
}

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Parses the value of an option; undefined if it is not one of `values`. */
function parseValue(text: string, values: OptionValues): unknown {
  const number = Number(text)
  if (values === 'float') return text !== '' && Number.isFinite(number) ? number : undefined
  if (values === 'flag') return FLAGS.get(text)
  const [low, high] = values
  if (typeof low !== 'number') return (values as readonly unknown[]).find((one) => one === text.toUpperCase())
  return /^-?\d+$/.test(text) && number >= low && number <= Number(high) ? number : undefined
}

function wordsFor(values: OptionValues): string {
  if (values === 'float') return 'a number'
  if (values === 'flag') return 'true or false'
  return `an integer from ${values[0]} to ${values[1]}`
}

/**
 * Why TileDB refuses to make a schema with these filters on a field; undefined if it accepts. The rules are those of the
 * releases that write a format version. They were found by trying every filter, and every pair, on every datatype.
 */
export function refusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  const { formatVersion, anyType } = field
  return firstRefusal(filters, field, (filter, type) => {
    const { name } = filter
    const known = filterOf(name)
    if (known && formatVersion < known.since) return `${name} exists since format version ${known.since}`
    if (!known || name === 'AES_256_GCM') return `${name} is not a filter that TileDB accepts`
    const option = known.optionRefusal?.(filter)
    if (option !== undefined) return option
    if (isOfStrings(filter, field) && filters[0].name !== name)
      return `${name} must be the first filter of var-sized text`
    if (name === 'DOUBLE_DELTA' && (anyType || formatVersion < TYPES_CHECKED_SINCE))
      return datatypeKind(field.type) === 'float' ? `${name} does not accept ${field.type}` : undefined
    if (anyType || (name !== 'WEBP' && formatVersion < TYPES_CHECKED_SINCE)) return undefined
    return known.typeRefusal?.(type, filter, field)
  })
}

/**
 * Why TileDB, which accepts these filters in a schema, cannot write cells with them or read the same cells back; undefined if it can.
 */
export function writingRefusal(filters: readonly FilterConfig[], field: FilteredField): string | undefined {
  return firstRefusal(filters, field, (filter, type) => {
    const { name, level = -1, max_window_size } = filter
    const known = filterOf(name)
    if (known?.highestLevel !== undefined && level > known.highestLevel)
      return `${name} takes levels up to ${known.highestLevel}, found ${level}`
    if (max_window_size === 0) return `${name} needs a max_window_size above 0`
    const before = filters.slice(0, filters.indexOf(filter))
    if (before.length > 0 && isOfStrings(filter, field)) return `${name} of var-sized text may be there only once`
    const changes = before.find((one) => !filterOf(one.name)?.keepsData)
    if (changes && known?.loss?.(filter) === 'digits') return `${name} ruins what ${changes.name} makes`
    return known?.writingRefusal?.(type, filter, field)
  })
}

/** Whether a filter may keep the offsets of the strings of a field. */
function isOfStrings({ name }: FilterConfig, { type, cell_val_num }: FilteredField): boolean {
  return cell_val_num === 'var' && filterOf(name)?.offsetsInsideSince?.[type] !== undefined
}

/** The first refusal of a filter in a pipeline. @param rule checks one filter; `type` is the datatype that the filter sees */
function firstRefusal(
  filters: readonly FilterConfig[],
  field: FilteredField,
  rule: (filter: FilterConfig, type: Datatype) => string | undefined,
): string | undefined {
  let { type } = field
  for (const filter of filters) {
    const why = rule(filter, type)
    if (why !== undefined) return why
    type = typeAfter(filter, type, field.formatVersion)
  }
  return undefined
}

/** Why a pipeline that is meant for every attribute is not used for a field: {@link refusal}, or it does not suit the values. */
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
 * The filters with the options that a format version stores, and with those that follow from the array.
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
