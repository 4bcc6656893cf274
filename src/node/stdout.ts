import { fstatSync, statSync, writeSync } from 'node:fs'
import process from 'node:process'
import { ClosedPipe } from '../base/errors.ts'
import { systemError } from './file.ts'

/** Milliseconds between tries while a pipe that does not block is full: short at first, for readers as fast as this program. */
const FIRST_RETRY = 0.05
const LAST_RETRY = 4

/** So long nobody may read what goes to stderr, in milliseconds, before the rest of it is given up. */
const PATIENCE = 5000

/**
 * Writes all of it without Node's streams: they cost milliseconds at start-up, and waiting in the write itself keeps memory flat.
 *
 * @param patience milliseconds that a full pipe is waited for
 * @throws whatever the system says, EAGAIN behind all patience
 */
function writeAll(descriptor: number, bytes: Uint8Array, patience = Number.POSITIVE_INFINITY): void {
  let retry = FIRST_RETRY
  let waited = 0
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done)
      retry = FIRST_RETRY
      waited = 0
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' || waited > patience) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retry)
      waited += retry
      retry = Math.min(2 * retry, LAST_RETRY)
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/**
 * Writes to standard output.
 * @throws ClosedPipe where the reader has gone (`| head`); InspectError IO where nothing more can be written
 */
export function writeOut(data: string | Uint8Array): void {
  try {
    writeAll(1, typeof data === 'string' ? Buffer.from(data) : data)
  } catch (error) {
    if (codeOf(error) === 'EPIPE') throw new ClosedPipe()
    throw systemError(error, 'standard output', 'write')
  }
}

/** Whether a descriptor may be a terminal; only then are Node's streams asked, which load slowly. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor)
    return status.isCharacterDevice() && status.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    return false
  }
}

/** Width of the terminal that standard output is, 0 where nobody said how wide; undefined where it is none. */
export function terminalWidth(): number | undefined {
  return mayBeTerminal(1) && process.stdout.isTTY ? (process.stdout.columns ?? 0) : undefined
}

/** As {@link terminalWidth}, of standard error. */
export function errorWidth(): number | undefined {
  return mayBeTerminal(2) && process.stderr.isTTY ? (process.stderr.columns ?? 0) : undefined
}

export function writeError(text: string): void {
  try {
    writeAll(2, Buffer.from(text), PATIENCE)
  } catch {
    // Nobody is there to be told.
  }
}
