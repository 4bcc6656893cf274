import { concat } from '../base/bytes.ts'
import { crc32 } from '../filters/codecs/crc32.ts'
import type { GenomicsdbSchema } from '../format/genomicsdb/array-schema.ts'
import { genomicsdbSchema } from '../format/genomicsdb/array-schema.ts'
import { type BookKeeping, bookKeeping } from '../format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE, FRAGMENT_MARK } from '../format/genomicsdb/names.ts'
import { gzipMember } from '../format/gzip-member.ts'
import { encode } from '../format/io.ts'
import { bytes, littleEndian, textBytes, u32Bytes, u64Bytes } from './bytes.ts'
import type { EditableArray } from './editable-array.ts'
import type { SampleRecipe } from './sample-files.ts'

/*
 * A small workspace of GenomicsDB: three samples in two batches, and two intervals of one contig. Only DP is compressed.
 */

/** A cell, as it is stored. */
export interface StoredCall {
  row: number
  column: number
  end: number
  dp: number
}

const ATTRIBUTES = ['END', 'REF', 'ALT', 'DP', 'GT', 'AS_Q']
const TYPES = ['INT64', 'CHAR', 'CHAR', 'INT32', 'INT32', 'CHAR', 'INT64'] as const
const VALUE_NUMS = [1, 'var', 'var', 1, 'var', 'var'] as const
const CAPACITY = 1000
const DOMAIN = bytes(...[0n, 2n ** 63n - 2n, 0n, 2n ** 63n - 2n].map((value) => u64Bytes(value)))

const SCHEMA: GenomicsdbSchema = {
  version: 2,
  workspace: '',
  name: '/workspace/interval',
  dense: false,
  tile_order: 'row-major',
  cell_order: 'col-major',
  capacity: CAPACITY,
  attributes: ATTRIBUTES,
  dimensions: ['samples', 'position'],
  domain: DOMAIN,
  tile_extents: new Uint8Array(0),
  types: TYPES.map((type) => ({ type })),
  cell_val_nums: VALUE_NUMS.map((cell_val_num) => ({ cell_val_num })),
  compressions: [...ATTRIBUTES, ''].map((name) => ({ compression: name === 'DP' ? 'GZIP' : 'NONE' })),
  levels: [...ATTRIBUTES, ''].map(() => ({ level: -1 })),
  offsets_compressions: ATTRIBUTES.map(() => ({ compression: 'NONE' as const })),
  offsets_levels: ATTRIBUTES.map(() => ({ level: -1 })),
}

/** Where the cells of a var-sized field begin, and their bytes. */
function varFiles(name: string, cells: readonly Uint8Array[]): Record<string, Uint8Array> {
  let at = 0
  const offsets = cells.map((cell) => {
    at += cell.length
    return u64Bytes(at - cell.length)
  })
  return { [`${name}.tdb`]: bytes(...offsets), [`${name}_var.tdb`]: concat(cells) }
}

/** Two lists of one number each: of the reference, and of the alternative allele. */
const NESTED = bytes(u64Bytes(8), u32Bytes(30), u32Bytes(20), u64Bytes(2), u64Bytes(0), u64Bytes(4), u64Bytes(8))
const GENOTYPE = bytes(u32Bytes(0), u32Bytes(0), u32Bytes(1))

/** A gzip stream of one block that is not compressed. */
export function gzipOf(content: Uint8Array): Uint8Array {
  const size = content.length
  const deflated = bytes([1], littleEndian(2, size), littleEndian(2, ~size), content)
  const member = {
    ...{ magic: Uint8Array.of(0x1f, 0x8b), method: 8, flags: 0, modified: 0, extra_flags: 0, system: 3 },
    ...{ deflated, crc32: crc32(content), content_size: size },
  }
  return encode(member, gzipMember(0, deflated.length))
}

/** What the book-keeping of a fragment of one tile says. */
export function bookOf(cells: readonly StoredCall[]): BookKeeping {
  const none = ATTRIBUTES.map(() => ({ values: new Float64Array(0) }))
  const rows = cells.map(({ row }) => row)
  const [first, last] = [cells[0], cells.at(-1)]
  const places = [first, last].flatMap((cell) => [cell?.row ?? 0, cell?.column ?? 0])
  const box = [Math.min(...rows), Math.max(...rows), first?.column ?? 0, last?.column ?? 0]
  return {
    domain: DOMAIN,
    mbr_num: 1,
    mbrs: bytes(...box.map((value) => u64Bytes(value))),
    bounding_coords_num: 1,
    bounding_coords: bytes(...places.map((value) => u64Bytes(value))),
    tile_offsets: [...ATTRIBUTES, ''].map((name) => ({ values: new Float64Array(name === 'DP' ? 1 : 0) })),
    tile_var_offsets: none,
    tile_var_sizes: none,
    last_tile_cell_num: cells.length,
  }
}

/** Adds a fragment to an interval. @param cells sorted by column and row */
export async function addFragment(array: EditableArray, folder: string, cells: readonly StoredCall[]): Promise<void> {
  const { compress } = await array.newContext().codecs.gzip()
  const files: Record<string, Uint8Array> = {
    [FRAGMENT_MARK]: new Uint8Array(0),
    [BOOK_KEEPING_FILE]: gzipOf(encode(bookOf(cells), bookKeeping(SCHEMA))),
    '__coords.tdb': bytes(...cells.flatMap(({ row, column }) => [u64Bytes(row), u64Bytes(column)])),
    'END.tdb': bytes(...cells.map(({ end }) => u64Bytes(end))),
    'DP.tdb': compress(bytes(...cells.map(({ dp }) => u32Bytes(dp))), -1),
    ...varFiles(
      'REF',
      cells.map(() => textBytes('A')),
    ),
    ...varFiles(
      'ALT',
      cells.map(() => textBytes('C|&')),
    ),
    ...varFiles(
      'GT',
      cells.map(() => GENOTYPE),
    ),
    ...varFiles(
      'AS_Q',
      cells.map(() => NESTED),
    ),
  }
  for (const [name, content] of Object.entries(files)) array.add(`${folder}/${name}`, content)
}

/** Name of a fragment. @param time in milliseconds */
export function genomicsdbFragmentName(time: number): string {
  return `__01234567-89ab-4def-8123-456789abcdef140000000000000_${time}`
}

const json = (value: unknown): Uint8Array => textBytes(JSON.stringify(value, null, 2))

/** Rows of the samples that each batch brought. */
const BATCHES = [[0, 1], [2]]
/** The time of a batch in an interval, in milliseconds. */
export const batchTime = (batch: number): number => 1_700_000_000_000 + 1000 * batch

export function addCallset(array: EditableArray, rows: readonly number[]): void {
  const callsets = rows.map((row) => ({ sample_name: `S${row}`, row_idx: String(row), idx_in_file: '0' }))
  array.add('callset.json', json({ callsets }))
}

/** Adds the contigs of the sample. @param offset first column of the second contig */
export function addVidmap(array: EditableArray, offset: number): void {
  const field = (name: string, type: string, length: readonly string[]) => ({
    ...{ name, type: [type], vcf_field_class: ['INFO'] },
    length: length.map((one) => ({ variable_length_descriptor: one })),
  })
  const fields = [field('DP', 'Integer', ['1']), field('GT', 'int', ['PP']), field('AS_Q', 'int', ['R', 'var'])]
  const contigs = [
    { name: 'chr1', length: '1000', tiledb_column_offset: '0' },
    { name: 'chr2', length: '1000', tiledb_column_offset: String(offset) },
  ]
  array.add('vidmap.json', json({ fields, contigs }))
}

/** Adds what an interval says of its columns and batches. @param lastRows of each batch */
export function addMeta(
  array: EditableArray,
  interval: string,
  columns: readonly number[],
  lastRows: readonly number[],
): void {
  const [min_column, max_column] = columns
  array.add(`${interval}/genomicsdb_meta_dir/genomicsdb_column_bounds.json`, json({ min_column, max_column }))
  for (const [i, row] of lastRows.entries())
    array.add(
      `${interval}/genomicsdb_meta_dir/genomicsdb_meta_${i}.json`,
      json({ lb_row_idx: 0, max_valid_row_idx_in_array: row }),
    )
}

export const INTERVALS = { chr1$1$100: [0, 99], chr1$101$200: [100, 199] } as const

export const GENOMICSDB: SampleRecipe = {
  options: { cells: '0' },
  async prepare(array) {
    array.files.clear()
    array.add('__tiledb_workspace.tdb')
    array.add('vcfheader.vcf', textBytes('##fileformat=VCFv4.2\n'))
    addCallset(array, BATCHES.flat())
    addVidmap(array, 1000)
    for (const [name, [first, last]] of Object.entries(INTERVALS)) {
      array.add(`${name}/__array_schema.tdb`, encode(SCHEMA, genomicsdbSchema(true)))
      addMeta(
        array,
        name,
        [first, last],
        BATCHES.map((rows) => Math.max(...rows)),
      )
      for (const [batch, rows] of BATCHES.entries()) {
        const cells = [10, 30].flatMap((at) =>
          rows.map((row) => ({ row, column: first + at, end: first + at, dp: at + row })),
        )
        await addFragment(array, `${name}/${genomicsdbFragmentName(batchTime(batch))}`, cells)
      }
    }
  },
}
