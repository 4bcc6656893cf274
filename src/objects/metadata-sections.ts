import { badValue, type InspectError } from '../base/errors.ts'
import { sizeText } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { datatypeSize } from '../format/datatype.ts'
import { GENERIC_TILE_FIXED_BYTES, genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { MIN_MAX_SECTIONS, type SectionName, type SectionPlace, sectionPlaces } from '../format/metadata-sections.ts'
import { ndRangeSize } from '../format/range.ts'
import { RTREE_FANOUT } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from './fragment.ts'
import { GENERIC_TILE_HEADER_BYTES } from './generic-tile.ts'
import { LaidOutInfo } from './laid-out-info.ts'
import { StoredWindow } from './paged-tile.ts'

/** One generic tile of `__fragment_metadata.tdb`. */
export interface MetadataSection extends SectionPlace {
  /** Stored bytes, including the header. */
  size: number
  /** Bytes of the unfiltered content. */
  unfiltered_size: number
  /**
   * Bytes of memory that TileDB needs for the loaded section. For a list this is the unfiltered size. In an R-tree each
   * MBR is an object, whose size is computed from the classes of TileDB 2.30 on 64-bit systems. For 1.25 million boxes
   * of two INT64 dimensions this gives 297 MiB; 286 MiB were measured.
   */
  memory_size: number
}

/**
 * All sections of a fragment's metadata file, in the order of the file. Only the headers of the generic tiles are read, so no
 * key is needed.
 *
 * @throws InspectError BAD_VALUE if a section does not begin before the footer
 */
export async function metadataSections(fragment: Fragment): Promise<MetadataSection[]> {
  const info = await fragment.info()
  const { footer_span } = info
  const places: SectionPlace[] = footer_span
    ? fragmentSectionPlaces(info).sort((a, b) => a.offset - b.offset)
    : [{ name: 'fragment_metadata', key: undefined, slot: undefined, offset: 0 }]
  const source = fragment.metadataSource()
  const end = footer_span ? footer_span.offset : await source.size()
  const sections: MetadataSection[] = []
  // One read often has several headers.
  const window = new StoredWindow({ read: (offset, length) => source.read(offset, length), end, window: 64 * 1024 })
  const sizesAt = async (offset: number): Promise<{ size: number; unfiltered_size: number }> => {
    const bytes = await window.header(offset)
    const { value, length } = decodePrefix(bytes, genericTileHeader, { file: source.name, offset })
    return { size: length + value.persisted_size, unfiltered_size: value.tile_size }
  }
  let next = 0
  for (const place of places) {
    const { name, key, slot, offset } = place
    if (offset >= end) throw behindFooterError(place, end, source.name)
    while ((places[next]?.offset ?? end) <= offset) next++
    const known = fragment.tileSizesSync(offset, places[next]?.offset)
    const { size, unfiltered_size } = known ?? (await sizesAt(offset))
    const memory_size = memorySize(name, unfiltered_size, info)
    sections.push({ name, key, slot, offset, size, unfiltered_size, memory_size })
  }
  return sections
}

/** {@link sectionPlaces} of a fragment. Versions 1 and 2 have none. */
export function fragmentSectionPlaces(info: FragmentInfo): SectionPlace[] {
  if (info instanceof LaidOutInfo) return info.sectionPlaces
  return info.footer ? sectionPlaces(info.footer, info.slots) : []
}

/** Unfiltered bytes of the stored R-tree; 0 in versions 1 and 2, which have none. Only the header of its tile is read. */
export async function rtreeSize(fragment: Fragment): Promise<number> {
  const info = await fragment.info()
  const isLaidOut = info instanceof LaidOutInfo
  if (isLaidOut && info.rtreeBytes !== undefined) return info.rtreeBytes
  const offset = isLaidOut ? info.rtreeOffset : info.footer?.rtree_offset
  const end = info.footer_span?.offset
  if (offset === undefined || end === undefined) return 0
  const known = fragment.tileSizesSync(offset)
  if (known) return known.unfiltered_size
  const source = fragment.metadataSource()
  const room = Math.max(GENERIC_TILE_FIXED_BYTES, end - offset)
  const bytes = await source.read(offset, Math.min(GENERIC_TILE_HEADER_BYTES, room))
  const header = decodePrefix(bytes, genericTileHeader, { file: source.name, offset }).value
  await fragment.learnTile(header)
  return header.tile_size
}

/** Bytes before the values of a list: one count, or two before minima and maxima. */
const COUNT_BYTES = 8
const TWO_COUNTS_BYTES = 16

/** Sizes of TileDB's classes on 64-bit systems: tiledb/type/range/range.h, tiledb/sm/rtree/rtree.h. */
const RANGE_OBJECT = 56
const VECTOR_OBJECT = 32

function memorySize(name: SectionName, tile_size: number, info: FragmentInfo): number {
  if (name === 'rtree') return rtreeMemorySize(tile_size, info)
  if (name === 'fragment_metadata') return tile_size
  return Math.max(0, tile_size - (MIN_MAX_SECTIONS.has(name) ? TWO_COUNTS_BYTES : COUNT_BYTES))
}

function rtreeMemorySize(unfiltered: number, info: FragmentInfo): number {
  if (info.dense) return 0
  const { dimensions } = info.schema.domain
  let mbrs = 0
  for (let level = info.tile_num; level > 0; level = level === 1 ? 0 : Math.ceil(level / RTREE_FANOUT)) mbrs += level
  const ranges = ndRangeSize(dimensions)
  const values =
    ranges === undefined ? unfiltered : mbrs * sum(dimensions, ({ type }) => heapBytes(2 * datatypeSize(type)))
  return mbrs * (VECTOR_OBJECT + heapBytes(dimensions.length * RANGE_OBJECT)) + values
}

/** Bytes that an allocation takes in glibc's heap: 8 bytes more, rounded up to a multiple of 16, at least 32. */
function heapBytes(bytes: number): number {
  return Math.max(32, Math.ceil((bytes + 8) / 16) * 16)
}

/** The error for a section that does not begin before the footer. @param file the metadata file */
export function behindFooterError({ name, offset }: SectionPlace, footer: number, file: string): InspectError {
  return badValue(
    { expected: `a section before the footer at ${footer}`, found: `one at ${sizeText(offset)}` },
    {
      file,
      field: name,
    },
  )
}
