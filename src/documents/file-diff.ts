import type { AtCells } from './at.ts'
import type { Bytes, Count, DocumentHead, Offset, Path, TileIndex } from './common.ts'

/** `tiledb-inspect diff <a> <b> --files --json`, and `diff` of two data files. NDJSON: one file a line (`$defs/line`). */
export interface FileDiffDocument extends DocumentHead<'file-diff'> {
  /** The second target. */
  other: Path
  /** Whether both have the same files, with the same bytes. */
  equal: boolean
  /** Number of files that are the same in both. */
  same_num: Count
  /** Bytes of these files. */
  same_size: Bytes
  /** The files that are not the same, by name. */
  files: readonly FileDiffLine[]
}

/** A file that is not the same in both. */
export interface FileDiffLine {
  /** Its path below the targets; of two files, the name of the first. */
  name: string
  /** `only-a`, `only-b`: one of the targets lacks it. `size`: the sizes differ. `bytes`: some bytes do. `not-compared`: it cannot be read. */
  state: 'only-a' | 'only-b' | 'size' | 'bytes' | 'not-compared'
  /** Bytes of the file in the first target; null if it has none. */
  size: Bytes | null
  /** Bytes of the file in the second target; null if it has none. */
  other_size: Bytes | null
  /** Number of bytes that differ. Only of `bytes`. */
  differing_num: Count | null
  /** The first byte that differs. Only of `bytes`. */
  first: FileDiffByte | null
  /** Offset of the last byte that differs. Only of `bytes`. */
  last: Offset | null
}

/** A byte that differs, and what `at` says of it: only of the first 100 files, and as far as they can be read. */
export interface FileDiffByte {
  offset: Offset
  /** Its value in the first target, 0 to 255. */
  byte: Count
  /** Its value in the second target, 0 to 255. */
  other_byte: Count
  /** Kind of the file, in words. */
  file_kind?: string | undefined
  /** Dotted path of the smallest field that has the byte, as of `at`. */
  field_path?: string | undefined
  tile?: TileIndex | undefined
  /** Index of the chunk in the tile. */
  chunk?: Count | undefined
  /** Cells whose values depend on the byte. */
  cells?: AtCells | undefined
}
