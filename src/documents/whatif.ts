import type { ReadCounts } from '../advice/finding.ts'
import type { TileRole } from '../cells/tile-places.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Bytes, Count, DocumentHead, FilterDescription, Ratio, StoredName } from './common.ts'

/** `tiledb-inspect whatif <target> --json`: what other filters would make of the values. */
export interface WhatifDocument extends DocumentHead<'whatif'> {
  sample: WhatifSample
  /** What was tried, most bytes first. */
  fields: readonly WhatifField[]
  /** All cells with other tiles or in another order, computed by writing them, or those of some boxes, anew in memory; what is there now comes first. Empty: not asked for. */
  layouts: readonly WhatifLayout[]
  total: WhatifTotal
}

/** Tiles on which the pipelines were tried. */
export interface WhatifSample {
  /** Tiles of which something was taken. */
  tiles: Count
  /** Tiles that there are. */
  tile_num: Count
  /** Unfiltered bytes that were taken, of all fields. */
  bytes: Bytes
  /** What the choice of the tiles follows from. */
  seed: string
  /** Whether that is all there is: then sizes are exact, and not estimated. */
  whole: boolean
}

/** The values of a field, or the offsets or validity of all fields. */
export interface WhatifField {
  /** Name of the field; null for offsets and validity: their filters are those of the array. */
  name: StoredName | null
  /** data: fixed-sized values; var: var-sized ones; offsets of var-sized cells; validity of nullable cells. */
  role: TileRole
  type: Datatype
  cell_val_num: CellValNum
  /** Whether all tiles were tried. */
  whole: boolean
  /** As it is. */
  stored: WhatifTrial
  /** The smallest first. */
  candidates: readonly WhatifTrial[]
  /** Pipelines that TileDB does not take. */
  refused: readonly WhatifRefusal[]
  /** The smallest that keeps every bit and every checksum: index among the candidates; null for what is there now. */
  smallest: Count | null
  /** The same by `read_mb_s`. From slow storage the smallest may be faster. */
  fastest: Count | null
  /** The smallest of those that save 5 % or more and hardly slow reading and writing; null: leave it. */
  balanced: Count | null
}

/** What a pipeline makes of the values. */
export interface WhatifTrial {
  /** In writing order. */
  filters: readonly FilterDescription[]
  /** Bytes of the files, of the whole array. */
  bytes: Bytes
  /** Of text: bytes of the offsets of its cells. DICTIONARY_ENCODING and RLE keep them among the values. */
  offsets_bytes?: Bytes | undefined
  /** Unfiltered bytes to stored ones; of text, both with the offsets of its cells. */
  ratio: Ratio | null
  /** 1,000,000 bytes of values a second to undo the filters, measured on this machine with this program. */
  undo_mb_s: number
  /** 1,000,000 bytes of values a second to filter them, measured in the same way. */
  do_mb_s: number
  /** 1,000,000 bytes of values a second that TileDB 2.30 reads on one core of this machine, with the files in the system's cache; estimated. */
  read_mb_s: number
  /** Whether damage would be noticed: checksums, or tags of encryption. */
  checksummed: boolean
  /** Whether every value comes back with the same bits. */
  exact: boolean
  /** Part of the values that come back with other bits, 0 to 1. */
  changed: number
  /** The largest difference of a value that comes back. */
  deviation: number
}

/** A pipeline that cannot be used. */
export interface WhatifRefusal {
  /** In writing order. */
  filters: readonly FilterDescription[]
  /** Why. */
  reason: string
}

/** The whole array, or fragment: all data files. */
export interface WhatifTotal {
  /** Bytes now. */
  bytes: Bytes
  /** With the smallest for each field that was tried. */
  smallest_bytes: Bytes
  /** With the fastest to read. */
  fastest_bytes: Bytes
  /** With the balanced. */
  balanced_bytes: Bytes
}

/** How large an array is with other tiles, or with its cells in another order. */
export interface WhatifLayout {
  /** What is changed, in words; empty for what is there now. */
  change: string
  /** Number of fragments. */
  fragment_num: Count
  /** Number of tiles, of all fragments. */
  tile_num: Count
  /** Bytes of the data files. */
  data_bytes: Bytes
  /** Bytes of the fragments' metadata. */
  metadata_bytes: Bytes
  /** Of these, bytes of the R-trees. */
  rtree_bytes: Bytes
  /** Of these, bytes of minima, maxima, sums and null counts. */
  statistics_bytes: Bytes
  /** Cells of the boxes from which it was estimated, spread over a large array by the seed; null: all cells were written anew, or it is what is there now. */
  sample_cells: Count | null
  /** What a read of `--range` costs, as `explain --exact` counts it; null without `--range`, and where it was estimated from boxes. */
  read: ReadCounts | null
}
