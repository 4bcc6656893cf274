import { bytes, u64Bytes } from '../../src/damage/bytes.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import {
  addCallset,
  addFragment,
  addMeta,
  addVidmap,
  batchTime,
  bookOf,
  genomicsdbFragmentName,
  gzipOf,
} from '../../src/damage/genomicsdb-sample.ts'
import { genomicsdbSchemaOf } from '../../src/format/genomicsdb/array-schema.ts'
import { bookKeeping } from '../../src/format/genomicsdb/book-keeping.ts'
import { decode, encode } from '../../src/format/io.ts'

const OLDER = new RegExp(`^/chr1\\$1\\$100/${genomicsdbFragmentName(batchTime(0))}/`)

/** The cells of the older fragment of the first interval. */
const CELLS = [10, 30].flatMap((column) => [0, 1].map((row) => ({ row, column, end: column, dp: column + row })))

function without(array: EditableArray, file: string): void {
  array.removeAll(new RegExp(`${OLDER.source}${file}`))
}

/** Damages of a workspace of GenomicsDB that give a code another meaning than its usual one. */
export const GENOMICSDB_VARIANTS: Readonly<Record<string, (array: EditableArray) => void | Promise<void>>> = {
  'GENOMICSDB_FILE_MISSING.callset': (array) => array.removeAll(/^\/callset/),
  'GENOMICSDB_MAP.gap': (array) => addVidmap(array, 1200),
  'GENOMICSDB_IMPORT.leftOver': (array) =>
    addFragment(array, `chr1$1$100/.${genomicsdbFragmentName(batchTime(9))}`, CELLS).then(() =>
      array.removeAll(/\/\.__.*__tiledb_fragment/),
    ),
  'GENOMICSDB_IMPORT.nothing': (array) =>
    array.add(`chr1$1$100/.${genomicsdbFragmentName(batchTime(9))}/DP.tdb`, new Uint8Array()),
  'GENOMICSDB_IMPORT.list': (array) =>
    array.add(
      'callset.json.fragmentlist',
      new TextEncoder().encode([0, 1].map((batch) => genomicsdbFragmentName(batchTime(batch))).join('\n')),
    ),
  'GENOMICSDB_FRAGMENT_MARK.replaced': async (array) => {
    await addFragment(array, `chr1$1$100/${genomicsdbFragmentName(batchTime(9))}`, CELLS)
    without(array, '__tiledb_fragment')
  },
  'GENOMICSDB_FRAGMENT_MARK.unsure': (array) => {
    without(array, '__tiledb_fragment')
    without(array, '__book_keeping')
  },
  'GENOMICSDB_BOOK_KEEPING.boxes': (array) => {
    const schema = array.get(array.find(/^\/chr1\$1\$100\/__array_schema/))
    const book = bookOf(CELLS)
    book.mbrs.set(u64Bytes(7), 16)
    const content = encode(book, bookKeeping(decode(schema, genomicsdbSchemaOf(schema))))
    array.files.set(array.find(new RegExp(`${OLDER.source}__book_keeping`)), gzipOf(content))
  },
  'GENOMICSDB_SAMPLE.empty': (array) => addCallset(array, [0, 1, 2, 3]),
  'GENOMICSDB_SAMPLE.interval': (array) =>
    array.removeAll(new RegExp(`^/chr1\\$1\\$100/${genomicsdbFragmentName(batchTime(1))}/`)),
  'GENOMICSDB_INTERVAL.overlap': (array) => {
    array.move(`${array.root}/chr1$101$200`, `${array.root}/chr1$51$150`)
    addMeta(array, 'chr1$51$150', [50, 149], [1, 2])
  },
  'GENOMICSDB_INTERVAL.contig': (array) => {
    const ends = [10, 10, 30, 1000].map((end) => u64Bytes(end))
    array.files.set(array.find(new RegExp(`${OLDER.source}END`)), bytes(...ends))
  },
  'GENOMICSDB_INTERVAL.batches': (array) => array.removeAll(/chr1\$1\$100.*genomicsdb_meta_1\.json/),
}
