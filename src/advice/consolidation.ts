import { denseTileGrid } from '../format/dense-tiles.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'

/** What TileDB looks at of a fragment when it chooses those to consolidate. */
export interface Consolidatable {
  /** Of all its files. */
  bytes: number
  /** Ends of its non-empty domain by dimension. Empty in a sparse array. */
  box: readonly (readonly [low: bigint, high: bigint])[]
  /** Cells of its tiles as a whole. 0 in a sparse array. */
  tile_cells: number
}

/** `sm.consolidation.…` of the configuration: what decides which fragments a step takes. */
export interface ConsolidationSettings {
  step_min_frags: number
  step_max_frags: number
  step_size_ratio: number
  amplification: number
}

/** As TileDB sets them: all fragments or none. */
export const CONSOLIDATION_DEFAULTS: ConsolidationSettings = {
  step_min_frags: 2 ** 32 - 1,
  step_max_frags: 2 ** 32 - 1,
  step_size_ratio: 0,
  amplification: 1,
}

/**
 * Those of the fragments that a consolidation of some times looks at, by position, and the box around those that begin before. In a dense
 * array, it must not hide cells of these.
 *
 * @param times first and last of each fragment @see FragmentInfo::load
 */
export function ofTimes(
  fragments: readonly Consolidatable[],
  times: readonly (readonly [bigint, bigint])[],
  [start, end]: readonly [bigint, bigint],
): { candidates: number[]; before: Consolidatable['box'] } {
  const candidates: number[] = []
  let before: Run | undefined
  for (const [i, [first, last]] of times.entries()) {
    if (first < start) before = before ? grownBy(before, fragments[i]) : fragments[i]
    else if (last <= end) candidates.push(i)
  }
  return { candidates, before: before?.box ?? [] }
}

/** Neighbours in the order of time: the sum of their bytes, and the box around them. */
interface Run {
  bytes: number
  box: Consolidatable['box']
  tile_cells: number
}

/**
 * The fragments that one step of `tiledb.consolidate` makes one of: as many neighbours as the settings allow, and of those the smallest.
 * In a dense array they must not hide older cells that lie between them, and the box around them must not be much larger than they are.
 *
 * @param fragments in TileDB's order @param before a box that they must not hide, either
 * @returns undefined if there are none
 * @see FragmentConsolidator::compute_next_to_consolidate, are_consolidatable
 */
export function nextConsolidated(
  fragments: readonly Consolidatable[],
  { step_min_frags, step_max_frags, step_size_ratio, amplification }: ConsolidationSettings,
  before: Consolidatable['box'] = [],
): { first: number; count: number } | undefined {
  const least = Math.min(step_min_frags, fragments.length)
  const most = Math.min(step_max_frags, fragments.length)
  // A run that is not allowed cannot become one by growing.
  let runs: (Run | undefined)[] = fragments.slice(0, fragments.length - least + 1)
  let found: { first: number; count: number } | undefined
  for (let count = 1; count <= most; count++) {
    if (count > 1) {
      runs = runs.slice(0, fragments.length - count + 1).map((run, first) => {
        const next = first + count - 1
        if (!run || !areAlike(fragments[next - 1].bytes, fragments[next].bytes, step_size_ratio)) return undefined
        const grown = grownBy(run, fragments[next])
        const older = [before, ...fragments.slice(0, first).map(({ box }) => box)]
        return ratioOf(grown) <= Math.fround(amplification) && !older.some((box) => overlap(grown.box, box))
          ? grown
          : undefined
      })
      if (!runs.some(Boolean)) break
    }
    if (count < Math.max(2, least)) continue
    const first = smallest(runs)
    if (first !== undefined) found = { first, count }
  }
  return found
}

/** The least `sm.consolidation.amplification` with which all fragments become one; 0 for sparse arrays. */
export function leastAmplification(fragments: readonly Consolidatable[]): number {
  let [run]: Run[] = [...fragments]
  let least = 0
  // TileDB adds them one by one, and stops at the first that is one too many.
  for (const one of fragments.slice(1)) {
    run = grownBy(run, one)
    least = Math.max(least, ratioOf(run))
  }
  return least
}

/** More fragments than these are not tried in every group. */
export const MOST_GROUPED = 300

/** What the first step takes with `sm.consolidation.step_min_frags` 2. Undefined if nothing, and of more than {@link MOST_GROUPED}. */
export function neighbours(fragments: readonly Consolidatable[]): { first: number; count: number } | undefined {
  return fragments.length > MOST_GROUPED
    ? undefined
    : nextConsolidated(fragments, { ...CONSOLIDATION_DEFAULTS, step_min_frags: 2 })
}

/** Cells of the box around fragments, of which there is one or more, and cells of their tiles. */
export function filledCells([first, ...rest]: readonly Consolidatable[]): { box_cells: number; tile_cells: number } {
  const all = rest.reduce<Run>(grownBy, first)
  return { box_cells: boxCells(all), tile_cells: all.tile_cells }
}

/** The fragments of an opened array. @throws InspectError INCONSISTENT if the domain of a dense fragment is none */
export function consolidatables({ schema, fragments }: OpenedArray): Consolidatable[] {
  return fragments.map(({ info }) => {
    const bytes = bytesOf(info)
    if (schema.array_type === 'sparse' || !info.nonempty_domain) return { bytes, box: [], tile_cells: 0 }
    const { axes } = denseTileGrid(schema, info.nonempty_domain)
    return {
      bytes,
      box: axes.map(({ low, high }) => [low, high] as const),
      tile_cells: axes.reduce((all, { tile_num, extent }) => all * tile_num * Number(extent), 1),
    }
  })
}

const LENGTH_OF_FOOTER = 8

function bytesOf({ file_sizes, file_var_sizes, file_validity_sizes, footer }: OpenedFragment['info']): number {
  const data = [...file_sizes, ...file_var_sizes, ...(file_validity_sizes ?? [])].reduce((all, one) => all + one, 0)
  return data + (footer ? footer.offset + footer.size + LENGTH_OF_FOOTER : 0)
}

/** Whether the smaller of two neighbours is at least so much of the larger. TileDB divides with 32 bits. */
function areAlike(a: number, b: number, least: number): boolean {
  const ratio = Math.fround(Math.fround(a) / Math.fround(b))
  return (ratio <= 1 ? ratio : Math.fround(1 / ratio)) >= Math.fround(least)
}

function grownBy(run: Run, { bytes, box, tile_cells }: Consolidatable): Run {
  return {
    bytes: run.bytes + bytes,
    box: run.box.map(([low, high], d) => {
      const [from, to] = box[d]
      // biome-ignore lint/complexity/useMathMinMax: Math has no minimum of bigints
      return [from < low ? from : low, to > high ? to : high]
    }),
    tile_cells: run.tile_cells + tile_cells,
  }
}

/** How much larger the box around fragments is than their tiles; 0 for sparse ones. */
function ratioOf(run: Run): number {
  return run.box.length === 0 ? 0 : boxCells(run) / run.tile_cells
}

function boxCells({ box }: Run): number {
  return box.reduce((cells, [low, high]) => cells * Number(high - low + 1n), 1)
}

function overlap(a: Consolidatable['box'], b: Consolidatable['box']): boolean {
  return a.length > 0 && b.length > 0 && a.every(([low, high], d) => low <= b[d][1] && high >= b[d][0])
}

/** Index of the smallest run. A later one must be a fifth smaller than an earlier one to be preferred. */
function smallest(runs: readonly (Run | undefined)[]): number | undefined {
  let best: number | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [i, run] of runs.entries()) {
    if (!run || run.bytes >= least / 1.25) continue
    least = run.bytes
    best = i
  }
  return best
}
