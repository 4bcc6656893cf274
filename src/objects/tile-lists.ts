import { NO_BYTES } from '../base/bytes.ts'
import { element } from '../base/element.ts'
import { badValue, InspectError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { datatypeCoding } from '../format/datatype.ts'
import type { OffsetsList, SectionName } from '../format/metadata-sections.ts'
import { ndRangeSize } from '../format/range.ts'
import { MAX_LEVELS, RTREE_FANOUT, type RTreeLevel } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { u32, u64s } from '../format/u32.ts'
import { countsValidityTiles, type Fragment } from './fragment.ts'
import type { Cursor, PagedTile, Scan } from './paged-tile.ts'

/** From this number of tiles on, the lists of a fragment's metadata are read in pages. */
const MANY_TILES = 10_000
/** Number of tiles in a block. */
export const BLOCK_TILES = 4096

/** Consecutive entries of a list. */
export interface TileBlock<T> {
  /** Number of the tile that the first entry is for. */
  first: number
  entries: T
}

/** A list of a field, or of the MBRs, with one entry per tile. */
export interface TileList<T> {
  /** Number of entries: that of the tiles, unless the metadata is damaged. */
  readonly count: number
  /** All entries; undefined for a long list. */
  readonly whole: T | undefined
  /** Entries `[from, to)`, fewer at the end of the list. A short list gives all its entries. */
  block(from: number, to: number): Promise<TileBlock<T>>
  /** Frees what is kept for the next block. */
  release(): void
}

/**
 * Opens the per-tile lists of a fragment. A long list is never in memory as a whole: opening it checks it for damage, and its
 * blocks are read again on demand. A list that is short or damaged is read as a whole, which throws the right error.
 */
export class TileLists {
  private readonly fragment: Fragment
  private readonly onRead: (bytes: number) => void

  /** @param onRead called with the number of unfiltered bytes of each read from a paged list */
  constructor(fragment: Fragment, onRead: (bytes: number) => void = () => {}) {
    this.fragment = fragment
    this.onRead = onRead
  }

  /** A list of uint64 without surplus entries; undefined if the version has no such list for the slot. */
  async offsets(list: OffsetsList, slot: number): Promise<TileList<Float64Array> | undefined> {
    const stored = await this.storedOffsets(list, slot)
    const info = await this.fragment.info()
    if (!stored || !countsValidityTiles(info)) return stored
    const { whole } = stored
    return whole
      ? this.whole(whole.subarray(0, info.tile_num), (values) => values.length)
      : { ...stored, count: Math.min(stored.count, info.tile_num) }
  }

  /** {@link offsets}, including surplus entries. */
  async storedOffsets(list: OffsetsList, slot: number): Promise<TileList<Float64Array> | undefined> {
    const [paged] = (await this.paged(list, slot, (tile) => eightsIn(tile, (bytes) => u64s(bytes)), sizesOnly)) ?? []
    return paged ?? this.whole(await this.fragment.storedOffsets(list, slot), (values) => values.length)
  }

  /** Sums, 8 bytes each; undefined before version 11. */
  async sums(slot: number): Promise<TileList<Uint8Array> | undefined> {
    const [paged] = (await this.paged('tile_sums', slot, (tile) => eightsIn(tile, (bytes) => bytes))) ?? []
    return paged ?? this.whole(await this.fragment.tileSums(slot), (values) => Math.floor(values.length / 8))
  }

  /**
   * Minima or maxima; undefined before version 11. In a block of a var-sized field, `fixed` has offsets into the `variable` of
   * that block.
   * @param cellSize bytes of a value; undefined for var-sized fields
   */
  async minMax(
    which: 'min' | 'max',
    slot: number,
    cellSize: number | undefined,
  ): Promise<TileList<TileMinMax> | undefined> {
    const listsIn = (tile: PagedTile): Promise<TileList<TileMinMax>[] | undefined> =>
      cellSize === undefined ? varMinMaxIn(tile) : minMaxIn(tile, cellSize)
    const [paged] = (await this.paged(`tile_${which}s`, slot, listsIn)) ?? []
    const size = cellSize ?? 8
    return (
      paged ?? this.whole(await this.fragment.tileMinMax(which, slot), ({ fixed }) => Math.floor(fixed.length / size))
    )
  }

  /** The MBRs of tiles, which are the leaves of the R-tree. Undefined if it has none, as in dense fragments. */
  async boxes(): Promise<TileList<RTreeLevel> | undefined> {
    return (await this.rtree()).levels.at(-1)
  }

  /** The levels of the R-tree, the root first. */
  async rtree(): Promise<{ fanout: number; levels: TileList<RTreeLevel>[] }> {
    const { format_version, schema } = await this.fragment.info()
    const stride = ndRangeSize(schema.domain.dimensions)
    const paged =
      stride !== undefined && (await this.paged('rtree', undefined, (tile) => levelsIn(tile, format_version, stride)))
    if (paged) return { fanout: RTREE_FANOUT, levels: paged }
    const { fanout, levels } = this.fragment.rtreeSync() ?? (await this.fragment.rtree())
    return { fanout, levels: levels.flatMap((level) => this.whole(level, ({ mbr_num }) => mbr_num) ?? []) }
  }

  /** Paged lists of one section. Undefined if there is no such section, it is damaged, or its last list is short. */
  private async paged<T>(
    section: SectionName,
    slot: number | undefined,
    listsIn: (tile: PagedTile) => Promise<TileList<T>[] | undefined>,
    scan?: Scan,
  ): Promise<TileList<T>[] | undefined> {
    if ((await this.fragment.info()).tile_num < MANY_TILES) return undefined
    try {
      const tile = await this.fragment.pagedSection(section, slot, scan)
      const lists = (tile && (await listsIn(tile))) ?? []
      for (const list of lists) list.release()
      if (!tile || (lists.at(-1)?.count ?? 0) < MANY_TILES) return undefined
      this.onRead(tile.length)
      const count = sum(lists, (list) => list.count)
      return lists.map((list) => ({
        ...list,
        block: (from, to) => {
          this.onRead(((to - from) / count) * tile.length)
          return list.block(from, to)
        },
      }))
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      return undefined
    }
  }

  /** A list that is in memory as a whole. */
  private whole<T>(entries: T | undefined, countOf: (entries: T) => number): TileList<T> | undefined {
    this.fragment.forget()
    return (
      entries && {
        count: countOf(entries),
        whole: entries,
        block: async () => ({ first: 0, entries }),
        release() {
          // There is nothing to free.
        },
      }
    )
  }
}

/** The entries of a list from `from` on, block by block. */
export async function* blocksOf<T>(list: TileList<T>, from = 0, length = BLOCK_TILES): AsyncGenerator<TileBlock<T>> {
  for (let at = from; at < list.count; at = list.whole ? list.count : at + length)
    yield await list.block(at, at + length)
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

/** A paged list of entries of `size` bytes each, the first at `start`. @param entriesOf returns the entries in some bytes */
function sized<T>(
  cursor: Cursor,
  start: number,
  count: number,
  size: number,
  entriesOf: (bytes: Uint8Array, count: number) => T,
): TileList<T> {
  return inPages(count, [cursor], async (from, to) =>
    entriesOf(await cursor.bytes(start + from * size, start + to * size), to - from),
  )
}

/** Bytes of a count. */
const COUNT_BYTES = 8

/** Refuses uint64 of 2^53 or more by their two highest bytes. The count before them is checked, too. */
const sizesOnly: Scan = (bytes, at) => {
  const shift = at % 8
  for (let i = (14 - shift) % 8; i < bytes.length; i += 8) if ((bytes[i] ?? 0) >= 0x20) throw tooLarge()
  for (let i = (15 - shift) % 8; i < bytes.length; i += 8) if (bytes[i] !== 0) throw tooLarge()
}

function tooLarge(): InspectError {
  return badValue({ expected: 'sizes or offsets below 2^53', found: 'a larger one' })
}

/**
 * The counts at the start of the content. Undefined unless the things that they count fill the rest of the content exactly.
 * @param sizes bytes of each thing that a count is for
 */
async function countsIn(tile: PagedTile, cursor: Cursor, sizes: readonly number[]): Promise<Float64Array | undefined> {
  const head = sizes.length * COUNT_BYTES
  if (tile.length < head) return undefined
  const counts = u64s(await cursor.bytes(0, head))
  return sizes.reduce((end, size, i) => end + element(counts, i) * size, head) === tile.length ? counts : undefined
}

/** A list that is stored as a count and entries of 8 bytes. @see tileOffsets, tileSums */
async function eightsIn<T>(tile: PagedTile, entriesOf: (bytes: Uint8Array) => T): Promise<TileList<T>[] | undefined> {
  const cursor = tile.cursor()
  const counts = await countsIn(tile, cursor, [8])
  return counts && [sized(cursor, COUNT_BYTES, element(counts, 0), 8, entriesOf)]
}

/** Bytes of the two lengths before minima or maxima. */
const LENGTHS_BYTES = 16

/** Minima or maxima of a fixed-sized field. @see tileMinMax */
async function minMaxIn(tile: PagedTile, cellSize: number): Promise<TileList<TileMinMax>[] | undefined> {
  const cursor = tile.cursor()
  const [length] = (await countsIn(tile, cursor, [1, 1])) ?? []
  if (length === undefined || length % cellSize !== 0) return undefined
  return [sized(cursor, LENGTHS_BYTES, length / cellSize, cellSize, (fixed) => ({ fixed, variable: NO_BYTES }))]
}

/** {@link minMaxIn} for var-sized fields, where `fixed` has offsets. Also undefined if the offsets ever decrease. */
async function varMinMaxIn(tile: PagedTile): Promise<TileList<TileMinMax>[] | undefined> {
  const [fixed, variable] = [tile.cursor(), tile.cursor()]
  const [length, end] = (await countsIn(tile, fixed, [1, 1])) ?? []
  if (length === undefined || end === undefined || length % 8 !== 0) return undefined
  const count = length / 8
  const values = LENGTHS_BYTES + length
  const starts = async (from: number, to: number): Promise<Float64Array> => {
    const bytes = await fixed.bytes(LENGTHS_BYTES + from * 8, LENGTHS_BYTES + Math.min(to, count) * 8)
    return u64s(bytes, to > count ? end : undefined)
  }
  let last = 0
  for (let from = 0; from < count; from += BLOCK_TILES) {
    for (const start of await starts(from, Math.min(from + BLOCK_TILES, count))) {
      if (start < last || start > end) return undefined
      last = start
    }
  }
  const read = async (from: number, to: number): Promise<TileMinMax> => {
    if (from === to) return { fixed: NO_BYTES, variable: NO_BYTES }
    const bounds = await starts(from, to + 1)
    const first = element(bounds, 0)
    const rebased = BigUint64Array.from(bounds.subarray(0, to - from), (start) => BigInt(start - first))
    return {
      fixed: new Uint8Array(rebased.buffer),
      variable: await variable.bytes(values + first, values + element(bounds, to - from)),
    }
  }
  return [inPages(count, [fixed, variable], read)]
}

/** The levels of an R-tree with TileDB's usual fanout. @see rtree @param stride bytes of an MBR */
async function levelsIn(tile: PagedTile, version: number, stride: number): Promise<TileList<RTreeLevel>[] | undefined> {
  const cursor = tile.cursor()
  // Before version 5, dim_num and type are stored besides fanout and level_num.
  const old = version < 5
  const head = old ? 13 : 8
  if (tile.length < head) return undefined
  const bytes = await cursor.bytes(0, head)
  if (old && datatypeCoding.decode(element(bytes, 8)) === undefined) return undefined
  if (u32(bytes, old ? 4 : 0) !== RTREE_FANOUT) return undefined
  const levelNum = u32(bytes, head - 4)
  if (levelNum > MAX_LEVELS) return undefined
  const levels: TileList<RTreeLevel>[] = []
  let at = head
  for (let level = 0; level < levelNum; level++) {
    if (at + COUNT_BYTES > tile.length) return undefined
    const [mbr_num = 0] = u64s(await cursor.bytes(at, at + COUNT_BYTES))
    const entriesOf = (mbrs: Uint8Array, count: number) => ({ mbr_num: count, bytes: mbrs, starts: undefined })
    levels.push(sized(tile.cursor(), at + COUNT_BYTES, mbr_num, stride, entriesOf))
    at += COUNT_BYTES + mbr_num * stride
  }
  return at === tile.length ? levels : undefined
}
