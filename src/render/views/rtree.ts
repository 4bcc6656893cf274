import type { Output } from '../../base/result.ts'
import type { ValueRange } from '../../documents/common.ts'
import type { RtreeDocument } from '../../documents/rtree.ts'
import type { RtreeSvgDocument } from '../../documents/rtree-svg.ts'
import { type Column, type Pair, writeKeyValues, writeTable } from '../table.ts'
import { pad } from '../text-width.ts'
import {
  firstItems,
  fits,
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeLine,
  writeLongTable,
  writeMore,
  writeSection,
  writeTitle,
} from './parts.ts'
import { counted, countText, fieldName, rangeText } from './wording.ts'

type Box = readonly ValueRange[]
type Boxes = Iterable<Box>

/** Shows the levels of an R-tree, and the boxes of the tiles. @param names names of the dimensions */
export async function rtreeTable(
  document: RtreeDocument,
  names: readonly string[],
  dense: boolean,
  out: Output,
): Promise<void> {
  const { path, mbr_num } = document
  await writeTitle(path, dense ? 'dense: no R-tree' : factsText(document), out)
  if ('tiles' in document) {
    const { tiles } = document
    await writeLine(`the range touches ${countText(tiles.length)} of ${counted(mbr_num, 'tile')}`, out)
    const boxes = tiles.map(({ tile, mbr }) => [tile, mbr] as const)
    if (tiles.length > 0) await writeBoxes(names, () => boxes, tiles.length, out)
    return
  }
  const { levels } = document
  const leaf = levels.length - 1
  const columns: Shows<Boxes>[] = [
    { name: 'level', cell: (_, level) => String(level) },
    { name: 'boxes', align: 'right', cell: (boxes, level) => countText(level === leaf ? mbr_num : length(boxes)) },
    { name: 'what', cell: (_, level) => levelText(level, leaf) },
  ]
  if (leaf > 0) await writeTable(shownList(columns, levels), out)
  if (mbr_num === 0) return
  await writeSection(`${counted(mbr_num, 'tile')} (level ${leaf})`, out)
  await writeBoxes(names, () => numbered(levels[leaf]), mbr_num, out)
}

function factsText({ fanout, level_num, mbr_num }: RtreeDocument): string {
  const all = counted(mbr_num, 'box', 'boxes')
  if (fanout === 0) return `${all} in a list (no R-tree in this format version)`
  return `R-tree, ${all}, ${counted(level_num, 'level')}, fanout ${countText(fanout)}`
}

/** Shows what was drawn, and the file. */
export async function svgSummary(document: RtreeSvgDocument, out: Output): Promise<void> {
  const { svg, fragments, box_num, undrawn_box_num } = document
  const [x, y] = document.dimensions.map(fieldName)
  const what = `${counted(box_num, 'box', 'boxes')} of ${counted(fragments.length, 'fragment')}`
  await writeLine(`${svg}: ${what}, ${x} across and ${y} up`, out)
  if (undrawn_box_num > 0)
    await writeLine(`left out: ${counted(undrawn_box_num, 'box', 'boxes')} with NaN or infinity at an end`, out, 'dim')
  const higher = fragments.filter(({ level }) => level !== null).length
  if (higher > 0)
    await writeLine(
      `too many tiles in ${counted(higher, 'fragment')}: boxes of a higher level (--full draws all)`,
      out,
      'dim',
    )
}

function length(boxes: Boxes): number {
  let count = 0
  for (const _ of boxes) count++
  return count
}

function* numbered(boxes: Boxes): Generator<readonly [number, Box]> {
  let tile = 0
  for (const box of boxes) yield [tile++, box]
}

function levelText(level: number, leaf: number): string {
  if (level === leaf) return 'one a tile'
  return level === 0 ? 'root' : ''
}

/** Shows the boxes of tiles. If the terminal is too narrow for a column for each dimension, each dimension has a line. */
async function writeBoxes(
  names: readonly string[],
  boxes: () => Iterable<readonly [number, Box]>,
  total: number,
  out: Output,
): Promise<void> {
  const columns: Column[] = [
    { name: 'tile', align: 'right' },
    ...names.map((name): Column => ({ name: fieldName(name), role: 'number', whole: true })),
  ]
  function* rows(): Generator<string[]> {
    for (const [tile, box] of boxes()) yield [countText(tile), ...box.map((range) => rangeText(range))]
  }
  const limit = limitOf(ROWS, out)
  if (fits(columns, await firstItems(rows(), ROWS), out)) {
    await writeLongTable({ columns, rows: rows() }, limit, total, out)
    return
  }
  const width = countText(total).length
  let shown = 0
  for (const [tile, box] of boxes()) {
    if (shown === limit) break
    const number = pad(countText(tile), width, 'right')
    await writeKeyValues(
      box.map((range, d): Pair => [d === 0 ? number : '', `${fieldName(names[d])} ${rangeText(range)}`]),
      out,
    )
    shown++
  }
  await writeMore(total - shown, out)
}
