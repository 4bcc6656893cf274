import type { Output } from '../base/result.ts'
import type { Storage } from '../storage/source.ts'

/** What the program may use of its process. It has no other access to the outside, so that tests can replace all of it. */
export interface Process {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdout: Output & { isTTY: boolean }
  stderr: (text: string) => void
  /** Width of the terminal on stderr, or 0 if it is unknown; undefined if stderr is not a terminal. */
  stderrColumns?: number | undefined
  /**
   * Has a function called before anything is written to the terminal.
   * @param tell gets whether the output ends with the end of a line
   */
  beforeOutput?(tell: (endsLine: boolean) => void): void
  /** Where paths are looked up. */
  storage: Storage
}

/** Width used for a terminal that does not report its width, as in many CI systems. */
const USUAL_WIDTH = 80

/**
 * The width to use for output.
 * @param columns the width that the terminal reports: 0 if it reports none, undefined if there is no terminal
 */
export function usableWidth(columns: number | undefined): number | undefined {
  return columns === 0 ? USUAL_WIDTH : columns
}

/** Whether the user wants colours. Undefined if that depends on whether the output is a terminal. */
export function colorWanted(env: Process['env'], color: string | undefined): boolean | undefined {
  if (color !== 'auto') return color === 'always'
  if (env.NO_COLOR) return false
  return env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : undefined
}
