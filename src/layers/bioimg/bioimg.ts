import type { Items } from '../../check/finding.ts'
import type { Layer, LayerDescription, LayerFact, LayerMember } from '../layer.ts'
import { lengthsOf } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import { factOf, jsonList, jsonOf, stringOf } from '../text.ts'
import { checkImage } from './check.ts'
import { FORMAT_VERSION, isEnded, KNOWN_VERSIONS, levelParts, numberInName, statedLevel } from './image.ts'
import { levelPicture } from './picture.ts'

/** BioImaging: images of microscopes in several sizes, by tiledb-bioimg. */
export const bioimg: Layer = {
  describe,
  async *check(part: DatasetPart): Items {
    yield* checkImage(part)
  },
  lostAs: async (name) => (numberInName(name) === undefined ? undefined : 'needed'),
  async words() {
    return { type: IMAGE_LEVEL, dataset_type: IMAGE, cell: 'a value of a pixel', fields: MEANINGS_OF_AXES }
  },
}

const IMAGE = 'image'
const IMAGE_LEVEL = 'image level'

/** What a coordinate of each dimension is. */
const MEANINGS_OF_AXES: Readonly<Record<string, string>> = {
  X: 'the column',
  Y: 'the row',
  Z: 'the depth',
  C: 'the channel',
  T: 'the time',
}

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  for (const levelPart of levelParts(part)) {
    const schema = await levelPart.schema()
    if (!schema) continue
    const [attribute] = schema.attributes
    const axes = schema.domain.dimensions.map(({ name }) => name).join('')
    const shape = lengthsOf(schema).map((length) => length ?? '*')
    const level = await statedLevel(levelPart)
    const facts = [
      ...(level === undefined ? [] : [{ name: 'level', value: level }]),
      { name: 'axes', value: axes },
      { name: 'shape', value: shape },
      ...(attribute ? [{ name: 'pixels', value: attribute.type }] : []),
    ]
    members.set(levelPart.path, { type: IMAGE_LEVEL, facts })
  }
  const version = await factOf(part, FORMAT_VERSION)
  return {
    layer: 'bioimg',
    title: 'BioImaging',
    type: IMAGE,
    version: version === undefined ? null : String(version),
    is_version_known: KNOWN_VERSIONS.has(Number(version)),
    facts: await imageFacts(part),
    tables: [],
    pictures: await levelPicture(part),
    members,
  }
}

async function imageFacts(part: DatasetPart): Promise<LayerFact[]> {
  const axes = await part.text('axes')
  const writer = await part.text('pkg_version')
  const channels = jsonList((await jsonOf(part, 'channels'))?.value).flatMap((name) => stringOf(name) ?? [])
  return [
    { name: 'ingestion', value: (await isEnded(part)) ? 'ended' : 'did not end' },
    ...(axes === undefined ? [] : [{ name: 'axes of the source', value: axes }]),
    { name: 'levels', value: levelParts(part).length },
    ...(channels.length > 0 ? [{ name: 'channels', value: channels }] : []),
    ...(writer === undefined ? [] : [{ name: 'written by', value: `tiledb-bioimg ${writer}` }]),
  ]
}
