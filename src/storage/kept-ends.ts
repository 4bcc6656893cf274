import { TAIL_BYTES } from './source.ts'

/*
 * Several parts of a run read the same small file: the metadata of a fragment for its footer, for its boxes and for where its tiles are; its
 * cells for a sample and then for a trial. On a slow disk each opening is a wait, so a run opens such a file once.
 */

/** The end of a file. */
interface KeptEnd {
  /** Size of the file in bytes. */
  size: number
  /** Its last bytes: all of them, if it is small. */
  bytes: Uint8Array
}

/** Limit on the bytes that a run keeps. They are the metadata of about 2,000 small fragments. */
const MAX_KEPT = 8 * 2 ** 20

/**
 * The same for a run that reads a file once: only the first ones, which tell the layout of the others, are read with their descriptions, and
 * so once more. Keeping all took a tenth of the time of listing 1,000 fragments.
 */
export const FEW_KEPT = 2 * TAIL_BYTES

/**
 * The ends of files that a run has read. If there are more than fit, the first ones are kept: a run that goes over all files several times
 * finds them again.
 */
export class KeptEnds {
  private readonly ends = new Map<string, KeptEnd>()
  private readonly most: number
  private bytes = 0

  /** @param most limit on the bytes that are kept */
  constructor(most = MAX_KEPT) {
    this.most = most
  }

  get(path: string): KeptEnd | undefined {
    return this.ends.get(path)
  }

  /** A part of a file. Undefined unless all of it is kept. */
  part(path: string, offset: number, length: number): Uint8Array | undefined {
    const end = this.ends.get(path)
    const at = end ? offset - (end.size - end.bytes.length) : -1
    return end && at >= 0 && length >= 0 && at + length <= end.bytes.length
      ? end.bytes.subarray(at, at + length)
      : undefined
  }

  /** Keeps a copy of the last bytes of a file, if they are few, more than before, and if there is room. */
  keep(path: string, size: number, bytes: Uint8Array): void {
    const more = bytes.length - (this.ends.get(path)?.bytes.length ?? 0)
    if (more <= 0 || bytes.length > TAIL_BYTES || this.bytes + more > this.most) return
    this.bytes += more
    this.ends.set(path, { size, bytes: bytes.slice() })
  }
}
