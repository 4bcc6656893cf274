import type { Count, DocumentHead, List, NotExamined, OfSeveral, PartCounts, Path } from './common.ts'

/** `tiledb-inspect verify-checksums <target> --json`. NDJSON: one failure a line (`$defs/line`). */
export interface VerifyChecksumsDocument extends DocumentHead<'verify-checksums'>, PartCounts {
  /** Whether every filter was undone. */
  deep: boolean
  /** `i/n` of `--shard`: only the i-th of n parts was looked at. */
  shard?: string | undefined
  /** What does not fit. */
  failures: List<VerifyChecksumsLine>
  /**
   * The result in one word. `not-examined`: no checksum could be compared, and `not_examined` says why.
   * `nothing-to-verify`: everything was examined, and there is no checksum.
   */
  verdict: 'verified' | 'partly' | 'nothing-to-verify' | 'not-examined' | 'damaged'
  /**
   * Whether there is no failure. With `--require-checksums`, it is false, too, if a data file has no checksum, or if all
   * fragments of an array were skipped.
   */
  ok: boolean
  /**
   * Number of fragments that were left out, as no commit names them and TileDB does not read them: `--all` verifies
   * them.
   */
  skipped_fragment_num: Count
  /** Number of digests and tags that were compared. A wrong key compares none. */
  checksum_num: Count
  /** Data files without a checksum. */
  unprotected_files: Iterable<Path>
  /** Number of metadata files without a checksum. */
  unprotected_metadata_files: Count
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
}

/** A failure. */
export interface VerifyChecksumsLine extends OfSeveral {
  /** Name of the fragment; null for files of the array. */
  fragment: string | null
  /** The file. */
  file: Path
  /** Index of the tile. */
  tile: Count | null
  /** Index of the chunk in the tile. */
  chunk: Count | null
  /** Filter that failed, by its C API name. */
  filter: string | null
  /** Byte offset in the file. */
  offset: Count | null
  /** Stored digest in hex. */
  expected: string | null
  /** Digest of the bytes in hex. */
  actual: string | null
  /** What is wrong. */
  message: string
}
