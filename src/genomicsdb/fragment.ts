import { addPlace, InspectError, inconsistent } from '../base/errors.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import { gunzip } from '../filters/codecs/gunzip.ts'
import { gunzipShort } from '../filters/codecs/short-inflate.ts'
import type { BookKeeping } from '../format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import { decode } from '../format/io.ts'
import { mostElements } from '../objects/generic-tile.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Folder, hasEntry } from '../storage/source.ts'
import type { GenomicsdbArray, GenomicsdbFragmentFolder } from './array.ts'
import { smallFile, wholeFile } from './whole-file.ts'

/** A fragment with its book-keeping. */
export interface GenomicsdbFragment extends GenomicsdbFragmentFolder {
  array: GenomicsdbArray
  book: BookKeeping
  /** Bytes of the file with the book-keeping. */
  book_size: number
  /** Bytes of its content. */
  book_content_size: number
  /** Bytes in the file after the gzip stream; mostly 0. */
  book_extra_size: number
  tile_num: number
  cell_num: number
}

/**
 * Opens a fragment, marked or not.
 * @throws InspectError MISSING_FILE without a book-keeping; INCONSISTENT if it contradicts the schema; those of undoing and reading it
 */
export async function openGenomicsdbFragment(
  array: GenomicsdbArray,
  fragment: GenomicsdbFragmentFolder,
): Promise<GenomicsdbFragment> {
  const { folder, entries } = fragment
  if (!hasEntry(entries, BOOK_KEEPING_FILE, 'file')) {
    const fault = { expected: `the file ${BOOK_KEEPING_FILE} of a fragment`, found: 'no such file' }
    throw new InspectError('MISSING_FILE', fault, { file: `${folder.path}/${BOOK_KEEPING_FILE}` })
  }
  const { content, length, stored, file } = await readBookKeeping(folder, array.cx)
  const { schema, cx } = array
  const mostElementsOf = mostElements(stored, cx)
  const book = decode(content, array.bookKeeping, { file, space: CONTENT_SPACE, mostElements: mostElementsOf })
  const tile_num = book.mbr_num
  const cell_num = tile_num === 0 ? 0 : (tile_num - 1) * schema.capacity + book.last_tile_cell_num
  const wrong = (field: string, expected: string, found: number): InspectError =>
    inconsistent({ expected, found }, { file, field, space: CONTENT_SPACE })
  if (!schema.dense && book.bounding_coords_num !== tile_num)
    throw wrong('bounding_coords_num', `${tile_num} tiles, as there are MBRs`, book.bounding_coords_num)
  new CountedBytes(cx.memory, 'boxes of tiles').add(tile_num * TILE_BYTES, file)
  const last = book.last_tile_cell_num
  if (tile_num > 0 && (last === 0 || last > schema.capacity))
    throw wrong('last_tile_cell_num', `1 to ${schema.capacity} cells in the last tile`, last)
  if (!Number.isSafeInteger(cell_num)) throw wrong('mbr_num', 'fewer than 2^53 cells', tile_num)
  return {
    // Each key by its name: a spread takes longer than reading the file, and a workspace has thousands.
    folder,
    name: fragment.name,
    isMarked: fragment.isMarked,
    isTemporary: fragment.isTemporary,
    time: fragment.time,
    entries,
    array,
    book,
    book_size: stored,
    book_content_size: content.length,
    book_extra_size: stored - length,
    tile_num,
    cell_num,
  }
}

/** What a tile takes in memory, in bytes: as objects, and as numbers of each file that is open. */
const TILE_BYTES = 640

/** Offsets in errors of the book-keeping count in its content. */
export const CONTENT_SPACE = 'content of the gzip stream'

/** How often memory holds the content of a book-keeping: in parts, whole, and as lists of numbers, with garbage between. */
const TIMES_HELD = 4
/** Bytes of content that a stored byte gives, at most, in the book-keeping of a writer: several times more than was seen. */
const TIMES_STORED = 16

/** Upper limit on the bytes of the content of a book-keeping. A small file that gives very much was made to harm. */
export function mostContent({ room }: Memory, stored: number): number {
  return Math.min(room, Math.max(Math.floor(room / TIMES_HELD), TIMES_STORED * stored))
}

async function readBookKeeping(
  folder: Folder,
  cx: ReadContext,
): Promise<{ content: Uint8Array; length: number; stored: number; file: string }> {
  const file = `${folder.path}/${BOOK_KEEPING_FILE}`
  const bytes = smallFile(folder, BOOK_KEEPING_FILE) ?? (await wholeFile(folder, BOOK_KEEPING_FILE, cx))
  const short = gunzipShort(bytes)
  if (short) return { content: short, length: bytes.length, stored: bytes.length, file }
  const { content, length, fault } = gunzip(bytes, mostContent(cx.memory, bytes.length))
  if (fault) throw addPlace(fault, { file })
  return { content, length, stored: bytes.length, file }
}

/** Cells of a tile: as many as the capacity, fewer in the last. */
export function tileCells({ array, book, tile_num }: GenomicsdbFragment, tile: number): number {
  return tile === tile_num - 1 ? book.last_tile_cell_num : array.schema.capacity
}
