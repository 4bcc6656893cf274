import { fstatSync, statSync, writeSync } from 'node:fs'
import process from 'node:process'
import { attempt, ClosedPipe } from '../base/errors.ts'
import { MAX_AT_ONCE, systemCode, systemError } from './file.ts'

/** Milliseconds between tries while a non-blocking pipe is full: first and longest. Fast readers need only a short pause. */
const FIRST_RETRY = 0.05
const LAST_RETRY = 4

/** Called before anything is written, with whether it ends a line. */
let tellBefore: ((endsLine: boolean) => void) | undefined

/** Has `tell` called before anything is written to standard output or standard error, with whether it ends a line. */
export function beforeOutput(tell: (endsLine: boolean) => void): void {
  tellBefore = tell
}

/** To be called before the terminal gets output. A pager does that, too. @param data none for output of another program */
export function outputComes(data: string | Uint8Array = ''): void {
  tellBefore?.(data.at(-1) === '\n' || data.at(-1) === NEWLINE)
}

const NEWLINE = 10

/** Milliseconds to wait for a reader of stderr, after which the rest is dropped. */
const PATIENCE = 5000

/**
 * Writes all bytes without Node's streams, which cost milliseconds at start-up. Waiting here for a full pipe keeps memory low.
 *
 * @param patience milliseconds to wait for a full pipe
 * @throws the system's error; EAGAIN after the wait
 */
function writeAll(descriptor: number, bytes: Uint8Array, patience = Number.POSITIVE_INFINITY): void {
  let retry = FIRST_RETRY
  let waited = 0
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, MAX_AT_ONCE))
      retry = FIRST_RETRY
      waited = 0
    } catch (error) {
      if (systemCode(error) !== 'EAGAIN' || waited > patience) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retry)
      waited += retry
      retry = Math.min(2 * retry, LAST_RETRY)
    }
  }
}

/**
 * Writes to standard output.
 * @throws ClosedPipe if the reader has gone (`| head`); InspectError IO if nothing more can be written
 */
export function writeOut(data: string | Uint8Array): void {
  try {
    writeAll(1, typeof data === 'string' ? Buffer.from(data) : data)
  } catch (error) {
    if (systemCode(error) === 'EPIPE') throw new ClosedPipe()
    throw systemError(error, 'standard output', 'write')
  }
}

/** {@link writeOut}, if standard output is a terminal. */
export function writeTerminal(data: string | Uint8Array): void {
  outputComes(data)
  writeOut(data)
}

/** Whether a descriptor may be a terminal. Only then are Node's streams used, which load slowly. */
function mayBeTerminal(descriptor: number): boolean {
  const status = attempt(() => fstatSync(descriptor))
  return status?.isCharacterDevice() === true && status.rdev !== attempt(() => statSync('/dev/null'))?.rdev
}

/** Width of the terminal on standard output, or 0 if it is unknown; undefined if it is not a terminal. */
export function terminalWidth(): number | undefined {
  return mayBeTerminal(1) && process.stdout.isTTY ? (process.stdout.columns ?? 0) : undefined
}

/** {@link terminalWidth} for standard error. */
export function errorWidth(): number | undefined {
  return mayBeTerminal(2) && process.stderr.isTTY ? (process.stderr.columns ?? 0) : undefined
}

/** Writes to standard error. Ignores errors. */
export function writeError(text: string): void {
  outputComes(text)
  try {
    writeAll(2, Buffer.from(text), PATIENCE)
  } catch {
    // Nobody could read a message about it.
  }
}
