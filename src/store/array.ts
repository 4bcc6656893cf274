import { badValue, InspectError } from '../base/errors.ts'
import { arrayMetadata, type MetadataEntry } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { lastPathPart } from '../format/commit-files.ts'
import {
  type ConsolidatedFragmentMetadata,
  consolidatedFragmentMetadata,
} from '../format/consolidated-fragment-metadata.ts'
import { type Enumeration, type EnumerationEntry, enumerationFile } from '../format/enumeration.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { compareByTimestamps, nameFacts, parseFragmentName, parseTimestampedName } from '../format/timestamped-name.ts'
import { type ByteSource, type Entry, type Folder, isNoListing, readAll } from '../source/source.ts'
import { type Commits, FRAGMENTS_FOLDER, mayBeFragment, readCommits } from './commits.ts'
import { foreignError, foreignSchema } from './foreign.ts'
import { Fragment } from './fragment.ts'
import {
  keyOrDamage,
  openGenericTile,
  type ReadContext,
  readGenericTile,
  readGenericTileHeader,
} from './generic-tile.ts'
import { timedFiles } from './timed-files.ts'
import { type FragmentState, hasBegun, isRead, Visibility } from './visibility.ts'

export type { FragmentState }

/** Folders of an array that are never fragments. */
export const SCHEMA_FOLDER = '__schema'
const METADATA_FOLDER = '__meta'
const NOT_FRAGMENTS = new Set([
  SCHEMA_FOLDER,
  FRAGMENTS_FOLDER,
  METADATA_FOLDER,
  '__commits',
  '__fragment_meta',
  '__labels',
])

/** Whether a folder of this name in an array is part of it. */
export function isArrayFolder(name: string): boolean {
  return NOT_FRAGMENTS.has(name) || parseFragmentName(name) !== undefined
}

/** One file that holds an array schema. */
export interface SchemaFile {
  /** File name, as footers have it. */
  name: string
  /** Relative to the array. */
  path: string
  /** Milliseconds. Undefined for `__array_schema.tdb`, which counts as the oldest. */
  timestamp_range: [bigint, bigint] | undefined
}

/**
 * The schema with which TileDB opens an array for reading. Of the schemas not dated in the future it takes the last by
 * name, not by time: `__9_9_…` comes after `__10_10_…`. If all are in the future it takes the first.
 * `__array_schema.tdb` is the first of all, and never in the future.
 *
 * @see ArrayDirectory::select_latest_array_schema_uri; measured with TileDB 2.30
 */
export function schemaFileOpened(files: readonly SchemaFile[], now: bigint): SchemaFile | undefined {
  const isOld = ({ name }: SchemaFile): number => (name === OLD_SCHEMA_FILE ? 0 : 1)
  const listed = [...files].sort((a, b) => isOld(a) - isOld(b) || (a.name < b.name ? -1 : 1))
  return listed.findLast(({ timestamp_range }) => (timestamp_range?.[1] ?? 0n) <= now) ?? listed[0]
}

/** A fragment folder on disk. */
export interface FragmentEntry {
  name: string
  /** Relative to the array. */
  path: string
  /** Milliseconds, from the name. */
  timestamp_range: [bigint, bigint] | undefined
  /** Whether a commit names it, even if something hides it. */
  committed: boolean
  /** Whether TileDB lists it now. */
  visible: boolean
  /** Whether queries give its cells now. */
  isRead: boolean
  /** Whether a `.vac` file names it that counts now. */
  to_vacuum: boolean
  has_consolidated_metadata: boolean
  state: FragmentState
  /** The `.vac` or `.ign` file that hides it. */
  hidden_by: string | undefined
}

/** Arrays may have 100,000 fragments, so what follows from the name is computed on demand. */
class ListedFragment implements FragmentEntry {
  readonly name: string
  readonly committed: boolean
  readonly state: FragmentState
  readonly to_vacuum: boolean
  readonly has_consolidated_metadata: boolean
  readonly hidden_by: string | undefined
  readonly inFragments: boolean

  constructor(
    folder: { name: string; inFragments: boolean; committed: boolean },
    state: FragmentState,
    listedBy: string | undefined,
    ignoredBy: string | undefined,
    hasConsolidatedMetadata: boolean,
  ) {
    this.name = folder.name
    this.inFragments = folder.inFragments
    this.committed = folder.committed
    this.state = state
    this.to_vacuum = listedBy !== undefined
    this.hidden_by =
      state === 'ignored' ? ignoredBy : state === 'to-vacuum' || state === 'hidden' ? listedBy : undefined
    this.has_consolidated_metadata = hasConsolidatedMetadata
  }

  get path(): string {
    return folderPath(this)
  }

  get timestamp_range(): [bigint, bigint] | undefined {
    return nameFacts(this.name)?.timestamp_range
  }

  get visible(): boolean {
    return this.state === 'live'
  }

  get isRead(): boolean {
    return isRead(this.state)
  }
}

function folderPath({ name, inFragments }: { name: string; inFragments: boolean }): string {
  return inFragments ? `${FRAGMENTS_FOLDER}/${name}` : name
}

/** Since this version a fragment counts if a commit names it. Before, it counts if it has its metadata file. */
const COMMITS_SINCE = 5

function isOld(name: string): boolean {
  return (nameFacts(name)?.format_version ?? COMMITS_SINCE) < COMMITS_SINCE
}

interface ListedFolder {
  name: string
  inFragments: boolean
  timestamp_range: [bigint, bigint]
  /** Relative to the array. */
  path: string
  /** Whether it is of a version without commits. */
  old: boolean
  committed: boolean
}

interface Listing {
  visibility: Visibility
  folders: readonly ListedFolder[]
}

/** A TileDB array. Everything is read on demand, and kept. */
export class InspectArray {
  readonly folder: Folder
  readonly cx: ReadContext
  private rootEntries: Promise<readonly Entry[]> | undefined
  private commitsRead: Promise<Commits> | undefined
  private listed: Promise<Listing> | undefined
  private readonly schemasRead = new Map<string, Promise<ArraySchema>>()

  constructor(folder: Folder, cx: ReadContext) {
    this.folder = folder
    this.cx = cx
  }

  root(): Promise<readonly Entry[]> {
    this.rootEntries ??= this.folder.list()
    return this.rootEntries
  }

  /**
   * All schema files, oldest first.
   * @param known name of a file that must exist. If the server cannot list names, it is the only result.
   * @see format_spec/array_file_hierarchy.md
   */
  async schemaFiles(known?: string): Promise<SchemaFile[]> {
    let root: readonly Entry[]
    try {
      root = await this.root()
    } catch (error) {
      if (known === undefined || !isNoListing(error)) throw error
      const path = known === OLD_SCHEMA_FILE ? known : `${SCHEMA_FOLDER}/${known}`
      return [{ name: known, path, timestamp_range: parseTimestampedName(known)?.timestamp_range }]
    }
    const files: SchemaFile[] = []
    if (root.some((e) => e.name === OLD_SCHEMA_FILE && e.kind === 'file')) {
      files.push({ name: OLD_SCHEMA_FILE, path: OLD_SCHEMA_FILE, timestamp_range: undefined })
    }
    if (root.some((e) => e.name === SCHEMA_FOLDER && e.kind === 'folder')) {
      for (const { name, kind } of await this.folder.folder(SCHEMA_FOLDER).list()) {
        const path = `${SCHEMA_FOLDER}/${name}`
        if (kind === 'file' && (parseTimestampedName(name) || (await this.isReadAsSchema(path))))
          files.push({ name, path, timestamp_range: nameFacts(name)?.timestamp_range })
      }
    }
    return files.sort(compareByTimestamps)
  }

  /** Whether a file of an unusual name is a schema. TileDB takes every file in the folder for one. */
  private async isReadAsSchema(path: string): Promise<boolean> {
    const [first, last] = nameFacts(lastPathPart(path))?.timestamp_range ?? [1n, 0n]
    if (first > last) return false
    try {
      await this.readSchemaFile(path)
      return true
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      return false
    }
  }

  /** The schema with which TileDB opens the array: {@link schemaFileOpened}. @throws InspectError MISSING_FILE */
  async newestSchema(): Promise<{ file: SchemaFile; schema: ArraySchema }> {
    const file = schemaFileOpened(await this.schemaFiles(), this.cx.now)
    if (!file)
      throw new InspectError('MISSING_FILE', 'expected a schema in the array, found none', { file: this.folder.path })
    return { file, schema: await this.schema(file.name) }
  }

  /** @param name as in footers: a file of `__schema`, or `__array_schema.tdb` */
  schema(name: string): Promise<ArraySchema> {
    let read = this.schemasRead.get(name)
    if (!read) {
      read = this.readSchema(name)
      this.schemasRead.set(name, read)
    }
    return read
  }

  private async readSchema(name: string): Promise<ArraySchema> {
    if (name.includes('/') || name === '' || name === '..') {
      throw badValue(`expected the name of a schema file, found ${JSON.stringify(name)}`, {
        field: 'array_schema_name',
      })
    }
    const path = name === OLD_SCHEMA_FILE ? name : `${SCHEMA_FOLDER}/${name}`
    try {
      return await this.readSchemaFile(path)
    } catch (error) {
      if (error instanceof InspectError && error.code === 'WRONG_KEY') await this.proveKey()
      throw keyOrDamage(error, this.cx)
    }
  }

  private readSchemaFile(path: string): Promise<ArraySchema> {
    return this.withFile(path, async (source) => {
      const bytes = await readAll(source)
      const foreign = path === OLD_SCHEMA_FILE ? foreignSchema(bytes, bytes.length) : undefined
      if (foreign !== undefined) throw foreignError(foreign, source.name)
      return readGenericTile(bytes, arraySchema, this.cx, { file: source.name, offset: 0 })
    })
  }

  /** Tries the key on the fragments' metadata. If it opens any, then a schema that it does not open is damaged. */
  private async proveKey(): Promise<void> {
    for (const { path } of await this.fragments()) {
      try {
        await this.withFile(`${path}/${FRAGMENT_METADATA_FILE}`, async (source) => {
          await openGenericTile(await readAll(source), this.cx, { file: source.name, offset: 0 })
        })
        return
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
      }
    }
  }

  /** Reads the enumerations of a schema. */
  async enumerations(schema: ArraySchema): Promise<Enumeration[]> {
    return Promise.all(schema.enumerations.map((entry) => this.enumeration(entry)))
  }

  enumeration({ path_name }: EnumerationEntry): Promise<Enumeration> {
    return this.withFile(`${SCHEMA_FOLDER}/__enumerations/${lastPathPart(path_name)}`, async (source) =>
      readGenericTile(await readAll(source), enumerationFile, this.cx, { file: source.name, offset: 0 }),
    )
  }

  /** Damaged commit files are reported to {@link ReadContext.onFault}. */
  commits(): Promise<Commits> {
    this.commitsRead ??= this.readCommits()
    return this.commitsRead
  }

  private async readCommits(): Promise<Commits> {
    const commits = await readCommits(this.folder, await this.root())
    for (const { fault } of commits.files) if (fault) reportFault(this.cx, fault)
    return commits
  }

  /** All fragment folders, committed or not, sorted by their timestamps. Opens no fragment. */
  async fragments(): Promise<FragmentEntry[]> {
    const { visibility, folders } = await this.listing()
    const inMeta = await this.consolidatedFragmentNames(await this.commits())
    const { ignored } = await this.commits()
    return folders.map((folder) => {
      const { path, old } = folder
      const state = visibility.state(path)
      const listedBy = visibility.lists(path)[0]?.file
      const named = state === 'uncommitted' && old ? 'no-metadata' : state
      return new ListedFragment(folder, named, listedBy, ignored.get(path), inMeta.has(folder.name))
    })
  }

  /** The fragment folders, and how commits and lists apply to them now. */
  listing(): Promise<Listing> {
    this.listed ??= this.readListing()
    return this.listed
  }

  private async readListing(): Promise<Listing> {
    const commits = await this.commits()
    const { now } = this.cx
    const folders: ListedFolder[] = []
    for (const folder of await this.fragmentFolders()) {
      const path = folderPath(folder)
      const old = !folder.inFragments && isOld(folder.name)
      const committed =
        commits.committed.has(path) ||
        (old && (await this.folder.folder(folder.name).kind(FRAGMENT_METADATA_FILE)) === 'file')
      folders.push({ ...folder, path, old, committed })
    }
    const open = [...folders, ...commits.files].some(({ path }) => hasBegun(path, now))
    const sparse = open && (await this.isSparse())
    return { visibility: new Visibility(commits, folders, now, sparse), folders }
  }

  private async isSparse(): Promise<boolean> {
    try {
      return (await this.newestSchema()).schema.array_type === 'sparse'
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      return false
    }
  }

  /**
   * The entry of a fragment by its path relative to the array. Undefined if there is none, or the server cannot list.
   */
  async entryAt(path: string): Promise<FragmentEntry | undefined> {
    try {
      return (await this.fragments()).find((entry) => entry.path === path)
    } catch (error) {
      if (!isNoListing(error)) throw error
      return undefined
    }
  }

  /** Names of fragments that have a commit, so that TileDB reads them, but no folder. */
  async missingFragments(): Promise<string[]> {
    const { visibility, folders } = await this.listing()
    const there = new Set(folders.map(({ name }) => name))
    const { now } = this.cx
    return [...(await this.commits()).committed]
      .filter((path) => visibility.lists(path).length === 0)
      .map(lastPathPart)
      .filter((name) => !there.has(name) && (nameFacts(name)?.timestamp_range[1] ?? 0n) <= now)
  }

  /** Opens a fragment of this array. @param path relative to the array */
  fragment(path: string): Fragment {
    return new Fragment(this.folder.folder(path), this.cx, this)
  }

  /** Names of all fragment folders, sorted by their timestamps. */
  async fragmentNames(): Promise<string[]> {
    return (await this.fragmentFolders()).map(({ name }) => name)
  }

  /** Folders that have a fragment's name, or that TileDB takes for fragments, sorted by their timestamps. */
  private async fragmentFolders(): Promise<Omit<ListedFolder, 'path' | 'old' | 'committed'>[]> {
    const found: Omit<ListedFolder, 'path' | 'old' | 'committed'>[] = []
    const add = async (entries: readonly Entry[], inFragments: boolean): Promise<void> => {
      for (const { name, kind } of entries) {
        if (kind === 'folder' && (parseFragmentName(name) || (await this.isUnusualFragment(name, inFragments))))
          found.push({ name, inFragments, timestamp_range: nameFacts(name)?.timestamp_range ?? [0n, 0n] })
      }
    }
    const root = await this.root()
    await add(
      root.filter(({ name }) => !NOT_FRAGMENTS.has(name)),
      false,
    )
    if (root.some((e) => e.name === FRAGMENTS_FOLDER && e.kind === 'folder'))
      await add(await this.folder.folder(FRAGMENTS_FOLDER).list(), true)
    return found.sort(compareByTimestamps)
  }

  /**
   * Whether TileDB takes a folder of an unusual name for a fragment. It does if a commit names the folder. In the
   * array's own folder, where old fragments have no version in their names, it also does if the metadata file is there.
   */
  private async isUnusualFragment(name: string, inFragments: boolean): Promise<boolean> {
    const { committed } = await this.commits()
    if (inFragments) return committed.has(`${FRAGMENTS_FOLDER}/${name}`)
    if (!mayBeFragment(name)) return false
    if (committed.has(name)) return true
    return isOld(name) && (await this.folder.folder(name).kind(FRAGMENT_METADATA_FILE)) === 'file'
  }

  /** Lets the storage list the folders of all fragments together: many names and sizes for each request. */
  async listFragmentsAhead(): Promise<number | undefined> {
    const inside = this.folder.folder(FRAGMENTS_FOLDER)
    const grouped = (await this.root()).some((e) => e.name === FRAGMENTS_FOLDER && e.kind === 'folder')
    return this.folder.storage.listAhead?.(grouped ? inside.path : this.folder.path)
  }

  /**
   * Footers from consolidated fragment metadata files, by fragment name. Only those since version 10, which contain
   * their version and schema. Damaged files are skipped: every fragment also has its own footer.
   */
  async consolidatedFooters(): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>()
    for (const { kind, path } of (await this.commits()).files) {
      if (kind !== 'fragment-metadata') continue
      try {
        const { entries, footers } = await this.consolidatedFragmentMetadata(path)
        const base = entries.length > 0 ? entries[0].offset : 0
        for (const [i, { fragment_name, offset }] of entries.entries()) {
          const end = i + 1 < entries.length ? entries[i + 1].offset - base : footers.length
          if (offset < base || end > footers.length) break
          const name = lastPathPart(fragment_name)
          if ((nameFacts(name)?.format_version ?? 0) >= 10) found.set(name, footers.subarray(offset - base, end))
        }
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
      }
    }
    return found
  }

  /** Names of the fragments whose footers are in a consolidated fragment metadata file. */
  private async consolidatedFragmentNames(commits: Commits): Promise<Set<string>> {
    const names = new Set<string>()
    for (const { kind, path } of commits.files) {
      if (kind !== 'fragment-metadata') continue
      try {
        const { entries } = await this.consolidatedFragmentMetadata(path)
        for (const { fragment_name } of entries) names.add(lastPathPart(fragment_name))
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
        reportFault(this.cx, error)
      }
    }
    return names
  }

  /** @param path of the `.meta` file, relative to the array */
  consolidatedFragmentMetadata(path: string): Promise<ConsolidatedFragmentMetadata> {
    return this.withFile(path, async (source) =>
      readGenericTile(await readAll(source), consolidatedFragmentMetadata, this.cx, { file: source.name, offset: 0 }),
    )
  }

  /** The array's current key-value metadata: see {@link readMetadata}. */
  metadata(): Promise<Map<string, MetadataEntry>> {
    return readMetadata(this.folder, this.cx)
  }

  /** Whether the array is encrypted, from the header of the newest schema file. Needs no key. */
  async encryption(): Promise<'NO_ENCRYPTION' | 'AES_256_GCM'> {
    const file = (await this.schemaFiles()).at(-1)
    if (!file) return 'NO_ENCRYPTION'
    return this.withFile(file.path, async (source) => (await readGenericTileHeader(source)).encryption_type)
  }

  /**
   * For commands that read no schema.
   * @throws InspectError only UNSUPPORTED_VERSION: if the newest schema has a version that no release wrote
   */
  async checkVersion(): Promise<void> {
    try {
      await this.encryption()
    } catch (error) {
      if (error instanceof InspectError && error.code === 'UNSUPPORTED_VERSION') throw error
    }
  }

  private async withFile<T>(path: string, work: (source: ByteSource) => Promise<T>): Promise<T> {
    return withSource(this.folder.file(path), work)
  }
}

function reportFault(cx: ReadContext, fault: InspectError): void {
  if (!cx.onFault) throw fault
  cx.onFault(fault)
}

/** Runs `work` on a source, then closes the source. */
export async function withSource<T>(source: ByteSource, work: (source: ByteSource) => Promise<T>): Promise<T> {
  try {
    return await work(source)
  } finally {
    await source.close()
  }
}

/**
 * Current key-value metadata of an array or a group, without deleted keys. It comes from all files of `__meta` except
 * those that a `.vac` file there lists. For each key, a later file overrides earlier ones. See {@link timedFiles}.
 *
 * @see format_spec/metadata.md
 */
export async function readMetadata(folder: Folder, cx: ReadContext): Promise<Map<string, MetadataEntry>> {
  const inside = folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  const vacuumed = new Set<string>()
  const isAhead = (name: string): boolean => (nameFacts(name)?.timestamp_range[1] ?? 0n) > cx.now
  for (const { name } of entries) {
    if (!name.endsWith('.vac') || isAhead(name)) continue
    const bytes = await withSource(inside.file(name), readAll)
    for (const line of new TextDecoder().decode(bytes).split('\n')) if (line !== '') vacuumed.add(lastPathPart(line))
  }
  const now = new Map<string, MetadataEntry>()
  for await (const { entries: changes } of timedFiles(inside, entries, cx, arrayMetadata, vacuumed)) {
    for (const change of changes) {
      now.delete(change.key)
      if (!change.deleted) now.set(change.key, change)
    }
  }
  return now
}
