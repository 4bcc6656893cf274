import type { LayerFact, LayerName, LayerTable } from '../layers/layer.ts'

export type { LayerFact, LayerTable }

/** What the layer above TileDB that wrote a dataset says of it. */
export interface LayerPart {
  /** The layer. */
  name: LayerName
  /** The name of the layer, as its authors write it. */
  title: string
  /** What the layer calls the target, such as `SOMAExperiment`. */
  type: string
  /** Version of the layer's format; null if the dataset has none. */
  version: string | null
  /** Whether the version is one that is known here. */
  version_known: boolean
  /** Facts in the words of the layer. */
  facts: readonly LayerFact[]
  /** Facts of several things of one kind, such as the measurements of an experiment. */
  tables: readonly LayerTable[]
}
