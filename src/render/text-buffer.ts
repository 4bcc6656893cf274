import { type Output, Pages } from '../base/result.ts'
import { LineBytes } from './line-bytes.ts'

/** Bytes to gather before they are written. */
const PIECE = 65_536
/** Initial size in bytes; many documents are small. */
const FIRST_ROOM = 8192

/** Gathers text into larger pieces for writing. Only the caller waits: see {@link full}. */
export class TextBuffer {
  private readonly bytes: LineBytes

  constructor(out: Output) {
    this.bytes = new LineBytes(out, PIECE, FIRST_ROOM)
  }

  add(text: string): void {
    this.bytes.text(text)
  }

  /** A whole number between -2^53 and 2^53, without making a string of it. */
  integer(value: number): void {
    this.bytes.integer(value)
  }

  /** Whether {@link flush} should be awaited before more is added. */
  get full(): boolean {
    return this.bytes.full
  }

  flush(): Promise<void> | void {
    return this.bytes.flush()
  }
}

export type Rows<T> = Iterable<T> | AsyncIterable<T>

/**
 * Calls `work` for each row in turn, and waits only if it returns a promise. An asynchronous source is closed at the end or
 * on error.
 */
export async function eachRow<T>(rows: Rows<T>, work: (row: T) => Promise<void> | void): Promise<void> {
  if (Symbol.iterator in rows) {
    for (const row of rows) {
      const wait = work(row)
      if (wait) await wait
    }
  } else if (rows instanceof Pages) {
    for await (const page of rows.pages()) await eachRow(page as Iterable<T>, work)
  } else {
    for await (const row of rows) {
      const wait = work(row)
      if (wait) await wait
    }
  }
}
