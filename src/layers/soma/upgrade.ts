import type { DatasetPart } from '../part.ts'
import { AXES, isNDArray, JOINID, typeOf } from './objects.ts'
import { isUpgraded } from './shape.ts'

/*
 * The shapes that tiledbsoma's `upgrade_experiment_shapes` would set. Compared with what tiledbsoma 2.3 did to data of 1.14.
 */

/** By the path of the array. Undefined lengths are not known without reading cells. */
type Shapes = Map<string, (number | null)[]>

/** The shapes that an upgrade would set, of the arrays that have none yet. */
export async function upgradeShapes(top: DatasetPart): Promise<Shapes> {
  const shapes: Shapes = new Map()
  for (const experiment of top.all()) {
    if ((await typeOf(experiment)) !== 'SOMAExperiment') continue
    const obs = await frameShape(experiment.parts.get('obs'), shapes)
    for (const measurement of experiment.parts.get('ms')?.parts.values() ?? []) {
      const axes = { obs, var: await frameShape(measurement.parts.get('var'), shapes) }
      for (const [collection, names] of Object.entries(AXES))
        for (const part of measurement.parts.get(collection)?.parts.values() ?? []) {
          const schema = await part.schema()
          if (!schema || schema.array_type === 'dense' || isUpgraded(schema) || !isNDArray(schema)) continue
          const lengths = names.map((name, d) => (name === null ? writtenLength(part, d) : axes[name]))
          shapes.set(part.path, lengths)
        }
    }
  }
  return shapes
}

/** Number of rows of a data frame, with those that were left out. Adds its own shape if it has none. */
async function frameShape(part: DatasetPart | undefined, shapes: Shapes): Promise<number | null> {
  const schema = await part?.schema()
  if (!part || !schema) return null
  const d = schema.domain.dimensions.findIndex(({ name }) => name === JOINID)
  const length = d < 0 ? Number(part.seen.cell_num ?? Number.NaN) : writtenLength(part, d)
  const known = length === null || Number.isNaN(length) ? null : length
  if (d >= 0 && schema.domain.dimensions.length === 1 && !isUpgraded(schema)) shapes.set(part.path, [known])
  return known
}

/** How far a dimension was written: the highest coordinate and one. */
function writtenLength({ seen }: DatasetPart, d: number): number | null {
  const high = seen.nonempty_domain?.[d]?.[1]
  return typeof high === 'number' || typeof high === 'bigint' ? Number(high) + 1 : null
}
