import { grammatical } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type {
  TileChunk,
  TileDigest,
  TileDocument,
  TileFilterMetadata,
  TileFilterMetadataWindow,
  TilePart,
} from '../../documents/tile.ts'
import { type Column, type Pair, type Pairs, writeKeyValues, writeTable } from '../table.ts'
import { formatCount, shortValue } from '../units.ts'
import { fits, limitOf, TILES, writeLine, writeMore, writeSection, writeTitle } from './parts.ts'
import { counted, countText, fieldName, fullSizeText, ratioText } from './wording.ts'

/** Number of hex digits that are shown of a digest. */
const DIGEST = 12

const COLUMNS: readonly Column[] = [
  { name: 'chunk', align: 'right' },
  { name: 'offset', align: 'right' },
  { name: 'stage', role: stageRole },
  { name: 'bytes', align: 'right' },
  { name: 'filter metadata' },
]

/** Shows a tile, its chunks, and the size after each filter in reading order. */
export async function tileTable(document: TileDocument, out: Output): Promise<void> {
  const { chunks } = document
  const tile =
    'tile' in document
      ? `tile ${countText(document.tile)} of ${countText(document.tile_num)}`
      : `the tile at byte ${countText(document.offset)}`
  await writeTitle(document.path, `${fieldName(document.field)}, ${tile}`, out)
  await writeKeyValues(facts(document), out)
  await writeSection(chunks.length === 0 ? 'no chunks' : counted(chunks.length, 'chunk'), out)
  if (chunks.length === 0) return
  const shown = chunks.slice(0, limitOf(TILES, out))
  const rows = shown.flatMap(chunkRows)
  if (fits(COLUMNS, rows, out)) await writeTable({ columns: COLUMNS, rows }, out)
  else for (const [index, chunk] of shown.entries()) await writeChunk(chunk, index, out)
  await writeMore(chunks.length - shown.length, out)
}

function facts(document: TileDocument): Pairs {
  const { file, role, offset, size, unfiltered_size } = document
  const listed = 'tile' in document ? document : undefined
  const isWhole = unfiltered_size === (listed?.expected_size ?? unfiltered_size)
  const unfiltered = fullSizeText(unfiltered_size)
  const next = 'next_offset' in document ? document.next_offset : undefined
  return [
    ['file', role === undefined ? file : `${file} (${role})`],
    listed && ['cells', countText(listed.cell_num)],
    ['offset', countText(offset)],
    ['size', fullSizeText(size)],
    ['unfiltered', isWhole ? `${unfiltered}, ratio ${ratioText(unfiltered_size, size)}` : unfiltered],
    !isWhole && ['expected', `${fullSizeText(listed?.expected_size)}, by the metadata`],
    listed?.string_offsets && ['offsets', 'of the cells are inside this tile'],
    next !== undefined && ['next tile', next === null ? 'none: the file ends here' : `at byte ${countText(next)}`],
    listed?.extra_size !== undefined && ['after the last chunk', fullSizeText(listed.extra_size)],
  ]
}

/** Writes the rows of a chunk as lines, for a terminal that is too narrow for the table. */
async function writeChunk(chunk: TileChunk, index: number, out: Output): Promise<void> {
  await writeLine(`chunk ${countText(index)} at ${countText(chunk.offset)}`, out)
  const pairs = chunkRows(chunk, index).map(
    ([, , stage, bytes, metadata]): Pair => [
      `  ${stage}`,
      [bytes === '' ? '' : grammatical(`${bytes} bytes`), metadata].filter((part) => part !== '').join(': '),
    ],
  )
  await writeKeyValues(pairs, out)
}

/** Returns the rows of a chunk: its stored bytes, each filter that is undone, and the error if there is one. */
function chunkRows({ offset, metadata_length, filtered_length, stages, error }: TileChunk, index: number): string[][] {
  const stored = formatCount(metadata_length + filtered_length)
  const parts = `metadata ${countText(metadata_length)} + data ${countText(filtered_length)}`
  const rows = [[countText(index), countText(offset), 'stored', stored, parts]]
  for (const { filter, metadata, input_length, output_length } of stages) {
    rows.push(['', '', filter, `${countText(input_length)} -> ${countText(output_length)}`, metadataText(metadata)])
  }
  if (error) rows.push(['', '', 'error', '', error.message])
  return rows
}

function stageRole(stage: string): 'field' | 'bad' | 'dim' {
  if (stage === 'error') return 'bad'
  return stage === 'stored' ? 'dim' : 'field'
}

/** Returns filter metadata as `data e342e8fe97fc…`, `data 73 -> 64, metadata 17 -> 8` or `2 windows of 8, 16 bits`. */
function metadataText(metadata: TileFilterMetadata): string {
  const { data_checksums, metadata_checksums, data_parts, metadata_parts, windows, ...others } = metadata
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

function digests(of: string, checksums: readonly TileDigest[] = []): string[] {
  return checksums.map(({ digest }) => `${of} ${cut(digest, DIGEST)}`)
}

function cut(hex: string, room: number): string {
  return hex.length > room ? `${hex.slice(0, room)}…` : hex
}

function lengths(of: string, parts: readonly TilePart[] = []): string[] {
  return parts.map(
    ({ original_length, compressed_length, plain_length, encrypted_length }) =>
      `${of} ${countText(compressed_length ?? encrypted_length)} -> ${countText(original_length ?? plain_length)}`,
  )
}

function windowTexts(windows: readonly TileFilterMetadataWindow[] = []): string[] {
  if (windows.length === 0) return []
  const bits = windows.flatMap((window) => window.bits ?? [])
  const all = counted(windows.length, 'window')
  if (bits.length === 0) return [all]
  return [`${all} of ${bits.slice(0, 8).join(', ')}${bits.length > 8 ? ', …' : ''} bits`]
}
