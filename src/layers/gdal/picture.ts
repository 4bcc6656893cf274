import type { Part } from '../part.ts'
import type { LayerImage, PictureAxis } from '../picture.ts'
import type { Pam } from './pam.ts'

/** Positions in the geotransform of the width and the height of a pixel, in the units of the map. */
const [WIDTH, HEIGHT] = [1, 5]
/** How attributes begin that hold a band each. */
const BAND = 'TDB_VALUES'
const BANDS = 'BANDS'

/**
 * The picture of a raster: its colours if it says which bands they are, else its first band.
 * @param part the array to show @param pam what is said of the raster, whose place on earth all of its sizes share
 * @param size the number of pixels of the image; the array may be larger
 */
export async function rasterPicture(
  part: Part,
  pam: Pam | undefined,
  size: { width: number; height: number } | undefined,
): Promise<LayerImage[]> {
  const schema = await part.schema()
  const names = schema?.domain.dimensions.map(({ name }) => name) ?? []
  if (!schema || !names.includes('X') || !names.includes('Y')) return []
  const transform = pam?.transform ?? []
  const colours = pam?.colours ?? []
  const bands = schema.attributes.map(({ name }) => name).filter((name) => name.startsWith(BAND))
  const hasBands = names.includes(BANDS)
  const wanted = colours.length === 3 ? colours : [1]
  const attributes = hasBands ? bands.slice(0, 1) : wanted.flatMap((band) => bands[band - 1] ?? [])
  if (attributes.length !== (hasBands ? 1 : wanted.length)) return []
  const axes: readonly [PictureAxis, PictureAxis] = [
    { ...axisOf('X', transform[WIDTH], size?.width), role: transform.length > 0 ? 'x' : 'column' },
    { ...axisOf('Y', transform[HEIGHT], size?.height), role: transform.length > 0 ? 'y' : 'row' },
  ]
  const channels = hasBands ? { dimension: BANDS, at: wanted } : undefined
  return [{ kind: 'image', title: part.path, array: part.path, axes, attributes, channels }]
}

/** @param step by how much the place changes from one pixel to the next */
function axisOf(dimension: string, step: number | undefined, length: number | undefined): Omit<PictureAxis, 'role'> {
  return { dimension, falls: step !== undefined && step < 0 ? true : undefined, length }
}
