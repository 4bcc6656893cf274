import { denseTileGrid, tilingOf } from '../format/dense-tiles.ts'
import { FOOTER_LENGTH_BYTES } from '../format/fragment-footer.ts'
import { MEASURED_RELEASE } from '../format/releases.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { holdsMarks } from '../objects/fragment.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'

/** The facts of a fragment by which TileDB chooses the fragments to consolidate. */
export interface Consolidatable {
  /** Bytes of all its files. */
  bytes: number
  /** By dimension: ends of the box of its tiles. Empty in a sparse array. */
  box: readonly (readonly [low: bigint, high: bigint])[]
  /** Number of cells in its tiles, padding included. 0 in a sparse array. */
  tile_cells: number
}

/** The options `sm.consolidation.…` that decide which fragments a step consolidates. */
export interface ConsolidationSettings {
  step_min_frags: number
  step_max_frags: number
  step_size_ratio: number
  amplification: number
}

/** TileDB's defaults: all fragments or none. */
export const CONSOLIDATION_DEFAULTS: ConsolidationSettings = {
  step_min_frags: 2 ** 32 - 1,
  step_max_frags: 2 ** 32 - 1,
  step_size_ratio: 0,
  amplification: 1,
}

/**
 * Selects the fragments that a consolidation between two times may take.
 *
 * @param times first and last time of each fragment
 * @returns `candidates`: their positions; `before`: the box around earlier fragments, whose cells the consolidation of a dense array must
 *   not hide
 * @see FragmentInfo::load
 */
export function candidatesBetween(
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

/** The same facts of fragments that follow each other in time, taken together: sums, and the box around all of their tiles. */
type Run = Consolidatable

/**
 * Finds the fragments that one step of `tiledb.consolidate` merges: as many neighbours as the settings allow, and of several such runs the
 * smallest. In a dense array they must not hide older cells that lie between them, and the box around them must not be much larger than
 * the fragments.
 *
 * @param fragments in TileDB's order
 * @param before a box that they must not hide
 * @returns undefined if there are no such fragments
 * @see FragmentConsolidator::compute_next_to_consolidate, are_consolidatable
 */
export function nextConsolidated(
  fragments: readonly Consolidatable[],
  { step_min_frags, step_max_frags, step_size_ratio, amplification }: ConsolidationSettings,
  before: Consolidatable['box'] = [],
): { first: number; count: number } | undefined {
  const least = Math.min(step_min_frags, fragments.length)
  const most = Math.min(step_max_frags, fragments.length)
  // A run that is not allowed cannot become allowed by growing.
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

/** The smallest `sm.consolidation.amplification` with which all fragments are merged into one; 0 for sparse arrays. */
export function leastAmplification(fragments: readonly Consolidatable[]): number {
  let [run]: Run[] = [...fragments]
  let least = 0
  // TileDB adds the fragments one by one, so every intermediate box must be allowed.
  for (const one of fragments.slice(1)) {
    run = grownBy(run, one)
    least = Math.max(least, ratioOf(run))
  }
  return least
}

/** Upper limit on the fragments whose runs are all tried. */
export const MAX_GROUPED = 300

/**
 * The fragments that the first step merges with `sm.consolidation.step_min_frags` 2; undefined if there are none, or if there are more than
 * {@link MAX_GROUPED} fragments.
 */
export function neighbours(fragments: readonly Consolidatable[]): { first: number; count: number } | undefined {
  return fragments.length > MAX_GROUPED
    ? undefined
    : nextConsolidated(fragments, { ...CONSOLIDATION_DEFAULTS, step_min_frags: 2 })
}

/** Number of cells in the box around fragments, and in their tiles. @param fragments at least one */
export function filledCells([first, ...rest]: readonly Consolidatable[]): { box_cells: number; tile_cells: number } {
  const all = rest.reduce<Run>(grownBy, first)
  return { box_cells: boxCells(all), tile_cells: all.tile_cells }
}

/** Said in place of the advice to consolidate, if {@link breaksTiles}. */
export const DO_NOT_CONSOLIDATE = `do not consolidate: TileDB ${MEASURED_RELEASE} breaks this array by it (see explain)`

/**
 * Whether TileDB 2.30 breaks an array if it consolidates these fragments. In a dense array with a current domain it writes the box around
 * them without filling up the tiles at its ends: 1-D arrays are then unreadable, others fail or crash in the call. It does not matter where
 * the current domain ends, nor where the box of a single fragment does.
 */
export function breaksTiles({ schema }: Pick<OpenedArray, 'schema'>, fragments: readonly Consolidatable[]): boolean {
  if (schema.array_type === 'sparse' || !schema.current_domain?.range || fragments.length < 2) return false
  const [first, ...rest] = fragments
  const { box } = rest.reduce<Run>(grownBy, first)
  return box.some(([low, high], d) => {
    const { domainLow, extent } = tilingOf(schema.domain.dimensions[d])
    return (low - domainLow) % extent !== 0n || (high + 1n - domainLow) % extent !== 0n
  })
}

/**
 * Whether TileDB 2.30 crashes if it consolidates the array without `sm.consolidation.purge_deleted_cells`: a fragment holds marks of deletions,
 * and no delete condition is left, of any time. One is enough, whatever it deletes.
 */
export function lacksConditions({
  condition_num,
  fragments,
}: Pick<OpenedArray, 'condition_num'> & { fragments: readonly Pick<OpenedFragment, 'info'>[] }): boolean {
  return condition_num === 0 && fragments.length > 1 && fragments.some(({ info }) => holdsMarks(info))
}

/** The array with the times of the fragments that are dated ahead. @param entries all its fragments, if they are known */
export async function withLater(opened: OpenedArray, entries?: readonly FragmentEntry[]): Promise<OpenedArray> {
  if (opened.later) return opened
  const later = (entries ?? (await opened.array.fragments())).flatMap(({ state, timestamp_range }) =>
    state === 'future' && timestamp_range ? [timestamp_range] : [],
  )
  return { ...opened, later }
}

/**
 * Number of fragments dated ahead that TileDB merges with the others, unless it is told another last time. The merged one ends at their time. In
 * a dense array no read of today sees it: after a vacuum, all cells are gone until then (measured with 2.30).
 */
export function takenLater({ later = [] }: Pick<OpenedArray, 'later'>, first = 0n, last = LAST_TIME): number {
  return later.filter(([from, to]) => from >= first && to <= last).length
}

/** The fragments of an opened array. @throws InspectError INCONSISTENT if the domain of a dense fragment is invalid */
export function consolidatables({
  schema,
  fragments,
}: Pick<OpenedArray, 'schema'> & { fragments: readonly Pick<OpenedFragment, 'info'>[] }): Consolidatable[] {
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

function bytesOf({ file_sizes, file_var_sizes, file_validity_sizes, footer_span }: OpenedFragment['info']): number {
  let data = 0
  for (const sizes of [file_sizes, file_var_sizes, file_validity_sizes]) for (const one of sizes ?? []) data += one
  return data + (footer_span ? footer_span.offset + footer_span.size + FOOTER_LENGTH_BYTES : 0)
}

/** Whether the ratio of the smaller to the larger of two fragments is at least `least`. TileDB divides with 32 bits. */
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

/** Ratio between the cells of the box around fragments and the cells of their tiles; 0 for sparse fragments. */
function ratioOf(run: Run): number {
  return run.box.length === 0 ? 0 : boxCells(run) / run.tile_cells
}

function boxCells({ box }: Run): number {
  return box.reduce((cells, [low, high]) => cells * Number(high - low + 1n), 1)
}

function overlap(a: Consolidatable['box'], b: Consolidatable['box']): boolean {
  return a.length > 0 && b.length > 0 && a.every(([low, high], d) => low <= b[d][1] && high >= b[d][0])
}

/** Index of the smallest run. A later run is preferred only if it is at least a fifth smaller than the best earlier one. */
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
