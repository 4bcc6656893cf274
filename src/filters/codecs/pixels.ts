import { badValue } from '../../base/errors.ts'
import type { PixelFormat } from '../../format/filter-pipeline.ts'

/** Bytes of a pixel, and the positions of red and blue among them. Green is always byte 1, alpha byte 3. */
export interface PixelLayout {
  depth: 3 | 4
  red: 0 | 2
  blue: 0 | 2
}

const LAYOUTS: Record<Exclude<PixelFormat, 'NONE'>, PixelLayout> = {
  RGB: { depth: 3, red: 0, blue: 2 },
  BGR: { depth: 3, red: 2, blue: 0 },
  RGBA: { depth: 4, red: 0, blue: 2 },
  BGRA: { depth: 4, red: 2, blue: 0 },
}

/** Returns the layout of a pixel format. @throws InspectError BAD_VALUE for NONE, which TileDB cannot read or write either */
export function pixelLayout(format: PixelFormat): PixelLayout {
  if (format !== 'NONE') return LAYOUTS[format]
  throw badValue(
    { expected: `a pixel format (${Object.keys(LAYOUTS).join(', ')})`, found: 'NONE' },
    { field: 'format' },
  )
}

export function hasAlpha(format: PixelFormat): boolean {
  return format !== 'NONE' && LAYOUTS[format].depth === 4
}
