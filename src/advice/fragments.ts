import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { shellWord } from '../base/shell-word.ts'
import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { nameFacts, timeText } from '../format/timestamped-name.ts'
import type { FragmentEntry } from '../objects/array.ts'
import type { CommitFile } from '../objects/commits.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import { timeOfOpening } from '../objects/read-context.ts'
import { readTwice } from '../objects/read-twice.ts'
import { freedBytes } from '../objects/vacuum.ts'
import { hasSlot } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { mean, overlaps, typicalBoxes, unionOfBoxes } from './boxes.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import { type AdviceFacts, type Box, FOOTER_REQUESTS, type FragmentFacts, requestsOf } from './facts.ts'
import { type AdvisedFinding, advise } from './finding.ts'
import { type AdviceLine, inspectLine } from './line.ts'
import { consolidationLines, modeLines, pathOf, vacuumLine } from './lines.ts'
import { keepsTimes } from './vacuum-note.ts'

/** Lower limit on the fragments of a finding. */
export const MIN_FRAGMENTS = 10
/** Fragments of this average size, in bytes, are large enough. */
export const LARGE_FRAGMENT = 16 * 1024 * 1024
/** Lower limit on the seconds that one fragment in place of many must save. */
const MIN_SAVED_SECONDS = 0.1

/** Finds many small fragments: opening them costs more than reading them. */
export function* manyFragments({ opened, fragments, stored_bytes }: AdviceFacts): Generator<AdvisedFinding> {
  const count = fragments.length
  if (count < MIN_FRAGMENTS || stored_bytes / count >= LARGE_FRAGMENT) return
  const now = sum(fragments, requestsOf)
  const after = requestsAfterMerge(opened, fragments)
  const seconds = objectStoreSeconds(now - after, 0)
  if (seconds < MIN_SAVED_SECONDS) return
  const average = shortSize(Math.round(stored_bytes / count))
  yield advise('FRAGMENTS_MANY', {
    message: `${count} fragments with ${average} of data each on average: opening and reading them takes about ${now} requests to S3, one fragment in their place about ${after} (besides listings, commits and schemas)`,
    effect: { seconds: rounded(seconds), requests: now - after, fragments: count, share: (now - after) / now },
    advice: consolidationLines(opened),
  })
}

/**
 * Number of requests for a consolidated fragment with the same fields. In sparse arrays of newer formats it has the time of each cell.
 * Readers need these times, if no duplicates are allowed, to find the newest of several cells with equal coordinates.
 */
function consolidatedRequests({ schema }: OpenedArray, facts: FragmentFacts): number {
  const addsTimes = keepsTimes(schema) && !schema.allows_duplicates && !hasSlot(facts, 'timestamps')
  return requestsOf({ ...facts, hasCopy: false }) + (addsTimes ? 1 : 0)
}

/** Number of requests for the fragment that consolidation makes of these fragments: as many as for the one with the most files. */
export function requestsAfterMerge(opened: OpenedArray, fragments: readonly FragmentFacts[]): number {
  return fragments.reduce((most, one) => Math.max(most, consolidatedRequests(opened, one)), 0)
}

/** Lower limit on the fragments that a typical box touches on average. */
const MIN_DEPTH = 5.5

/** Finds fragments that overlap: a read of a box reads tiles of many of them. */
export function* overlappingFragments({ opened, fragments }: AdviceFacts): Generator<AdvisedFinding> {
  const { dimensions } = opened.schema.domain
  const boxed = fragments.filter(({ box }) => box.length === dimensions.length)
  if (boxed.length < MIN_DEPTH) return
  const text = dimensions.map(({ cell_val_num }) => cell_val_num === 'var')
  const boxes = boxed.map(({ box }) => box)
  const touched = typicalBoxes(unionOfBoxes(boxes), boxes, text).map((box) => touchedBy(box, boxed))
  const depth = mean(touched.map((one) => one.fragments))
  if (depth < MIN_DEPTH) return
  const requests = mean(touched.map((one) => one.requests))
  const one = mean(boxed.map((fragment) => consolidatedRequests(opened, fragment)))
  yield advise('FRAGMENTS_OVERLAP', {
    message: `a box of 1 % of the box around all fragments touches ${Math.round(depth)} of ${fragments.length} fragments on average: that takes about ${Math.round(requests)} requests to S3, with one fragment about ${Math.round(one)}`,
    effect: {
      seconds: rounded(objectStoreSeconds(requests - one, 0)),
      requests: Math.round(requests - one),
      fragments: depth,
      share: (requests - one) / requests,
    },
    advice: consolidationLines(opened),
  })
}

/** How many fragments a box touches, and the requests for all of them. There may be 100,000, so no list of them is made. */
function touchedBy(box: Box, boxed: readonly FragmentFacts[]): { fragments: number; requests: number } {
  let [fragments, requests] = [0, 0]
  for (const one of boxed) {
    if (!overlaps(one.box, box)) continue
    fragments++
    requests += requestsOf(one)
  }
  return { fragments, requests }
}

/** Lower limit on the footers without a copy in consolidated metadata. */
const MIN_FOOTERS = 20

/** Finds footers without a copy in consolidated metadata. */
export async function* looseFooters({ opened, fragments }: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  if (fragments.length < MIN_FOOTERS) return
  const copies = await opened.array.consolidatedFooters().catch(unlessFault)
  const loose = fragments.filter(({ fragment, info }) => info.format_version >= 10 && !copies?.has(fragment.name))
  if (loose.length < MIN_FOOTERS) return
  const requests = FOOTER_REQUESTS * loose.length
  yield advise('METADATA_NOT_CONSOLIDATED', {
    message: `${loose.length} of ${fragments.length} footers have no copy in consolidated metadata: opening reads them one by one`,
    effect: {
      seconds: rounded(objectStoreSeconds(requests, 0)),
      requests,
      fragments: loose.length,
      share: loose.length / fragments.length,
    },
    advice: modeLines(opened, 'fragment_meta'),
  })
}

/** Upper limit on the names in one answer to a listing. */
const NAMES_PER_LIST = 1000

/** Whether a commit file holds delete conditions. */
function isDelete({ kind, entries }: CommitFile): boolean {
  return kind === 'delete' || entries.some(({ tile }) => tile !== undefined)
}

/** Finds many commit files: each thousand of them costs every opening one more request. */
export async function* looseCommits({ opened }: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { files } = await opened.array.commits()
  const marks = files.filter(({ kind, entries }) => kind === 'write' && entries.length === 0).length
  const requests = Math.ceil(marks / NAMES_PER_LIST) - 1
  if (requests < 1) return
  yield advise('COMMITS_NOT_CONSOLIDATED', {
    message: `${marks} commit files: opening needs ${requests + 1} requests to list them`,
    // The pages of a listing are requested one after another, not 8 at once.
    effect: { seconds: rounded(8 * objectStoreSeconds(requests, 0)), requests, share: requests / (requests + 1) },
    // After a vacuum of commits, TileDB 2.30 cannot consolidate them again if there are deletes: DELETE_CONDITION_FILE.
    advice: files.some(isDelete) ? consolidationLines(opened) : modeLines(opened, 'commits'),
  })
}

/** Lower limits on replaced fragments that wait for a vacuum: their number, or their bytes. */
export const MIN_REPLACED = 8
export const MIN_REPLACED_BYTES = 1024 * 1024
/** Upper limit on the folders that are listed for the sizes of their files. */
const MAX_LISTED = 32

/** Bytes of fragments. If there are many, they are estimated from the first ones. */
async function bytesIn({ array }: OpenedArray, entries: readonly FragmentEntry[]): Promise<number> {
  const listed = entries.slice(0, MAX_LISTED)
  let bytes = 0
  for (const { path } of listed) {
    const sizes = await fileSizes(array.folder.folder(path)).catch(unlessFault)
    for (const size of sizes?.values() ?? []) bytes += size
  }
  return Math.round((bytes * entries.length) / listed.length)
}

/** Finds fragments that a consolidated fragment replaced, but that still exist. */
export async function* pendingVacuum({ opened, path, stored_bytes }: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { array } = opened
  const replaced = (await array.fragments()).filter(({ state }) => state === 'to-vacuum')
  if (replaced.length === 0) return
  const bytes = await freedBytes(array, await bytesIn(opened, replaced))
  // It would lose cells.
  if (bytes === 0) return
  if (replaced.length < MIN_REPLACED && bytes < MIN_REPLACED_BYTES) return
  const files = (await array.commits()).files.filter(({ kind }) => kind === 'vacuum')
  const lists = files.length
  const versions = files.map(({ path: file }) => nameFacts(lastPathPart(file))?.format_version ?? 0)
  yield advise('VACUUM_PENDING', {
    message: `${replaced.length} fragments that a consolidated one replaced are still there, ${replaced.length > MAX_LISTED ? 'about ' : ''}${shortSize(bytes)}; opening reads ${lists} .vac ${lists === 1 ? 'file' : 'files'}`,
    effect: {
      seconds: rounded(objectStoreSeconds(lists, 0)),
      requests: lists,
      fragments: replaced.length,
      bytes,
      share: bytes / (bytes + stored_bytes),
    },
    advice: [
      inspectLine(
        `tiledb-inspect check --level chunks ${shellWord(path)}`,
        'first: do not vacuum while it finds an error, as the older fragments may have the only whole copy',
      ),
      vacuumLine(opened, Math.min(...versions)),
    ],
  })
}

/** Finds folders of fragments without a commit: a write failed, or is still going on. */
export async function* uncommittedFragments({ opened, path, fragments }: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { array } = opened
  const uncommitted = (await array.fragments()).filter(({ state }) => state === 'uncommitted')
  if (uncommitted.length === 0) return
  const bytes = await bytesIn(opened, uncommitted)
  const all = uncommitted.length + fragments.length
  yield advise('FRAGMENT_UNCOMMITTED', {
    message: `${uncommitted.length} of ${all} fragments have no commit, ${shortSize(bytes)}: reads leave them out`,
    effect: { seconds: 0, fragments: uncommitted.length, bytes, share: uncommitted.length / all },
    advice: [
      inspectLine(
        `tiledb-inspect check ${shellWord(path)} --all`,
        'says which were written to their end; a writer may still be at work',
      ),
    ],
  })
}

/** Finds fragments dated ahead, which a read of today leaves out. */
export async function* futureFragments({ opened, path, fragments }: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  // A read of an earlier time leaves out more, as it was asked to.
  const now = timeOfOpening()
  const times = (await opened.array.fragments()).flatMap(({ state, timestamp_range: [, last] = [0n, 0n] }) =>
    state === 'future' && last > now ? [last] : [],
  )
  if (times.length === 0) return
  const [first] = times
  yield advise('FRAGMENT_FUTURE', {
    message: `${times.length} of ${times.length + fragments.length} fragments are dated ahead, the first to ${timeText(first)}: a read of today leaves them out`,
    effect: { seconds: 0, fragments: times.length, share: times.length / (times.length + fragments.length) },
    advice: [
      inspectLine(`tiledb-inspect read ${shellWord(path)} --as-of ${first}`, 'shows their cells'),
      { does: 'read', code: `tiledb.open(${pathOf(opened)}, timestamp=${first})` },
    ],
  })
}

/** Lower limits on the cells of copies: their number, and their part of all cells. */
const MIN_COPIED_CELLS = 100
const MIN_COPIED_SHARE = 0.05

/** Finds, in arrays that allow duplicates, fragments with the same domain, sizes and statistics as another one. */
export async function* rewrittenFragments(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { opened, path, fragments, cell_num, stored_bytes } = facts
  if (opened.schema.array_type !== 'sparse' || !opened.schema.allows_duplicates) return
  const alike = new Map<string, FragmentFacts[]>()
  for (const one of fragments) {
    const { cell_num, info, box } = one
    const key = [cell_num, info.schemaName, ...box.flat(), ...info.file_sizes, ...info.file_var_sizes].join(' ')
    alike.set(key, [...(alike.get(key) ?? []), one])
  }
  const copies: FragmentFacts[] = []
  for (const group of alike.values()) {
    if (group.length < 2 || group[0].cell_num === 0) continue
    const known = new Set<string>()
    for (const one of group) {
      const statistics = await one.fragment.statistics().catch(unlessFault)
      one.fragment.forget()
      const text = JSON.stringify(statistics?.map(({ min, max, sum: total }) => [[...min], [...max], [...total]]))
      if (statistics && known.has(text)) copies.push(one)
      known.add(text)
    }
  }
  const cells = sum(copies, (one) => one.cell_num)
  if (cells < MIN_COPIED_CELLS || cells < MIN_COPIED_SHARE * cell_num) return
  const bytes = sum(copies, (one) => one.stored_bytes)
  const requests = sum(copies, requestsOf)
  yield advise('FRAGMENTS_REPEATED', {
    message: `${copies.length} of ${fragments.length} fragments hold the same cells as another, by their domains, sizes and statistics: reads return ${cells} of ${cell_num} cells more than once`,
    effect: {
      seconds: rounded(objectStoreSeconds(requests, bytes)),
      fragments: copies.length,
      cells,
      bytes,
      requests,
      share: bytes / stored_bytes,
    },
    advice: [
      inspectLine(`tiledb-inspect ls ${shellWord(path)}`, 'two of them have the same cells, domain and sizes'),
      ...deletionLines(facts, copies),
    ],
  })
}

/** Finds, in arrays that allow duplicates, consolidated fragments whose cells others have that are read, too. */
export async function* fragmentsReadTwice({ opened, path, fragments, cell_num, stored_bytes }: AdviceFacts) {
  const { array, schema } = opened
  if (schema.array_type !== 'sparse' || !schema.allows_duplicates) return
  const byName = new Map(fragments.map((one) => [one.fragment.name, one]))
  for await (const { whole, read } of readTwice(array, await array.fragments(), true)) {
    const copies = read.flatMap(({ name }) => byName.get(name) ?? [])
    // What a read of another time leaves out is not read twice.
    if (copies.length < read.length || !byName.has(whole.name)) continue
    const cells = sum(copies, (one) => one.cell_num)
    const bytes = sum(copies, (one) => one.stored_bytes)
    const requests = sum(copies, requestsOf)
    const seconds = rounded(objectStoreSeconds(requests, bytes))
    const share = bytes / stored_bytes
    yield advise('FRAGMENTS_REPEATED', {
      message: `${whole.name} holds the cells of ${copies.length} other fragments, by its times, its box and its number of cells, and no vacuum file names these: reads return ${cells} of ${cell_num} cells twice, and consolidation would make one fragment of both`,
      effect: { seconds, fragments: copies.length, cells, bytes, requests, share },
      advice: [
        inspectLine(
          `tiledb-inspect check --plan --level cells ${shellWord(path)}`,
          'moves them out, if they are the same',
        ),
      ],
    })
  }
}

/** Upper limit on the calls that are shown. */
const MAX_SHOWN = 3

/** The calls that delete copies. TileDB deletes by time: a copy whose times another fragment shares cannot be deleted alone. */
function deletionLines({ opened, fragments }: AdviceFacts, copies: readonly FragmentFacts[]): AdviceLine[] {
  const timesOf = ({ fragment }: FragmentFacts): readonly [bigint, bigint] => fragment.timestamp_range ?? [0n, 0n]
  const kept = fragments.filter((one) => !copies.includes(one)).map(timesOf)
  return copies
    .map(timesOf)
    .filter(([first, last]) => !kept.some(([from, to]) => from <= last && to >= first))
    .slice(0, MAX_SHOWN)
    .map(([first, last]) => ({
      does: 'delete fragments',
      code: `tiledb.Array.delete_fragments(${pathOf(opened)}, ${first}, ${last})`,
      note: 'if it is a write that was repeated',
      loses: 'fragments',
    }))
}
