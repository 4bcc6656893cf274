import type { InspectError } from '../../base/errors.ts'
import type { Bounds } from '../../cells/bounds.ts'
import { comparable } from '../../cells/bounds.ts'
import type { OpenedArray } from '../../read/query.ts'
import { cellsOfGrid, fillRaster, LIMITS, newRaster, type Raster, type RasterOptions } from '../raster.ts'
import { cellsInTiles, previewOf } from './preview.ts'

/** Makes a picture step by step: first what statistics tell, then the cells. */

/** Cells from which on a preview comes first. */
const PREVIEWED = 300_000
/** Cells of a sparse array that are read unless the user asks for all. */
const MAX_POINTS = 4_000_000

export interface Steps {
  /** Whether it is time to draw. */
  isDue(): boolean
  /** Whether all cells are read, however many there are. */
  isWhole: boolean
  /** Called with each tile that cannot be read. Without it, the first one is thrown. */
  onFault: ((fault: InspectError) => void) | undefined
}

/** What a drawing yields, and what it returns at its end. Whoever stops before that closes its files. */
export async function* stagesOf<T>(
  drawing: AsyncGenerator<T, T | undefined>,
): AsyncGenerator<{ found: T | undefined; isLast: boolean }> {
  try {
    while (true) {
      const { done = false, value } = await drawing.next()
      yield { found: value, isLast: done }
      if (done) return
    }
  } finally {
    await drawing.return(undefined)
  }
}

/** Yields the picture whenever it is time to draw, and returns the last. Undefined if nothing was written in the ranges. */
export async function* readPicture(
  opened: OpenedArray,
  wanted: RasterOptions,
  steps: Steps,
): AsyncGenerator<Raster, Raster | undefined> {
  const isSparse = opened.schema.array_type === 'sparse'
  const cells = isSparse ? await cellsInTiles(opened, wanted.ranges) : (cellsOfGrid(opened, wanted) ?? 0)
  const found = newRaster(opened, { ...wanted, ...(isSparse && { points: cells }) })
  if (!found) return undefined
  const { raster } = found
  const isTooLarge = !steps.isWhole && cells > (isSparse ? MAX_POINTS : LIMITS.cells)
  const preview = cells > PREVIEWED ? await previewOf(opened, raster, wanted.ranges) : undefined
  if (preview) {
    preview.total = cells
    if (isTooLarge) return preview
    yield preview
  }
  const query = steps.onFault ? { ...found.query, onFault: steps.onFault } : found.query
  for await (const _ of fillRaster(opened, { raster, query }, steps.isDue)) {
    if (isSparse && isTooLarge && raster.read >= MAX_POINTS) {
      raster.kind = 'sample'
      break
    }
    // A part of the cells looks worse than the preview of all.
    if (preview) preview.read = raster.read
    yield preview ?? raster
  }
  return raster
}

/** A fragment, as far as pictures show it. */
export interface PicturedFragment {
  name: string
  /** The part of each dimension that it has; undefined for text. */
  ends: readonly (Bounds | undefined)[]
}

export function picturedFragments({ schema, fragments }: OpenedArray): readonly PicturedFragment[] {
  const { dimensions } = schema.domain
  return fragments.map(({ fragment, info }) => ({
    name: fragment.folder.name,
    ends: dimensions.map(({ type }, d) => {
      const range = info.nonempty_domain?.[d]
      return range && { low: comparable(type, range.min), high: comparable(type, range.max) }
    }),
  }))
}
