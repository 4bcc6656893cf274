import type { Prose } from '../base/prose.ts'
import type { DocumentHead } from './common.ts'

/** Printed with `--json` if there is nothing to show, as for a group without members or an array without fragments. */
export interface EmptyDocument extends DocumentHead<'empty'> {
  /** What is missing, in words. */
  message: Prose | null
}
