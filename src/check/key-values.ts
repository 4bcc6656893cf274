import { allInOrder, atOnce } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import { parseLines } from '../format/commit-files.ts'
import { hasTimes, nameFacts, parseTimestampedName } from '../format/timestamped-name.ts'
import { METADATA_FOLDER } from '../objects/array.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { vacuumPath } from '../objects/visibility.ts'
import { type Entry, type Folder, readAll, withSource } from '../storage/source.ts'
import { collectItems, finding, futureFinding, guarded, type Item, type Items } from './finding.ts'
import { checkedTileFile } from './generic-tiles.ts'
import { type CheckRun, newRun } from './run.ts'
import { checkStray, TIMED_NAME } from './strays.ts'

/** The folder of the key-value metadata that is checked. */
interface MetadataPlace {
  /** `__meta`. */
  inside: Folder
  /** Names of all entries of the folder; undefined if lists are not compared with them. */
  names: ReadonlySet<string> | undefined
  /** Whether it is a group's. */
  ofGroup: boolean
}

/** Checks the key-value metadata of an array or a group. */
export async function* checkMetadata(run: CheckRun, folder: Folder, cx: ReadContext, ofGroup: boolean): Items {
  const inside = folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  const place = { inside, names: new Set(entries.map(({ name }) => name)), ofGroup }
  yield* allInOrder(entries, atOnce(folder), (entry) => checkMetadataEntry(run, place, entry, cx))
}

/** What is wrong with some entries of `__meta`. */
export async function metadataItems(
  folder: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  ofGroup: boolean,
): Promise<Item[]> {
  const inside = folder.folder(METADATA_FOLDER)
  const place = { inside, names: undefined, ofGroup }
  const items: Item[] = []
  for (const entry of entries)
    items.push(...(await collectItems(checkMetadataEntry(newRun('structure', false), place, entry, cx))).items)
  return items
}

/** Checks a file or folder of `__meta`. */
async function* checkMetadataEntry(run: CheckRun, place: MetadataPlace, entry: Entry, cx: ReadContext): Items {
  const { inside } = place
  const { name, kind } = entry
  const file = `${inside.path}/${name}`
  const parsed = kind === 'file' && hasTimes(name) ? parseTimestampedName(name) : undefined
  if (!parsed || (parsed.suffix !== undefined && parsed.suffix !== 'vac')) {
    yield* checkStray(run, inside, entry, TIMED_NAME, cx)
  } else if (parsed.suffix === 'vac') {
    run.counts.file_num++
    yield* guarded('METADATA_UNREADABLE', { file }, () => checkList(place, name))
  } else {
    yield* checkFuture('METADATA_FUTURE', file, cx)
    yield* checkedTileFile(run, cx, {
      folder: inside,
      path: name,
      describe: arrayMetadata,
      code: 'METADATA_UNREADABLE',
    })
  }
}

/** Checks a `.vac` file: the list of the files that a consolidation of metadata has replaced. */
async function* checkList({ inside, names, ofGroup }: MetadataPlace, name: string): Items {
  const file = `${inside.path}/${name}`
  const bytes = await withSource(inside.file(name), readAll)
  for (const { text, offset } of parseLines(bytes)) {
    const variant = ofGroup ? 'unusedLine' : 'refusedLine'
    if (vacuumPath(text) === undefined)
      yield finding('METADATA_UNREADABLE', { file, offset }, 'a path', JSON.stringify(text), variant)
    else if (names?.has(lastPathPart(text)) === false)
      yield finding('VACUUM_DANGLING', { file, offset }, 'a file that is there', JSON.stringify(text))
  }
}

/** Reports a file that TileDB does not read yet, because the second timestamp that it reads in its name is in the future. */
export function* checkFuture(
  code: 'METADATA_FUTURE' | 'GROUP_DETAILS_FUTURE',
  file: string,
  { now }: ReadContext,
): Generator<Item> {
  const ends = nameFacts(lastPathPart(file))?.timestamp_range[1]
  if (ends !== undefined && ends > now) yield futureFinding(code, { file }, ends, now)
}
