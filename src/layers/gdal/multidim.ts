import { finding, type Items } from '../../check/finding.ts'
import { crsText } from '../crs.ts'
import type { FactValue, Layer, LayerDescription, LayerFact, LayerMember } from '../layer.ts'
import { lengthOf, lengthsOf } from '../lengths.ts'
import { checkRelative } from '../members.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { factsOfKeys, keyText } from '../text.ts'

/*
 * A multidimensional dataset of GDAL: groups of dense arrays with one attribute each. An array with the name of a dimension has the
 * values along it.
 *
 * Source: GDAL, frmts/tiledb/tiledbmultidimgroup.cpp and tiledbmultidimarray.cpp.
 */

const CRS = '_CRS'
const UNIT = '_UNIT'

/** GDAL: multidimensional rasters. */
export const gdalMultidim: Layer = {
  describe,
  async *check(part: DatasetPart): Items {
    for (const one of part.all()) if (one.group) yield* checkDimensions(one)
    for (const one of part.all()) if (one.array) yield* checkArray(one)
    yield* checkRelative(part)
  },
  async words(part) {
    const unit = await keyText(part, UNIT)
    const name = (await part.schema())?.attributes[0]?.name
    const fields = unit && name !== undefined ? { [name]: `in ${unit}` } : {}
    return { type: ARRAY, dataset_type: DATASET, fields }
  },
}

const ARRAY = 'multidimensional array'
const DATASET = 'multidimensional dataset'

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const rows: FactValue[][] = []
  for (const one of part.all()) {
    const schema = await one.schema()
    if (!schema) continue
    members.set(one.path, { type: ARRAY, facts: await arrayFacts(one) })
    const dimensions = schema.domain.dimensions.map(({ name }) => name)
    const lengths = lengthsOf(schema).map((length) => length ?? '*')
    rows.push([one.path || '.', dimensions, lengths, (await keyText(one, UNIT)) ?? null])
  }
  const tables = [{ title: 'arrays', columns: ['array', 'dimensions', 'shape', 'unit'], rows }]
  const type = part.array ? ARRAY : DATASET
  const facts = part.array ? await arrayFacts(part) : []
  return { layer: 'gdalMultidim', title: 'GDAL', type, version: null, is_version_known: true, facts, tables, members }
}

async function arrayFacts(part: DatasetPart): Promise<LayerFact[]> {
  const crs = await keyText(part, CRS)
  return [...(crs ? [{ name: 'CRS', value: crsText(crs) }] : []), ...(await factsOfKeys(part, { [UNIT]: 'unit' }))]
}

/** Whether the array of a dimension's values is as long as the dimension. */
async function* checkDimensions(group: DatasetPart): Items {
  for (const part of group.parts.values()) {
    const schema = await part.schema()
    if (!schema) continue
    for (const { name } of schema.domain.dimensions) {
      const values = group.parts.get(name)
      const along = values && values !== part ? await values.schema() : undefined
      const length = lengthOf(schema, name)
      const found = along && lengthOf(along, name)
      if (!values || length === undefined || found === undefined || length === found) continue
      const expected = `${length} in ${name}, as in ${part.path}`
      yield finding('LAYER_SHAPES_DIFFER', findingPlace(values, name), expected, String(found), 'dimension')
    }
  }
}

async function* checkArray(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  if (schema.array_type !== 'dense')
    yield finding('LAYER_SCHEMA', findingPlace(part), 'a dense array', 'a sparse array')
  if ((await keyText(part, CRS)) === '')
    yield finding('LAYER_TEXT', findingPlace(part, CRS), 'a coordinate reference system', 'no text')
}
