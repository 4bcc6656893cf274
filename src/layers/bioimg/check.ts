import { finding, type Items } from '../../check/finding.ts'
import { lengthOf, lengthsText } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { checkJson, factOf } from '../text.ts'
import { isUnlisted } from '../unlisted.ts'
import {
  depthsOf,
  FORMAT_VERSION,
  isEnded,
  JSON_KEYS,
  KNOWN_VERSIONS,
  LEVELS_KEY,
  type ListedLevel,
  levelParts,
  listedLevels,
  numberInName,
  statedLevel,
  VALID,
} from './image.ts'

/** Checks what an image says of itself: its end, its texts, its levels. */
export async function* checkImage(image: DatasetPart): Items {
  if (!(await isEnded(image))) {
    const found = image.target && (await image.metadata()).has(VALID) ? 'false' : 'no such key'
    yield finding(
      'LAYER_INCOMPLETE',
      findingPlace(image, VALID),
      `the key ${VALID}, which an ingestion writes last`,
      found,
    )
  }
  const version = await factOf(image, FORMAT_VERSION)
  if (version !== undefined && !KNOWN_VERSIONS.has(Number(version)))
    yield finding(
      'LAYER_VERSION',
      findingPlace(image, FORMAT_VERSION),
      [...KNOWN_VERSIONS].join(' or '),
      String(version),
    )
  yield* checkJson(image, JSON_KEYS)
  const listed = await listedLevels(image)
  const depthOf = await depthsOf(image)
  for (const one of listed) yield* checkListed(image, one, depthOf)
  for (const part of levelParts(image)) yield* checkLevel(part, listed)
  yield* checkSizes(image)
}

/** Whether a level of the list is there, as the list says. */
async function* checkListed(
  image: DatasetPart,
  { name, axes, shape }: ListedLevel,
  depthOf: (level: number) => number,
): Items {
  if (name === undefined) return
  const part = image.parts.get(name)
  if (!part && (await isUnlisted(image, name))) {
    const found = 'that the group does not list it'
    yield finding(
      'LAYER_MEMBER',
      findingPlace(image, name),
      `the level ${name}, as the key ${LEVELS_KEY} says`,
      found,
      'unlisted',
    )
    return
  }
  if (!part) {
    yield finding(
      'LAYER_MEMBER',
      findingPlace(image, name),
      `the level ${name}, as the key ${LEVELS_KEY} says`,
      'no such member',
    )
    return
  }
  // The check of the group reports a lost member.
  if (!part.target) return
  const schema = await part.schema()
  if (!schema) return
  const names = schema.domain.dimensions.map((dimension) => dimension.name)
  const isKnown = axes !== undefined && names.every((one) => axes.includes(one))
  if (axes !== undefined && !isKnown)
    yield finding('LAYER_SCHEMA', findingPlace(part), `dimensions with the names of the axes ${axes}`, names.join(', '))
  if (!isKnown || shape.length !== axes.length) return
  const depth = depthOf(numberInName(name) ?? 0)
  for (const [i, axis] of [...axes].entries()) {
    const length = lengthOf(schema, axis)
    const stated = shape[i]
    if (length === undefined || stated === undefined) continue
    // With the filter WEBP, X holds all values of its pixels.
    if (Number(length) === stated || (axis === 'X' && Number(length) === stated * depth)) continue
    const expected = `${stated} in ${axis}, as the key ${LEVELS_KEY} says`
    yield finding('LAYER_SHAPES_DIFFER', findingPlace(part, axis), expected, String(length), 'stated')
  }
}

/** Whether the array of a level says that it is this level. */
async function* checkLevel(part: DatasetPart, listed: readonly ListedLevel[]): Items {
  const name = part.names.at(-1) ?? ''
  const inList = listed.find((one) => one.name === name)
  const stated = await statedLevel(part)
  const level = inList?.level ?? numberInName(name)
  if (stated !== undefined && level !== undefined && stated !== level)
    yield finding('LAYER_METADATA', findingPlace(part, 'level'), `level ${level}`, `level ${stated}`)
  if (listed.length > 0 && !inList) {
    const found = `no level ${name} in the key ${LEVELS_KEY} of the group`
    yield finding('LAYER_METADATA', findingPlace(part), 'a level that is in the list', found, 'stray')
  }
}

/** Whether each level is smaller than the one before it. */
async function* checkSizes(image: DatasetPart): Items {
  let before: { name: string; sizes: bigint[] } | undefined
  for (const part of levelParts(image)) {
    const schema = await part.schema()
    if (!schema) continue
    const sizes = ['Y', 'X'].flatMap((axis) => lengthOf(schema, axis) ?? [])
    if (before && sizes.length === before.sizes.length && sizes.some((size, d) => size > (before?.sizes[d] ?? size))) {
      const expected = `a smaller image than ${before.name}: at most ${lengthsText(before.sizes)}`
      yield finding('LAYER_SHAPES_DIFFER', findingPlace(part), expected, lengthsText(sizes), 'levels')
    }
    before = { name: part.path, sizes }
  }
}
