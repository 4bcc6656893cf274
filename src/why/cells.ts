import { unlessFault } from '../base/errors.ts'
import { CountedBytes } from '../base/memory.ts'
import { lastPathPart } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import type { ColumnData } from '../cells/column.ts'
import { columnValue } from '../cells/rows.ts'
import type { InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import { vacuumLists } from '../objects/visibility.ts'
import { domainCells } from '../read/domain-cells.ts'
import { fillCell } from '../read/fill.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, readColumns } from '../read/query.ts'
import { defaultOrder, readMerged } from '../read/read.ts'
import { type ReaderView, stampsIn } from './views.ts'

/** Numbers of cells that differ between two openings. */
export interface CellDifference {
  /** Cells that only the first returns. */
  cells_lost: number
  /** Cells that only the second returns. */
  cells_added: number
  /** Cells with other values. */
  cells_changed: number
  certainty: 'exact' | 'at most'
}

/** Limit on the cells that are read of one opening to count those that differ. */
const MAX_READ = 20_000
/** Limits for all openings together. So counting takes about as long as listing the array. */
const MAX_READ_IN_ALL = 80_000
const MAX_OPENED_IN_ALL = 200

/** Compares the cells of an array with those of the same array without something: reads them, or bounds how many differ. */
export class CellCounter {
  private readonly array: InspectArray
  private readonly less: InspectArray
  private readonly mostRead: number
  /** Numbers of cells, by the path of the fragment. */
  private readonly known = new Map<string, number>()
  private cellsLeft = MAX_READ_IN_ALL
  private fragmentsLeft = MAX_OPENED_IN_ALL

  /** @param mostRead limit on the cells that are read of one opening */
  constructor(array: InspectArray, less: InspectArray, mostRead = MAX_READ) {
    this.mostRead = mostRead
    this.array = array
    this.less = less
  }

  /** The difference between two openings: exact for small arrays, otherwise a bound from the metadata. */
  async difference(before: ReaderView, after: ReaderView): Promise<CellDifference> {
    const opened = before.fragments.length + after.fragments.length
    if (opened <= this.fragmentsLeft) {
      const cells = Math.max(await this.cellNum(before.fragments), await this.cellNum(after.fragments))
      if (cells <= this.mostRead && 2 * cells <= this.cellsLeft) {
        this.fragmentsLeft -= opened
        this.cellsLeft -= 2 * cells
        const counted = await this.counted(before, after).catch(unlessFault)
        if (counted) return counted
      }
    }
    return this.bound(before, after)
  }

  private async counted(before: ReaderView, after: ReaderView): Promise<CellDifference> {
    const openings: OpenedArray[] = []
    try {
      for (const [array, { between }] of [[this.array, before] as const, [this.less, after] as const])
        openings.push(await openAt(array, { from: between[0], to: between[1] }))
      return await countedDifference(openings[0], openings[1])
    } finally {
      for (const { fragments } of openings) for (const { fragment } of fragments) await fragment.close()
    }
  }

  /**
   * An upper bound on the cells that differ. Without a fragment, older cells at the same coordinates show. Without a delete condition,
   * all cells that it may delete show.
   */
  private async bound(before: ReaderView, after: ReaderView): Promise<CellDifference> {
    const [was, is] = [new Set(before.fragments), new Set(after.fragments)]
    const gone = await this.cellNum(before.fragments.filter((path) => !is.has(path)))
    const come = await this.cellNum(after.fragments.filter((path) => !was.has(path)))
    const freed = before.deletes.length > after.deletes.length ? await this.cellNum(after.fragments) : 0
    const { schema } = await this.array.at({ from: before.between[0], now: before.between[1] }).newestSchema()
    const certainty = 'at most'
    if (schema.array_type === 'dense') {
      if (await this.showsTheSame(before, after))
        return { cells_lost: 0, cells_added: 0, cells_changed: 0, certainty: 'exact' }
      return {
        cells_lost: 0,
        cells_added: 0,
        cells_changed: Math.min(gone + come, Number(domainCells(schema))),
        certainty,
      }
    }
    if (schema.allows_duplicates) return { cells_lost: gone, cells_added: come + freed, cells_changed: 0, certainty }
    const hidden = before.deletes.length > 0 ? gone : 0
    return { cells_lost: gone, cells_added: come + freed + hidden, cells_changed: gone + come, certainty }
  }

  /**
   * Whether a dense array without some vacuum lists shows the same cells. It does if all fragments of such a list are read again beside
   * the one that replaced them, and no other fragment begins between them: they hold the same cells as that one.
   */
  private async showsTheSame(before: ReaderView, after: ReaderView): Promise<boolean> {
    const [was, is] = [new Set(before.fragments), new Set(after.fragments)]
    const [from, now] = before.between
    const kept = new Set((await this.less.commits()).files.map(({ path }) => path))
    const back = new Set<string>()
    for (const { file, name, timestamp_range, hides } of vacuumLists(
      (await this.array.commits()).files,
      { from, now },
      false,
    )) {
      if (kept.has(file)) continue
      const one = after.fragments.find((path) => lastPathPart(path) === name)
      if (one === undefined || timestamp_range === undefined || !hides.every((path) => is.has(path))) return false
      const [first, last] = timestamp_range
      const isBetween = (path: string): boolean => {
        const begin = stampsIn(lastPathPart(path))[0]
        return begin === undefined || (begin >= first && begin <= last)
      }
      if (!hides.every(isBetween)) return false
      if (after.fragments.some((path) => path !== one && !hides.includes(path) && isBetween(path))) return false
      for (const path of hides) back.add(path)
    }
    return (
      before.fragments.every((path) => is.has(path)) && after.fragments.every((path) => was.has(path) || back.has(path))
    )
  }

  private cellNum(paths: readonly string[]): Promise<number> {
    return cellNum(this.array, paths, this.known)
  }
}

/**
 * Number of cells of some fragments, from their metadata. A fragment that cannot be read counts none.
 * @param known numbers that are known already, by path; the others are added
 */
export async function cellNum(
  array: InspectArray,
  paths: readonly string[],
  known = new Map<string, number>(),
): Promise<number> {
  let sum = 0
  for (const path of paths) {
    let cells = known.get(path)
    if (cells === undefined) {
      const info = await array.withFragment(path, (fragment) => fragment.info().catch(unlessFault))
      cells = info ? Number(cellsInDomain(info)) : 0
      known.set(path, cells)
    }
    sum += cells
  }
  return sum
}

/** Numbers of equal cells, by their coordinates and then their values, both as text. */
type CellCounts = Map<string, Map<string, number>>

async function countedDifference(before: OpenedArray, after: OpenedArray): Promise<CellDifference> {
  const room = new CountedBytes(before.array.cx.memory, 'texts of cells')
  const [was, is] = [await cellsOf(before, room), await cellsOf(after, room)]
  const { schema } = before
  const fill = schema.array_type === 'dense' ? fillOf(before) : undefined
  const found: CellDifference = { cells_lost: 0, cells_added: 0, cells_changed: 0, certainty: 'exact' }
  for (const at of new Set([...was.keys(), ...is.keys()])) {
    const [a, b] = [was.get(at) ?? filled(fill), is.get(at) ?? filled(fill)]
    const [lost, added] = [surplus(a, b), surplus(b, a)]
    // A dense array has one cell at every coordinate, so it loses none.
    const changed = fill === undefined && schema.allows_duplicates ? 0 : Math.min(lost, added)
    found.cells_lost += lost - changed
    found.cells_added += added - changed
    found.cells_changed += changed
  }
  return found
}

function filled(fill: string | undefined): ReadonlyMap<string, number> {
  return new Map(fill === undefined ? [] : [[fill, 1]])
}

/** How many of `a` are not in `b`. */
function surplus(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [text, count] of a) sum += Math.max(0, count - (b.get(text) ?? 0))
  return sum
}

const STYLE = { raw: true }

/** Bytes of a cell's entries in the maps, beside its text. */
const CELL_BYTES = 512

/** How often memory holds a value while its text is made: in pieces, and as a text with a number for each byte. */
const TIMES_OF_TEXT = 16

/** @throws InspectError TOO_LARGE if memory has no room for the texts */
async function cellsOf(opened: OpenedArray, room: CountedBytes): Promise<CellCounts> {
  const query = { order: defaultOrder(opened), ranges: new Map() }
  const columns = readColumns(opened.schema, query)
  const values = columns.map((column) => columnValue(column, STYLE))
  const dimensions = opened.schema.domain.dimensions.length
  const found: CellCounts = new Map()
  for await (const batch of readMerged(opened, query)) {
    const count = batch.rows?.length ?? batch.cell_num
    for (let i = 0; i < count; i++) {
      const row = batch.rows ? batch.rows[i] : i
      const cell = values.map((value, c) => value(batch.columns[c] as ColumnData, row))
      room.add(CELL_BYTES + TIMES_OF_TEXT * sum(cell, lengthOf), opened.array.folder.path)
      const [at, rest] = [textOf(cell.slice(0, dimensions)), textOf(cell.slice(dimensions))]
      const same = found.get(at) ?? new Map<string, number>()
      found.set(at, same.set(rest, (same.get(rest) ?? 0) + 1))
    }
  }
  return found
}

function fillOf({ schema }: OpenedArray): string {
  const columns = readColumns(schema, { order: 'row-major', ranges: new Map() }).slice(schema.domain.dimensions.length)
  return textOf(columns.map((column) => columnValue(column, STYLE)(fillCell(schema, column), 0)))
}

/** Length of a value that is a text or a list. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array || Array.isArray(value) ? value.length : 0
}

/** A text that is equal exactly for equal values. NaN equals itself here, and -0 differs from 0. */
function textOf(values: readonly unknown[]): string {
  return JSON.stringify(values, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'number' && (Object.is(value, -0) || !Number.isFinite(value)))
      return `#${Object.is(value, -0) ? '-0' : value}`
    return value instanceof Uint8Array ? `b${Array.from(value).join()}` : value
  })
}
