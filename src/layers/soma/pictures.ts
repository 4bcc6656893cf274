import type { DatasetPart } from '../part.ts'
import type { LayerPoints } from '../picture.ts'
import { AXES, DATA, isNDArray, JOINID, typeOf } from './objects.ts'

/** The embeddings of each measurement, whose rows are observations, as points of their first two numbers. */
export async function embeddings(top: DatasetPart): Promise<LayerPoints[]> {
  const pictures: LayerPoints[] = []
  for (const experiment of top.all()) {
    if ((await typeOf(experiment)) !== 'SOMAExperiment') continue
    const colours = await coloursOf(experiment.parts.get('obs'))
    for (const measurement of experiment.parts.get('ms')?.parts.values() ?? [])
      for (const part of measurement.parts.get('obsm')?.parts.values() ?? []) {
        const schema = await part.schema()
        const dimensions = schema?.domain.dimensions.map(({ name }) => name) ?? []
        const [row_dimension, number_dimension] = dimensions
        if (!schema || !isNDArray(schema) || dimensions.length !== AXES.obsm?.length) continue
        if (row_dimension === undefined || number_dimension === undefined) continue
        const matrix = { title: part.path, array: part.path, attribute: DATA, colours }
        pictures.push({ kind: 'points', ...matrix, row_dimension, number_dimension })
      }
  }
  return pictures
}

/** The categories of the observations. */
async function coloursOf(obs: DatasetPart | undefined): Promise<LayerPoints['colours']> {
  const schema = await obs?.schema()
  const attributes = (schema?.attributes ?? []).flatMap(({ name, enumeration }) => (enumeration ? [name] : []))
  const isById = schema?.domain.dimensions.length === 1 && schema.domain.dimensions[0]?.name === JOINID
  return obs && attributes.length > 0 && isById ? { array: obs.path, dimension: JOINID, attributes } : undefined
}
