import type { StorageReadCounts } from '../advice/finding.ts'
import type { Prose } from '../base/prose.ts'
import type { TileRole } from '../cells/tile-places.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Bytes, Count, DocumentHead, FilterDescription, Ratio, StoredName } from './common.ts'

/** `tiledb-inspect whatif <target> --json`: sizes and speeds with other filters, tiles or orders. */
export interface WhatifDocument extends DocumentHead<'whatif'> {
  sample: WhatifSample
  /** Filters that were tried, by field, most bytes first. */
  fields: readonly WhatifField[]
  /**
   * Other tiles and orders; the current layout comes first. They are computed by writing all cells, or those of some boxes, again in
   * memory. Empty if no options ask for them.
   */
  layouts: readonly WhatifLayout[]
  total: WhatifTotal
}

/** The sample on which the pipelines were tried. */
export interface WhatifSample {
  /** Number of tiles that the sample has parts of. */
  tiles: Count
  /** Number of all tiles. */
  tile_num: Count
  /** Unfiltered bytes of the sample, in all fields. */
  bytes: Bytes
  /** Seed of the choice of the tiles. */
  seed: string
  /** Whether the sample contains all tiles. Sizes are then exact, not estimated. */
  whole: boolean
}

/** The values of a field, or the offsets or validity of all fields. */
export interface WhatifField {
  /** Name of the field; null for offsets and validity, whose filters are those of the array. */
  name: StoredName | null
  /** `data`: fixed-sized values. `var`: var-sized values. `offsets`: offsets of var-sized cells. `validity`: validity of nullable cells. */
  role: TileRole
  type: Datatype
  cell_val_num: CellValNum
  /** Whether all tiles were tried. */
  whole: boolean
  /** The current filters. */
  stored: WhatifTrial
  /** Other filters, smallest first. */
  candidates: readonly WhatifTrial[]
  /** Pipelines that TileDB does not accept. */
  refused: readonly WhatifRefusal[]
  /** Index of the smallest candidate that preserves every bit and every checksum; null if the current filters are the smallest. */
  smallest: Count | null
  /** Index of the candidate with the highest `read_mb_s`, under the same conditions. From slow storage the smallest may be faster. */
  fastest: Count | null
  /** Index of the smallest candidate that saves at least 5 % and hardly slows reading and writing; null if there is none. */
  balanced: Count | null
}

/** Result of a filter pipeline. */
export interface WhatifTrial {
  /** Filters in writing order. */
  filters: readonly FilterDescription[]
  /** Bytes of the files of the whole array. */
  bytes: Bytes
  /** For text, bytes of the offsets of its cells. DICTIONARY_ENCODING and RLE store them with the values. */
  offsets_bytes?: Bytes | undefined
  /** Unfiltered bytes divided by stored bytes; for text, both include the offsets of its cells. */
  ratio: Ratio | null
  /** Speed of undoing the filters, in units of 1,000,000 bytes of values a second. Measured on this machine with this program. */
  undo_mb_s: number
  /** Speed of applying the filters, in units of 1,000,000 bytes of values a second. Measured in the same way. */
  do_mb_s: number
  /**
   * Estimated speed of a read by TileDB 2.30 on one core of this machine, with the files in the system's cache, in units of 1,000,000
   * bytes of values a second.
   */
  read_mb_s: number
  /** Whether the filters detect damage, by checksums or tags of encryption. */
  checksummed: boolean
  /** Whether every value is read back with the same bits. */
  lossless: boolean
  /** Share of the values that are read back with other bits, 0 to 1. */
  changed_share: number
  /** Largest difference of a value that is read back. */
  deviation: number
}

/** A pipeline that cannot be used. */
export interface WhatifRefusal {
  /** Filters in writing order. */
  filters: readonly FilterDescription[]
  /** Why TileDB does not accept the pipeline. */
  reason: Prose
}

/** Bytes of all data files of the array or fragment. */
export interface WhatifTotal {
  /** Bytes with the current filters. */
  bytes: Bytes
  /** Bytes with the smallest candidate for each field that was tried. */
  smallest_bytes: Bytes
  /** Bytes with the fastest candidate for each field that was tried. */
  fastest_bytes: Bytes
  /** Bytes with the balanced candidate for each field that was tried. */
  balanced_bytes: Bytes
}

/** Sizes of an array with other tiles, or with its cells in another order. */
export interface WhatifLayout {
  /** What is changed, in words; empty for the current layout. */
  change: string
  /** Number of fragments. */
  fragment_num: Count
  /** Number of tiles in all fragments. */
  tile_num: Count
  /** Bytes of the data files. */
  data_size: Bytes
  /** Bytes of the fragment metadata. */
  fragment_metadata_size: Bytes
  /** Bytes of the R-trees among `fragment_metadata_size`. */
  rtree_size: Bytes
  /** Bytes of minima, maxima, sums and null counts among `fragment_metadata_size`. */
  statistics_size: Bytes
  /**
   * Number of cells in the boxes from which the sizes were estimated; the seed spreads the boxes over a large array. Null if all cells were
   * written again, and for the current layout.
   */
  sample_cell_num: Count | null
  /** Cost of a read of `--range`, as `explain --exact` counts it; null without `--range`, and if the sizes were estimated from boxes. */
  read_cost: StorageReadCounts | null
}
