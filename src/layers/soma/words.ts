import type { ArrayWords } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { AXES, JOINID, typeOf } from './objects.ts'

/*
 * What arrays of SOMA are called, by their places in an experiment.
 */

/** What a cell of each collection's arrays is, before the name of the array. */
const CELLS: Readonly<Record<string, string>> = {
  X: 'a value of the layer',
  obsm: 'a value of the embedding',
  varm: 'a value of the embedding',
  obsp: 'an edge of the graph',
  varp: 'an edge of the graph',
}

export async function wordsOf(part: DatasetPart, top: DatasetPart): Promise<ArrayWords> {
  const type = (await typeOf(part)) ?? 'SOMA object'
  const { cell, fields } = ofExperiment((await typeOf(top)) === 'SOMAExperiment' ? part.names : [])
  return { type, dataset_type: (await typeOf(top)) ?? 'SOMA object', cell, fields }
}

function ofExperiment([first, measurement = '', collection = '', ...rest]: readonly string[]): Pick<
  ArrayWords,
  'cell' | 'fields'
> {
  if (first === 'obs') return { cell: 'an observation' }
  if (first !== 'ms') return {}
  if (collection === 'var') return { cell: `a variable of ${measurement}` }
  const axes = Object.hasOwn(AXES, collection) ? AXES[collection] : undefined
  if (!axes) return {}
  const frames = { obs: 'obs', var: `ms/${measurement}/var` }
  const ofAxis = (name: 'obs' | 'var' | null): string =>
    name ? `the ${JOINID} of ${frames[name]}` : 'the position of a number in its row'
  return {
    cell: `${CELLS[collection]} ${rest.join('/')}`,
    fields: Object.fromEntries(axes.map((name, d) => [`soma_dim_${d}`, ofAxis(name)])),
  }
}
