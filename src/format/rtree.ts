import { concat, startsOf } from '../base/bytes.ts'
import { sizeText } from '../base/sizes.ts'
import { datatypeCoding } from './datatype.ts'
import { type AnyIo, decodePrefix, encode } from './io.ts'
import { fixedSize, type NDRange, ndRange, ndRangeSize, type Range, type RangeType } from './range.ts'

/** Children of a node in R-trees written by TileDB. @see tiledb/sm/misc/constants.cc (rtree_fanout) */
export const RTREE_FANOUT = 10

/**
 * Upper limit on the levels. A level has at most half as many boxes as the level below it, so more levels would need more
 * boxes than fit in a file.
 */
export const MAX_LEVELS = 64

/**
 * MBRs of one level of the R-tree, kept as stored bytes: a fragment can have millions. With string dimensions the MBRs
 * differ in length; then `starts` has the start of each, in bytes.
 */
export type RTreeLevel = ReturnType<ReturnType<typeof rtreeLevel>>
function rtreeLevel(dimensions: readonly RangeType[]) {
  const stride = ndRangeSize(dimensions)
  const mbr = ndRange(dimensions)
  return (io: AnyIo) => {
    const mbr_num = io.derive(
      'mbr_num',
      'uint64',
      (level) => level.mbr_num,
      'MBRs: of the level; the root comes first, the leaves last',
    )
    const about = 'the MBRs of the level; leaf i is that of tile i'
    return { mbr_num, ...io.records('bytes', mbr_num, stride, mbr, about) }
  }
}

/**
 * R-tree of a sparse fragment: bounding boxes of its tiles. `levels[0]` is the root. The last level has one MBR for
 * each tile, in tile order. A level above n boxes has ceil(n / fanout) boxes. Dense fragments have no levels.
 *
 * @see format_spec/fragment.md, "R-Tree"
 */
export type RTree = ReturnType<ReturnType<typeof rtree>>

/** @param version format version of the fragment */
export function rtree(version: number, dimensions: readonly RangeType[]) {
  const level = rtreeLevel(dimensions)
  return (io: AnyIo) => {
    const dim_num = version < 5 ? io.u32('dim_num', 'dimensions') : undefined
    const fanout = io.u32('fanout', 'MBRs below each MBR of the level above: 10')
    const type = version < 5 ? io.coded('type', 'uint8', datatypeCoding, 'type of all dimensions') : undefined
    const levelNum = io.derive('level_num', 'uint32', (r) => r.levels.length, 'levels: 0 in dense fragments')
    io.require(levelNum <= MAX_LEVELS, 'level_num', () => ({
      expected: `at most ${MAX_LEVELS} levels`,
      found: levelNum,
    }))
    return { fanout, dim_num, type, levels: io.list('levels', levelNum, level) }
  }
}

/** Returns one MBR of a level: a {@link Range} for each dimension. */
export function mbrAt(level: RTreeLevel, index: number, dimensions: readonly RangeType[]): NDRange {
  const { bytes, starts, mbr_num } = level
  if (starts) return decodePrefix(bytes.subarray(starts[index]), ndRange(dimensions)).value
  let at = (index * bytes.length) / mbr_num
  return dimensions.map((dimension): Range => {
    const size = fixedSize(dimension) ?? 0
    at += 2 * size
    return { min: bytes.subarray(at - 2 * size, at - size), max: bytes.subarray(at - size, at) }
  })
}

/** Returns the level with one MBR for each tile; undefined in dense fragments. */
export function leafLevel(rtree: RTree): RTreeLevel | undefined {
  return rtree.levels.at(-1)
}

/** What the sizes of levels should be, and are: readers find the boxes below a box by them, and miss tiles where they do not fit. */
export interface LevelsFault {
  expected: string
  found: string
  /** What is wrong, below `rtree`; `''` for the tree as a whole. */
  field: string
}

/** The first contradiction in the sizes of an R-tree's levels. @param counts the boxes of each level, the root first */
export function levelsFault(fanout: number, counts: readonly number[], tileNum: number): LevelsFault | undefined {
  if (counts.length === 0 && tileNum > 0)
    return { field: '', expected: `a box for each of ${tileNum} tiles`, found: 'no level' }
  if (fanout < 2) return { field: 'fanout', expected: '2 or more', found: String(fanout) }
  let expected = tileNum
  for (const [above, found] of counts.toReversed().entries()) {
    if (above > 0) expected = Math.ceil(expected / fanout)
    const field = `levels.${counts.length - 1 - above}`
    if (found !== expected) return { field, expected: `${expected} boxes`, found: sizeText(found) }
  }
  return expected > 1 ? { field: '', expected: 'one root', found: `${expected} boxes in the first level` } : undefined
}

/** Makes a level from its MBRs, for writing. */
export function levelOf(mbrs: readonly NDRange[], dimensions: readonly RangeType[]): RTreeLevel {
  const describe = ndRange(dimensions)
  const parts = mbrs.map((mbr) => encode(mbr, describe))
  const starts = startsOf(parts)
  const isVar = ndRangeSize(dimensions) === undefined
  return { mbr_num: parts.length, bytes: concat(parts), starts: isVar ? starts : undefined }
}
