import { openAnatomy } from '../anatomy/files.ts'
import type { Part } from '../anatomy/part.ts'
import { hasCode, InspectError, unlessFault } from '../base/errors.ts'
import { relativePath } from '../base/paths.ts'
import { documentKey, unpackDocument } from '../calls/page-data.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { AtDocument } from '../documents/at.ts'
import type { CheckDocument, CheckFinding } from '../documents/check.ts'
import type { List } from '../documents/common.ts'
import type { FragmentDocument } from '../documents/fragment.ts'
import type { GenomicsdbArrayDocument } from '../documents/genomicsdb-array.ts'
import type { GenomicsdbOverviewDocument } from '../documents/genomicsdb-overview.ts'
import type { GenomicsdbIntervals } from '../documents/genomicsdb-workspace.ts'
import type { GroupDocument } from '../documents/group.ts'
import type { HistoryDocument } from '../documents/history.ts'
import type { MetadataDocument } from '../documents/metadata.ts'
import type { OverviewDocument } from '../documents/overview.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { OneStats } from '../documents/stats.ts'
import type { TileDocument } from '../documents/tile.ts'
import type { TilesDocument } from '../documents/tiles.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { openTarget, type Target } from '../objects/target.ts'
import { genomicsdbTargets, knowsGenomicsdb } from './genomicsdb.ts'
import { type Job, Workers } from './job.ts'
import { INSIDE } from './link.ts'
import { readingOf, shownPath, type TargetSource } from './source.ts'
import type { Arguments, Found, TaskName } from './tasks.ts'

/**
 * The page draws the documents that the commands of the command line print. Long work is a task of a worker (tasks.ts). Views of
 * boxes and bytes read `target` and `storage` directly.
 */

/** A value of a document, with a lazy list replaced by an array. */
type Plain<T> = T extends List<infer E> ? (T extends string | Uint8Array | readonly unknown[] ? T : readonly E[]) : T

/** A document with all its lists in memory. */
export type InMemory<T> = { readonly [Key in keyof T]: Plain<T[Key]> }

/** Types of the documents by command. */
export interface Documents {
  at: AtDocument
  tile: TileDocument
  tiles: InMemory<TilesDocument>
  overview: OverviewDocument
  ls: InMemory<ArrayListing> | InMemory<FragmentDocument> | InMemory<GroupDocument>
  schema: SchemaDocument
  stats: OneStats
  check: Omit<CheckDocument, 'findings'> & { findings: readonly CheckFinding[] }
  history: HistoryDocument
  metadata: MetadataDocument
  'genomicsdb-overview': GenomicsdbOverviewDocument
  'genomicsdb-ls': GenomicsdbIntervals | GenomicsdbArrayDocument
}

/** What the page shows: a target, or a workspace or an array of GenomicsDB. */
export type PageTarget = Target | { type: 'genomicsdb'; path: string }

/** The place of a target, and how it is shown. */
export interface TargetPlace extends TargetSource {
  kind: 'report' | 'served' | 'framed' | 'folder' | 'url'
  /** The key that came with the page. */
  key?: Uint8Array
  /** Documents that came with a report in place of files that it leaves out, by {@link documentKey}. */
  documents?: Readonly<Record<string, unknown>>
  /** Number and total bytes of the files that a report leaves out; `of` is the number of all files. */
  leftOut?: { file_num: number; of: number; size: number }
  /** Resolves if the server of a URL lacks something that the page can do without. */
  warning?: Promise<string>
}

/** A place for something inside of another, such as a fragment of an array. @param i value of `i` in the link */
export function innerPlace(place: TargetPlace, i: string | undefined): TargetPlace {
  const below = i?.replaceAll(INSIDE, '/')
  // The page makes no links that lead outside of the place, so others are ignored.
  if (!below || /(^|\/)\.{0,2}(\/|$)/.test(below)) return place
  return { ...place, path: `${place.path}/${below}`, shown: `${place.shown.replace(/\/*$/, '')}/${below}` }
}

/** Documents of the checks that this page made in a storage: of the array, or of a group or fragment around or inside of it. */
const CHECKS = new WeakMap<TargetPlace['storage'], Set<Documents['check']>>()

/** Event of the page when a check ended: {@link Inspected.errors} then knows more. */
export const CHECKED = 'tiledb-inspect-checked'

/** The opened target of the page. */
export class Inspected {
  readonly place: TargetPlace
  readonly target: PageTarget
  private readonly key: Uint8Array | undefined
  private readonly workers: Workers
  private readonly documents = new Map<string, Promise<unknown>>()

  private constructor(place: TargetPlace, target: PageTarget, key: Uint8Array | undefined, workers: Workers) {
    this.place = place
    this.target = target
    this.key = key
    this.workers = workers
  }

  /** @throws InspectError NOT_FOUND, NOT_TILEDB and others */
  static async open(place: TargetPlace, key?: Uint8Array): Promise<Inspected> {
    const workers = new Workers(place, key)
    try {
      const target = await openTarget(place.storage, place.path, readingOf(place, key)).catch((error: unknown) =>
        genomicsdbTarget(place, error),
      )
      return new Inspected(place, target, key, workers)
    } catch (error) {
      workers.close()
      throw error
    }
  }

  get path(): string {
    return this.place.path
  }

  /** {@link shownPath} for the storage of the target. */
  readonly shownPath = (path: string): string => shownPath(this.place, path)

  /** How views read what they open themselves: they go on after damage, and do not report it. */
  private get reading(): ReadContext {
    return { ...readingOf(this.place, this.key), onFault: () => {} }
  }

  /** Opens something else in the storage with the codecs and the key of the page. */
  open(path: string): Promise<Target> {
    return openTarget(this.place.storage, path, this.reading)
  }

  /**
   * The parts of a file as `dump` shows them. They are opened one by one.
   * @throws InspectError WRONG_TARGET, NOT_FOUND and others
   */
  async anatomy(path: string): Promise<{ root: Part; close(): Promise<void> }> {
    const { reading } = this
    const target = await openTarget(this.place.storage, path, reading)
    if (target.type !== 'file') throw new InspectError('WRONG_TARGET', 'expected a file', { file: path })
    const { root, close } = await openAnatomy(target, { reading, style: { raw: false } })
    return {
      root,
      async close() {
        await close()
        await target.fragment?.close()
      },
    }
  }

  /** Begins a task in a worker. {@link close} ends it. */
  begin<Name extends TaskName>(name: Name, ...args: Arguments<Name>): Job<Found<Name>> {
    return this.workers.begin({ name, args }) as Job<Found<Name>>
  }

  /**
   * The document that `tiledb-inspect NAME OPTIONS PATH --json` prints. Each is made once.
   * @param options as the command's module takes them: `{ level: 'cells' }`
   * @param more arguments after the target: `['a0.tdb', '3']`
   * @throws InspectError the error that the command prints in place of a document
   */
  document<Name extends keyof Documents>(
    name: Name,
    options: object = {},
    path = this.path,
    more: readonly string[] = [],
  ): Promise<Documents[Name]> {
    const key = documentKey([name, ...more].join(' '), path, options)
    const found = this.documents.get(key) ?? this.recorded(key) ?? this.make(name, options, [path, ...more]).document
    this.documents.set(key, found)
    // A failed document is tried again: the server may answer the next time.
    found.catch(() => this.documents.delete(key))
    return found as Promise<Documents[Name]>
  }

  /** The document of `check`, which takes long. `read` gives the bytes read so far; `stop` ends the command. */
  check(options: { level?: string }): { document: Promise<Documents['check']>; read(): number; stop(): void } {
    const key = documentKey('check', this.path, options)
    const known = this.documents.get(key) ?? this.recorded(key)
    const { document, read, stop } = known
      ? { document: known, read: () => 0, stop: () => {} }
      : this.make('check', options, [this.path])
    const checked = document as Promise<Documents['check']>
    checked.then(
      (found) => {
        this.documents.set(key, checked)
        this.checks.add(found)
        dispatchEvent(new Event(CHECKED))
      },
      () => {},
    )
    return { document: checked, read, stop }
  }

  /** Makes a document in a worker. */
  private make(
    name: keyof Documents,
    options: object,
    words: string[],
  ): { document: Promise<unknown>; read(): number; stop(): void } {
    const { next, read, stop } = this.begin('document', name, options, words)
    return { document: next().then(({ value }) => value), read, stop }
  }

  private get checks(): Set<Documents['check']> {
    const { storage } = this.place
    const checks = CHECKS.get(storage) ?? new Set()
    CHECKS.set(storage, checks)
    return checks
  }

  /** The errors that checks found in what is shown. Undefined if they found none, but no check read all of it. */
  errors(): readonly CheckFinding[] | undefined {
    const shown = this.shownPath(this.path)
    const checks = [...this.checks]
    const found = checks
      .flatMap(({ findings }) => findings)
      .filter(({ severity, file }) => severity === 'error' && relativePath(file, shown) !== file)
    const isRead = checks.some(
      ({ level, path, not_examined }) =>
        level !== 'structure' && not_examined.length === 0 && (path === shown || relativePath(shown, path) !== shown),
    )
    // Checks of several levels find the same errors.
    const errors = [...new Map(found.map((one) => [`${one.file} ${one.offset} ${one.message}`, one])).values()]
    return errors.length > 0 || isRead ? errors : undefined
  }

  /** Names of the folders with such errors, among them those of fragments. */
  damagedFolders(): ReadonlySet<string | undefined> {
    return new Set(this.errors()?.map(({ file }) => file.split('/').at(-2)))
  }

  /** A document that came with the report. */
  private recorded(key: string): Promise<unknown> | undefined {
    const recorded = this.place.documents?.[key]
    return recorded === undefined ? undefined : Promise.resolve(JSON.parse(JSON.stringify(recorded), unpackDocument))
  }

  /** Ends all tasks. */
  close(): void {
    this.workers.close()
  }
}

/** What of GenomicsDB is at a place that was refused. @throws the error, for anything else */
async function genomicsdbTarget({ storage, path }: TargetPlace, error: unknown): Promise<PageTarget> {
  if (!hasCode(error, 'UNSUPPORTED_VERSION', 'NOT_TILEDB') || !knowsGenomicsdb()) throw error
  const openGenomicsdbTarget = await genomicsdbTargets()
  const found = await openGenomicsdbTarget(storage, path).catch(unlessFault)
  if (found?.kind !== 'workspace' && found?.kind !== 'array') throw error
  return { type: 'genomicsdb', path }
}

/** The option for a group: what is in its members is not looked into, as they open in the page. */
export function namesOf({ target }: Pick<Inspected, 'target'>): { names?: true } {
  return target.type === 'group' ? { names: true } : {}
}
