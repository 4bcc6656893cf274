import type { Items } from '../../check/finding.ts'
import type { Layer, LayerDescription } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { checkRaster, describeRaster } from './raster.ts'
import { checkVectors, describeVectors } from './vector.ts'

/** GDAL: rasters and vectors with their place on earth. */
export const gdal: Layer = {
  async describe(part: DatasetPart): Promise<LayerDescription> {
    return (await isVector(part)) ? describeVectors(part) : describeRaster(part)
  },
  async *check(part: DatasetPart): Items {
    if (await isVector(part)) yield* checkVectors(part)
    else yield* checkRaster(part)
  },
  lostAs: async (name, group) => (/_\d+$/.test(name) && !(await isVector(group)) ? 'needed' : undefined),
  async words(part, top) {
    if (await isVector(part)) {
      const fields = { _X: 'the middle of the geometry', _Y: 'the middle of the geometry' }
      return { type: 'vector layer', dataset_type: 'vector dataset', cell: 'a feature', fields }
    }
    const type = part !== top && /_[1-9]\d*$/.test(part.names.at(-1) ?? '') ? 'overview' : 'raster'
    const fields = { X: 'the column', Y: 'the row', BANDS: 'the band' }
    return { type, dataset_type: 'raster', cell: 'a pixel', fields }
  },
}

async function isVector(part: DatasetPart): Promise<boolean> {
  return (await part.text('dataset_type')) === 'geometry'
}
