import { fastestFirst } from '../cells/dense-coordinates.ts'
import { datatypeSize } from '../format/datatype.ts'
import { denseAxis } from '../format/dense-tiles.ts'
import { fieldSlot, type Slot } from '../format/fragment-slots.ts'
import { conditionFields } from '../read/condition.ts'
import {
  type Interval,
  intersection,
  intervalsOf,
  stridesOf,
  type WantedCells,
  wantedCells,
} from '../read/dense-windows.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { covers, forTiles, type GridAxis, type GridBox, gridAxis, isWanted, spanOf } from './dense-grid.ts'

/** The fields that the reader loads, in the form that the array has now. */
export interface Fields {
  /** Dimensions, too: their lists of offsets are loaded, and their tiles count as needed memory. But there are no such tiles. */
  condition: readonly Slot[]
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

/** The slot of a field in a fragment; undefined if the reader leaves the field out there. @see ReaderBase::skip_field */
export function slotOf({ info }: OpenedFragment, { name, varSized }: Slot): number | undefined {
  const slot = info.slots.findIndex((one) => one.name === name)
  return slot >= 0 && info.slots[slot].varSized === varSized ? slot : undefined
}

/** The tiles that the reader visits. */
export interface Visited {
  /** Fragments that are not passed over, the oldest first. */
  relevant: number[]
  axes: readonly GridAxis[]
  /** How many tiles the ranges touch, tiles without any fragment too. */
  tile_num: number
  /** By fragment. */
  touched: Float64Array
  inside: Float64Array
  covered: Float64Array
  /** Of each visited tile of which something is read, in order: its position among all visited tiles, and where its reads begin. */
  ranks: number[]
  starts: number[]
  /** The reads: fragment and number of the tile in the fragment. A fragment's numbers rise. */
  fragments: number[]
  tiles: number[]
}

export function visitTiles(
  { schema, fragments }: Pick<OpenedArray, 'schema' | 'fragments'>,
  query: ReadQuery,
): Visited {
  const { dimensions } = schema.domain
  const grid = dimensions.map((dimension) => {
    const size = datatypeSize(dimension.type)
    return denseAxis(dimension, { min: dimension.domain.subarray(0, size), max: dimension.domain.subarray(size) })
  })
  const domains = fragments.map(({ info }) => intervalsOf(info.nonempty_domain ?? [], dimensions))
  const sides = (d: number, among: readonly number[]): Interval[] =>
    among.flatMap((f) => (domains[f].length > 0 ? [domains[f][d]] : []))
  const all = [...fragments.keys()]
  const wanted = wantedCells(
    grid,
    query.ranges,
    grid.map((_, d) => sides(d, all)),
  )
  const relevant = wanted ? all.filter((f) => domains[f].length > 0 && touches(domains[f], wanted)) : []
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

/** Whether a box touches the wanted cells along each axis. */
function touches(box: readonly Interval[], wanted: WantedCells): boolean {
  return box.every((side, d) => wanted[d].some((interval) => intersection(interval, side)))
}

/** The reads of some visited tiles, by fragment, the oldest first. */
export function byFragment(
  { relevant, fragments, tiles, starts }: Visited,
  from: number,
  to: number,
): { fragment: number; tiles: Uint32Array; visits: Uint32Array }[] {
  const counts = new Map(relevant.map((f) => [f, 0]))
  const [first, end] = [starts[from], starts[to] ?? tiles.length]
  for (let i = first; i < end; i++) counts.set(fragments[i], (counts.get(fragments[i]) ?? 0) + 1)
  const found = new Map<number, { fragment: number; tiles: Uint32Array; visits: Uint32Array }>()
  for (const [fragment, count] of counts)
    if (count > 0) found.set(fragment, { fragment, tiles: new Uint32Array(count), visits: new Uint32Array(count) })
  const filled = new Map<number, number>()
  for (let visit = from; visit < to; visit++) {
    for (let i = starts[visit]; i < (starts[visit + 1] ?? tiles.length); i++) {
      const at = filled.get(fragments[i]) ?? 0
      const one = found.get(fragments[i])
      if (!one) continue
      one.tiles[at] = tiles[i]
      one.visits[at] = visit
      filled.set(fragments[i], at + 1)
    }
  }
  return [...found.values()]
}
