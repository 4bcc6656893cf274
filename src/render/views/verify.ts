import type { Output } from '../../base/result.ts'
import type { Role } from '../color.ts'
import { type Column, heading, keyValues, type Pair } from '../table.ts'
import { amount, type Document, type Fields, fieldList, list, text } from './narrow.ts'
import { limitOf, line, ROWS, section, tableOrBelow } from './parts.ts'
import { counted, countText, NOTHING } from './wording.ts'

/** The verdict first, then what it stands on, what failed, and what no checksum guards. */
export async function verifyTable(document: Document, full: boolean, out: Output): Promise<void> {
  const failures = fieldList(document.failures)
  const unprotected = Array.from(list(document.unprotected_files), text)
  const notExamined = fieldList(document.not_examined)
  const [verdict, role] = verdictText(document, failures.length, unprotected.length, notExamined.length)
  await heading(document.path, out)
  await line(verdict, out, role)
  await keyValues(counts(document), out)
  const limit = limitOf(full, ROWS, out)
  if (failures.length > 0) {
    await section(counted(failures.length, 'failure'), out)
    await failureTable(failures, document.path, limit, out)
  }
  if (unprotected.length > 0) {
    await section(`${counted(unprotected.length, 'data file')} without a checksum`, out)
    await fileLines(
      unprotected.map((file) => inside(file, document.path)),
      limit,
      out,
    )
  }
  if (notExamined.length > 0) {
    await section('not examined', out)
    for (const { file, message } of notExamined) await line(`  ${placed(text(file), text(message))}`, out, 'bad')
  }
  await notes(document, unprotected.length, out)
}

function verdictText(document: Document, failures: number, unprotected: number, notExamined: number): [string, Role] {
  const { verdict, ok } = document
  if (verdict === 'damaged') return [`DAMAGED: ${counted(failures, 'failure')}`, 'bad']
  const gaps = [
    unprotected > 0 ? `${counted(unprotected, 'data file')} without a checksum` : '',
    notExamined > 0 ? `${countText(notExamined)} not examined` : '',
  ].filter((gap) => gap !== '')
  const but = gaps.length === 0 ? '' : `; ${gaps.join(', ')}`
  const says =
    verdict === 'verified'
      ? 'VERIFIED: every checksum fits, and every data file has them'
      : verdict === 'partly'
        ? `PARTLY VERIFIED: every checksum fits${but}`
        : verdict === 'nothing-to-verify'
          ? `NOTHING TO VERIFY: ${skippedAll(document) ? 'TileDB reads no fragment' : 'there are no checksums'}${but}`
          : text(verdict)
  if (ok === false) return [`NOT OK: checksums are required. ${says}`, 'bad']
  return [says, verdict === 'verified' ? 'good' : 'number']
}

/** Whether fragments lie there, and none was looked at. */
function skippedAll(document: Document): boolean {
  return amount(document.fragment_num) === 0 && amount(document.skipped_fragment_num) > 0
}

function counts(document: Document): Pair[] {
  return [
    ['fragments', countText(document.fragment_num)],
    ['files', countText(document.file_num)],
    ['tiles', countText(document.tile_num)],
    ['chunks', countText(document.chunk_num)],
    ['checksums', countText(document.checksum_num)],
  ]
}

async function failureTable(
  failures: readonly Fields[],
  root: string,
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const columns: Column[] = [
    { name: 'file', role: 'field' },
    { name: 'tile', align: 'right' },
    { name: 'chunk', align: 'right' },
    { name: 'filter' },
    { name: 'offset', align: 'right' },
    { name: 'failure', role: 'bad' },
  ]
  const rows = failures.map((failure) => [
    inside(text(failure.file), root),
    countText(failure.tile),
    countText(failure.chunk),
    text(failure.filter) || NOTHING,
    countText(failure.offset),
    text(failure.message),
  ])
  await tableOrBelow({ columns, rows, limit }, out)
}

/** Files by folder, a line each with the names of its files. `limit` is one of folders. */
async function fileLines(files: readonly string[], limit: number | undefined, out: Output): Promise<void> {
  const folders = new Map<string, string[]>()
  for (const file of files) {
    const slash = file.lastIndexOf('/')
    const folder = file.slice(0, slash + 1)
    const names = folders.get(folder)
    if (names === undefined) folders.set(folder, [file.slice(slash + 1)])
    else names.push(file.slice(slash + 1))
  }
  const shown = Array.from(folders).slice(0, limit)
  for (const [folder, names] of shown) {
    if (folder !== '') await line(folder, out)
    await keyValues([['', names.join(', ')]], out)
  }
  const left = files.length - shown.reduce((sum, [, names]) => sum + names.length, 0)
  if (left > 0) await line(`… ${counted(left, 'more file', 'more files')} (--full shows all)`, out, 'dim')
}

/** What "ok" does not say. */
async function notes(document: Document, unprotected: number, out: Output): Promise<void> {
  const metadata = amount(document.unprotected_metadata_files)
  const lines: string[] = []
  const skipped = amount(document.skipped_fragment_num)
  if (skipped > 0) {
    const [were, them] = skipped === 1 ? ['was', 'it'] : ['were', 'them']
    lines.push(`${counted(skipped, 'fragment')} that TileDB does not read ${were} skipped; --all verifies ${them}.`)
  }
  if (metadata > 0) {
    const carry = metadata === 1 ? 'carries' : 'carry'
    lines.push(`${counted(metadata, 'metadata file')} ${carry} no checksum: only encrypted arrays have them there.`)
  }
  if (unprotected > 0) {
    lines.push(
      document.deep === true
        ? 'Files without a checksum were read, too: every filter undone, sizes compared with the metadata.'
        : 'Files without a checksum were not read: --deep undoes their filters and compares sizes.',
    )
  }
  if (lines.length > 0) await out.write('\n')
  for (const one of lines) await line(one, out, 'dim')
}

function placed(file: string, message: string): string {
  return file === '' ? message : `${file}: ${message}`
}

/** A path below the target, as seen from there. */
function inside(path: string, root: string): string {
  const start = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(start) ? path.slice(start.length) : path
}
