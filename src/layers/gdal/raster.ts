import { type Finding, finding, type Items } from '../../check/finding.ts'
import { crsText } from '../crs.ts'
import type { LayerDescription, LayerFact, LayerMember } from '../layer.ts'
import { extentOf, lengthOf, lengthsText } from '../lengths.ts'
import { checkRelative } from '../members.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { textItem } from '../text.ts'
import { isUnlisted } from '../unlisted.ts'
import { PAM, type Pam, pamOf } from './pam.ts'
import { rasterPicture } from './picture.ts'

/*
 * A raster is an array, or a group with an array of its full size, and smaller versions of it.
 */

/** Dimensions of the array of a raster; BANDS is there unless each band is an attribute. */
const [X, Y] = ['X', 'Y']

/** The arrays of a raster from the largest: itself, or the members `l_0`, `l_1`… in old ones `<name>_0`… */
function levelsOf(part: DatasetPart): { level: number; part: DatasetPart }[] {
  if (part.array) return [{ level: 0, part }]
  const found = [...part.parts.values()].flatMap((one) => {
    const level = /_(\d+)$/.exec(one.names.at(-1) ?? '')?.[1]
    return level === undefined ? [] : [{ level: Number(level), part: one }]
  })
  return found.sort((a, b) => a.level - b.level)
}

export async function describeRaster(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const rows: string[][] = []
  const levels = levelsOf(part)
  for (const { level, part: one } of levels) {
    const size = await sizeOf(one)
    const type = level === 0 ? 'raster' : 'overview'
    if (one.array) members.set(one.path, { type, facts: await rasterFacts(one, (await pamOf(one))?.value) })
    if (size) rows.push([one.path || '.', type, lengthsText([size.width, size.height])])
  }
  const pam = (await pamOf(part))?.value ?? (levels[0] && (await pamOf(levels[0].part))?.value)
  const smallest = levels.findLast(({ part: one }) => one.array)?.part
  return {
    layer: 'gdal',
    title: 'GDAL',
    type: 'raster',
    version: null,
    is_version_known: true,
    facts: await rasterFacts(levels[0]?.part ?? part, pam),
    tables: part.group ? [{ title: 'sizes', columns: ['array', 'is a', 'width × height'], rows }] : [],
    pictures: smallest ? await rasterPicture(smallest, pam, await sizeOf(smallest)) : [],
    members,
  }
}

async function rasterFacts(part: DatasetPart, pam: Pam | undefined): Promise<LayerFact[]> {
  const size = await sizeOf(part)
  const schema = await part.schema()
  const padded = schema && [lengthOf(schema, X), lengthOf(schema, Y)].flatMap((length) => length ?? [])
  const { crs, transform = [], interleave, dataType, overviews = 0, items = [] } = pam ?? {}
  return [
    ...(crs ? [{ name: 'CRS', value: crsText(crs) }] : []),
    ...(transform.length > 0 ? [{ name: 'geotransform', value: transform }] : []),
    ...(size ? [{ name: 'width, height', value: [size.width, size.height] }] : []),
    ...(padded?.length === 2 ? [{ name: 'width, height of the array', value: padded }] : []),
    ...(interleave ? [{ name: 'interleave', value: interleave }] : []),
    ...(dataType ? [{ name: 'data type', value: dataType }] : []),
    ...(overviews > 0 ? [{ name: 'overviews', value: overviews }] : []),
    ...(items.length > 0 ? [{ name: 'GDAL metadata', value: items }] : []),
  ]
}

/** The size of a raster: as its metadata says, or else that of the array. */
async function sizeOf(part: DatasetPart): Promise<{ width: number; height: number } | undefined> {
  const schema = await part.schema()
  const pam = (await pamOf(part))?.value
  const width = pam?.width ?? Number(schema && lengthOf(schema, X))
  const height = pam?.height ?? Number(schema && lengthOf(schema, Y))
  return Number.isFinite(width) && Number.isFinite(height) ? { width, height } : undefined
}

export async function* checkRaster(part: DatasetPart): Items {
  const levels = levelsOf(part)
  const full = levels.find(({ level }) => level === 0)?.part
  yield* checkPam(part)
  for (const { part: one, level } of levels) {
    // An overview may lack the text, as the raster in its full size tells what it would say.
    if (one !== part && one.array && (level === 0 || (await pamOf(one)))) yield* checkPam(one)
    yield* checkSize(one)
  }
  if (!part.group) return
  const pam = (await pamOf(part))?.value
  // A level that is listed but lost is found with its group.
  if (!full) yield await missingPart(part, 'l_0', 'the raster in its full size, l_0')
  for (let level = 1; level <= Math.min(pam?.overviews ?? 0, MAX_OVERVIEWS); level++) {
    const isListed = levels.some((one) => one.level === level)
    const name = `l_${level}`
    if (!isListed) yield await missingPart(part, name, `the overview ${name}, as ${PAM} says`)
  }
  yield* checkOverviews(levels)
  yield* checkRelative(part)
}

/** Far more than any raster has. */
const MAX_OVERVIEWS = 64

async function missingPart(group: DatasetPart, name: string, expected: string): Promise<Finding> {
  const place = findingPlace(group, name)
  if (await isUnlisted(group, name))
    return finding('LAYER_MEMBER', place, expected, 'that the group does not list it', 'unlisted')
  return finding('LAYER_MEMBER', place, expected, 'no such member')
}

/** Whether the metadata is there, and can be read. */
async function* checkPam(part: DatasetPart): Items {
  const pam = await pamOf(part)
  const place = findingPlace(part, PAM)
  if (!pam)
    yield finding('LAYER_METADATA', place, `the key ${PAM} with the size and the place of the raster`, 'no such key')
  else if (pam.fault !== undefined) yield textItem(part, PAM, 'XML with the element PAMDataset', pam)
}

/** Whether an array has room for the raster. */
async function* checkSize(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  const names = schema.domain.dimensions.map(({ name }) => name)
  if (!names.includes(X) || !names.includes(Y)) {
    yield finding('LAYER_SCHEMA', findingPlace(part), `the dimensions ${Y} and ${X}`, names.join(', '))
    return
  }
  const pam = (await pamOf(part))?.value
  for (const [axis, key, size] of [
    [X, 'X_SIZE', pam?.width],
    [Y, 'Y_SIZE', pam?.height],
  ] as const) {
    const length = lengthOf(schema, axis)
    if (size === undefined || length === undefined || length >= size) continue
    const expected = `room for ${key} ${size} in ${axis}, as ${PAM} says`
    yield finding('LAYER_SHAPES_DIFFER', findingPlace(part, axis), expected, String(length), 'stated')
  }
}

/** A level of a raster, for comparisons. */
interface Sized {
  name: string
  level: number
  width: number
  height: number
  /** Whether metadata says so, and not only the size of the array, which is filled up to whole tiles. */
  isStated: boolean
}

/** Whether each overview is smaller than the one before it, and has the proportions of the full size. */
async function* checkOverviews(levels: readonly { level: number; part: DatasetPart }[]): Items {
  let full: Sized | undefined
  let before: Sized | undefined
  for (const { level, part } of levels) {
    const size = await sizeOf(part)
    if (!size) continue
    const isStated = (await pamOf(part))?.value?.width !== undefined
    const now: Sized = { name: part.path, level, ...size, isStated }
    if (full && before) {
      const place = findingPlace(part)
      const found = lengthsText([now.width, now.height])
      const isSame = now.width === before.width && now.height === before.height && before.width * before.height > 1
      // Sizes are whole numbers, rounded up or down.
      const more = isStated && before.isStated && full.isStated ? { width: 1, height: 1 } : await tileOf(part)
      const isLarger = now.width > before.width || now.height > before.height
      if (isLarger || (isSame && isStated && before.isStated))
        yield finding('LAYER_SHAPES_DIFFER', place, `a smaller version of ${sizedText(before)}`, found, 'levels')
      else if (Math.abs(now.width / full.width - now.height / full.height) > roundingOf(full, more))
        yield finding('LAYER_SHAPES_DIFFER', place, `the proportions of ${sizedText(full)}`, found, 'levels')
      else if (level === before.level + 1 && Math.abs(now.width / before.width - 1 / 2) > roundingOf(before, more))
        yield finding('LAYER_SHAPES_DIFFER', place, `about half of ${sizedText(before)}`, found, 'factor')
    }
    if (level === 0) full = now
    before = now
  }
}

function sizedText({ name, width, height }: Sized): string {
  return `${name}, which is ${lengthsText([width, height])}`
}

/** By how much ratios to a size may differ. */
function roundingOf(size: Sized, more: { width: number; height: number }): number {
  return (2 * more.width) / size.width + (2 * more.height) / size.height
}

async function tileOf(part: DatasetPart): Promise<{ width: number; height: number }> {
  const schema = await part.schema()
  const extent = (name: string): number => Number((schema && extentOf(schema, name)) ?? 1)
  return { width: extent(X), height: extent(Y) }
}
