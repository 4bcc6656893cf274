import { channelsOf } from '../channels.ts'
import type { DatasetPart } from '../part.ts'
import type { LayerImage } from '../picture.ts'
import { jsonList, jsonOf, stringOf } from '../text.ts'
import { depthsOf, levelParts, statedLevel } from './image.ts'

/** Names of the dimensions across and down, and of that of the channels. */
const [X, Y, CHANNELS] = ['X', 'Y', 'C']
/** The channels that are the colours of a picture. */
const COLOURS = ['RED', 'GREEN', 'BLUE']

/** The smallest level of an image. None if values of a pixel lie side by side in X, which the filter WEBP wants. */
export async function levelPicture(image: DatasetPart): Promise<LayerImage[]> {
  const part = levelParts(image).at(-1)
  const schema = await part?.schema()
  const attribute = schema?.attributes[0]?.name
  if (!part || !schema || attribute === undefined) return []
  const names = schema.domain.dimensions.map(({ name }) => name)
  if (!names.includes(X) || !names.includes(Y)) return []
  const depthOf = await depthsOf(image)
  if (depthOf((await statedLevel(part)) ?? 0) > 1 && !names.includes(CHANNELS)) return []
  const channels = schema.domain.dimensions.find(({ name }) => name === CHANNELS)
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
      channels: channels && channelsOf(channels, await coloursOf(image)),
    },
  ]
}

/** The channels with red, green and blue. Empty if the image has others. */
async function coloursOf(image: DatasetPart): Promise<number[]> {
  const listed = jsonList((await jsonOf(image, 'channels'))?.value).map((one) => stringOf(one)?.toUpperCase())
  const at = COLOURS.map((colour) => listed.indexOf(colour))
  return at.every((one) => one >= 0) ? at : []
}
