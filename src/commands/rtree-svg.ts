import { InspectError, usage } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { unknownField } from '../calls/option-values.ts'
import { STDOUT } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { Takes } from '../calls/targets.ts'
import { tileBoxReader } from '../calls/tile-boxes.ts'
import { rangesResult } from '../calls/values.ts'
import { eachFragment } from '../calls/walkers.ts'
import { type Comparable, comparable, compare } from '../cells/bounds.ts'
import type { RtreeSvgDocument } from '../documents/rtree-svg.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import { mbrAt } from '../format/rtree.ts'
import { cellValue, type ValueStyle } from '../format/value.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { Target } from '../objects/target.ts'
import { type SvgAxis, type SvgBox, svgText } from '../render/svg.ts'
import { shortValue } from '../render/units.ts'
import { counted, rangeText } from '../render/views/wording.ts'

/** Largest number of boxes of a fragment. If it has more tiles, the boxes of a higher level of the R-tree are drawn. */
const MAX_BOXES = 20_000
/** Largest number of characters of the text at an end of an axis. */
const END_ROOM = 12

interface DrawnFragment {
  name: string
  /** Level of the boxes in the R-tree; undefined for the boxes of the tiles. */
  level: number | undefined
  /** Number of boxes, including boxes without a place in the picture. */
  box_num: number
  /** The box at an index. */
  boxAt: (index: number) => NDRange | undefined
}

interface DrawnBox {
  fragment: DrawnFragment
  /** Index of the fragment among those that are drawn. */
  group: number
  /** Index of the box in its level. */
  index: number
  range: NDRange
}

/** The fragments to draw: of an array those that readers see. Their dimensions have the same names and order. */
async function drawnFragments(
  cx: CommandContext,
  target: Target,
  taken: Takes,
): Promise<{ fragments: DrawnFragment[]; dimensions: readonly Dimension[] }> {
  const visible =
    target.type === 'array'
      ? new Set((await target.array.fragments()).filter((entry) => entry.isRead).map(({ name }) => name))
      : undefined
  const fragments: DrawnFragment[] = []
  let dimensions: readonly Dimension[] = []
  for await (const fragment of eachFragment(cx, target, 'rtree --svg', taken)) {
    if (visible && !visible.has(fragment.name)) continue
    dimensions = (await fragment.info()).schema.domain.dimensions
    fragments.push(await drawnFragment(fragment, cx.full))
  }
  return { fragments, dimensions }
}

/**
 * Draws the boxes of tiles in two dimensions: of a fragment, or of all visible fragments of an array. Strings are placed by
 * their order.
 *
 * @param names the names of the two dimensions; the first two by default
 * @param taken the targets that can be drawn
 */
export async function svgOutcome(
  cx: CommandContext,
  path: string,
  file: string,
  names: readonly string[] | undefined,
  taken: Takes,
): Promise<Outcome> {
  const { fragments, dimensions } = await drawnFragments(cx, await cx.open(path), taken)
  if (fragments.length === 0) throw new InspectError('NOT_FOUND', 'no fragment to draw', { file: path })
  const [x, y] = chosenDimensions(dimensions, names)
  const [xAxis, yAxis] = [axisOf(dimensions[x], x), axisOf(dimensions[y], y)]
  const hasPlace = ({ range }: DrawnBox): boolean => xAxis.hasPlace(range) && yAxis.hasPlace(range)
  const boxNums = fragments.map(() => 0)
  let undrawn_box_num = 0
  for (const box of boxesOf(fragments)) {
    if (!hasPlace(box)) {
      undrawn_box_num++
      continue
    }
    boxNums[box.group]++
    for (const axis of [xAxis, yAxis]) axis.extend(box.range)
  }
  const box_num = sum(boxNums, (one) => one)
  const title = `${cx.shownPath(path)}: ${counted(box_num, 'box', 'boxes')} of ${counted(fragments.length, 'fragment')}`
  const boxTitle = ({ fragment, index, range }: DrawnBox): string => {
    const what = fragment.level === undefined ? `tile ${index}` : `level ${fragment.level}, box ${index}`
    const pairs = rangesResult(dimensions, range, cx.style)
    const ranges = pairs.map((pair, d) => `${dimensions[d].name} ${rangeText(pair)}`)
    return `${fragment.name}, ${what}: ${ranges.join(', ')}`
  }
  function* boxes(): Generator<SvgBox> {
    for (const box of boxesOf(fragments)) {
      if (!hasPlace(box)) continue
      const { group, range } = box
      yield { group, x: xAxis.place(range), y: yAxis.place(range), title: boxTitle(box) }
    }
  }
  const groups = fragments.map(({ name }) => name)
  const picture = { title, x: xAxis.drawn(cx.style), y: yAxis.drawn(cx.style), groups, boxes: boxes() }
  const pieces = svgText(picture)
  if (file === STDOUT) return { kind: 'bytes', bytes: Array.from(pieces, (piece) => Buffer.from(piece)) }
  await writePieces(pieces, file)
  const document: RtreeSvgDocument = {
    ...documentHead('rtree-svg', cx.shownPath(path)),
    svg: file,
    dimensions: [dimensions[x].name, dimensions[y].name],
    fragments: fragments.map(({ name, level }, i) => ({ name, level: level ?? null, box_num: boxNums[i] })),
    box_num,
    undrawn_box_num,
  }
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/rtree.ts')).svgSummary(document, out),
  }
}

async function writePieces(pieces: Iterable<string>, file: string): Promise<void> {
  const { openFileOutput } = await import('../node/file-output.ts')
  const out = await openFileOutput(file)
  try {
    for (const piece of pieces) await out.write(piece)
    out.commit()
  } finally {
    out.discard()
  }
}

/** The boxes of a fragment's tiles. If there are too many, the boxes of the lowest level of the R-tree that has few enough. */
async function drawnFragment(fragment: Fragment, full: boolean): Promise<DrawnFragment> {
  const info = await fragment.info()
  const { name } = fragment
  if (info.tile_num <= MAX_BOXES || full) {
    return { name, level: undefined, box_num: info.tile_num, boxAt: await tileBoxReader(fragment, info) }
  }
  const { levels } = await fragment.rtree()
  const level = levels.findLastIndex(({ mbr_num }) => mbr_num <= MAX_BOXES)
  if (level < 0) {
    const fault = { expected: `at most ${MAX_BOXES} tiles to draw`, found: `${info.tile_num} (--full draws all)` }
    throw new InspectError('TOO_LARGE', fault, { file: fragment.folder.path })
  }
  const { dimensions } = info.schema.domain
  return { name, level, box_num: levels[level].mbr_num, boxAt: (index) => mbrAt(levels[level], index, dimensions) }
}

function* boxesOf(fragments: readonly DrawnFragment[]): Generator<DrawnBox> {
  for (const [group, fragment] of fragments.entries()) {
    for (let index = 0; index < fragment.box_num; index++) {
      const range = fragment.boxAt(index)
      if (range) yield { fragment, group, index, range }
    }
  }
}

/** The indexes of the dimensions that the picture has across and up. @throws InspectError USAGE */
function chosenDimensions(
  dimensions: readonly Dimension[],
  names: readonly string[] | undefined,
): [x: number, y: number] {
  const all = dimensions.map(({ name }) => name)
  if (names === undefined) return [0, Math.min(1, all.length - 1)]
  const indexes = names.map((name) => {
    const index = all.indexOf(name)
    if (index < 0) throw unknownField('--dimension', name, all)
    return index
  })
  if (indexes.length !== 2) throw usage(`--dimension is given twice or not at all, found ${indexes.length}`)
  const [x, y] = indexes
  return [x, y]
}

/** An end of an axis. */
interface End {
  value: Comparable
  bytes: Uint8Array
}

/** One dimension of the picture. Numbers are placed by value, and text by its rank among the ends of all boxes. */
interface Axis {
  /** Whether a box has a place on the axis: NaN and infinities have none. */
  hasPlace(range: NDRange): boolean
  /** Extends the axis to a box. */
  extend(range: NDRange): void
  /** Where a box begins and ends on the axis. */
  place(range: NDRange): [low: number, high: number]
  /** The axis with its ends, after all boxes extended it. */
  drawn(style: ValueStyle): SvgAxis
}

function axisOf({ name, type, cell_val_num }: Dimension, d: number): Axis {
  const isText = datatypeKind(type) === 'text'
  const ends: Comparable[] = []
  let sorted: Comparable[] | undefined
  let low: End | undefined
  let high: End | undefined
  const rank = (value: Uint8Array): number => {
    sorted ??= ends.sort(compare)
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compare(sorted[middle], value) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
  const position = (value: Comparable): number => (value instanceof Uint8Array ? rank(value) : Number(value))
  const place = (range: NDRange): [low: number, high: number] => {
    const { min, max } = range[d]
    return [position(comparable(type, min)), position(comparable(type, max))]
  }
  return {
    place,
    hasPlace: (range) => isText || place(range).every(Number.isFinite),
    extend(range) {
      const { min, max } = range[d]
      const first: End = { value: comparable(type, min), bytes: min }
      const last: End = { value: comparable(type, max), bytes: max }
      if (isText) ends.push(first.value, last.value)
      if (!low || compare(first.value, low.value) < 0) low = first
      if (!high || compare(last.value, high.value) > 0) high = last
    },
    drawn(style) {
      const text = (end: End | undefined): string =>
        shortValue(end && cellValue(type, cell_val_num, end.bytes, style), END_ROOM)
      return {
        name,
        low: low ? position(low.value) : 0,
        high: high ? position(high.value) : 0,
        lowText: text(low),
        highText: text(high),
      }
    },
  }
}
