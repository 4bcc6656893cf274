import { element } from '../base/element.ts'
import { InspectError, orError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { mayHoldOffsets } from '../filters/registry.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { openKnownFragment } from '../objects/target.ts'
import type { Storage } from '../storage/source.ts'
import { isStringOffsetsTile, TileFile, type TileRole } from './tile-files.ts'

/** Some tiles of some files of a fragment, which any thread can unfilter. */
export interface TileUnit {
  /** Path of the fragment. */
  path: string
  files: readonly { slot: number; role: TileRole }[]
  /** In rising order. */
  tiles: readonly number[]
  /** Unfiltered bytes of all tiles. */
  bytes: number
  /** Memory that is used for the unfiltered bytes, if it is large enough. */
  room: ArrayBuffer | undefined
}

/** Unfiltered tiles, back to back in `room`. */
export interface UnfilteredTiles {
  tiles: readonly number[]
  room: ArrayBuffer
  /** Start and end of each tile, file by file. Both are -1 for a tile that was not read: reading it again gives the error. */
  places: Float64Array
}

/** Runs units on several threads. */
export interface TileUnitRunner {
  /** Number of unfiltered bytes from which on threads save more time than they take to start. */
  readonly worthBytes: number
  /** Unfiltered bytes, over all files, of the largest tiles that are shared: several units are in memory at once. */
  readonly largestTile: number
  /** Lower limit on the unfiltered bytes in a unit. */
  readonly unitBytes: number
  /** Runs units and returns their results in order. @param runHere runs a unit on this thread */
  run(units: Iterable<TileUnit>, runHere: (unit: TileUnit) => Promise<UnfilteredTiles>): AsyncIterable<UnfilteredTiles>
}

/** The tiles of a fragment that other threads may unfilter, split into units of work. */
interface TileUnits extends Iterable<TileUnit> {
  /** The files that are worth sharing. */
  readonly files: readonly TileFile[]
  /** Hands unfiltered tiles to their files, which return them when read. */
  lend(done: UnfilteredTiles): void
  /** Takes back the memory of tiles that nobody reads any more, for later units. The files keep them until {@link lend}. */
  takeBack(done: UnfilteredTiles): void
}

/** Splits tiles into units of work. @returns undefined if other threads would not help */
export function tileUnits(
  { folder }: Fragment,
  all: readonly TileFile[],
  tiles: readonly number[],
  { worthBytes, largestTile, unitBytes }: TileUnitRunner,
): TileUnits | undefined {
  const files = all.filter(isWorthIt)
  // Over a network, other threads would fetch again what this thread has already read.
  if (folder.isRemote || files.length === 0) return undefined
  /** Unfiltered bytes of a tile, over all files; NaN if the metadata does not say. */
  const sizeOf = (tile: number): number => sum(files, (file) => file.expectedSize(tile) ?? Number.NaN)
  let total = 0
  for (const tile of tiles) {
    const size = sizeOf(tile)
    if (Number.isNaN(size) || size > largestTile) return undefined
    total += size
  }
  if (total < worthBytes) return undefined
  const rooms: ArrayBuffer[] = []
  return {
    files,
    *[Symbol.iterator]() {
      const names = files.map(({ slot, role }) => ({ slot, role }))
      let some: number[] = []
      let bytes = 0
      for (const [i, tile] of tiles.entries()) {
        some.push(tile)
        bytes += sizeOf(tile)
        if (bytes < unitBytes && i < tiles.length - 1) continue
        yield { path: folder.path, files: names, tiles: some, bytes, room: rooms.pop() }
        some = []
        bytes = 0
      }
    },
    lend({ tiles, room, places }) {
      for (const [f, file] of files.entries()) {
        const lent = new Map<number, Uint8Array>()
        for (const [t, tile] of tiles.entries()) {
          const at = 2 * (f * tiles.length + t)
          const [start, end] = [element(places, at), element(places, at + 1)]
          if (start >= 0) lent.set(tile, new Uint8Array(room, start, end - start))
        }
        file.lent = lent
      }
    },
    takeBack: ({ room }) => void rooms.push(room),
  }
}

/** Whether the file has filters, and they keep no offsets of strings among the values. */
function isWorthIt({ filters, role }: TileFile): boolean {
  return filters.length > 0 && !(role === 'var' && mayHoldOffsets(filters))
}

/** Unfilters a unit's tiles. @param files files of the unit */
export async function unfilterUnit(files: readonly TileFile[], unit: TileUnit): Promise<UnfilteredTiles> {
  const { tiles, bytes } = unit
  const room = unit.room && unit.room.byteLength >= bytes ? unit.room : new ArrayBuffer(bytes)
  const places = noPlaces(files.length, tiles.length)
  let at = 0
  for (const [f, file] of files.entries()) {
    const wanted = new Set(tiles)
    file.plan(element(tiles, 0), element(tiles, tiles.length - 1), { skip: (tile) => !wanted.has(tile), reuse: true })
    for (const [t, tile] of tiles.entries()) {
      const data = await unfiltered(file, tile, new Uint8Array(room, at))
      if (!data || at + data.length > bytes) continue
      if (data.buffer !== room) new Uint8Array(room).set(data, at)
      places.set([at, at + data.length], 2 * (f * tiles.length + t))
      at += data.length
    }
  }
  return { tiles, room, places }
}

/**
 * The unfiltered bytes of a tile. Undefined if it cannot be read, if the reader must report lost bytes or another type, or if its string
 * offsets are among the values.
 */
async function unfiltered(file: TileFile, tile: number, into: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const stored = await file.stored(tile)
    if (file.role === 'offsets' && isStringOffsetsTile(stored)) return undefined
    let lost = false
    const onLostTail = (): void => {
      lost = true
    }
    const { data } = await file.unfilter(tile, stored, { into, onLostTail, onOtherType: onLostTail })
    return lost ? undefined : data
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return undefined
  }
}

/** The function that runs units on another thread. If a unit's files cannot be opened, its result has no tiles. */
export function tileUnitWorker(storage: Storage, cx: ReadContext): (unit: TileUnit) => Promise<UnfilteredTiles> {
  /** The files of the last unit. */
  let open: { wanted: string; files: readonly TileFile[] } | undefined
  const filesOf = async ({ path, files }: TileUnit): Promise<readonly TileFile[]> => {
    const wanted = JSON.stringify([path, files])
    if (open?.wanted === wanted) return open.files
    for (const file of open?.files ?? []) await file.close()
    open = undefined
    const fragment = await openKnownFragment(storage, path, cx)
    const opened: TileFile[] = []
    for (const { slot, role } of files) opened.push(await TileFile.open(fragment, slot, role))
    await fragment.close()
    open = { wanted, files: opened }
    return opened
  }
  return async (unit) => {
    const files = await orError(() => filesOf(unit))
    if (!(files instanceof InspectError)) return unfilterUnit(files, unit)
    const { tiles, room } = unit
    return { tiles, room: room ?? new ArrayBuffer(0), places: noPlaces(unit.files.length, tiles.length) }
  }
}

/** Places of tiles that were not read. */
function noPlaces(fileNum: number, tileNum: number): Float64Array {
  return new Float64Array(2 * fileNum * tileNum).fill(-1)
}
