import { concat } from '../base/bytes.ts'
import { badValue, InspectError, usage } from '../base/errors.ts'
import { isJsonObject, type Json, parseJson } from '../base/json-text.ts'
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
import { DocumentValue, list, oneOf } from './document.ts'
import { newEnumeration } from './enumerations.ts'
import { pipeline } from './schema-document.ts'

/**
 * Fields as text:
 *
 *     dimension    NAME:TYPE[:LO..HI[:EXTENT]]                        x:INT32:1..100:10    name:STRING_ASCII
 *     attribute    NAME:TYPE[:N|:var][:nullable][:enum=E][:fill=V]    rgb:UINT8:3    note:STRING_UTF8:nullable
 *     enumeration  NAME:TYPE[:ordered]=V,V,… or =[JSON array]         color:STRING_ASCII=red,green,blue
 */

/** Text and bytes are var-sized by default, because a single value makes little sense. */
function defaultCellValNum(type: Datatype): CellValNum {
  const kind = datatypeKind(type)
  return (kind === 'text' || kind === 'bytes') && type !== 'CHAR' ? 'var' : 1
}

/** Runs `work`. Its errors become usage errors of the option. */
function ofOption<T>(from: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    const { field } = error.at
    throw usage(`${from}: ${error.message}${field === undefined ? '' : ` (${field})`}`)
  }
}

/** The result of `work`, or undefined if it throws an {@link InspectError}. */
function readable<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

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

/** Defaults for a dimension whose text gives no domain. */
interface DomainHint {
  arrayType: ArrayType
  /** Number of values in the domain. */
  length: number
  /** Tile extent for a dimension that gives none. If undefined, one is chosen. */
  extent: string | undefined
}

/** Parses a dimension. @throws InspectError USAGE */
export function parseDimension(text: string, hint: DomainHint): Dimension {
  const { name, type, rest } = nameAndType(text, '--dim')
  const from = `--dim ${name}`
  if (datatypeKind(type) === 'text' && type !== 'CHAR') {
    if (rest !== '') throw usage(`${from} expects no domain for ${type}, found ${JSON.stringify(rest)}`)
    return { name, type, cell_val_num: 'var', filters: pipeline(), domain: new Uint8Array(0), tile_extent: undefined }
  }
  const parsed = rest === '' ? defaultDomain(type, hint.length) : parseDomain(type, rest, from)
  const { low, high, extent = hint.extent } = parsed
  const tile_extent =
    extent === undefined
      ? defaultExtent(type, low, high, hint.arrayType)
      : ofOption(`${from}: the tile extent`, () => bytesOf(type, 1, extent, { raw: true }))
  return { name, type, cell_val_num: 1, filters: pipeline(), domain: concat([low, high]), tile_extent }
}

interface GivenDomain {
  low: Uint8Array
  high: Uint8Array
  extent?: string
}

function parseDomain(type: Datatype, text: string, from: string): GivenDomain {
  const ends = /^(-?\d+)\.\.(-?\d+)(?::|$)/.exec(text)?.slice(1) ?? []
  const areCounts = ends.some((written) => isCount(type, written))
  const end = (written: string): Uint8Array | undefined => {
    const count = isCount(type, written) || (areCounts && ends.includes(written))
    return readable(() => bytesOf(type, 1, count ? BigInt(written) : written))
  }
  const bad = (written: string): InspectError =>
    usage(`${from} expects values of ${type} in LO..HI, found ${JSON.stringify(written)}`)
  const dots = text.indexOf('..')
  if (dots < 0) throw usage(`${from} expects LO..HI[:EXTENT], found ${JSON.stringify(text)}`)
  const low = end(text.slice(0, dots))
  if (!low) throw bad(text.slice(0, dots))
  const rest = text.slice(dots + 2)
  const whole = end(rest)
  if (whole) return { low, high: whole }
  // A time of day has colons, too. The extent follows the last colon that is not part of the upper end.
  const colon = rest.lastIndexOf(':')
  const high = end(colon < 0 ? rest : rest.slice(0, colon))
  if (!high) throw bad(rest)
  return { low, high, extent: rest.slice(colon + 1) }
}

/** Whether text can only be a count of units since 1970. Up to four digits, and all digits of a DATETIME_YEAR, are a date. */
function isCount(type: Datatype, text: string): boolean {
  return isDatetime(type) && type !== 'DATETIME_YEAR' && /^-?\d{5,}$/.test(text)
}

/** Number of units from 1970 to the start of 2024: the first Thursday for weeks. 0 if the unit is too small for such dates. */
export function recentDate(type: DatetimeType): bigint {
  for (const text of ['2024-01-01', '2024-01-04', '1970-01-01']) {
    const count = readable(() => parseDatetime(type, type === 'DATETIME_YEAR' ? text.slice(0, 4) : text))
    if (count !== undefined) return count
  }
  return 0n
}

function defaultDomain(type: Datatype, length: number): GivenDomain {
  const kind = datatypeKind(type)
  if (kind === 'float') return { low: bytesOf(type, 1, 0), high: bytesOf(type, 1, 100) }
  const size = datatypeSize(type)
  const room = size >= 4 ? length : Math.min(length, 2 ** (8 * size - (kind === 'int' ? 1 : 0)) - 2)
  const first = kind === 'time' ? 0n : 1n
  const start = isDatetime(type) ? recentDate(type) : first
  return { low: bytesOf(type, 1, start), high: bytesOf(type, 1, start + BigInt(room) - 1n) }
}

/** Approximate number of tiles along a dimension of sparse and of dense arrays. */
const TILES = 10n
const DENSE_TILES = 4n
/** Limit on the extents that are chosen for dense arrays. */
const LARGEST_DENSE_EXTENT = 1000n

/** Chooses an extent for a domain; undefined if none fits. For dense arrays it divides the domain if possible, so that no tile has padding. */
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
  if (value < low) return low
  return value > high ? high : value
}

/** Parses an attribute. @throws InspectError USAGE */
export function parseAttribute(text: string, version: number): Attribute {
  const { name, type, rest } = nameAndType(text, '--attr')
  let cell_val_num = defaultCellValNum(type)
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
        `--attr ${name} expects a number, var, nullable, enum=NAME or fill=VALUE after the type, found ${JSON.stringify(part)}`,
      )
    }
  }
  const fill_value =
    fill === undefined
      ? defaultFillValue(type, cell_val_num)
      : ofOption(`--attr ${name}: the fill value`, () => fillBytes(type, cell_val_num, fill))
  return {
    name,
    type,
    cell_val_num,
    filters: pipeline(),
    fill_value: version >= 6 ? fill_value : undefined,
    nullable,
    fill_value_validity: false,
    order: 'unordered',
    enumeration,
  }
}

function fillBytes(type: Datatype, cellValNum: CellValNum, text: string): Uint8Array {
  if (type === 'BOOL' && !/^[[{]/.test(text)) return bytesOf(type, cellValNum, text === 'true' || text === '1')
  return bytesOf(type, cellValNum, /^[[{]/.test(text) ? parseJson(text) : text)
}

/** Parses an enumeration. @throws InspectError USAGE */
export function parseEnumeration(text: string, uuid: string): Enumeration {
  const equals = text.indexOf('=')
  if (equals < 0) throw usage(`--enum expects NAME:TYPE=VALUE,VALUE,…, found ${JSON.stringify(text)}`)
  const { name, type, rest } = nameAndType(text.slice(0, equals), '--enum')
  if (rest !== '' && rest !== 'ordered')
    throw usage(`--enum ${name} expects ordered or nothing after the type, found ${JSON.stringify(rest)}`)
  const written = text.slice(equals + 1)
  const cell_val_num = defaultCellValNum(type)
  return ofOption(`--enum ${name}`, () => {
    const values = written.startsWith('[')
      ? list(({ value }) => value)(new DocumentValue(parseJson(written)))
      : written.split(',')
    const cells = values.map((value) => bytesOf(type, cell_val_num, value))
    return newEnumeration({ name, type, cell_val_num, ordered: rest === 'ordered' }, cells, uuid)
  })
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
  return ofOption(`--metadata ${key}`, () => metadataEntry(key, parseJson(text.slice(equals + 1))))
}

export function metadataEntry(key: string, json: Json): MetadataEntry {
  const document = new DocumentValue(json)
  const typed = isJsonObject(json) && 'type' in json
  const type = typed ? oneOf(DATATYPES)(document.object(['type', 'value', 'value_num']).at('type')) : typeOf(json)
  const value = typed ? document.at('value').value : json
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
