import { concat, NO_BYTES } from '../base/bytes.ts'
import { exitCodeOf, faultOf, type InspectError } from '../base/errors.ts'
import type { ColumnType } from '../cells/column.ts'
import { allCells } from '../cells/elements.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { holdsStringOffsets, isStringOffsetsTile, TileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { cellSizeOf, ExtremeList, fragmentStatistics, TileStatistics } from '../cells/tile-statistics.ts'
import type { TileReadOptions } from '../filters/pipeline.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'
import { type ReadContext, readContext } from '../objects/read-context.ts'
import { openTarget } from '../objects/target.ts'
import { passedOn } from '../storage/overlay.ts'
import type { Storage } from '../storage/source.ts'
import { openAnatomy } from './files.ts'
import { everyPart, type Part, type PartSettings } from './part.ts'

/**
 * What notices each flipped bit of a byte, lowest bit first. Names are `CHECKSUM_SHA256`, `AES_256_GCM`, `gzip`, `tile_mins`, the
 * name of a count or size, and so on. A list is empty if nothing notices. Each flip is tried on a copy in memory.
 */
export type Detectors = readonly (readonly string[])[]

export const BITS = 8

/** A storage in which one bit of one file is flipped, or none. Nothing is written. */
interface FlippedStorage extends Storage {
  bit: number | undefined
}

function flippedStorage(below: Storage, flippedPath: string, flippedOffset: number): FlippedStorage {
  const storage: FlippedStorage = {
    ...passedOn(below),
    bit: undefined,
    kind: (path) => below.kind(path),
    list: (path) => below.list(path),
    open(path) {
      const source = below.open(path)
      if (path !== flippedPath) return source
      return {
        name: source.name,
        size: () => source.size(),
        close: () => source.close(),
        async read(offset, length) {
          const bytes = await source.read(offset, length)
          const at = flippedOffset - offset
          if (storage.bit === undefined || at < 0 || at >= length) return bytes
          const flipped = bytes.slice()
          flipped[at] ^= 1 << storage.bit
          return flipped
        },
      }
    },
  }
  return storage
}

/** Flips each bit in turn. @param notice finds what notices the flip */
async function eachBit(storage: FlippedStorage, notice: () => Promise<ReadonlySet<string>>): Promise<Detectors> {
  const bits: string[][] = []
  for (let bit = 0; bit < BITS; bit++) {
    storage.bit = bit
    bits.push([...(await notice())])
  }
  return bits
}

/** The detectors of bytes without meaning: none. */
export const UNNOTICED: Detectors = Array.from({ length: BITS }, () => [])

/** Finds what notices flips in a tile of a data file: the filters, or the metadata that describes the cells. */
export async function tileDetectors(
  settings: PartSettings & { storage: Storage },
  path: string,
  file: FieldFile,
  tile: number,
  offset: number,
): Promise<Detectors> {
  const flipped = flippedStorage(settings.storage, path, offset)
  const target = await openTarget(flipped, path, contextOf(settings))
  if (target.type !== 'file' || !target.fragment) return UNNOTICED
  const { fragment } = target
  const tiles = await TileFile.open(fragment, file.slot, tileRole(file))
  try {
    const stringOffsets = await holdsStringOffsets(tiles, tile)
    const readStatistics = await statisticsReader(fragment, file.slot, tile)
    const before = await readStatistics()
    return await eachBit(flipped, async () => {
      const found = new Set<string>()
      const onVerdict: TileReadOptions['onVerdict'] = ({ ok, filter }) => void (ok || found.add(filter))
      try {
        if (tiles.isLarge(tile) && tiles.canReadPieces) await tiles.pieces(tile, { onVerdict }).skip()
        else {
          const stored = await tiles.stored(tile)
          if (!(file.role === 'offsets' && isStringOffsetsTile(stored)))
            await tiles.unfilter(tile, stored, { stringOffsets, onVerdict })
        }
        if (found.size > 0) return found
        const after = await readStatistics()
        for (const [name, value] of before) if (after.get(name) !== value) found.add(name)
      } catch (error) {
        found.add(detectorOf(error))
      }
      return found
    })
  } finally {
    await tiles.close()
    await fragment.close()
  }
}

/** Makes a new context for reads of flipped bytes: what they say about the key must not count for other reads. */
export function contextOf({ reading: { codecs, key, memory } }: Pick<PartSettings, 'reading'>): ReadContext {
  return readContext(codecs, key, memory)
}

/** Opens the cells of one field in one tile. Coordinates come with them, and are only needed for dimensions. */
async function openCells(fragment: Fragment, slot: number, tile: number): Promise<FragmentCells> {
  const { name, kind } = (await fragment.info()).slots[slot]
  const isOwn = (column: ColumnType): boolean =>
    kind === 'coords' ? column.kind === 'dimension' : column.name === name
  return FragmentCells.open(fragment, {
    fields: kind === 'dimension' || kind === 'coords' ? [] : [name],
    tiles: { from: tile, to: tile },
    onColumnError(error, column) {
      if (isOwn(column)) throw error
    },
  })
}

/** Returns why the cells of a tile cannot be read. The cause may lie in another file, such as that of the offsets. */
export async function cellsFault(
  fragment: Fragment,
  { slot }: FieldFile,
  tile: number,
): Promise<InspectError | undefined> {
  try {
    const cells = await openCells(fragment, slot, tile)
    try {
      for await (const _ of cells.batches());
    } finally {
      await cells.close()
    }
    return undefined
  } catch (error) {
    const fault = faultOf(error)
    return exitCodeOf(fault) === 1 ? fault : undefined
  }
}

/** The first fault of a part, or of a part below it. */
export async function faultIn(part: Part): Promise<InspectError | undefined> {
  let left = MAX_PARTS
  for await (const { fault } of everyPart(part)) {
    if (fault) return fault
    if (left-- <= 0) return undefined
  }
  return undefined
}

/** Makes a function that reads a tile and computes its statistics: those that the metadata stores, by the names of its lists. */
async function statisticsReader(
  fragment: Fragment,
  slot: number,
  tile: number,
): Promise<() => Promise<Map<string, string>>> {
  const info = await fragment.info()
  const { name, kind } = info.slots[slot]
  const isDimension = kind === 'dimension' || kind === 'coords'
  const stored = {
    tile_mins: (await fragment.tileMinMax('min', slot))?.fixed,
    tile_maxs: (await fragment.tileMinMax('max', slot))?.fixed,
    tile_sums: await fragment.tileSums(slot),
    tile_null_counts: await fragment.offsets('tile_null_counts', slot),
  }
  const lists = (['tile_mins', 'tile_maxs', 'tile_sums', 'tile_null_counts'] as const).filter(
    (list) => stored[list]?.length,
  )
  return async () => {
    // Cells keep what they have read, so each call opens them again.
    const cells = await openCells(fragment, slot, tile)
    const batches = cells.columns.map((): BatchStatistics[] => [])
    try {
      for await (const batch of cells.batches()) {
        for (const [i, { type, cell_val_num, nullable, kind }] of cells.columns.entries()) {
          const data = batch.columns[i]
          if (!data || (kind === 'dimension') !== isDimension) continue
          const statistics = new TileStatistics({ type, cell_val_num, nullable, dimension: false }, 1)
          const { rows: at } = batch
          statistics.add(0, data, batch.cell_num, at && (() => [{ length: at.length, at }]))
          batches[i].push({ statistics, isNull: statistics.nullCounts[0] === batch.cell_num })
        }
      }
    } finally {
      await cells.close()
    }
    const found = new Map<string, string>()
    for (const [i, column] of cells.columns.entries()) {
      if (batches[i].length === 0) continue
      const all = joinedStatistics(column, batches[i])
      if (column.name === name) for (const list of lists) found.set(list, all[list])
      if (isDimension && !info.dense) found.set(`mbrs ${column.name}`, `${all.tile_mins} ${all.tile_maxs}`)
    }
    return found
  }
}

/** Statistics of the cells of a tile that were read together. */
interface BatchStatistics {
  statistics: TileStatistics
  /** Whether all of these cells are null. */
  isNull: boolean
}

/**
 * The statistics of a tile, by the names of the metadata's lists. They are joined from those of its batches, as TileDB joins the
 * statistics of a fragment from those of its tiles.
 */
function joinedStatistics({ type, cell_val_num, nullable }: ColumnType, all: readonly BatchStatistics[]) {
  const field = { type, cell_val_num, nullable, dimension: false }
  const withValues = all.filter(({ isNull }) => !isNull).map(({ statistics }) => statistics)
  const extremes = (which: 'min' | 'max'): TileMinMax => {
    const list = new ExtremeList(withValues.length, cellSizeOf(field))
    for (const [i, one] of withValues.entries()) list.set(i, one.extreme(which, 0) ?? NO_BYTES)
    return list.list()
  }
  const nullCounts = Float64Array.from(all, ({ statistics }) => statistics.nullCounts[0] ?? 0)
  const sums = concat(withValues.map(({ sums }) => sums))
  const lists = { min: extremes('min'), max: extremes('max'), sums, nullCounts }
  const { min, max, sum, null_count } = fragmentStatistics(field, lists, allCells(withValues.length))
  return { tile_mins: `${min}`, tile_maxs: `${max}`, tile_sums: `${sum}`, tile_null_counts: `${null_count}` }
}

/** Most parts that are visited: a damaged file may seem to have any number of them. */
const MAX_PARTS = 200_000

/** Finds what notices flips in a file that is no data file. Reads only the footer and the section that holds the byte. */
export async function fileDetectors(
  settings: PartSettings & { storage: Storage },
  path: string,
  offset: number,
  section: Part | undefined,
): Promise<Detectors> {
  const flipped = flippedStorage(settings.storage, path, offset)
  return eachBit(flipped, async () => {
    const found = new Set<string>()
    const target = await openTarget(flipped, path, contextOf(settings))
    if (target.type !== 'file') return found
    try {
      const reading = target.fragment?.cx ?? contextOf(settings)
      const { root, close } = await openAnatomy(target, { ...settings, reading })
      await collectFaults(root, found, ({ name, type }) => {
        return section?.type !== 'generic tile' || name === section.name || type === 'gap'
      })
      await close()
    } catch (error) {
      found.add(detectorOf(error))
    } finally {
      await target.fragment?.close()
    }
    return found
  })
}

/** Collects the names of all faults in the wanted children of a file. */
async function collectFaults(root: Part, found: Set<string>, wanted: (child: Part) => boolean): Promise<void> {
  const children = await root.children?.()
  let left = MAX_PARTS
  for (let i = 0; children && i < children.count; i++) {
    const child = await children.at(i)
    if (!wanted(child)) continue
    for await (const { name, fault, verdict, children, elements } of everyPart(child)) {
      if (left-- <= 0) return
      if (fault) found.add(detectorOf(fault))
      else if (verdict === 'invalid' && !children) found.add(name)
      for (let e = 0; elements?.note && e < elements.count; e++)
        if (elements.note(e)?.verdict === 'invalid') found.add(name)
    }
  }
}

/** The name of what raised an error: a checksum, a codec, or the field with an impossible value. */
export function detectorOf(error: unknown): string {
  const { code, at } = faultOf(error)
  const filter = filterNamed(at.field)
  if (code === 'WRONG_KEY' || (code === 'CHECKSUM' && filter === undefined)) return 'AES_256_GCM'
  const name = at.field?.split('.').findLast((step) => !/^\d+$/.test(step))
  return filter ?? name ?? code.toLowerCase()
}

/** The filter in the dotted field name of an error. Compressors are called by their library's name. */
export function filterNamed(field: string | undefined): string | undefined {
  const filter = /(?:^|\.)([A-Z][A-Z0-9_]+)(?:\.|$)/.exec(field ?? '')?.[1]
  return filter !== undefined && isCompressor(filter) ? filter.toLowerCase() : filter
}
