import { concat } from './bytes.ts'
import { LONGEST_LINE } from './json-text.ts'

const NEW_LINE = 0x0a

/** Cuts a file that is read in pieces into its whole lines. The time for a long line is linear in its length. */
export class LineCutter {
  /** The pieces of the line that has not ended. */
  private pieces: Uint8Array[] = []
  private length = 0

  /** Whether the line that has not ended is longer than {@link LONGEST_LINE}. */
  get isTooLong(): boolean {
    return this.length > LONGEST_LINE
  }

  /**
   * The lines that end in the next piece, without their ends. Lines may share memory with the piece: overwrite the piece only after the
   * last line was used.
   */
  *lines(piece: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let end = piece.indexOf(NEW_LINE); end >= 0; end = piece.indexOf(NEW_LINE, start)) {
      yield concat([...this.pieces, piece.subarray(start, end)])
      this.pieces = []
      this.length = 0
      start = end + 1
    }
    this.pieces.push(piece.slice(start))
    this.length += piece.length - start
  }
}
