import { finding, type Items } from '../../check/finding.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import { crsText } from '../crs.ts'
import type { Layer, LayerDescription, LayerFact } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { checkJson, isObject, type Json, jsonOf, keyOf, stringOf } from '../text.ts'
import { hasCells } from '../written.ts'

/*
 * A point cloud of PDAL: a sparse array of points, and one JSON text with all else, which PDAL writes last.
 *
 * Source: PDAL, plugins/tiledb/io/TileDBWriter.cpp and TileDBUtils.cpp.
 */

const PDAL = '_pdal'
const CLOUD = 'point cloud'
const DIMENSIONS = ['X', 'Y', 'Z']
/** The attribute that holds several small fields of a point, packed. */
const BIT_FIELDS = 'BitFields'

/** PDAL: point clouds. */
export const pdal: Layer = {
  async words() {
    return { type: CLOUD, dataset_type: CLOUD, cell: 'a point' }
  },
  async describe(part: DatasetPart): Promise<LayerDescription> {
    return {
      layer: 'pdal',
      title: 'PDAL',
      type: CLOUD,
      version: null,
      is_version_known: true,
      facts: await cloudFacts(part),
      tables: [],
      members: new Map(),
    }
  },
  async *check(part: DatasetPart): Items {
    for (const one of part.all()) if (one.array) yield* checkCloud(one)
  },
}

async function cloudFacts(part: DatasetPart): Promise<LayerFact[]> {
  const schema = await part.schema()
  if (!schema) return []
  const json = (await jsonOf(part, PDAL))?.value
  const scales = scalesOf(schema)
  const version = stringOf(keyOf(json, 'pdal_version'))
  const crs = referenceIn(json)
  return [
    ...(crs ? [{ name: 'CRS', value: crsText(crs) }] : []),
    ...(scales.length > 0 ? [{ name: 'rounded to', value: scales }] : []),
    ...(schema.attributes.some(({ name }) => name === BIT_FIELDS)
      ? [{ name: 'packed fields', value: BIT_FIELDS }]
      : []),
    ...(version === undefined ? [] : [{ name: 'written by', value: `PDAL ${version}` }]),
    ...(isObject(json) ? [{ name: 'PDAL metadata', value: Object.keys(json) }] : []),
  ]
}

/** The coordinate reference system. Each stage of PDAL that has one repeats it in its own metadata. */
function referenceIn(json: Json | undefined, depth = 0): string | undefined {
  if (depth > MAX_LEVELS) return undefined
  const own = stringOf(keyOf(json, 'spatialreference'))
  if (own) return own
  for (const inner of Array.isArray(json) || isObject(json) ? Object.values(json) : []) {
    const found = referenceIn(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Upper limit on the levels of JSON that are searched. */
const MAX_LEVELS = 8

/** For each field with SCALE_FLOAT: the step to which it rounds. */
function scalesOf({ domain, attributes }: ArraySchema): string[] {
  return [...domain.dimensions, ...attributes].flatMap(({ name, filters }) =>
    filters.filters.flatMap(({ scale }) => (scale === undefined ? [] : [`${name} ${scale}`])),
  )
}

async function* checkCloud(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  if (schema.array_type !== 'sparse')
    yield finding('LAYER_SCHEMA', findingPlace(part), 'a sparse array', 'a dense array')
  const { dimensions } = schema.domain
  const found = dimensions.map(({ name, type }) => `${name} ${type}`).join(', ')
  for (const name of DIMENSIONS)
    if (!dimensions.some((dimension) => dimension.name === name && dimension.type === 'FLOAT64'))
      yield finding('LAYER_SCHEMA', findingPlace(part, name), `the dimension ${name} FLOAT64`, found)
  if (!(await part.metadata()).has(PDAL)) {
    // Without cells nothing was written, so the key is not missing.
    if (await hasCells(part))
      yield finding(
        'LAYER_INCOMPLETE',
        findingPlace(part, PDAL),
        `the key ${PDAL}, which PDAL writes last`,
        'no such key',
        'write',
      )
    return
  }
  yield* checkJson(part, [PDAL])
  const json = await jsonOf(part, PDAL)
  if (json?.fault === undefined && !isObject(json?.value))
    yield finding('LAYER_TEXT', findingPlace(part, PDAL), 'an object of JSON', 'JSON of another kind')
}
