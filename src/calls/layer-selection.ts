import { usage } from '../base/errors.ts'
import type { AxisConditions, AxisName, LayerSelection } from '../layers/layer.ts'
import type { ArrayTarget, Target } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/** The options that choose an array of a dataset of a layer, and its rows. */
export interface LayerOptions {
  layer?: string
  whereObs?: string
  whereVar?: string
}

export const LAYER_OPTION = [
  '--layer <path>',
  'an array of an experiment, by the names of its measurement, collection and array: RNA/X/data',
] as const

/** The conditions on the axes. */
export const AXIS_OPTIONS = {
  obs: ['--where-obs <condition>', 'with --layer: only cells whose observations meet it'],
  var: ['--where-var <condition>', 'with --layer: only cells whose variables meet it'],
} as const satisfies Readonly<Record<AxisName, readonly [string, string]>>

/**
 * The selection that the options ask for. Undefined if they ask for none.
 * @throws InspectError USAGE if the target has no layer with axes
 */
export async function layerSelection(
  cx: CommandContext,
  target: Target,
  { layer: path, whereObs, whereVar }: LayerOptions,
): Promise<(LayerSelection & { target: ArrayTarget }) | undefined> {
  if (path === undefined) {
    if (whereObs !== undefined) throw usage('--where-obs needs --layer')
    if (whereVar !== undefined) throw usage('--where-var needs --layer')
    return undefined
  }
  const [{ wholePart }, { recognise }, { DatasetPart }] = await Promise.all([
    import('../layers/check.ts'),
    import('../layers/layers.ts'),
    import('../layers/part.ts'),
  ])
  const layer = await recognise(new DatasetPart(target))
  if (!layer?.select) throw usage(`--layer needs an experiment, found ${cx.shownPath(target.path)}, which is none`)
  const conditions: AxisConditions = {
    ...(whereObs !== undefined && { obs: whereObs }),
    ...(whereVar !== undefined && { var: whereVar }),
  }
  const selection = await layer.select(await wholePart(target), path, conditions)
  const { array } = selection.opened
  return { ...selection, target: { type: 'array', path: array.folder.path, array } }
}
