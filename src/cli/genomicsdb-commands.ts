import { unlessFault } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type GenomicsdbKind, openGenomicsdbTarget } from '../genomicsdb/target.ts'
import { OVERVIEW } from './commands.ts'
import type { Call } from './refused-target.ts'

interface GenomicsdbCommand {
  takes: readonly GenomicsdbKind[]
  /** Keys of its own options that mean something for these targets. Others are refused. */
  with?: readonly string[]
  load: () => Promise<{ handler: GenomicsdbHandler<never> }>
}

/** Targets of commands about what is stored: a fragment or one of its files, or each fragment of an array. */
const STORED: readonly GenomicsdbKind[] = ['array', 'fragment', 'file']

/** Targets of commands about what readers see: the calls of all fragments together. */
const CALLS: readonly GenomicsdbKind[] = ['workspace', 'array']

/** Targets of commands about all that lies at or below a folder. */
const FOLDERS: readonly GenomicsdbKind[] = ['workspace', 'array', 'fragment']

/** Keys of the options that show bytes. */
const HEX = ['hex', 'depth', 'at']

/** Which commands take which targets of GenomicsDB, and what they do with them. A handler is loaded only when it is called. */
export const GENOMICSDB_COMMANDS: Readonly<Record<string, GenomicsdbCommand>> = {
  schema: { takes: STORED, with: HEX, load: () => import('../commands/genomicsdb-schema.ts') },
  footer: { takes: STORED, with: HEX, load: () => import('../commands/genomicsdb-footer.ts') },
  rtree: { takes: STORED, with: ['range', ...HEX], load: () => import('../commands/genomicsdb-rtree.ts') },
  tiles: { takes: STORED, with: ['field', 'range', 'tiles'], load: () => import('../commands/genomicsdb-tiles.ts') },
  tile: { takes: STORED, with: ['role', 'bytes', ...HEX], load: () => import('../commands/genomicsdb-tile.ts') },
  decode: {
    takes: STORED,
    with: ['field', 'range', 'tiles', 'limit', 'keepGoing'],
    load: () => import('../commands/genomicsdb-decode.ts'),
  },
  dump: { takes: STORED, with: ['path', 'tree', ...HEX], load: () => import('../commands/genomicsdb-dump.ts') },
  at: { takes: STORED, with: ['flips'], load: () => import('../commands/genomicsdb-at.ts') },
  [OVERVIEW]: { takes: FOLDERS, load: () => import('../commands/genomicsdb-overview.ts') },
  ls: {
    takes: FOLDERS,
    with: ['samples', 'sort', 'reverse', 'limit'],
    load: () => import('../commands/genomicsdb-ls.ts'),
  },
  read: {
    takes: CALLS,
    with: ['field', 'range', 'limit', 'provenance', 'keepGoing'],
    load: () => import('../commands/genomicsdb-read.ts'),
  },
  stats: { takes: CALLS, load: () => import('../commands/genomicsdb-stats.ts') },
  check: {
    takes: FOLDERS,
    with: ['level', 'failOn', 'ignore', 'all', 'plan'],
    load: () => import('../commands/genomicsdb-check.ts'),
  },
  page: {
    takes: CALLS,
    with: ['open', 'static', 'stdio', 'maxSize'],
    load: () => import('../commands/genomicsdb-page.ts'),
  },
  recover: { takes: ['workspace'], with: ['to'], load: () => import('../commands/genomicsdb-recover.ts') },
  'verify-checksums': {
    takes: FOLDERS,
    with: ['all', 'deep', 'requireChecksums'],
    load: () => import('../commands/genomicsdb-verify-checksums.ts'),
  },
}

/**
 * What a command does with a target that was refused: undefined unless it is of GenomicsDB. An option that means nothing for it is refused:
 * the answer to another question would be worse than none.
 */
export async function genomicsdbOutcomes(
  cx: CommandContext,
  { name, args, options, given }: Call,
  path: string,
): Promise<AsyncGenerator<Outcome> | undefined> {
  // What cannot be looked at has its own error already.
  const target = await openGenomicsdbTarget(cx.storage, path).catch(unlessFault)
  if (!target) return undefined
  const command = Object.hasOwn(GENOMICSDB_COMMANDS, name) ? GENOMICSDB_COMMANDS[name] : undefined
  if (!command?.takes.includes(target.kind)) throw notForGenomicsdb(name, target)
  const own = given()
  const other = own.find((key) => key !== 'jobs' && !command.with?.includes(key))
  if (other !== undefined) throw notForGenomicsdb(`${name} ${flagOf(other)}`, target)
  if (own.includes('jobs')) cx.note('GenomicsDB is read in one thread, so --jobs changes nothing')
  const { handler } = await command.load()
  return handler.run(cx, target, args.slice(1), options as never)
}

/** `allFragments` as `--all-fragments`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
