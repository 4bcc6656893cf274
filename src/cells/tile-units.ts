import { InspectError } from '../base/errors.ts'
import { mayHoldOffsets } from '../filters/registry.ts'
import type { Storage } from '../source/source.ts'
import type { Fragment } from '../store/fragment.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import { openFragment } from '../store/target.ts'
import { LARGE_TILE } from './tile-chunks.ts'
import { isStringOffsetsTile, TileFile, type TileRole } from './tile-files.ts'

/** Some tiles of some files of a fragment, whose filters any thread can undo. */
export interface TileUnit {
  /** Path of the fragment. */
  path: string
  files: readonly { slot: number; role: TileRole }[]
  /** In rising order. */
  tiles: readonly number[]
  /** Unfiltered bytes of all tiles. */
  bytes: number
  /** Memory for the unfiltered bytes, if it is large enough. */
  room: ArrayBuffer | undefined
}

/** Unfiltered tiles, back to back in `room`. */
export interface UnfilteredTiles {
  tiles: readonly number[]
  room: ArrayBuffer
  /** Start and end of each tile, file by file. Both are -1 if the tile was not read; the reader then finds out why. */
  places: Float64Array
}

/** Runs units on several threads. */
export interface TileUnitRunner {
  /** From this many unfiltered bytes on, threads save more time than they take to start. */
  readonly worthBytes: number
  /** Fewest unfiltered bytes in a unit. */
  readonly unitBytes: number
  /** Gives the results of units in their order. @param own runs a unit on this thread */
  run(units: Iterable<TileUnit>, own: (unit: TileUnit) => Promise<UnfilteredTiles>): AsyncIterable<UnfilteredTiles>
}

/**
 * The files of a fragment whose filters other threads may undo, split into units of work.
 */
export class TileUnits {
  /** The files that are worth sharing. */
  readonly files: readonly TileFile[]
  private readonly path: string
  private readonly tiles: readonly number[]
  private readonly unitBytes: number
  private readonly rooms: ArrayBuffer[] = []

  private constructor(path: string, files: readonly TileFile[], tiles: readonly number[], unitBytes: number) {
    this.path = path
    this.files = files
    this.tiles = tiles
    this.unitBytes = unitBytes
  }

  /** @returns undefined if other threads would not help */
  static of(
    { folder }: Fragment,
    files: readonly TileFile[],
    tiles: readonly number[],
    { worthBytes, unitBytes }: TileUnitRunner,
  ): TileUnits | undefined {
    const filtered = files.filter(isWorthIt)
    // Other threads would ask the server again for all that this thread has.
    if (folder.isRemote || filtered.length === 0) return undefined
    const units = new TileUnits(folder.path, filtered, tiles, unitBytes)
    let bytes = 0
    for (const tile of tiles) {
      const size = units.sizeOf(tile)
      // Several units are in memory at once, so large tiles are not shared.
      if (size === undefined || size > LARGE_TILE) return undefined
      bytes += size
    }
    return bytes < worthBytes ? undefined : units
  }

  /** Unfiltered bytes of a tile, over all files; undefined if the metadata does not say. */
  private sizeOf(tile: number): number | undefined {
    let sum = 0
    for (const file of this.files) {
      const size = file.expectedSize(tile)
      if (size === undefined) return undefined
      sum += size
    }
    return sum
  }

  *[Symbol.iterator](): Generator<TileUnit> {
    const files = this.files.map(({ slot, role }) => ({ slot, role }))
    let tiles: number[] = []
    let bytes = 0
    for (const tile of this.tiles) {
      tiles.push(tile)
      bytes += this.sizeOf(tile) ?? 0
      if (bytes < this.unitBytes) continue
      yield { path: this.path, files, tiles, bytes, room: this.rooms.pop() }
      tiles = []
      bytes = 0
    }
    if (tiles.length > 0) yield { path: this.path, files, tiles, bytes, room: this.rooms.pop() }
  }

  /** Hands unfiltered tiles to their files, which return them when read. */
  lend({ tiles, room, places }: UnfilteredTiles): void {
    this.files.forEach((file, f) => {
      const lent = new Map<number, Uint8Array>()
      tiles.forEach((tile, t) => {
        const at = 2 * (f * tiles.length + t)
        if (places[at] >= 0) lent.set(tile, new Uint8Array(room, places[at], places[at + 1] - places[at]))
      })
      file.lent = lent
    })
  }

  /** Takes back memory that nobody reads any more. A file's lent tiles stay until the next are lent. */
  takeBack({ room }: UnfilteredTiles): void {
    this.rooms.push(room)
  }
}

/** Whether there are filters to undo, and no offsets that come out beside the values. */
function isWorthIt({ filters, role }: TileFile): boolean {
  return filters.length > 0 && !(role === 'var' && mayHoldOffsets(filters))
}

/** Undoes the filters of a unit's tiles. @param files those of the unit */
export async function unfilterUnit(files: readonly TileFile[], unit: TileUnit): Promise<UnfilteredTiles> {
  const { tiles, bytes } = unit
  const room = unit.room && unit.room.byteLength >= bytes ? unit.room : new ArrayBuffer(bytes)
  const places = noPlaces(files.length, tiles.length)
  let at = 0
  for (const [f, file] of files.entries()) {
    const wanted = new Set(tiles)
    file.plan(tiles[0], tiles[tiles.length - 1], { skip: (tile) => !wanted.has(tile), reuse: true })
    for (const [t, tile] of tiles.entries()) {
      const data = await unfiltered(file, tile, new Uint8Array(room, at))
      if (!data || at + data.length > bytes) continue
      if (data.buffer !== room) new Uint8Array(room).set(data, at)
      const place = 2 * (f * tiles.length + t)
      places[place] = at
      at += data.length
      places[place + 1] = at
    }
  }
  return { tiles, room, places }
}

/**
 * Undefined if the tile cannot be read, if there is a note to give about it, or if its string offsets must be read with the
 * data.
 */
async function unfiltered(file: TileFile, tile: number, into: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const stored = await file.stored(tile)
    if (file.role === 'offsets' && isStringOffsetsTile(stored)) return undefined
    let lost = false
    const onLostTail = (): void => {
      lost = true
    }
    const { data } = await file.unfilter(tile, stored, { into, onLostTail })
    return lost ? undefined : data
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return undefined
  }
}

/** Runs units on a thread that has no fragment open yet. */
export class TileUnitWorker {
  private readonly storage: Storage
  private readonly cx: ReadContext
  private open: { path: string; fragment: Fragment; files: Map<string, TileFile> } | undefined

  constructor(storage: Storage, cx: ReadContext) {
    this.storage = storage
    this.cx = cx
  }

  async run(unit: TileUnit): Promise<UnfilteredTiles> {
    let files: readonly TileFile[]
    try {
      files = await this.filesOf(unit)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      return noneOf(unit)
    }
    return unfilterUnit(files, unit)
  }

  private async filesOf(unit: TileUnit): Promise<readonly TileFile[]> {
    const { fragment, files } = await this.opened(unit.path)
    const wanted: TileFile[] = []
    for (const { slot, role } of unit.files) {
      const key = `${role} ${slot}`
      const file = files.get(key) ?? (await TileFile.open(fragment, slot, role))
      files.set(key, file)
      wanted.push(file)
    }
    return wanted
  }

  private async opened(path: string): Promise<{ fragment: Fragment; files: Map<string, TileFile> }> {
    if (this.open?.path !== path)
      this.open = { path, fragment: await openFragment(this.storage, path, this.cx), files: new Map() }
    return this.open
  }
}

/** The result of a unit of which nothing could be read. */
function noneOf({ tiles, files, room }: TileUnit): UnfilteredTiles {
  return { tiles, room: room ?? new ArrayBuffer(0), places: noPlaces(files.length, tiles.length) }
}

function noPlaces(fileNum: number, tileNum: number): Float64Array {
  return new Float64Array(2 * fileNum * tileNum).fill(-1)
}
