import { gzipSync } from 'node:zlib'
import { concat } from '../base/bytes.ts'
import { unlessFault } from '../base/errors.ts'
import { formatSize } from '../render/units.ts'
import { readAll, withSource } from '../source/source.ts'
import { filesBelow } from '../source/walk.ts'
import type { Target } from '../store/target.ts'
import { command as check } from './check.ts'
import { collectedDocument } from './collected.ts'
import type { CommandContext } from './command.ts'
import { documentKey, packDocument, type ReportFile, type ReportHead } from './page-data.ts'
import { pageWasm, pageWith } from './page-html.ts'
import { type PageTree, pagePlaces, pageTree } from './page-places.ts'

/**
 * A report is the page with the bytes of the target's files. The page reads them as it reads any others, so that one program shows
 * reports, folders and URLs. A report needs no network. If bytes are left out, it also holds what `check` printed, because the page
 * cannot check files that it does not have.
 */

/** A file of the target. */
interface Found {
  /** Below the tree's folder. */
  path: string
  size: number
  /** As the storage reads it. */
  full: string
}

/** A large report begins with so many bytes, and so many from the end of each file: footers stand there. */
const FIRST_SIZE = 2 ** 20
const FIRST_OF_FILE = 2 ** 16

/**
 * The report of a target, in pieces.
 * @param shown the target as the user wrote it
 * @param most bytes of files that it may hold
 */
export async function report(
  cx: CommandContext,
  target: Target,
  shown: string,
  most: number,
): Promise<readonly Uint8Array[]> {
  const tree = pageTree(target)
  const found = await filesOf(cx, tree)
  const kept = new Set<Found>()
  let left = most
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
  const schemas = await schemasText(target)
  const wasm = await pageWasm((filter) => schemas === undefined || schemas.includes(filter))
  const places = pagePlaces('report', tree, target, shown, cx.reading.now, wasm)
  const leftOut = files.filter(({ isLeftOut }) => isLeftOut)
  if (leftOut.length > 0) {
    const size = leftOut.reduce((sum, file) => sum + file.size, 0)
    cx.note(
      `${leftOut.length} of ${files.length} files are left out of the report (${formatSize(size)}): a larger --max-size takes more`,
    )
  }
  const documents = leftOut.length > 0 ? await checkedDocument(cx, places.path, shown) : {}
  return page({ ...places, files, documents }, bytes, rest)
}

function page(head: ReportHead, bytes: readonly Uint8Array[], rest: readonly Uint8Array[]): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length, true)
  const packed = (parts: readonly Uint8Array[]): string => gzipSync(concat(parts)).toString('base64')
  const later = rest.length > 0 ? packed(rest) : ''
  return pageWith(packed([length, text, ...bytes]), "'none'", later).map((part) => Buffer.from(part))
}

/**
 * What comes first in a large report: enough for the page to show something, long before the browser has read the rest.
 * @param kept in the order of use
 * @returns how many bytes of a file's end come first, undefined for all
 */
function firstOf(kept: ReadonlySet<Found>): (file: Found) => number | undefined {
  const all = [...kept]
  if (all.reduce((sum, { size }) => sum + size, 0) <= FIRST_SIZE) return () => undefined
  const found = new Map<Found, number | undefined>()
  let left = FIRST_SIZE
  for (const file of all) {
    if (isData(file)) break
    const first = Math.min(left, file.size, FIRST_OF_FILE)
    left -= first
    found.set(file, first === file.size ? undefined : first)
  }
  return (file) => (found.has(file) ? found.get(file) : 0)
}

async function filesOf(cx: CommandContext, { folder, only }: PageTree): Promise<Found[]> {
  const found: Found[] = []
  for await (const { folder: around, entry } of filesBelow(folder, () => true)) {
    const full = `${around.path}/${entry.name}`
    const path = full.slice(folder.path.length + 1)
    if (only !== undefined && path !== only) continue
    const size = entry.size ?? (await withSource(cx.storage.open(full), (source) => source.size()))
    found.push({ path, size, full })
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function isData({ path }: Found): boolean {
  return /\.tdb$/.test(path) && !/(^|\/)__[^/]*\.tdb$/.test(path)
}

/** Metadata first, because every view needs it; then small files before large ones. */
function inOrderOfUse(files: readonly Found[]): Found[] {
  return [...files].sort((a, b) => Number(isData(a)) - Number(isData(b)) || a.size - b.size)
}

async function checkedDocument(cx: CommandContext, path: string, shown: string): Promise<Record<string, unknown>> {
  const quiet: CommandContext = Object.create(cx, { fault: { value: () => {} }, note: { value: () => {} } })
  const documents: Record<string, unknown> = {}
  for await (const outcome of check.run(quiet, [shown], {}))
    documents[documentKey('check', path, {})] = JSON.parse(
      JSON.stringify(await collectedDocument(outcome), packDocument),
    )
  return documents
}

/** The array's schemas as text, to look up names of filters in; undefined if they cannot be read. */
async function schemasText(target: Target): Promise<string | undefined> {
  const { array } = { array: undefined, ...target }
  if (!array) return undefined
  try {
    const files = await array.schemaFiles()
    const schemas = await Promise.all(files.map(({ name }) => array.schema(name)))
    return JSON.stringify(schemas, packDocument)
  } catch (error) {
    unlessFault(error)
    return undefined
  }
}
