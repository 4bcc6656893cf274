/** `vfs.min_batch_size`: tiles of a file are read together as long as they lie within so many bytes, whatever lies between. */
export const MIN_BATCH_BYTES = 20_971_520
/** `vfs.max_batch_size`: no read is longer, unless a single tile is. */
export const MAX_BATCH_BYTES = 104_857_600
/** `vfs.min_batch_gap`: from the smallest batch on, tiles are read together with at most so many bytes between them. */
export const MIN_BATCH_GAP = 512_000
/** `vfs.min_parallel_size`: of an object store, each of several requests for a batch has at least so many bytes. */
const MIN_PARALLEL_BYTES = 10_485_760
/** `vfs.s3.max_parallel_ops`, by default the number of threads. */
const MAX_PARALLEL_OPS = 8

/** What is read of a data file. */
export interface FileReads {
  /** Runs of tiles without bytes between them. */
  ranges: number
  /** Bytes of the tiles. */
  stored_bytes: number
  /** Read operations: {@link stored_bytes} and what lies between tiles that are read together. */
  reads: number
  bytes: number
  /** Requests to an object store. */
  requests: number
}

/**
 * Adds up the reads of the tiles of a file, which come in rising order.
 *
 * If it is not known which of them are read, the numbers are those that no choice of them exceeds. Then a batch ends as early as it
 * can: with fewer tiles, gaps are longer. And all gaps are read that could lie inside of a batch.
 *
 * @see FilteredData
 */
export class Batches implements FileReads {
  ranges = 0
  stored_bytes = 0
  reads = 0
  bytes = 0
  private parallel = 0
  private readonly exact: boolean
  private start = 0
  private end = -1

  /** @param exact whether all of the tiles are read */
  constructor(exact = true) {
    this.exact = exact
  }

  /** @param start of the tile in the file, in bytes */
  add(start: number, end: number): void {
    this.stored_bytes += end - start
    if (start !== this.end) this.ranges++
    const length = end - this.start
    const gap = start - this.end
    const together = length <= MIN_BATCH_BYTES || (this.exact && gap <= MIN_BATCH_GAP)
    if (this.end < 0) this.start = start
    else if (length > MAX_BATCH_BYTES || !together) {
      this.finish()
      this.start = start
      if (!this.exact && gap <= MIN_BATCH_BYTES) this.bytes += gap
    }
    this.end = end
  }

  get requests(): number {
    return this.exact ? this.parallel : this.reads + Math.floor(this.bytes / MIN_PARALLEL_BYTES)
  }

  /** Ends the current batch. Call it after the last tile. */
  finish(): void {
    if (this.end < 0) return
    const length = this.end - this.start
    this.reads++
    this.bytes += length
    this.parallel += Math.min(Math.max(1, Math.floor(length / MIN_PARALLEL_BYTES)), MAX_PARALLEL_OPS)
    this.end = -1
  }
}
