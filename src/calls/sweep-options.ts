import type { Command as CommanderCommand } from 'commander'
import { collect, onlyWith } from './options.ts'

/** The options of a sweep: of a command that goes through all arrays and groups below a folder. */
export interface SweepOptions {
  recursive?: boolean
  exclude?: string[]
  depth?: string
  jobs?: string
  shard?: string
  resume?: string
}

const EXCLUDE = [
  '--exclude <glob>',
  'with --recursive: leave out members and folders of this name, or of this path from the folder on, as in tmp, "run-*" or "old/**"; may be repeated',
] as const
const RESUME = [
  '--resume <file>',
  'with --recursive: note each member in this file once it is done. If the file is there, go on after it: what did not change since then is not read again. It is known by the names, and if listings have them the sizes, of its files',
] as const

/** What the option `--jobs` of a sweep says. */
const MEMBERS_AT_A_TIME =
  'members at a time (1, over a network 24); all share --memory. On one disk, more are hardly faster'

/** What a sweep shows, for the help of its commands. */
const ABOUT_SWEEPS =
  'go through all arrays and groups below a plain folder or prefix, and show a line for each as soon as it is done (--format ndjson: a document a line; csv: a table). At the end are the totals, and the ten arrays that hurt most: first those with damage, by the number of errors; then by the measure that exceeds its limit most often. The measures, and the limits from which explain reports them: fragments (10, of less than 16 MiB each), small tiles (32 KiB that describe tiles, a fifth of the array), padding of dense tiles (1 MiB unfiltered, half of the cells), fragments without a commit (1), fragments that wait for vacuum (8, or 1 MiB). diff of two saved sweeps (ndjson) shows what grew.'

/** Adds `--recursive`, `--exclude` and `--resume`. */
export function addSweepOptions(command: CommanderCommand): void {
  command
    .option('--recursive', ABOUT_SWEEPS)
    .option(EXCLUDE[0], EXCLUDE[1], collect)
    .option(...RESUME)
  onlyWith(command, 'recursive', 'exclude', 'resume')
}

/** Adds `--jobs` and `--shard` to a command that has them only for sweeps. */
export function addJobsOfSweeps(command: CommanderCommand): void {
  command
    .option('--jobs <n>', `with --recursive: number of ${MEMBERS_AT_A_TIME}`)
    .option('--shard <i/n>', 'with --recursive: only every n-th member, from the i-th on')
  onlyWith(command, 'recursive', 'jobs', 'shard')
}
