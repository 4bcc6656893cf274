import { unlessFault } from '../base/errors.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { fieldTileFile, tileCellNum, tileRole } from '../cells/tile-places.ts'
import type { Finding } from '../check/finding.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { cellValue } from '../format/value.ts'
import { cellsInDomain } from '../store/file-sizes.ts'
import type { FieldFile, Fragment, FragmentInfo } from '../store/fragment.ts'

/** Tiles that findings call unreadable, by field, of one fragment. */
export type LostTiles = Map<string, Set<number>>

/** Adds the tiles that a finding about a data file takes away. */
export async function addLostTiles(lost: LostTiles, fragment: Fragment, finding: Finding): Promise<void> {
  const info = await fragment.info().catch(unlessFault)
  if (!info) return
  const file = (await fragment.fieldFiles()).find(({ name }) => name === lastPathPart(finding.file))
  if (!file) return
  const { name } = info.slots[file.slot]
  const tiles = lost.get(name) ?? new Set()
  lost.set(name, tiles)
  if (finding.tile !== undefined) tiles.add(finding.tile)
  else for (let tile = await firstLost(fragment, info, file, finding); tile < info.tile_num; tile++) tiles.add(tile)
}

/** The first tile that is not whole in a file that is missing or too short. */
async function firstLost(fragment: Fragment, info: FragmentInfo, file: FieldFile, finding: Finding): Promise<number> {
  if (finding.code !== 'FILE_SHORT' || finding.offset === undefined) return 0
  const { offsetsList, size } = fieldTileFile(info, file.slot, tileRole(file))
  const starts = await fragment.offsets(offsetsList, file.slot).catch(unlessFault)
  const end = finding.offset
  return starts
    ? Math.max(
        0,
        starts.findIndex((_, i) => (starts[i + 1] ?? size) > end),
      )
    : 0
}

/** What the loss of tiles means for a fragment. */
export interface FragmentLoss {
  /** In words: what was lost. */
  lost: string[]
  /** Cells in all tiles that lost something. */
  cells: number
  /** Those tiles, rising. */
  tiles: readonly number[]
  /** Tiles of the fragment. */
  tile_num: number
  /** Fields of which nothing was lost. */
  whole: readonly string[]
  /** All cells of the fragment. */
  all: number | bigint
}

/** Tiles whose boxes are put together; more would take too long to read. */
const MOST_BOXES = 64

export async function fragmentLoss(fragment: Fragment, byField: LostTiles): Promise<FragmentLoss | undefined> {
  const info = await fragment.info().catch(unlessFault)
  if (!info) return undefined
  // Of a dense tile, those in the non-empty domain: the rest is padding.
  const dense = info.dense && info.nonempty_domain ? new DenseCoordinates(info) : undefined
  const cellNum = (tile: number): number =>
    dense
      ? dense.tileBox(tile).reduce((cells, { low, high }) => cells * Number(high - low + 1n), 1)
      : tileCellNum(info, tile)
  const cellsOf = (tiles: Iterable<number>): number => [...tiles].reduce((sum, tile) => sum + cellNum(tile), 0)
  const all = cellsInDomain(info)
  const lost: string[] = []
  const tiles = new Set<number>()
  for (const [field, own] of byField) {
    for (const tile of own) tiles.add(tile)
    const sorted = [...own].sort((a, b) => a - b)
    const box = await boxText(fragment, info, sorted)
    const where = [tilesText(sorted, info.tile_num), ...(box === undefined ? [] : [box])].join(', ')
    lost.push(`${field === '' ? '""' : field} of ${cellsOf(own)} cells (${where})`)
  }
  const whole = info.slots.filter(({ name, phantom }) => !phantom && !byField.has(name)).map(({ name }) => name)
  return { lost, cells: cellsOf(tiles), tiles: [...tiles].sort((a, b) => a - b), tile_num: info.tile_num, whole, all }
}

/** `tile 4`, `tiles 0..3, 7 of 12` */
function tilesText(tiles: readonly number[], of: number): string {
  const runs = runsOf(tiles).map(([first, last]) => (first === last ? `${first}` : `${first}..${last}`))
  const shown = runs.length > 4 ? [...runs.slice(0, 3), `and ${tiles.length} in all`] : runs
  return `tile${tiles.length === 1 ? '' : 's'} ${shown.join(', ')} of ${of}`
}

/** Numbers that follow one another, as first and last. @param numbers rising */
export function runsOf(numbers: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const one of numbers) {
    const last = runs.at(-1)
    if (last && last[1] === one - 1) last[1] = one
    else runs.push([one, one])
  }
  return runs
}

/** The coordinates between which the cells of some tiles lie: `lat -37.8..-12`. Undefined if the metadata does not say. */
async function boxText(fragment: Fragment, info: FragmentInfo, tiles: readonly number[]): Promise<string | undefined> {
  if (info.dense || tiles.length === 0 || tiles.length > MOST_BOXES) return undefined
  const rtree = await fragment.rtree().catch(unlessFault)
  const level = rtree && leafLevel(rtree)
  if (!level || level.mbr_num <= tiles[tiles.length - 1]) return undefined
  const { dimensions } = info.schema.domain
  const boxes = tiles.map((tile) => mbrAt(level, tile, dimensions))
  const parts = dimensions.map(({ name, type, cell_val_num }, d) => {
    const ends = boxes
      .flatMap((box) => [box[d].min, box[d].max])
      .map((end) => cellValue(type, cell_val_num, end, { raw: false }))
    const [low, high] = [
      ends.reduce((a, b) => (a !== null && b !== null && b < a ? b : a)),
      ends.reduce((a, b) => (a !== null && b !== null && b > a ? b : a)),
    ]
    return `${name} ${String(low)}..${String(high)}`
  })
  return parts.join(', ')
}
