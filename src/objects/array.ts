import { badValue, faultOf, hasCode, InspectError, unlessCode, unlessFault, withPlace } from '../base/errors.ts'
import { CountedBytes } from '../base/memory.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { arrayMetadata, type MetadataEntry } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { COMMITS_SINCE, parseLines } from '../format/commit-files.ts'
import {
  type ConsolidatedFragmentMetadata,
  consolidatedFragmentMetadata,
} from '../format/consolidated-fragment-metadata.ts'
import { checkOffsets, type Enumeration, type EnumerationEntry } from '../format/enumeration.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import {
  compareByTimestamps,
  hasTimes,
  isFragmentName,
  nameFacts,
  parseTimestampedName,
  sortedAsWritten,
} from '../format/timestamped-name.ts'
import { type ByteSource, type Entry, type Folder, hasEntry, readAll, withSource } from '../storage/source.ts'
import {
  COMMITS_FOLDER,
  type Commits,
  FRAGMENT_META_FOLDER,
  FRAGMENTS_FOLDER,
  mayBeFragment,
  readCommits,
  TIMES_OF_LINES,
} from './commits.ts'
import { boundedEnumeration } from './enumerations.ts'
import { foreignError, foreignSchema } from './foreign.ts'
import { Fragment } from './fragment.ts'
import {
  contentSpace,
  keyOrDamage,
  oddCompressor,
  openGenericTile,
  readGenericTile,
  readGenericTileHeader,
  readStored,
  readTileFile,
} from './generic-tile.ts'
import { FooterLayouts } from './laid-out-info.ts'
import type { OpeningTimes, ReadContext } from './read-context.ts'
import { SmallSections } from './small-sections.ts'
import { isOdd, oddEntries, timedFiles } from './timed-files.ts'
import {
  type FragmentFolder,
  type FragmentState,
  isPartly,
  isPartlyWithin,
  isRead,
  isWithin,
  type Visibility,
  visibilityOf,
} from './visibility.ts'

export type { FragmentState }

export const SCHEMA_FOLDER = '__schema'
export const METADATA_FOLDER = '__meta'
/** Folder of enumerations in {@link SCHEMA_FOLDER}. */
export const ENUMERATIONS_FOLDER = '__enumerations'

/** Path in the array of the file of an enumeration. @param name the one that a schema gives */
export function enumerationPath(name: string): string {
  return `${SCHEMA_FOLDER}/${ENUMERATIONS_FOLDER}/${name}`
}
export const LABELS_FOLDER = '__labels'
/** Names of an array's folders that are never fragments. */
export const ARRAY_FOLDERS: ReadonlySet<string> = new Set([
  SCHEMA_FOLDER,
  FRAGMENTS_FOLDER,
  METADATA_FOLDER,
  COMMITS_FOLDER,
  FRAGMENT_META_FOLDER,
  LABELS_FOLDER,
])

/** Whether a folder with this name in an array is part of the array. */
export function isArrayFolder(name: string): boolean {
  return ARRAY_FOLDERS.has(name) || isFragmentName(name)
}

/** One file that holds an array schema. */
export interface SchemaFile {
  /** File name, as in footers. */
  name: string
  /** Path relative to the array. */
  path: string
  /** In milliseconds; undefined for `__array_schema.tdb`, which counts as the oldest. */
  timestamp_range: [bigint, bigint] | undefined
}

/**
 * The schema with which TileDB opens an array for reading. TileDB takes the last of the schemas that are not dated in the
 * future; if all are, it takes the first. The order is by name, not by time: `__9_9_…` comes after `__10_10_…`.
 * `__array_schema.tdb` is the first of all, and never in the future.
 *
 * @see ArrayDirectory::select_latest_array_schema_uri; measured with TileDB 2.30
 */
export function schemaFileOpened(files: readonly SchemaFile[], now: bigint): SchemaFile | undefined {
  const listed = schemasByName(files)
  return listed.findLast(({ timestamp_range }) => (timestamp_range?.[1] ?? 0n) <= now) ?? listed[0]
}

/** Schemas in the order in which TileDB takes them: {@link schemaFileOpened}. */
export function schemasByName(files: readonly SchemaFile[]): readonly SchemaFile[] {
  const isOld = ({ name }: SchemaFile): number => (name === OLD_SCHEMA_FILE ? 0 : 1)
  return [...files].sort((a, b) => isOld(a) - isOld(b) || rising(a.name, b.name))
}

/**
 * The times at which TileDB opens an array with one of these schemas, the earliest first: {@link schemaFileOpened}. The last one may have
 * no end.
 */
export function timesOpened(
  files: readonly SchemaFile[],
  wanted: ReadonlySet<SchemaFile>,
): readonly (readonly [first: bigint, last: bigint | null])[] {
  const stamps = new Set([0n, ...files.map(({ timestamp_range }) => timestamp_range?.[1] ?? 0n)])
  const found: [bigint, bigint | null][] = []
  for (const first of [...stamps].sort(rising)) {
    const before = found.at(-1)
    const opened = schemaFileOpened(files, first)
    const isWanted = opened !== undefined && wanted.has(opened)
    if (before && before[1] === null && !isWanted) before[1] = first - 1n
    else if (isWanted && before?.[1] !== null) found.push([first, null])
  }
  return found
}

/** Path of a schema file, relative to the array. */
export function schemaPath(name: string): string {
  return name === OLD_SCHEMA_FILE ? name : `${SCHEMA_FOLDER}/${name}`
}

/** A fragment folder on disk. */
export interface FragmentEntry {
  name: string
  /** Path relative to the array. */
  path: string
  /** In milliseconds, from the name. */
  timestamp_range: [bigint, bigint] | undefined
  /** Whether a commit names it, even if something hides it. */
  committed: boolean
  /** Whether TileDB lists it now. */
  visible: boolean
  /** Whether queries return its cells now. */
  isRead: boolean
  /** Whether a `.vac` file that counts now names it. */
  to_vacuum: boolean
  has_consolidated_metadata: boolean
  state: FragmentState
  /** The `.vac` or `.ign` file that hides it. */
  hidden_by: string | undefined
}

/** Whether a fragment with this name is of a version without commits. */
function hasNoCommit(facts: ReturnType<typeof nameFacts>): boolean {
  return (facts?.format_version ?? COMMITS_SINCE) < COMMITS_SINCE
}

/** A folder that TileDB takes for a fragment, and what its name says. Arrays may have 100,000, so it keeps little. */
class ListedFolder implements FragmentFolder {
  readonly name: string
  /** Whether it lies in `__fragments`, not in the array's own folder. */
  readonly isGrouped: boolean
  readonly facts: ReturnType<typeof nameFacts>
  committed = false

  constructor(name: string, isGrouped: boolean) {
    this.name = name
    this.isGrouped = isGrouped
    this.facts = nameFacts(name)
  }

  /** Path relative to the array. */
  get path(): string {
    return this.isGrouped ? `${FRAGMENTS_FOLDER}/${this.name}` : this.name
  }

  /** In milliseconds. */
  get timestamp_range(): [bigint, bigint] | undefined {
    return this.facts?.timestamp_range
  }

  get hasNoCommit(): boolean {
    return !this.isGrouped && hasNoCommit(this.facts)
  }
}

interface Listing {
  visibility: Visibility
  folders: readonly ListedFolder[]
  /** Paths of fragments that commits name, no list hides, and that are not there. */
  missing: readonly string[]
}

/** A copy of a fragment's footer in consolidated fragment metadata, and where it stands. */
export interface FooterCopy {
  bytes: Uint8Array
  place: { file: string; offset: number; space: string }
}

/** Results of reading, by a key for what was read. */
type Known = Map<string, Promise<unknown>>

/** A TileDB array. Everything is read on demand and then kept. */
export class InspectArray {
  readonly folder: Folder
  readonly cx: ReadContext
  readonly layouts = new FooterLayouts()
  readonly sections: SmallSections
  /** {@link consolidatedFooters}, once it or {@link fragments} was called. */
  footerCopies: ReadonlyMap<string, FooterCopy> | undefined
  private readonly known: Known = new Map()
  /** Results that do not depend on the times. All arrays that {@link at} makes share them. */
  private readonly timeless: Known

  constructor(folder: Folder, cx: ReadContext, timeless: Known = new Map()) {
    this.folder = folder
    this.cx = cx
    this.timeless = timeless
    this.sections = new SmallSections(cx)
  }

  /** The same array as TileDB opens it between other times. */
  at({ from, now }: OpeningTimes): InspectArray {
    return new InspectArray(this.folder, { ...this.cx, from, now }, this.timeless)
  }

  /** The same array for reads whose faults another read tells: damaged files are passed over. */
  quietly(): InspectArray {
    return new InspectArray(this.folder, { ...this.cx, onFault: () => {} }, this.timeless)
  }

  /** Returns the result of `read`, which is called once per key. */
  private once<T>(key: string, read: () => Promise<T>, known = this.known): Promise<T> {
    let found = known.get(key) as Promise<T> | undefined
    if (!found) {
      found = read()
      known.set(key, found)
    }
    return found
  }

  /** The entries of the array's folder. */
  root(): Promise<readonly Entry[]> {
    return this.once('root', () => this.folder.list(), this.timeless)
  }

  /**
   * All schema files, oldest first.
   * @param known name of a file that must exist. If the server cannot list names, it is the only result.
   * @see format_spec/array_file_hierarchy.md
   */
  async schemaFiles(known?: string): Promise<SchemaFile[]> {
    try {
      return (await this.schemaFolder()).files
    } catch (error) {
      if (known === undefined || !hasCode(error, 'NO_LISTING')) throw error
      return [{ name: known, path: schemaPath(known), timestamp_range: parseTimestampedName(known)?.timestamp_range }]
    }
  }

  /** Files and folders in `__schema` that TileDB takes for schemas and that are none. Empty if the server cannot list names. */
  async schemaStrays(): Promise<readonly Entry[]> {
    return (await this.schemaFolder().catch(unlessFault))?.others ?? []
  }

  private schemaFolder(): Promise<{ files: SchemaFile[]; others: Entry[] }> {
    return this.once('schemas', () => this.readSchemaFolder(), this.timeless)
  }

  private async readSchemaFolder(): Promise<{ files: SchemaFile[]; others: Entry[] }> {
    const root = await this.root()
    const files: SchemaFile[] = []
    const others: Entry[] = []
    if (hasEntry(root, OLD_SCHEMA_FILE, 'file')) {
      files.push({ name: OLD_SCHEMA_FILE, path: OLD_SCHEMA_FILE, timestamp_range: undefined })
    }
    if (hasEntry(root, SCHEMA_FOLDER, 'folder')) {
      for (const entry of await this.folder.folder(SCHEMA_FOLDER).list()) {
        const { name, kind } = entry
        const path = `${SCHEMA_FOLDER}/${name}`
        if (kind === 'folder') {
          if (name !== ENUMERATIONS_FOLDER) others.push(entry)
          continue
        }
        // TileDB tries to read pipes and devices, too.
        if (parseTimestampedName(name) || (await this.isReadAsSchema(path)))
          files.push({ name, path, timestamp_range: nameFacts(name)?.timestamp_range })
        else others.push(entry)
      }
    }
    return { files: files.sort(compareByTimestamps), others }
  }

  /** Whether a file with an unusual name is a schema. TileDB takes every file in the folder for one. */
  private async isReadAsSchema(path: string): Promise<boolean> {
    return hasTimes(lastPathPart(path)) && (await this.readSchemaFile(path).catch(unlessFault)) !== undefined
  }

  /** The schema with which TileDB opens the array: {@link schemaFileOpened}. @throws InspectError MISSING_FILE */
  newestSchema(): Promise<{ file: SchemaFile; schema: ArraySchema }> {
    return this.once('newest schema', async () => {
      const files = await this.schemaFiles()
      const file = schemaFileOpened(files, this.cx.now)
      if (file) {
        const schema = await this.schema(file.name)
        this.notePlain(files)
        return { file, schema }
      }
      throw new InspectError(
        'MISSING_FILE',
        { expected: 'a schema in the array', found: 'none' },
        { file: this.folder.path },
      )
    })
  }

  /** Notes that the array is not encrypted, as its schema is not. Of several schemas, another one may be encrypted. */
  private notePlain(files: readonly SchemaFile[]): void {
    this.cx.isPlain = this.cx.key === undefined && files.length === 1
  }

  /** {@link newestSchema} for reading cells. @throws InspectError BAD_VALUE if the schema has no dimension */
  async schemaOfCells(): Promise<ArraySchema> {
    const { file, schema } = await this.newestSchema()
    if (schema.domain.dimensions.length > 0) return schema
    const at = { file: `${this.folder.path}/${file.path}`, field: 'domain.dimensions' }
    throw badValue({ expected: 'at least one dimension', found: 'none' }, at)
  }

  /** Reads a schema. @param name as in footers: a file of `__schema`, or `__array_schema.tdb` */
  schema(name: string): Promise<ArraySchema> {
    return this.once(`schema ${name}`, () => this.readSchema(name), this.knownOfTiles)
  }

  /** Results of reading generic tiles: the same at all times. With a key, each context has to see it open a tile. */
  private get knownOfTiles(): Known {
    return this.cx.key === undefined ? this.timeless : this.known
  }

  private async readSchema(name: string): Promise<ArraySchema> {
    if (/[/\0]/.test(name) || name === '' || name === '..') {
      throw badValue(
        { expected: 'the name of a schema file', found: JSON.stringify(name) },
        {
          field: 'array_schema_name',
        },
      )
    }
    try {
      return await this.readSchemaFile(schemaPath(name))
    } catch (error) {
      if (hasCode(error, 'WRONG_KEY')) await this.proveKey()
      throw keyOrDamage(error, this.cx)
    }
  }

  private readSchemaFile(path: string): Promise<ArraySchema> {
    return this.withFile(path, async (source) => {
      const bytes = await readStored(source, this.cx)
      const foreign = path === OLD_SCHEMA_FILE ? foreignSchema(bytes, bytes.length) : undefined
      if (foreign !== undefined) throw foreignError(foreign, source.name)
      return readGenericTile(bytes, arraySchema, this.cx, { file: source.name, offset: 0 })
    })
  }

  /** Tries the key on the fragments' metadata. If it opens any of them, a schema that it does not open is damaged. */
  private async proveKey(): Promise<void> {
    for (const { path } of await this.fragments()) {
      const opened = this.withFile(`${path}/${FRAGMENT_METADATA_FILE}`, async (source) =>
        openGenericTile(await readStored(source, this.cx), this.cx, { file: source.name, offset: 0 }),
      )
      if (await opened.catch(unlessFault)) return
    }
  }

  /** Reads the enumerations of a schema. */
  async enumerations(schema: ArraySchema): Promise<Enumeration[]> {
    return Promise.all(schema.enumerations.map((entry) => this.enumeration(entry)))
  }

  /** Reads an enumeration. @throws InspectError BAD_VALUE if offsets of values fall or leave the data */
  enumeration({ path_name }: EnumerationEntry): Promise<Enumeration> {
    const path = enumerationPath(lastPathPart(path_name))
    const read = async (): Promise<Enumeration> => {
      const enumeration = await readTileFile(this.folder.file(path), boundedEnumeration(this.cx), this.cx)
      withPlace({ file: `${this.folder.path}/${path}` }, () => checkOffsets(enumeration))
      return enumeration
    }
    return this.once(path, read, this.knownOfTiles)
  }

  /** Reads all commit files. Damaged files are reported to {@link ReadContext.onFault}. */
  commits(): Promise<Commits> {
    const read = async (): Promise<Commits> => {
      const commits = await readCommits(this.folder, await this.root(), this.cx.memory)
      for (const { fault } of commits.files) if (fault) reportFault(this.cx, fault)
      return commits
    }
    return this.once('commits', read, this.timeless)
  }

  /** All fragment folders, committed or not, sorted by their timestamps. Opens no fragment. */
  async fragments(): Promise<FragmentEntry[]> {
    const { visibility, folders } = await this.listing()
    const { ignored } = await this.commits()
    const { names: inMeta } = await this.inMetadata()
    return folders.map((folder): FragmentEntry => {
      const { name, path, timestamp_range, committed } = folder
      const found = visibility.state(folder)
      const state = found === 'uncommitted' && folder.hasNoCommit ? 'no-metadata' : found
      const listedBy = visibility.lists(path)[0]?.file
      const isListed = state === 'to-vacuum' || state === 'hidden'
      const ignoredBy = state === 'ignored' ? ignored.get(path) : undefined
      return {
        name,
        path,
        timestamp_range,
        committed,
        visible: state === 'live',
        isRead: isRead(state),
        to_vacuum: listedBy !== undefined,
        has_consolidated_metadata: inMeta.has(name),
        state,
        hidden_by: isListed ? listedBy : ignoredBy,
      }
    })
  }

  /** The entries of all consolidated fragment metadata files. A damaged file is reported once. */
  private async inMetadata(): Promise<{ names: ReadonlySet<string>; footers: ReadonlyMap<string, FooterCopy> }> {
    const read = async () => {
      const names = new Set<string>()
      const copies = new Map<string, FooterCopy>()
      for await (const { file, entries, footers } of this.consolidatedMetadata()) {
        const base = entries[0]?.offset ?? 0
        let isInOrder = true
        for (const [i, { fragment_name, offset }] of entries.entries()) {
          const name = lastPathPart(fragment_name)
          names.add(name)
          const next = entries[i + 1]
          const end = next ? next.offset - base : footers.length
          isInOrder &&= offset >= base && end <= footers.length
          if (!isInOrder || (nameFacts(name)?.format_version ?? 0) < 10) continue
          copies.set(name, {
            bytes: footers.subarray(offset - base, end),
            place: { file, offset, space: contentSpace(0) },
          })
        }
      }
      return { names, footers: copies }
    }
    const found = await this.once('in metadata', read, this.timeless)
    this.footerCopies = found.footers
    return found
  }

  /** The fragment folders, and how commits and lists apply to them now. */
  listing(): Promise<Listing> {
    return this.once('listing', () => this.readListing())
  }

  /**
   * Commits are listed before fragments, as TileDB lists only commits, and then opens what they name. A write makes its folder first
   * and its commit last; a vacuum removes the commit first, and then the folder. So each listed commit has its folder, unless a
   * vacuum has begun since, which {@link Storage.confirm} tells. Listed the other way round, a fragment that was consolidated
   * between the two listings would lack its folder, and those that it replaces would lack their commits.
   * @see Consolidator, FragmentConsolidator::vacuum, ArrayDirectory::load
   */
  private async readListing(): Promise<Listing> {
    const commits = await this.commits()
    const { folders, absent } = await this.once('committed folders', () => this.committedFolders(), this.timeless)
    const isAnyPartly =
      folders.some(({ facts }) => isPartly(facts, this.cx)) ||
      commits.files.some(({ kind, path }) => kind === 'vacuum' && isPartlyWithin(path, this.cx))
    const newest = isAnyPartly ? await this.newestSchema().catch(unlessFault) : undefined
    const visibility = visibilityOf(commits, folders, this.cx, newest?.schema.array_type === 'sparse')
    const missing = absent.filter((path) => visibility.lists(path).length === 0)
    // A vacuum may have removed them since the commits were listed.
    if (missing.length > 0) await this.folder.storage.confirm?.()
    return { visibility, folders, missing }
  }

  /** The fragment folders, and the paths that commits name where none is. The same at all times. */
  private async committedFolders(): Promise<{ folders: Listing['folders']; absent: readonly string[] }> {
    const { committed } = await this.commits()
    const folders = await this.fragmentFolders()
    let named = 0
    for (const folder of folders) {
      const { path } = folder
      const isNamed = committed.has(path)
      if (isNamed) named++
      folder.committed = isNamed || (folder.hasNoCommit && (await this.hasMetadata(path)))
    }
    if (named === committed.size) return { folders, absent: [] }
    const there = new Set(folders.map(({ path }) => path))
    return { folders, absent: [...committed].filter((path) => !there.has(path)) }
  }

  /** The entry of a fragment's folder. Undefined if there is none, or the server cannot list. */
  async entryOf(folder: Folder): Promise<FragmentEntry | undefined> {
    const path = folder.path.slice(this.folder.path.length + 1)
    const entries = await this.fragments().catch(unlessCode('NO_LISTING'))
    return entries?.find((entry) => entry.path === path)
  }

  /** Paths of fragments that TileDB would read, as they have a commit, but whose folder is missing. */
  async missingFragments(): Promise<string[]> {
    const missing: string[] = []
    for (const path of (await this.listing()).missing) if (await this.isReadNow(lastPathPart(path))) missing.push(path)
    return missing
  }

  /** Whether TileDB reads all or a part of a fragment with this name at the times of the context. */
  private async isReadNow(name: string): Promise<boolean> {
    if (isWithin(nameFacts(name)?.timestamp_range ?? [0n, 0n], this.cx)) return true
    if (!isPartlyWithin(name, this.cx)) return false
    return (await this.newestSchema().catch(unlessFault))?.schema.array_type === 'sparse'
  }

  /** Opens a fragment of this array. @param path relative to the array */
  fragment(path: string): Fragment {
    return new Fragment(this.folder.folder(path), this.cx, this)
  }

  /** What `work` returns for a fragment, which is closed afterwards. */
  async withFragment<T>(path: string, work: (fragment: Fragment) => Promise<T>): Promise<T> {
    const fragment = this.fragment(path)
    try {
      return await work(fragment)
    } finally {
      await fragment.close()
    }
  }

  /** Names of all fragment folders, sorted by the timestamps in them. */
  async fragmentNames(): Promise<string[]> {
    return sortedAsWritten(await this.fragmentFolders()).map(({ name }) => name)
  }

  /** Folders with a fragment's name, and others that TileDB takes for fragments, sorted by their timestamps. */
  private async fragmentFolders(): Promise<readonly ListedFolder[]> {
    return (await this.fragmentEntries()).folders
  }

  /** Names in `__fragments` of what is no fragment. Marks of folders are left out. */
  async foreignEntries(): Promise<readonly string[]> {
    return (await this.fragmentEntries()).foreign
  }

  private fragmentEntries(): Promise<{ folders: readonly ListedFolder[]; foreign: readonly string[] }> {
    return this.once('fragment folders', () => this.readFragmentFolders(), this.timeless)
  }

  private async readFragmentFolders(): Promise<{ folders: readonly ListedFolder[]; foreign: readonly string[] }> {
    const root = await this.root()
    const grouped = hasEntry(root, FRAGMENTS_FOLDER, 'folder') ? await this.folder.folder(FRAGMENTS_FOLDER).list() : []
    const folders: ListedFolder[] = []
    const foreign: string[] = []
    for (const entries of [root, grouped]) {
      for (const { name, kind } of entries) {
        const folder = new ListedFolder(name, entries === grouped)
        const mayBe = kind === 'folder' && !(entries === root && ARRAY_FOLDERS.has(name))
        if (mayBe && (isFragmentName(name) || (await this.isUnusualFragment(folder.path)))) folders.push(folder)
        else if (entries === grouped && !name.endsWith('_$folder$')) foreign.push(name)
      }
    }
    return { folders: folders.sort(compareByTimestamps), foreign }
  }

  /**
   * Whether TileDB takes a folder with an unusual name for a fragment. It does if a commit names the folder. In the array's
   * own folder, where old fragments have no version in their names, it also does if the folder has a metadata file.
   */
  private async isUnusualFragment(path: string): Promise<boolean> {
    const isInside = path.includes('/')
    if (!isInside && !mayBeFragment(path)) return false
    if ((await this.commits()).committed.has(path)) return true
    return !isInside && hasNoCommit(nameFacts(path)) && (await this.hasMetadata(path))
  }

  private async hasMetadata(folder: string): Promise<boolean> {
    return (await this.folder.folder(folder).kind(FRAGMENT_METADATA_FILE)) === 'file'
  }

  /**
   * Lets the storage list the folders of all fragments together, with many names and sizes per request. Commits are listed before, so
   * that the files of each fragment with a commit are there.
   */
  async listFragmentsAhead(): Promise<number | undefined> {
    await this.commits()
    const inside = this.folder.folder(FRAGMENTS_FOLDER)
    const grouped = hasEntry(await this.root(), FRAGMENTS_FOLDER, 'folder')
    return this.folder.storage.listAhead?.(grouped ? inside.path : this.folder.path)
  }

  /**
   * Footers from consolidated fragment metadata files, by fragment name. Footers before version 10 are left out, as they do
   * not contain their version and schema. Damaged files are skipped, because every fragment has its own footer, too.
   */
  async consolidatedFooters(): Promise<ReadonlyMap<string, FooterCopy>> {
    return (await this.inMetadata()).footers
  }

  /**
   * The copy of the footer of a fragment. If its own file is not there, TileDB opens the array with the copy; only reads that touch the
   * fragment fail, because the rest of its metadata is lost.
   */
  async keptFooter(name: string): Promise<FooterCopy | undefined> {
    return (await this.consolidatedFooters()).get(name)
  }

  /** The consolidated fragment metadata files that can be read. */
  private async *consolidatedMetadata(): AsyncGenerator<ConsolidatedFragmentMetadata & { file: string }> {
    for (const { kind, path } of (await this.commits()).files) {
      if (kind !== 'fragment-metadata') continue
      const metadata = await this.consolidatedFragmentMetadata(path).catch(faultOf)
      if (metadata instanceof InspectError) reportFault(this.cx, metadata)
      else yield { ...metadata, file: `${this.folder.path}/${path}` }
    }
  }

  /** Reads a consolidated fragment metadata file. @param path of the `.meta` file, relative to the array */
  consolidatedFragmentMetadata(path: string): Promise<ConsolidatedFragmentMetadata> {
    return readTileFile(this.folder.file(path), consolidatedFragmentMetadata, this.cx)
  }

  /** The array's current key-value metadata: see {@link readMetadata}. */
  metadata(onOdd?: (entry: Entry) => void): Promise<Map<string, WrittenMetadata>> {
    return readMetadata(this.folder, this.cx, onOdd)
  }

  /** {@link oddEntries} of `__meta`. Empty if nobody may list names. */
  metadataStrays(): Promise<readonly Entry[]> {
    const find = async (): Promise<readonly Entry[]> => {
      const inside = this.folder.folder(METADATA_FOLDER)
      const entries = (await inside.listIfThere().catch(unlessFault)) ?? []
      return oddEntries(inside, entries, this.cx, () => this.once('encryption', () => this.encryption(), this.timeless))
    }
    return this.once('metadata strays', find, this.timeless)
  }

  /** Whether the array is encrypted, from the header of the newest schema file. Needs no key. */
  async encryption(): Promise<'NO_ENCRYPTION' | 'AES_256_GCM'> {
    const file = (await this.schemaFiles()).at(-1)
    if (!file) return 'NO_ENCRYPTION'
    const header = await this.withFile(file.path, readGenericTileHeader)
    // Opening the tile notes whether TileDB fails to open it.
    if (oddCompressor(header)) {
      const opened = this.withFile(file.path, async (source) =>
        openGenericTile(await readStored(source, this.cx), this.cx, { file: source.name, offset: 0 }),
      )
      await opened.catch(unlessFault)
    }
    return header.encryption_type
  }

  /**
   * Refuses an array of an unknown version, for commands that read no schema. Ignores all other faults.
   * @returns whether the array is encrypted; undefined if that cannot be read
   * @throws InspectError UNSUPPORTED_VERSION if the newest schema has a version that no release wrote
   */
  async checkVersion(): Promise<'NO_ENCRYPTION' | 'AES_256_GCM' | undefined> {
    try {
      const encryption = await this.encryption()
      if (encryption === 'NO_ENCRYPTION') this.notePlain(await this.schemaFiles())
      return encryption
    } catch (error) {
      if (hasCode(error, 'UNSUPPORTED_VERSION')) throw error
      return undefined
    }
  }

  private async withFile<T>(path: string, work: (source: ByteSource) => Promise<T>): Promise<T> {
    return withSource(this.folder.file(path), work)
  }
}

/** Reports damage after which reading can go on: see {@link ReadContext.onFault}. */
export function reportFault(cx: ReadContext, fault: InspectError): void {
  if (!cx.onFault) throw fault
  cx.onFault(fault)
}

/** An entry of key-value metadata, and the file that has it. */
export type WrittenMetadata = MetadataEntry & {
  /** First and last timestamp of the file, in milliseconds. They differ if the file was consolidated. */
  timestamp_range: readonly [bigint, bigint] | undefined
  /** Name of the file. */
  file: string
}

/**
 * Current key-value metadata of an array or a group, without deleted keys. It comes from all files of `__meta` except
 * those that a `.vac` file there lists. For each key, a later file overrides earlier ones. See {@link timedFiles}.
 *
 * @param onOdd called for entries because of which TileDB may fail: see {@link isOdd}
 * @see format_spec/metadata.md
 */
export async function readMetadata(
  folder: Folder,
  cx: ReadContext,
  onOdd?: (entry: Entry) => void,
): Promise<Map<string, WrittenMetadata>> {
  const inside = folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  if (onOdd) for (const entry of entries) if (isOdd(entry)) onOdd(entry)
  return newestOf(await changesIn(inside, entries, cx, await vacuumedMetadata(inside, entries, cx, cx)))
}

/** A change of a key of key-value metadata. */
export interface MetadataVersion {
  change: WrittenMetadata
  /** Whether readers get it now. */
  isCurrent: boolean
}

/**
 * Every change of every key that the files of `__meta` hold between the times, even of files that a `.vac` file lists. Keys
 * are in the order of their names. The changes of a key are oldest first; a consolidated copy comes after its original.
 */
export async function metadataVersions(folder: Folder, cx: ReadContext): Promise<MetadataVersion[]> {
  const inside = folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  const gone = await vacuumedMetadata(inside, entries, cx, cx)
  const all = await changesIn(inside, entries, cx)
  const current = newestOf(all.filter(({ file }) => !gone.has(file)))
  return all
    .map((change) => ({ change, isCurrent: current.get(change.key) === change }))
    .sort(({ change: a }, { change: b }) => {
      if (a.key !== b.key) return rising(a.key, b.key)
      const [first, last] = a.timestamp_range ?? [0n, 0n]
      const [otherFirst, otherLast] = b.timestamp_range ?? [0n, 0n]
      return Number(last - otherLast) || Number(otherFirst - first)
    })
}

/**
 * Names of the files that `.vac` files of `__meta` list.
 * @param entries entries of `__meta`
 * @param times a `.vac` file counts if its timestamps are between these times; without times all count
 */
export async function vacuumedMetadata(
  inside: Folder,
  entries: readonly Entry[],
  cx: Pick<ReadContext, 'memory'>,
  times?: OpeningTimes,
): Promise<Set<string>> {
  const vacuumed = new Set<string>()
  const room = new CountedBytes(cx.memory, 'lists of vacuumed metadata', TIMES_OF_LINES)
  const counts = (name: string): boolean => !times || isWithin(nameFacts(name)?.timestamp_range ?? [0n, 0n], times)
  for (const { name } of entries) {
    if (!name.endsWith('.vac') || !counts(name)) continue
    const bytes = await withSource(inside.file(name), async (source) => {
      room.add(await source.size(), source.name)
      return readAll(source)
    })
    for (const { text } of parseLines(bytes)) if (text !== '') vacuumed.add(lastPathPart(text))
  }
  return vacuumed
}

/** The entries of the files of `__meta`, in the order in which TileDB applies them. @param gone names of files to leave out */
async function changesIn(
  inside: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  gone?: ReadonlySet<string>,
): Promise<WrittenMetadata[]> {
  const changes: WrittenMetadata[] = []
  for await (const { name, content } of timedFiles(inside, entries, cx, arrayMetadata, gone)) {
    const timestamp_range = nameFacts(name)?.timestamp_range
    for (const change of content.entries) changes.push({ ...change, timestamp_range, file: name })
  }
  return changes
}

/** The last change of each key, without deleted keys. */
function newestOf(changes: readonly WrittenMetadata[]): Map<string, WrittenMetadata> {
  const newest = new Map<string, WrittenMetadata>()
  for (const change of changes) {
    newest.delete(change.key)
    if (!change.deleted) newest.set(change.key, change)
  }
  return newest
}
