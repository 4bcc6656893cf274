import { unlessFault } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type GenomicsdbKind, openGenomicsdbTarget } from '../genomicsdb/target.ts'
import { OVERVIEW } from './commands.ts'
import type { Call } from './refused-target.ts'

interface GenomicsdbCommand {
  takes: readonly GenomicsdbKind[]
  /** Options that it does not have for these targets, besides those of times. */
  without?: readonly string[]
  load: () => Promise<{ handler: GenomicsdbHandler<never> }>
}

const OF_FRAGMENTS: readonly GenomicsdbKind[] = ['array', 'fragment', 'file']

/** What has calls of its own. */
const OF_CALLS: readonly GenomicsdbKind[] = ['workspace', 'array']

/** All but files. */
const OF_FOLDERS: readonly GenomicsdbKind[] = [...OF_CALLS, 'fragment']

/** Options of commands that go through many arrays. */
const SWEEPS = ['recursive', 'exclude', 'resume', 'followLinks']

/** Which commands take which targets of GenomicsDB, and what they do with them. A handler is loaded only when it is called. */
export const GENOMICSDB_COMMANDS: Readonly<Record<string, GenomicsdbCommand>> = {
  schema: {
    takes: OF_FRAGMENTS,
    without: ['all'],
    load: () => import('../commands/genomicsdb-schema.ts'),
  },
  footer: { takes: OF_FRAGMENTS, load: () => import('../commands/genomicsdb-footer.ts') },
  rtree: { takes: OF_FRAGMENTS, without: ['svg'], load: () => import('../commands/genomicsdb-rtree.ts') },
  tiles: { takes: OF_FRAGMENTS, load: () => import('../commands/genomicsdb-tiles.ts') },
  tile: { takes: OF_FRAGMENTS, without: ['stages', 'offset'], load: () => import('../commands/genomicsdb-tile.ts') },
  decode: { takes: OF_FRAGMENTS, without: ['allFragments'], load: () => import('../commands/genomicsdb-decode.ts') },
  dump: { takes: OF_FRAGMENTS, load: () => import('../commands/genomicsdb-dump.ts') },
  at: { takes: OF_FRAGMENTS, without: ['cell'], load: () => import('../commands/genomicsdb-at.ts') },
  [OVERVIEW]: { takes: OF_FOLDERS, without: ['names'], load: () => import('../commands/genomicsdb-overview.ts') },
  ls: {
    takes: OF_FOLDERS,
    without: ['names', 'range', 'depth', ...SWEEPS],
    load: () => import('../commands/genomicsdb-ls.ts'),
  },
  read: {
    takes: OF_CALLS,
    without: ['where', 'order', 'labels', 'layer', 'whereObs', 'whereVar'],
    load: () => import('../commands/genomicsdb-read.ts'),
  },
  stats: {
    takes: OF_CALLS,
    without: ['against', 'all', 'read', 'field', 'range', 'where', ...SWEEPS],
    load: () => import('../commands/genomicsdb-stats.ts'),
  },
  check: {
    takes: ['workspace', 'array', 'fragment'],
    without: ['shard', ...SWEEPS],
    load: () => import('../commands/genomicsdb-check.ts'),
  },
  page: { takes: OF_CALLS, load: () => import('../commands/genomicsdb-page.ts') },
  recover: {
    takes: ['workspace'],
    without: ['dropDamaged', 'domain', 'array', 'timestamp', 'formatVersion', 'relocate', 'withMembers'],
    load: () => import('../commands/genomicsdb-recover.ts'),
  },
  'verify-checksums': {
    takes: ['workspace', 'array', 'fragment'],
    without: ['shard', 'recursive'],
    load: () => import('../commands/genomicsdb-verify-checksums.ts'),
  },
}

/** Options of times, which fragments of GenomicsDB are not chosen by. */
const TIMES = ['asOf', 'between']

/**
 * What a command does with a target that was refused: undefined unless it is of GenomicsDB.
 * @param isGiven whether the user gave an option, by its key
 */
export async function genomicsdbOutcomes(
  cx: CommandContext,
  { name, args, options, isGiven }: Call,
  path: string,
): Promise<AsyncGenerator<Outcome> | undefined> {
  // What cannot be looked at has its own error already.
  const target = await openGenomicsdbTarget(cx.storage, path).catch(unlessFault)
  if (!target) return undefined
  const command = Object.hasOwn(GENOMICSDB_COMMANDS, name) ? GENOMICSDB_COMMANDS[name] : undefined
  if (!command?.takes.includes(target.kind)) throw notForGenomicsdb(name, target)
  const other = [...TIMES, ...(command.without ?? [])].find(isGiven)
  if (other !== undefined) throw notForGenomicsdb(`${name} ${flagOf(other)}`, target)
  const { handler } = await command.load()
  return handler.run(cx, target, args.slice(1), options as never)
}

/** `allFragments` as `--all-fragments`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
