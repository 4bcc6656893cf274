import { fstatSync, statSync, writeSync } from 'node:fs'
import process from 'node:process'
import { ClosedPipe } from '../errors.ts'
import { systemError } from './file.ts'

/** Milliseconds between tries while a pipe that does not block is full: short at first, for readers as fast as this program. */
const FIRST_RETRY = 0.05
const LAST_RETRY = 4

/**
 * Writes to standard output without Node's streams: they cost milliseconds at start-up, and waiting in the write itself keeps
 * memory flat.
 *
 * @throws ClosedPipe where the reader has gone (`| head`); InspectError IO where nothing more can be written
 */
export function writeOut(data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let retry = FIRST_RETRY
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done)
      retry = FIRST_RETRY
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EPIPE') throw new ClosedPipe()
      if (code !== 'EAGAIN') throw systemError(error, 'standard output', 'write')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retry)
      retry = Math.min(2 * retry, LAST_RETRY)
    }
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

/** Width of the terminal that standard output is; undefined where it is none. */
export function terminalWidth(): number | undefined {
  return mayBeTerminal(1) && process.stdout.isTTY ? process.stdout.columns : undefined
}

export function errorsGoToTerminal(): boolean {
  return mayBeTerminal(2) && process.stderr.isTTY === true
}

export function writeError(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // Nobody is there to be told.
  }
}
