import type { LayerPlace } from '../documents/common.ts'
import type { ArrayTarget } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/** What an array is in the words of its layer. Undefined if it belongs to none: then its own key-value metadata was read, and no more. */
export async function layerPlace(cx: CommandContext, target: ArrayTarget): Promise<LayerPlace | undefined> {
  const { placeOfArray } = await import('../layers/around.ts')
  const place = await placeOfArray(target)
  if (!place) return undefined
  const { layer, dataset, names, words } = place
  return {
    name: layer,
    dataset: dataset ? cx.shownPath(dataset.path) : null,
    dataset_type: words.dataset_type,
    member: names.join('/'),
    layer_type: words.type,
    cell_is: words.cell ?? null,
    fields: Object.entries(words.fields ?? {}).map(([name, is]) => ({ name, is })),
  }
}
