import { type Output, Pages } from './result.ts'

/** Characters gathered before they are written. */
const PIECE = 65_536

/** Gathers text into pieces worth a write each. Nobody but the caller waits: see {@link full}. */
export class TextBuffer {
  private pending = ''
  private readonly out: Output

  constructor(out: Output) {
    this.out = out
  }

  add(text: string): void {
    this.pending += text
  }

  /** True when {@link flush} should be awaited before more is added. */
  get full(): boolean {
    return this.pending.length >= PIECE
  }

  flush(): Promise<void> | void {
    const piece = this.pending
    this.pending = ''
    if (piece !== '') return this.out.write(piece)
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
