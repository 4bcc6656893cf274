import { InspectError } from '../base/errors.ts'

/** Stands for a compressor. Advice that tries out filters skips the filter, as it does for any that is not available. */
export function onlyReads(): never {
  throw new InspectError('UNSUPPORTED_FILTER', 'a page only reads, and has no compressors')
}
