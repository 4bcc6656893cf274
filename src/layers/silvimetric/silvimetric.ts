import { finding, type Items } from '../../check/finding.ts'
import { idsText } from '../id-text.ts'
import type { FactValue, Layer, LayerDescription, LayerFact } from '../layer.ts'
import { lengthOf } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { checkJson, type Json, jsonList, jsonNumber, jsonOf, keyOf, stringOf } from '../text.ts'

/*
 * A database of silvimetric: an array whose cells are squares of a forest. Its settings are JSON in the key `config`; each process that
 * writes has a number, and a key of its own.
 *
 * Source: silvimetric, src/silvimetric/resources/{storage,config}.py and commands/shatter.py.
 */

const DATABASE = 'database'
const CONFIG = 'config'
const SHATTER = 'shatter_'
const OLD_SHATTER = 'shatter'
/** Most writes that are looked for. */
const MAX_SLOTS = 100_000

/** silvimetric: measures of point clouds of forests. */
export const silvimetric: Layer = {
  describe,
  check,
  async words() {
    const fields = { X: 'the column of the square', Y: 'the row of the square' }
    return { type: DATABASE, dataset_type: DATABASE, cell: 'a square', fields }
  },
}

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const config = (await jsonOf(part, CONFIG))?.value
  const rows: FactValue[][] = []
  for (const slot of await slotsOf(part)) {
    const one = (await jsonOf(part, `${SHATTER}${slot}`))?.value
    const bounds = jsonList(keyOf(one, 'bounds')).flatMap((value) => jsonNumber(value) ?? [])
    rows.push([
      slot,
      stringOf(keyOf(one, 'filename')) ?? null,
      jsonNumber(keyOf(one, 'point_count')) ?? null,
      stateOf(one) ?? null,
      bounds,
    ])
  }
  return {
    layer: 'silvimetric',
    title: 'silvimetric',
    type: DATABASE,
    version: stringOf(keyOf(config, 'version')) ?? null,
    is_version_known: true,
    facts: configFacts(config),
    tables: rows.length > 0 ? [{ title: 'writes', columns: ['slot', 'input', 'points', 'state', 'bounds'], rows }] : [],
    members: new Map(),
  }
}

function configFacts(config: Json | undefined): LayerFact[] {
  const crs = stringOf(keyOf(keyOf(config, 'crs'), 'name'))
  const resolution = jsonNumber(keyOf(config, 'resolution'))
  const bounds = boundsOf(config)
  const metrics = jsonList(keyOf(config, 'metrics')).flatMap((one) => nameIn(one) ?? [])
  return [
    ...(crs === undefined ? [] : [{ name: 'CRS', value: crs }]),
    ...(resolution === undefined ? [] : [{ name: 'resolution', value: resolution }]),
    ...(bounds === undefined ? [] : [{ name: 'bounds', value: bounds }]),
    { name: 'point attributes', value: attributesIn(config) },
    { name: 'metrics', value: metrics },
  ]
}

/** Smallest x and y, largest x and y. */
function boundsOf(config: Json | undefined): number[] | undefined {
  const bounds = jsonList(keyOf(config, 'root')).flatMap((one) => jsonNumber(one) ?? [])
  return bounds.length === 4 ? bounds : undefined
}

function attributesIn(config: Json | undefined): string[] {
  return jsonList(keyOf(config, 'attrs')).flatMap((one) => nameIn(one) ?? [])
}

/** The name of an attribute or a metric, which some releases write as JSON in a text. */
function nameIn(json: Json): string | undefined {
  if (typeof json !== 'string') return stringOf(keyOf(json, 'name'))
  return /"name"\s*:\s*"([^"]*)"/.exec(json)?.[1] ?? json
}

/** Numbers of the processes that wrote, or were to write, rising. */
async function slotsOf(part: DatasetPart): Promise<number[]> {
  const slots = [...(await part.metadata()).keys()].flatMap((key) => {
    const digits = /^shatter_(\d+)$/.exec(key)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return slots.sort((a, b) => a - b)
}

/** How a write ended. Deleting one takes its times away, and says that it is not finished. */
function stateOf(write: Json | undefined): 'finished' | 'not finished' | 'deleted' | undefined {
  const finished = keyOf(write, 'finished')
  if (typeof finished !== 'boolean') return undefined
  if (finished) return 'finished'
  return keyOf(write, 'start_timestamp') === null && jsonList(keyOf(write, 'mbr')).length === 0
    ? 'deleted'
    : 'not finished'
}

async function* check(part: DatasetPart): Items {
  const slots = await slotsOf(part)
  yield* checkJson(part, [CONFIG, ...slots.map((slot) => `${SHATTER}${slot}`)])
  const config = (await jsonOf(part, CONFIG))?.value
  yield* checkSize(part, config)
  yield* checkAttributes(part, config)
  for (const slot of slots) {
    const json = (await jsonOf(part, `${SHATTER}${slot}`))?.value
    if (stateOf(json) !== 'not finished') continue
    const points = jsonNumber(keyOf(json, 'point_count'))
    const found = points === undefined ? 'that it did not finish' : `that it did not finish, after ${points} points`
    yield finding(
      'LAYER_INCOMPLETE',
      findingPlace(part, `${SHATTER}${slot}`),
      `the end of the write ${slot}`,
      found,
      'write',
    )
  }
  // Early releases have one key for all writes, with the number as its time.
  if ((await part.metadata()).has(OLD_SHATTER)) return
  const known = new Set(slots)
  const lost: number[] = []
  const next = jsonNumber(keyOf(config, 'next_time_slot')) ?? 1
  for (let slot = 1; slot < Math.min(next, MAX_SLOTS); slot++) if (!known.has(slot)) lost.push(slot)
  if (lost.length === 0) return
  const expected = `a key ${SHATTER}… of each write that has its number`
  const found = `none of ${lost.length === 1 ? 'the write' : 'the writes'} ${idsText(lost)}`
  yield finding('LAYER_INCOMPLETE', findingPlace(part, `${SHATTER}${lost[0]}`), expected, found, 'write')
}

/** Whether the array has as many squares as the bounds have room for. */
async function* checkSize(part: DatasetPart, config: Json | undefined): Items {
  const schema = await part.schema()
  const bounds = boundsOf(config)
  const resolution = jsonNumber(keyOf(config, 'resolution'))
  if (!schema || !bounds || !resolution || resolution <= 0) return
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = bounds
  for (const [axis, size] of [
    ['X', maxX - minX],
    ['Y', maxY - minY],
  ] as const) {
    const length = lengthOf(schema, axis)
    const squares = Math.floor(size / resolution)
    // Releases differ in how they round the bounds, and whether the last coordinate is one more.
    if (length === undefined || Math.abs(Number(length) - squares) <= 2) continue
    const expected = `about ${squares} squares in ${axis}, as ${CONFIG} says`
    yield finding('LAYER_SHAPES_DIFFER', findingPlace(part, axis), expected, String(length), 'stated')
  }
}

async function* checkAttributes(part: DatasetPart, config: Json | undefined): Items {
  const schema = await part.schema()
  if (!schema) return
  const fields = [...schema.domain.dimensions, ...schema.attributes].map(({ name }) => name)
  for (const name of attributesIn(config))
    if (!fields.includes(name))
      yield finding(
        'LAYER_SCHEMA',
        findingPlace(part, name),
        `the attribute ${name}, as ${CONFIG} says`,
        fields.join(', '),
      )
}
