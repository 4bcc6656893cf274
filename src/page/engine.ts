import { InspectError } from '../base/errors.ts'
import { collectedDocument } from '../calls/collected.ts'
import { type CommandContext, type CommandModule, NO_PROGRESS } from '../calls/command.ts'
import type { Outcome } from '../calls/outcome.ts'
import { targetFor } from '../calls/targets.ts'
import { type TimesOptions, useTimes } from '../calls/times.ts'
import { withState } from '../calls/walkers.ts'
import { command as ls } from '../commands/ls.ts'
import { command as overview } from '../commands/overview.ts'
import type { CellValue } from '../documents/common.ts'
import { memberName } from '../objects/dataset.ts'
import { memberPath } from '../objects/group.ts'
import { openTarget, type Target } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { GENOMICSDB_PAGE_COMMANDS, genomicsdbTargets } from './genomicsdb.ts'
import { readingOf, shownPath, type TargetSource } from './source.ts'

/**
 * Runs the commands of the command line on the bytes of a place. So page and command line cannot disagree, and a report needs
 * only bytes, no documents. A run may take long, so it is done in a worker (tasks.ts).
 */

/** The commands that views ask for. What the first view asks for comes with the page. */
const COMMANDS = {
  overview: async () => overview,
  ls: async () => ls,
  at: async () => (await import('../commands/at.ts')).command,
  metadata: async () => (await import('../commands/metadata.ts')).command,
  schema: async () => (await import('../commands/schema.ts')).command,
  check: async () => (await import('../commands/check.ts')).command,
  stats: async () => (await import('../commands/stats.ts')).command,
  tiles: async () => (await import('../commands/tiles.ts')).command,
  tile: async () => (await import('../commands/tile.ts')).command,
  read: async () => (await import('../commands/read.ts')).command,
  decode: async () => (await import('../commands/decode.ts')).command,
  history: async () => (await import('../commands/history.ts')).command,
}

export type CommandName = keyof typeof COMMANDS | keyof typeof GENOMICSDB_PAGE_COMMANDS

interface OpenedWithFaults {
  /** The array without the fragments that cannot be opened. */
  opened: OpenedArray
  /** Why those fragments cannot be opened. */
  faults: readonly InspectError[]
}

export class Engine {
  private readonly source: TargetSource
  private readonly key: Uint8Array | undefined
  /** The array that was opened last: a user often draws several pictures of it. */
  private opened: { times: string; array: Promise<OpenedWithFaults> } | undefined

  constructor(source: TargetSource, key: Uint8Array | undefined) {
    this.source = source
    this.key = key
  }

  /** The array as TileDB opens it at these times. For pictures, which show more cells than rows can. */
  openedArray(times: TimesOptions): Promise<OpenedWithFaults> {
    const text = JSON.stringify(times)
    if (this.opened?.times !== text) this.opened = { times: text, array: this.openArray(times) }
    return this.opened.array
  }

  /** The engine of an object in the target. @param names path of the names of members; empty for the target itself @throws InspectError */
  async member(names: string): Promise<Engine> {
    let { path } = this.source
    for (const name of names.split('/').filter((one) => one !== '')) {
      const target = await this.context(() => {}).open(path)
      const members = target.type === 'group' ? await target.group.members() : []
      const member = members.find((one) => memberName(one) === name)
      const found = target.type === 'group' && member ? memberPath(path, member) : undefined
      if (found === undefined)
        throw new InspectError('NOT_FOUND', { expected: `the member ${name}`, found: 'none' }, { file: path })
      path = found
    }
    return new Engine({ ...this.source, path, shown: shownPath(this.source, path) }, this.key)
  }

  private async openArray(times: TimesOptions): Promise<OpenedWithFaults> {
    const cx = this.context(() => {})
    useTimes(cx, times)
    const target = await targetFor(cx, 'read', { array: '' }, await cx.open(this.source.path))
    const faults: InspectError[] = []
    const opened = await openAt(target.array, {}, (fault) => faults.push(fault))
    return { opened, faults }
  }

  /**
   * The rows that `tiledb-inspect NAME OPTIONS PATH --format ndjson` prints, each as soon as it is read. None is kept.
   * @param onFault called for each part that could not be read, if the options say that the command goes on
   * @throws InspectError the error that ends the command
   */
  async *rows(
    name: 'read' | 'decode',
    options: object,
    onFault: (fault: InspectError) => void,
  ): AsyncGenerator<{ readonly [field: string]: CellValue }> {
    for await (const outcome of this.run(name, onFault, [this.source.path], options)) {
      if (outcome.kind === 'error') throw outcome.error
      if (outcome.kind === 'cells') yield* outcome.walk()
    }
  }

  /**
   * The document that `tiledb-inspect NAME OPTIONS WORDS --json` prints.
   * @throws InspectError the error that the command prints in place of a document
   */
  async document(name: CommandName, options: object, words: string[]): Promise<object> {
    const faults: InspectError[] = []
    for await (const outcome of this.run(name, (fault) => faults.push(fault), words, options))
      return collectedDocument(outcome)
    throw faults[0] ?? new TypeError(`${name} has no document`)
  }

  private async *run(
    name: CommandName,
    onFault: (fault: InspectError) => void,
    words: string[],
    options: object,
  ): AsyncGenerator<Outcome> {
    const opened: Target[] = []
    const cx = this.context(onFault, opened)
    if (isOfGenomicsdb(name)) {
      const handler = await GENOMICSDB_PAGE_COMMANDS[name]()
      const openGenomicsdbTarget = await genomicsdbTargets()
      const target = await openGenomicsdbTarget(cx.storage, words[0])
      if (target) yield* handler.run(cx, target, [], options)
      return
    }
    const { run, takesTimes } = (await COMMANDS[name]()) as CommandModule<object>
    if (takesTimes) useTimes(cx, options)
    try {
      for await (const outcome of run(cx, words, options))
        yield outcome.kind === 'error' ? { ...outcome, error: await withState(opened, outcome.error) } : outcome
    } catch (error) {
      throw error instanceof InspectError ? await withState(opened, error) : error
    }
  }

  /** @param opened gets what the command opens */
  private context(onFault: (fault: InspectError) => void, opened: Target[] = []): CommandContext {
    const reading = readingOf(this.source, this.key)
    const cx: CommandContext = {
      storage: this.source.storage,
      reading,
      style: { raw: false },
      full: false,
      shownPath: (path) => shownPath(this.source, path),
      namesOptions: false,
      internalPath: (path) => path,
      open: async (path) => {
        cx.reading = { ...readingOf(this.source, this.key), ...cx.times, onFault: cx.fault }
        const target = await openTarget(cx.storage, path, cx.reading)
        opened.push(target)
        return target
      },
      progress: () => NO_PROGRESS,
      fault: onFault,
      foundWrong: () => {},
      wantsEveryFault: true,
      note: () => {},
      refuseReadPlace: async () => {},
    }
    return cx
  }
}

function isOfGenomicsdb(name: CommandName): name is keyof typeof GENOMICSDB_PAGE_COMMANDS {
  return name in GENOMICSDB_PAGE_COMMANDS
}
