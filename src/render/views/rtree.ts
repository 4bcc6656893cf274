import type { Output, Result } from '../../base/result.ts'
import { type Column, streamTable, table } from '../table.ts'
import { amount, type Document, fieldList, list, text } from './narrow.ts'
import { limitOf, line, ROWS, section, title } from './parts.ts'
import { counted, countText, fieldName, rangeText } from './wording.ts'

/** @param names of the dimensions */
export async function rtreeTable(
  document: Document,
  names: readonly string[],
  dense: boolean,
  full: boolean,
  out: Output,
): Promise<void> {
  const boxes = amount(document.mbr_num)
  const levels = amount(document.level_num)
  const all = counted(boxes, 'box', 'boxes')
  const facts = dense
    ? 'dense: no R-tree'
    : document.fanout === 0
      ? `${all} in a list (no R-tree in this format version)`
      : `R-tree, ${all}, ${counted(levels, 'level')}, fanout ${countText(document.fanout)}`
  await title(document.path, facts, out)
  if (document.tiles !== undefined) {
    const tiles = fieldList(document.tiles)
    await line(`the range touches ${countText(tiles.length)} of ${counted(boxes, 'tile')}`, out)
    if (tiles.length > 0) {
      await boxTable(
        names,
        tiles.map(({ tile, mbr }) => [countText(tile), mbr ?? null] as const),
        tiles.length,
        full,
        out,
      )
    }
    return
  }
  if (levels === 0) return
  const every = Array.from(list(document.levels))
  if (every.length > 1) await levelTable(every, boxes, out)
  if (boxes === 0) return
  await section(`${counted(boxes, 'tile')} (level ${every.length - 1})`, out)
  await boxTable(names, numbered(every[every.length - 1]), boxes, full, out)
}

/** What was drawn, and where. */
export async function svgSummary(document: Document, out: Output): Promise<void> {
  const fragments = fieldList(document.fragments)
  const [x, y] = Array.from(list(document.dimensions), fieldName)
  const what = `${counted(amount(document.box_num), 'box', 'boxes')} of ${counted(fragments.length, 'fragment')}`
  await line(`${text(document.svg)}: ${what}, ${x} across and ${y} up`, out)
  const undrawn = amount(document.undrawn_box_num)
  if (undrawn > 0)
    await line(`left out: ${counted(undrawn, 'box', 'boxes')} with NaN or infinity at an end`, out, 'dim')
  const higher = fragments.filter(({ level }) => level !== null).length
  if (higher > 0)
    await line(
      `too many tiles in ${counted(higher, 'fragment')}: boxes of a higher level (--full draws all)`,
      out,
      'dim',
    )
}

async function levelTable(levels: readonly Result[], leaves: number, out: Output): Promise<void> {
  const last = levels.length - 1
  await table(
    {
      columns: [{ name: 'level' }, { name: 'boxes', align: 'right' }, { name: 'what' }],
      rows: levels.map((level, i) => [
        String(i),
        countText(i === last ? leaves : length(level)),
        i === last ? 'one a tile' : i === 0 ? 'root' : '',
      ]),
    },
    out,
  )
}

function length(values: Result): number {
  let count = 0
  for (const _ of list(values)) count++
  return count
}

function* numbered(boxes: Result): Generator<readonly [string, Result]> {
  let tile = 0
  for (const box of list(boxes)) yield [countText(tile++), box]
}

async function boxTable(
  names: readonly string[],
  boxes: Iterable<readonly [string, Result]>,
  total: number,
  full: boolean,
  out: Output,
): Promise<void> {
  const columns: Column[] = [
    { name: 'tile', align: 'right' },
    ...names.map((name): Column => ({ name: fieldName(name), role: 'number' })),
  ]
  function* rows(): Generator<string[]> {
    for (const [tile, box] of boxes) yield [tile, ...Array.from(list(box), (range) => rangeText(range))]
  }
  const limit = limitOf(full, ROWS, out)
  if (limit === undefined) await streamTable({ columns, rows: rows() }, out)
  else await table({ columns, rows: rows(), limit, total }, out)
}
