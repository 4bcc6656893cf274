import type { Items, Level } from '../../check/finding.ts'
import type { FactValue, Layer, LayerDescription, LayerFact, LayerMember, LayerTable } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { checkCells } from './cells.ts'
import { checkIndex } from './check.ts'
import {
  dimensionsOf,
  isTemporary,
  LISTS,
  lastAt,
  neededOf,
  numbersAt,
  OTHERS,
  rolesOf,
  STORAGE_VERSIONS,
  storageVersion,
  temporaryOf,
  VECTOR_INDEX,
  wordsOf,
} from './index-parts.ts'

/** TileDB-Vector-Search: indexes of vectors. */
export const vectorSearch: Layer = {
  describe,
  async *check(part: DatasetPart, level: Level): Items {
    yield* checkIndex(part)
    if (level === 'cells') yield* checkCells(part)
  },
  lostAs: async (name, index) => {
    if (isTemporary(name)) return 'temporary'
    return (await neededOf(index)).includes(name) ? 'needed' : undefined
  },
  words: wordsOf,
}

async function describe(top: DatasetPart): Promise<LayerDescription> {
  const version = (await storageVersion(top)) ?? null
  const table = await ingestionTable(top)
  return {
    layer: 'vectorSearch',
    title: 'TileDB-Vector-Search',
    type: VECTOR_INDEX,
    version,
    is_version_known: version !== null && Object.hasOwn(STORAGE_VERSIONS, version),
    facts: await factsOf(top),
    tables: table.rows.length > 0 ? [table] : [],
    members: await membersOf(top),
  }
}

async function factsOf(top: DatasetPart): Promise<LayerFact[]> {
  const temporary = await temporaryOf(top)
  const updates = await top.value('has_updates')
  const last = await lastAt(top, 'ingestion_timestamps')
  const facts: readonly (LayerFact | { name: string; value: undefined })[] = [
    { name: 'index type', value: await top.text('index_type') },
    { name: 'type of vectors', value: await top.text('dtype') },
    { name: 'dimensions', value: await dimensionsOf(top) },
    { name: 'vectors', value: await lastAt(top, 'base_sizes') },
    { name: 'partitions', value: (await lastAt(top, 'partition_history')) ?? (await top.number('partitions')) },
    { name: 'edges', value: await lastAt(top, 'num_edges_history') },
    { name: 'distance metric', value: await metricOf(top) },
    { name: 'last ingestion', value: last ? timeText(last) : undefined },
    { name: 'has updates', value: updates === undefined ? undefined : Number(updates) !== 0 },
    { name: 'not among the vectors', value: Number(updates) ? 'updates' : undefined },
    { name: 'temporary groups', value: temporary.length > 0 ? temporary : undefined },
  ]
  return facts.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
}

/** A time in milliseconds. One that no date can have stays a number. */
function timeText(time: number): string | number {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : date.toISOString()
}

/** @see src/include/index/index_defs.h: DistanceMetric */
const METRICS = ['sum of squares', 'inner product', 'cosine', 'L2']

async function metricOf(top: DatasetPart): Promise<string | undefined> {
  const metric = await top.number('distance_metric')
  return metric === undefined ? undefined : (METRICS[metric] ?? `${metric}`)
}

/** A row for each ingestion. */
async function ingestionTable(top: DatasetPart): Promise<LayerTable> {
  const columns: string[] = []
  const lists: (readonly number[])[] = []
  for (const key of LISTS) {
    const list = await numbersAt(top, key)
    if (!list) continue
    columns.push(key)
    lists.push(list)
  }
  const length = Math.max(0, ...lists.map((list) => list.length))
  const rows = Array.from({ length }, (_, i) => lists.map((list, c) => valueAt(columns[c], list[i])))
  return { title: 'ingestions', columns, rows }
}

/** A value of a list; timestamps as times. */
function valueAt(key: string | undefined, value: number | undefined): FactValue {
  if (value === undefined) return null
  return key === 'ingestion_timestamps' ? timeText(value) : value
}

async function membersOf(top: DatasetPart): Promise<Map<string, LayerMember>> {
  const members = new Map<string, LayerMember>()
  for (const [role, part] of await rolesOf(top)) members.set(part.path, { type: role, facts: [] })
  for (const [name, part] of top.parts) {
    const type = isTemporary(name) ? 'temporary' : OTHERS.get(name)
    if (type !== undefined) members.set(part.path, { type, facts: [] })
  }
  return members
}
