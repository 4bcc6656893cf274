import { unlessFault } from '../base/errors.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { levelsFault, RTREE_FANOUT, type RTreeLevel } from '../format/rtree.ts'
import { type FragmentInfo, mayRepeatCoordinates } from '../objects/fragment.ts'
import { blocksOf, type TileList, TileLists } from '../objects/tile-lists.ts'
import type { OpenedFragment } from '../read/query.ts'
import { Boxes, type End } from './boxes.ts'
import { type Finding, type FindingPlace, finding, type Items } from './finding.ts'
import { crowdedBox } from './footer.ts'
import { emptyStringFault } from './known-faults.ts'

/** The levels of an R-tree, the root first. */
type Levels = readonly TileList<RTreeLevel>[]

/**
 * Checks the R-tree: the levels must have the right sizes, no box may be reversed, and each must lie inside its parent. Also
 * compares the boxes with the non-empty domain. Only some of the boxes are in memory at once.
 * @see format_spec/fragment.md, "R-Tree"; tiledb/sm/rtree/rtree.cc
 */
export async function* checkRTree(lists: TileLists, info: FragmentInfo, file: string): Items {
  const { fanout, levels } = await lists.rtree()
  const place: FindingPlace = { file, offset: info.footer?.rtree_offset, field: 'rtree' }
  if (info.dense) {
    if (levels.length > 0) yield finding('RTREE_DENSE', place, 'no level', `${levels.length} levels`)
    return
  }
  const leaves = levels.at(-1)
  if (!leaves) {
    if (info.tile_num > 0) yield finding('RTREE_LEVELS', place, `a box for each of ${info.tile_num} tiles`, 'no level')
    return
  }
  if (info.footer) {
    yield* checkLevelSizes(levels, fanout, info.tile_num, place)
    if (fanout !== RTREE_FANOUT) yield finding('RTREE_FANOUT', place, RTREE_FANOUT, fanout)
  } else if (leaves.count !== info.tile_num) {
    yield finding('RTREE_LEVELS', place, `${info.tile_num} boxes`, leaves.count)
  }
  let below: LevelCheck | undefined
  for (let level = levels.length - 1; level >= 0; level--) {
    const check = new LevelCheck(info, levels, level, fanout, place)
    await check.run()
    if (check.invalid) {
      yield check.invalid.finding
      return
    }
    yield* check.boxFindings()
    if (below) yield* below.outside
    else yield* check.unionFindings()
    below = check
  }
}

function* checkLevelSizes(levels: Levels, fanout: number, tileNum: number, place: FindingPlace): Generator<Finding> {
  const counts = levels.map(({ count }) => count)
  const fault = levelsFault(fanout, counts, tileNum)
  if (!fault) return
  const field = fault.field === '' ? place.field : `${place.field}.${fault.field}`
  yield finding('RTREE_LEVELS', { ...place, field }, fault.expected, fault.found)
}

/**
 * The errors in the sizes of the levels of R-trees, which TileDB looks at whether a read has ranges or not. Trees that cannot be read are
 * left out.
 */
export async function rtreeLevelErrors(
  fragments: Iterable<Pick<OpenedFragment, 'fragment' | 'info'>>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { fragment, info } of fragments) {
    if (info.dense || !info.footer || info.tile_num === 0) continue
    const rtree = await new TileLists(fragment).rtree().catch(unlessFault)
    const place = {
      file: `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`,
      offset: info.footer.rtree_offset,
      field: 'rtree',
    }
    if (rtree) found.push(...checkLevelSizes(rtree.levels, rtree.fanout, info.tile_num, place))
    for (const level of rtree?.levels ?? []) level.release()
    await fragment.close()
  }
  return found
}

/** Number of boxes that are read together, with all boxes below them. */
const PARENTS = 512

/** A box: its place in `boxes`, and its number in its level. */
interface BoxAt {
  boxes: Boxes
  i: number
  box: number
}

/** Reads the boxes of a level once, together with those above them. */
class LevelCheck {
  /** The first reversed box, in the first dimension that has one. */
  invalid: { dimension: number; finding: Finding } | undefined
  /** Boxes that leave their parents. */
  readonly outside: Finding[] = []
  /** The first box that contradicts the number of cells in its tile. */
  private cells: Finding | undefined
  /** The first box of NaN, by dimension. */
  private readonly nans: number[] = []
  /** The boxes with the lowest and the highest end, by dimension. */
  private readonly least: BoxAt[] = []
  private readonly most: BoxAt[] = []
  private forgottenReported = false
  private containmentDone = false
  private readonly info: FragmentInfo
  private readonly levels: Levels
  private readonly level: number
  private readonly fanout: number
  private readonly place: FindingPlace

  constructor(info: FragmentInfo, levels: Levels, level: number, fanout: number, place: FindingPlace) {
    this.info = info
    this.levels = levels
    this.level = level
    this.fanout = fanout
    this.place = place
  }

  async run(): Promise<void> {
    const { levels, level, fanout } = this
    const { dimensions } = this.info.schema.domain
    const isLeaf = level === levels.length - 1
    for await (const { first, entries } of blocksOf(levels[level], 0, PARENTS * fanout)) {
      const boxes = new Boxes(entries, dimensions)
      this.findInvalid(boxes, first)
      this.findNaN(boxes, first)
      if (isLeaf) this.checkCells(boxes, first)
      if (isLeaf && this.info.nonempty_domain) this.findEnds(boxes, first)
      if (level === 0 || this.containmentDone) continue
      const parent = Math.floor(first / fanout)
      const above = await levels[level - 1].block(parent, parent + PARENTS)
      this.checkContainment(boxes, first, new Boxes(above.entries, dimensions), above.first)
    }
    for (const list of levels) list.release()
  }

  /** Findings about single boxes. */
  *boxFindings(): Generator<Finding> {
    if (this.cells) yield this.cells
    for (const [d, { name }] of this.info.schema.domain.dimensions.entries()) {
      const nan = this.nans[d]
      const at = { ...this.place, field: `rtree.levels.${this.level}.${nan}.${name}` }
      if (nan >= 0) yield finding('MBR_INVALID', at, 'numbers', 'NaN', 'nanBox')
    }
  }

  private findInvalid(boxes: Boxes, first: number): void {
    const found = boxes.firstInvalid()
    if (!found || (this.invalid && this.invalid.dimension <= found.dimension)) return
    const { dimension, box } = found
    const { name } = this.info.schema.domain.dimensions[dimension]
    const at = { ...this.place, field: `rtree.levels.${this.level}.${first + box}.${name}` }
    const reversed = finding('MBR_INVALID', at, 'a lower end below its upper end', 'the reverse')
    this.invalid = { dimension, finding: reversed }
  }

  private findNaN(boxes: Boxes, first: number): void {
    for (let d = 0; d < boxes.dimensionNum; d++) {
      if (this.nans[d] >= 0) continue
      const nan = boxes.firstNaN(d)
      this.nans[d] = nan < 0 ? nan : first + nan
    }
  }

  /** Checks that each box lies inside its parent. Stops at the first fault that is not known. */
  private checkContainment(children: Boxes, first: number, parents: Boxes, firstParent: number): void {
    const { info, level, fanout, place } = this
    const parentNum = this.levels[level - 1].count
    for (let i = 0; i < children.count; i++) {
      const child = first + i
      const parent = Math.floor(child / fanout)
      if (parent >= parentNum) return
      const p = parent - firstParent
      for (let d = 0; d < parents.dimensionNum; d++) {
        const inside =
          children.compare(d, 'min', i, parents, 'min', p) >= 0 && children.compare(d, 'max', i, parents, 'max', p) <= 0
        // The finding about a box of NaN covers this.
        if (inside || parents.isNaN(d, 'min', p) || children.isNaN(d, 'min', i)) continue
        const at = { ...place, field: `rtree.levels.${level - 1}.${parent}` }
        const forgotten = children.firstNaN(d, i, (parent + 1) * fanout - first) >= 0
        if (forgotten && this.forgottenReported) continue
        const known = forgotten
          ? 'nanUnion'
          : emptyStringFault(info, info.schema.domain.dimensions[d], parents.textStart(d, p))
        const expected = `a box around box ${child} of the level below`
        this.outside.push(finding('RTREE_CONTAINMENT', at, expected, 'one that it leaves', known))
        if (!forgotten) {
          this.containmentDone = true
          return
        }
        this.forgottenReported = true
      }
    }
  }

  /** Finds a box that is too small for the cells of its tile, or that is larger than a point around a single cell. */
  private checkCells(boxes: Boxes, first: number): void {
    const { info, place } = this
    const { schema, tile_num } = info
    if (this.cells || this.levels[this.level].count !== tile_num) return
    const maySame = mayRepeatCoordinates(info)
    const { dimensions } = schema.domain
    for (let i = 0; i < boxes.count; i++) {
      const tile = first + i
      const cells = tileCellNum(info, tile)
      const room = maySame ? Number.POSITIVE_INFINITY : boxes.roomOf(i, dimensions)
      if (cells === 1 ? boxes.isPoint(i) : cells <= room) continue
      if (dimensions.some((dimension, d) => emptyStringFault(info, dimension, boxes.textStart(d, i)))) continue
      const at = { ...place, field: 'rtree', tile }
      this.cells =
        cells === 1
          ? finding('MBR_INVALID', at, 'a box of one point around one cell', 'a larger one', 'cells')
          : crowdedBox(at, cells, room)
      return
    }
  }

  /** Finds the boxes with the lowest and the highest end along each dimension. */
  private findEnds(boxes: Boxes, first: number): void {
    for (let d = 0; d < boxes.dimensionNum; d++) {
      let least = this.least[d] ?? { boxes, i: 0, box: first }
      let most = this.most[d] ?? least
      for (let i = 0; i < boxes.count; i++) {
        if (boxes.compare(d, 'min', i, least.boxes, 'min', least.i) < 0) least = { boxes, i, box: first + i }
        // NaN sorts last. It cannot be the upper end of a box around numbers.
        if (boxes.isNaN(d, 'max', i)) continue
        if (boxes.compare(d, 'max', i, most.boxes, 'max', most.i) > 0 || most.boxes.isNaN(d, 'max', most.i))
          most = { boxes, i, box: first + i }
      }
      this.least[d] = least
      this.most[d] = most
    }
  }

  /** Checks that the non-empty domain is the smallest box around all tiles. */
  *unionFindings(): Generator<Finding> {
    const { info, place } = this
    const { dimensions } = info.schema.domain
    if (!info.nonempty_domain) return
    const domain = Boxes.of(info.nonempty_domain, dimensions)
    for (const [d, dimension] of dimensions.entries()) {
      // The level has no box.
      if (!this.least[d]) return
      const anyNaN = this.nans[d] >= 0
      // The footer's check reports a domain of NaN.
      if (anyNaN && domain.isNaN(d, 'min', 0)) continue
      const difference = (end: End, { boxes, i }: BoxAt): number => boxes.compare(d, end, i, domain, end, 0)
      const ends = [
        ['lower', this.least[d].box, difference('min', this.least[d])],
        ['upper', this.most[d].box, difference('max', this.most[d])],
      ] as const
      for (const [end, tile, differs] of ends) {
        if (differs === 0) continue
        const at = { ...place, field: `nonempty_domain.${dimension.name}`, tile }
        const forgotten = anyNaN && (end === 'lower' ? differs < 0 : differs > 0)
        const known = forgotten ? 'nanUnion' : emptyStringFault(info, dimension, domain.textStart(d, 0))
        yield finding('MBR_NONEMPTY_DOMAIN', at, `the ${end} end of the box of tile ${tile}`, 'another', known)
      }
    }
  }
}
