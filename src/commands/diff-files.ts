import { InspectError, orError, unlessFault } from '../base/errors.ts'
import { Lease } from '../base/memory.ts'
import type { Output } from '../base/result.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { AtDocument } from '../documents/at.ts'
import type { FileDiffByte, FileDiffDocument, FileDiffLine } from '../documents/file-diff.ts'
import { entrySize } from '../objects/file-sizes.ts'
import { openedOf, type Target } from '../objects/target.ts'
import { type ByteSource, Folder, withSource } from '../storage/source.ts'
import { filesBelow } from '../storage/walk.ts'

/** Bytes of each file that are read at a time; less if the memory is less. */
const PIECE = 1 << 20

/** Upper limit on the files for which `at` is asked what differs: it undoes a tile of each. */
const MAX_PLACES = 100

/** A file of a target. */
interface OneFile {
  folder: Folder
  name: string
  size: number
}

/** Compares the files of two targets, byte by byte. */
export async function diffFiles(cx: CommandContext, [a, left]: Given, [b, right]: Given): Promise<Outcome> {
  const [own, other] = [await filesOf(cx, left), await filesOf(cx, right)]
  // Of two files the names do not matter.
  if (left.type === 'file' && right.type === 'file') other.set(left.name, [...other.values()][0])
  const names = new Set(own.keys())
  if (left.type !== 'file') for (const name of other.keys()) names.add(name)
  const files: FileDiffLine[] = []
  let [same_num, same_size, place_num] = [0, 0, 0]
  const both = [...names].flatMap((name) => (own.has(name) && other.has(name) ? (own.get(name)?.size ?? 0) : []))
  const progress = cx.progress({ what: 'comparing files', unit: 'bytes', total: async () => sum(both, (size) => size) })
  let done = 0
  const count = (bytes: number): void => {
    done += bytes
    progress.update(done)
  }
  const lease = new Lease(cx.reading.memory)
  try {
    for (const name of [...names].sort(rising)) {
      const [one, two] = [own.get(name), other.get(name)]
      const line = await compared(cx, name, [one, two], { lease, count })
      if (!line) {
        same_num++
        same_size += one?.size ?? 0
        continue
      }
      if (line.first && one && two && place_num++ < MAX_PLACES)
        line.first = { ...line.first, ...(await placeOf(cx, [one, two], line.first.offset)) }
      files.push(line)
    }
  } finally {
    lease.release()
    progress.stop()
  }
  if (files.some(({ state }) => state !== 'not-compared')) cx.foundWrong()
  const document: FileDiffDocument = {
    ...documentHead('file-diff', cx.shownPath(a)),
    other: cx.shownPath(b),
    equal: files.length === 0,
    same_num,
    same_size,
    files,
  }
  return {
    kind: 'rows',
    document,
    rows: files,
    columns: () => COLUMNS,
    table: async (out: Output) => (await import('../render/views/file-diff.ts')).fileDiffTable(document, out),
  }
}

type Given = readonly [path: string, target: Target]

const COLUMNS: readonly (keyof FileDiffLine)[] = [
  ...(['name', 'state', 'size', 'other_size', 'differing_num', 'first', 'last'] as const),
]

/** All files of a target, by their paths in it. */
async function filesOf(cx: CommandContext, target: Target): Promise<Map<string, OneFile>> {
  const found = new Map<string, OneFile>()
  const add = (path: string, folder: Folder, name: string, size: number): void =>
    void found.set(path, { folder, name, size })
  if (target.type === 'file') {
    const { folder, name } = target
    add(name, folder, name, await withSource(folder.file(name), (source) => source.size()))
    return found
  }
  const top = openedOf(target)?.folder ?? new Folder(cx.storage, target.path)
  for await (const { folder, entry } of filesBelow(top, () => true)) {
    const path = `${folder.path}/${entry.name}`.slice(top.path.length + 1)
    add(path, folder, entry.name, await entrySize(folder, entry))
  }
  return found
}

/** The work that all files share. */
interface Work {
  lease: Lease
  /** Counts bytes that were compared. */
  count(bytes: number): void
}

/** How a file differs; undefined if it does not. */
async function compared(
  cx: CommandContext,
  name: string,
  [a, b]: readonly [OneFile | undefined, OneFile | undefined],
  work: Work,
): Promise<FileDiffLine | undefined> {
  const facts = { differing_num: null, first: null, last: null }
  const sizes = { size: a?.size ?? null, other_size: b?.size ?? null }
  if (!a || !b) return { name, state: a ? 'only-a' : 'only-b', ...sizes, ...facts }
  if (a.size !== b.size) return { name, state: 'size', ...sizes, ...facts }
  const found = await orError(() =>
    withSource(a.folder.file(a.name), (left) =>
      withSource(b.folder.file(b.name), (right) => differingBytes(cx, [left, right], a.size, work)),
    ),
  )
  if (found instanceof InspectError) {
    cx.fault(found)
    return { name, state: 'not-compared', ...sizes, ...facts }
  }
  return found && { name, state: 'bytes', ...sizes, ...found }
}

/** The bytes in which two files of one size differ, read piece by piece; undefined if they are the same. */
async function differingBytes(
  { reading }: CommandContext,
  [left, right]: readonly [ByteSource, ByteSource],
  size: number,
  { lease, count }: Work,
): Promise<Pick<FileDiffLine, 'differing_num' | 'first' | 'last'> | undefined> {
  const most = Math.max(1, Math.min(PIECE, size, Math.floor(reading.memory.room / 2)))
  lease.hold(2 * most)
  let first: FileDiffByte | undefined
  let [num, last] = [0, 0]
  for (let at = 0; at < size; at += most) {
    const length = Math.min(most, size - at)
    const [a, b] = [await left.read(at, length), await right.read(at, length)]
    for (let i = 0; i < length; i++) {
      if (a[i] === b[i]) continue
      first ??= { offset: at + i, byte: a[i], other_byte: b[i] }
      last = at + i
      num++
    }
    count(length)
    await reading.pause?.()
  }
  return first && { differing_num: num, first, last }
}

/** What `at` says of a byte: of the first file, unless the second one, which may be less damaged, tells more. */
async function placeOf(
  cx: CommandContext,
  files: readonly [OneFile, OneFile],
  offset: number,
): Promise<Omit<FileDiffByte, 'offset' | 'byte' | 'other_byte'>> {
  let best: AtDocument | undefined
  for (const file of files) {
    const found = await lookAt(cx, file, offset).catch(unlessFault)
    if (found && (!best || (found.cells && !best.cells))) best = found
    if (best?.cells) break
  }
  if (!best) return {}
  const { file_kind, field_path, cells, chain } = best
  const at = chain.findIndex(({ type }) => type === 'tile')
  const chunk = chain.findIndex(({ name }, i) => i > at && name === 'chunks') + 1
  const index = (i: number): number | undefined => (i > 0 && chain[i] ? Number(chain[i].name) : undefined)
  return { file_kind, field_path, tile: index(at), chunk: at > 0 ? index(chunk) : undefined, cells }
}

/** The document of `at`. Faults are not told: that the files differ is. */
async function lookAt(cx: CommandContext, { folder, name }: OneFile, offset: number): Promise<AtDocument | undefined> {
  const { command } = await import('./at.ts')
  const quiet: CommandContext = { ...cx, fault() {}, foundWrong() {}, note() {} }
  const path = cx.shownPath(`${folder.path}/${name}`)
  for await (const outcome of command.run(quiet, [path, String(offset)], { flips: false }))
    return outcome.kind === 'document' ? (outcome.document as AtDocument) : undefined
  return undefined
}
