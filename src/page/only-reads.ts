import { InspectError } from '../base/errors.ts'

/** Stands for what only writers need. Advice that tries filters out goes on without the trial, as for any filter that cannot be had. */
export function onlyReads(): never {
  throw new InspectError('UNSUPPORTED_FILTER', 'a page only reads, and has no compressors')
}
