import { InspectError } from '../base/errors.ts'
import type { ColumnType } from '../cells/column.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { isStringOffsetsTile, TileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { fragmentStatistics, TileStatistics } from '../cells/tile-statistics.ts'
import { concat } from '../filters/bytes.ts'
import type { ReadOptions } from '../filters/pipeline.ts'
import { isCompressor } from '../format/filter-type.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import type { ByteSource, Storage } from '../source/source.ts'
import type { FieldFile, Fragment } from '../store/fragment.ts'
import { readContext } from '../store/generic-tile.ts'
import { openTarget } from '../store/target.ts'
import { openAnatomy } from './files.ts'
import type { Anatomist } from './generic-tile.ts'
import type { Part } from './part.ts'

/**
 * What notices each flipped bit of a byte, lowest bit first. Found by trying each flip on a copy in memory. Names are
 * `CHECKSUM_SHA256`, `AES_256_GCM`, `gzip`, `tile_mins`, the name of a count or size, and so on. A list is empty if nothing
 * notices.
 */
export type Detectors = readonly (readonly string[])[]

export const BITS = 8

/** A storage in which one bit of one file is flipped, or none. Nothing is written. */
class FlippedStorage implements Storage {
  bit: number | undefined
  private readonly below: Storage
  private readonly path: string
  private readonly offset: number

  constructor(below: Storage, path: string, offset: number) {
    this.below = below
    this.path = path
    this.offset = offset
  }

  kind(path: string): ReturnType<Storage['kind']> {
    return this.below.kind(path)
  }

  list(path: string): ReturnType<Storage['list']> {
    return this.below.list(path)
  }

  open(path: string): ByteSource {
    const source = this.below.open(path)
    if (path !== this.path) return source
    return {
      name: source.name,
      size: () => source.size(),
      close: () => source.close(),
      read: async (offset, length) => {
        const bytes = await source.read(offset, length)
        const at = this.offset - offset
        if (this.bit === undefined || at < 0 || at >= length) return bytes
        const flipped = bytes.slice()
        flipped[at] ^= 1 << this.bit
        return flipped
      },
    }
  }
}

async function eachBit(storage: FlippedStorage, notice: () => Promise<ReadonlySet<string>>): Promise<Detectors> {
  const bits: string[][] = []
  for (let bit = 0; bit < BITS; bit++) {
    storage.bit = bit
    bits.push([...(await notice())])
  }
  return bits
}

/** For bytes without meaning: no flip is noticed. */
export const UNNOTICED: Detectors = Array.from({ length: BITS }, () => [])

/** For a byte in a tile of a data file: undoes the filters, then compares the cells with the metadata about the tile. */
export async function tileDetectors(
  storage: Storage,
  path: string,
  file: FieldFile,
  tile: number,
  offset: number,
  by: Anatomist,
): Promise<Detectors> {
  const flipped = new FlippedStorage(storage, path, offset)
  const target = await openTarget(flipped, path, readContext(by.cx.codecs, by.cx.key))
  if (target.type !== 'file' || !target.fragment) return UNNOTICED
  const { fragment } = target
  const tiles = await TileFile.open(fragment, file.slot, tileRole(file))
  try {
    const stringOffsets = await keepsOffsets(fragment, file, tile)
    const statistics = await statisticsReader(fragment, file.slot, tile)
    const before = await statistics?.read()
    return await eachBit(flipped, async () => {
      const found = new Set<string>()
      try {
        const onVerdict: ReadOptions['onVerdict'] = ({ ok, filter }) => void (ok || found.add(filter))
        if (tiles.isLarge(tile) && tiles.inPieces) await tiles.pieces(tile, { onVerdict }).skip()
        else {
          const stored = await tiles.stored(tile)
          if (!(file.role === 'offsets' && isStringOffsetsTile(stored)))
            await tiles.unfilter(tile, stored, { stringOffsets, onVerdict })
        }
        if (found.size > 0 || !before) return found
        const after = await statistics?.read()
        for (const [name, value] of before) if (after?.get(name) !== value) found.add(name)
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

async function keepsOffsets(fragment: Fragment, { slot, role }: FieldFile, tile: number): Promise<boolean> {
  if (role !== 'var') return false
  const offsets = await TileFile.open(fragment, slot, 'offsets')
  try {
    return offsets.cells(tile) > 0 && isStringOffsetsTile(await offsets.stored(tile))
  } finally {
    await offsets.close()
  }
}

/** Computes from a tile's cells the statistics that the metadata stores, keyed by the names of its lists. */
interface StatisticsReader {
  read(): Promise<Map<string, string>>
}

async function statisticsReader(fragment: Fragment, slot: number, tile: number): Promise<StatisticsReader | undefined> {
  const info = await fragment.info()
  const { name, kind } = info.slots[slot]
  const dimension = kind === 'dimension' || kind === 'coords'
  const has = {
    tile_mins: ((await fragment.tileMinMax('min', slot))?.fixed.length ?? 0) > 0,
    tile_maxs: ((await fragment.tileMinMax('max', slot))?.fixed.length ?? 0) > 0,
    tile_sums: ((await fragment.tileSums(slot))?.length ?? 0) > 0,
    tile_null_counts: ((await fragment.offsets('tile_null_counts', slot))?.length ?? 0) > 0,
  }
  const tiles = { from: tile, to: tile }
  const cells = await FragmentCells.open(fragment, { fields: dimension ? [] : [name], tiles })
  return {
    async read() {
      const parts = cells.columns.map((): TilePart[] => [])
      for await (const batch of cells.batches()) {
        for (const [i, { type, cell_val_num, nullable, kind }] of cells.columns.entries()) {
          const data = batch.columns[i]
          if (!data || (kind === 'dimension') !== dimension) continue
          const statistics = new TileStatistics({ type, cell_val_num, nullable, dimension: false }, 1)
          statistics.add(0, data, batch.cell_num, batch.rows)
          parts[i].push({ statistics, isNull: statistics.nullCounts()[0] === batch.cell_num })
        }
      }
      const found = new Map<string, string>()
      for (const [i, column] of cells.columns.entries()) {
        if (parts[i].length === 0) continue
        const { min, max, sums, nullCounts } = ofAllParts(column, parts[i])
        if (dimension) {
          if (!info.dense) found.set(`mbrs ${column.name}`, `${min} ${max}`)
          continue
        }
        if (has.tile_mins) found.set('tile_mins', min)
        if (has.tile_maxs) found.set('tile_maxs', max)
        if (has.tile_sums) found.set('tile_sums', sums)
        if (has.tile_null_counts) found.set('tile_null_counts', nullCounts)
      }
      return found
    },
  }
}

/** Cells of a tile that were read together. */
interface TilePart {
  statistics: TileStatistics
  /** Whether all of them are null. */
  isNull: boolean
}

/** The statistics that change when a tile is read in one or more parts. */
function ofAllParts(
  column: ColumnType,
  all: readonly TilePart[],
): { min: string; max: string; sums: string; nullCounts: string } {
  const [{ statistics: first }] = all
  if (all.length === 1) {
    const [min, max] = [first.minima(), first.maxima()].map(({ fixed, variable }) => `${fixed} ${variable}`)
    return { min, max, sums: String(first.sums()), nullCounts: String(first.nullCounts()) }
  }
  // The statistics of a tile are joined from those of its parts, as TileDB joins those of a fragment from its tiles.
  const { type, cell_val_num, nullable } = column
  const parts = all.filter(({ isNull }) => !isNull).map(({ statistics }) => statistics)
  const joined = (list: (part: TileStatistics) => Uint8Array): Uint8Array => concat(parts.map(list))
  const extremes = (which: 'minima' | 'maxima'): TileMinMax => {
    const variable = joined((part) => part[which]().variable)
    if (cell_val_num !== 'var') return { fixed: joined((part) => part[which]().fixed), variable }
    let end = 0
    const starts = parts.map((part) => {
      const start = end
      end += part[which]().variable.length
      return BigInt(start)
    })
    return { fixed: new Uint8Array(BigUint64Array.from(starts).buffer), variable }
  }
  const nullCounts = Float64Array.from(all, ({ statistics }) => statistics.nullCounts()[0] ?? 0)
  const lists = { min: extremes('minima'), max: extremes('maxima'), sums: joined((part) => part.sums()), nullCounts }
  const field = { type, cell_val_num, nullable, dimension: false }
  const { min, max, sum, null_count } = fragmentStatistics(field, lists, { length: parts.length, at: undefined })
  return { min: `${min}`, max: `${max}`, sums: `${sum}`, nullCounts: `${null_count}` }
}

/** Most parts to visit in a damaged file. */
const MAX_PARTS = 200_000

/** For a byte of any other file: reads the file again, but only the byte's own section and the footer. */
export async function fileDetectors(
  storage: Storage,
  path: string,
  offset: number,
  section: Part | undefined,
  by: Anatomist,
): Promise<Detectors> {
  const flipped = new FlippedStorage(storage, path, offset)
  return eachBit(flipped, async () => {
    const found = new Set<string>()
    const target = await openTarget(flipped, path, readContext(by.cx.codecs, by.cx.key))
    if (target.type !== 'file') return found
    try {
      const anatomy = await openAnatomy(target, {
        ...by,
        cx: target.fragment?.cx ?? readContext(by.cx.codecs, by.cx.key),
      })
      const walk = new Walk(found)
      await walk.children(
        anatomy.root,
        (part) => section?.type !== 'generic tile' || part.name === section.name || part.type === 'gap',
      )
      await anatomy.close()
    } catch (error) {
      found.add(detectorOf(error))
    } finally {
      await target.fragment?.close()
    }
    return found
  })
}

/** Collects the names of all faults. */
class Walk {
  private readonly found: Set<string>
  private left = MAX_PARTS

  constructor(found: Set<string>) {
    this.found = found
  }

  async children(part: Part, wanted: (child: Part) => boolean): Promise<void> {
    const children = await part.children?.()
    for (let i = 0; children && i < children.count && this.left > 0; i++) {
      const child = await children.at(i)
      if (wanted(child)) await this.part(child)
    }
  }

  private async part(part: Part): Promise<void> {
    this.left--
    const children = part.children === undefined
    if (part.fault) this.found.add(detectorOf(part.fault))
    else if (part.verdict === 'invalid' && children) this.found.add(part.name)
    const { elements } = part
    for (let i = 0; elements?.note && i < elements.count; i++) {
      if (elements.note(i)?.verdict === 'invalid') this.found.add(part.name)
    }
    await this.children(part, () => true)
  }
}

/** The name of what raised an error: a checksum, a codec, or the field with the impossible value. */
export function detectorOf(error: unknown): string {
  if (!(error instanceof InspectError)) throw error
  const { field } = error.at
  const filter = filterNamed(field)
  if (error.code === 'WRONG_KEY' || (error.code === 'CHECKSUM' && filter === undefined)) return 'AES_256_GCM'
  if (filter !== undefined) return filter
  const name = field?.split('.').findLast((step) => !/^\d+$/.test(step))
  return name ?? error.code.toLowerCase()
}

/** The filter in the dotted field name of an error. Compressors are called by their library's name. */
export function filterNamed(field: string | undefined): string | undefined {
  const filter = /(?:^|\.)([A-Z][A-Z0-9_]+)(?:\.|$)/.exec(field ?? '')?.[1]
  return filter !== undefined && isCompressor(filter) ? filter.toLowerCase() : filter
}
