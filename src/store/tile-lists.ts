import { badValue, InspectError } from '../base/errors.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import { datatypeCoding } from '../format/datatype.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import { ndRangeSize } from '../format/range.ts'
import { leafLevel, type RTreeLevel } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { countsValidityTiles, type Fragment } from './fragment.ts'
import type { Cursor, PagedTile, Scan } from './paged-tile.ts'

/** From this number of tiles on, the lists of a fragment's metadata are read in pages. */
const MANY_TILES = 10_000
/** Number of tiles that are processed together. */
export const BLOCK_TILES = 4096

/** Consecutive entries of a list. `first` is the tile of the first entry. */
export interface TileBlock<T> {
  first: number
  entries: T
}

/** A list of one field (or of the MBRs) with an entry for each tile. */
export interface TileList<T> {
  /** Number of entries. It is the number of tiles, unless the metadata is damaged. */
  readonly count: number
  /** All entries. Undefined for a long list. */
  readonly whole: T | undefined
  /** Entries `[from, to)`, fewer at the end of the list. Of a short list it gives all entries. */
  block(from: number, to: number): Promise<TileBlock<T>>
  /** Frees what is kept for the next block. */
  release(): void
}

/**
 * Opens the per-tile lists of a fragment. A long list is never in memory as a whole: opening it checks it for damage,
 * and its blocks are read again on demand.
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

  /** @param passed called with the number of unfiltered bytes that were read of paged lists */
  static async of(fragment: Fragment, passed: (bytes: number) => void = () => {}): Promise<TileLists> {
    const { footer, tile_num } = await fragment.info()
    return new TileLists(fragment, footer !== undefined && tile_num >= MANY_TILES, passed)
  }

  /** A list of uint64; undefined if the version has no such list for the slot. */
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
   * Minima or maxima; undefined before version 11. In a block of a var-sized field, `fixed` has starts in the
   * `variable` of that block.
   * @param cellSize bytes; undefined for var-sized fields
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

  /** The MBRs of tiles: the leaves of the R-tree. Undefined if it has none, as in dense fragments. */
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
   * A paged list. Undefined if it is short, or damaged in any way. The caller then reads it as a whole, which throws
   * the right error.
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
      // There is nothing to free.
    },
  }
}

/** A paged list. @param read reads entries `[from, to)` */
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

/** Refuses uint64 of 2^53 or more, by their two highest bytes. The count in front is checked in the same way. */
const sizesOnly: Scan = (bytes, at) => {
  const shift = at % 8
  for (let i = (14 - shift) % 8; i < bytes.length; i += 8) if (bytes[i] >= 0x20) throw tooLarge()
  for (let i = (15 - shift) % 8; i < bytes.length; i += 8) if (bytes[i] !== 0) throw tooLarge()
}

function tooLarge(): InspectError {
  return badValue('expected sizes or offsets below 2^53, found a larger one')
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

/** The count at the start of the content; undefined unless exactly that many entries of 8 bytes follow. */
async function countIn(tile: PagedTile, cursor: Cursor): Promise<number | undefined> {
  if (tile.length < COUNT_BYTES) return undefined
  const [count] = numbers(await cursor.bytes(0, COUNT_BYTES))
  return COUNT_BYTES + count * 8 === tile.length ? count : undefined
}

/** Bytes of the two lengths in front of minima or maxima. */
const LENGTHS_BYTES = 16

/** The length of `fixed`; undefined unless both parts fill the content exactly. */
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

/** {@link minMaxIn} for var-sized fields, where `fixed` has starts. Also undefined if the starts ever decrease. */
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

/** @see rtree @param stride bytes of an MBR */
async function leavesIn(tile: PagedTile, version: number, stride: number): Promise<TileList<RTreeLevel> | undefined> {
  const cursor = tile.cursor()
  // Before version 5, dim_num and type are stored besides fanout and level_num.
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

/** Converts uint64 to numbers. */
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
