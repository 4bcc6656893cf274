import { badValue } from '../base/errors.ts'
import { partLengthsMetadata } from '../format/chunk-metadata.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { ImageCodec } from './codecs/codecs.ts'
import { hasAlpha, pixelLayout } from './codecs/pixels.ts'
import { webpSize } from './codecs/webp-header.ts'
import type { FilterDefinition, FilteredField } from './filter.ts'
import { type PartTransform, partFilter } from './part-filter.ts'

/** Quality that the APIs store by default. */
const DEFAULT_QUALITY = 100

/**
 * WEBP: stores each tile of UINT8 values as one picture. Dimension 0 counts its rows (`y_extent`). Dimension 1 counts the
 * values of a row (`x_extent`, a multiple of the bytes of a pixel).
 *
 *     metadata  u32 parts, per part u32 bytes of its file; earlier metadata
 *     data      per part a WebP file
 *
 * Lossless writing keeps the colours of fully transparent pixels. TileDB's writer clears them.
 *
 * @see format_spec/filters/webp.md
 */
export const webp: FilterDefinition = {
  since: 17,
  outputType: undefined,
  suits: undefined,
  needsWholeTile: true,
  // A picture of one colour takes a header of 20 bytes, and nothing for its pixels of up to 4 bytes.
  mostUndone: (stored) => ((MAX_PIXELS + 1) ** 2 * 4 * stored) / 20,
  // libwebp holds the picture twice with 4 bytes a pixel, and gives a copy of it. Measured: 5 times the tile, others 3 at most.
  undoneTimes: 2,
  loss({ lossless, format }) {
    if (!lossless) return 'digits'
    return format !== undefined && hasAlpha(format) ? 'hidden colours' : undefined
  },
  metadata: () => partLengthsMetadata,
  optionRefusal: ({ name, quality }) =>
    quality !== undefined && !(quality >= 0 && quality <= 100)
      ? `${name} needs a quality from 0 to 100, found ${quality}`
      : undefined,
  typeRefusal,
  writingRefusal: typeRefusal,
  load: async (codecs) => partFilter(pictures(await codecs.webp())),
}

/** Upper limit on the width and on the height of a picture, in pixels. */
const MAX_PIXELS = 16_383

function typeRefusal(type: Datatype, { name, format }: FilterConfig, field: FilteredField): string | undefined {
  if (type !== 'UINT8' || field.cell_val_num !== 1) return `${name} accepts single UINT8 values only`
  const { picture } = field
  if (!picture) return `${name} needs a dense array of two dimensions of one type`
  const depth = format !== undefined && hasAlpha(format) ? 4 : 3
  if (picture.width % depth !== 0)
    return `${name} needs tiles of whole ${format} pixels: ${depth} values each, found ${picture.width} in a row`
  if (picture.width / depth > MAX_PIXELS || picture.height > MAX_PIXELS)
    return `${name} takes at most ${MAX_PIXELS} pixels a side`
  return undefined
}

function pictures(codec: ImageCodec): PartTransform {
  return {
    forward(part, config, cx) {
      if (cx.datatype !== 'UINT8') throw badValue({ expected: 'UINT8 values', found: cx.datatype })
      const { format = 'NONE' } = config
      const { depth } = pixelLayout(format)
      const { x_extent: stride = 0, y_extent: height = 0, quality = DEFAULT_QUALITY, lossless = false } = config
      if (stride % depth !== 0 || stride * height === 0) {
        throw badValue({
          expected: `rows of whole ${format} pixels`,
          found: `tiles of ${height} rows of ${stride} values`,
        })
      }
      if (part.length !== stride * height) {
        throw badValue({ expected: `${stride * height} bytes (one picture)`, found: part.length })
      }
      return codec.encode(part, stride / depth, height, { format, quality, lossless })
    },
    outputLength(file, { format = 'NONE' }) {
      const { width, height } = webpSize(file)
      return width * height * pixelLayout(format).depth
    },
    reverse: (file, { format = 'NONE' }) => codec.decode(file, format).pixels,
  }
}
