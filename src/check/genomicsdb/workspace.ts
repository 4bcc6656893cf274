import { firstOf, InspectError, orError } from '../../base/errors.ts'
import { GENOMICSDB_SCHEMA_FILE } from '../../format/genomicsdb/array-schema.ts'
import {
  CALLSET_FILE,
  FRAGMENT_LIST_FILE,
  FRAGMENT_MARK,
  GENOMICSDB_META_FOLDER,
  HEADER_FILE,
  VIDMAP_FILE,
  WORKSPACE_MARK,
} from '../../format/genomicsdb/names.ts'
import { fragmentFolder, type GenomicsdbArray, type GenomicsdbFragmentFolder } from '../../genomicsdb/array.ts'
import { callFields } from '../../genomicsdb/call-fields.ts'
import { FragmentColumns, placeFields } from '../../genomicsdb/calls.ts'
import { filesSize } from '../../genomicsdb/facts.ts'
import { openGenomicsdbFragment } from '../../genomicsdb/fragment.ts'
import {
  BOUNDS_FILE,
  type Callset,
  type Contig,
  type MapFault,
  OLD_META_FILE,
  type Vidmap,
} from '../../genomicsdb/maps.ts'
import { type MergedFragment, mergedCalls } from '../../genomicsdb/merge.ts'
import type { GenomicsdbTarget } from '../../genomicsdb/target.ts'
import { folderState, Interval, Workspace, workspaceAround } from '../../genomicsdb/workspace.ts'
import type { ReadContext } from '../../objects/read-context.ts'
import type { Folder } from '../../storage/source.ts'
import { finding, guardedValue, type Item, type Items } from '../finding.ts'
import { type CheckRun, reaches } from '../run.ts'
import { type Around, type ColumnBounds, checkGenomicsdbFragment, type FilledRows } from './fragment.ts'

/** The maps of a workspace, as far as they could be read. */
interface Maps {
  callset: Callset | undefined
  vidmap: Vidmap | undefined
  /** Names of the fragments before an import that did not end. */
  listed: ReadonlySet<string> | undefined
}

/** What a check of an interval found out. */
interface IntervalFacts {
  interval: Interval
  columns: ColumnBounds
  /** Number of files of batches; undefined without a folder for them. */
  batchNum: number | undefined
  /** Rows with cells in fragments of imports that ended; undefined if no tile was read. */
  rows: FilledRows
  /** Whether a fragment is of an import that did not end. */
  hasNew: boolean
}

/** Checks what is at a path. @throws InspectError WRONG_TARGET for a file */
export function checkGenomicsdb(run: CheckRun, target: GenomicsdbTarget, cx: ReadContext): Items {
  switch (target.kind) {
    case 'workspace':
      return checkWorkspace(run, new Workspace(target.folder, cx))
    case 'array':
      return checkInterval(run, new Interval(target.array, cx))
    case 'fragment':
      return checkOneFragment(run, new Interval(target.array, cx), target.fragment)
    case 'file':
      throw new InspectError('WRONG_TARGET', 'check expects no file of GenomicsDB', { file: target.path })
  }
}

/** Checks a workspace: its maps, every interval, and what these say of each other. */
export async function* checkWorkspace(run: CheckRun, workspace: Workspace): Items {
  const { path } = workspace.folder
  if (!(await workspace.hasFile(WORKSPACE_MARK))) yield missing(`${path}/${WORKSPACE_MARK}`)
  yield* checkHeader(run, workspace)
  const maps = yield* checkMaps(run, workspace)
  const all: IntervalFacts[] = []
  for (const interval of await workspace.intervals()) all.push(yield* checkIntervalOf(run, interval, maps, path))
  if (maps.listed && !all.some(({ hasNew }) => hasNew)) {
    const file = `${path}/${FRAGMENT_LIST_FILE}`
    yield finding(
      'GENOMICSDB_IMPORT',
      { file },
      'an import that ended, which removes this file',
      'an import that is not finished',
      'list',
    )
  }
  yield* checkOverlaps(all)
  yield* checkBatches(all)
  if (reaches(run, 'chunks')) yield* checkSamples(path, maps, all)
}

/** Checks an interval alone. Maps of the workspace around it tell its samples and places. */
export async function* checkInterval(run: CheckRun, interval: Interval): Items {
  const workspace = await workspaceAround(interval.folder, interval.cx)
  const maps = {
    callset: undefined,
    vidmap: undefined,
    listed: undefined,
    ...(workspace && (await quietMaps(workspace))),
  }
  const facts = yield* checkIntervalOf(run, interval, maps, workspace?.folder.path)
  if (workspace && maps.callset) yield* unknownRows(workspace.folder.path, maps.callset, [facts])
}

async function quietMaps(workspace: Workspace): Promise<Maps> {
  const [callset, vidmap, listed] = await Promise.all([
    orError(() => workspace.callset()),
    orError(() => workspace.vidmap()),
    orError(() => workspace.fragmentList()),
  ])
  const known = <T>(value: T | InspectError): T | undefined => (value instanceof InspectError ? undefined : value)
  const names = known(listed)
  return { callset: known(callset), vidmap: known(vidmap), listed: names && new Set(names) }
}

function missing(file: string, variant?: 'callset'): Item {
  return finding('GENOMICSDB_FILE_MISSING', { file }, 'the file', 'that it is missing', variant)
}

const VCF_BEGIN = '##fileformat=VCF'

async function* checkHeader({ counts }: CheckRun, workspace: Workspace): Items {
  const file = `${workspace.folder.path}/${HEADER_FILE}`
  if (!(await workspace.hasFile(HEADER_FILE))) {
    yield missing(file)
    return
  }
  counts.file_num++
  const begin = yield* guardedValue('GENOMICSDB_MAP', { file }, async () => {
    const source = workspace.folder.file(HEADER_FILE)
    try {
      return new TextDecoder().decode(await source.read(0, Math.min(await source.size(), VCF_BEGIN.length)))
    } finally {
      await source.close()
    }
  })
  if (begin !== undefined && begin !== VCF_BEGIN)
    yield finding('GENOMICSDB_MAP', { file, offset: 0 }, VCF_BEGIN, begin === '' ? 'an empty file' : 'something else')
}

async function* checkMaps({ counts }: CheckRun, workspace: Workspace): Items<Maps> {
  const { path } = workspace.folder
  const files = { callset: `${path}/${CALLSET_FILE}`, vidmap: `${path}/${VIDMAP_FILE}` }
  counts.file_num += 2
  const hasCallset = await workspace.hasFile(CALLSET_FILE)
  const hasVidmap = await workspace.hasFile(VIDMAP_FILE)
  if (!hasCallset) yield missing(files.callset, 'callset')
  if (!hasVidmap) yield missing(files.vidmap)
  const callset = hasCallset
    ? yield* guardedValue('GENOMICSDB_MAP', { file: files.callset }, () => workspace.callset())
    : undefined
  const vidmap = hasVidmap
    ? yield* guardedValue('GENOMICSDB_MAP', { file: files.vidmap }, () => workspace.vidmap())
    : undefined
  const listed = yield* guardedValue(
    'GENOMICSDB_IMPORT',
    { file: `${path}/${FRAGMENT_LIST_FILE}` },
    () => workspace.fragmentList(),
    'list',
  )
  yield* mapFaults(files.callset, callset?.faults)
  yield* mapFaults(files.vidmap, vidmap?.faults)
  if (callset) yield* checkCallset(files.callset, callset)
  if (vidmap) yield* checkContigs(files.vidmap, vidmap.contigs)
  return { callset, vidmap, listed: listed && new Set(listed) }
}

function* mapFaults(file: string, faults: readonly MapFault[] = []): Generator<Item> {
  for (const { field, expected, found } of faults)
    yield finding('GENOMICSDB_MAP', { file, ...(field !== '' && { field }) }, expected, found)
}

/** Each row and each name belongs to one sample. */
function* checkCallset(file: string, { samples }: Callset): Generator<Item> {
  const byRow = new Map<number, string>()
  const names = new Set<string>()
  for (const { name, row } of samples) {
    const other = byRow.get(row)
    if (other !== undefined)
      yield finding(
        'GENOMICSDB_MAP',
        { file, field: 'callsets.row_idx' },
        'a row for each sample',
        `row ${row} twice: ${other} and ${name}`,
      )
    if (names.has(name))
      yield finding('GENOMICSDB_MAP', { file, field: 'callsets.sample_name' }, 'each name once', `${name} twice`)
    byRow.set(row, name)
    names.add(name)
  }
}

/** Each contig has columns of its own, and a name of its own. */
function* checkContigs(file: string, contigs: readonly Contig[]): Generator<Item> {
  let before: Contig | undefined
  const names = new Set<string>()
  for (const contig of contigs) {
    const { name, offset, length } = contig
    const field = `contigs.${name}.length`
    if (names.has(name))
      yield finding('GENOMICSDB_MAP', { file, field: 'contigs.name' }, 'each name once', `${name} twice`)
    names.add(name)
    if (length === 0) yield finding('GENOMICSDB_MAP', { file, field }, 'one column or more', length)
    else if (offset + length > Number.MAX_SAFE_INTEGER)
      yield finding('GENOMICSDB_MAP', { file, field }, 'columns below 2^53', `${length} from ${offset} on`)
    const end = before ? before.offset + before.length : 0
    const place = { file, field: `contigs.${contig.name}.tiledb_column_offset` }
    const after = before ? `after ${before.name}` : 'of the first contig'
    if (contig.offset < end)
      yield finding('GENOMICSDB_MAP', place, `a contig from column ${end} on, ${after}`, contig.offset)
    else if (contig.offset > end)
      yield finding('GENOMICSDB_MAP', place, `column ${end}, ${after}`, contig.offset, 'gap')
    before = contig
  }
}

async function* checkIntervalOf(
  run: CheckRun,
  interval: Interval,
  maps: Maps,
  root: string | undefined,
): Items<IntervalFacts> {
  const { path } = interval.folder
  const facts: IntervalFacts = { interval, columns: undefined, batchNum: 0, rows: undefined, hasNew: false }
  const metaPath = { file: `${path}/${GENOMICSDB_META_FOLDER}` }
  const hasMeta = yield* checkMetaFolder(interval, metaPath)
  const meta = yield* guardedValue('GENOMICSDB_INTERVAL', metaPath, () => interval.meta())
  for (const { file, field, expected, found } of meta?.faults ?? [])
    yield finding('GENOMICSDB_MAP', { file, ...(field !== '' && { field }) }, expected, found)
  facts.batchNum = hasMeta ? (meta?.batches.length ?? 0) : undefined
  facts.columns = yield* checkBounds(interval, meta?.bounds, maps.vidmap, root)
  run.counts.file_num++
  const array = yield* guardedValue('GENOMICSDB_SCHEMA', { file: `${path}/${GENOMICSDB_SCHEMA_FILE}` }, () =>
    interval.array(),
  )
  const fields = maps.vidmap?.fields ?? []
  const around = {
    bounds: facts.columns,
    fields: array && maps.vidmap ? callFields(array.fields.slice(0, -1), fields) : [],
    filterNum: fields.length,
    contigs: maps.vidmap?.contigs ?? [],
  }
  facts.rows = yield* checkFolders(run, interval, array, { maps, around, facts })
  const most = facts.rows && [...facts.rows].reduce((last, row) => Math.max(last, row), -1)
  const lastRow = meta?.batches.reduce((last, batch) => Math.max(last, batch.lastRow ?? -1), -1)
  if (most !== undefined && lastRow !== undefined && lastRow >= 0 && most > lastRow) {
    const place = { file: `${path}/${GENOMICSDB_META_FOLDER}`, field: 'max_valid_row_idx_in_array' }
    yield finding('GENOMICSDB_ROWS', place, `${most}, the last row with cells, or more`, lastRow)
  }
  return facts
}

/**
 * Looks for the folder with the files of batches. The library makes it anew if it is missing, and fails where a file has its name.
 * @returns whether it is there
 * @see GenomicsDB, src/main/cpp/src/genomicsdb/variant_storage_manager.cc, `define_metadata_schema`
 */
async function* checkMetaFolder({ folder }: Interval, place: { file: string }): Items<boolean> {
  const kind = yield* guardedValue('GENOMICSDB_INTERVAL', place, () => folder.kind(GENOMICSDB_META_FOLDER))
  if (kind === 'folder') return true
  if (kind !== undefined) yield finding('GENOMICSDB_MAP', place, 'a folder', 'what is none')
  else if ((await folder.kind(OLD_META_FILE)) !== 'file')
    yield finding('GENOMICSDB_INTERVAL', place, 'a folder with a file of each batch', 'no such folder', 'batches')
  return false
}

/** What is wrong with the place in the name of an interval. */
function* checkName({ name, place, folder }: Interval, contig: Contig | undefined): Generator<Item> {
  const wrong = (expected: string) => finding('GENOMICSDB_INTERVAL', { file: folder.path }, expected, name)
  // Other loaders than that of GATK give any name.
  if (!place) {
    if (name.includes('$')) yield wrong('a contig, $, a first position, $, and a last position')
  } else if (place.start < 1 || place.start > place.end) {
    yield wrong('a first position of 1 or more, and a last one that is not before it')
  } else if (contig && place.end > contig.length) {
    yield wrong(`positions up to ${contig.length}, the length of ${contig.name}`)
  }
}

/** Compares the bounds of an interval with its name. Returns its columns. */
function* checkBounds(
  interval: Interval,
  bounds: ColumnBounds,
  vidmap: Vidmap | undefined,
  root: string | undefined,
): Generator<Item, ColumnBounds> {
  const { place, folder } = interval
  const contig = vidmap?.contigs.find(({ name }) => name === place?.contig)
  yield* checkName(interval, contig)
  if (!place || !vidmap) return bounds
  if (!contig) {
    yield finding('GENOMICSDB_INTERVAL', { file: folder.path }, 'a contig of vidmap.json', place.contig)
    return bounds
  }
  const named = [contig.offset + place.start - 1, contig.offset + place.end - 1] as const
  if (!bounds) return named
  if (bounds[1] - bounds[0] !== named[1] - named[0]) {
    const file = `${folder.path}/${GENOMICSDB_META_FOLDER}/${BOUNDS_FILE}`
    yield finding(
      'GENOMICSDB_INTERVAL',
      { file },
      `columns ${named[0]} to ${named[1]}, as the name of the interval says`,
      `${bounds[0]} to ${bounds[1]}`,
    )
  } else if (bounds[0] !== named[0] && root !== undefined) {
    const at = { file: `${root}/${VIDMAP_FILE}`, field: `contigs.${contig.name}.tiledb_column_offset` }
    const expected = `column ${bounds[0] - place.start + 1}, by the name and the column bounds of ${interval.name}`
    yield finding('GENOMICSDB_INTERVAL', at, expected, contig.offset)
  }
  return bounds
}

/** Checks the fragments of an interval, and folders that are none. Returns the rows with cells. */
async function* checkFolders(
  run: CheckRun,
  interval: Interval,
  array: GenomicsdbArray | undefined,
  { maps: { listed }, around, facts }: { maps: Maps; around: Around; facts: IntervalFacts },
): Items<FilledRows> {
  const rows = new Set<number>()
  let isWhole = reaches(run, 'chunks') && array !== undefined
  for (const folder of await interval.folders()) {
    const { path } = folder.folder
    const state = folderState(folder)
    const isNew = listed !== undefined && !listed.has(folder.name)
    if (state === 'unfinished' || (state === 'unmarked' && isNew))
      yield finding(
        'GENOMICSDB_IMPORT',
        { file: path },
        'nothing but fragments that are finished',
        'what an import left that is not finished',
        (await filesSize(folder.folder, folder.entries)) === 0 ? 'nothing' : 'leftOver',
      )
    else if (state === 'unmarked') yield* checkUnmarked(run, interval, array, folder)
    else {
      if (isNew) {
        facts.hasNew = true
        yield finding(
          'GENOMICSDB_IMPORT',
          { file: path },
          `a fragment that ${FRAGMENT_LIST_FILE} lists`,
          'one that is not listed: an import wrote it that did not end',
        )
      }
      if (!array || run.quick) continue
      const found = yield* checkGenomicsdbFragment(run, array, folder, around)
      if (!found) isWhole = false
      else if (!isNew) for (const row of found) rows.add(row)
    }
  }
  return isWhole ? rows : undefined
}

/** A folder without a mark is what a consolidation left if newer fragments have all of its cells. */
async function* checkUnmarked(
  run: CheckRun,
  interval: Interval,
  array: GenomicsdbArray | undefined,
  folder: GenomicsdbFragmentFolder,
): Items {
  const file = folder.folder.path
  const found = array && reaches(run, 'chunks') ? await orError(() => isReplaced(interval, array, folder)) : undefined
  const variants = { true: 'replaced', false: undefined } as const
  const variant = typeof found === 'boolean' ? variants[`${found}`] : 'unsure'
  yield finding(
    'GENOMICSDB_FRAGMENT_MARK',
    { file },
    `the file ${FRAGMENT_MARK} in the folder`,
    'no such file',
    variant,
  )
}

/** Whether newer fragments have all cells of a folder. @throws InspectError of reading them */
async function isReplaced(
  interval: Interval,
  array: GenomicsdbArray,
  folder: GenomicsdbFragmentFolder,
): Promise<boolean> {
  const time = folder.time ?? 0n
  const newer = (await interval.fragments()).filter((one) => (one.time ?? 0n) > time)
  const open = async (one: GenomicsdbFragmentFolder) => openGenomicsdbFragment(array, one)
  const own = await open(folder)
  const fields = placeFields(own)
  if (!fields) return false
  const others: MergedFragment[] = []
  for (const one of newer) others.push(new FragmentColumns(await open(one)))
  const there = placesOf(others, fields)
  let other = await there.next()
  for await (const place of placesOf([new FragmentColumns(own)], fields)) {
    while (!other.done && isBefore(other.value, place)) other = await there.next()
    if (other.done || isBefore(place, other.value)) return false
  }
  return true
}

type Place = readonly [column: number, row: number]

function isBefore([column, row]: Place, other: Place): boolean {
  return column < other[0] || (column === other[0] && row < other[1])
}

async function* placesOf(
  fragments: readonly MergedFragment[],
  fields: { coords: number; end: number },
): AsyncGenerator<Place> {
  for await (const runs of mergedCalls(fragments, fields, {}))
    for (const { tile, from, count } of runs)
      for (let i = from; i < from + count; i++) yield [tile.places.columns[i] ?? 0, tile.places.rows[i] ?? 0]
}

function* checkOverlaps(all: readonly IntervalFacts[]): Generator<Item> {
  const known = all.flatMap((facts) => (facts.columns ? [{ ...facts, columns: facts.columns }] : []))
  known.sort((a, b) => a.columns[0] - b.columns[0])
  let before: (typeof known)[number] | undefined
  for (const one of known) {
    if (before && one.columns[0] <= before.columns[1]) {
      const found = `an overlap with ${before.interval.name}`
      yield finding(
        'GENOMICSDB_INTERVAL',
        { file: one.interval.folder.path },
        'positions that no other interval has',
        found,
        'overlap',
      )
    }
    if (!before || one.columns[1] > before.columns[1]) before = one
  }
}

function* checkBatches(all: readonly IntervalFacts[]): Generator<Item> {
  const most = all.reduce((last, { batchNum = 0 }) => Math.max(last, batchNum), 0)
  for (const { interval, batchNum } of all) {
    if (batchNum === undefined || batchNum === most) continue
    const file = `${interval.folder.path}/${GENOMICSDB_META_FOLDER}`
    yield finding(
      'GENOMICSDB_INTERVAL',
      { file },
      `files of ${most} batches, as in other intervals`,
      batchNum,
      'batches',
    )
  }
}

/** Compares the samples with the rows that have cells. */
function* checkSamples(path: string, { callset }: Maps, all: readonly IntervalFacts[]): Generator<Item> {
  if (!callset) return
  const file = `${path}/${CALLSET_FILE}`
  yield* unknownRows(path, callset, all)
  const used = new Set(all.flatMap(({ rows }) => [...(rows ?? [])]))
  const isWhole = all.every(({ rows }) => rows)
  const empty = callset.samples.filter(({ row }) => !used.has(row))
  if (isWhole && all.length > 0 && empty.length > 0) {
    const found = `none of ${firstOf(empty.map(({ name, row }) => `${name} (row ${row})`))} in any interval`
    yield finding('GENOMICSDB_SAMPLE', { file }, 'cells of each sample', found, 'empty')
  }
  for (const { interval, rows } of all) {
    const gone = rows ? callset.samples.filter(({ row }) => used.has(row) && !rows.has(row)) : []
    if (gone.length === 0) continue
    const found = `none of ${firstOf(gone.map(({ name, row }) => `${name} (row ${row})`))}`
    const expected = 'cells of each sample that other intervals have cells of'
    yield finding('GENOMICSDB_SAMPLE', { file: interval.folder.path }, expected, found, 'interval')
  }
}

/** Rows with cells that no sample has. */
export function* unknownRows(
  path: string,
  { samples }: Callset,
  all: readonly Pick<IntervalFacts, 'interval' | 'rows'>[],
): Generator<Item> {
  const known = new Set(samples.map(({ row }) => row))
  const unknown = new Map<number, string>()
  for (const { interval, rows } of all)
    for (const row of rows ?? []) if (!known.has(row) && !unknown.has(row)) unknown.set(row, interval.name)
  if (unknown.size === 0) return
  const [first] = unknown.values()
  const rows = [...unknown.keys()].sort((a, b) => a - b).map(String)
  const found = `no sample of row ${firstOf(rows)}, which ${first} has cells of`
  yield finding(
    'GENOMICSDB_SAMPLE',
    { file: `${path}/${CALLSET_FILE}`, field: 'callsets.row_idx' },
    'a sample for each row with cells',
    found,
  )
}

/** Checks one fragment of an array. */
export async function* checkOneFragment(run: CheckRun, interval: Interval, fragment: Folder): Items {
  const file = `${interval.folder.path}/${GENOMICSDB_SCHEMA_FILE}`
  const array = yield* guardedValue('GENOMICSDB_SCHEMA', { file }, () => interval.array())
  const workspace = await workspaceAround(interval.folder, interval.cx)
  const vidmap = workspace && (await quietMaps(workspace)).vidmap
  const fields = vidmap?.fields ?? []
  const around = {
    bounds: undefined,
    fields: array && vidmap ? callFields(array.fields.slice(0, -1), fields) : [],
    filterNum: fields.length,
    contigs: vidmap?.contigs ?? [],
  }
  const folder = await fragmentFolder(fragment)
  if (!folder.isMarked) yield* checkUnmarked(run, interval, array, folder)
  else if (array) yield* checkGenomicsdbFragment(run, array, folder, around)
}
