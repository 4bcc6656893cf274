import { InspectError } from '../base/errors.ts'
import { type RangeSets, rowsInside } from '../cells/bounds.ts'
import type { ColumnData } from '../cells/column.ts'
import { tileDatatypes } from '../cells/slot-type.ts'
import { fieldTileFile } from '../cells/tile-places.ts'
import { Pipeline } from '../filters/pipeline.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { ndRangeSize } from '../format/range.ts'
import { type FragmentInfo, filePipeline } from '../objects/fragment.ts'
import { LaidOutInfo } from '../objects/laid-out-info.ts'
import { roomOf } from '../objects/read-context.ts'
import type { Folder } from '../storage/source.ts'
import type { OpenedFragment } from './query.ts'

/** Holds a whole file. Larger files are not read here. */
const buffer = new Uint8Array(2 ** 16)

/** A dimension with ranges, as fragments of one layout store it. */
interface RangedDimension {
  index: number
  /** Those of this dimension alone. */
  ranges: RangeSets
  slot: number
  /** Name of its file. */
  name: string
  cellSize: number
  pipeline: Pipeline
}

/**
 * Finds fragments of one small tile without a cell in the ranges, without waiting. Of a thousand fragments around a point most are of
 * that kind. The footer tells where the tile is, so no other metadata is read. As soon as one dimension excludes all cells, no other one
 * is read. So damage in what is not read is not found here.
 */
export class SmallFragments {
  private readonly ranges: RangeSets
  private readonly prepared = new Map<readonly Slot[], readonly RangedDimension[]>()

  constructor(ranges: RangeSets) {
    this.ranges = ranges
  }

  /** Called with a fragment that was read in the usual way. Prepares for other fragments of its layout. */
  async learn({ fragment, info }: OpenedFragment): Promise<void> {
    if (!isSmall(info) || this.prepared.has(info.slots)) return
    const { slots, format_version } = info
    const dimensions: RangedDimension[] = []
    for (const [index, ranges] of this.ranges) {
      const slot = slots.findIndex((one) => one.kind === 'dimension' && one.index === index)
      const { name } = fieldTileFile(info, slot, 'data')
      const { cellSize } = slots[slot]
      const { key, codecs, encrypted } = fragment.cx
      const types = tileDatatypes(info, slots[slot], 'data')
      const type = { ...types, cellSize, formatVersion: format_version, key, ...roomOf(fragment.cx) }
      const pipeline = await Pipeline.load(filePipeline(info, { slot, role: 'data' }, encrypted), type, codecs)
      dimensions.push({ index, ranges: new Map([[index, ranges]]), slot, name, cellSize, pipeline })
    }
    this.prepared.set(slots, dimensions)
  }

  /** Whether the fragment certainly has no cell in the ranges. False if its coordinates are damaged. */
  hasNoCell({ fragment, info }: OpenedFragment): boolean {
    const dimensions = this.prepared.get(info.slots)
    if (!dimensions || !isSmall(info)) return false
    try {
      return dimensions.some((dimension) => isOutside(fragment.folder, info, dimension))
    } catch (error) {
      if (error instanceof InspectError) return false
      throw error
    }
  }
}

/** Whether all cells of the only tile are outside the ranges of a dimension. @throws InspectError for damage */
function isOutside({ storage, path }: Folder, info: LaidOutInfo, dimension: RangedDimension): boolean {
  const { index, ranges, slot, name, cellSize, pipeline } = dimension
  const size = info.layout.size(info.bytes, 'file_sizes', slot)
  const end = storage.readEnd?.(`${path}/${name}`, buffer)
  if (!end || end.size !== size || end.length !== size) return false
  const cells = info.last_tile_cell_num
  const { data } = pipeline.reverseTile(buffer.subarray(0, size), { expectedSize: cells * cellSize })
  const columns: ColumnData[] = []
  columns[index] = { data, starts: undefined, validity: undefined }
  return rowsInside(info.schema.domain.dimensions, columns, cells, ranges)?.length === 0
}

/** Whether a fragment has a single tile and fixed-sized coordinates. */
function isSmall(info: FragmentInfo): info is LaidOutInfo {
  if (!(info instanceof LaidOutInfo) || info.dense || info.tile_num !== 1) return false
  return ndRangeSize(info.schema.domain.dimensions) !== undefined
}
