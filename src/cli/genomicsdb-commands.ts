import { unlessFault } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type GenomicsdbKind, openGenomicsdbTarget } from '../genomicsdb/target.ts'
import { OVERVIEW } from './commands.ts'
import type { Call } from './refused-target.ts'

interface GenomicsdbCommand {
  takes: readonly GenomicsdbKind[]
  /** Keys of its options that mean nothing for these targets. Those of times mean nothing for any command. */
  without?: readonly string[]
  load: () => Promise<{ handler: GenomicsdbHandler<never> }>
}

/** Targets of commands about what is stored: a fragment or one of its files, or each fragment of an array. */
const STORED: readonly GenomicsdbKind[] = ['array', 'fragment', 'file']

/** Targets of commands about what readers see: the calls of all fragments together. */
const CALLS: readonly GenomicsdbKind[] = ['workspace', 'array']

/** Targets of commands about all that lies at or below a folder. */
const FOLDERS: readonly GenomicsdbKind[] = ['workspace', 'array', 'fragment']

/** Keys of the options by which a command goes through many arrays. A command goes through all intervals of a workspace without them. */
const SWEEPS = ['recursive', 'exclude', 'resume', 'followLinks']

/** Which commands take which targets of GenomicsDB, and what they do with them. A handler is loaded only when it is called. */
export const GENOMICSDB_COMMANDS: Readonly<Record<string, GenomicsdbCommand>> = {
  schema: {
    takes: STORED,
    without: ['all'],
    load: () => import('../commands/genomicsdb-schema.ts'),
  },
  footer: { takes: STORED, load: () => import('../commands/genomicsdb-footer.ts') },
  rtree: { takes: STORED, without: ['svg'], load: () => import('../commands/genomicsdb-rtree.ts') },
  tiles: { takes: STORED, load: () => import('../commands/genomicsdb-tiles.ts') },
  tile: { takes: STORED, without: ['stages', 'offset'], load: () => import('../commands/genomicsdb-tile.ts') },
  decode: { takes: STORED, without: ['allFragments'], load: () => import('../commands/genomicsdb-decode.ts') },
  dump: { takes: STORED, load: () => import('../commands/genomicsdb-dump.ts') },
  at: { takes: STORED, without: ['cell'], load: () => import('../commands/genomicsdb-at.ts') },
  [OVERVIEW]: { takes: FOLDERS, without: ['names'], load: () => import('../commands/genomicsdb-overview.ts') },
  ls: {
    takes: FOLDERS,
    without: ['names', 'range', 'depth', ...SWEEPS],
    load: () => import('../commands/genomicsdb-ls.ts'),
  },
  read: {
    takes: CALLS,
    without: ['where', 'order', 'labels', 'layer', 'whereObs', 'whereVar'],
    load: () => import('../commands/genomicsdb-read.ts'),
  },
  stats: {
    takes: CALLS,
    without: ['against', 'all', 'read', 'field', 'range', 'where', ...SWEEPS],
    load: () => import('../commands/genomicsdb-stats.ts'),
  },
  check: {
    takes: FOLDERS,
    without: ['shard', ...SWEEPS],
    load: () => import('../commands/genomicsdb-check.ts'),
  },
  page: { takes: CALLS, load: () => import('../commands/genomicsdb-page.ts') },
  recover: {
    takes: ['workspace'],
    without: ['dropDamaged', 'domain', 'array', 'timestamp', 'formatVersion', 'relocate', 'withMembers'],
    load: () => import('../commands/genomicsdb-recover.ts'),
  },
  'verify-checksums': {
    takes: FOLDERS,
    without: ['shard', 'recursive'],
    load: () => import('../commands/genomicsdb-verify-checksums.ts'),
  },
}

/** Keys of the options by which readers choose fragments by their times. Readers of GenomicsDB take all fragments. */
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
  if (isGiven('jobs')) cx.note('GenomicsDB is read in one thread, so --jobs changes nothing')
  const { handler } = await command.load()
  return handler.run(cx, target, args.slice(1), options as never)
}

/** `allFragments` as `--all-fragments`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
