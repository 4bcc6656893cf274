import { InspectError } from '../base/errors.ts'
import { type RangeSets, rowsInside } from '../cells/bounds.ts'
import type { ColumnData } from '../cells/column.ts'
import { tileDatatypes } from '../cells/slot-type.ts'
import { fieldTileFile } from '../cells/tile-places.ts'
import { sameBytes } from '../filters/bytes.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { FOOTER_LENGTH_BYTES, FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { encode } from '../format/io.ts'
import { ndRangeSize } from '../format/range.ts'
import { RTREE_FANOUT, rtree } from '../format/rtree.ts'
import { tileOffsets } from '../format/tile-offsets.ts'
import type { Folder } from '../source/source.ts'
import { AlikeTiles } from '../store/alike-tiles.ts'
import { type FragmentInfo, filePipeline } from '../store/fragment.ts'
import { LaidOutInfo } from '../store/laid-out-info.ts'
import type { OpenedFragment } from './query.ts'

/** Largest file of metadata and of coordinates that is read here. */
const SMALL = 2 ** 16
const metadata = new Uint8Array(SMALL)

/** From version 23 on footers have more sections, whose offsets are not in the layout. */
const NEWEST = 22

/** The list of the offset of one tile. */
const FIRST_OFFSET = encode({ values: new Float64Array(1) }, tileOffsets)

/** What fragments of the same layout have in common. */
interface Prepared {
  /** By dimension. */
  files: readonly { slot: number; name: string; cellSize: number; pipeline: Pipeline; room: Uint8Array }[]
  /** The R-tree, but for the box of the only tile at its end. */
  tree: Uint8Array
}

/**
 * Finds fragments of one small tile that have no cell in the ranges, without waiting: of a thousand fragments around a point, most
 * are of that kind. What is read of each, and checked, is the same as by {@link import('./source.ts').Source}.
 */
export class SmallFragments {
  private readonly ranges: RangeSets
  private readonly prepared = new Map<readonly Slot[], Prepared>()
  private readonly tiles: AlikeTiles
  /** {@link FIRST_OFFSET} as it was stored in a fragment, and so in nearly all. */
  private storedOffset: Uint8Array = FIRST_OFFSET

  constructor(cx: AlikeTiles['cx'], ranges: RangeSets) {
    this.ranges = ranges
    this.tiles = new AlikeTiles(cx)
  }

  /** Called with a fragment that was read in the usual way, so that others are known to be like it. */
  async learn({ fragment, info }: OpenedFragment): Promise<void> {
    if (!isSmall(info) || this.prepared.has(info.slots)) return
    const { schema, slots, format_version } = info
    const { dimensions } = schema.domain
    const files: Prepared['files'][number][] = []
    for (const d of dimensions.keys()) {
      const slot = slots.findIndex(({ kind, index }) => kind === 'dimension' && index === d)
      const { name } = fieldTileFile(info, slot, 'data')
      const { cellSize } = slots[slot]
      const { key, maxTileSize, codecs, encrypted } = fragment.cx
      const types = tileDatatypes(info, slots[slot], 'data')
      const type = { ...types, cellSize, formatVersion: format_version, key, maxTileSize }
      const pipeline = await Pipeline.load(filePipeline(info, { slot, role: 'data' }, encrypted), type, codecs)
      files.push({ slot, name, cellSize, pipeline, room: new Uint8Array(SMALL) })
    }
    const box = { mbr_num: 1, bytes: new Uint8Array(ndRangeSize(dimensions) ?? 0), starts: undefined }
    const tree = { dim_num: undefined, fanout: RTREE_FANOUT, type: undefined, levels: [box] }
    const prefix = encode(tree, rtree(format_version, dimensions))
    await this.tiles.learn(await fragment.storedRtree(), { file: fragment.metadataSource().name, offset: 0 })
    this.prepared.set(slots, { files, tree: prefix.subarray(0, prefix.length - box.bytes.length) })
  }

  /** Whether it is sure that the fragment has no cell in the ranges. Of a damaged fragment nothing is sure. */
  hasNoCell({ fragment, info }: OpenedFragment): boolean {
    const { storage, path } = fragment.folder
    const prepared = this.prepared.get(info.slots)
    if (!prepared || !isSmall(info)) return false
    const size = info.place.offset + info.bytes.length + FOOTER_LENGTH_BYTES
    const end = storage.readEnd?.(`${path}/${FRAGMENT_METADATA_FILE}`, metadata)
    if (end?.length !== size || end.size !== size) return false
    try {
      return this.hasUsualSections(info, prepared) && this.isOutside(fragment.folder, info, prepared)
    } catch (error) {
      if (error instanceof InspectError) return false
      throw error
    }
  }

  /** Whether the R-tree has the non-empty domain as its only box, and the tile begins where its files do. */
  private hasUsualSections({ layout, bytes, place }: LaidOutInfo, { tree, files }: Prepared): boolean {
    const offsets = layout.sectionOffsets(bytes)
    const section = (name: 'rtree_offset' | 'tile_offsets_offsets', slot?: number): Uint8Array => {
      const start = layout.size(bytes, name, slot)
      return metadata.subarray(start, nextAbove(offsets, start, place.offset))
    }
    const stored = this.tiles.contentNow(section('rtree_offset'))
    const box = layout.domainBytes(bytes)
    if (stored?.length !== tree.length + box.length) return false
    for (let i = 0; i < stored.length; i++)
      if (stored[i] !== (i < tree.length ? tree[i] : box[i - tree.length])) return false
    return files.every(({ slot }) => this.isFirstOffset(section('tile_offsets_offsets', slot)))
  }

  private isFirstOffset(stored: Uint8Array): boolean {
    if (startsWith(stored, this.storedOffset)) return true
    const content = this.tiles.contentNow(stored)
    if (!content || !sameBytes(content, FIRST_OFFSET)) return false
    this.storedOffset = stored.slice()
    return true
  }

  private isOutside({ storage, path }: Folder, info: LaidOutInfo, { files }: Prepared): boolean {
    const { schema, last_tile_cell_num: cells } = info
    const columns: ColumnData[] = []
    for (const { slot, name, cellSize, pipeline, room } of files) {
      const size = info.layout.size(info.bytes, 'file_sizes', slot)
      const end = storage.readEnd?.(`${path}/${name}`, room)
      if (!end || end.size !== size || end.length !== size) return false
      const { data } = pipeline.reverseTile(room.subarray(0, size), { expectedSize: cells * cellSize })
      columns.push({ data, starts: undefined, validity: undefined })
    }
    return rowsInside(schema.domain.dimensions, columns, cells, this.ranges)?.length === 0
  }
}

/** Whether a fragment has one tile, and coordinates of fixed size. */
function isSmall(info: FragmentInfo): info is LaidOutInfo {
  if (!(info instanceof LaidOutInfo) || info.dense || info.tile_num !== 1) return false
  return info.format_version <= NEWEST && ndRangeSize(info.schema.domain.dimensions) !== undefined
}

/** The lowest of the offsets that is above `offset` and below `end`; otherwise `end`. */
function nextAbove(offsets: Float64Array, offset: number, end: number): number {
  let next = end
  for (let i = 0; i < offsets.length; i++) {
    const start = offsets[i]
    if (start > offset && start < next) next = start
  }
  return next
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  for (let i = 0; i < beginning.length; i++) if (bytes[i] !== beginning[i]) return false
  return true
}
