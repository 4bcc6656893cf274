import { gzipSync } from 'node:zlib'
import { concat } from '../base/bytes.ts'
import { unlessFault } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import { collectedDocument } from '../calls/collected.ts'
import type { CommandContext } from '../calls/command.ts'
import { layeredTarget } from '../calls/layer-part.ts'
import { documentKey, packDocument, type ReportFile, type ReportHead } from '../calls/page-data.ts'
import type { InspectArray } from '../objects/array.ts'
import type { Target } from '../objects/target.ts'
import { formatSize } from '../render/units.ts'
import { readAll, withSource } from '../storage/source.ts'
import { filesBelow } from '../storage/walk.ts'
import { command as check } from './check.ts'
import { type PageSubject, type PageTree, pagePlaces, pageWasm, type ReportNeeds, reportPage } from './page-html.ts'

/**
 * A report is the page with the bytes of the target's files. The page reads these bytes as it reads those of folders and URLs. A
 * report needs no network. If bytes are left out, the report also holds what `check` prints: the page cannot check files that
 * it does not have.
 */

/** A file of the target. */
interface TargetFile {
  /** Path below the tree's folder. */
  path: string
  /** In bytes. */
  size: number
  /** Path by which the storage reads it. */
  full: string
}

/** How often memory holds the bytes of a report: as they are, all together, compressed, and as text. */
const TIMES_HELD = 6

/** Largest number of bytes that a large report has in front of its program. */
const FIRST_SIZE = 2 ** 20
/** Largest part of that for one file: the end of the file, where its footer is. */
const FIRST_OF_FILE = 2 ** 16

/**
 * The report of a target, in pieces.
 * @param shown the target as the user wrote it
 * @param most largest number of bytes of files that it may hold
 */
export async function report(
  cx: CommandContext,
  subject: PageSubject,
  shown: string,
  most: number,
): Promise<readonly Uint8Array[]> {
  const { target } = subject
  const found = await filesOf(cx, subject)
  const kept = new Set<TargetFile>()
  const room = Math.floor(cx.reading.memory.facts.bytes / TIMES_HELD)
  let left = Math.min(most, room)
  for (const file of inOrderOfUse(found)) {
    if (file.size > left) continue
    left -= file.size
    kept.add(file)
  }
  const firsts = firstOf(kept)
  const files: ReportFile[] = []
  const bytes: Uint8Array[] = []
  const rest: Uint8Array[] = []
  for (const file of found) {
    if (!kept.has(file)) {
      files.push({ path: file.path, size: file.size, isLeftOut: true })
      continue
    }
    const read = await withSource(cx.storage.open(file.full), readAll)
    const first = firsts(file)
    bytes.push(first === undefined ? read : read.subarray(read.length - Math.min(first, read.length)))
    if (first !== undefined) rest.push(read)
    files.push({
      path: file.path,
      size: read.length,
      ...(first !== undefined && { first: bytes[bytes.length - 1].length }),
    })
  }
  const schemas = target && (await schemasText(cx, target, found))
  // Filters of GenomicsDB are not undone by those of TileDB.
  const needs = (filter: string): boolean => target !== undefined && (schemas === undefined || schemas.includes(filter))
  const wasm = pageWasm(needs)
  const places = pagePlaces('report', subject, { shown, made: cx.reading.now, wasm })
  const leftOut = files.filter(({ isLeftOut }) => isLeftOut)
  if (leftOut.length > 0) {
    const size = formatSize(sum(leftOut, (file) => file.size))
    const count = `${leftOut.length} of ${files.length} files`
    cx.note(
      `${count} ${leftOut.length === 1 ? 'is' : 'are'} left out of the report (${size}): a larger ${room < most ? '--memory' : '--max-size'} takes more`,
    )
  }
  const documents = leftOut.length > 0 && target ? await checkedDocument(cx, places.path, shown) : {}
  const layers = target !== undefined && (target.type === 'group' || (await layeredTarget(target)) !== undefined)
  // A key may be given for what has none; without one, what is encrypted has no schema that can be read.
  const encryption = target !== undefined && (schemas === undefined || cx.reading.key !== undefined)
  const has = {
    layers,
    genomicsdb: target === undefined,
    webp: needs('WEBP'),
    encryption,
    places: false,
  }
  return page({ ...places, files, documents }, bytes, rest, has)
}

function page(
  head: ReportHead,
  bytes: readonly Uint8Array[],
  rest: readonly Uint8Array[],
  needs: ReportNeeds,
): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length, true)
  const packed = (parts: readonly Uint8Array[]): string => gzipSync(concat(parts)).toString('base64')
  const later = rest.length > 0 ? packed(rest) : ''
  return reportPage(packed([length, text, ...bytes]), later, needs).map((part) => Buffer.from(part))
}

/**
 * Chooses what comes first in a large report, so that the page shows something while the browser still reads the rest.
 * @param kept the files in the order in which the page needs them
 * @returns a function that gives how many bytes of a file's end come first; undefined for the whole file
 */
function firstOf(kept: ReadonlySet<TargetFile>): (file: TargetFile) => number | undefined {
  const all = [...kept]
  if (sum(all, ({ size }) => size) <= FIRST_SIZE) return () => undefined
  const found = new Map<TargetFile, number | undefined>()
  let left = FIRST_SIZE
  for (const file of all) {
    if (isData(file)) break
    const first = Math.min(left, file.size, FIRST_OF_FILE)
    left -= first
    found.set(file, first === file.size ? undefined : first)
  }
  return (file) => (found.has(file) ? found.get(file) : 0)
}

async function filesOf(cx: CommandContext, { folder, only }: PageTree): Promise<TargetFile[]> {
  const found: TargetFile[] = []
  for await (const { folder: around, entry } of filesBelow(folder, () => true)) {
    const full = `${around.path}/${entry.name}`
    const path = full.slice(folder.path.length + 1)
    if (only !== undefined && path !== only) continue
    const size = entry.size ?? (await withSource(cx.storage.open(full), (source) => source.size()))
    found.push({ path, size, full })
  }
  return found.sort((a, b) => rising(a.path, b.path))
}

function isData({ path }: TargetFile): boolean {
  return /\.tdb$/.test(path) && !/(^|\/)__[^/]*\.tdb$/.test(path)
}

/** The files in the order in which the page needs them: metadata for every view first, then small files before large ones. */
function inOrderOfUse(files: readonly TargetFile[]): TargetFile[] {
  return [...files].sort((a, b) => Number(isData(a)) - Number(isData(b)) || a.size - b.size)
}

/** The document of `check`, by its key in a report. */
async function checkedDocument(cx: CommandContext, path: string, shown: string): Promise<Record<string, unknown>> {
  const quiet: CommandContext = Object.create(cx, {
    fault: { value: () => {} },
    foundWrong: { value: () => {} },
    note: { value: () => {} },
  })
  const documents: Record<string, unknown> = {}
  for await (const outcome of check.run(quiet, [shown], {}))
    documents[documentKey('check', path, {})] = JSON.parse(
      JSON.stringify(await collectedDocument(outcome), packDocument),
    )
  return documents
}

/** Most arrays of a group whose schemas are read: a report of more has the whole program. */
const MAX_ARRAYS = 200
/** The folder of an array before the folder of its schemas. */
const ARRAY_OF_SCHEMA = /^(.+)\/__schema\/[^/]+$/

/** The schemas of all arrays in a report as text, which has the names of their filters; undefined if one cannot be read. */
async function schemasText(
  cx: CommandContext,
  target: Target,
  found: readonly TargetFile[],
): Promise<string | undefined> {
  const { array } = { array: undefined, ...target }
  if (array) return arraySchemasText(array)
  const folders = new Set(found.flatMap(({ full }) => ARRAY_OF_SCHEMA.exec(full)?.[1] ?? []))
  if (target.type !== 'group' || folders.size === 0 || folders.size > MAX_ARRAYS) return undefined
  const texts: (string | undefined)[] = []
  for (const folder of folders) {
    const inside = await cx.open(folder).catch(unlessFault)
    texts.push(inside?.type === 'array' ? await arraySchemasText(inside.array) : undefined)
  }
  return texts.includes(undefined) ? undefined : texts.join()
}

async function arraySchemasText(array: InspectArray): Promise<string | undefined> {
  try {
    const files = await array.schemaFiles()
    const schemas = await Promise.all(files.map(({ name }) => array.schema(name)))
    return JSON.stringify(schemas, packDocument)
  } catch (error) {
    return unlessFault(error)
  }
}
