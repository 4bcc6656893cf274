import type { Count, DocumentHead } from './common.ts'

/** `tiledb-inspect rtree <target> --svg FILE --json`. */
export interface RtreeSvgDocument extends DocumentHead<'rtree-svg'> {
  /** File that was written. */
  svg: string
  /** Names of the dimensions across and up. */
  dimensions: readonly [string, string]
  /** Fragments that were drawn. */
  fragments: readonly RtreeSvgFragment[]
  /** Number of boxes in all. */
  box_num: Count
  /** Number of boxes that were left out, because they begin or end at NaN or infinity. */
  undrawn_box_num: Count
}

export interface RtreeSvgFragment {
  /** Name. */
  name: string
  /** Level of the R-tree whose boxes were drawn, an index from 0; null for the tiles themselves. */
  level: Count | null
  /** Number of boxes that were drawn. */
  box_num: Count
}
