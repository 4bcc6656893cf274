import type { Part } from '../part.ts'
import type { LayerPoints } from '../picture.ts'
import { AXES, DATA, isNDArray, JOINID, typeOf } from './objects.ts'

/** The embeddings of each measurement, whose rows are observations, as points of their first two numbers. */
export async function embeddings(top: Part): Promise<LayerPoints[]> {
  const pictures: LayerPoints[] = []
  for (const experiment of top.all()) {
    if ((await typeOf(experiment)) !== 'SOMAExperiment') continue
    const colours = await coloursOf(experiment.parts.get('obs'))
    for (const measurement of experiment.parts.get('ms')?.parts.values() ?? [])
      for (const part of measurement.parts.get('obsm')?.parts.values() ?? []) {
        const schema = await part.schema()
        const dimensions = schema?.domain.dimensions.map(({ name }) => name) ?? []
        const [rows, numbers] = dimensions
        if (!schema || !isNDArray(schema) || dimensions.length !== AXES.obsm?.length) continue
        if (rows === undefined || numbers === undefined) continue
        pictures.push({ kind: 'points', title: part.path, array: part.path, rows, numbers, attribute: DATA, colours })
      }
  }
  return pictures
}

/** The categories of the observations. */
async function coloursOf(obs: Part | undefined): Promise<LayerPoints['colours']> {
  const schema = await obs?.schema()
  const attributes = (schema?.attributes ?? []).flatMap(({ name, enumeration }) => (enumeration ? [name] : []))
  const isById = schema?.domain.dimensions.length === 1 && schema.domain.dimensions[0]?.name === JOINID
  return obs && attributes.length > 0 && isById ? { array: obs.path, rows: JOINID, attributes } : undefined
}
