import type { RTree } from '../format/rtree.ts'
import { RTREE_FANOUT } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { Boxes } from './boxes.ts'
import { MEANINGS } from './codes.ts'
import { type Finding, finding, type Items, type Place } from './finding.ts'
import { emptyStringFault, NAN_FAULTS } from './known-faults.ts'

/**
 * Checks the R-tree. Its levels have the right sizes, no box is reversed, and each lies inside its parent. Also compares the
 * boxes with the non-empty domain.
 * @see format_spec/fragment.md, "R-Tree"; tiledb/sm/rtree/rtree.cc
 */
export async function* checkRTree(fragment: Fragment, info: FragmentInfo, file: string): Items {
  const rtree = await fragment.rtree()
  const place: Place = { file, offset: info.footer?.rtree_offset, field: 'rtree' }
  if (info.dense) {
    if (rtree.levels.length > 0) yield finding('RTREE_DENSE', place, 'no level', `${rtree.levels.length} levels`)
    return
  }
  const leaves = rtree.levels.at(-1)
  if (!leaves) {
    if (info.tile_num > 0) yield finding('RTREE_LEVELS', place, `a box for each of ${info.tile_num} tiles`, 'no level')
    return
  }
  if (info.footer) {
    yield* levelSizes(rtree, info.tile_num, place)
    if (rtree.fanout !== RTREE_FANOUT) yield finding('RTREE_FANOUT', place, RTREE_FANOUT, rtree.fanout)
  } else if (leaves.mbr_num !== info.tile_num) {
    yield finding('RTREE_LEVELS', place, `${info.tile_num} boxes`, leaves.mbr_num)
  }
  const { dimensions } = info.schema.domain
  let below: Boxes | undefined
  for (let level = rtree.levels.length - 1; level >= 0; level--) {
    const boxes = new Boxes(rtree.levels[level], dimensions)
    const invalid = boxes.firstInvalid()
    if (invalid) {
      const at = { ...place, field: `rtree.levels.${level}.${invalid.box}.${dimensions[invalid.dimension].name}` }
      yield finding('MBR_INVALID', at, 'a lower end below its upper end', 'the reverse')
      return
    }
    if (!below) yield* cellsInBoxes(info, boxes, place)
    for (const [d, { name }] of dimensions.entries()) {
      const nan = boxes.firstNaN(d)
      const at = { ...place, field: `rtree.levels.${level}.${nan}.${name}` }
      if (nan >= 0) yield finding('MBR_INVALID', at, 'numbers', 'NaN', NAN_FAULTS.box)
    }
    if (below) yield* containment(info, boxes, below, rtree.fanout, level, place)
    else if (info.nonempty_domain) yield* union(info, boxes, Boxes.of(info.nonempty_domain, dimensions), place)
    below = boxes
  }
}

function* levelSizes({ levels, fanout }: RTree, tileNum: number, place: Place): Generator<Finding> {
  if (fanout < 2) {
    yield finding('RTREE_LEVELS', { ...place, field: 'rtree.fanout' }, '2 or more', fanout)
    return
  }
  let expected = tileNum
  for (let level = levels.length - 1; level >= 0; level--) {
    const found = levels[level].mbr_num
    if (found !== expected) {
      const at = { ...place, field: `rtree.levels.${level}` }
      yield finding('RTREE_LEVELS', at, `${expected} boxes`, found)
      return
    }
    if (level > 0) expected = Math.ceil(expected / fanout)
  }
  if (expected > 1) yield finding('RTREE_LEVELS', place, 'one root', `${expected} boxes in the first level`)
}

function* containment(
  info: FragmentInfo,
  parents: Boxes,
  children: Boxes,
  fanout: number,
  level: number,
  place: Place,
): Generator<Finding> {
  let forgottenReported = false
  for (let child = 0; child < children.count; child++) {
    const parent = Math.floor(child / fanout)
    if (parent >= parents.count) return
    for (let d = 0; d < parents.dimensionNum; d++) {
      const inside =
        children.compare(d, 'min', child, parents, 'min', parent) >= 0 &&
        children.compare(d, 'max', child, parents, 'max', parent) <= 0
      // The finding about a box of NaN covers this.
      if (inside || parents.isNaN(d, 'min', parent) || children.isNaN(d, 'min', child)) continue
      const at = { ...place, field: `rtree.levels.${level}.${parent}` }
      const forgotten = children.firstNaN(d, child, (parent + 1) * fanout) >= 0
      if (forgotten && forgottenReported) continue
      const known = forgotten
        ? NAN_FAULTS.union
        : emptyStringFault(info, info.schema.domain.dimensions[d], parents.textStart(d, parent))
      yield finding(
        'RTREE_CONTAINMENT',
        at,
        `a box around box ${child} of the level below`,
        'one that it leaves',
        known,
      )
      if (!forgotten) return
      forgottenReported = true
    }
  }
}

/**
 * Finds boxes that their tiles' cells cannot have: too small for so many cells, or larger than a point with only one cell.
 */
function* cellsInBoxes(info: FragmentInfo, boxes: Boxes, place: Place): Generator<Finding> {
  const { schema, tile_num, cells_per_tile, last_tile_cell_num, footer } = info
  if (boxes.count !== tile_num) return
  const maySame = schema.allows_duplicates || footer?.includes_timestamps === true
  const { dimensions } = schema.domain
  for (let tile = 0; tile < tile_num; tile++) {
    const isLast = tile === tile_num - 1
    const cells = isLast ? last_tile_cell_num : cells_per_tile
    const room = maySame ? Number.POSITIVE_INFINITY : boxes.roomOf(tile, dimensions)
    if (cells === 1 ? boxes.isPoint(tile) : cells <= room) continue
    if (dimensions.some((dimension, d) => emptyStringFault(info, dimension, boxes.textStart(d, tile)))) continue
    const at = { ...place, field: 'rtree', tile }
    const expected = cells === 1 ? 'a box of one point around one cell' : `a box with room for ${cells} cells`
    const found = cells === 1 ? 'a larger one' : `room for ${room}`
    yield finding('MBR_INVALID', at, expected, found, MEANINGS.MBR_INVALID.cells)
    return
  }
}

/** Checks that the non-empty domain is the smallest box around all tiles. */
function* union(info: FragmentInfo, boxes: Boxes, domain: Boxes, place: Place): Generator<Finding> {
  for (const [d, dimension] of info.schema.domain.dimensions.entries()) {
    let least = 0
    let most = 0
    for (let i = 1; i < boxes.count; i++) {
      if (boxes.compare(d, 'min', i, boxes, 'min', least) < 0) least = i
      // A NaN sorts last, and cannot be the end of a box around numbers.
      if (boxes.isNaN(d, 'max', i)) continue
      if (boxes.compare(d, 'max', i, boxes, 'max', most) > 0 || boxes.isNaN(d, 'max', most)) most = i
    }
    if (boxes.count === 0) return
    const anyNaN = boxes.firstNaN(d) >= 0
    // The footer's check reports a domain of NaN.
    if (anyNaN && domain.isNaN(d, 'min', 0)) continue
    const ends = [
      ['lower', least, boxes.compare(d, 'min', least, domain, 'min', 0)],
      ['upper', most, boxes.compare(d, 'max', most, domain, 'max', 0)],
    ] as const
    for (const [end, tile, difference] of ends) {
      if (difference === 0) continue
      const at = { ...place, field: `nonempty_domain.${dimension.name}`, tile }
      const forgotten = anyNaN && (end === 'lower' ? difference < 0 : difference > 0)
      const known = forgotten ? NAN_FAULTS.union : emptyStringFault(info, dimension, domain.textStart(d, 0))
      yield finding('MBR_NONEMPTY_DOMAIN', at, `the ${end} end of the box of tile ${tile}`, 'another', known)
    }
  }
}
