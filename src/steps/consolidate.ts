import { concat } from '../base/bytes.ts'
import { badValue, hasCode, longer, usage } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import { boxesMeet } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { commitPath, commitsFolder, FOLDERS_SINCE } from '../format/commit-files.ts'
import { consolidatedFragmentMetadata, NAMES_SINCE } from '../format/consolidated-fragment-metadata.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { encode } from '../format/io.ts'
import { LAST_TIME, nameFacts } from '../format/timestamped-name.ts'
import { type InspectArray, METADATA_FOLDER, vacuumedMetadata } from '../objects/array.ts'
import { commitKind, linePath } from '../objects/commits.ts'
import { DELETES_SINCE } from '../objects/deletes.ts'
import { TIMESTAMPS_SINCE } from '../objects/visibility.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { readAll, withSource } from '../storage/source.ts'
import { fragmentFiles, metadataFile } from '../write/array-writer.ts'
import type { FragmentToWrite } from '../write/fragment-writer.ts'
import { genericTileWriter } from '../write/generic-tile-writer.ts'
import { boxAround, cellsToConsolidate, cellsToRewrite, fillCells, type OnRead } from './cells.ts'
import type { StepTarget } from './step-target.ts'

interface FragmentConsolidation {
  /** Names of the fragments; undefined for all that are read. */
  fragments?: readonly string[] | undefined
  /** Times between which the fragments were written, both included. */
  between?: readonly [bigint, bigint] | undefined
  /** Whether deleted cells are left out. */
  purge?: boolean | undefined
}

type Times = readonly [first: bigint, last: bigint]

const RELATIVE_URIS_SINCE = 19

/**
 * Consolidates fragments into one, and lists them in a `.vac` file. Formats 3 and 4 remove them at once. Unlike TileDB, dense fragments
 * are consolidated however many cells between them are empty.
 *
 * @returns path of the new fragment; undefined if there are fewer than two fragments
 * @see tiledb/sm/consolidator/fragment_consolidator.cc
 */
export async function consolidateFragments(
  place: StepTarget,
  options: FragmentConsolidation,
): Promise<string | undefined> {
  const all = await openAt(await place.array())
  const fragments = chosenFragments(all.fragments, options)
  if (fragments.length < 2) return undefined
  const { schema } = all
  const { version } = schema
  if (schema.array_type === 'dense') refuseOlderBelow(all, fragments)
  const { file } = await all.array.newestSchema()
  const { name, files } = await fragmentFiles(
    {
      ...(await consolidatedFragment({ ...all, fragments }, options.purge, place.cx.onRead)),
      schemaName: file.name,
      uuid: place.cx.uuid(),
    },
    place.cx.writing,
  ).catch((error) => {
    if (schema.array_type === 'sparse' || !hasCode(error, 'BAD_VALUE')) throw error
    const why =
      'consolidation fills dense tiles up with fill values, for which these filters do not work in TileDB either'
    throw badValue(longer(error.fault, `: ${why}`), error.at, { cause: error })
  })
  for (const one of files) await place.write(one)
  const paths = fragments.map(({ fragment }) => fragment.folder.path.slice(place.folder.path.length + 1))
  const commit = commitPath(version, name)
  if (commit === undefined) for (const path of paths) place.remove(path)
  else {
    await place.writeText(commit)
    await place.writeText(`${commitsFolder(version)}${name}.vac`, lines(place, schema, paths))
  }
  return files[0].path.slice(0, files[0].path.lastIndexOf('/'))
}

/**
 * The fragment that `tiledb.consolidate` makes of all that are opened. In a sparse array it keeps cells that newer ones hide, and the time
 * of each; cells that delete conditions name, with the time of the deletion.
 *
 * @param purge leaves out deleted cells
 * @param onRead see {@link StepContext.onRead}
 * @throws InspectError USAGE if no cell is left
 */
export async function consolidatedFragment(
  opened: OpenedArray,
  purge = false,
  onRead?: OnRead,
): Promise<Omit<FragmentToWrite, 'schemaName' | 'uuid'>> {
  const { schema, fragments, deletes } = opened
  const { version } = schema
  const sparse = schema.array_type === 'sparse'
  const marks = version >= DELETES_SINCE && sparse && (await hasDeletions(opened))
  const timed = version >= TIMESTAMPS_SINCE && sparse
  const kept = marks ? 'marked' : 'as-they-are'
  const ofDeleted = purge ? 'purged' : kept
  const { domain, ...cells } = timed
    ? await cellsToConsolidate(opened, ofDeleted, onRead)
    : await cellsToRewrite(opened, undefined, onRead)
  if (cells.cell_num === 0) throw usage({ expected: 'cells to consolidate', found: 'that all are deleted' })
  return {
    schema,
    formatVersion: version,
    timestampRange: [...timesOf(fragments)],
    domain,
    cells,
    // TileDB reads whole tiles, and writes all that it read.
    padding: sparse ? undefined : fillCells(schema),
    processedConditions: version >= DELETES_SINCE ? deletes.map(({ name }) => `__commits/${name}.del`) : [],
  }
}

/** Paths of an array as the lines of a `.vac` file. */
function lines(place: StepTarget, { version }: ArraySchema, paths: readonly string[]): string {
  const before = version >= RELATIVE_URIS_SINCE ? '' : place.uri
  return paths.map((path) => `${before}/${path}\n`).join('')
}

function timesOf(fragments: readonly OpenedFragment[]): Times {
  const ranges = fragments.map(({ fragment }): Times => fragment.timestamp_range ?? [0n, 0n])
  return spanOf(ranges)
}

function spanOf(ranges: readonly Times[]): Times {
  const times = ranges.flat().sort(rising)
  return [times[0], times[times.length - 1]]
}

/** @throws InspectError USAGE for a name that is not that of a fragment that is read */
function chosenFragments(
  all: readonly OpenedFragment[],
  { fragments: names, between: [from, to] = [0n, LAST_TIME] }: FragmentConsolidation,
): OpenedFragment[] {
  for (const name of names ?? [])
    if (!all.some(({ fragment }) => fragment.name === name))
      throw usage({ expected: 'fragments that are read now', found: JSON.stringify(name) })
  return all.filter(({ fragment: { name, timestamp_range: [first, last] = [0n, 0n] } }) => {
    return first >= from && last <= to && (names === undefined || names.includes(name))
  })
}

/**
 * Refuses dense fragments above older ones, whose cells the empty cells of the new fragment would hide.
 * @see FragmentConsolidator::consolidate_fragments
 */
function refuseOlderBelow({ schema, fragments: all }: OpenedArray, chosen: readonly OpenedFragment[]): void {
  const { dimensions } = schema.domain
  const box = boxAround(chosen, dimensions)
  const last = timesOf(chosen)[1]
  for (const one of all) {
    const other = one.info.nonempty_domain
    if (chosen.includes(one) || one.time > last || !other || !boxesMeet(other, box, dimensions)) continue
    throw usage({
      expected: 'dense fragments without an older one between or below them',
      found: `${one.fragment.name}: TileDB does not consolidate them either`,
    })
  }
}

/** Whether the new fragment must store which cells are deleted. @see FragmentConsolidator::consolidate_internal */
async function hasDeletions({ fragments, deletes }: OpenedArray): Promise<boolean> {
  const first = fragments[0].time
  return (
    deletes.some(({ time }) => time >= first) || fragments.some(({ info }) => info.footer?.includes_delete_metadata)
  )
}

/**
 * Writes copies of the footers of all fragments that are read into one file.
 * @returns path of the file; undefined if there are fewer than two fragments
 * @see tiledb/sm/consolidator/fragment_meta_consolidator.cc
 */
export async function consolidateFragmentMetadata(place: StepTarget): Promise<string | undefined> {
  const { schema, fragments } = await openAt(await place.array())
  if (fragments.length < 2) return undefined
  const { version } = schema
  const footers: Uint8Array[] = []
  const entries: { fragment_name: string; offset: number }[] = []
  let at = 0
  for (const { fragment, info } of fragments) {
    if (!info.footer) throw usage({ expected: 'fragments since format 3', found: fragment.name })
    const { offset, size } = info.footer
    footers.push(await withSource(fragment.folder.file(FRAGMENT_METADATA_FILE), (source) => source.read(offset, size)))
    const path = fragment.folder.path.slice(place.folder.path.length + 1)
    entries.push({ fragment_name: version >= NAMES_SINCE ? fragment.name : `${place.uri}/${path}`, offset: at })
    at += size
  }
  // Offsets count from the start of the content, which begins with the entries.
  const before = encode({ entries, footers: new Uint8Array(0) }, consolidatedFragmentMetadata).length
  for (const entry of entries) entry.offset += before
  const writeTile = await genericTileWriter(version, place.cx.writing)
  const [first, last] = timesOf(fragments)
  const path = `${version >= FOLDERS_SINCE ? '__fragment_meta/' : ''}__${first}_${last}_${place.cx.uuid()}_${version}.meta`
  await place.write({
    path,
    bytes: writeTile(encode({ entries, footers: concat(footers) }, consolidatedFragmentMetadata)),
  })
  return path
}

/** A commit that a `.con` file lists. */
interface ListedCommit {
  /** The line of the list: a path in the array. */
  text: string
  /** Content of the file of a delete condition; undefined for other commits. */
  bytes: Uint8Array | undefined
}

/**
 * Lists all commits in one file. Their own files stay until a vacuum.
 * @returns path of the new file; undefined if there is nothing to list
 * @see tiledb/sm/consolidator/commits_consolidator.cc, Consolidator::write_consolidated_commits_file
 */
export async function consolidateCommits(place: StepTarget): Promise<string | undefined> {
  const array = await place.array()
  const { version } = (await array.newestSchema()).schema
  const listed = await listedCommits(array)
  if (listed.length === 0) return undefined
  const [first, last] = spanOf(
    listed.map(({ text }) => nameFacts(text.slice(text.lastIndexOf('/') + 1))?.timestamp_range ?? [0n, 0n]),
  )
  const path = `${commitsFolder(version)}__${first}_${last}_${place.cx.uuid()}_${version}.con`
  const parts = listed.flatMap(({ text, bytes }) => {
    const line = new TextEncoder().encode(`${text}\n`)
    return bytes ? [line, new Uint8Array(BigUint64Array.of(BigInt(bytes.length)).buffer), bytes] : [line]
  })
  await place.write({ path, bytes: concat(parts) })
  return path
}

/** The commits in lists that no `.ign` file takes back, sorted, then those that have files of their own. */
async function listedCommits(array: InspectArray): Promise<ListedCommit[]> {
  const { files } = await array.commits()
  const ignored = new Set(
    files.flatMap(({ kind, entries }) => (kind === 'ignore' ? entries.map(({ text }) => text) : [])),
  )
  const known = new Map<string, ListedCommit>()
  for (const { kind, path, entries } of files) {
    if (kind !== 'consolidated-commits') continue
    for (const { text, tile } of entries) {
      if (ignored.has(text) || known.has(text)) continue
      const bytes =
        tile && (await withSource(array.folder.file(path), (source) => source.read(tile.offset, tile.length)))
      known.set(text, { text, bytes })
    }
  }
  const listed = [...known.values()].sort((a, b) => rising(a.text, b.text))
  for (const { path } of files) {
    const kind = commitKind(path)
    if (known.has(path) || (kind !== 'delete' && (kind !== 'write' || linePath(path) === undefined))) continue
    listed.push({
      text: path,
      bytes: kind === 'delete' ? await withSource(array.folder.file(path), readAll) : undefined,
    })
  }
  return listed
}

/**
 * Writes the key-value metadata of all times into one file, and lists the other files in a `.vac` file.
 * @returns path of the new file; undefined if there are fewer than two files
 * @see tiledb/sm/consolidator/array_meta_consolidator.cc
 */
export async function consolidateArrayMetadata(place: StepTarget): Promise<string | undefined> {
  const array = await place.array()
  const { schema } = await array.newestSchema()
  const inside = array.folder.folder(METADATA_FOLDER)
  const listing = await inside.listIfThere()
  const gone = await vacuumedMetadata(inside, listing, array.cx)
  const names = listing.map(({ name }) => name).filter((name) => !name.endsWith('.vac') && !gone.has(name))
  if (names.length < 2) return undefined
  const times = spanOf(names.map((name) => nameFacts(name)?.timestamp_range ?? [0n, 0n]))
  const entries = [...(await array.metadata()).values()]
  const file = await metadataFile(entries, { version: schema.version, times, uuid: place.cx.uuid() }, place.cx.writing)
  await place.write(file)
  const paths = names.map((name) => `${METADATA_FOLDER}/${name}`)
  await place.writeText(`${file.path}.vac`, lines(place, schema, paths))
  return file.path
}
