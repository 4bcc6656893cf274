import type { ArraySchema } from '../../format/array-schema.ts'
import { channelsOf } from '../channels.ts'
import { lengthOf } from '../lengths.ts'
import type { DatasetPart } from '../part.ts'
import type { LayerImage, PictureAxis } from '../picture.ts'
import type { Pam } from './pam.ts'

/**
 * Positions in the geotransform of the width and the height of a pixel, in the units of the map, and of how far a row is from the one
 * above it to the east, and a column from the one before it to the north.
 */
const [WIDTH, ROW_EAST, COLUMN_NORTH, HEIGHT] = [1, 2, 4, 5]
/** How attributes begin that hold a band each. */
const BAND = 'TDB_VALUES'
const BANDS = 'BANDS'

/**
 * The picture of a raster: its colours if it says which bands they are and has them, else its first band.
 * @param part the array to show @param pam what is said of the raster, whose place on earth all of its sizes share
 * @param size the number of pixels of the image; the array may be larger
 */
export async function rasterPicture(
  part: DatasetPart,
  pam: Pam | undefined,
  size: { width: number; height: number } | undefined,
): Promise<LayerImage[]> {
  const schema = await part.schema()
  const names = schema?.domain.dimensions.map(({ name }) => name) ?? []
  if (!schema || !names.includes('X') || !names.includes('Y')) return []
  const transform = mapOf(pam?.transform ?? [])
  const colours = pam?.colours.length === 3 ? pam.colours : []
  const bands = schema.attributes.map(({ name }) => name).filter((name) => name.startsWith(BAND))
  const dimension = schema.domain.dimensions.find(({ name }) => name === BANDS)
  const coloured = dimension ? [] : colours.flatMap((band) => bands[band - 1] ?? [])
  const attributes = coloured.length === 3 ? coloured : bands.slice(0, 1)
  if (attributes.length === 0) return []
  const axes: readonly [PictureAxis, PictureAxis] = [
    { ...axisOf(schema, 'X', transform?.[WIDTH], size?.width), role: transform ? 'x' : 'column' },
    { ...axisOf(schema, 'Y', transform?.[HEIGHT], size?.height), role: transform ? 'y' : 'row' },
  ]
  const channels = channelsOf(dimension, colours)
  return [{ kind: 'image', title: part.path, array: part.path, axes, attributes, channels }]
}

/** The geotransform if columns run more to the east or west than to the north or south, and rows do not. Undefined if no map tells. */
function mapOf(transform: readonly number[]): readonly number[] | undefined {
  const size = (place: number): number => Math.abs(transform[place] ?? 0)
  return size(WIDTH) > size(ROW_EAST) && size(HEIGHT) > size(COLUMN_NORTH) ? transform : undefined
}

/**
 * @param step by how much the place changes from one pixel to the next
 * @param length as the metadata says; left out if the array has no room for it
 */
function axisOf(
  schema: ArraySchema,
  dimension: string,
  step: number | undefined,
  length = 0,
): Omit<PictureAxis, 'role'> {
  const isThere = length > 0 && length <= (lengthOf(schema, dimension) ?? 0n)
  return { dimension, falls: step !== undefined && step < 0 ? true : undefined, length: isThere ? length : undefined }
}
