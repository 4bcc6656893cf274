import type { Count, DocumentHead } from './common.ts'

/** `tiledb-inspect rtree <target> --svg FILE --json`. */
export interface RtreeSvgDocument extends DocumentHead<'rtree-svg'> {
  /** The file that was written. */
  svg: string
  /** Names of the horizontal and the vertical dimension. */
  dimensions: readonly [string, string]
  /** Fragments that were drawn. */
  fragments: readonly RtreeSvgFragment[]
  /** Number of all boxes that were drawn. */
  box_num: Count
  /** Number of boxes that were left out, as they begin or end at NaN or infinity. */
  undrawn_box_num: Count
}

export interface RtreeSvgFragment {
  /** Name of the fragment. */
  name: string
  /** Level of the R-tree whose boxes were drawn, starting at 0; null if the boxes of the tiles were drawn. */
  level: Count | null
  /** Number of boxes that were drawn. */
  box_num: Count
}
