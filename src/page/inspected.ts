import { openAnatomy } from '../anatomy/files.ts'
import type { Part } from '../anatomy/part.ts'
import { InspectError } from '../base/errors.ts'
import { command as at } from '../commands/at.ts'
import { command as check } from '../commands/check.ts'
import { collectedDocument } from '../commands/collected.ts'
import { type CommandContext, type CommandModule, wrongTarget } from '../commands/command.ts'
import { command as history } from '../commands/history.ts'
import { command as ls } from '../commands/ls.ts'
import { command as overview } from '../commands/overview.ts'
import { documentKey, unpackDocument } from '../commands/page-data.ts'
import { command as read } from '../commands/read.ts'
import { command as schema } from '../commands/schema.ts'
import { command as stats } from '../commands/stats.ts'
import { command as tile } from '../commands/tile.ts'
import { command as tiles } from '../commands/tiles.ts'
import { type TimesOptions, useTimes } from '../commands/times.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { AtDocument } from '../documents/at.ts'
import type { CheckDocument, CheckFinding } from '../documents/check.ts'
import type { CellValue, List } from '../documents/common.ts'
import type { FragmentDocument } from '../documents/fragment.ts'
import type { GroupDocument } from '../documents/group.ts'
import type { HistoryDocument } from '../documents/history.ts'
import type { OverviewDocument } from '../documents/overview.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { TileDocument } from '../documents/tile.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import type { Storage } from '../source/source.ts'
import { type ReadContext, readContext } from '../store/generic-tile.ts'
import { openTarget, type Target } from '../store/target.ts'
import { codecs } from './codecs.ts'

/**
 * The page shows what the commands of the command line print: it runs the same modules, on the bytes that it has, and draws their
 * documents. So page and command line cannot disagree, and a report needs no documents, only bytes. Views of very long lists use
 * `target` and `storage` themselves.
 */

/** Those that views ask for: each makes the page larger. */
const COMMANDS = { at, overview, ls, schema, check, stats, tiles, tile, read, history }

export type CommandName = keyof typeof COMMANDS

/** A document with its lists in memory. */
type Plain<T> = T extends List<infer E> ? (T extends string | Uint8Array ? T : readonly E[]) : T

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
}

export type DocumentOf<Name extends CommandName> = Name extends keyof Documents
  ? Documents[Name]
  : { readonly [key: string]: unknown }

/** Where a target is, and how it is shown. */
export interface Place {
  storage: Storage
  /** The target's path in the storage. */
  path: string
  /** The target as the user wrote it. */
  shown: string
  kind: 'report' | 'served' | 'folder' | 'url'
  /** Documents of a report whose bytes were left out, by {@link documentKey}. */
  documents?: Readonly<Record<string, unknown>>
  /** Files whose bytes were left out, and all. */
  leftOut?: { file_num: number; of: number; size: number }
  /** When the report was made, in milliseconds since 1970: it shows what TileDB read then. Without it, what it reads now. */
  made?: number
}

/** The opened target of the page. */
export class Inspected {
  readonly place: Place
  readonly target: Target
  readonly key: Uint8Array | undefined
  private readonly kept = new Map<string, Promise<unknown>>()

  private constructor(place: Place, target: Target, key: Uint8Array | undefined) {
    this.place = place
    this.target = target
    this.key = key
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
  readonly shownPath = (path: string): string => {
    const { path: target, shown } = this.place
    if (path === target) return shown
    if (path.startsWith(`${target}/`)) return shown.replace(/\/*$/, '') + path.slice(target.length)
    if (target.startsWith(`${path}/`) && shown.endsWith(target.slice(path.length)))
      return shown.slice(0, shown.length - (target.length - path.length)) || '.'
    return path
  }

  /** Opens something else in the storage, at another time if there is one: with codecs and key of the page. */
  open(path: string, times?: Pick<ReadContext, 'now'>): Promise<Target> {
    return openTarget(this.place.storage, path, { ...readingOf(this.place, this.key), ...times, onFault: () => {} })
  }

  /**
   * A file as `dump` shows it, to be opened part by part.
   * @throws InspectError WRONG_TARGET, NOT_FOUND and others
   */
  async anatomy(path: string): Promise<{ root: Part; close(): Promise<void> }> {
    const reading = { ...readingOf(this.place, this.key), onFault: () => {} }
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
    const found = this.kept.get(key) ?? this.make(name, options, [path, ...more], key)
    this.kept.set(key, found)
    return found as Promise<DocumentOf<Name>>
  }

  /** The array as TileDB opens it at these times, for views of more cells than rows can show. */
  async openedArray(times: TimesOptions): Promise<OpenedArray> {
    const cx = this.context(() => {})
    useTimes(cx, times)
    const target = await cx.open(this.path)
    if (target.type !== 'array') throw await wrongTarget(cx, 'page', target, 'an array')
    return openAt(target.array)
  }

  /**
   * The lines that `tiledb-inspect NAME OPTIONS PATH --format ndjson` prints, as they are read; none is kept.
   * @param onFault called for what could not be read, if the options go on after it
   * @throws InspectError what ends the command
   */
  async *rows(
    name: CommandName,
    options: object,
    onFault: (fault: InspectError) => void = () => {},
  ): AsyncGenerator<{ readonly [field: string]: CellValue }> {
    const command = COMMANDS[name] as CommandModule<object>
    for await (const { error, rows } of command.run(this.context(onFault), [this.path], options)) {
      if (error) throw error
      yield* rows as AsyncIterable<{ readonly [field: string]: CellValue }>
    }
  }

  private async make(name: CommandName, options: object, words: string[], key: string): Promise<unknown> {
    const recorded = this.place.documents?.[key]
    if (recorded !== undefined) return JSON.parse(JSON.stringify(recorded), unpackDocument)
    const command = COMMANDS[name] as CommandModule<object>
    const faults: InspectError[] = []
    for await (const outcome of command.run(
      this.context((fault) => faults.push(fault)),
      words,
      options,
    )) {
      if (outcome.error) throw outcome.error
      return collectedDocument(outcome)
    }
    throw faults[0] ?? new TypeError(`${name} has no document`)
  }

  /** What a command needs of its surroundings. */
  private context(onFault: (fault: InspectError) => void): CommandContext {
    const cx: CommandContext = {
      storage: this.place.storage,
      reading: readingOf(this.place, this.key),
      style: { raw: false },
      full: false,
      shownPath: this.shownPath,
      internalPath: (path) => path,
      open: async (path) => {
        cx.reading = { ...readingOf(this.place, this.key), ...cx.times, onFault: cx.fault }
        return openTarget(cx.storage, path, cx.reading)
      },
      progress: async () => ({ update: () => {}, stop: () => {} }),
      fault: (fault) => onFault(fault),
      note: () => {},
      refuseReadPlace: async () => {},
    }
    return cx
  }
}

function readingOf({ made }: Place, key: Uint8Array | undefined): ReadContext {
  const reading = readContext(codecs, key)
  return made === undefined ? reading : { ...reading, now: BigInt(made) }
}
