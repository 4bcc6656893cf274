import type { Items, Level } from '../../check/finding.ts'
import type { FactValue, Layer, LayerDescription, LayerFact, LayerMember, LayerTable } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { checkObjects } from './check.ts'
import { checkJoins } from './joins.ts'
import { ENCODING_VERSION, ENCODINGS, isBeforeOne, OBJECT_TYPE, SPATIAL_VERSION, storingOf, typeOf } from './objects.ts'
import { embeddings } from './pictures.ts'
import { releaseFacts } from './releases.ts'
import { select } from './select.ts'
import { isUpgraded, maximalShapeOf, shapeOf } from './shape.ts'
import { upgradeShapes } from './upgrade.ts'
import { wordsOf } from './words.ts'

/** SOMA: annotated matrices of single cells, by tiledbsoma. */
export const soma: Layer = {
  describe,
  async *check(part: DatasetPart, level: Level): Items {
    // Releases before 1.0 had another model.
    if (await isBeforeOne(part)) return
    yield* checkObjects(part)
    if (level === 'cells') yield* checkJoins(part)
  },
  select,
  // Measured with tiledbsoma 2.3, of layers, of collections and measurements. What the releases before 1.0 do is not known.
  lostAs: async (_, group) => ((await isBeforeOne(group)) ? undefined : 'needed'),
  words: wordsOf,
  isWhole: async (part) => (await typeOf(part)) === 'SOMAExperiment',
}

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const versions = new Set<string>()
  const spatial = new Set<string>()
  const isOld = await isBeforeOne(part)
  const upgrades = await upgradeShapes(part)
  const upgraded = { yes: 0, no: 0, inUns: 0 }
  for (const one of part.all()) {
    const type = isOld ? await one.text(OBJECT_TYPE) : await typeOf(one)
    if (!type) continue
    versions.add((await one.text(ENCODING_VERSION)) ?? '')
    const version = await one.text(SPATIAL_VERSION)
    if (version !== undefined) spatial.add(version)
    const schema = await one.schema()
    if (schema && !isOld) {
      if (isUpgraded(schema)) upgraded.yes++
      else if (isUns(one)) upgraded.inUns++
      else upgraded.no++
    }
    const upgrade = upgrades.get(one.path)
    const facts = await memberFacts(one)
    if (upgrade) facts.push({ name: 'upgrade would set', value: upgrade.map((length) => length ?? '?') })
    members.set(one.path, { type, facts })
  }
  const version = (await part.text(ENCODING_VERSION)) ?? null
  const facts: LayerFact[] = [
    ...(await releaseFacts(part)),
    ...(versions.size > 1 ? [{ name: 'encoding versions', value: [...versions].sort() }] : []),
    ...(spatial.size > 0 ? [{ name: 'spatial encoding', value: [...spatial].sort() }] : []),
    ...(upgraded.yes + upgraded.no > 0 ? [{ name: 'shapes', value: shapesText(upgraded) }] : []),
    ...(await experimentFacts(part)),
  ]
  const measurements = await measurementTable(part)
  return {
    layer: 'soma',
    title: 'SOMA',
    type: members.get('')?.type ?? 'SOMA object',
    version,
    is_version_known: isOld || (version !== null && Object.hasOwn(ENCODINGS, version)),
    facts,
    tables: measurements.rows.length > 0 ? [measurements] : [],
    pictures: await embeddings(part),
    members,
  }
}

/** Whether the arrays have shapes of their own. An upgrade leaves those in `uns` as they are. */
function shapesText({ yes, no, inUns }: { yes: number; no: number; inUns: number }): string {
  if (yes === 0) return 'not upgraded'
  if (no > 0) return 'mixed'
  return inUns > 0 ? 'all set, but for those in uns' : 'all set'
}

/** Whether a part lies in `uns`, whose arrays an upgrade leaves as they are. */
export function isUns({ names }: DatasetPart): boolean {
  return names.includes('uns')
}

async function memberFacts(part: DatasetPart): Promise<LayerFact[]> {
  const schema = await part.schema()
  if (!schema) return []
  const isFrame =
    (await storingOf(part)) === 'sparse' && schema.domain.dimensions.some(({ name }) => name === 'soma_joinid')
  const categories = schema.attributes.filter(({ enumeration }) => enumeration)
  return [
    ...(isFrame || schema.domain.dimensions.every(({ name }) => name.startsWith('soma_dim_'))
      ? [
          { name: 'shape', value: shapeOf(schema).map((one) => one ?? '*') },
          { name: 'maxshape', value: maximalShapeOf(schema).map((one) => one ?? '*') },
        ]
      : []),
    ...(await usedShape(part)),
    { name: 'upgraded', value: isUpgraded(schema) },
    ...(categories.length > 0 ? [{ name: 'categories', value: categories.map(({ name }) => name) }] : []),
  ]
}

/** The shape that releases before 1.15 kept in the metadata of an array: how far it was written. */
async function usedShape(part: DatasetPart): Promise<LayerFact[]> {
  const value: (number | bigint)[] = []
  for (let d = 0; ; d++) {
    const upper = await part.number(`soma_dim_${d}_domain_upper`)
    if (upper === undefined) break
    value.push(upper + 1)
  }
  return value.length > 0 ? [{ name: 'used shape', value }] : []
}

async function experimentFacts(part: DatasetPart): Promise<LayerFact[]> {
  const obs = part.parts.get('obs')
  if (!obs) return []
  const schema = await obs.schema()
  const scenes = [...(part.parts.get('spatial')?.parts.keys() ?? [])]
  const categories = (schema?.attributes ?? []).filter(({ enumeration }) => enumeration)
  return [
    { name: 'observations', value: rowsOf(obs) },
    ...(categories.length > 0 ? [{ name: 'categories of obs', value: categories.map(({ name }) => name) }] : []),
    ...(scenes.length > 0 ? [{ name: 'scenes', value: scenes }] : []),
  ]
}

function rowsOf({ seen }: DatasetPart): FactValue {
  return seen.cell_num ?? null
}

/** The measurements of an experiment, or of a collection of them. */
async function measurementTable(part: DatasetPart): Promise<LayerTable> {
  const rows: FactValue[][] = []
  for (const one of part.all()) {
    if ((await typeOf(one)) !== 'SOMAMeasurement') continue
    const variables = one.parts.get('var')
    const names = (collection: string): FactValue => [...(one.parts.get(collection)?.parts.keys() ?? [])]
    rows.push([one.path || '.', variables ? rowsOf(variables) : null, names('X'), names('obsm'), names('varm')])
  }
  return { title: 'measurements', columns: ['measurement', 'variables', 'layers', 'obsm', 'varm'], rows }
}
