import type { RangeSets } from '../cells/bounds.ts'
import { fastestFirst } from '../cells/dense-coordinates.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { fieldSlot, type Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { conditionFields } from '../read/condition.ts'
import {
  type AxisInterval,
  gridAxes,
  intersection,
  intervalsOf,
  stridesOf,
  type WantedCells,
  wantedCells,
} from '../read/dense-windows.ts'
import { isLost } from '../read/opening.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { countAlong, covers, forTiles, type GridAxis, type GridBox, gridAxis, isWanted, spanOf } from './dense-grid.ts'

/** The fields that the reader loads, as the array's newest schema describes them. */
export interface Fields {
  /**
   * Fields of the condition. If these include dimensions, the reader loads their lists of offsets and counts memory for their tiles,
   * although a dense fragment has no tiles of dimensions.
   */
  condition: readonly Slot[]
  /** The other fields that are loaded. */
  others: readonly Slot[]
}

export function fieldsOf({ schema }: OpenedArray, query: ReadQuery): Fields {
  const needed = conditionFields(query.where ?? { node: 'expression', op: 'AND', children: [] })
  const all = [
    ...schema.domain.dimensions.map((one, d) => fieldSlot('dimension', d, one)),
    ...schema.attributes.map((one, a) => fieldSlot('attribute', a, one)),
  ]
  const shown = new Set(readColumns(schema, { ...query, provenance: false }).map(({ name }) => name))
  return {
    condition: all.filter(({ name }) => needed.has(name)),
    others: all.filter(({ kind, name }) => kind === 'attribute' && shown.has(name) && !needed.has(name)),
  }
}

/** Returns the index of a field's slot in a fragment; undefined if the reader skips the field there. @see ReaderBase::skip_field */
export function slotOf({ info }: OpenedFragment, { name, varSized }: Slot): number | undefined {
  const slot = info.slots.findIndex((one) => one.name === name)
  return slot >= 0 && info.slots[slot].varSized === varSized ? slot : undefined
}

/** The tiles that the reader visits. */
export interface Visited {
  /** Positions of the fragments that are not skipped, oldest first. */
  relevant: number[]
  axes: readonly GridAxis[]
  /** How many tiles of the grid the ranges touch, including tiles that no fragment has. */
  tile_num: number
  /** For each fragment: how many of its tiles the ranges touch. */
  touched: Float64Array
  /** How many of these tiles lie inside the ranges. */
  inside: Float64Array
  /** How many of the touched tiles are covered by newer cells. They are not read. */
  covered: Float64Array
  /** For each visited tile with any reads, in order: its position among all visited tiles. */
  ranks: number[]
  /** For each of these tiles: the index of its first read. */
  starts: number[]
  /** For each read: the position of its fragment. */
  fragments: number[]
  /** For each read: the tile's number in its fragment. The numbers rise within a fragment. */
  tiles: number[]
}

/** Finds the tiles that the reader visits, and the tiles of fragments that it reads for them. */
export function visitTiles(
  { schema, fragments }: Pick<OpenedArray, 'schema' | 'fragments'>,
  query: ReadQuery,
): Visited {
  const { dimensions } = schema.domain
  const grid = gridAxes(schema.domain)
  const domains = fragments.map(({ info }) => intervalsOf(info.nonempty_domain ?? [], dimensions))
  const sides = (d: number, among: readonly number[]): AxisInterval[] =>
    among.flatMap((f) => (domains[f].length > 0 ? [domains[f][d]] : []))
  const all = [...fragments.keys()]
  const wanted = wantedCells(
    grid,
    query.ranges,
    grid.map((_, d) => sides(d, all)),
  )
  const relevant = wanted
    ? all.filter((f) => domains[f].length > 0 && touches(domains[f], wanted) && !isLost(fragments[f]))
    : []
  const [touched, inside, covered] = [0, 0, 0].map(() => new Float64Array(fragments.length))
  const visited: Visited = {
    relevant,
    axes: [],
    tile_num: 0,
    touched,
    inside,
    covered,
    ranks: [],
    starts: [],
    fragments: [],
    tiles: [],
  }
  if (!wanted) return visited
  const axes = grid.map((axis, d) => gridAxis(axis, wanted[d], sides(d, relevant)))
  const boxes = relevant.map((f): GridBox => domains[f].map((side, d) => spanOf(side, grid[d], axes[d].tileOf)))
  const order = fastestFirst(schema.tile_order, axes.length).reverse()
  const strides = boxes.map((box) =>
    stridesOf(
      box.map(({ first, last }) => last - first + 1),
      order,
    ),
  )
  visited.axes = axes
  visited.tile_num = axes.reduce((product, { tile_num }) => product * tile_num, 1)
  forTiles(axes, order, boxes, (at, rank, touching) => {
    visited.ranks.push(rank)
    visited.starts.push(visited.tiles.length)
    for (const [i, b] of touching.entries()) {
      const f = relevant[b]
      touched[f]++
      if (isWanted(boxes[b], at, axes)) inside[f]++
      let newer = 0
      while (newer < i && !covers(boxes[touching[newer]], boxes[b], at, axes)) newer++
      if (newer < i) covered[f]++
      else {
        visited.fragments.push(f)
        visited.tiles.push(at.reduce((sum, tile, d) => sum + (tile - boxes[b][d].first) * strides[b][d], 0))
      }
    }
  })
  return visited
}

/**
 * How many tiles a read visits if a single fragment has all cells.
 * @param box its non-empty domain
 * @returns `tiles`: how many tiles; `written`: how many of their cells are in the box
 */
export function visitsOfOne(
  { domain }: Pick<ArraySchema, 'domain'>,
  box: NDRange,
  ranges: RangeSets,
): { tiles: number; written: number } {
  const grid = gridAxes(domain)
  const sides = intervalsOf(box, domain.dimensions)
  const wanted = wantedCells(
    grid,
    ranges,
    sides.map((side) => [side]),
  )
  const found = { tiles: wanted ? 1 : 0, written: wanted ? 1 : 0 }
  for (const [d, intervals] of wanted?.entries() ?? []) {
    const axis = gridAxis(grid[d], intervals, [sides[d]])
    const { tiles, coordinates } = countAlong(axis, spanOf(sides[d], grid[d], axis.tileOf))
    found.tiles *= tiles
    found.written *= coordinates
  }
  return found
}

/** Whether a box touches the wanted cells along each axis. */
function touches(box: readonly AxisInterval[], wanted: WantedCells): boolean {
  return box.every((side, d) => wanted[d].some((interval) => intersection(interval, side)))
}

/** The reads of one fragment. */
interface FragmentReads {
  fragment: number
  tiles: Uint32Array
  /** For each tile: the index of its visited tile in {@link Visited.ranks}. */
  visits: Uint32Array
}

/**
 * Groups the reads of some visited tiles by fragment, oldest first.
 * @param from index in {@link Visited.ranks} of the first of these tiles
 * @param to index after the last of them
 */
export function readsByFragment(
  { relevant, fragments, tiles, starts }: Visited,
  from: number,
  to: number,
): FragmentReads[] {
  const found = new Map<number, { tiles: number[]; visits: number[] }>(
    relevant.map((f) => [f, { tiles: [], visits: [] }]),
  )
  for (let visit = from; visit < to; visit++) {
    for (let i = starts[visit]; i < (starts[visit + 1] ?? tiles.length); i++) {
      const own = found.get(fragments[i])
      own?.tiles.push(tiles[i])
      own?.visits.push(visit)
    }
  }
  return [...found].flatMap(([fragment, { tiles, visits }]) =>
    tiles.length === 0 ? [] : { fragment, tiles: Uint32Array.from(tiles), visits: Uint32Array.from(visits) },
  )
}
