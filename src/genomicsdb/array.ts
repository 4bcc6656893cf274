import { type InspectError, inconsistent, withPlaceAsync } from '../base/errors.ts'
import {
  GENOMICSDB_SCHEMA_FILE,
  type GenomicsdbDimension,
  type GenomicsdbField,
  type GenomicsdbSchema,
  genomicsdbDimensions,
  genomicsdbFields,
  genomicsdbSchemaOf,
} from '../format/genomicsdb/array-schema.ts'
import { type BookKeeping, bookKeeping } from '../format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE, FRAGMENT_MARK, GENOMICSDB_META_FOLDER } from '../format/genomicsdb/names.ts'
import { type Describe, decode } from '../format/io.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Entry, type Folder, hasEntry } from '../storage/source.ts'
import { END } from './call-fields.ts'
import { wholeFile } from './whole-file.ts'

/** An array of GenomicsDB: in a workspace, the cells of an interval. */
export interface GenomicsdbArray {
  folder: Folder
  cx: ReadContext
  schema: GenomicsdbSchema
  dimensions: readonly GenomicsdbDimension[]
  /** The attributes, then the coordinates. */
  fields: readonly GenomicsdbField[]
  /** The description of the book-keeping of its fragments. */
  bookKeeping: Describe<BookKeeping>
}

/** A folder of a fragment, or of what was to become one. */
export interface GenomicsdbFragmentFolder {
  folder: Folder
  name: string
  /** Whether it has the mark. Readers pass over a folder without it. */
  isMarked: boolean
  /** Whether it has the name that a fragment has while it is written. */
  isTemporary: boolean
  /** Milliseconds since 1970, by the name; undefined for other names. */
  time: bigint | undefined
  /** Its files, with their sizes if the listing has them. */
  entries: readonly Entry[]
}

/** Opens the array of a folder. @throws InspectError of reading the schema; NOT_FOUND without it */
export async function openGenomicsdbArray(folder: Folder, cx: ReadContext): Promise<GenomicsdbArray> {
  const schema = await readSchema(folder, cx)
  const dimensions = genomicsdbDimensions(schema)
  return { folder, cx, schema, dimensions, fields: genomicsdbFields(schema), bookKeeping: bookKeeping(schema) }
}

/**
 * The array, if its cells are calls as GenomicsDB writes them.
 * @throws InspectError INCONSISTENT
 */
export function arrayOfCalls(array: GenomicsdbArray): GenomicsdbArray {
  const { schema, dimensions, fields, folder } = array
  const wrong = (field: string, expected: string, found: string): InspectError =>
    inconsistent({ expected, found }, { file: `${folder.path}/${GENOMICSDB_SCHEMA_FILE}`, field })
  if (schema.dense) throw wrong('dense', 'a sparse array', 'a dense one')
  if (schema.cell_order !== 'col-major') throw wrong('cell_order', 'col-major', schema.cell_order)
  const types = dimensions.map(({ type }) => type).join(', ')
  if (types !== 'INT64, INT64') throw wrong('dimensions', '2 dimensions of INT64: row and column', types)
  const end = fields.find(({ name }) => name === END)
  if (end?.type !== 'INT64' || end.cell_val_num !== 1) {
    const found = end ? `${end.type} with ${end.cell_val_num} values` : 'none'
    throw wrong(`attributes.${END}`, `the attribute ${END} of one INT64`, found)
  }
  return array
}

async function readSchema(folder: Folder, cx: ReadContext): Promise<GenomicsdbSchema> {
  const bytes = await wholeFile(folder, GENOMICSDB_SCHEMA_FILE, cx)
  return decode(bytes, genomicsdbSchemaOf(bytes), { file: `${folder.path}/${GENOMICSDB_SCHEMA_FILE}` })
}

/**
 * Folders of fragments in an array, sorted by name: with a mark, without, and those that are not finished.
 * @param entries the listing of its folder, if it is known
 */
export async function fragmentFolders(
  array: Pick<GenomicsdbArray, 'folder' | 'cx'>,
  entries?: readonly Entry[],
): Promise<GenomicsdbFragmentFolder[]> {
  const found: GenomicsdbFragmentFolder[] = []
  for (const { name, kind } of entries ?? (await array.folder.list())) {
    if (kind !== 'folder' || name === GENOMICSDB_META_FOLDER) continue
    const pause = array.cx.pause?.()
    if (pause) await pause
    const folder = array.folder.folder(name)
    const one = await withPlaceAsync({ file: folder.path }, () => fragmentFolder(folder))
    const isOne = isGenomicsdbFragmentName(name) || one.isMarked || hasEntry(one.entries, BOOK_KEEPING_FILE, 'file')
    if (isOne) found.push(one)
  }
  return found
}

/** Lists the folder of a fragment. */
export async function fragmentFolder(folder: Folder): Promise<GenomicsdbFragmentFolder> {
  const { name } = folder
  // A workspace has thousands of such folders, and most that is asked of them is their size.
  const entries = folder.storage.listSized?.(folder.path) ?? (await folder.list())
  return {
    folder,
    name,
    isMarked: hasEntry(entries, FRAGMENT_MARK, 'file'),
    isTemporary: name.startsWith('.'),
    time: fragmentTime(name),
    entries,
  }
}

/** `__<uuid><thread>_<milliseconds>`, and `.__…` while it is written. */
const NAME = /^\.?__[^_]+_(\d{1,18})$/

/** Whether a folder has the name of a fragment, or of one that is being written. */
export function isGenomicsdbFragmentName(name: string): boolean {
  return NAME.test(name)
}

function fragmentTime(name: string): bigint | undefined {
  const digits = NAME.exec(name)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}
