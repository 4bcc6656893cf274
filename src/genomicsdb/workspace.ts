import { GENOMICSDB_SCHEMA_FILE } from '../format/genomicsdb/array-schema.ts'
import {
  CALLSET_FILE,
  FRAGMENT_LIST_FILE,
  GENOMICSDB_META_FOLDER,
  VIDMAP_FILE,
  WORKSPACE_MARK,
} from '../format/genomicsdb/names.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Entry, type Folder, hasEntry, notFound } from '../storage/source.ts'
import {
  arrayOfCalls,
  fragmentFolders,
  type GenomicsdbArray,
  type GenomicsdbFragmentFolder,
  openGenomicsdbArray,
} from './array.ts'
import {
  type Callset,
  fileLines,
  type IntervalMeta,
  isBatchFile,
  metaFiles,
  readCallset,
  readIntervalMeta,
  readVidmap,
  type Vidmap,
} from './maps.ts'

/** The place that the name of an interval's folder tells: both ends count from 1, and are included. */
export interface NamedPlace {
  contig: string
  start: number
  end: number
}

/** The place in a name like `chr1$100$200`. Undefined for partitions that hold several contigs, which are named `0`, `1`, and so on. */
export function placeInName(name: string): NamedPlace | undefined {
  const [, contig, start, end] = /^(.+)\$(\d{1,15})\$(\d{1,15})$/s.exec(name) ?? []
  return contig === undefined ? undefined : { contig, start: Number(start), end: Number(end) }
}

/** The state of a folder that may be a fragment. Readers pass over what is `unmarked` or `unfinished`. */
export type FragmentFolderState = 'read' | 'unmarked' | 'unfinished'

export function folderState({ isMarked, isTemporary }: GenomicsdbFragmentFolder): FragmentFolderState {
  if (isMarked) return 'read'
  return isTemporary ? 'unfinished' : 'unmarked'
}

/** An interval of a workspace: one array. */
export class Interval {
  readonly folder: Folder
  readonly cx: ReadContext
  private entriesFound: Promise<readonly Entry[]> | undefined
  private foldersFound: Promise<readonly GenomicsdbFragmentFolder[]> | undefined
  private metaFilesFound: Promise<readonly string[]> | undefined
  private metaFound: Promise<IntervalMeta> | undefined
  private arrayFound: Promise<GenomicsdbArray> | undefined

  /** @param entries the listing of the folder, if it is known */
  constructor(folder: Folder, cx: ReadContext, entries?: readonly Entry[]) {
    this.folder = folder
    this.cx = cx
    this.entriesFound = entries && Promise.resolve(entries)
  }

  entries(): Promise<readonly Entry[]> {
    this.entriesFound ??= this.folder.list()
    return this.entriesFound
  }

  get name(): string {
    return this.folder.name
  }

  get place(): NamedPlace | undefined {
    return placeInName(this.name)
  }

  /** @throws InspectError of reading the schema; NOT_FOUND without it */
  array(): Promise<GenomicsdbArray> {
    this.arrayFound ??= openGenomicsdbArray(this.folder, this.cx).then(arrayOfCalls)
    return this.arrayFound
  }

  /** Folders that are fragments, or were to become one: the oldest first. */
  folders(): Promise<readonly GenomicsdbFragmentFolder[]> {
    this.foldersFound ??= this.listFolders()
    return this.foldersFound
  }

  private async listFolders(): Promise<GenomicsdbFragmentFolder[]> {
    const found = await fragmentFolders(this, await this.entries())
    return found.sort((a, b) => Number((a.time ?? 0n) - (b.time ?? 0n)))
  }

  /** The fragments that readers read, the oldest first. */
  async fragments(): Promise<readonly GenomicsdbFragmentFolder[]> {
    return (await this.folders()).filter(({ isMarked }) => isMarked)
  }

  /** Number of its batches of samples, by the names of their files. @throws InspectError of listing their folder */
  async batchNum(): Promise<number> {
    return (await this.metaFiles()).filter(isBatchFile).length
  }

  private metaFiles(): Promise<readonly string[]> {
    this.metaFilesFound ??= metaFiles(this.metaFolder)
    return this.metaFilesFound
  }

  private get metaFolder(): Folder {
    return this.folder.folder(GENOMICSDB_META_FOLDER)
  }

  /** @throws InspectError of listing its folder */
  meta(): Promise<IntervalMeta> {
    this.metaFound ??= this.metaFiles().then((names) => readIntervalMeta(this.metaFolder, names, this.cx.memory))
    return this.metaFound
  }
}

/** A workspace of GenomicsDB: a folder with an array for each interval, and maps of rows and columns. */
export class Workspace {
  readonly folder: Folder
  readonly cx: ReadContext
  private entriesFound: Promise<readonly Entry[]> | undefined
  private intervalsFound: Promise<readonly Interval[]> | undefined
  private callsetFound: Promise<Callset> | undefined
  private vidmapFound: Promise<Vidmap> | undefined

  constructor(folder: Folder, cx: ReadContext) {
    this.folder = folder
    this.cx = cx
  }

  entries(): Promise<readonly Entry[]> {
    this.entriesFound ??= this.folder.list()
    return this.entriesFound
  }

  async hasFile(name: string): Promise<boolean> {
    return hasEntry(await this.entries(), name, 'file')
  }

  /** @throws InspectError as {@link readCallset} */
  callset(): Promise<Callset> {
    this.callsetFound ??= this.listed(CALLSET_FILE).then(() => readCallset(this.folder, this.cx.memory))
    return this.callsetFound
  }

  /** @throws InspectError as {@link readVidmap} */
  vidmap(): Promise<Vidmap> {
    this.vidmapFound ??= this.listed(VIDMAP_FILE).then(() => readVidmap(this.folder, this.cx.memory))
    return this.vidmapFound
  }

  /** Names of the fragments before the import that did not end; undefined if there is no such import. */
  async fragmentList(): Promise<readonly string[] | undefined> {
    if (!(await this.hasFile(FRAGMENT_LIST_FILE))) return undefined
    return fileLines(this.folder, FRAGMENT_LIST_FILE, this.cx.memory)
  }

  /** Reads of a file that is not there are told on the console of a browser. @throws InspectError NOT_FOUND */
  private async listed(name: string): Promise<void> {
    const { folder } = this
    if (!hasEntry(await this.entries(), name, 'file')) throw notFound(`${folder.path}/${name}`)
  }

  /** The intervals, sorted by name. */
  intervals(): Promise<readonly Interval[]> {
    this.intervalsFound ??= this.listIntervals()
    return this.intervalsFound
  }

  private async listIntervals(): Promise<Interval[]> {
    const found: Interval[] = []
    for (const { name, kind } of await this.entries()) {
      if (kind !== 'folder') continue
      const folder = this.folder.folder(name)
      const entries = await folder.list()
      if (isInterval(entries)) found.push(new Interval(folder, this.cx, entries))
    }
    return found
  }
}

/** Whether a folder is that of an interval, by what is in it: one that lost its schema is one, too. */
export function isInterval(entries: readonly Entry[]): boolean {
  return hasEntry(entries, GENOMICSDB_SCHEMA_FILE, 'file') || hasEntry(entries, GENOMICSDB_META_FOLDER, 'folder')
}

/** The workspace around an interval, if there is one: by the files that only workspaces have. */
export async function workspaceAround(interval: Folder, cx: ReadContext): Promise<Workspace | undefined> {
  const folder = interval.parent()
  if (!folder) return undefined
  for (const name of [WORKSPACE_MARK, CALLSET_FILE, VIDMAP_FILE])
    if ((await folder.kind(name)) === 'file') return new Workspace(folder, cx)
  return undefined
}

/** The columns that the name of an interval tells, or else its metadata. Undefined if neither does. */
export async function columnsOf(
  interval: Interval,
  vidmap: Vidmap | undefined,
): Promise<readonly [first: number, last: number] | undefined> {
  const { place } = interval
  const contig = place && vidmap?.contigs.find(({ name }) => name === place.contig)
  if (place && contig) return [contig.offset + place.start - 1, contig.offset + place.end - 1]
  return (await interval.meta()).bounds
}
