import { finding, type Items } from '../../check/finding.ts'
import { checkAxisCoordinates, checkUnused, columnAxis, type FrameAxis, guardedJoin } from '../joins.ts'
import { lengthsText } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { AXES, isNDArray, JOINID, typeOf } from './objects.ts'
import { isUpgraded, shapeOf } from './shape.ts'

/*
 * Whether the coordinates of layers, embeddings and graphs are rows of obs and var.
 */

/** Checks the joins of every experiment in a part. */
export async function* checkJoins(top: DatasetPart): Items {
  for (const part of top.all()) if ((await typeOf(part)) === 'SOMAExperiment') yield* checkExperiment(part)
}

async function* checkExperiment(experiment: DatasetPart): Items {
  const obs = yield* columnAxis(experiment.parts.get('obs'), JOINID)
  for (const measurement of experiment.parts.get('ms')?.parts.values() ?? []) {
    const axes = { obs, var: yield* columnAxis(measurement.parts.get('var'), JOINID) }
    for (const [collection, names] of Object.entries(AXES))
      for (const part of measurement.parts.get(collection)?.parts.values() ?? [])
        yield* guardedJoin(part, () =>
          checkArray(
            part,
            names.map((name) => (name === null ? undefined : axes[name])),
          ),
        )
  }
  if (obs) yield* guardedJoin(obs.part, () => checkUnused(obs))
}

/** Checks the coordinates of an array. @param axes as for {@link checkAxisCoordinates} */
async function* checkArray(part: DatasetPart, axes: readonly (FrameAxis | undefined)[]): Items {
  const { array } = part
  const schema = await part.schema()
  if (!array || !schema || !isNDArray(schema) || part.member?.again) return
  for (const axis of new Set(axes)) axis?.arrays.push(part)
  const isDense = schema.array_type === 'dense'
  if (isDense || isUpgraded(schema)) {
    const shape = shapeOf(schema)
    for (const [d, axis] of axes.entries()) {
      const length = shape[d]
      if (!axis || length == null || length > axis.highest) continue
      const expected = `room for ${JOINID} ${axis.highest} of ${axis.part.path}`
      yield finding('LAYER_SHAPE', findingPlace(part, `soma_dim_${d}`), expected, `the shape ${lengthsText(shape)}`)
    }
  }
  // Every cell of a dense array is there, whether it was written or not.
  if (isDense) {
    for (const axis of axes) for (const id of axis?.ids ?? []) axis?.used.add(id)
    return
  }
  yield* checkAxisCoordinates(part, axes)
}
