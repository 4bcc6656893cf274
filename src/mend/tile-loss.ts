import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import { comparable, compare } from '../cells/bounds.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { KnownNulls } from '../cells/known-nulls.ts'
import { fieldTileFile, tileCellNum, tileRole } from '../cells/tile-places.ts'
import type { Finding } from '../check/finding.ts'
import { hex } from '../filters/bytes.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { bytesOf, cellValue } from '../format/value.ts'
import type { InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import type { FieldFile, Fragment, FragmentInfo } from '../objects/fragment.ts'
import { conditionFields } from '../read/condition.ts'
import { type AxisInterval, hull } from '../read/dense-windows.ts'
import { openedDeletes } from '../read/opening.ts'

/** Indexes of the unreadable tiles of a fragment, by field. */
export type LostTiles = Map<string, Set<number>>

/**
 * Adds the tiles that cannot be read because of a finding about a data file.
 * @param ofNulls gets those of which only the validity is lost, unless the statistics prove it
 * @returns whether something is lost, as far as is known
 */
export async function addLostTiles(
  lost: LostTiles,
  ofNulls: LostTiles,
  fragment: Fragment,
  finding: Finding,
): Promise<boolean> {
  const info = await fragment.info().catch(unlessFault)
  const file = info && (await fragment.fieldFiles()).find(({ name }) => name === lastPathPart(finding.file))
  if (!file) return true
  const { slot, role } = file
  const { name } = info.slots[slot]
  const first = finding.tile ?? (await firstLost(fragment, info, file, finding))
  const end = finding.tile === undefined ? info.tile_num : first + 1
  const tiles = Array.from({ length: end - first }, (_, i) => first + i)
  if (role !== 'validity') {
    addTiles(lost, name, tiles)
    return true
  }
  const nulls = new KnownNulls(fragment)
  const unproven: number[] = []
  for (const tile of tiles) if ((await nulls.proven(slot, tile)) === undefined) unproven.push(tile)
  if (unproven.length > 0) addTiles(ofNulls, name, unproven)
  return unproven.length > 0
}

/** Adds tiles of a field. */
export function addTiles(lost: LostTiles, field: string, tiles: Iterable<number>): void {
  const known = lost.get(field) ?? new Set()
  lost.set(field, known)
  for (const tile of tiles) known.add(tile)
}

/** Index of the first incomplete tile in a file that is missing or too short. */
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

/** What a fragment loses with its unreadable tiles. */
export interface FragmentLoss {
  /** The damaged fields, each with the cells that it lost, in words. With `nulls`, only which of them are null is lost. */
  lost: { field: string; of: string; nulls?: string }[]
  /** Number of cells in all damaged tiles. */
  cells: number
  /** Indexes of the damaged tiles, in ascending order. */
  tiles: readonly number[]
  /** Number of tiles of the fragment. */
  tile_num: number
  /** Fields that lost no values. */
  whole: readonly string[]
  /** Indexes of the damaged tiles whose coordinates can be read, in ascending order. Decode shows their other fields. */
  placed: readonly number[]
  /** The stored coordinates that lost cells: names of dimensions, or `__coords`. */
  lostDimensions: readonly string[]
  /** Number of cells that lost coordinates. */
  unplaced: number
  /** Number of cells of the fragment. */
  all: number | bigint
  /** Boxes around the cells of the damaged tiles, or one around all cells of the fragment. */
  boxes: readonly NDRange[]
}

/** A field's name in a sentence. */
export function shownName(field: string): string {
  return field === '' ? '""' : field
}

/** What a field lost, in words. */
export function lostText({ field, of, nulls }: FragmentLoss['lost'][number]): string {
  const name = shownName(field)
  return nulls === undefined ? `${name} of ${of}` : `which cells of ${name} are null, of ${of}${nulls}`
}

/** What the loss of coordinates means for the other fields, in words; undefined if no coordinates are lost. */
export function lostPlaces({ lostDimensions, unplaced }: FragmentLoss): string | undefined {
  if (unplaced === 0) return undefined
  const names = lostDimensions.map(shownName).join(' and ')
  return `where ${unplaced} cells were: without ${names}, nothing tells where their other values belong`
}

/** Limit on the tiles whose boxes are read: more would take too long. */
const MAX_BOXES = 64

/**
 * Works out what a fragment loses with its unreadable tiles; undefined if its metadata cannot be read.
 * @param ofNulls tiles of which only the validity is lost
 */
export async function fragmentLoss(
  fragment: Fragment,
  byField: LostTiles,
  ofNulls: LostTiles = new Map(),
): Promise<FragmentLoss | undefined> {
  const info = await fragment.info().catch(unlessFault)
  if (!info) return undefined
  // A dense tile has cells inside the non-empty domain only: the rest is padding.
  const dense = info.dense && info.nonempty_domain ? new DenseCoordinates(info) : undefined
  const cellNum = (tile: number): number => (dense ? cellsInBox(dense.tileBox(tile)) : tileCellNum(info, tile))
  const cellsOf = (tiles: Iterable<number>): number => sum(tiles, (tile) => cellNum(tile))
  const all = cellsInDomain(info)
  const lost: FragmentLoss['lost'] = []
  const tiles = new Set<number>()
  const textOf = async (own: ReadonlySet<number>): Promise<string> => {
    for (const tile of own) tiles.add(tile)
    const sorted = [...own].sort((a, b) => a - b)
    const box = await boxText(fragment, info, sorted)
    const where = [tilesText(sorted, info.tile_num), ...(box === undefined ? [] : [box])].join(', ')
    return `${cellsOf(own)} cells (${where})`
  }
  for (const [field, own] of byField) lost.push({ field, of: await textOf(own) })
  for (const [field, unknown] of ofNulls) {
    const own = new Set([...unknown].filter((tile) => !byField.get(field)?.has(tile)))
    if (own.size > 0) lost.push({ field, of: await textOf(own), nulls: await nullsText(fragment, info, field, own) })
  }
  const isWhole = ({ name }: { name: string }): boolean => !byField.has(name)
  // Dense cells have no stored coordinates, so without a whole attribute there is nothing to keep.
  const isAnyWhole = !info.dense || info.schema.attributes.some(isWhole)
  const whole = info.slots.filter((slot) => !slot.phantom && isAnyWhole && isWhole(slot)).map(({ name }) => name)
  const sorted = [...tiles].sort((a, b) => a - b)
  const lostDimensions = info.slots.flatMap(({ name, kind }) =>
    byField.has(name) && (kind === 'dimension' || kind === 'coords') ? [name] : [],
  )
  const unplaced = new Set(lostDimensions.flatMap((name) => [...(byField.get(name) ?? [])]))
  const around = info.nonempty_domain ? [info.nonempty_domain] : []
  const boxes = (await tileBoxes(fragment, info, sorted)) ?? around
  return {
    lost,
    cells: cellsOf(tiles),
    tiles: sorted,
    tile_num: info.tile_num,
    whole,
    placed: sorted.filter((tile) => !unplaced.has(tile)),
    lostDimensions,
    unplaced: cellsOf(unplaced),
    all,
    boxes,
  }
}

/** How many cells of some tiles are null, if the statistics tell. */
async function nullsText(
  fragment: Fragment,
  { slots }: FragmentInfo,
  field: string,
  tiles: ReadonlySet<number>,
): Promise<string> {
  const nulls = new KnownNulls(fragment)
  const slot = slots.findIndex(({ name }) => name === field)
  let all = 0
  for (const tile of tiles) all += (await nulls.count(slot, tile)) ?? Number.NaN
  return Number.isNaN(all) ? '' : `; nulls by the statistics: ${all}`
}

/** Returns a delete condition as the user wrote it. */
export type ConditionWords = (array: InspectArray, stays: ConditionNode) => Promise<string>

/**
 * A clause for a lost field that says whether reads of the other fields fail there, too; empty if they do not. Every read of TileDB also
 * reads the fields of all delete conditions, from all fragments: older ones, newer ones, and those in which the cells are already deleted.
 * @see SparseIndexReaderBase::load_initial_data; measured with TileDB 2.30
 * @param until time of the reads in milliseconds, if it is not that of the array: they leave later conditions out
 */
export async function failsOthers(
  array: InspectArray,
  field: string,
  words: ConditionWords,
  until?: bigint,
): Promise<string> {
  const deletes = (await openedDeletes(array).catch(unlessFault)) ?? []
  const reading = deletes.find(
    ({ stays, time }) => (until === undefined || time <= until) && conditionFields(stays).has(field),
  )
  if (!reading) return ''
  const condition = await words(array, reading.stays).catch(unlessFault)
  if (condition === undefined) return ''
  return `; reads of all fields fail there, too: the delete condition \`${condition}\` reads ${field === '' ? '""' : field}`
}

/** `tile 4 of 12`, `tiles 0..3, 7 of 12`, `20 of 90 tiles: 0..3, 7, 9 and others` */
function tilesText(tiles: readonly number[], of: number): string {
  const runs = numberRuns(tiles).map(([first, last]) => (first === last ? `${first}` : `${first}..${last}`))
  if (runs.length > 4) return `${tiles.length} of ${of} tiles: ${runs.slice(0, 3).join(', ')} and others`
  return `tile${tiles.length === 1 ? '' : 's'} ${runs.join(', ')} of ${of}`
}

/** The first and the last number of each run of successive numbers. @param numbers numbers in ascending order */
export function numberRuns(numbers: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const one of numbers) {
    const last = runs.at(-1)
    if (last && last[1] === one - 1) last[1] = one
    else runs.push([one, one])
  }
  return runs
}

/** The lowest and the highest coordinates of some tiles: `lat -37.8..-12`. Undefined if the metadata does not tell. */
async function boxText(fragment: Fragment, info: FragmentInfo, tiles: readonly number[]): Promise<string | undefined> {
  const { dimensions } = info.schema.domain
  const boxes = await tileBoxes(fragment, info, tiles)
  if (!boxes || boxes.length === 0) return undefined
  const parts = dimensions.map(({ name, type, cell_val_num }, d) => {
    const ends = boxes.flatMap((box) => [box[d].min, box[d].max])
    ends.sort((a, b) => compare(comparable(type, a), comparable(type, b)))
    const [low, high] = [ends[0], ends[ends.length - 1]].map((end) => {
      const value = cellValue(type, cell_val_num, end, { raw: false })
      return value instanceof Uint8Array ? `0x${hex(value)}` : String(value)
    })
    return `${name} ${low}..${high}`
  })
  return `${info.dense && !areWholeBox(info, tiles) ? 'inside ' : ''}${parts.join(', ')}`
}

/** Whether some dense tiles fill the whole box around them. */
function areWholeBox(info: FragmentInfo, tiles: readonly number[]): boolean {
  const boxes = denseBoxes(info, tiles)
  const around = boxes[0].flatMap((_, d) => hull(boxes.map((box) => box[d])) ?? [])
  return boxes.reduce((cells, box) => cells + cellsInBox(box), 0) === cellsInBox(around)
}

/** The boxes of the written cells of some dense tiles. */
function denseBoxes(info: FragmentInfo, tiles: readonly number[]): AxisInterval[][] {
  const grid = new DenseCoordinates(info)
  return tiles.map((tile) => grid.tileBox(tile))
}

/** Number of cells in a box of a dense array. */
function cellsInBox(box: readonly AxisInterval[]): number {
  return box.reduce((cells, { low, high }) => cells * Number(high - low + 1n), 1)
}

/** The boxes of some tiles. Undefined if there are too many, or the metadata does not tell. */
async function tileBoxes(
  fragment: Fragment,
  info: FragmentInfo,
  tiles: readonly number[],
): Promise<NDRange[] | undefined> {
  const { dimensions } = info.schema.domain
  if (tiles.length > MAX_BOXES) return undefined
  if (info.dense) {
    const bytes = (d: number, end: bigint): Uint8Array => bytesOf(dimensions[d].type, 1, end, { raw: true })
    return info.nonempty_domain
      ? denseBoxes(info, tiles).map((box) =>
          box.map(({ low, high }, d) => ({ min: bytes(d, low), max: bytes(d, high) })),
        )
      : undefined
  }
  const rtree = await fragment.rtree().catch(unlessFault)
  const level = rtree && leafLevel(rtree)
  if (!level || level.mbr_num <= (tiles.at(-1) ?? 0)) return undefined
  return tiles.map((tile) => mbrAt(level, tile, dimensions))
}
