import type { Items } from '../../check/finding.ts'
import type { Layer, LayerDescription } from '../layer.ts'
import type { Part } from '../part.ts'
import { checkRaster, describeRaster } from './raster.ts'
import { checkVectors, describeVectors } from './vector.ts'

/** GDAL: rasters and vectors with their place on earth. */
export const gdal: Layer = {
  async describe(part: Part): Promise<LayerDescription> {
    return (await isVector(part)) ? describeVectors(part) : describeRaster(part)
  },
  async *check(part: Part): Items {
    if (await isVector(part)) yield* checkVectors(part)
    else yield* checkRaster(part)
  },
}

async function isVector(part: Part): Promise<boolean> {
  return (await part.text('dataset_type')) === 'geometry'
}
