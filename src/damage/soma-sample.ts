import type { SampleOptions } from '../write/sample.ts'
import type { EditableArray } from './editable-array.ts'
import { addCells, type LayerSample, layerRecipe, rows } from './layer-sample.ts'

export { removeKey, setKeys } from './layer-sample.ts'

/*
 * A small experiment of SOMA: four observations, three variables, and a layer with a cell of each.
 */

const FRAME: SampleOptions = { dim: ['obs_id:STRING_ASCII'], attr: ['soma_joinid:INT64'], capacity: '4' }
const LAYER: SampleOptions = {
  dim: ['soma_dim_0:INT64:0..99:10', 'soma_dim_1:INT64:0..99:10'],
  attr: ['soma_data:FLOAT32'],
  capacity: '4',
}

function frame(...names: readonly string[]): string {
  return rows(...names.map((obs_id, soma_joinid) => ({ obs_id, soma_joinid })))
}

function ofType(soma_object_type: string) {
  return { soma_object_type, soma_encoding_version: '1' }
}

const EXPERIMENT = {
  arrays: {
    'obs/': { options: FRAME, cells: frame('a', 'b', 'c', 'd'), keys: ofType('SOMADataFrame') },
    'ms/RNA/var/': { options: FRAME, cells: frame('g', 'h', 'i'), keys: ofType('SOMADataFrame') },
    'ms/RNA/X/data/': {
      options: LAYER,
      cells: rows(
        ...[
          [0, 0],
          [1, 1],
          [2, 2],
          [3, 0],
        ].map(([soma_dim_0, soma_dim_1]) => ({ soma_dim_0, soma_dim_1, soma_data: 1 })),
      ),
      keys: ofType('SOMASparseNDArray'),
    },
  },
  groups: {
    '': { arrays: ['obs'], groups: ['ms'], keys: ofType('SOMAExperiment') },
    'ms/': { groups: ['RNA'], keys: ofType('SOMACollection') },
    'ms/RNA/': { arrays: ['var'], groups: ['X'], keys: ofType('SOMAMeasurement') },
    'ms/RNA/X/': { arrays: ['data'], keys: ofType('SOMACollection') },
  },
} as const satisfies LayerSample

export const SOMA = layerRecipe(EXPERIMENT)

/** Writes more cells to an array of the sample. */
export function writeCells(array: EditableArray, path: string, cells: string): Promise<void> {
  return addCells(array, EXPERIMENT, path, cells)
}
