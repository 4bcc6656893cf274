import { finding, type Items } from '../../check/finding.ts'
import { crsText } from '../crs.ts'
import type { LayerDescription, LayerFact, LayerMember } from '../layer.ts'
import { checkRelative } from '../members.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { factOf, factsOfKeys, keyText } from '../text.ts'

/*
 * A layer of vectors: a sparse array whose coordinates are the middles of its geometries. A dataset of several has them in the group
 * `layers`.
 *
 * Source: GDAL, frmts/tiledb/tiledbsparse.cpp.
 */

const DIMENSIONS = ['_X', '_Y']
/** Keys that name an attribute, and what they mean if they are not there. */
const FID = { key: 'FID_ATTRIBUTE_NAME', usual: 'FID' }
const GEOMETRY = { key: 'GEOMETRY_ATTRIBUTE_NAME', usual: 'wkb_geometry' }
/** Largest half width and height of a geometry: a query looks so much further. */
const PADS = ['PAD_X', 'PAD_Y']

function layersOf(part: DatasetPart): DatasetPart[] {
  return part.array ? [part] : [...part.all()].filter(({ array }) => array)
}

export async function describeVectors(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const layers = layersOf(part)
  for (const one of layers) members.set(one.path, { type: 'vector layer', facts: await layerFacts(one) })
  const facts = part.array
    ? await layerFacts(part)
    : [{ name: 'layers', value: layers.map(({ names }) => names.at(-1) ?? '') }]
  return {
    layer: 'gdal',
    title: 'GDAL',
    type: part.array ? 'vector layer' : 'vector dataset',
    version: null,
    is_version_known: true,
    facts,
    tables: [],
    members,
  }
}

async function layerFacts(part: DatasetPart): Promise<LayerFact[]> {
  const crs = await keyText(part, 'CRS')
  const padding: number[] = []
  for (const key of PADS) {
    const pad = await factOf(part, key)
    if (typeof pad === 'number') padding.push(pad)
  }
  return [
    ...(await factsOfKeys(part, { GeometryType: 'geometry type' })),
    ...(crs ? [{ name: 'CRS', value: crsText(crs) }] : []),
    { name: 'padding', value: padding.length > 0 ? padding : null },
    { name: 'geometry attribute', value: await named(part, GEOMETRY) },
    { name: 'id attribute', value: await named(part, FID) },
    { name: 'features', value: part.seen.cell_num ?? null },
  ]
}

async function named(part: DatasetPart, { key, usual }: typeof FID): Promise<string> {
  return (await keyText(part, key)) ?? usual
}

export async function* checkVectors(part: DatasetPart): Items {
  const layers = layersOf(part)
  if (part.group && layers.length === 0)
    yield finding('LAYER_MEMBER', findingPlace(part, 'layers'), 'a layer in the group layers', 'none')
  for (const one of layers) yield* checkLayer(one)
  yield* checkRelative(part)
}

async function* checkLayer(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  const { dimensions } = schema.domain
  const found = dimensions.map(({ name, type }) => `${name} ${type}`).join(', ')
  if (schema.array_type !== 'sparse')
    yield finding('LAYER_SCHEMA', findingPlace(part), 'a sparse array', `a ${schema.array_type} array`)
  for (const name of DIMENSIONS)
    if (!dimensions.some((dimension) => dimension.name === name && dimension.type === 'FLOAT64'))
      yield finding('LAYER_SCHEMA', findingPlace(part, name), `the dimension ${name} FLOAT64`, found)
  const metadata = await part.metadata()
  const type = await keyText(part, 'GeometryType')
  // A layer without geometries has no attribute of them.
  for (const field of type === 'None' ? [FID] : [FID, GEOMETRY]) {
    const name = await named(part, field)
    const isThere = [...schema.attributes, ...dimensions].some((one) => one.name === name)
    // GDAL reads arrays without the keys, too, and then makes ids of its own.
    if (isThere || name === '' || !metadata.has(field.key)) continue
    const attributes = schema.attributes.map((attribute) => attribute.name).join(', ')
    yield finding('LAYER_SCHEMA', findingPlace(part, name), `the attribute ${name}, as ${field.key} says`, attributes)
  }
  for (const key of PADS) {
    const pad = await factOf(part, key)
    if (pad !== undefined && !(typeof pad === 'number' && Number.isFinite(pad) && pad >= 0))
      yield finding('LAYER_METADATA', findingPlace(part, key), 'a size of 0 or more', String(pad))
  }
}
