import { decodeText } from '../../format/text.ts'
import type { DatasetPart } from '../part.ts'
import { NameRoom } from './name-room.ts'

/*
 * The arrays of a dataset of TileDB-VCF, and the keys of its metadata.
 *
 * Source: TileDB-VCF, libtiledbvcf/src/dataset/tiledbvcfdataset.cc; libtiledbvcf/src/stats.
 */

/** Dimensions and attributes that the checks look at, by version. */
export interface DataFields {
  dimensions: readonly string[]
  /** The dimension with the position by which cells are found, and the attribute with the one of the record. They differ in anchors. */
  position: string
  real: string
  attributes: readonly string[]
}

const COMMON = ['qual', 'alleles', 'id', 'filter_ids', 'info', 'fmt']

/** Versions of the data, and how the array `data` is laid out in each. */
export const DATA_FIELDS: Readonly<Record<number, DataFields>> = {
  2: {
    dimensions: ['sample', 'end_pos'],
    position: 'end_pos',
    real: 'real_end',
    attributes: ['pos', 'real_end', ...COMMON],
  },
  3: {
    dimensions: ['sample', 'start_pos'],
    position: 'start_pos',
    real: 'real_start_pos',
    attributes: ['real_start_pos', 'end_pos', ...COMMON],
  },
  4: {
    dimensions: ['contig', 'start_pos', 'sample'],
    position: 'start_pos',
    real: 'real_start_pos',
    attributes: ['real_start_pos', 'end_pos', ...COMMON],
  },
}

/** The version since which samples and contigs are texts in the arrays. Before, the metadata of `data` lists both. */
export const NAMED_SINCE = 4

/** What a dataset is called. */
export const VCF_DATASET = 'VCF dataset'

export const HEADERS = 'metadata/vcf_headers'
/** Up to release 0.38.1 the dataset lists the headers itself, some beside the group that they lie in. */
export const OLD_HEADERS = 'vcf_headers'

/** Arrays of statistics, and the known versions of each. */
export const STATS: Readonly<Record<string, readonly number[]>> = {
  allele_count: [1],
  variant_stats: [2, 3],
  sample_stats: [1],
}

/** The parts of a dataset that are there. */
export interface VcfParts {
  data: DatasetPart | undefined
  headers: DatasetPart | undefined
  /** By name, in the order of {@link STATS}. */
  stats: ReadonlyMap<string, DatasetPart>
}

export function partsOf(top: DatasetPart): VcfParts {
  const there = (path: string): DatasetPart | undefined => {
    const part = top.find(path.split('/'))
    return part?.target && part
  }
  const stats = Object.keys(STATS).flatMap((name) => {
    const part = there(name)
    return part ? [[name, part] as const] : []
  })
  return { data: there('data'), headers: there(HEADERS) ?? there(OLD_HEADERS), stats: new Map(stats) }
}

/**
 * The list of a key: names with commas between them, in base64. Undefined if there is none, or if it is something else.
 * @throws InspectError TOO_LARGE if memory has no room for the names
 */
export async function listAt(part: DatasetPart, key: string): Promise<string[] | undefined> {
  const stored = await part.text(key)
  if (stored === undefined) return undefined
  let text: string
  try {
    const bytes = Uint8Array.from(atob(stored), (one) => one.charCodeAt(0))
    text = decodeText(bytes)
  } catch {
    return undefined
  }
  return NameRoom.in(part).split(text)
}

/** The numbers of a list of names and numbers, by name. */
export async function numbersByName(part: DatasetPart, key: string): Promise<Map<string, number>> {
  const pairs = ((await listAt(part, key)) ?? []).map((pair) => pair.split('\t'))
  return new Map(pairs.map(([name = '', number]) => [name, Number(number)]))
}

/** Version of the data; undefined if the array has none. */
export async function versionOf({ data }: VcfParts): Promise<number | undefined> {
  return data?.number('version')
}

/** Distance of the repeats of a long record, where the dataset does not say. */
const USUAL_GAP = 1000

export async function anchorGapOf(data: DatasetPart): Promise<number> {
  return (await data.number('anchor_gap')) || USUAL_GAP
}
