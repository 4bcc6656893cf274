import type { ArraySchema } from '../../format/array-schema.ts'
import type { DatasetPart } from '../part.ts'
import type { AxisRole, LayerImage, PictureAxis } from '../picture.ts'
import { keyText } from '../text.ts'
import { ATTRIBUTE, coordinateNames, isCoordinate } from './variables.ts'

/** What the units of coordinates, or the names of dimensions, say of them. */
const SIGNS: readonly (readonly [RegExp, AxisRole])[] = [
  [/^(?:degrees?_?n(?:orth)?|lat|latitude)$/i, 'latitude'],
  [/^(?:degrees?_?e(?:ast)?|lon|long|longitude)$/i, 'longitude'],
  [/^(?:y|northing|projection_y_coordinate|rlat)$/i, 'y'],
  [/^(?:x|easting|projection_x_coordinate|rlon)$/i, 'x'],
]

/** A picture of each variable that has an axis across and an axis up. */
export async function variablePictures(top: DatasetPart): Promise<LayerImage[]> {
  const pictures: LayerImage[] = []
  for (const part of top.all()) {
    const schema = await part.schema()
    if (!schema || isCoordinate(part, schema)) continue
    const axes = await axesOf(top, part, schema)
    if (!axes) continue
    for (const { name, cell_val_num } of schema.attributes)
      if (cell_val_num === 1)
        pictures.push({ kind: 'image', title: titleOf(part, name), array: part.path, axes, attributes: [name] })
  }
  return pictures
}

function titleOf({ path, names }: DatasetPart, attribute: string): string {
  return path === '' || names.at(-1) === attribute ? path || attribute : `${path} ${attribute}`
}

/** The axis across and the axis up of an array; undefined if one of them is missing. */
async function axesOf(
  top: DatasetPart,
  part: DatasetPart,
  schema: ArraySchema,
): Promise<LayerImage['axes'] | undefined> {
  const axes: PictureAxis[] = []
  for (const { name } of schema.domain.dimensions) {
    const values = await coordinatesOf(top, part, name)
    const role = roleOf(values?.signs ?? []) ?? roleOf([name])
    if (role) axes.push({ dimension: name, role, values: values?.values })
  }
  const find = (...roles: AxisRole[]): PictureAxis | undefined => axes.find(({ role }) => roles.includes(role))
  const [across, up] = [find('longitude', 'x'), find('latitude', 'y')]
  return across && up ? [across, up] : undefined
}

function roleOf(texts: readonly string[]): AxisRole | undefined {
  return SIGNS.find(([sign]) => texts.some((text) => sign.test(text)))?.[1]
}

/** The coordinates of a dimension, and what their metadata says of them. They are an array of this dimension alone, beside the variable or above it. */
async function coordinatesOf(top: DatasetPart, part: DatasetPart, dimension: string) {
  for (let depth = part.names.length - 1; depth >= 0; depth--) {
    const group = top.find(part.names.slice(0, depth))
    for (const name of coordinateNames(dimension)) {
      const found = group?.parts.get(name)
      const schema = await found?.schema()
      const attribute = schema?.attributes[0]?.name
      const [only, ...others] = schema?.domain.dimensions ?? []
      if (!found || attribute === undefined || only?.name !== dimension || others.length > 0) continue
      const texts = await Promise.all(
        ['units', 'standard_name'].map((key) => keyText(found, `${ATTRIBUTE}${attribute}.${key}`)),
      )
      return { values: { array: found.path, attribute }, signs: texts.flatMap((text) => text ?? []) }
    }
  }
  return undefined
}
