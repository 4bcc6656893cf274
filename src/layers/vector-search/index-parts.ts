import { unlessFault } from '../../base/errors.ts'
import type { ArrayWords } from '../layer.ts'
import { lengthsOf } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import { jsonList, jsonNumber, jsonOf } from '../text.ts'

/*
 * The arrays of a vector index, and the keys of its metadata.
 *
 * Source: TileDB-Vector-Search, apis/python/src/tiledb/vector_search/storage_formats.py; src/include/index.
 */

export const INDEX_TYPES = ['FLAT', 'IVF_FLAT', 'IVF_PQ', 'VAMANA'] as const
export type IndexType = (typeof INDEX_TYPES)[number]

export function isIndexType(type: string | undefined): type is IndexType {
  return INDEX_TYPES.some((one) => one === type)
}

/** What an array of an index is for. */
export type IndexRole =
  | 'vectors'
  | 'ids'
  | 'centroids'
  | 'partition indexes'
  | 'compressed vectors'
  | 'subspace centroids'
  | 'edges'
  | 'edge scores'
  | 'edge indexes'

/** What an index is called. */
export const VECTOR_INDEX = 'vector index'

/** Names of the arrays, by storage version. */
const NAMES = {
  old: {
    vectors: 'parts.tdb',
    ids: 'ids.tdb',
    centroids: 'centroids.tdb',
    'partition indexes': 'index.tdb',
  },
  now: {
    vectors: 'shuffled_vectors',
    ids: 'shuffled_vector_ids',
    centroids: 'partition_centroids',
    'partition indexes': 'partition_indexes',
    'compressed vectors': 'partitioned_pq_vectors',
    'subspace centroids': 'pq_subspace_centroids',
    edges: 'adjacency_ids',
    'edge scores': 'adjacency_scores',
    'edge indexes': 'adjacency_row_index',
  },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<IndexRole, string>>>>>

/** Storage versions, and the names of their arrays. */
export const STORAGE_VERSIONS: Readonly<Record<string, Readonly<Partial<Record<IndexRole, string>>>>> = {
  '0.1': NAMES.old,
  '0.2': NAMES.now,
  '0.3': NAMES.now,
}

/** The arrays that an index has. */
const NEEDED: Readonly<Record<IndexType, readonly IndexRole[]>> = {
  FLAT: ['vectors', 'ids'],
  IVF_FLAT: ['vectors', 'ids', 'centroids', 'partition indexes'],
  IVF_PQ: ['vectors', 'ids', 'centroids', 'partition indexes', 'compressed vectors', 'subspace centroids'],
  VAMANA: ['vectors', 'ids', 'edges', 'edge scores', 'edge indexes'],
}

/** Other members, and what they are for. An ingestion does not write them. */
export const OTHERS: ReadonlyMap<string, string> = new Map([
  ['updates', 'updates'],
  ['external_ids', 'external ids'],
  ['input_vectors', 'input vectors'],
  ['training_input_vectors', 'training vectors'],
  ['object_metadata', 'object metadata'],
])

/** The names of the arrays that an index has; none if its type is not known. */
export async function neededOf(top: DatasetPart): Promise<string[]> {
  const type = await top.text('index_type')
  if (!isIndexType(type)) return []
  const names = await namesOf(top)
  return NEEDED[type].map((role) => names[role] ?? NAMES.now[role])
}

/** What a cell of each array is. */
const CELLS: Readonly<Record<string, string>> = {
  vectors: 'a number of a vector',
  ids: 'the id of a vector',
  centroids: 'a number of the middle of a partition',
  'partition indexes': 'the place where a partition begins',
  'compressed vectors': 'a code of a vector',
  'subspace centroids': 'a number of the middle of a code',
  edges: 'a neighbour of a vector',
  'edge scores': 'the distance to a neighbour',
  'edge indexes': 'the place where the neighbours of a vector begin',
  updates: 'a vector that was updated or deleted',
  'external ids': 'the id of a vector',
}

/** Dimensions of arrays of vectors, and what they are. */
const OF_VECTORS = { rows: 'the dimension of the vector', cols: 'the place of the vector' }

/** What an array of an index is called, and what its cells are. */
export async function wordsOf(part: DatasetPart, top: DatasetPart): Promise<ArrayWords | undefined> {
  const name = part.names.at(-1) ?? ''
  const role = Object.entries(await namesOf(top)).find(([, one]) => one === name)?.[0] ?? OTHERS.get(name)
  if (role === undefined) return undefined
  const fields = role === 'vectors' ? OF_VECTORS : undefined
  return { type: role, dataset_type: VECTOR_INDEX, cell: CELLS[role], fields }
}

/** Whether a group or an array is one that an ingestion makes for a while. */
export function isTemporary(name: string): boolean {
  return name === 'write_temp' || name.startsWith('temp_data')
}

/** Names of the temporary groups and arrays that are there: those that a group lists, and those that only lie in its folder. */
export async function temporaryOf({ parts, group }: DatasetPart): Promise<string[]> {
  const listed = [...parts].flatMap(([name, { target }]) => (target && isTemporary(name) ? [name] : []))
  const unlisted = (await group?.unlisted().catch(unlessFault)) ?? []
  return [...listed, ...unlisted.map(({ name }) => name).filter(isTemporary)]
}

/** The arrays of an index that are there, by their roles. */
export async function rolesOf(top: DatasetPart): Promise<Map<IndexRole, DatasetPart>> {
  const names = await namesOf(top)
  const roles = new Map<IndexRole, DatasetPart>()
  for (const [role, name] of Object.entries(names) as [IndexRole, string][]) {
    const part = top.parts.get(name)
    if (part?.target) roles.set(role, part)
  }
  return roles
}

/** The names of the arrays. A version that is not known is taken for the newest. */
async function namesOf(top: DatasetPart): Promise<Readonly<Partial<Record<IndexRole, string>>>> {
  const version = (await storageVersion(top)) ?? ''
  return (Object.hasOwn(STORAGE_VERSIONS, version) ? STORAGE_VERSIONS[version] : undefined) ?? NAMES.now
}

export function storageVersion(top: DatasetPart): Promise<string | undefined> {
  return top.text('storage_version')
}

/** Lists of the metadata with an entry for each ingestion. */
export const LISTS = ['ingestion_timestamps', 'base_sizes', 'partition_history', 'num_edges_history'] as const
export type ListName = (typeof LISTS)[number]

/** The whole numbers of a list, which is JSON. Undefined if there is none; null if it is something else. */
export async function numbersAt(top: DatasetPart, key: ListName): Promise<readonly number[] | null | undefined> {
  const json = await jsonOf(top, key)
  if (!json || ('isTooLong' in json && json.isTooLong)) return undefined
  const numbers = jsonList(json.value)
    .flatMap((one) => jsonNumber(one) ?? [])
    .filter(Number.isSafeInteger)
  return Array.isArray(json.value) && numbers.length === json.value.length ? numbers : null
}

/** The number of the last ingestion. */
export async function lastAt(top: DatasetPart, key: ListName): Promise<number | undefined> {
  return (await numbersAt(top, key))?.at(-1)
}

/** Number of dimensions of the vectors: as the metadata says, or as the array has rows. */
export async function dimensionsOf(top: DatasetPart): Promise<number | undefined> {
  const said = await top.number('dimensions')
  if (said !== undefined) return said
  const schema = await (await rolesOf(top)).get('vectors')?.schema()
  const [rows] = schema ? lengthsOf(schema) : []
  return rows == null ? undefined : Number(rows)
}
