import { unlessCode, unlessFault } from '../../base/errors.ts'
import type { Items, Level } from '../../check/finding.ts'
import { guardedJoin } from '../joins.ts'
import type { FactValue, Layer, LayerDescription, LayerFact, LayerMember, LayerTable, Look } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { fieldSizes } from '../sizes.ts'
import { checkDataset, EXTRA } from './check.ts'
import {
  anchorGapOf,
  DATA_FIELDS,
  HEADERS,
  listAt,
  NAMED_SINCE,
  numbersByName,
  OLD_HEADERS,
  partsOf,
  VCF_DATASET,
  type VcfParts,
  versionOf,
} from './dataset.ts'
import { type HeaderNames, listedBy, listedByMetadata } from './headers.ts'
import { checkCells, surveyOf } from './joins.ts'
import { fragmentKeysOf } from './stats.ts'
import { Survey } from './survey.ts'
import { wordsOf } from './words.ts'

/** TileDB-VCF: variants of many samples. */
export const vcf: Layer = {
  describe,
  async *check(part: DatasetPart, level: Level): Items {
    yield* guardedJoin(part, () => checkDataset(part))
    if (level === 'cells') yield* checkCells(part)
  },
  lostAs: async (name) => (NEEDED.has(name) ? 'needed' : undefined),
  lostBelow: (path) => (path === HEADERS ? 'needed' : undefined),
  words: wordsOf,
}

/** Members of the dataset itself without which nothing opens it. */
const NEEDED: ReadonlySet<string> = new Set(['data', 'metadata', OLD_HEADERS])

/** For `catch`: names that memory has no room for are not told. */
const unlessTooLarge = unlessCode('TOO_LARGE')

/** Samples that a fact names. */
const FIRST_NAMED = 5

async function describe(top: DatasetPart, { cells = false }: Look = {}): Promise<LayerDescription> {
  const parts = partsOf(top)
  const version = await versionOf(parts)
  const listed = cells ? await listedBy(parts) : await cheaplyListed(parts)
  const counts = cells ? await countsOf(parts) : undefined
  return {
    layer: 'vcf',
    title: 'TileDB-VCF',
    type: VCF_DATASET,
    version: version === undefined ? null : String(version),
    is_version_known: version !== undefined && DATA_FIELDS[version] !== undefined,
    facts: [
      { name: 'samples', value: listed ? listed.samples.length : (parts.headers?.seen.cell_num ?? null) },
      ...(listed && listed.samples.length > 0
        ? [{ name: 'first samples', value: listed.samples.slice(0, FIRST_NAMED) }]
        : []),
      ...(listed ? [{ name: 'contigs', value: listed.contigs.size }] : []),
      ...(parts.data ? await dataFacts(parts.data, counts) : []),
    ],
    tables: [
      ...(listed ? listedTables(listed, counts) : []),
      ...(await statsTable(parts)),
      ...(cells && parts.data ? [await sizesTable(parts.data)] : []),
    ],
    members: await membersOf(parts),
  }
}

/** The samples and contigs, where the metadata lists them. */
async function cheaplyListed(parts: VcfParts): Promise<HeaderNames | undefined> {
  const { data } = parts
  return data && ((await versionOf(parts)) ?? NAMED_SINCE) < NAMED_SINCE
    ? listedByMetadata(data).catch(unlessTooLarge)
    : undefined
}

/** Numbers of records. */
interface Counts {
  cells: number
  anchors: number
  ofSamples: ReadonlyMap<string, number>
  /** Undefined where the position counts over all contigs. */
  ofContigs: ReadonlyMap<string, number> | undefined
}

async function countsOf(parts: VcfParts): Promise<Counts | undefined> {
  const survey = await surveyOf(parts)
  if (!survey || !parts.data) return undefined
  const { cells, anchors } = survey
  if (survey instanceof Survey) {
    const ofSamples = new Map(survey.samples.all().map((name, i) => [name, survey.ofSamples[i] ?? 0]))
    const ofContigs = new Map(survey.contigs.all().map((name, i) => [name, survey.ofContigs[i]?.records ?? 0]))
    return { cells, anchors, ofSamples, ofContigs }
  }
  const names = await numbersByName(parts.data, 'sample_ids')
  const ofSamples = new Map([...names].map(([name, number]) => [name, survey.ofSamples.get(number) ?? 0]))
  return { cells, anchors, ofSamples, ofContigs: undefined }
}

async function dataFacts(data: DatasetPart, counts: Counts | undefined): Promise<LayerFact[]> {
  const commits = await data.array?.commits().catch(unlessFault)
  const deletes = commits?.files.filter(({ kind }) => kind === 'delete').length ?? 0
  const cells = counts?.cells ?? data.seen.cell_num ?? null
  return [
    ...(counts ? recordFacts(counts) : []),
    { name: 'cells', value: cells },
    { name: 'anchor gap', value: await anchorGapOf(data) },
    { name: 'extracted fields', value: (await listAt(data, EXTRA).catch(unlessTooLarge)) ?? [] },
    ...(deletes > 0 ? [{ name: 'deletes', value: deletes }] : []),
  ]
}

/** Digits of a share after the point. */
const SHARE_DIGITS = 6

function recordFacts({ cells, anchors }: Counts): LayerFact[] {
  const share = cells === 0 ? 0 : Number((anchors / cells).toFixed(SHARE_DIGITS))
  return [
    { name: 'records', value: cells - anchors },
    { name: 'anchor cells', value: anchors },
    { name: 'anchor share', value: share },
  ]
}

function listedTables({ samples, contigs }: HeaderNames, counts: Counts | undefined): LayerTable[] {
  const records = (of: ReadonlyMap<string, number> | undefined, name: string): FactValue[] =>
    of ? [of.get(name) ?? 0] : []
  const heading = (of: ReadonlyMap<string, number> | undefined): string[] => (of ? ['records'] : [])
  return [
    {
      title: 'samples',
      columns: ['sample', ...heading(counts?.ofSamples)],
      rows: samples.map((name) => [name, ...records(counts?.ofSamples, name)]),
    },
    {
      title: 'contigs',
      columns: ['contig', 'length', ...heading(counts?.ofContigs)],
      rows: [...contigs].map(([name, length]) => [name, length, ...records(counts?.ofContigs, name)]),
    },
  ]
}

async function statsTable({ stats }: VcfParts): Promise<LayerTable[]> {
  const rows: FactValue[][] = []
  for (const [name, part] of stats) {
    const keys = await fragmentKeysOf(part)
    const stale = keys.filter(({ state }) => state !== 'there').length
    const elsewhere = keys.filter(({ isElsewhere }) => isElsewhere).length
    rows.push([name, (await part.number('version')) ?? null, keys.length, stale, elsewhere])
  }
  const columns = ['array', 'version', 'fragment keys', 'stale', 'of another place']
  return rows.length > 0 ? [{ title: 'statistics', columns, rows }] : []
}

async function sizesTable(data: DatasetPart): Promise<LayerTable> {
  const rows = [...(await fieldSizes(data))].sort((a, b) => b[1] - a[1])
  return { title: 'fields', columns: ['field', 'bytes'], rows }
}

/** What each array is. */
const MEMBERS = { data: 'records', headers: 'headers', stats: 'statistics' } as const

async function membersOf({ data, headers, stats }: VcfParts): Promise<Map<string, LayerMember>> {
  const members = new Map<string, LayerMember>()
  if (data) members.set(data.path, { type: MEMBERS.data, facts: [] })
  if (headers) members.set(headers.path, { type: MEMBERS.headers, facts: [] })
  for (const part of stats.values()) {
    const version = await part.number('version')
    members.set(part.path, {
      type: MEMBERS.stats,
      facts: version === undefined ? [] : [{ name: 'version', value: version }],
    })
  }
  return members
}
