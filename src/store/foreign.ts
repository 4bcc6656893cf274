import { InspectError } from '../base/errors.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { Entry, Folder } from '../source/source.ts'

const GENOMICSDB_FOLDER = 'genomicsdb_meta_dir'

/**
 * Folders and files that TileDB's relatives wrote, told so that nobody looks for damage in them: TileDB before 1.4, whose format has
 * no version, and GenomicsDB, which goes on from TileDB 0.x.
 *
 * Names are those of TileDB 0.1 to 1.3 (their `constants`); GenomicsDB keeps them and adds folders of its own. Its schema begins with a
 * negative version (0xfffffffd to 0xffffffff), where TileDB 0.x has the length of the array's name.
 */
const FOLDERS_BY_FILE: Readonly<Record<string, string>> = {
  '__tiledb_workspace.tdb': 'a workspace of GenomicsDB or of TileDB before 1.0',
  [GENOMICSDB_FOLDER]: 'an array of GenomicsDB',
  '__metadata_schema.tdb': 'a metadata object of TileDB before 1.0',
  '__array_metadata.tdb': 'an array of TileDB 1.0 or 1.1',
  '__kv_schema.tdb': 'a key-value store of TileDB 1.2 to 1.7',
  '__tiledb_fragment.tdb': 'a fragment of GenomicsDB or of TileDB before 1.0',
  '__book_keeping.tdb.gz': 'a fragment of GenomicsDB or of TileDB before 1.0',
  '__book_keeping.tdb': 'a fragment of GenomicsDB or of TileDB before 1.0',
}

/** Names that today's TileDB gives: a folder with one of them is not looked at further. */
const OURS = ['__schema', '__fragments', '__fragment_metadata.tdb', '__group', '__tiledb_group.tdb', '__commits']

/** Least version word that only forks write into `__array_schema.tdb`. */
const FIRST_FOREIGN_WORD = 0xfffffffd

/** What a folder is, in words, where it is none of TileDB 1.4 or later. Reads nothing unless an old schema file is in it. */
export async function foreignFolder(folder: Folder, entries: readonly Entry[]): Promise<string | undefined> {
  const names = new Set(entries.map(({ name }) => name))
  if (OURS.some((name) => names.has(name))) return undefined
  const file = Object.keys(FOLDERS_BY_FILE).find((one) => names.has(one))
  const byName = file && `${FOLDERS_BY_FILE[file]} (it has ${file})`
  if (!entries.some(({ name, kind }) => name === OLD_SCHEMA_FILE && kind === 'file')) return byName
  const source = folder.file(OLD_SCHEMA_FILE)
  try {
    const size = await source.size()
    const what = foreignSchema(await source.read(0, Math.min(size, HEAD_BYTES)), size)
    return what ?? (file === GENOMICSDB_FOLDER ? byName : undefined)
  } catch (error) {
    // Whoever reads the schema says so.
    if (!(error instanceof InspectError)) throw error
    return undefined
  } finally {
    await source.close()
  }
}

/** What a file is by its name alone. */
export function foreignFile(name: string): string | undefined {
  const folder = Object.hasOwn(FOLDERS_BY_FILE, name) ? FOLDERS_BY_FILE[name] : undefined
  return folder && `a file of ${folder}`
}

/** Enough for the head of any schema, and the beginning of an array's name. */
const HEAD_BYTES = 64
/** Persisted size, tile size, datatype, cell size and encryption type: the head of generic tiles of TileDB 1.2 and 1.3. */
const OLDER_HEADER_BYTES = 8 + 8 + 1 + 8 + 1
/** Of an array's name, a path: bytes. */
const SHORTEST_NAME = 5
const LONGEST_NAME = 4096

/**
 * What `__array_schema.tdb` belongs to, where that is no release since TileDB 1.4.
 * @param head its first bytes
 * @param size of the file
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
  // Since 1.4 the version is followed by the size of what is stored, before 1.0 the length of the array's name by the name, a path.
  if (word < SHORTEST_NAME || word > LONGEST_NAME || word + 4 > size || head.length < 12) return undefined
  if (view.getBigUint64(4, true) <= BigInt(size)) return undefined
  const name = new TextDecoder('latin1').decode(head.subarray(4, 4 + word))
  return /^(?:\/|[a-z0-9]+:\/\/)[^\0-\x1f\x7f]+$/.test(name) ? 'an array of TileDB before 1.0' : undefined
}

/** @param what as {@link foreignFolder} has it */
export function foreignError(what: string, file: string): InspectError {
  return new InspectError('UNSUPPORTED_VERSION', `expected what TileDB 1.4 or later wrote, found ${what}`, { file })
}
