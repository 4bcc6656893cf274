import { RELEASE } from './memory/release.ts'

/** `vfs.s3.max_parallel_ops`: upper limit on the requests for a batch, by default the number of threads. */
const MAX_PARALLEL_OPS = 8

/** What is read of a data file. */
export interface FileReads {
  /** Number of runs of adjacent tiles. */
  ranges: number
  /** Bytes of the tiles. */
  stored_bytes: number
  /** Number of read operations. */
  reads: number
  /** Bytes of the read operations: {@link stored_bytes} and the gaps between tiles that are read together. */
  bytes: number
  /** Number of requests to an object store. */
  requests: number
}

/**
 * Adds up the reads of the tiles of a file, which are added in rising order.
 *
 * If it is not known which of the tiles are read, the numbers are upper bounds for every choice of them. A batch then ends as early
 * as it can, because gaps are longer with fewer tiles. But all gaps count as read that could lie inside a batch.
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

  /** @param exact whether all added tiles are read */
  constructor(exact = true) {
    this.exact = exact
  }

  /** Adds a tile. @param start @param end offsets in the file, in bytes */
  add(start: number, end: number): void {
    this.stored_bytes += end - start
    if (start !== this.end) this.ranges++
    const length = end - this.start
    const gap = start - this.end
    const together =
      length <= RELEASE.settings['vfs.min_batch_size'] || (this.exact && gap <= RELEASE.settings['vfs.min_batch_gap'])
    if (this.end < 0) this.start = start
    else if (length > RELEASE.settings['vfs.max_batch_size'] || !together) {
      this.finish()
      this.start = start
      if (!this.exact && gap <= RELEASE.settings['vfs.min_batch_size']) this.bytes += gap
    }
    this.end = end
  }

  get requests(): number {
    return this.exact ? this.parallel : this.reads + Math.floor(this.bytes / RELEASE.settings['vfs.min_parallel_size'])
  }

  /** Ends the current batch. Call it after the last tile. */
  finish(): void {
    if (this.end < 0) return
    const length = this.end - this.start
    this.reads++
    this.bytes += length
    this.parallel += Math.min(
      Math.max(1, Math.floor(length / RELEASE.settings['vfs.min_parallel_size'])),
      MAX_PARALLEL_OPS,
    )
    this.end = -1
  }
}
