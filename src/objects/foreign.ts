import { faultOf, InspectError } from '../base/errors.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import {
  BOOK_KEEPING_FILE,
  FRAGMENT_MARK,
  GENOMICSDB_META_FOLDER,
  VIDMAP_FILE,
  WORKSPACE_MARK,
} from '../format/genomicsdb/names.ts'
import { type Entry, type Folder, hasEntry, withSource } from '../storage/source.ts'

/**
 * Recognises folders and files of TileDB before 1.4, whose format has no version, and of GenomicsDB, which continues TileDB
 * 0.x, so that they do not count as damaged.
 *
 * The names are those in the `constants` of TileDB 0.1 to 1.3. GenomicsDB keeps them and adds its own folders. Its
 * schema begins with a negative version (0xfffffffd to 0xffffffff); that of TileDB 0.x begins with the length of the
 * array's name.
 */

/** Kind of a folder that has a file or folder with this name. */
const FOLDERS_BY_FILE: Readonly<Record<string, string>> = {
  [WORKSPACE_MARK]: 'a workspace of GenomicsDB or of TileDB before 1.0',
  // Without its mark: the arrays in it would make it a plain folder.
  [VIDMAP_FILE]: 'a workspace of GenomicsDB',
  [GENOMICSDB_META_FOLDER]: 'an array of GenomicsDB',
  '__metadata_schema.tdb': 'a metadata object of TileDB before 1.0',
  '__array_metadata.tdb': 'an array of TileDB 1.0 or 1.1',
  '__kv_schema.tdb': 'a key-value store of TileDB 1.2 to 1.7',
  [FRAGMENT_MARK]: 'a fragment of GenomicsDB or of TileDB before 1.0',
  [BOOK_KEEPING_FILE]: 'a fragment of GenomicsDB or of TileDB before 1.0',
  '__book_keeping.tdb': 'a fragment of GenomicsDB or of TileDB before 1.0',
}

/** Names that TileDB 1.4 and later use. A folder that has one of them is not foreign. */
const OURS = ['__schema', '__fragments', '__fragment_metadata.tdb', '__group', '__tiledb_group.tdb', '__commits']

/** Smallest version word in `__array_schema.tdb` that only forks write. */
const FIRST_FOREIGN_WORD = 0xfffffffd

/** Describes a folder that TileDB 1.4 or later did not write; undefined for others. Reads only an old schema file, if any. */
export async function foreignFolder(folder: Folder, entries: readonly Entry[]): Promise<string | undefined> {
  const names = new Set(entries.map(({ name }) => name))
  if (OURS.some((name) => names.has(name))) return undefined
  const file = Object.keys(FOLDERS_BY_FILE).find((one) => names.has(one))
  const byName = file && `${FOLDERS_BY_FILE[file]} (it has ${file})`
  if (!hasEntry(entries, OLD_SCHEMA_FILE, 'file')) return byName
  const what = await withSource(folder.file(OLD_SCHEMA_FILE), async (source) => {
    const size = await source.size()
    return foreignSchema(await source.read(0, Math.min(size, HEAD_BYTES)), size)
  }).catch(faultOf)
  // The error is thrown when the schema is read later.
  if (what instanceof InspectError) return undefined
  return what ?? (file === GENOMICSDB_META_FOLDER ? byName : undefined)
}

/** Describes a foreign file by its name alone; undefined for others. */
export function foreignFile(name: string): string | undefined {
  const folder = Object.hasOwn(FOLDERS_BY_FILE, name) ? FOLDERS_BY_FILE[name] : undefined
  return folder && `a file of ${folder}`
}

/** Bytes to read: enough for the first fields of any schema, and the beginning of an array's name. */
const HEAD_BYTES = 64
/** Generic tile header of TileDB 1.2 and 1.3: persisted size, tile size, datatype, cell size, encryption type. */
const OLDER_HEADER_BYTES = 8 + 8 + 1 + 8 + 1
/** Bounds for the bytes of an array's name, which is a path. */
const SHORTEST_NAME = 5
const LONGEST_NAME = 4096

/**
 * Describes the array of an `__array_schema.tdb` that TileDB 1.4 or later did not write; undefined for others.
 * @param head first bytes of the file
 * @param size bytes of the file
 */
export function foreignSchema(head: Uint8Array, size: number): string | undefined {
  if (head.length < 8) return undefined
  const view = new DataView(head.buffer, head.byteOffset)
  const word = view.getUint32(0, true)
  if (word >= FIRST_FOREIGN_WORD)
    return `an array of GenomicsDB (its schema has the version word 0x${word.toString(16)})`
  const persistedSize = view.getBigUint64(0, true)
  if (size >= OLDER_HEADER_BYTES && persistedSize > 0n && persistedSize <= BigInt(size - OLDER_HEADER_BYTES))
    return 'an array of TileDB 1.2 or 1.3'
  // Since 1.4 the file begins with a version and a stored size. Before 1.0 it begins with the length of the array's
  // name, and the name, which is a path.
  if (word < SHORTEST_NAME || word > LONGEST_NAME || word + 4 > size || head.length < 12) return undefined
  if (view.getBigUint64(4, true) <= BigInt(size)) return undefined
  const name = new TextDecoder('latin1').decode(head.subarray(4, 4 + word))
  return /^(?:\/|[a-z0-9]+:\/\/)[^\0-\x1f\x7f]+$/.test(name) ? 'an array of TileDB before 1.0' : undefined
}

/** The error for a foreign folder or file. @param what a description, as of {@link foreignFolder} */
export function foreignError(what: string, file: string): InspectError {
  return new InspectError('UNSUPPORTED_VERSION', { expected: 'what TileDB 1.4 or later wrote', found: what }, { file })
}
