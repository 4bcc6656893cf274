import { EditableArray } from '../../src/damage/editable-array.ts'
import { type LayerSample, layerRecipe } from '../../src/damage/layer-sample.ts'
import { filesOf } from '../../src/damage/sample-files.ts'
import { type SampleName, sampleArray } from '../../src/damage/samples.ts'
import { wholePart } from '../../src/layers/check.ts'
import type { FactValue, LayerDescription, Look } from '../../src/layers/layer.ts'
import { recognise } from '../../src/layers/layers.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'

export function datasetOf(name: SampleName): Promise<EditableArray> {
  return sampleArray(name, EDITED, writingCodecs)
}

/** A dataset that is no sample. */
export async function datasetFrom(sample: LayerSample): Promise<EditableArray> {
  const recipe = layerRecipe(sample)
  const files = await filesOf(recipe, EDITED, writingCodecs)
  const array = new EditableArray(EDITED, files, () => readContext(writingCodecs))
  await recipe.prepare?.(array)
  return array
}

/** What the layer of a dataset says of it; undefined if none is recognised. */
export async function described(array: EditableArray, look?: Look): Promise<LayerDescription | undefined> {
  const part = await wholePart(await openTarget(array.storage(), array.root, contextFor({ key: undefined })))
  return (await recognise(part))?.describe(part, look)
}

/** Facts by name. */
export function factsOf(description: LayerDescription | undefined): Record<string, FactValue> {
  return Object.fromEntries(description?.facts.map(({ name, value }) => [name, value]) ?? [])
}

/** Rows of a table. */
export function tableOf(
  description: LayerDescription | undefined,
  title: string,
): LayerDescription['tables'][number]['rows'] {
  return description?.tables.find((table) => table.title === title)?.rows ?? []
}
