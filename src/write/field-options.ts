import { badValue, InspectError, usage } from '../base/errors.ts'
import { numbersOf } from '../cells/elements.ts'
import type { MetadataEntry } from '../format/array-metadata.ts'
import type { Attribute } from '../format/attribute.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type DatetimeType, parseDatetime } from '../format/datetime.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import type { ArrayType } from '../format/layout.ts'
import { bytesOf, isDatetime } from '../format/value.ts'
import { DocumentValue } from './document.ts'
import { enumerationOf } from './enumerations.ts'
import { isJsonObject, type Json, parseJson } from './json-text.ts'
import { DEFAULT_CHUNK_SIZE } from './schema-document.ts'

/**
 * Fields as text:
 *
 *     dimension    NAME:TYPE[:LO..HI[:EXTENT]]                        x:INT32:1..100:10    name:STRING_ASCII
 *     attribute    NAME:TYPE[:N|:var][:nullable][:enum=E][:fill=V]    rgb:UINT8:3    note:STRING_UTF8:nullable
 *     enumeration  NAME:TYPE[:ordered]=V,V,… or =[JSON array]         color:STRING_ASCII=red,green,blue
 */
const TEXT_TYPES: readonly Datatype[] = [
  'STRING_ASCII',
  'STRING_UTF8',
  'STRING_UTF16',
  'STRING_UTF32',
  'STRING_UCS2',
  'STRING_UCS4',
]
/** Types for which a single value makes little sense; var-sized by default. */
const VAR_TYPES: readonly Datatype[] = [...TEXT_TYPES, 'ANY', 'BLOB', 'GEOM_WKB', 'GEOM_WKT']

const NO_FILTERS = { max_chunk_size: DEFAULT_CHUNK_SIZE, filters: [] }

/** Splits at the first part that is a datatype, because names may contain colons. */
function nameAndType(text: string, from: string): { name: string; type: Datatype; rest: string } {
  const parts = text.split(':')
  for (let i = 1; i < parts.length; i++) {
    const upper = parts[i].replace(/\?$/, '').toUpperCase()
    const type = DATATYPES.find((one) => one === upper)
    if (type === undefined) continue
    const mark = parts[i].endsWith('?') ? ['?'] : []
    return { name: parts.slice(0, i).join(':'), type, rest: [...mark, ...parts.slice(i + 1)].join(':') }
  }
  throw usage(`${from} expects NAME:TYPE, TYPE one of ${DATATYPES.join(', ')}, found ${JSON.stringify(text)}`)
}

/** What is known about a dimension without a given domain. */
export interface DomainHint {
  arrayType: ArrayType
  /** Number of values in the domain. */
  length: number
  /** Used if the dimension does not give one. If both are undefined, one is chosen. */
  extent: string | undefined
}

/** @throws InspectError USAGE */
export function parseDimension(text: string, hint: DomainHint): Dimension {
  const { name, type, rest } = nameAndType(text, '--dim')
  const from = `--dim ${name}`
  const varSized = TEXT_TYPES.includes(type)
  if (varSized) {
    if (rest !== '') throw usage(`${from} expects no domain for ${type}, found ${JSON.stringify(rest)}`)
    return { name, type, cell_val_num: 'var', filters: NO_FILTERS, domain: new Uint8Array(0), tile_extent: undefined }
  }
  const { low, high, extent } =
    rest === '' ? { ...defaultDomain(type, hint.length), extent: undefined } : parseDomain(type, rest, from)
  const size = datatypeSize(type)
  const domain = new Uint8Array(2 * size)
  domain.set(low)
  domain.set(high, size)
  const chosen = extent ?? hint.extent
  const tile_extent =
    chosen === undefined ? defaultExtent(type, low, high, hint.arrayType) : extentBytes(type, chosen, from)
  return { name, type, cell_val_num: 1, filters: NO_FILTERS, domain, tile_extent }
}

function parseDomain(
  type: Datatype,
  text: string,
  from: string,
): { low: Uint8Array; high: Uint8Array; extent: string | undefined } {
  const dots = text.indexOf('..')
  if (dots < 0) throw usage(`${from} expects LO..HI[:EXTENT], found ${JSON.stringify(text)}`)
  const low = endOf(type, text.slice(0, dots))
  if (!low) throw badEnd(type, text.slice(0, dots), from)
  const rest = text.slice(dots + 2)
  const high = endOf(type, rest)
  if (high) return { low, high, extent: undefined }
  // A time of day has colons, too. The extent follows the last colon that is not part of the upper end.
  const colon = rest.lastIndexOf(':')
  const upper = endOf(type, colon < 0 ? rest : rest.slice(0, colon))
  if (!upper) throw badEnd(type, rest, from)
  return { low, high: upper, extent: rest.slice(colon + 1) }
}

function endOf(type: Datatype, text: string): Uint8Array | undefined {
  try {
    return bytesOf(type, 1, isDatetime(type) && /^-?\d+$/.test(text) && text.length > 4 ? BigInt(text) : text)
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

function badEnd(type: Datatype, text: string, from: string): InspectError {
  return usage(`${from} expects values of ${type} in LO..HI, found ${JSON.stringify(text)}`)
}

function extentBytes(type: Datatype, text: string, from: string): Uint8Array {
  try {
    return bytesOf(type, 1, text, { raw: true })
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw usage(`${from}: the tile extent: ${error.message}`)
  }
}

/** Number of units since 1970 at the start of 2024, unless that is too far for the unit. */
export function recentDate(type: DatetimeType): bigint {
  for (const text of ['2024-01-01', '2024-01-04', '1970-01-01']) {
    try {
      return parseDatetime(type, type === 'DATETIME_YEAR' ? text.slice(0, 4) : text)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
    }
  }
  return 0n
}

function defaultDomain(type: Datatype, length: number): { low: Uint8Array; high: Uint8Array } {
  const kind = datatypeKind(type)
  if (kind === 'float') return { low: bytesOf(type, 1, 0), high: bytesOf(type, 1, 100) }
  const size = datatypeSize(type)
  const room = size >= 4 ? length : Math.min(length, 2 ** (8 * size - (kind === 'int' ? 1 : 0)) - 2)
  const start = isDatetime(type) ? recentDate(type) : kind === 'time' ? 0n : 1n
  return { low: bytesOf(type, 1, start), high: bytesOf(type, 1, start + BigInt(room) - 1n) }
}

/** Approximate number of tiles in a domain. */
const TILES = 10n
const DENSE_TILES = 4n
/** Largest extent that is chosen for dense arrays. */
const LARGEST_DENSE_EXTENT = 1000n

/** An extent for a domain. For dense arrays it divides the domain, so that no tile has padding. Undefined if none fits. */
function defaultExtent(
  type: Datatype,
  low: Uint8Array,
  high: Uint8Array,
  arrayType: ArrayType,
): Uint8Array | undefined {
  if (datatypeKind(type) === 'float') {
    const [lo, hi] = [low, high].map((bytes) => numbersOf(type, bytes)[0])
    return hi > lo ? bytesOf(type, 1, (hi - lo) / Number(TILES)) : undefined
  }
  const length = integerOf(type, high) - integerOf(type, low) + 1n
  if (length <= 0n) return undefined
  const size = BigInt(8 * datatypeSize(type))
  const top = datatypeKind(type) === 'uint' ? 2n ** size - 1n : 2n ** (size - 1n) - 1n
  const fits = (extent: bigint): boolean => integerOf(type, low) + ((length - 1n) / extent + 1n) * extent - 1n <= top
  if (arrayType === 'sparse') {
    const extent = length < TILES ? length : length / TILES
    return fits(extent) && extent <= top ? bytesOf(type, 1, extent) : undefined
  }
  const most = clamp(length / DENSE_TILES, length < TILES ? length : TILES, LARGEST_DENSE_EXTENT)
  let extent = most
  while (length % extent !== 0n) extent--
  if (extent * 4n < most && fits(most)) extent = most
  return bytesOf(type, 1, extent)
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  return value < low ? low : value > high ? high : value
}

/** @throws InspectError USAGE */
export function parseAttribute(text: string, version: number): Attribute {
  const { name, type, rest } = nameAndType(text, '--attr')
  let cell_val_num: CellValNum = VAR_TYPES.includes(type) ? 'var' : 1
  let nullable = false
  let enumeration = ''
  let fill: string | undefined
  const parts = rest === '' ? [] : rest.split(':')
  for (const [i, part] of parts.entries()) {
    const bare = part.replace(/\?$/, '')
    if (part.endsWith('?')) nullable = true
    if (bare.startsWith('fill=')) {
      // Values may contain colons, so the rest is the value.
      fill = parts.slice(i).join(':').slice('fill='.length)
      break
    }
    if (bare === 'var') cell_val_num = 'var'
    else if (bare === 'nullable') nullable = true
    else if (bare.startsWith('enum=')) enumeration = bare.slice('enum='.length)
    else if (/^[1-9]\d{0,8}$/.test(bare)) cell_val_num = Number(bare)
    else if (bare !== '') {
      throw usage(
        `--attr ${name} expects a number, var, nullable, enum=NAME or fill=VALUE behind the type, found ${JSON.stringify(part)}`,
      )
    }
  }
  const fill_value =
    fill === undefined ? defaultFillValue(type, cell_val_num) : fillBytes(type, cell_val_num, fill, `--attr ${name}`)
  return {
    name,
    type,
    cell_val_num,
    filters: NO_FILTERS,
    fill_value: version >= 6 ? fill_value : undefined,
    nullable,
    fill_value_validity: false,
    order: 'unordered',
    enumeration,
  }
}

function fillBytes(type: Datatype, cellValNum: CellValNum, text: string, from: string): Uint8Array {
  try {
    const json = /^[[{]/.test(text) ? parseJson(text) : text
    return bytesOf(
      type,
      cellValNum,
      typeof json === 'string' && type === 'BOOL' ? json === 'true' || json === '1' : json,
    )
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw usage(`${from}: the fill value: ${error.message}`)
  }
}

/** @throws InspectError USAGE */
export function parseEnumeration(text: string, uuid: string): Enumeration {
  const equals = text.indexOf('=')
  if (equals < 0) throw usage(`--enum expects NAME:TYPE=VALUE,VALUE,…, found ${JSON.stringify(text)}`)
  const { name, type, rest } = nameAndType(text.slice(0, equals), '--enum')
  if (rest !== '' && rest !== 'ordered')
    throw usage(`--enum ${name} expects ordered or nothing behind the type, found ${JSON.stringify(rest)}`)
  const written = text.slice(equals + 1)
  const cell_val_num: CellValNum = VAR_TYPES.includes(type) ? 'var' : 1
  try {
    const values: readonly Json[] = written.startsWith('[')
      ? new DocumentValue(parseJson(written)).list().map(({ value }) => value ?? null)
      : written.split(',')
    const cells = values.map((value) => bytesOf(type, cell_val_num, value))
    return enumerationOf({ name, type, cell_val_num, ordered: rest === 'ordered' }, cells, uuid)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw usage(`--enum ${name}: ${error.message}`)
  }
}

const INT64_TOP = 2n ** 63n

/**
 * Parses `KEY=JSON`. Text is STRING_UTF8; integers are INT64, or UINT64 if too large; other numbers are FLOAT64; true and
 * false are BOOL; `{"base64": …}` is BLOB. Arrays are several values, and `{"type": …, "value": …}` gives the type.
 *
 * @throws InspectError USAGE
 */
export function parseMetadata(text: string): MetadataEntry {
  const equals = text.indexOf('=')
  if (equals <= 0) throw usage(`--metadata expects KEY=JSON, found ${JSON.stringify(text)}`)
  const key = text.slice(0, equals)
  try {
    return metadataEntry(key, parseJson(text.slice(equals + 1)))
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw usage(`--metadata ${key}: ${error.message}${error.at.field === undefined ? '' : ` (${error.at.field})`}`)
  }
}

export function metadataEntry(key: string, json: Json): MetadataEntry {
  const typed = isJsonObject(json) && 'type' in json
  const document = new DocumentValue(json)
  const type = typed ? document.object(['type', 'value', 'value_num']).at('type').oneOf(DATATYPES) : typeOf(json)
  const value = isJsonObject(json) && typed ? json.value : json
  const kind = datatypeKind(type)
  const whole = kind === 'text' || kind === 'bytes'
  const bytes = bytesOf(type, 'var', whole || Array.isArray(value) ? value : [value])
  return { key, deleted: false, type, value_num: bytes.length / datatypeSize(type), value: bytes }
}

function typeOf(value: Json): Datatype {
  if (typeof value === 'string') return 'STRING_UTF8'
  if (typeof value === 'boolean') return 'BOOL'
  if (isJsonObject(value)) return 'BLOB'
  const all = Array.isArray(value) ? value : [value]
  if (all.length > 0 && all.every((one) => typeof one === 'boolean')) return 'BOOL'
  if (all.length === 0 || !all.every((one) => typeof one === 'number' || typeof one === 'bigint')) {
    throw badValue('expected text, a number, true, false, {"base64": …} or an array of numbers')
  }
  if (!all.every((one) => typeof one === 'bigint' || Number.isSafeInteger(one))) return 'FLOAT64'
  return all.some((one) => typeof one === 'bigint' && one >= INT64_TOP) ? 'UINT64' : 'INT64'
}
