import { type ErrorCode, unlessCode } from '../base/errors.ts'
import { checkTarget } from '../check/check.ts'
import { type FindingCode, needsCells } from '../check/codes.ts'
import type { Item } from '../check/finding.ts'
import { newRun } from '../check/run.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import { LABELS_FOLDER } from '../objects/array.ts'
import { closeTarget, openTarget, type Target } from '../objects/target.ts'
import { MemoryStorage } from '../storage/memory.ts'
import { type Folder, readAll, withSource } from '../storage/source.ts'
import { filesBelow } from '../storage/walk.ts'
import { isGroup } from './files.ts'
import { BITS, contextOf, type Detectors, detectorOf, filterNamed } from './flip.ts'
import type { PartSettings } from './part.ts'

/** What `check --level cells` finds for each flipped bit of a byte, lowest bit first. */
export interface CheckedFlips {
  /** Names as in {@link Detectors}. */
  detectors: Detectors
  /** Codes of the findings, or of the errors that stop `check`. */
  codes: readonly (readonly (FindingCode | ErrorCode)[])[]
  /** The codes that `check` finds here only with `--level cells`. Flips elsewhere may lead to the same codes without that level. */
  ofCells: readonly FindingCode[]
  /** Whether only `check --all` finds them, because nothing in the array uses the file. */
  unused: boolean
}

/** Size limit of an array that is copied into memory, in bytes. It is checked up to nine times per level. */
const MAX_BYTES = 2 << 20
const MAX_FILES = 1000
const EACH_BIT = Array.from({ length: BITS }, (_, bit) => bit)

/**
 * Copies the array into memory, flips each bit of one byte in the copy, and checks it. Leaves out fragments that do not contain
 * the byte. Ignores findings that the array has without the flip.
 *
 * @param wanted bits to flip
 * @returns one list for each bit; undefined if the copy is too large, folders cannot be listed, or a key is missing
 */
export async function checkedFlips(
  target: Target & { type: 'file' },
  offset: number,
  settings: PartSettings,
  wanted: readonly number[] = EACH_BIT,
): Promise<CheckedFlips | undefined> {
  const root = await rootOf(target)
  if (!root) return undefined
  const files = await contents(root, target.fragment?.folder.path)
  const bytes = files?.get(target.path)
  if (!files || !bytes || offset >= bytes.length) return undefined
  const flippedBytes = bytes.slice()
  files.set(target.path, flippedBytes)
  const storage = new MemoryStorage(files)
  const filesSeen = new Map<boolean, number>()
  const checkCopy = async (all: boolean): Promise<Item[]> => {
    const found: Item[] = []
    const run = newRun('cells', all)
    const copy = await openTarget(storage, root.path, contextOf(settings))
    for await (const item of checkTarget(run, copy)) found.push(item)
    await closeTarget(copy)
    if (!filesSeen.has(all)) filesSeen.set(all, run.counts.file_num)
    return found
  }
  const flips = async (all: boolean): Promise<CheckedFlips | undefined> => {
    const before = await checkCopy(all)
    if (before.some((item) => 'notExamined' in item && /_KEY$|^KEY_/.test(item.notExamined.code))) return undefined
    // A check that opens no more files finds no more.
    if (all && filesSeen.get(true) === filesSeen.get(false)) return undefined
    const known = new Set(before.map(identity))
    const detectors: string[][] = []
    const codes: (FindingCode | ErrorCode)[][] = []
    const levels = { cells: new Set<FindingCode>(), others: new Set<string>() }
    for (const bit of wanted) {
      flippedBytes[offset] ^= 1 << bit
      const fresh = (await checkCopy(all)).filter((item) => !known.has(identity(item)))
      flippedBytes[offset] ^= 1 << bit
      // The finding about an unreadable schema covers the files that need it.
      const causes = fresh.filter((item) => !('notExamined' in item && item.notExamined.code === 'NO_SCHEMA'))
      detectors.push([...new Set((causes.length > 0 ? causes : fresh).map(detectorOfItem))])
      for (const item of fresh) {
        if ('notExamined' in item) continue
        levels[needsCells(item.code) || item.cell !== undefined ? 'cells' : 'others'].add(item.code)
      }
      codes.push([...new Set(fresh.map((item) => ('notExamined' in item ? item.notExamined.code : item.code)))])
    }
    const ofCells = [...levels.cells].filter((code) => !levels.others.has(code))
    return { detectors, codes, ofCells, unused: all }
  }
  const used = await flips(false)
  if (!used || used.codes.some((found) => found.length > 0)) return used
  const all = await flips(true)
  return all?.codes.some((found) => found.length > 0) ? all : used
}

/** The folder to check: the array that contains the file or its label array, a group, or a fragment outside of arrays. */
async function rootOf({ array, fragment, folder }: Target & { type: 'file' }): Promise<Folder | undefined> {
  if (array) {
    const around = array.folder.parent()
    return (around?.name === LABELS_FOLDER ? around.parent() : undefined) ?? array.folder
  }
  if (fragment) return fragment.folder
  let at: Folder | undefined = folder
  for (let up = 0; at && up < 3; up++) {
    if (await isGroup(at)) return at
    at = at.parent()
  }
  return undefined
}

/**
 * The bytes of every file, by path; undefined if they are too many.
 * @param only the only fragment to read; undefined for all fragments
 */
async function contents(root: Folder, only: string | undefined): Promise<Map<string, Uint8Array> | undefined> {
  const files = new Map<string, Uint8Array>()
  let left = MAX_BYTES
  const wanted = (path: string, name: string): boolean =>
    only === undefined || `${root.path}/${path}` === only || !parseFragmentName(name)
  try {
    for await (const { folder, entry } of filesBelow(root, wanted)) {
      const bytes = await withSource(folder.file(entry.name), async (source) => {
        left -= await source.size()
        return left < 0 ? undefined : readAll(source)
      })
      if (!bytes || files.size >= MAX_FILES) return undefined
      files.set(`${folder.path}/${entry.name}`, bytes)
    }
    return files
  } catch (error) {
    return unlessCode('NO_LISTING')(error)
  }
}

/** A text that is the same for the same finding. */
function identity(item: Item): string {
  if (!('notExamined' in item)) return JSON.stringify(item)
  const { code, message, at } = item.notExamined
  return JSON.stringify([code, message, at])
}

/** Codes whose field names the structure that notices the flip. For all other codes, the name is the code itself. */
const FIELD_NAMES_DETECTOR = /_UNREADABLE$|^GENERIC_TILE|^FOOTER_|^SCHEMA_|^CONSOLIDATED_|^RTREE_|^TILE_OFFSETS/
/** Codes about the metadata's lists of tiles. Their field begins with the name of the list. */
const FIELD_BEGINS_WITH_LIST = /^(?:SECTION_(?!UNREADABLE)|STATISTICS_)|^(?:TILE|FRAGMENT)_(?:MIN|SUM|NULL)/

/** What notices a flip, by its finding. */
function detectorOfItem(item: Item): string {
  if ('notExamined' in item) return detectorOf(item.notExamined)
  const { code, field } = item
  const filter = filterNamed(field)
  if (code === 'CHECKSUM_MISMATCH') return filter ?? 'AES_256_GCM'
  const steps = field?.split('.').filter((step) => !/^\d+$/.test(step)) ?? []
  if (FIELD_BEGINS_WITH_LIST.test(code))
    return /^(tile|fragment)_(?:min|max)(?=_values)/.exec(field ?? '')?.[0].concat('s') ?? steps[0] ?? code
  if (!FIELD_NAMES_DETECTOR.test(code)) return code
  // The list's name comes before that of the field.
  const name = code === 'SECTION_UNREADABLE' && steps.length <= 2 ? steps[0] : steps.at(-1)
  return filter ?? name ?? code
}
