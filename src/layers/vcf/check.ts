import { finding, type Items } from '../../check/finding.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import { namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { DATA_FIELDS, HEADERS, listAt, OLD_HEADERS, partsOf, STATS } from './dataset.ts'
import { DATASET_TYPE } from './recognise.ts'
import { type FragmentKey, fragmentKeysOf, skippedSamples } from './stats.ts'

/** Checks what a dataset says of itself: its parts, versions, fields, and the keys of its statistics. Reads no cells. */
export async function* checkDataset(top: DatasetPart): Items {
  const { data, headers, stats } = partsOf(top)
  yield* checkMark(top)
  if (!data && !top.lacks('data'))
    yield finding('LAYER_MEMBER', findingPlace(top, 'data'), 'the array data', 'no such member')
  if (!headers && !top.lacks(HEADERS) && !top.lacks(OLD_HEADERS))
    yield finding('LAYER_MEMBER', findingPlace(top, HEADERS), `the array ${HEADERS}`, 'no such member')
  if (data) yield* checkData(data)
  for (const [name, part] of stats) {
    const version = await part.number('version')
    const known = STATS[name] ?? []
    // Arrays of older releases have none.
    if (version !== undefined && !known.includes(version))
      yield finding('LAYER_VERSION', findingPlace(part, 'version'), `version ${known.join(' or ')}`, version)
    yield* checkKeys(part)
  }
}

/** A group whose members no list names is older than the mark. */
async function* checkMark(top: DatasetPart): Items {
  if (!top.group || (await top.text(DATASET_TYPE)) !== undefined) return
  if ([...top.parts.values()].every(({ member }) => member?.member.implicit)) return
  yield finding('LAYER_METADATA', findingPlace(top, DATASET_TYPE), `the key ${DATASET_TYPE}`, 'no such key', 'unmarked')
}

async function* checkData(data: DatasetPart): Items {
  const version = await data.number('version')
  const place = findingPlace(data, 'version')
  if (version === undefined) {
    yield finding('LAYER_METADATA', place, 'the key version', 'no such key')
    return
  }
  const layout = DATA_FIELDS[version]
  if (!layout) {
    yield finding('LAYER_VERSION', place, `version ${Object.keys(DATA_FIELDS).join(', ')}`, version)
    return
  }
  const schema = await data.schema()
  if (!schema) return
  const dimensions = schema.domain.dimensions.map(({ name }) => name)
  if (dimensions.join() !== layout.dimensions.join())
    yield finding(
      'LAYER_SCHEMA',
      findingPlace(data),
      `the dimensions ${layout.dimensions.join(', ')}`,
      dimensions.join(', '),
    )
  const lost = lacking(schema, layout.attributes)
  if (lost.length > 0)
    yield finding(
      'LAYER_SCHEMA',
      findingPlace(data),
      `the attributes ${layout.attributes.join(', ')}`,
      `no ${lost.join()}`,
    )
  const extra = lacking(schema, (await listAt(data, EXTRA)) ?? [])
  if (extra.length > 0)
    yield finding(
      'LAYER_SCHEMA',
      findingPlace(data, EXTRA),
      'an attribute for each field that it names',
      `no ${namesText(extra)}`,
    )
}

export const EXTRA = 'extra_attributes'

function lacking({ attributes }: ArraySchema, names: readonly string[]): string[] {
  return names.filter((name) => !attributes.some((attribute) => attribute.name === name))
}

/** Checks the keys of an array of statistics. A finding names the fragments, not their whole addresses. */
async function* checkKeys(part: DatasetPart): Items {
  const keys = await fragmentKeysOf(part)
  const named = (some: readonly FragmentKey[]): string => namesText(some.map(({ name }) => name))
  const expected = 'keys that name its fragments'
  const gone = keys.filter(({ state }) => state === 'gone')
  if (gone.length > 0)
    yield finding('LAYER_STALE', findingPlace(part), expected, `fragments that are gone: ${named(gone)}`)
  const replaced = keys.filter(({ state }) => state === 'replaced')
  if (replaced.length > 0)
    yield finding('LAYER_STALE', findingPlace(part), expected, `consolidated ones: ${named(replaced)}`, 'replaced')
  const elsewhere = keys.filter(({ isElsewhere, state }) => isElsewhere && state === 'there')
  if (elsewhere.length > 0)
    yield finding('LAYER_STALE', findingPlace(part), expected, `another place: ${elsewhere[0]?.key}`, 'copied')
  const skipped = await skippedSamples(part)
  if (skipped.length > 0)
    yield finding('LAYER_STALE', findingPlace(part), 'counts without deleted samples', namesText(skipped), 'deleted')
}
