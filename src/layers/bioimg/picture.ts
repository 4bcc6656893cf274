import type { ArraySchema } from '../../format/array-schema.ts'
import type { Part } from '../part.ts'
import type { LayerImage } from '../picture.ts'
import { jsonOf, listOf, stringOf } from '../text.ts'
import { depthsOf, levelOf, levelParts } from './image.ts'

/** The names of the axes across and down. */
const [X, Y, CHANNELS] = ['X', 'Y', 'C']
/** The channels that are the colours of a picture. */
const COLOURS = ['RED', 'GREEN', 'BLUE']

/** The smallest level of an image. None if values of a pixel lie side by side in X, which the filter WEBP wants. */
export async function levelPicture(image: Part): Promise<LayerImage[]> {
  const part = levelParts(image).at(-1)
  const schema = await part?.schema()
  const attribute = schema?.attributes[0]?.name
  if (!part || !schema || attribute === undefined) return []
  const names = schema.domain.dimensions.map(({ name }) => name)
  if (!names.includes(X) || !names.includes(Y)) return []
  const depthOf = await depthsOf(image)
  if (depthOf((await levelOf(part)) ?? 0) > 1 && !names.includes(CHANNELS)) return []
  const colours = await coloursOf(image, schema)
  return [
    {
      kind: 'image',
      title: part.path,
      array: part.path,
      axes: [
        { dimension: X, role: 'column' },
        { dimension: Y, role: 'row' },
      ],
      attributes: [attribute],
      channels: names.includes(CHANNELS) ? { dimension: CHANNELS, at: colours ?? [0] } : undefined,
    },
  ]
}

/** The channels with red, green and blue; undefined if the image has others. */
async function coloursOf(image: Part, { domain }: ArraySchema): Promise<number[] | undefined> {
  if (!domain.dimensions.some(({ name }) => name === CHANNELS)) return undefined
  const listed = listOf((await jsonOf(image, 'channels'))?.value).map((one) => stringOf(one)?.toUpperCase())
  const at = COLOURS.map((colour) => listed.indexOf(colour))
  return at.every((one) => one >= 0) ? at : undefined
}
