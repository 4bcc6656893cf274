import { openAnatomy } from '../anatomy/files.ts'
import type { Part } from '../anatomy/part.ts'
import { InspectError } from '../base/errors.ts'
import { documentKey, unpackDocument } from '../commands/page-data.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { AtDocument } from '../documents/at.ts'
import type { CheckDocument, CheckFinding } from '../documents/check.ts'
import type { List } from '../documents/common.ts'
import type { FragmentDocument } from '../documents/fragment.ts'
import type { GroupDocument } from '../documents/group.ts'
import type { HistoryDocument } from '../documents/history.ts'
import type { MetadataDocument } from '../documents/metadata.ts'
import type { OverviewDocument } from '../documents/overview.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { TileDocument } from '../documents/tile.ts'
import { inside } from '../render/views/wording.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import { openTarget, type Target } from '../store/target.ts'
import { type CommandName, readingOf, type Source, shownPath } from './engine.ts'
import { type Job, Workers } from './job.ts'
import { INSIDE } from './link.ts'
import type { Arguments, Found, TaskName } from './tasks.ts'

/**
 * The page shows what the commands of the command line print, and draws their documents. What takes long is a task of a worker. Views
 * of boxes and bytes use `target` and `storage` themselves.
 */

/** A document with its lists in memory. */
type Plain<T> = T extends List<infer E> ? (T extends string | Uint8Array | readonly unknown[] ? T : readonly E[]) : T

type InMemory<T> = { readonly [Key in keyof T]: Plain<T[Key]> }

/** Documents that have a type here; of other commands they are plain data. */
interface Documents {
  at: AtDocument
  tile: TileDocument
  overview: OverviewDocument
  ls: InMemory<ArrayListing> | InMemory<FragmentDocument> | InMemory<GroupDocument>
  schema: SchemaDocument
  check: Omit<CheckDocument, 'findings'> & { findings: readonly CheckFinding[] }
  history: HistoryDocument
  metadata: MetadataDocument
}

export type DocumentOf<Name extends CommandName> = Name extends keyof Documents
  ? Documents[Name]
  : { readonly [key: string]: unknown }

/** Where a target is, and how it is shown. */
export interface Place extends Source {
  kind: 'report' | 'served' | 'folder' | 'url'
  /** Documents of a report whose bytes were left out, by {@link documentKey}. */
  documents?: Readonly<Record<string, unknown>>
  /** Files whose bytes were left out, and all. */
  leftOut?: { file_num: number; of: number; size: number }
  /** Of a URL: tells what its server lacks, though the page copes. */
  onWarning?: (listener: (text: string) => void) => void
}

/** What lies inside a place, as a place of its own. @param i as it stands in the link */
export function insideOf(place: Place, i: string | undefined): Place {
  const below = i?.replaceAll(INSIDE, '/')
  // Nothing outside is meant by any link of the page.
  if (!below || /(^|\/)\.{0,2}(\/|$)/.test(below)) return place
  return { ...place, path: `${place.path}/${below}`, shown: `${place.shown.replace(/\/*$/, '')}/${below}` }
}

/** What this page has checked of a place: the array, or a group or fragment around or inside of it. */
const CHECKS = new WeakMap<Place['storage'], Set<DocumentOf<'check'>>>()

/** The opened target of the page. */
export class Inspected {
  readonly place: Place
  readonly target: Target
  private readonly key: Uint8Array | undefined
  private readonly workers: Workers
  private readonly kept = new Map<string, Promise<unknown>>()

  private constructor(place: Place, target: Target, key: Uint8Array | undefined) {
    this.place = place
    this.target = target
    this.key = key
    this.workers = new Workers(place, key)
  }

  /** @throws InspectError NOT_FOUND, NOT_TILEDB and others */
  static async open(place: Place, key?: Uint8Array): Promise<Inspected> {
    return new Inspected(place, await openTarget(place.storage, place.path, readingOf(place, key)), key)
  }

  /** The path of the array, group, fragment or file. */
  get path(): string {
    return this.place.path
  }

  /** A path of the storage as the user would write it. */
  readonly shownPath = (path: string): string => shownPath(this.place, path)

  /** How what the views themselves open is read: past damage, which they do not speak of. */
  private get reading(): ReadContext {
    return { ...readingOf(this.place, this.key), onFault: () => {} }
  }

  /** Opens something else in the storage: with codecs and key of the page. */
  open(path: string): Promise<Target> {
    return openTarget(this.place.storage, path, this.reading)
  }

  /**
   * A file as `dump` shows it, to be opened part by part.
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

  /** Begins a task in a worker; it ends with {@link close} at the latest. */
  begin<Name extends TaskName>(name: Name, ...args: Arguments<Name>): Job<Found<Name>> {
    return this.workers.begin({ name, args }) as Job<Found<Name>>
  }

  /**
   * The document that `tiledb-inspect NAME OPTIONS PATH --json` prints. Each is made once.
   * @param options as the command's module takes them: `{ level: 'cells' }`
   * @param more arguments after the target: `['a0.tdb', '3']`
   * @throws InspectError what the command prints in place of a document
   */
  document<Name extends CommandName>(
    name: Name,
    options: object = {},
    path = this.path,
    more: readonly string[] = [],
  ): Promise<DocumentOf<Name>> {
    const key = documentKey([name, ...more].join(' '), path, options)
    const found = this.kept.get(key) ?? this.work(name, options, path, more).document
    this.kept.set(key, found)
    // What failed is tried again: a server may answer the next time.
    found.catch(() => this.kept.delete(key))
    return found as Promise<DocumentOf<Name>>
  }

  /** The same for what takes long: it can be stopped. */
  work<Name extends CommandName>(
    name: Name,
    options: object,
    path = this.path,
    more: readonly string[] = [],
  ): { document: Promise<DocumentOf<Name>>; read(): number; stop(): void } {
    const key = documentKey([name, ...more].join(' '), path, options)
    const known = this.kept.get(key) ?? this.recorded(key)
    const keep = (found: DocumentOf<Name>): void => {
      if (name === 'check') this.checks.add(found as DocumentOf<'check'>)
    }
    if (known) {
      const document = known as Promise<DocumentOf<Name>>
      document.then(keep, () => {})
      return { document, read: () => 0, stop: () => {} }
    }
    const { next, read, stop } = this.begin('document', name, options, [path, ...more])
    const document = next().then(({ value }) => value as DocumentOf<Name>)
    document.then(
      (found) => {
        this.kept.set(key, document)
        keep(found)
      },
      () => {},
    )
    return { document, read, stop }
  }

  private get checks(): Set<DocumentOf<'check'>> {
    const { storage } = this.place
    const checks = CHECKS.get(storage) ?? new Set()
    CHECKS.set(storage, checks)
    return checks
  }

  /** The errors that checks found in what is shown: undefined where they found none, but did not read all. */
  errors(): readonly CheckFinding[] | undefined {
    const shown = this.shownPath(this.path)
    const all = [...this.checks]
    const own = all
      .flatMap(({ findings }) => findings)
      .filter(({ severity, file }) => severity === 'error' && inside(file, shown) !== file)
    const isRead = all.some(
      ({ level, path, not_examined }) =>
        level !== 'structure' && not_examined.length === 0 && (path === shown || inside(shown, path) !== shown),
    )
    // Checks of several levels find the same.
    const errors = [...new Map(own.map((one) => [`${one.file} ${one.offset} ${one.message}`, one])).values()]
    return errors.length > 0 || isRead ? errors : undefined
  }

  /** The folders with such errors, by their names: fragments among them. */
  damagedFolders(): ReadonlySet<string | undefined> {
    return new Set(this.errors()?.map(({ file }) => file.split('/').at(-2)))
  }

  private recorded(key: string): Promise<unknown> | undefined {
    const recorded = this.place.documents?.[key]
    return recorded === undefined ? undefined : Promise.resolve(JSON.parse(JSON.stringify(recorded), unpackDocument))
  }

  /** Ends all tasks. */
  close(): void {
    this.workers.close()
  }
}
