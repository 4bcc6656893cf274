import { groupBy } from '../../base/group-by.ts'
import { relativePath } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import type { VerifyChecksumsDocument, VerifyChecksumsLine } from '../../documents/verify-checksums.ts'
import type { Role } from '../color.ts'
import { type Pair, writeHeading, writeKeyValues } from '../table.ts'
import { limitOf, ROWS, type Shows, shownList, writeLine, writeSection, writeTableOrBelow } from './parts.ts'
import { counted, countText, NOTHING, shardPrefix } from './wording.ts'

type Document = VerifyChecksumsDocument & { readonly failures: readonly VerifyChecksumsLine[] }

/** Shows the verdict, then what was examined, the failures, and the files without checksums. */
export async function verifyTable(document: Document, out: Output): Promise<void> {
  const { path, failures, not_examined } = document
  const unprotected = [...document.unprotected_files]
  const [verdict, role] = verdictText(document, unprotected.length)
  await writeHeading(path, out)
  await writeLine(`${shardPrefix(document.shard)}${verdict}`, out, role)
  await writeKeyValues(counts(document), out)
  const limit = limitOf(ROWS, out)
  if (failures.length > 0) {
    await writeSection(counted(failures.length, 'failure'), out)
    await writeTableOrBelow({ ...shownList(failureColumns(path), failures), limit }, out)
  }
  if (unprotected.length > 0) {
    await writeSection(`${counted(unprotected.length, 'data file')} without a checksum`, out)
    await writeFiles(
      unprotected.map((file) => relativePath(file, path)),
      limit,
      out,
    )
  }
  if (not_examined.length > 0) {
    await writeSection('not examined', out)
    for (const { file, message } of not_examined)
      await writeLine(`  ${file === undefined ? message : `${file}: ${message}`}`, out, 'bad')
  }
  await writeNotes(document, unprotected.length, out)
}

function verdictText(document: Document, unprotected: number): [string, Role] {
  const { verdict, ok, failures, not_examined } = document
  const gaps = [
    unprotected > 0 ? `${counted(unprotected, 'data file')} without a checksum` : '',
    not_examined.length > 0 ? `${countText(not_examined.length)} not examined` : '',
  ].filter((gap) => gap !== '')
  const gapsText = gaps.length === 0 ? '' : `; ${gaps.join(', ')}`
  const says = {
    damaged: `DAMAGED: ${counted(failures.length, 'failure')}`,
    verified: 'VERIFIED: every checksum fits, and every data file has them',
    partly: `PARTLY VERIFIED: every checksum${not_examined.length > 0 ? ' that was examined' : ''} fits${gapsText}`,
    'nothing-to-verify': `NOTHING TO VERIFY: ${skippedAll(document) ? 'TileDB reads no fragment' : 'there are no checksums'}${gapsText}`,
    'not-examined': `NOT FULLY EXAMINED: no checksum could be compared${gapsText}`,
  }[verdict]
  if (verdict === 'damaged') return [says, 'bad']
  const unknown = not_examined.some(({ code }) => code === 'UNSUPPORTED_VERSION')
  if (!ok) return [`NOT OK: ${unknown ? 'a format version is unknown' : 'checksums are required'}. ${says}`, 'bad']
  return [says, verdict === 'verified' ? 'good' : 'number']
}

/** Whether all fragments were skipped. */
function skippedAll({ fragment_num, skipped_fragment_num }: Document): boolean {
  return fragment_num === 0 && skipped_fragment_num > 0
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

function failureColumns(root: string): Shows<VerifyChecksumsLine>[] {
  return [
    { name: 'file', role: 'field', cell: ({ file }) => relativePath(file, root) },
    { name: 'tile', align: 'right', cell: ({ tile }) => countText(tile) },
    { name: 'chunk', align: 'right', cell: ({ chunk }) => countText(chunk) },
    { name: 'filter', cell: ({ filter }) => filter ?? NOTHING },
    { name: 'offset', align: 'right', cell: ({ offset }) => countText(offset) },
    { name: 'message', role: 'bad', cell: ({ message }) => message },
  ]
}

/** Writes files by folder, a line for each folder. @param limit upper limit on the folders */
async function writeFiles(files: readonly string[], limit: number | undefined, out: Output): Promise<void> {
  const folders = groupBy(files, (file) => file.slice(0, file.lastIndexOf('/') + 1))
  const shown = Array.from(folders).slice(0, limit)
  for (const [folder, paths] of shown) {
    if (folder !== '') await writeLine(folder, out)
    await writeKeyValues([['', paths.map((path) => path.slice(folder.length)).join(', ')]], out)
  }
  const left = files.length - shown.reduce((sum, [, paths]) => sum + paths.length, 0)
  if (left > 0) await writeLine(`… ${counted(left, 'more file', 'more files')} (--full shows all)`, out, 'dim')
}

/** Writes what the verdict does not cover. */
async function writeNotes(document: Document, unprotected: number, out: Output): Promise<void> {
  const { deep, unprotected_metadata_file_num: metadata, skipped_fragment_num: skipped } = document
  const lines: string[] = []
  if (skipped > 0) {
    const [were, them] = skipped === 1 ? ['was', 'it'] : ['were', 'them']
    lines.push(`${counted(skipped, 'fragment')} that TileDB does not read ${were} skipped; --all verifies ${them}.`)
  }
  if (metadata > 0) {
    const have = metadata === 1 ? 'has' : 'have'
    lines.push(`${counted(metadata, 'metadata file')} ${have} no checksum: only metadata of encrypted arrays has one.`)
  }
  if (unprotected > 0) {
    lines.push(
      deep
        ? 'Files without a checksum were read, too: every filter undone, sizes compared with the metadata.'
        : 'Files without a checksum were not read: --deep undoes their filters and compares sizes.',
    )
  }
  if (lines.length > 0) await out.write('\n')
  for (const one of lines) await writeLine(one, out, 'dim')
}
