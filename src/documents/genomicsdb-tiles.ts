import type { Count, DocumentHead } from './common.ts'
import type { TilesLine } from './tiles.ts'

/** `tiledb-inspect tiles <target> --json` of fragments of GenomicsDB. NDJSON: one tile a line, as of other fragments. */
export interface GenomicsdbTilesDocument extends DocumentHead<'genomicsdb-tiles'> {
  /** Number of all tiles of the fragment, including those that are not shown. */
  tile_num: Count
  /** Tiles in order. */
  tiles: Iterable<TilesLine>
}
