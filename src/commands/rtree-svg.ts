import { InspectError, usage } from '../base/errors.ts'
import type { RtreeSvgDocument } from '../documents/rtree-svg.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import { mbrAt } from '../format/rtree.ts'
import { cellValue } from '../format/value.ts'
import { type SvgAxis, type SvgBox, svgText } from '../render/svg.ts'
import { shortValue } from '../render/units.ts'
import { rangeText } from '../render/views/wording.ts'
import type { Fragment } from '../store/fragment.ts'
import { type CommandContext, documentHead, eachFragment, type Outcome } from './command.ts'
import { unknownField } from './fields.ts'
import { type Comparable, comparable, compare } from './ranges.ts'
import { tileBoxes } from './tiles.ts'
import { rangesResult } from './values.ts'

/** Most boxes in a picture; beyond this, it shows boxes of a higher level of the R-tree. */
const MOST_BOXES = 20_000
/** Most characters for an end of an axis. */
const END_ROOM = 12

interface DrawnFragment {
  name: string
  /** Level in the R-tree; undefined for the boxes of the tiles. */
  level: number | undefined
  /** Number of boxes, including those without a place in the picture. */
  box_num: number
  at: (index: number) => NDRange | undefined
}

/**
 * Draws the boxes of a target's tiles in two dimensions, for a fragment or for all visible fragments of an array. Strings are
 * placed by their order.
 *
 * @param names of the two dimensions; the first two by default
 */
export async function svgOutcome(
  cx: CommandContext,
  path: string,
  file: string,
  names: readonly string[] | undefined,
): Promise<Outcome> {
  const target = await cx.open(path)
  const visible =
    target.type === 'array'
      ? new Set((await target.array.fragments()).filter((entry) => entry.isRead).map(({ name }) => name))
      : undefined
  const fragments: DrawnFragment[] = []
  let dimensions: readonly Dimension[] = []
  for await (const { fragment } of eachFragment(cx, target, 'rtree --svg', 'a fragment or an array')) {
    if (visible && !visible.has(fragment.name)) continue
    dimensions = (await fragment.info()).schema.domain.dimensions
    fragments.push(await drawn(fragment, cx.full))
  }
  if (fragments.length === 0) throw new InspectError('NOT_FOUND', 'no fragment to draw', { file: path })
  const [x, y] = chosen(dimensions, names)
  const [xAxis, yAxis] = [new Axis(dimensions, x), new Axis(dimensions, y)]
  const hasPlace = ({ range }: DrawnBox): boolean => xAxis.hasPlace(range) && yAxis.hasPlace(range)
  const boxNums = fragments.map(() => 0)
  let undrawn_box_num = 0
  for (const box of boxesOf(fragments)) {
    if (!hasPlace(box)) {
      undrawn_box_num++
      continue
    }
    boxNums[box.group]++
    for (const axis of [xAxis, yAxis]) axis.see(box.range)
  }
  const box_num = boxNums.reduce((sum, one) => sum + one, 0)
  const title = `${cx.shownPath(path)}: ${box_num} boxes of ${fragments.length === 1 ? 'one fragment' : `${fragments.length} fragments`}`
  function* boxes(): Generator<SvgBox> {
    for (const box of boxesOf(fragments)) {
      if (!hasPlace(box)) continue
      const { fragment, index, group, range } = box
      const what = fragment.level === undefined ? `tile ${index}` : `level ${fragment.level}, box ${index}`
      const ranges = rangesResult(dimensions, range, cx.style).map(
        (pair, d) => `${dimensions[d].name} ${rangeText(pair)}`,
      )
      yield {
        group,
        x: xAxis.place(range),
        y: yAxis.place(range),
        title: `${fragment.name}, ${what}: ${ranges.join(', ')}`,
      }
    }
  }
  const groups = fragments.map(({ name }) => name)
  const { openFileOutput } = await import('../node/file-output.ts')
  const out = await openFileOutput(file)
  try {
    for (const piece of svgText({ title, x: xAxis.drawn(cx), y: yAxis.drawn(cx), groups, boxes: boxes() })) {
      await out.write(piece)
    }
    out.commit()
  } finally {
    out.discard()
  }
  const document: RtreeSvgDocument = {
    ...documentHead('rtree-svg', cx.shownPath(path)),
    svg: file,
    dimensions: [dimensions[x].name, dimensions[y].name],
    fragments: fragments.map(({ name, level }, i) => ({ name, level: level ?? null, box_num: boxNums[i] })),
    box_num,
    undrawn_box_num,
  }
  return {
    document,
    table: async (out) => (await import('../render/views/rtree.ts')).svgSummary(document, out),
  }
}

/** The boxes of the tiles. If there are too many, those of the lowest level of the R-tree with few enough. */
async function drawn(fragment: Fragment, full: boolean): Promise<DrawnFragment> {
  const info = await fragment.info()
  const { name } = fragment
  if (info.tile_num <= MOST_BOXES || full) {
    return { name, level: undefined, box_num: info.tile_num, at: await tileBoxes(fragment, info) }
  }
  const { levels } = await fragment.rtree()
  const level = levels.findLastIndex(({ mbr_num }) => mbr_num <= MOST_BOXES)
  if (level < 0) {
    const found = `expected at most ${MOST_BOXES} tiles to draw, found ${info.tile_num} (--full draws all)`
    throw new InspectError('TOO_LARGE', found, { file: fragment.folder.path })
  }
  const { dimensions } = info.schema.domain
  return { name, level, box_num: levels[level].mbr_num, at: (index) => mbrAt(levels[level], index, dimensions) }
}

interface DrawnBox {
  fragment: DrawnFragment
  group: number
  index: number
  range: NDRange
}

function* boxesOf(fragments: readonly DrawnFragment[]): Generator<DrawnBox> {
  for (const [group, fragment] of fragments.entries()) {
    for (let index = 0; index < fragment.box_num; index++) {
      const range = fragment.at(index)
      if (range) yield { fragment, group, index, range }
    }
  }
}

function chosen(dimensions: readonly Dimension[], names: readonly string[] | undefined): [x: number, y: number] {
  const all = dimensions.map(({ name }) => name)
  if (names === undefined) return [0, Math.min(1, all.length - 1)]
  const places = names.map((name) => {
    const at = all.indexOf(name)
    if (at < 0) throw unknownField('--dimension', name, all)
    return at
  })
  const [x, y] = places
  if (places.length !== 2) throw usage(`--dimension is given twice or not at all, found ${places.length}`)
  return [x, y]
}

/** One dimension of the picture. Numbers are placed by value, text by its rank among all ends. */
class Axis {
  private readonly dimension: Dimension
  private readonly d: number
  private readonly isText: boolean
  private readonly ends: Comparable[] = []
  private sorted: Comparable[] | undefined
  private low: { value: Comparable; bytes: Uint8Array } | undefined
  private high: { value: Comparable; bytes: Uint8Array } | undefined

  constructor(dimensions: readonly Dimension[], d: number) {
    this.dimension = dimensions[d]
    this.d = d
    this.isText = datatypeKind(this.dimension.type) === 'text'
  }

  /** Whether the picture can show the range: NaN and infinities have no place. */
  hasPlace(range: NDRange): boolean {
    if (this.isText) return true
    return this.place(range).every(Number.isFinite)
  }

  /** Extends the axis for a box. */
  see(range: NDRange): void {
    const { min, max } = range[this.d]
    const [low, high] = [comparable(this.dimension.type, min), comparable(this.dimension.type, max)]
    if (this.isText) this.ends.push(low, high)
    if (!this.low || compare(low, this.low.value) < 0) this.low = { value: low, bytes: min }
    if (!this.high || compare(high, this.high.value) > 0) this.high = { value: high, bytes: max }
  }

  place(range: NDRange): [low: number, high: number] {
    const { min, max } = range[this.d]
    return [this.number(comparable(this.dimension.type, min)), this.number(comparable(this.dimension.type, max))]
  }

  drawn(cx: CommandContext): SvgAxis {
    const { name, type, cell_val_num } = this.dimension
    const text = (end: { bytes: Uint8Array } | undefined): string =>
      shortValue(end && cellValue(type, cell_val_num, end.bytes, cx.style), END_ROOM)
    return {
      name,
      low: this.low ? this.number(this.low.value) : 0,
      high: this.high ? this.number(this.high.value) : 0,
      lowText: text(this.low),
      highText: text(this.high),
    }
  }

  private number(value: Comparable): number {
    if (!(value instanceof Uint8Array)) return Number(value)
    this.sorted ??= this.ends.sort(compare)
    let [from, to] = [0, this.sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compare(this.sorted[middle], value) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}
