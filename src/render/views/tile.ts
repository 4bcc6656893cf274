import type { Output, Result } from '../../base/result.ts'
import { type Column, keyValues, type Pair, table } from '../table.ts'
import { formatCount, shortValue } from '../units.ts'
import { amount, type Document, type Fields, fieldList, fields, integer, text } from './narrow.ts'
import { fits, limitOf, line, section, TILES, title } from './parts.ts'
import { counted, countText, fieldName, ratioText, sizeText } from './wording.ts'

/** Hex digits of a digest: enough to compare by eye. */
const DIGEST = 12

const COLUMNS: readonly Column[] = [
  { name: 'chunk', align: 'right' },
  { name: 'offset', align: 'right' },
  { name: 'stage', role: stageRole },
  { name: 'bytes', align: 'right' },
  { name: 'filter metadata' },
]

/** A tile, its chunks, and what each filter made of them, in reading order. */
export async function tileTable(document: Document, full: boolean, out: Output): Promise<void> {
  const chunks = fieldList(document.chunks)
  const tile =
    document.tile === undefined
      ? `the tile at byte ${countText(document.offset)}`
      : `tile ${countText(document.tile)} of ${countText(document.tile_num)}`
  await title(document.path, `${fieldName(document.field)}, ${tile}`, out)
  await keyValues(facts(document), out)
  await section(chunks.length === 0 ? 'no chunks' : counted(chunks.length, 'chunk'), out)
  if (chunks.length === 0) return
  const shown = chunks.slice(0, limitOf(full, TILES, out))
  const rows = shown.flatMap(chunkRows)
  if (fits(COLUMNS, rows, out)) await table({ columns: COLUMNS, rows }, out)
  else for (const [index, chunk] of shown.entries()) await chunkLines(chunk, index, out)
  const left = chunks.length - shown.length
  if (left > 0) await line(`… ${formatCount(left)} more (--full shows all)`, out, 'dim')
}

function facts(document: Document): Pair[] {
  const { size, unfiltered_size, expected_size, extra_size } = document
  const fits = expected_size === undefined || unfiltered_size === expected_size
  const pairs: Pair[] = [
    ['file', `${text(document.file)} (${text(document.role)})`],
    ...(document.cell_num === undefined ? [] : [['cells', countText(document.cell_num)] as const]),
    ['offset', countText(document.offset)],
    ['size', sizeText(size)],
    [
      'unfiltered',
      fits ? `${sizeText(unfiltered_size)}, ratio ${ratioText(unfiltered_size, size)}` : sizeText(unfiltered_size),
    ],
  ]
  if (!fits && expected_size !== undefined) pairs.push(['expected', `${sizeText(expected_size)}, by the metadata`])
  if (document.string_offsets === true) pairs.push(['offsets', 'of the cells are inside this tile'])
  if (document.next_offset !== undefined) {
    const { next_offset } = document
    pairs.push(['next tile', next_offset === null ? 'none: the file ends here' : `at byte ${countText(next_offset)}`])
  }
  if (extra_size !== undefined) pairs.push(['behind the last chunk', sizeText(extra_size)])
  return pairs
}

/** The rows of a chunk where the terminal is too narrow for a table. */
async function chunkLines(chunk: Fields, index: number, out: Output): Promise<void> {
  await line(`chunk ${countText(index)} at ${countText(chunk.offset)}`, out)
  const pairs = chunkRows(chunk, index).map(
    ([, , stage, bytes, metadata]): Pair => [
      `  ${stage}`,
      [bytes === '' ? '' : `${bytes} bytes`, metadata].filter((part) => part !== '').join(': '),
    ],
  )
  await keyValues(pairs, out)
}

/** The chunk as stored, each filter undone, and what went wrong. */
function chunkRows(chunk: Fields, index: number): string[][] {
  const { offset, metadata_length, filtered_length } = chunk
  const stored = amount(metadata_length) + amount(filtered_length)
  const parts = `metadata ${countText(metadata_length)} + data ${countText(filtered_length)}`
  const rows = [[countText(index), countText(offset), 'stored', formatCount(stored), parts]]
  for (const stage of fieldList(chunk.stages)) {
    const bytes = `${countText(stage.input_length)} -> ${countText(stage.output_length)}`
    rows.push(['', '', text(stage.filter), bytes, metadataText(stage.metadata)])
  }
  const { message } = fields(chunk.error)
  if (message !== undefined) rows.push(['', '', 'error', '', text(message)])
  return rows
}

function stageRole(stage: string): 'field' | 'bad' | 'dim' {
  return stage === 'error' ? 'bad' : stage === 'stored' ? 'dim' : 'field'
}

/** `data e342e8fe97fc…`, `data 73 -> 64, metadata 17 -> 8`, `2 windows: 8, 16 bits`; other metadata as it is. */
function metadataText(metadata: Result | undefined): string {
  const { data_checksums, metadata_checksums, data_parts, metadata_parts, windows, ...others } = fields(metadata)
  const texts = [
    ...digests('data', data_checksums),
    ...digests('metadata', metadata_checksums),
    ...lengths('data', data_parts),
    ...lengths('metadata', metadata_parts),
    ...windowTexts(windows),
  ]
  for (const [key, value] of Object.entries(others)) {
    if (value !== undefined)
      texts.push(`${key} ${typeof value === 'string' ? cut(value, 2 * DIGEST) : shortValue(value, 40)}`)
  }
  return texts.join(', ')
}

function digests(of: string, checksums: Result | undefined): string[] {
  return fieldList(checksums).map(({ digest }) => `${of} ${cut(text(digest), DIGEST)}`)
}

function cut(hex: string, room: number): string {
  return hex.length > room ? `${hex.slice(0, room)}…` : hex
}

function lengths(of: string, parts: Result | undefined): string[] {
  return fieldList(parts).map(
    ({ original_length, compressed_length }) =>
      `${of} ${countText(compressed_length)} -> ${countText(original_length)}`,
  )
}

function windowTexts(windows: Result | undefined): string[] {
  const all = fieldList(windows)
  if (all.length === 0) return []
  const bits = all.map((window) => integer(window.bits))
  if (bits.includes(undefined)) return [counted(all.length, 'window')]
  const few = bits.slice(0, 8).join(', ')
  return [`${counted(all.length, 'window')} of ${few}${bits.length > 8 ? ', …' : ''} bits`]
}
