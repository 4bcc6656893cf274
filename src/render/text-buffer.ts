import { type Output, Pages } from '../base/result.ts'
import { LineBytes } from './line-bytes.ts'

/** Bytes gathered before they are written. */
const PIECE = 65_536
/** Many documents are small. */
const FIRST_ROOM = 8192

/** Gathers text into pieces worth a write each. Nobody but the caller waits: see {@link full}. */
export class TextBuffer {
  private readonly bytes: LineBytes

  constructor(out: Output) {
    this.bytes = new LineBytes(out, PIECE, FIRST_ROOM)
  }

  add(text: string): void {
    this.bytes.text(text)
  }

  /** A whole number of at most 2^53 either way, without making a string of it. */
  integer(value: number): void {
    this.bytes.integer(value)
  }

  /** True when {@link flush} should be awaited before more is added. */
  get full(): boolean {
    return this.bytes.full
  }

  flush(): Promise<void> | void {
    return this.bytes.flush()
  }
}

export type Rows<T> = Iterable<T> | AsyncIterable<T>

/** Calls `work` for each row in turn, waiting only where it gives a promise; both ends of an asynchronous source are closed. */
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
