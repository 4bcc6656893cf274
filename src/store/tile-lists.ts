import { InspectError } from '../base/errors.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import { datatypeCoding } from '../format/datatype.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import { ndRangeSize } from '../format/range.ts'
import { leafLevel, type RTreeLevel } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { countsValidityTiles, type Fragment } from './fragment.ts'
import type { Cursor, PagedTile, Scan } from './paged-tile.ts'

/** From so many tiles on, the lists of a fragment's metadata come in pages. */
const MANY_TILES = 10_000
/** Tiles that are looked at together. */
export const BLOCK_TILES = 4096

/** Some entries of a list side by side; `first` says which tile the first of them is of. */
export interface TileBlock<T> {
  first: number
  entries: T
}

/** What the metadata says of one field (or of the boxes), one entry a tile. */
export interface TileList<T> {
  /** Entries: as many as tiles, unless the metadata is damaged. */
  readonly count: number
  /** All of them, where they are few. */
  readonly whole: T | undefined
  /** Entries `[from, to)` as far as there are so many, or all where they are few. */
  block(from: number, to: number): Promise<TileBlock<T>>
  /** Lets go of what is kept for the next block. */
  release(): void
}

/**
 * Opens the per-tile lists of a fragment. Those of many tiles are not in memory at once: opening one goes through it for
 * damage, and blocks of it are read again when they are asked for.
 */
export class TileLists {
  private readonly fragment: Fragment
  private readonly many: boolean
  private readonly passed: (bytes: number) => void

  private constructor(fragment: Fragment, many: boolean, passed: (bytes: number) => void) {
    this.fragment = fragment
    this.many = many
    this.passed = passed
  }

  /** @param passed told of the unfiltered bytes that are gone through, of lists in pages */
  static async of(fragment: Fragment, passed: (bytes: number) => void = () => {}): Promise<TileLists> {
    const { footer, tile_num } = await fragment.info()
    return new TileLists(fragment, footer !== undefined && tile_num >= MANY_TILES, passed)
  }

  /** One of the lists of uint64; undefined where the version has none for the slot. */
  async offsets(list: OffsetsList, slot: number): Promise<TileList<Float64Array> | undefined> {
    const place = await this.fragment.listPlace(list, slot)
    if (place === undefined) return undefined
    const paged =
      typeof place === 'number' &&
      (await this.paged(
        place,
        () => this.fragment.listName(list, slot),
        (tile) => offsetsIn(tile),
        sizesOnly,
      ))
    const info = await this.fragment.info()
    if (paged) return countsValidityTiles(info) ? { ...paged, count: Math.min(paged.count, info.tile_num) } : paged
    const values = (await this.fragment.offsets(list, slot)) ?? new Float64Array(0)
    this.fragment.forget()
    return whole(values.length, values)
  }

  /** Sums, 8 bytes each; undefined before version 11. */
  async sums(slot: number): Promise<TileList<Uint8Array> | undefined> {
    const place = (await this.fragment.info()).footer?.tile_sums_offsets?.[slot]
    if (place === undefined) return undefined
    const paged = await this.paged(place, () => this.fragment.listName('tile_sums', slot), sumsIn)
    if (paged) return paged
    const values = (await this.fragment.tileSums(slot)) ?? new Uint8Array(0)
    this.fragment.forget()
    return whole(Math.floor(values.length / 8), values)
  }

  /**
   * Minima or maxima; undefined before version 11. In a block of a var-sized field `fixed` holds starts in the `variable` of that block.
   * @param cellSize bytes, or undefined for var-sized fields
   */
  async minMax(
    which: 'min' | 'max',
    slot: number,
    cellSize: number | undefined,
  ): Promise<TileList<TileMinMax> | undefined> {
    const place = (await this.fragment.info()).footer?.[`tile_${which}_values_offsets`]?.[slot]
    if (place === undefined) return undefined
    const paged = await this.paged(
      place,
      () => this.fragment.listName(`tile_${which}_values`, slot),
      (tile) => (cellSize === undefined ? varMinMaxIn(tile) : minMaxIn(tile, cellSize)),
    )
    if (paged) return paged
    const values = await this.fragment.tileMinMax(which, slot)
    this.fragment.forget()
    return values && whole(Math.floor(values.fixed.length / (cellSize ?? 8)), values)
  }

  /** MBRs, of sparse fragments: the leaves of the R-tree; undefined where it has none. */
  async boxes(): Promise<TileList<RTreeLevel> | undefined> {
    const { footer, schema } = await this.fragment.info()
    const stride = ndRangeSize(schema.domain.dimensions)
    const paged =
      footer !== undefined &&
      stride !== undefined &&
      (await this.paged(
        footer.rtree_offset,
        async () => 'rtree',
        (tile) => leavesIn(tile, footer.version, stride),
      ))
    if (paged) return paged
    const leaves = leafLevel(await this.fragment.rtree())
    this.fragment.forget()
    return leaves && whole(leaves.mbr_num, leaves)
  }

  /**
   * A list in pages; undefined where it has few entries, or is anything but what it should be: whoever reads it whole
   * then says what is wrong.
   */
  private async paged<T>(
    offset: number,
    section: () => Promise<string>,
    listIn: (tile: PagedTile) => Promise<TileList<T> | undefined>,
    scan?: Scan,
  ): Promise<TileList<T> | undefined> {
    if (!this.many) return undefined
    try {
      const tile = await this.fragment.pagedTileAt(offset, await section(), scan)
      const list = await listIn(tile)
      list?.release()
      this.passed(tile.length)
      return list !== undefined && list.count >= MANY_TILES ? this.counted(list, tile.length) : undefined
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      return undefined
    }
  }

  private counted<T>(list: TileList<T>, length: number): TileList<T> {
    return {
      ...list,
      block: (from, to) => {
        this.passed(((to - from) / list.count) * length)
        return list.block(from, to)
      },
    }
  }
}

function whole<T>(count: number, entries: T): TileList<T> {
  return {
    count,
    whole: entries,
    block: async () => ({ first: 0, entries }),
    release() {
      // It is all there is.
    },
  }
}

/** A list in pages, whose entries `[from, to)` are `read`. */
function inPages<T>(
  count: number,
  cursors: readonly Cursor[],
  read: (from: number, to: number) => Promise<T>,
): TileList<T> {
  return {
    count,
    whole: undefined,
    async block(from, to) {
      const first = Math.min(from, count)
      return { first, entries: await read(first, Math.min(to, count)) }
    },
    release() {
      for (const cursor of cursors) cursor.release()
    },
  }
}

const COUNT_BYTES = 8

/** Refuses uint64 of 2^53 or more, as their two highest bytes tell. A count of 8 bytes stands ahead of them, and is one, too. */
const sizesOnly: Scan = (bytes, at) => {
  const shift = at % 8
  for (let i = (14 - shift) % 8; i < bytes.length; i += 8) if (bytes[i] >= 0x20) throw tooLarge()
  for (let i = (15 - shift) % 8; i < bytes.length; i += 8) if (bytes[i] !== 0) throw tooLarge()
}

function tooLarge(): InspectError {
  return new InspectError('BAD_VALUE', 'expected sizes or offsets below 2^53, found a larger one')
}

/** @see tileOffsets */
async function offsetsIn(tile: PagedTile): Promise<TileList<Float64Array> | undefined> {
  const cursor = tile.cursor()
  const count = await countIn(tile, cursor)
  if (count === undefined) return undefined
  return inPages(count, [cursor], async (from, to) =>
    numbers(await cursor.bytes(COUNT_BYTES + from * 8, COUNT_BYTES + to * 8)),
  )
}

/** @see tileSums */
async function sumsIn(tile: PagedTile): Promise<TileList<Uint8Array> | undefined> {
  const cursor = tile.cursor()
  const count = await countIn(tile, cursor)
  if (count === undefined) return undefined
  return inPages(count, [cursor], (from, to) => cursor.bytes(COUNT_BYTES + from * 8, COUNT_BYTES + to * 8))
}

/** The count that content begins with; undefined unless so many entries of 8 bytes follow. */
async function countIn(tile: PagedTile, cursor: Cursor): Promise<number | undefined> {
  if (tile.length < COUNT_BYTES) return undefined
  const [count] = numbers(await cursor.bytes(0, COUNT_BYTES))
  return COUNT_BYTES + count * 8 === tile.length ? count : undefined
}

/** The two lengths ahead of minima or maxima. */
const LENGTHS_BYTES = 16

/** How many of the bytes behind the lengths are fixed; undefined unless both lengths fill the content. */
async function fixedLengthIn(tile: PagedTile, cursor: Cursor): Promise<number | undefined> {
  if (tile.length < LENGTHS_BYTES) return undefined
  const [fixed, variable] = numbers(await cursor.bytes(0, LENGTHS_BYTES))
  return LENGTHS_BYTES + fixed + variable === tile.length ? fixed : undefined
}

/** @see tileMinMax */
async function minMaxIn(tile: PagedTile, cellSize: number): Promise<TileList<TileMinMax> | undefined> {
  const cursor = tile.cursor()
  const length = await fixedLengthIn(tile, cursor)
  if (length === undefined || length % cellSize !== 0) return undefined
  return inPages(length / cellSize, [cursor], async (from, to) => ({
    fixed: await cursor.bytes(LENGTHS_BYTES + from * cellSize, LENGTHS_BYTES + to * cellSize),
    variable: NO_BYTES,
  }))
}

/** The same for var-sized fields: `fixed` holds starts. Undefined where they do not rise, too. */
async function varMinMaxIn(tile: PagedTile): Promise<TileList<TileMinMax> | undefined> {
  const [fixed, variable] = [tile.cursor(), tile.cursor()]
  const length = await fixedLengthIn(tile, fixed)
  if (length === undefined || length % 8 !== 0) return undefined
  const count = length / 8
  const values = LENGTHS_BYTES + length
  const end = tile.length - values
  const starts = async (from: number, to: number): Promise<Float64Array> => {
    const out = numbers(await fixed.bytes(LENGTHS_BYTES + from * 8, LENGTHS_BYTES + Math.min(to, count) * 8))
    return to > count ? Float64Array.of(...out, end) : out
  }
  let last = 0
  for (let from = 0; from < count; from += BLOCK_TILES) {
    for (const start of await starts(from, Math.min(from + BLOCK_TILES, count))) {
      if (start < last || start > end) return undefined
      last = start
    }
  }
  return inPages(count, [fixed, variable], async (from, to) => {
    if (from === to) return { fixed: NO_BYTES, variable: NO_BYTES }
    const bounds = await starts(from, to + 1)
    const first = bounds[0]
    const rebased = new Float64Array(to - from)
    for (let i = 0; i < rebased.length; i++) rebased[i] = bounds[i] - first
    return {
      fixed: sizeBytes(rebased),
      variable: await variable.bytes(values + first, values + bounds[to - from]),
    }
  })
}

/** @see rtree, whose MBRs here are `stride` bytes each */
async function leavesIn(tile: PagedTile, version: number, stride: number): Promise<TileList<RTreeLevel> | undefined> {
  const cursor = tile.cursor()
  // dim_num and type stand beside fanout and level_num
  const typeAt = version < 5 ? 8 : undefined
  const head = typeAt === undefined ? 8 : 13
  if (tile.length < head) return undefined
  const bytes = await cursor.bytes(0, head)
  if (typeAt !== undefined && datatypeCoding.decode(bytes[typeAt]) === undefined) return undefined
  const levels = new DataView(bytes.buffer, bytes.byteOffset, head).getUint32(head - 4, true)
  let leaves = { start: head, mbr_num: 0 }
  let at = head
  for (let level = 0; level < levels; level++) {
    if (at + COUNT_BYTES > tile.length) return undefined
    const [mbr_num] = numbers(await cursor.bytes(at, at + COUNT_BYTES))
    leaves = { start: at + COUNT_BYTES, mbr_num }
    at = leaves.start + mbr_num * stride
  }
  if (at !== tile.length) return undefined
  return inPages(leaves.mbr_num, [cursor], async (from, to) => ({
    mbr_num: to - from,
    bytes: await cursor.bytes(leaves.start + from * stride, leaves.start + to * stride),
    starts: undefined,
  }))
}

/** uint64 as numbers. */
function numbers(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const out = new Float64Array(bytes.length / 8)
  for (let i = 0; i < out.length; i++) {
    out[i] = view.getUint32(i * 8 + 4, true) * 2 ** 32 + view.getUint32(i * 8, true)
  }
  return out
}

function sizeBytes(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 8)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < values.length; i++) {
    view.setUint32(i * 8, values[i] % 2 ** 32, true)
    view.setUint32(i * 8 + 4, Math.floor(values[i] / 2 ** 32), true)
  }
  return bytes
}
