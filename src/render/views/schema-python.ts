import { filterList } from '../../advice/lines.ts'
import { dtypeOf, UNITS } from '../../advice/numpy-types.ts'
import { byteDigits, isPrintable } from '../../base/byte-text.ts'
import { pythonString } from '../../base/unsafe-text.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import type { Attribute } from '../../format/attribute.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { type Enumeration, enumerationValues } from '../../format/enumeration.ts'
import { defaultFillValue } from '../../format/fill-value.ts'
import type { FilterPipeline } from '../../format/filter-pipeline.ts'
import { decodeText, isUtf8 } from '../../format/text.ts'
import { cellValue, type Scalar } from '../../format/value.ts'

/**
 * Returns TileDB-Py code that creates an array with this schema. Comments name the parts that TileDB-Py cannot create.
 * @param path path of the array that the code creates
 */
export function schemaPython(schema: ArraySchema, enumerations: readonly Enumeration[], path: string): string {
  const { domain, attributes, coords_filters, offsets_filters, validity_filters } = schema
  const dense = schema.array_type === 'dense'
  const made = enumerations.filter(canMake)
  const lists = (items: readonly string[]): string => items.map((item) => `        ${item},\n`).join('')
  return `${[
    'import numpy as np',
    'import tiledb',
    '',
    ...lostParts(schema, enumerations).map((what) => `# Not carried over: ${what}`),
    'schema = tiledb.ArraySchema(',
    `    domain=tiledb.Domain(\n${lists(domain.dimensions.map((one) => dimensionText(one, coords_filters)))}    ),`,
    `    attrs=[\n${lists(attributes.map((one) => attributeText(one, made)))}    ],`,
    ...(made.length > 0 ? [`    enums=[\n${lists(made.map(enumerationText))}    ],`] : []),
    `    cell_order=${pythonString(schema.cell_order)},`,
    `    tile_order=${pythonString(schema.tile_order)},`,
    `    capacity=${schema.capacity},`,
    ...(dense ? [] : ['    sparse=True,']),
    ...(schema.allows_duplicates ? ['    allows_duplicates=True,'] : []),
    // Dimensions without filters use the filters of coordinates. TileDB-Py's default for these has a compressor.
    ...(noCoordsFilters(schema) ? ['    coords_filters=tiledb.FilterList([]),'] : []),
    `    offsets_filters=${pipelineText(offsets_filters)},`,
    ...(validity_filters ? [`    validity_filters=${pipelineText(validity_filters)},`] : []),
    ')',
    `tiledb.Array.create(${pythonString(path)}, schema)`,
  ].join('\n')}\n`
}

function noCoordsFilters({ coords_filters, domain }: ArraySchema): boolean {
  return [coords_filters, ...domain.dimensions.map((one) => one.filters)].every(({ filters }) => filters.length === 0)
}

function pipelineText({ filters, max_chunk_size }: FilterPipeline): string {
  return filterList(filters, max_chunk_size)
}

/** Returns the numpy type of a dimension; undefined if TileDB-Py has none, as for times of day. */
function dimensionType({ type }: Dimension): string | undefined {
  return datatypeKind(type) === 'time' ? undefined : dtypeOf(type)
}

function dimensionText(dimension: Dimension, coords: FilterPipeline): string {
  const { name, type: stored, domain, tile_extent, filters } = dimension
  const dtype = dimensionType(dimension) ?? 'int64'
  const type = dimensionType(dimension) ? stored : 'INT64'
  const size = datatypeSize(type)
  const [low, high] =
    domain.length === 0
      ? ['None', 'None']
      : [domain.subarray(0, size), domain.subarray(size)].map((end) => valueText(type, end))
  const extent = tile_extent ? valueText(asCount(type), tile_extent) : 'None'
  const own = filters.filters.length > 0 ? filters : coords
  return `tiledb.Dim(name=${pythonString(name)}, domain=(${low}, ${high}), tile=${extent}, dtype=${pythonString(dtype)}, filters=${pipelineText(own)})`
}

/** Returns the values of a cell of numbers. */
function scalarsOf(type: Datatype, bytes: Uint8Array): Scalar[] {
  return [cellValue(type, 'var', bytes, { raw: false })].flat()
}

/** Returns the type of a tile extent, which is a number even for dates. */
function asCount(type: Datatype): Datatype {
  const kind = datatypeKind(type)
  return kind === 'datetime' || kind === 'time' ? 'INT64' : type
}

/** @param made the enumerations that the code creates */
function attributeText(attribute: Attribute, made: readonly Enumeration[]): string {
  const { name, type, cell_val_num, nullable, enumeration, filters } = attribute
  const dtype = dtypeOf(type) ?? 'float64'
  const isVar = cell_val_num === 'var' || isFixedText(attribute)
  const fill = fillText(attribute)
  return `tiledb.Attr(${[
    `name=${pythonString(name)}`,
    `dtype=${dtypeText(dtype, type, isVar ? 'var' : cell_val_num)}`,
    ...(isVar ? ['var=True'] : []),
    ...(nullable ? ['nullable=True'] : []),
    ...(fill === undefined ? [] : [`fill=${fill}`]),
    ...(made.some((one) => one.name === enumeration) ? [`enum_label=${pythonString(enumeration)}`] : []),
    `filters=${pipelineText(filters)}`,
  ].join(', ')})`
}

/** Whether an attribute has text or bytes of a fixed length. TileDB-Py creates these only for CHAR. */
function isFixedText({ type, cell_val_num }: Attribute): boolean {
  const kind = datatypeKind(type)
  return cell_val_num !== 'var' && type !== 'CHAR' && (kind === 'text' || kind === 'bytes')
}

/** Returns the dtype. Several values a cell are a record with as many fields. The dtype of CHAR includes its length. */
function dtypeText(dtype: string, type: Datatype, cell_val_num: Attribute['cell_val_num']): string {
  if (cell_val_num === 'var' || (cell_val_num === 1 && type !== 'CHAR')) return pythonString(dtype)
  if (type === 'CHAR') return pythonString(`S${cell_val_num}`)
  return `np.dtype(${pythonString(Array(cell_val_num).fill(dtype).join(', '))})`
}

/** Returns the fill value; undefined for TileDB's default, and if TileDB-Py accepts none. */
function fillText(attribute: Attribute): string | undefined {
  const { type, cell_val_num, fill_value, nullable } = attribute
  if (!hasOwnFill(attribute) || nullable || fill_value === undefined || isBadUtf8(type, fill_value)) return undefined
  const values = valueTexts(type, fill_value)
  return cell_val_num === 1 || values.length === 1 ? values[0] : `(${values.join(', ')})`
}

function hasOwnFill({ type, cell_val_num, fill_value }: Attribute): boolean {
  return fill_value !== undefined && !Buffer.from(defaultFillValue(type, cell_val_num)).equals(fill_value)
}

/** Whether the bytes are not valid UTF-8 although TileDB-Py requires this for the type. */
function isBadUtf8(type: Datatype, bytes: Uint8Array): boolean {
  return type === 'STRING_UTF8' && !isUtf8(bytes)
}

/**
 * Whether TileDB-Py can create an enumeration. It can for text without zero bytes at the end, which numpy drops, and for single
 * numbers. For dates it can if there are no values.
 */
function canMake(enumeration: Enumeration): boolean {
  const { type, cell_val_num } = enumeration
  const values = enumerationValues(enumeration)
  const kind = datatypeKind(type)
  if (kind === 'text')
    return datatypeSize(type) === 1 && !values.some((value) => value.at(-1) === 0 || isBadUtf8(type, value))
  if (cell_val_num !== 1 || kind === 'bytes') return false
  return values.length === 0 || (kind !== 'datetime' && kind !== 'time')
}

function enumerationText(enumeration: Enumeration): string {
  const { name, type, ordered } = enumeration
  const values = enumerationValues(enumeration)
  const isText = datatypeKind(type) === 'text'
  const textType = type === 'STRING_UTF8' ? 'U0' : 'S0'
  const dtype = isText ? textType : dtypeOf(type)
  const head = `tiledb.Enumeration(${pythonString(name)}, ${ordered ? 'True' : 'False'}`
  if (values.length === 0) return `${head}, dtype="${dtype}")`
  const texts = values.map((value) => valueText(type, value)).join(', ')
  return `${head}, np.array([${texts}]${isText ? '' : `, dtype="${dtype}"`}))`
}

function valueText(type: Datatype, bytes: Uint8Array): string {
  return valueTexts(type, bytes).join(', ')
}

/** Returns each value of a cell as Python code. Text and bytes are one value. */
function valueTexts(type: Datatype, bytes: Uint8Array): string[] {
  const kind = datatypeKind(type)
  if (type === 'STRING_UTF8') return [pythonString(decodeText(bytes))]
  if (kind === 'text' || kind === 'bytes') return [bytesText(bytes)]
  const unit = UNITS[type.replace(/^(?:DATE)?TIME_/, '')]
  return scalarsOf(asCount(type), bytes).map((value: Scalar) => {
    if (kind === 'datetime') return `np.datetime64(${value}, ${pythonString(unit)})`
    if (kind === 'time') return `np.timedelta64(${value}, ${pythonString(unit)})`
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    if (typeof value === 'number' && !Number.isFinite(value))
      return `float(${pythonString(String(value).toLowerCase())})`
    return typeof value === 'string' ? `float(${pythonString(value.toLowerCase())})` : String(value)
  })
}

function bytesText(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => {
    if (isPrintable(byte) && byte !== 0x22 && byte !== 0x5c) return String.fromCharCode(byte)
    return `\\x${byteDigits(byte)}`
  })
  return `b"${text.join('')}"`
}

/** Returns the parts of a schema that TileDB-Py's constructors do not accept. */
function lostParts(
  { attributes, domain, dimension_labels, current_domain }: ArraySchema,
  enumerations: readonly Enumeration[],
): string[] {
  const ofType = ({ name, type }: { name: string; type: Datatype }): string =>
    `the type ${type} of ${pythonString(name)}`
  return [
    ...domain.dimensions.flatMap((one) => (dimensionType(one) ? [] : ofType(one))),
    ...attributes.flatMap((one) => (dtypeOf(one.type) ? [] : ofType(one))),
    ...attributes.flatMap((one) => (isFixedText(one) ? `the fixed length of ${pythonString(one.name)}` : [])),
    ...enumerations.flatMap((one) => lostOf(one)),
    ...attributes.flatMap((one) =>
      one.nullable && hasOwnFill(one) ? `the fill value of ${pythonString(one.name)}, which is nullable` : [],
    ),
    ...attributes.flatMap(({ name, type, nullable, fill_value }) =>
      !nullable && fill_value && isBadUtf8(type, fill_value)
        ? `the fill value of ${pythonString(name)}, which is not UTF-8`
        : [],
    ),
    ...attributes.flatMap(({ name, order }) => (order === 'unordered' ? [] : `the order of ${pythonString(name)}`)),
    ...(dimension_labels.length > 0 ? ['dimension labels'] : []),
    ...(current_domain?.range ? ['the current domain'] : []),
  ]
}

function lostOf(enumeration: Enumeration): string[] {
  const { name, type, cell_val_num } = enumeration
  const what = `the enumeration ${pythonString(name)}`
  if (!canMake(enumeration)) return [`${what}: TileDB-Py makes none with such values`]
  return [
    ...(type === 'CHAR' ? [`the type CHAR of ${what}`] : []),
    ...(datatypeKind(type) === 'text' && cell_val_num !== 'var' ? [`the fixed length of ${what}`] : []),
  ]
}
