/*
 * What the page needs for GenomicsDB beside its view: a script that reports of other targets do not have.
 */
import { loadedProgram } from './program.ts'

/** Name of the script. */
const SCRIPT = 'genomicsdb'

/** Whether the page has the script. */
export function knowsGenomicsdb(): boolean {
  return loadedProgram()?.has(SCRIPT) !== false
}

export const genomicsdbTargets = async () => (await import('../genomicsdb/target.ts')).openGenomicsdbTarget

export const GENOMICSDB_PAGE_COMMANDS = {
  'genomicsdb-overview': async () => (await import('../commands/genomicsdb-overview.ts')).handler,
  'genomicsdb-ls': async () => (await import('../commands/genomicsdb-ls.ts')).handler,
}
