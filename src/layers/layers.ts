import type { Layer, LayerName } from './layer.ts'
import type { Part } from './part.ts'

/** How a layer is recognised, and where its own code is. */
interface LayerRow {
  /** Whether a group, an array or a folder is one of the layer's. It reads the key-value metadata of the part, and no more. */
  recognises(part: Part): boolean | Promise<boolean>
  load(): Promise<Layer>
}

/**
 * The layers, in the order in which they are asked.
 * @see the specification of each, in its folder
 */
export const LAYERS: Readonly<Record<LayerName, LayerRow>> = {
  soma: {
    recognises: async (part) => (await part.metadata()).has('soma_object_type'),
    load: async () => (await import('./soma/soma.ts')).soma,
  },
}

/** The layer that a part belongs to. Undefined if none is known. */
export async function recognise(part: Part): Promise<Layer | undefined> {
  for (const { recognises, load } of Object.values(LAYERS)) if (await recognises(part)) return load()
  return undefined
}
