import { faultOf, unlessFault } from '../base/errors.ts'
import { allInOrder, atOnce, inOrder } from '../base/in-order.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type FragmentEntry, type FragmentState, InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import { changedLines } from '../objects/changed-commit-lines.ts'
import { type CutList, cutLists } from '../objects/cut-commit-lists.ts'
import { laterDeletePlaces } from '../objects/deletes.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import type { Fragment } from '../objects/fragment.ts'
import { readTwice } from '../objects/read-twice.ts'
import { isFirst, shardOf } from '../objects/shard.ts'
import { unreadFragments } from '../read/opening.ts'
import { checkArrayFolder } from './array-folder.ts'
import { checkCommits } from './commit-files.ts'
import { collectItems, type Finding, finding, futureFinding, guarded, type Items } from './finding.ts'
import { checkFragment, whyIgnored } from './fragment.ts'
import { checkMetadata } from './key-values.ts'
import { type CheckRun, firstShardRun, ofFirstShard, reaches } from './run.ts'
import { CheckedSchemas } from './schemas.ts'
import type { CheckWork } from './units.ts'

/**
 * Checks an array with its fragments. Only the list of fragments makes memory grow with their number.
 * @param ofLabel whether this is the array of a dimension label, which has no labels itself
 */
export async function* checkArray(run: CheckRun, array: InspectArray, ofLabel = false): CheckWork {
  const { folder } = array
  // The check of the commit files reports damaged ones. All others still count.
  array.cx.onFault = () => {}
  const files = await array.schemaFiles()
  const schemas = new CheckedSchemas(firstShardRun(run), array, files)
  const entries = await array.fragments()
  if (isFirst(run.shard)) yield* checkArrayFiles(run, array, schemas, entries)
  else yield* ofFirstShard(run, schemas.checkAll())
  const wanted = entries.filter(({ state, committed }) => state !== 'no-metadata' && (committed || run.all))
  // Other shards have fragments that name these schemas, but only this shard reports on schemas.
  if (run.shard && isFirst(run.shard) && files.length > 1) {
    const named = inOrder(wanted, atOnce(folder), ({ path }) => schemaNameOf(array.fragment(path)))
    for await (const name of named) yield* schemas.checkEnumerations(name)
  }
  const mine = await shardOf(array, wanted, run.shard)
  const shared = { ...run, concurrency: run.concurrency * Math.max(1, Math.min(mine.length, atOnce(folder))) }
  // Fragments wait for the one before: the first to name a schema must not depend on which is read first.
  let turn: Promise<unknown> = Promise.resolve()
  const checkEntry = async function* (entry: FragmentEntry): CheckWork {
    const before = turn
    const fragment = array.fragment(entry.path)
    const enumerationItems = async () => {
      if (array.footerCopies?.size) await (await import('./consolidated-metadata.ts')).chooseFooter(fragment)
      const name = await schemaNameOf(fragment)
      await before
      return collectItems(ofFirstShard(run, schemas.checkEnumerations(name)))
    }
    const enumerations = enumerationItems()
    turn = enumerations.catch(() => {})
    try {
      yield* (await enumerations).items
      yield* checkFragment(shared, fragment, schemas, whyIgnored(entry))
    } finally {
      await fragment.close()
    }
  }
  const sizesKnown = folder.isRemote && (await array.listFragmentsAhead()) !== undefined
  const bytesOf = (entry: FragmentEntry): number | Promise<number> => (sizesKnown ? bytesToCheck(run, array, entry) : 0)
  yield* allInOrder(mine, atOnce(folder), checkEntry, bytesOf, array.cx.memory.room)
  const { opened } = schemas
  const schema = schemas.get(opened?.name)
  for (const { name, relative, uri, external } of (ofLabel ? undefined : schema?.dimension_labels) ?? []) {
    if (external || !relative || uri.split('/').some((part) => part === '' || part === '.' || part === '..')) continue
    const labels = folder.folder(uri)
    if (await labels.kind(SCHEMA_FOLDER)) yield* checkArray(run, new InspectArray(labels, { ...array.cx }), true)
    else if (isFirst(run.shard)) {
      const place = { file: `${folder.path}/${opened?.path}`, field: `dimension_labels.${name}.uri` }
      yield { ...finding('LABEL_MISSING', place, `the array ${JSON.stringify(uri)}`, 'none'), missing: uri }
    }
  }
}

/** Checks everything in an array that is not in a fragment. */
export async function* checkArrayFiles(
  run: CheckRun,
  array: InspectArray,
  schemas: CheckedSchemas,
  entries: readonly FragmentEntry[],
): Items {
  const { folder } = array
  yield* guarded('ARRAY_NO_SCHEMA', { file: folder.path }, () => checkArrayFolder(run, array, entries))
  yield* schemas.checkAll()
  // It tells whether other files may be encrypted.
  await array.newestSchema().catch(unlessFault)
  const commits = await array.commits()
  const schema = schemas.get(schemas.opened?.name)
  const changed = await changedLines(array, entries)
  yield* guarded('COMMIT_UNREADABLE', { file: folder.path }, () =>
    checkCommits(run, array, commits, { entries, changed }, schema),
  )
  const cut = await cutLists(array, entries, changed)
  for (const list of cut) yield cutFinding(array, list)
  const missed = new Set(cut.flatMap(({ fragments }) => fragments.map(({ path }) => path)))
  for (const line of changed) if (line.changed !== 'folder') missed.add(line.fragment.path)
  if (run.quick && commits.others.length > 0) {
    const { checkOtherMetadata } = await import('./consolidated-metadata.ts')
    yield* checkOtherMetadata(run, array)
  } else if (!run.quick) {
    const { checkConsolidatedMetadata } = await import('./consolidated-metadata.ts')
    yield* guarded('CONSOLIDATED_METADATA_UNREADABLE', { file: folder.path }, () =>
      checkConsolidatedMetadata(run, array, entries),
    )
    yield* checkMetadata(run, folder, array.cx, false)
    if (schema?.array_type === 'sparse') yield* checkReadTwice(array, entries, schema.allows_duplicates)
  }
  for (const { path, tile, end } of await laterDeletePlaces(array))
    yield futureFinding('DELETE_FUTURE', { file: `${folder.path}/${path}`, offset: tile?.offset }, end, array.cx.now)
  for (const { path, state, committed, hidden_by, to_vacuum, timestamp_range } of entries) {
    const place = { file: `${folder.path}/${path}` }
    if (state === 'future' && timestamp_range)
      yield futureFinding('FRAGMENT_FUTURE', place, timestamp_range[1], array.cx.now)
    if (committed) continue
    const expected = state === 'no-metadata' ? 'a metadata file' : 'a commit'
    const found = hidden_by === undefined ? 'none' : `one that ${hidden_by} takes back`
    const takenBack = to_vacuum ? 'replaced' : 'ignored'
    const unnamed = missed.has(path) ? 'cut' : undefined
    yield finding('FRAGMENT_UNCOMMITTED', place, expected, found, state === 'ignored' ? takenBack : unnamed)
  }
  yield* checkReadsEmpty(array, entries)
}

/** A finding names at most this many fragments: each has a finding of its own. */
const NAMED = 3

/** Reports a list of commits that was cut off or changed. */
function cutFinding({ folder }: InspectArray, { list, fragments }: CutList): Finding {
  const kept = fragments.filter(({ has_consolidated_metadata }) => has_consolidated_metadata).length
  const proof = kept === 0 ? '' : ` (${kept} of them in consolidated fragment metadata, so they were committed)`
  const names = fragments
    .slice(0, NAMED)
    .map(({ name }) => name)
    .join(', ')
  const more = fragments.length > NAMED ? ` and ${fragments.length - NAMED} more` : ''
  const found = `${fragments.length} without one${proof}: ${names}${more}`
  return finding(
    'COMMIT_UNREADABLE',
    { file: `${folder.path}/${list.path}` },
    'commits of all fragments of its times',
    found,
    'cut',
  )
}

/** Reports consolidated fragments whose sources are read, too, since no vacuum file names them any more. */
async function* checkReadTwice(
  array: InspectArray,
  entries: readonly FragmentEntry[],
  allowsDuplicates: boolean,
): Items {
  for await (const { whole, read } of readTwice(array, entries, allowsDuplicates)) {
    const found = `${read.length} that readers read beside it, such as ${read[0].name}`
    const place = { file: `${array.folder.path}/${whole.path}` }
    const expected = 'a vacuum file that names the fragments it was made of'
    const variant = allowsDuplicates ? undefined : 'sameCells'
    yield { ...finding('VACUUM_MISSING', place, expected, found, variant), sources: read.map(({ path }) => path) }
  }
}

/** Reports that TileDB finds no cells although some fragments are complete. */
async function* checkReadsEmpty(array: InspectArray, entries: readonly FragmentEntry[]): Items {
  const whole = await unreadFragments(array, entries)
  if (whole.length === 0) return
  const all = (...states: readonly FragmentState[]): boolean => whole.every(({ state }) => states.includes(state))
  const byLists = all('hidden', 'to-vacuum', 'ignored', 'future') ? 'lists' : undefined
  const variant = all('future') ? 'future' : byLists
  const found = `${whole.length} that it does not read, such as ${whole[0].path}`
  yield finding('ARRAY_READS_EMPTY', { file: array.folder.path }, 'a fragment that TileDB reads', found, variant)
}

/** Upper limit on the bytes of a fragment in {@link bytesToCheck}. A larger fragment is never in memory as a whole. */
const LARGE_FRAGMENT = 64 * 2 ** 20

/** An estimate of the memory that the check of a fragment needs: its stored bytes. */
async function bytesToCheck(run: CheckRun, array: InspectArray, { path }: FragmentEntry): Promise<number> {
  try {
    const sizes = await fileSizes(array.folder.folder(path))
    let bytes = sizes.get(FRAGMENT_METADATA_FILE) ?? 0
    if (reaches(run, 'chunks')) for (const size of sizes.values()) bytes += size
    return Math.min(bytes, LARGE_FRAGMENT) * run.concurrency
  } catch (error) {
    // The check of the fragment reports this error.
    faultOf(error)
    return 0
  }
}

/** The name of a fragment's schema; undefined in old formats, whose arrays have only one, and if the footer is unreadable. */
async function schemaNameOf(fragment: Fragment): Promise<string | undefined> {
  return (await fragment.head().catch(() => undefined))?.array_schema_name
}
