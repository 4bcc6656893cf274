import type { Prose } from '../base/prose.ts'
import type { Count, DocumentHead, List, NotExamined, OfSeveral, PartCounts, Path } from './common.ts'

/** `tiledb-inspect verify-checksums <target> --json`. NDJSON: one failure a line (`$defs/line`). */
export interface VerifyChecksumsDocument extends DocumentHead<'verify-checksums'>, PartCounts {
  /** Whether every filter was undone. */
  deep: boolean
  /** `i/n` of `--shard`: only the i-th of n parts was examined. */
  shard?: string | undefined
  /** Checksums that do not match, and filters that cannot be undone. */
  failures: List<VerifyChecksumsLine>
  /**
   * The result in one word. `not-examined`: no checksum could be compared; `not_examined` says why. `nothing-to-verify`:
   * everything was examined, and there are no checksums.
   */
  verdict: 'verified' | 'partly' | 'nothing-to-verify' | 'not-examined' | 'damaged'
  /**
   * Whether there are no failures. With `--require-checksums`, it is also false if a data file has no checksum, or if all
   * fragments of an array were skipped.
   */
  ok: boolean
  /**
   * Number of fragments that were skipped, as no commit names them and TileDB does not read them. `--all` verifies
   * them, too.
   */
  skipped_fragment_num: Count
  /** Number of digests and tags that were compared; 0 with a wrong key. */
  checksum_num: Count
  /** Data files without a checksum. */
  unprotected_files: Iterable<Path>
  /** Number of metadata files without a checksum. */
  unprotected_metadata_file_num: Count
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
  /** Name of the filter in the C API; null if no filter failed. */
  filter: string | null
  /** Byte offset in the file. */
  offset: Count | null
  /** Stored digest in hex. */
  expected: string | null
  /** Digest of the bytes in hex. */
  actual: string | null
  /** What is wrong, in words. */
  message: Prose
}
