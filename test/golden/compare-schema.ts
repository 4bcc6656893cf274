import { get, items, type Json, shown } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'
import type { Differences } from './differences.ts'
import type { ExpectedArray, ExpectedAttribute, ExpectedDimension, ExpectedFilter, ExpectedSchema } from './expected.ts'
import { environment, type GoldenArray, Refused } from './golden-array.ts'

/** `schema`, and `schema --all` where the array evolved. */
export async function compareSchema(array: GoldenArray, found: Differences): Promise<void> {
  const got = await array.json(['schema'], array.path, 'schema')
  found.equal(get(got, 'encryption'), array.key === null ? 'NO_ENCRYPTION' : 'AES_256_GCM', 'encryption')
  compareOne(got, array.expected.schema, found)
  compareLabels(got, array.expected, found)
  compareEnumerations(got, array.expected, found)
  const { schemas } = array.expected
  if (!schemas) return
  const all = await runJson(['schema', '--all', '--raw', array.path], { env: environment(array.key) })
  if (all.code !== 0) throw new Refused(`schema --all: exit ${all.code}: ${all.stderr}`)
  const names = all.documents.map((document) => get(document, 'name'))
  found.equal(names.map(String).sort(), Object.keys(schemas).sort(), 'schema files')
  for (const document of all.documents) {
    const want = schemas[String(get(document, 'name'))]
    if (want) compareOne(document, want.schema, found)
  }
}

function compareOne(got: Json, want: ExpectedSchema, found: Differences): void {
  for (const key of ['array_type', 'cell_order', 'tile_order', 'capacity', 'allows_duplicates'] as const) {
    found.equal(get(got, key), want[key], key)
  }
  found.equal(get(got, 'format_version'), want.version, 'format_version')
  const dimensions = items(get(got, 'dimensions'))
  found.equal(dimensions.length, want.dims.length, 'number of dimensions')
  want.dims.forEach((dimension, i) => {
    compareDimension(dimensions[i], dimension, want, found)
  })
  const attributes = items(get(got, 'attributes'))
  found.equal(attributes.length, want.attrs.length, 'number of attributes')
  want.attrs.forEach((attribute, i) => {
    compareAttribute(attributes[i], attribute, want.version, found)
  })
  comparePipeline(get(got, 'offsets_filters'), want.offsets_filters, want.offsets_max_chunk_size, 'offsets', found)
  comparePipeline(get(got, 'coords_filters'), want.coords_filters, want.coords_max_chunk_size, 'coords', found)
  if (want.version >= 7) {
    comparePipeline(
      get(got, 'validity_filters'),
      want.validity_filters,
      want.validity_max_chunk_size,
      'validity',
      found,
    )
  } else found.equal(get(got, 'validity_filters'), undefined, 'validity filters before version 7')
  compareCurrentDomain(get(got, 'current_domain'), want, found)
}

function compareDimension(
  got: Json | undefined,
  want: ExpectedDimension,
  schema: ExpectedSchema,
  found: Differences,
): void {
  const what = `dimension ${want.name}`
  found.equal(get(got, 'name'), want.name, what)
  found.equal(get(got, 'type'), want.type, `${what}: type`)
  found.equal(get(got, 'cell_val_num'), want.var ? 'var' : 1, `${what}: cell_val_num`)
  if (want.domain !== null || want.var) found.value(want.type, get(got, 'domain'), want.domain, `${what}: domain`)
  if (want.tile !== null || want.var) found.value(want.type, get(got, 'tile_extent'), want.tile, `${what}: tile extent`)
  if (schema.version < 5) return
  const own = get(got, 'filters')
  // A dimension without filters of its own stores none; TileDB shows the coords filters, which then apply.
  if (items(get(own, 'filters')).length === 0 && shown(schema.coords_filters) === shown(want.filters)) return
  comparePipeline(own, want.filters, want.max_chunk_size, what, found)
}

function compareAttribute(got: Json | undefined, want: ExpectedAttribute, version: number, found: Differences): void {
  const what = `attribute ${want.name}`
  for (const key of ['name', 'type', 'cell_val_num', 'nullable', 'enumeration'] as const) {
    found.equal(get(got, key), want[key], `${what}: ${key}`)
  }
  if (version < 6)
    found.equal(get(got, 'fill_value'), null, `${what}: fill value, which no file before version 6 stores`)
  else if (want.fill !== null) found.value(want.type, get(got, 'fill_value'), want.fill, `${what}: fill value`)
  if (want.fill_valid !== undefined && want.nullable) {
    found.equal(get(got, 'fill_value_validity'), want.fill_valid, `${what}: validity of the fill value`)
  }
  comparePipeline(get(got, 'filters'), want.filters, want.max_chunk_size, what, found)
}

/** TileDB-Py's names of filters and options, where they are not the C API's in lower case. */
const FILTER_NAMES: Readonly<Record<string, string>> = {
  md5: 'CHECKSUM_MD5',
  sha256: 'CHECKSUM_SHA256',
  dictionary: 'DICTIONARY_ENCODING',
  float_scale: 'SCALE_FLOAT',
}
const OPTION_NAMES: Readonly<Record<string, string>> = {
  bit_width_max_window: 'max_window_size',
  positive_delta_max_window: 'max_window_size',
  factor: 'scale',
  bytewidth: 'byte_width',
  reinterpret: 'reinterpret_datatype',
  input_format: 'format',
}
/** TileDB-Py reports no level for these but a default; what is stored is for the unit tests. */
const LEVEL_NOT_REPORTED = new Set(['RLE', 'LZ4', 'DOUBLE_DELTA', 'DELTA', 'DICTIONARY_ENCODING'])
const PIXEL_FORMATS = ['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA']

function comparePipeline(
  got: Json | undefined,
  want: readonly ExpectedFilter[],
  maxChunkSize: number | null | undefined,
  what: string,
  found: Differences,
): void {
  const filters = items(get(got, 'filters'))
  const names = want.map(({ name }) => FILTER_NAMES[name] ?? name.toUpperCase())
  found.equal(
    filters.map((filter) => get(filter, 'name') ?? null),
    names,
    `${what}: filters`,
  )
  if (maxChunkSize !== null && maxChunkSize !== undefined) {
    found.equal(get(got, 'max_chunk_size'), maxChunkSize, `${what}: max_chunk_size`)
  }
  want.forEach((filter, i) => {
    for (const [key, value] of Object.entries(filter)) {
      if (key === 'name' || (key === 'level' && LEVEL_NOT_REPORTED.has(names[i]))) continue
      const option = OPTION_NAMES[key] ?? key
      const printed = get(filters[i], option)
      // Before version 20 a schema has no such byte: ANY is what TileDB takes it for.
      if (option === 'reinterpret_datatype' && value === 'ANY' && printed === undefined) continue
      const wanted = option === 'format' && typeof value === 'number' ? PIXEL_FORMATS[value] : value
      found.equal(optionValue(printed), optionValue(wanted), `${what}: ${names[i]} ${option}`)
    }
  })
}

/** Flags stand as 0 and 1 in the expected files; numbers are numbers, with or without a fraction. */
function optionValue(value: Json | undefined): Json | undefined {
  return typeof value === 'boolean' ? Number(value) : value
}

function compareCurrentDomain(got: Json | undefined, want: ExpectedSchema, found: Differences): void {
  if (want.current_domain === null) {
    found.equal(got, null, 'current domain')
    return
  }
  for (const { name, type } of want.dims) {
    found.value(type, get(got, name), want.current_domain[name], `current domain of ${name}`)
  }
}

function compareLabels(got: Json, expected: ExpectedArray, found: Differences): void {
  const labels = items(get(got, 'dimension_labels'))
  const wanted = expected.dimension_labels ?? []
  found.equal(labels.length, wanted.length, 'number of dimension labels')
  for (const want of wanted) {
    const label = labels.find((one) => get(one, 'name') === want.name)
    const what = `dimension label ${want.name}`
    found.equal(get(label, 'dimension_index'), want.dim, `${what}: dimension_index`)
    found.equal(get(label, 'order'), want.order, `${what}: order`)
    found.equal(get(label, 'type'), want.type, `${what}: type`)
    found.equal(get(label, 'uri'), want.uri, `${what}: uri`)
    found.equal(get(label, 'attribute'), want.attr, `${what}: attribute`)
  }
}

function compareEnumerations(got: Json, expected: ExpectedArray, found: Differences): void {
  const enumerations = items(get(got, 'enumerations'))
  found.equal(
    enumerations.map((one) => String(get(one, 'name'))).sort(),
    Object.keys(expected.enumerations).sort(),
    'enumerations',
  )
  for (const [name, want] of Object.entries(expected.enumerations)) {
    const one = enumerations.find((enumeration) => get(enumeration, 'name') === name)
    found.equal(get(one, 'type'), want.type, `enumeration ${name}: type`)
    found.equal(get(one, 'ordered'), want.ordered, `enumeration ${name}: ordered`)
    found.value(want.type, get(one, 'values'), want.values, `enumeration ${name}: values`)
  }
}
