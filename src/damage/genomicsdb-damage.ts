import { textBytes, u64Bytes } from './bytes.ts'
import { type Damages, damage } from './damage.ts'
import { addCallset, addMeta, batchTime, genomicsdbFragmentName, INTERVALS } from './genomicsdb-sample.ts'

const [FIRST, SECOND] = ['chr1$1$100', 'chr1$101$200'] as const

/** Matches a file of the older fragment of the first interval. */
const OLDER = (file: string): RegExp => new RegExp(`^/chr1\\$1\\$100/${genomicsdbFragmentName(batchTime(0))}/${file}$`)

/** Damage of workspaces of GenomicsDB. */
export const GENOMICSDB_DAMAGE = {
  GENOMICSDB_FILE_MISSING: damage('genomicsdb', 'a workspace without the header of its VCF files', (array) =>
    array.removeAll(/^\/vcfheader/),
  ),
  GENOMICSDB_MAP: damage('genomicsdb', 'two samples with one row', (array) => addCallset(array, [0, 1, 1, 2])),
  GENOMICSDB_IMPORT: damage('genomicsdb', 'an import that died after it wrote fragments', (array) => {
    addCallset(array, [0, 1])
    array.add(
      'callset.json.fragmentlist',
      textBytes([0, 0].map((batch) => genomicsdbFragmentName(batchTime(batch))).join('\n')),
    )
  }),
  GENOMICSDB_SCHEMA: damage('genomicsdb', 'a schema that was cut off', (array) =>
    array.cut(array.find(/^\/chr1\$1\$100\/__array_schema/), 40),
  ),
  GENOMICSDB_FRAGMENT_MARK: damage('genomicsdb', 'a fragment without its mark', (array) =>
    array.removeAll(OLDER('__tiledb_fragment\\.tdb')),
  ),
  GENOMICSDB_BOOK_KEEPING: damage('genomicsdb', 'a book-keeping that was cut off', (array) =>
    array.cut(array.find(OLDER('__book_keeping\\.tdb\\.gz')), 60),
  ),
  GENOMICSDB_DATA_FILE: damage('genomicsdb', 'a fragment without a data file', (array) =>
    array.removeAll(OLDER('DP\\.tdb')),
  ),
  GENOMICSDB_TILE: damage('genomicsdb', 'a tile with another first byte', (array) =>
    array.flip(array.find(OLDER('DP\\.tdb')), 0),
  ),
  GENOMICSDB_CELL_ORDER: damage('genomicsdb', 'a cell before an earlier one', (array) =>
    array.patch(array.find(OLDER('__coords\\.tdb')), 24, u64Bytes(5)),
  ),
  GENOMICSDB_VALUE: damage('genomicsdb', 'lists of more bytes than their cell has', (array) =>
    array.patch(array.find(OLDER('AS_Q_var\\.tdb')), 0, u64Bytes(4096)),
  ),
  GENOMICSDB_SAMPLE: damage('genomicsdb', 'a sample that was taken out of its map', (array) =>
    addCallset(array, [0, 1]),
  ),
  GENOMICSDB_ROWS: damage('genomicsdb', 'fewer rows than have cells', (array) =>
    addMeta(array, SECOND, INTERVALS[SECOND], [0, 0]),
  ),
  GENOMICSDB_INTERVAL: damage('genomicsdb', 'other columns than the name of the interval says', (array) =>
    addMeta(array, FIRST, [3, 102], [1, 2]),
  ),
} satisfies Damages
