import type { Items } from '../../check/finding.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import type { ArrayWords, FactValue, Layer, LayerDescription, LayerFact, LayerMember } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { factsOfKeys, keyText } from '../text.ts'
import { checkVariables } from './check.ts'
import { variablePictures } from './pictures.ts'
import { ATTRIBUTE, isCoordinate, variableAxes } from './variables.ts'

/** CF: variables with named dimensions, as in netCDF, by tiledb-cf and xarray. */
export const cf: Layer = {
  describe,
  async *check(part: DatasetPart): Items {
    yield* checkVariables(part)
  },
  words: wordsOf,
}

const DATASET = 'dataset'

async function wordsOf(part: DatasetPart): Promise<ArrayWords | undefined> {
  const schema = await part.schema()
  if (!schema) return undefined
  const fields: Record<string, string> = {}
  for (const { name } of schema.attributes) {
    const units = await keyText(part, `${ATTRIBUTE}${name}.units`)
    if (units) fields[name] = `in ${units}`
  }
  return { type: typeIn(part, schema), dataset_type: DATASET, fields }
}

function typeIn(part: DatasetPart, schema: ArraySchema): string {
  return isCoordinate(part, schema) ? 'coordinate' : 'variable'
}

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const rows: FactValue[][] = []
  const lengths = new Map<string, string>()
  for (const one of part.all()) {
    const schema = await one.schema()
    if (!schema) continue
    const axes = variableAxes(schema)
    const type = typeIn(one, schema)
    for (const { name, length } of axes) lengths.set(name, String(length ?? '*'))
    members.set(one.path, { type, facts: await attributeFacts(one) })
    for (const { name, type: stored } of schema.attributes) {
      const units = await keyText(one, `${ATTRIBUTE}${name}.units`)
      rows.push([one.path || '.', name, type, axes.map((axis) => axis.name), stored, units ?? null])
    }
  }
  const conventions = await keyText(part, 'Conventions')
  return {
    layer: 'cf',
    title: 'CF',
    type: part.array ? 'variable' : DATASET,
    version: conventions?.replace(/^CF-/, '') ?? null,
    is_version_known: true,
    facts: [
      ...(await factsOfKeys(part, { title: 'title', institution: 'institution', source: 'source' })),
      { name: 'dimensions', value: [...lengths].map(([name, length]) => `${name} ${length}`) },
    ],
    tables: [{ title: 'variables', columns: ['array', 'attribute', 'is a', 'dimensions', 'type', 'units'], rows }],
    pictures: await variablePictures(part),
    members,
  }
}

/** What the metadata says of the attributes and dimensions of an array. */
async function attributeFacts(part: DatasetPart): Promise<LayerFact[]> {
  const facts: LayerFact[] = []
  for (const { name } of (await part.schema())?.attributes ?? [])
    facts.push(...(await factsOfKeys(part, keysOf(await part.metadata(), name))))
  return facts
}

/** Keys of the metadata of an attribute, by their names in the dataset. */
function keysOf(metadata: ReadonlyMap<string, unknown>, attribute: string): Record<string, string> {
  const start = `${ATTRIBUTE}${attribute}.`
  const keys = [...metadata.keys()].filter((key) => key.startsWith(start))
  return Object.fromEntries(keys.map((key) => [key, key.slice(ATTRIBUTE.length)]))
}
