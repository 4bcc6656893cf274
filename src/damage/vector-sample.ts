import type { SampleOptions } from '../write/sample.ts'
import { type LayerSample, layerRecipe, rows } from './layer-sample.ts'

/*
 * A small index of TileDB-Vector-Search: four vectors of two dimensions, in two partitions.
 */

const VECTORS: SampleOptions = {
  dense: true,
  dim: ['rows:INT32:0..1:2', 'cols:INT32:0..7:4'],
  attr: ['values:FLOAT32'],
}
const NUMBERS: SampleOptions = { dense: true, dim: ['rows:INT32:0..7:4'], attr: ['values:UINT64'] }

/** Vectors as columns. */
function vectors(...columns: readonly (readonly [number, number])[]): string {
  return rows(...[0, 1].flatMap((r) => columns.map((column, cols) => ({ rows: r, cols, values: column[r] }))))
}

function numbers(...values: readonly number[]): string {
  return rows(...values.map((value, at) => ({ rows: at, values: value })))
}

export const VECTOR_DATASET = {
  arrays: {
    'shuffled_vectors/': { options: VECTORS, cells: vectors([0, 0], [0, 1], [5, 5], [5, 6]) },
    'shuffled_vector_ids/': { options: NUMBERS, cells: numbers(10, 12, 11, 13) },
    'partition_centroids/': { options: VECTORS, cells: vectors([0, 0.5], [5, 5.5]) },
    'partition_indexes/': { options: NUMBERS, cells: numbers(0, 2, 4) },
  },
  groups: {
    '': {
      arrays: ['shuffled_vectors', 'shuffled_vector_ids', 'partition_centroids', 'partition_indexes'],
      keys: {
        ...{ dataset_type: 'vector_search', storage_version: '0.3', index_type: 'IVF_FLAT', dtype: 'float32' },
        ...{ dimensions: 2, has_updates: 0, distance_metric: 0 },
        ...{ base_sizes: '[4]', ingestion_timestamps: '[1759000000000]', partition_history: '[2]' },
      },
    },
  },
} as const satisfies LayerSample

export const VECTOR_INDEX_RECIPE = layerRecipe(VECTOR_DATASET)
