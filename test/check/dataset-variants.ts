import type { ArraySpec, GroupSpec } from '../layers/parts.ts'
import { climate, field, forest, image, level, line, listed, raster } from '../layers/specs.ts'

/** A raster with an overview. */
const overview = (size: number): GroupSpec => ({
  members: { l_0: raster(32), l_1: raster(size) },
  keys: { ...raster(32).keys },
})

/** Datasets of layers in which a code means something else than usual. */
export const DATASET_VARIANTS: Readonly<Record<string, ArraySpec | GroupSpec>> = {
  'LAYER_METADATA.stray': { ...field, keys: { '__tiledb_attr.gone.units': 'K' } },
  'LAYER_INCOMPLETE.write': forest({ shatter_2: '{"finished":false}' }),
  'LAYER_INCOMPLETE.empty': climate({ lat: line('lat', 4, '0') }),
  'LAYER_MEMBER.unlisted': climate({}, ['lon']),
  'LAYER_SHAPES_DIFFER.dimension': climate({ more: line('lat', 6) }),
  'LAYER_SHAPES_DIFFER.stated': image({ levels: listed([20, 16], [10, 9]) }),
  'LAYER_SHAPES_DIFFER.factor': overview(8),
  'LAYER_SHAPES_DIFFER.levels': image({ levels: listed([20, 16], [30, 8]) }, { 'l_1.tdb': level(30, 8) }),
}
