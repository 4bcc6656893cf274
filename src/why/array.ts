import { unlessFault } from '../base/errors.ts'
import { isWithinFolder, lastPathPart } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import { openingCost } from '../explain/opening-cost.ts'
import { sameBytes } from '../filters/bytes.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { encodeText } from '../format/text.ts'
import {
  type FragmentEntry,
  InspectArray,
  LABELS_FOLDER,
  METADATA_FOLDER,
  readMetadata,
  SCHEMA_FOLDER,
  schemaPath,
} from '../objects/array.ts'
import { changedLines } from '../objects/changed-commit-lines.ts'
import { COMMITS_FOLDER, commitKind, linePath, stem } from '../objects/commits.ts'
import { cutLists, renamedFragment } from '../objects/cut-commit-lists.ts'
import { deletePlaces, readDelete } from '../objects/deletes.ts'
import { CONSOLIDATION_MODES, type ConsolidationMode, losesCells, vacuumedBy } from '../objects/vacuum.ts'
import { conditionFields } from '../read/condition.ts'
import { openAt, unreadFragments } from '../read/opening.ts'
import { withFile } from '../storage/overlay.ts'
import { Folder, readAll, withSource } from '../storage/source.ts'
import { storageWithout } from '../storage/without.ts'
import type { Answer, Effect, Need, NoticedBy, OpeningRequests } from './answer.ts'
import { CellCounter } from './cells.ts'
import { type ArrayPart, partAt } from './part.ts'
import { needsOfRoot } from './place.ts'
import { arrayView, isCut, type ReaderView, stampsIn, timesWorthOpening, type ViewTimes } from './views.ts'

/** An effect at one opening. The times at which it shows are added later. */
export type EffectOnce = Omit<Effect, 'as_of' | 'between'>

/** An array, and the same array without one file or folder. */
interface Removal {
  array: InspectArray
  less: InspectArray
  path: string
  /** Whether a path in the array is removed. */
  gone(path: string): boolean
  part: ArrayPart
  /** Why cells are missed, if it has, or commits, a fragment that readers should see. */
  missed: string | undefined
  cells: CellCounter
}

/**
 * Tells what a file or folder of an array is for. Opens the array with and without it, at every time that makes a difference, and
 * compares what TileDB would find.
 * @param path path in the array; not empty
 */
export async function whyInArray(
  array: InspectArray,
  path: string,
  kind: 'file' | 'folder' | 'other',
): Promise<Answer> {
  const part = await partAt(array, path, kind)
  if (part.isForeign) return foreignAnswer(array, part)
  const less = arrayWithout(array, [path])
  const cells = new CellCounter(array, less)
  const missed = await whyMissed(array, part)
  const removal: Removal = { array, less, path, gone: (one) => isWithinFolder(one, path), part, missed, cells }
  const times = await timesWorthOpening(array, nearOf(part, path))
  const { effects, seen } = await effectsOf(removal, times)
  const { writers } = part
  const vacuum = await vacuumOf(removal, times)
  const noticed = noticedBy(effects, writers !== undefined)
  const isMended = part.isDangling === true && effects.length > 0 && effects.every(({ outcome }) => outcome === 'opens')
  const isSafe = (!seen || isMended) && writers === undefined && part.unreadable === undefined && missed === undefined
  const byTiledb = vacuum !== undefined && part.unreadable === undefined ? 'tiledb' : 'no'
  const answer = isSafe ? 'yes' : byTiledb
  return {
    what: part.what,
    root: array.folder.path,
    needed_by: isSafe ? [] : await needs(removal, effects),
    without: effects,
    noticed,
    opening_requests: isSafe && part.savesRequests ? await openingRequests(removal).catch(unlessFault) : undefined,
    delete: answer,
    reason:
      answer === 'no' && effects.length === 0 ? await reasonOfNo(removal, seen) : reasonOf(answer, removal, effects),
    how: vacuum?.how ?? part.how ?? (isSafe ? 'rm' : undefined),
    stands_in: answer === 'no' ? undefined : (vacuum?.stands_in ?? (await replacementsOf(array, part))),
    empties: vacuum?.empties,
    changes_metadata: vacuum?.changes_metadata,
  }
}

/**
 * Why readers miss a fragment that a part has or commits, although they should see it. Undefined if there is none. The vacuum files that
 * hide a fragment only list it.
 */
async function whyMissed(array: InspectArray, part: ArrayPart): Promise<string | undefined> {
  const fragments = part.proves ?? part.fragments
  if (part.isList || fragments.length === 0) return undefined
  const entries = await array.fragments()
  if (entries.some(({ path, state }) => state === 'hidden' && fragments.includes(path))) return HIDDEN
  const names = part.isDangling ? fragments.map(lastPathPart) : []
  if (entries.some(({ state, hidden_by = '' }) => state === 'hidden' && names.includes(stem(lastPathPart(hidden_by)))))
    return REPLACED
  const changed = await changedLines(array, entries)
  const line = changed.find(({ fragment, entry }) =>
    fragments.some((one) => one === fragment.path || one === linePath(entry.text)),
  )
  if (line && !line.fragment.committed) return line.changed === 'folder' ? LOST_COMMIT.renamed : CHANGED
  const cut = (await cutLists(array, entries, changed)).flatMap((list) => list.fragments)
  if (cut.some(({ path }) => fragments.includes(path))) return CUT
  const lost = entries.filter((entry) => fragments.includes(entry.path) && entry.state === 'uncommitted')
  for (const entry of lost) {
    if ((await array.folder.kind(`${entry.path}/${FRAGMENT_METADATA_FILE}`)) !== 'file') continue
    const why = await whyUncommitted(array, entry, entries)
    if (why) return why
  }
  return undefined
}

/** What tells that a complete fragment without a commit had one. Undefined if nothing does: then its write broke off, or goes on. */
async function whyUncommitted(
  array: InspectArray,
  { name, path, to_vacuum, has_consolidated_metadata }: FragmentEntry,
  entries: readonly FragmentEntry[],
): Promise<string | undefined> {
  // A vacuum removes the commit first.
  if (to_vacuum) return undefined
  if (has_consolidated_metadata) return LOST_COMMIT.footer
  const missing = await array.missingFragments()
  if (missing.some((one) => renamedFragment(lastPathPart(one), entries)?.path === path)) return LOST_COMMIT.renamed
  const { files } = await array.commits()
  if (files.some((file) => file.kind === 'vacuum' && stem(lastPathPart(file.path)) === name)) return LOST_COMMIT.list
  return (await unreadFragments(array, entries)).length > 0 ? LOST_COMMIT.all : undefined
}

/** Why a fragment without a commit must stay. */
const LOST_COMMIT = {
  footer:
    'consolidated fragment metadata has its footer, so it was committed: its commit is lost, and readers miss its cells. check --plan says more',
  renamed: 'a commit names it by another time: its folder was renamed. check --plan gives the name back',
  list: 'a vacuum file is named after it, so it was committed: its commit is lost, and readers miss its cells. check --plan says what to do',
  all: 'TileDB reads no fragment of the array: the commits may be lost, and its cells are nowhere else. check --plan says what to do',
} as const

async function openingRequests({ array, less }: Removal): Promise<OpeningRequests> {
  const requestsOf = async (one: InspectArray): Promise<number> =>
    sum(await openingCost(await openAt(one)), ({ requests }) => requests)
  return { with_it: await requestsOf(array), without_it: await requestsOf(less) }
}

/** The answer for what is no part of the array: TileDB never looks at it, whether it opens the array or not. */
function foreignAnswer({ folder }: InspectArray, { what }: ArrayPart): Answer {
  const nobody = { needed_by: [], without: [], noticed: ['nobody'] as const }
  return { what, root: folder.path, ...nobody, delete: 'yes', reason: '', how: 'rm' }
}

/**
 * An array as it would be without some of its files and folders. It reports no faults, as files are missing on purpose.
 * @param voided lines of consolidated commits that are taken to be ignored
 */
export function arrayWithout(
  { folder, cx }: InspectArray,
  paths: readonly string[],
  voided: readonly string[] = [],
): InspectArray {
  const ignore = `${folder.path}/${COMMITS_FOLDER}/__0_0_${'0'.repeat(32)}_22.ign`
  const rest = storageWithout(
    folder.storage,
    paths.map((path) => `${folder.path}/${path}`),
  )
  const storage =
    voided.length === 0 ? rest : withFile(rest, ignore, encodeText(voided.map((line) => `${line}\n`).join('')))
  return new InspectArray(new Folder(storage, folder.path), { ...cx, onFault: () => {} })
}

/** The times that matter most for a path: those in its own name and in the names of its fragments. */
function nearOf({ fragments }: ArrayPart, path: string): bigint[] {
  return [...path.split('/'), ...fragments.map(lastPathPart)].flatMap((name) => [...stampsIn(name)])
}

/** All differences with the times at which they show, and whether anything that a reader opens differs at all. */
async function effectsOf(
  removal: Removal,
  { until, within, isAll }: ViewTimes,
): Promise<{ effects: Effect[]; seen: boolean }> {
  let seen = false
  const found: { to: bigint; effects: EffectOnce[] }[] = []
  // The newest first: what a reader sees now is counted even where not all openings are.
  for (let i = until.length - 1; i >= 0; i--) {
    const between = until[i]
    const { effects, differs } = await effectsAt(removal, between)
    seen ||= differs
    const last = i + 1 < until.length ? until[i + 1][1] - 1n : between[1]
    const atEnd =
      last > between[1] && (!isAll || (await isCutWithin(removal, between)))
        ? await effectsAt(removal, [0n, last])
        : undefined
    found.push({ to: between[1], effects: atEnd ? mostOf(effects, atEnd.effects) : effects })
  }
  const effects = grouped(found.reverse())
  if (seen) return { effects, seen }
  for (const between of within) {
    const at = await effectsAt(removal, between)
    if (!at.differs) continue
    const inside = at.effects.map((one) => ({ ...one, as_of: between, between: true as const }))
    return { effects: inside, seen: true }
  }
  return { effects, seen }
}

/** Whether only a part of the cells of some fragment counts. More of them count at later times. */
async function isCutWithin({ array }: Removal, between: ReaderView['between']): Promise<boolean> {
  const { fragments } = await arrayView(array, between)
  return fragments.some((path) => isCut(path, between))
}

/** The effects at the end of a time span. Numbers of cells are the larger ones of its beginning and its end. */
function mostOf(begin: readonly EffectOnce[], end: readonly EffectOnce[]): EffectOnce[] {
  return end.map((one) => {
    const before = begin.find(({ outcome }) => outcome === one.outcome)
    if (one.outcome !== 'cells' || JSON.stringify(before) === JSON.stringify(one)) return one
    const most = (key: 'cells_lost' | 'cells_added' | 'cells_changed') => Math.max(one[key] ?? 0, before?.[key] ?? 0)
    return {
      ...one,
      cells_lost: most('cells_lost'),
      cells_added: most('cells_added'),
      cells_changed: most('cells_changed'),
      certainty: 'at most',
    }
  })
}

/** Merges equal effects at successive times. @param found effects from the time `to` on, until the next one */
export function grouped(found: readonly { to: bigint; effects: readonly EffectOnce[] }[]): Effect[] {
  const all: Effect[] = []
  let open = new Map<string, Effect>()
  for (const [i, { to, effects }] of found.entries()) {
    const end = i + 1 < found.length ? found[i + 1].to - 1n : null
    const now = new Map<string, Effect>()
    for (const one of effects) {
      const key = JSON.stringify(one)
      const before = open.get(key)
      if (before) before.as_of = [before.as_of[0], end]
      else all.push({ ...one, as_of: [i === 0 ? 0n : to, end] })
      now.set(key, before ?? all[all.length - 1])
    }
    open = now
  }
  return all
}

async function effectsAt(
  removal: Removal,
  between: ReaderView['between'],
): Promise<{ effects: EffectOnce[]; differs: boolean }> {
  const { array, less, gone } = removal
  const [before, after] = [await arrayView(array, between), await arrayView(less, between, gone)]
  const schemaGone = before.fails === undefined ? await fragmentWithoutSchema(removal, after) : undefined
  const fails = after.fails ?? (schemaGone && `the fragment ${lastPathPart(schemaGone)} has no schema`)
  if (before.fails !== undefined || fails !== undefined) {
    // Nothing can be compared if neither of the two opens.
    if (before.fails !== undefined && fails !== undefined) return { effects: [], differs: true }
    const once: EffectOnce =
      fails === undefined ? { outcome: 'opens', message: before.fails } : { outcome: 'fails', message: fails }
    return { effects: [once], differs: true }
  }
  const effects: EffectOnce[] = []
  if (await otherSchema(removal, before, after)) effects.push({ outcome: 'schema' })
  const failed = await failingFields({ ...removal, gone: () => false }, before)
  const names = (await failingFields(removal, after)).filter((name) => !failed.includes(name))
  if (names.length > 0) {
    const certainty = (await mayBeCovered(removal, after)) ? ('at most' as const) : undefined
    effects.push(certainty ? { outcome: 'fields', names, certainty } : { outcome: 'fields', names })
  }
  const labels = await missingLabels(removal, after)
  if (labels.length > 0) effects.push({ outcome: 'labels', names: labels })
  const enumerations = await missingEnumerations(removal, after)
  if (enumerations.length > 0) effects.push({ outcome: 'enumerations', names: enumerations })
  const keys = await changedKeys(removal, between)
  if (keys.length > 0) effects.push({ outcome: 'metadata', names: keys })
  const listed = !sameNames(before.fragments, after.fragments) || !sameNames(before.deletes, after.deletes)
  if (listed && names.length === 0) {
    const cells = await removal.cells.difference(before, after)
    if (cells.cells_lost + cells.cells_added + cells.cells_changed > 0) effects.push({ outcome: 'cells', ...cells })
  }
  return { effects, differs: effects.length > 0 || listed }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i])
}

/** Path of a fragment whose schema is removed, if there is one: TileDB then does not open the array. */
async function fragmentWithoutSchema(
  { array, path, gone }: Removal,
  { fragments }: ReaderView,
): Promise<string | undefined> {
  if (!isSchemaPath(path)) return undefined
  for (const one of fragments) if (gone(await schemaPathOf(array, one))) return one
  return undefined
}

function isSchemaPath(path: string): boolean {
  return isWithinFolder(path, SCHEMA_FOLDER) || path === OLD_SCHEMA_FILE
}

/** Path of the schema that a fragment's footer names. */
async function schemaPathOf(array: InspectArray, path: string): Promise<string> {
  const info = await array.withFragment(path, (fragment) => fragment.info().catch(() => undefined))
  return schemaPath(info?.schemaName ?? '')
}

async function otherSchema({ array }: Removal, before: ReaderView, after: ReaderView): Promise<boolean> {
  if (before.schema === after.schema || before.schema === undefined || after.schema === undefined) return false
  const [a, b] = [await bytesOf(array, before.schema), await bytesOf(array, after.schema)]
  return !sameBytes(a, b)
}

function bytesOf({ folder }: InspectArray, path: string): Promise<Uint8Array> {
  return withSource(folder.file(path), readAll)
}

/** Fields that a read cannot return, because a fragment lacks its metadata or the removed file. */
async function failingFields({ array, part, gone, path }: Removal, view: ReaderView): Promise<string[]> {
  const { fragments, schema, broken } = view
  if (schema === undefined) return []
  const { domain, attributes, allows_duplicates } = await array.schema(lastPathPart(schema))
  const names = attributes.map(({ name }) => name)
  const all = [...domain.dimensions.map(({ name }) => name), ...names]
  if (broken.length > 0) return all
  const { file } = part
  if (!file || !gone(path) || !fragments.includes(part.fragments[0])) return []
  if (file.kind === 'attribute') {
    const named = names.filter((name) => name === file.name)
    return named.length > 0 && (await isDeletedBy(array, view, file.name)) ? all : named
  }
  if (file.kind === 'delete_condition_index') return []
  return file.kind === 'timestamps' && allows_duplicates && !needsTimes(view) ? [] : all
}

/** Whether a delete condition looks at a field. If so, every read needs the field. */
async function isDeletedBy(
  array: InspectArray,
  { between: [from, now], deletes }: ReaderView,
  field: string,
): Promise<boolean> {
  const opened = array.at({ from, now })
  for (const place of deletes.length > 0 ? await deletePlaces(opened) : [])
    if ([...conditionFields(await readDelete(opened, place))].includes(field)) return true
  return false
}

/** Whether newer cells or delete conditions may hide whole tiles of the removed file: TileDB does not read hidden tiles. */
async function mayBeCovered({ array, part }: Removal, { fragments, schema, deletes }: ReaderView): Promise<boolean> {
  if (schema === undefined || part.fragments.length === 0) return false
  const { array_type, allows_duplicates } = await array.schema(lastPathPart(schema))
  const begin = stampsIn(lastPathPart(part.fragments[0]))[0] ?? 0n
  const isNewer = (path: string): boolean =>
    !part.fragments.includes(path) && (stampsIn(lastPathPart(path))[0] ?? 0n) >= begin
  return deletes.length > 0 || ((array_type === 'dense' || !allows_duplicates) && fragments.some(isNewer))
}

/** Names of the labels whose arrays are removed. */
async function missingLabels({ array, gone }: Removal, { schema }: ReaderView): Promise<string[]> {
  if (schema === undefined || !gone(LABELS_FOLDER)) return []
  return (await array.schema(lastPathPart(schema))).dimension_labels.map(({ name }) => name)
}

/**
 * Whether TileDB reads the time stamps of cells although duplicates are allowed. It does so if only a part of a fragment lies in the
 * times of the read, or if a delete condition was written between the first and the last cell of a consolidated fragment.
 * @see ReaderBase::need_timestamped_conditions
 */
function needsTimes({ between, fragments, deletes }: ReaderView): boolean {
  const times = deletes.flatMap((name) => stampsIn(name).slice(0, 1))
  return fragments.some((path) => {
    const [first = 0n, last = 0n] = stampsIn(lastPathPart(path))
    return isCut(path, between) || times.some((time) => first < last && time >= first && time <= last)
  })
}

/** Names of the enumerations in the schema of a view whose files are removed. */
async function missingEnumerations({ array, path, gone }: Removal, { schema }: ReaderView): Promise<string[]> {
  if (!isWithinFolder(path, SCHEMA_FOLDER) || schema === undefined) return []
  const { enumerations } = await array.schema(lastPathPart(schema))
  return enumerations
    .filter(({ path_name }) => gone(`${SCHEMA_FOLDER}/__enumerations/${lastPathPart(path_name)}`))
    .map(({ name }) => name)
}

/** Keys of the metadata that have another value without the removed file, or none. */
async function changedKeys({ array, less, path }: Removal, [from, now]: ReaderView['between']): Promise<string[]> {
  if (!isWithinFolder(path, METADATA_FOLDER)) return []
  const read = (one: InspectArray) =>
    readMetadata(one.folder, { ...one.cx, from, now }).catch(() => new Map<string, never>())
  return keysThatDiffer(await read(array), await read(less))
}

type Values = ReadonlyMap<string, { type?: string | undefined; value?: Uint8Array | undefined }>

export function keysThatDiffer(before: Values, after: Values): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => {
    const [a, b] = [before.get(key), after.get(key)]
    return !a || !b || a.type !== b.type || !sameBytes(a.value ?? NO_VALUE, b.value ?? NO_VALUE)
  })
}

const NO_VALUE = new Uint8Array(0)

/**
 * The vacuum that removes a path while a read as of now stays the same; undefined if none does. To find out, the array is opened without
 * all that the vacuum removes.
 */
async function vacuumOf(removal: Removal, times: ViewTimes): Promise<Vacuum | undefined> {
  const { array, path, missed } = removal
  const now: ReaderView['between'] = [0n, array.cx.now]
  // The vacuum of fragments comes last: it also removes earlier states of the array.
  for (const mode of [...CONSOLIDATION_MODES].reverse()) {
    const { gone, voided } = await vacuumedBy(array, mode)
    if (!gone.some((one) => isWithinFolder(path, one)) || missed !== undefined) continue
    // TileDB 2.30 asks for the file of each condition when it next consolidates commits: DELETE_CONDITION_FILE.
    if (mode === 'commits' && gone.some((one) => commitKind(one) === 'delete')) continue
    // The cells of a hidden fragment may be in no other one.
    if (mode === 'fragments' && (await losesCells(array))) continue
    const less = arrayWithout(array, gone, voided)
    const [before, after] = [await arrayView(array, now), await arrayView(less, now)]
    if (after.fails !== undefined || before.fails !== undefined || !sameNames(before.fragments, after.fragments))
      continue
    if (!sameNames(before.deletes, after.deletes)) continue
    if (mode === 'array_meta' && (await otherMetadata(array, less, now))) continue
    return {
      how: mode === 'fragments' ? 'vacuum' : `vacuum ${mode}`,
      stands_in: await standInsFor(array, mode, gone),
      empties: await firstTimes(times, (between) => isEmptied(array, less, between)),
      changes_metadata:
        mode === 'array_meta' ? await firstTimes(times, (between) => otherMetadata(array, less, between)) : undefined,
    }
  }
  return undefined
}

type Vacuum = Pick<Answer, 'empties' | 'changes_metadata' | 'stands_in'> & { how: string }

/** What has the same content as what a vacuum removes, and stays. @param gone paths that the vacuum removes */
async function standInsFor(array: InspectArray, mode: ConsolidationMode, gone: readonly string[]): Promise<string[]> {
  const stays = (path: string): boolean => !gone.includes(path)
  const { files } = await array.commits()
  switch (mode) {
    case 'fragments':
      return (await consolidatedFragments(array)).filter(stays)
    case 'commits':
      return files.flatMap(({ path, kind }) => (kind === 'consolidated-commits' && stays(path) ? [path] : []))
    case 'array_meta': {
      const entries = await array.folder.folder(METADATA_FOLDER).listIfThere()
      const lists = entries.filter(({ name }) => name.endsWith('.vac'))
      return lists.map(({ name }) => `${METADATA_FOLDER}/${stem(name)}`).filter(stays)
    }
    // Each fragment has a footer of its own.
    case 'fragment_meta':
      return []
  }
}

/** Paths of the fragments that `.vac` files are named after, if they are there. */
async function consolidatedFragments(array: InspectArray): Promise<string[]> {
  const lists = (await array.commits()).files.filter(({ kind }) => kind === 'vacuum')
  const names = new Set(lists.map(({ path }) => stem(lastPathPart(path))))
  return (await array.fragments()).flatMap(({ name, path }) => (names.has(name) ? [path] : []))
}

/** Paths of the fragments that have the cells of the fragments of a part, because they replaced them. */
async function replacementsOf(array: InspectArray, { fragments }: ArrayPart): Promise<string[]> {
  const waiting = (await array.fragments()).filter(({ path, to_vacuum }) => to_vacuum && fragments.includes(path))
  if (waiting.length === 0) return []
  return (await consolidatedFragments(array)).filter((path) => !waiting.some((one) => one.path === path))
}

async function otherMetadata(
  array: InspectArray,
  less: InspectArray,
  [from, now]: ReaderView['between'],
): Promise<boolean> {
  const [before, after] = await Promise.all(
    [array, less].map((one) => readMetadata(one.folder, { ...one.cx, from, now })),
  )
  return keysThatDiffer(before, after).length > 0
}

/** Whether a read finds fragments in the first array, and none in the second. */
async function isEmptied(array: InspectArray, less: InspectArray, between: ReaderView['between']): Promise<boolean> {
  const { fragments } = await arrayView(array, between)
  return fragments.length > 0 && (await arrayView(less, between)).fragments.length === 0
}

/** The first span of times as of which something holds: its first and last time. */
async function firstTimes(
  { until }: ViewTimes,
  holds: (between: ReaderView['between']) => Promise<boolean>,
): Promise<Answer['empties']> {
  let first: bigint | undefined
  for (const between of until) {
    if (await holds(between)) first ??= between[1]
    else if (first !== undefined) return [first, between[1] - 1n]
  }
  return undefined
}

export function noticedBy(effects: readonly Effect[], writers: boolean): NoticedBy[] {
  const found = new Set<NoticedBy>()
  for (const { outcome } of effects) {
    if (outcome === 'fails') found.add('open')
    else if (outcome === 'fields' || outcome === 'enumerations' || outcome === 'labels') found.add('read')
    else if (outcome !== 'opens') found.add('silent')
  }
  if (writers && found.size === 0) found.add('other')
  return found.size === 0 ? ['nobody'] : [...found]
}

/** What needs the path: fragments and schemas, which the array needs, which groups or other arrays need. */
async function needs(removal: Removal, effects: readonly Effect[]): Promise<Need[]> {
  const { array, part, missed } = removal
  const root: Need = {
    path: '',
    what: missed === undefined ? rootWhy(effects, part) : MISSED,
    needed_by: await needsOfRoot(array),
  }
  return part.needs.length > 0 ? part.needs.map((one) => ({ ...one, needed_by: [root] })) : [root]
}

/** Why the array needs a part that readers miss now. */
const MISSED = 'the array, which misses its cells now'

function rootWhy(effects: readonly Effect[], { writers, isList, unreadable }: ArrayPart): string {
  const opening = effects.some(({ outcome }) => outcome === 'fails')
  if (opening) return 'the array, to be opened'
  if (effects.some(({ outcome }) => outcome === 'fields')) return 'the array, to be read'
  if (effects.length > 0) {
    const isSure = effects.some(({ outcome, certainty }) => outcome !== 'cells' || certainty !== 'at most')
    return isSure ? 'the array, for what it shows' : 'the array, for what it may show'
  }
  if (writers !== undefined) return `the array: ${writers}`
  if (isList) return 'the array: reads do more work without it'
  return unreadable === undefined ? 'the array, which reads it' : 'the array, perhaps'
}

function reasonOf(answer: Answer['delete'], { part, missed }: Removal, effects: readonly Effect[]): string {
  if (answer === 'yes') return part.caution ?? ''
  if (missed !== undefined) return missed
  return effects.length === 0 ? sameText(part) : ''
}

const HIDDEN =
  'a vacuum file hides its cells, and no other fragment that is read has them: check --plan says what to do'

const REPLACED =
  'the fragment is gone, and its vacuum file still hides those that it replaced, which have its cells: check --plan brings them back'

const CUT =
  'a list of commits that was cut off or changed probably named its fragment, and readers miss its cells: check --plan says what to do'

const CHANGED =
  'a line of a list of commits names its fragment, but for a few characters, and readers miss its cells: check --plan writes the line again'

/** The reason for a path whose absence changes what readers open, but not what they get. */
function sameText({ isList, writers }: ArrayPart): string {
  if (writers !== undefined) return writers
  return `reads return the same cells without it, but ${isList ? 'do more work' : 'the cells that it makes readable, and that newer cells or deletes hide, are lost'}`
}

/** Why a path may not be deleted although no effect on readers is known. */
async function reasonOfNo({ array, part, missed }: Removal, seen: boolean): Promise<string> {
  const { fails } = await arrayView(array, [0n, array.cx.now])
  if (missed !== undefined) return missed
  if (fails !== undefined) return `the array cannot be opened now, so nobody can tell what needs the path: ${fails}`
  return part.unreadable ?? part.writers ?? (seen ? sameText(part) : '')
}
