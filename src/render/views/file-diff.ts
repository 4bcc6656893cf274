import { byteDigits } from '../../base/byte-text.ts'
import type { Output } from '../../base/result.ts'
import type { FileDiffByte, FileDiffDocument, FileDiffLine } from '../../documents/file-diff.ts'
import { writeHeading, writeKeyValues } from '../table.ts'
import { escapeText } from '../units.ts'
import { cellPairs } from './at-pairs.ts'
import { limitOf, ROWS, shortPlace, writeLine, writeMore } from './parts.ts'
import { counted, countText } from './wording.ts'

/** Shows the files that differ, and where. */
export async function fileDiffTable(document: FileDiffDocument, out: Output): Promise<void> {
  const { path, other, same_num, same_size, files } = document
  await writeHeading('comparison of files', out)
  await writeKeyValues(Object.entries({ a: path, b: other }), out)
  const same = `${counted(same_num, 'file')} the same, ${bytesText(same_size)}`
  if (files.length === 0) {
    await writeLine(`EQUAL: ${same}`, out, 'good')
    return
  }
  const most = limitOf(ROWS, out) ?? files.length
  for (const line of files.slice(0, most)) await writeFile(line, out)
  await writeMore(files.length - Math.min(files.length, most), out)
  await writeLine(`${counted(files.length, 'file')} not the same; ${same}`, out, 'bad')
}

async function writeFile({ name, first, ...line }: FileDiffLine, out: Output): Promise<void> {
  await writeLine(shortPlace(name, 0, out), out, 'field')
  await writeLine(`  ${stateText(line)}`, out)
  if (first)
    await writeKeyValues(
      placePairs(first).map(([key, value]) => [`  ${key}`, value]),
      out,
    )
}

function stateText({ state, size, other_size, differing_num, last }: Omit<FileDiffLine, 'name' | 'first'>): string {
  switch (state) {
    case 'only-a':
      return `only in a, ${bytesText(size ?? 0)}`
    case 'only-b':
      return `only in b, ${bytesText(other_size ?? 0)}`
    case 'size':
      return `${bytesText(size ?? 0)} in a, ${bytesText(other_size ?? 0)} in b`
    case 'not-compared':
      return 'not compared: it cannot be read'
    case 'bytes':
      return differingText(differing_num ?? 0, size ?? 0, last ?? 0)
  }
}

function differingText(num: number, size: number, last: number): string {
  const of = `of ${bytesText(size)}`
  return num === 1 ? `1 ${of} differs` : `${countText(num)} ${of} differ, the last at ${countText(last)}`
}

function placePairs({
  offset,
  byte,
  other_byte,
  file_kind,
  field_path,
  chunk,
  cells,
}: FileDiffByte): [string, string][] {
  const values = `byte ${countText(offset)}: 0x${byteDigits(byte)} in a, 0x${byteDigits(other_byte)} in b`
  const what = [file_kind, field_path && escapeText(field_path)].filter(Boolean).join(', ')
  const pairs = cells ? cellPairs(cells) : []
  const texts = pairs.flatMap((pair): [string, string][] => (pair ? [[pair[0], String(pair[1])]] : []))
  const [first, ...more] = texts
  const inChunk = chunk === undefined || !first ? '' : `, in chunk ${countText(chunk)}`
  return [
    ['first at', values],
    ...(what === '' ? [] : [['it is', what] as [string, string]]),
    ...(first ? [[first[0], first[1] + inChunk] as [string, string]] : []),
    ...more,
  ]
}

function bytesText(size: number): string {
  return counted(size, 'byte')
}
