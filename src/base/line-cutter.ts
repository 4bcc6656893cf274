import { concat } from './bytes.ts'
import { LONGEST_LINE } from './json-text.ts'

const NEW_LINE = 0x0a

/** Cuts a file that is read in pieces into its whole lines. What a long line costs rises with its length, and not with its square. */
export class LineCutter {
  /** The pieces of the line that has not ended. */
  private parts: Uint8Array[] = []
  private length = 0

  /** Whether the line that has not ended is longer than any that is read. */
  get isTooLong(): boolean {
    return this.length > LONGEST_LINE
  }

  /** The lines that end in the next piece, without their ends. The piece may be used again after the last of them. */
  *lines(piece: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let end = piece.indexOf(NEW_LINE); end >= 0; end = piece.indexOf(NEW_LINE, start)) {
      yield concat([...this.parts, piece.subarray(start, end)])
      this.parts = []
      this.length = 0
      start = end + 1
    }
    this.parts.push(piece.slice(start))
    this.length += piece.length - start
  }
}
