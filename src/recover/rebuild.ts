import { concat, NO_BYTES } from '../base/bytes.ts'
import { damageOf, type InspectError } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { sum } from '../base/sum.ts'
import type { ColumnData } from '../cells/column.ts'
import type { VisitedCells } from '../cells/elements.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { KnownNulls } from '../cells/known-nulls.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import { TileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { TileStatistics } from '../cells/tile-statistics.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { Layout } from '../format/layout.ts'
import type { NDRange } from '../format/range.ts'
import { Fragment } from '../objects/fragment.ts'
import { withFile } from '../storage/overlay.ts'
import type { ByteRange } from '../storage/source.ts'
import { Folder } from '../storage/source.ts'
import { DenseTiler } from '../write/dense-tiler.ts'
import { FieldWriter } from '../write/field-writer.ts'
import {
  emptySlot,
  type FragmentMetadataToWrite,
  type SlotMetadata,
  type TileBounds,
  withStatistics,
  writeFragmentMetadata,
} from '../write/fragment-metadata-writer.ts'
import { phantomSlot, tileBoundsOf } from '../write/fragment-writer.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import { wholeDomain } from './dense-domain.ts'
import type { DataFile, MetadataFacts } from './facts.ts'
import { type KeptStatistics, keep } from './kept-statistics.ts'

/** Tiles of a fragment that become a fragment of their own: all of them, or some that can be read. */
export interface TileSelection {
  /** Indexes of the tiles, in ascending order. */
  tiles: readonly number[]
  /** The box that these tiles fill, in a dense fragment. */
  domain: NDRange | undefined
}

/** A fragment made of stored tiles: ranges of the old data files or new bytes, and new metadata. */
export interface RebuiltFragment {
  files: ({ name: string } & ({ ranges: ByteRange[] } | { bytes: Uint8Array }))[]
  metadata: Uint8Array
}

/** A tile that cannot be read, because the stored bytes of one of its fields are damaged or gone. */
export interface UnreadTile {
  tile: number
  field: string
  error: InspectError
}

/** A fragment whose metadata was replaced in memory by what is needed to read its tiles. */
export interface OpenedTiles {
  facts: MetadataFacts
  fragment: Fragment
  lastTileCellNum: number
  /** What the old statistics say about nulls; undefined if the old metadata cannot be trusted. */
  nulls: KnownNulls | undefined
}

/** Opens the tiles of a fragment with metadata made from other facts. */
export async function openTiles(damaged: Fragment, facts: MetadataFacts, cx: WriteContext): Promise<OpenedTiles> {
  const open = async (lastTileCellNum: number): Promise<OpenedTiles> => {
    const { schema, tileNum, domain } = facts
    const anywhere = wholeDomain(schema)
    const values = anywhere.map(({ min }) => min)
    const bounds: TileBounds = { mbr: anywhere, first: values, last: values }
    const bytes = await metadataFile(
      facts,
      { tiles: all(tileNum), domain },
      {
        statistics: [],
        bounds: facts.dense ? [] : new Array<TileBounds>(tileNum).fill(bounds),
        lastTileCellNum,
      },
      cx,
    )
    const { folder, cx: reading, array } = damaged
    const storage = withFile(folder.storage, `${folder.path}/${FRAGMENT_METADATA_FILE}`, bytes)
    const fragment = new Fragment(new Folder(storage, folder.path), reading, array).asStored()
    const nulls = facts.metadataAgrees ? new KnownNulls(damaged) : undefined
    return { facts, fragment, lastTileCellNum, nulls }
  }
  if (facts.lastTileCellNum !== undefined) return open(facts.lastTileCellNum)
  const guess = await open(facts.cellsPerTile)
  return open(await countedTexts(guess))
}

/** Number of cells in the last tile, from a field of text whose filter stores the offsets. */
async function countedTexts({ facts, fragment }: OpenedTiles): Promise<number> {
  for (const { slot, role } of facts.files) {
    if (role !== 'var') continue
    const file = await TileFile.open(fragment, slot, tileRole({ role }))
    try {
      const { offsets } = await file.read(facts.tileNum - 1, { stringOffsets: true })
      if (offsets) return offsets.length
    } finally {
      await file.close()
    }
  }
  return facts.cellsPerTile
}

/** The indexes of all tiles. */
export function all(tileNum: number): number[] {
  return Array.from({ length: tileNum }, (_, tile) => tile)
}

/** The metadata of tiles that follows from their cells. */
interface Measured {
  /** Statistics by slot; undefined for a slot without files, and before version 11. */
  statistics: readonly (TileStatistics | undefined)[]
  bounds: readonly TileBounds[]
  lastTileCellNum: number
  /** Validity that cannot be read, but is proven, by slot and tile. */
  proven: ReadonlyMap<number, ReadonlyMap<number, Uint8Array>>
}

/**
 * Makes a fragment from some tiles of another one. Stored bytes are copied as they are; the metadata is computed from the cells.
 * @param kept what is not computed from the cells
 * @param onUnread called once per field of a tile that cannot be read
 * @returns undefined if a tile cannot be read
 */
export async function rebuild(
  opened: OpenedTiles,
  selection: TileSelection,
  kept: KeptStatistics,
  cx: WriteContext,
  onUnread: (unread: UnreadTile) => void,
): Promise<RebuiltFragment | undefined> {
  const { facts } = opened
  let isWhole = true
  const measured = await measure(opened, selection, kept, (unread) => {
    isWhole = false
    onUnread(unread)
  })
  if (!isWhole) return undefined
  const files: DataFile[] = []
  const written: RebuiltFragment['files'] = []
  for (const file of facts.files) {
    const { name, isUnused } = file
    const ranges = rangesOf(file, selection.tiles)
    const proven = file.role === 'validity' && measured.proven.get(file.slot)
    if (proven) {
      const made = await withProven(opened, file, selection.tiles, proven, cx)
      files.push(made.file)
      written.push({ name, bytes: made.bytes })
    } else {
      files.push(file)
      written.push(isUnused ? { name, bytes: new Uint8Array(sum(ranges, ({ length }) => length)) } : { name, ranges })
    }
  }
  return { files: written, metadata: await metadataFile({ ...facts, files }, selection, measured, cx) }
}

/** The metadata of tiles with what is kept of the old one, even if some tiles cannot be read. */
export async function metadataWith(
  opened: OpenedTiles,
  selection: TileSelection,
  kept: KeptStatistics,
  cx: WriteContext,
): Promise<Uint8Array> {
  return metadataFile(opened.facts, selection, await measure(opened, selection, kept, () => {}), cx)
}

/** A file of validity in which some tiles are made anew. @param proven the validity of these tiles */
async function withProven(
  { facts, fragment }: OpenedTiles,
  file: DataFile,
  tiles: readonly number[],
  proven: ReadonlyMap<number, Uint8Array>,
  cx: WriteContext,
): Promise<{ file: DataFile; bytes: Uint8Array }> {
  const { version: formatVersion, ...fields } = facts
  const writer = await FieldWriter.open({ ...cx, ...fields, formatVersion }, file.slot)
  const starts = new Float64Array(facts.tileNum)
  const parts: Uint8Array[] = []
  let size = 0
  let next = 0
  const source = fragment.folder.file(file.name)
  try {
    for (const tile of tiles) {
      starts.fill(size, next, tile + 1)
      next = tile + 1
      const validity = proven.get(tile)
      const [from, end] = [file.starts[tile], file.starts[tile + 1] ?? file.size]
      const part = validity ? writer.storedValidity(validity) : await source.read(from, end - from)
      parts.push(part)
      size += part.length
    }
  } finally {
    await source.close()
  }
  starts.fill(size, next)
  return { file: { ...file, starts, size }, bytes: concat(parts) }
}

async function measure(
  { facts, fragment, lastTileCellNum, nulls }: OpenedTiles,
  { tiles, domain }: TileSelection,
  kept: KeptStatistics,
  onUnread: (unread: UnreadTile) => void,
): Promise<Measured> {
  const { schema, slots, dense, version, cellsPerTile, tileNum } = facts
  const { dimensions } = schema.domain
  const cellNum = (tile: number): number => (tile === tileNum - 1 ? lastTileCellNum : cellsPerTile)
  const withFiles = new Set(facts.files.map(({ slot }) => slot))
  const statistics = slots.map((slot, i) =>
    version >= 11 && withFiles.has(i)
      ? new TileStatistics({ ...slot, dimension: slot.kind === 'dimension' }, tiles.length)
      : undefined,
  )
  const tiler = dense && domain ? new DenseTiler(schema, domain) : undefined
  const places = new Map(tiles.map((tile, place) => [tile, place]))
  const proven = new Map<number, Map<number, Uint8Array>>()
  const cells = await FragmentCells.open(fragment, {
    fill: true,
    withoutCoordinates: true,
    wholeTiles: true,
    withUnreadable: true,
    skipTile: (tile) => !places.has(tile),
    onColumnError: (error, { name: field }, tile) => onUnread({ tile, field, error }),
    async lostValidity(error, slot, tile) {
      const one = await nulls?.proven(slot, tile)
      damageOf(error)
      if (one === undefined) throw error
      const validity = new Uint8Array(cellNum(tile)).fill(one)
      proven.set(slot, (proven.get(slot) ?? new Map<number, Uint8Array>()).set(tile, validity))
      return validity
    },
  })
  const bounds: TileBounds[] = []
  const numbers = new Map(slots.map(({ name, kind }, i) => [`${kind} ${name}`, i] as const).toReversed())
  const slotOf = cells.columns.map(({ name, kind }) => numbers.get(`${kind} ${name}`) ?? -1)
  try {
    for await (const { tile, columns } of cells.batches()) {
      const place = places.get(tile) ?? 0
      const coordinates = columns.slice(0, dimensions.length)
      if (!dense && coordinates.every(isThere)) {
        const found = tileBoundsOf(dimensions, coordinates, cellNum(tile))
        bounds.push({ ...found, mbr: kept.boxes.get(tile) ?? found.mbr })
      } else if (!dense) {
        // Only what is compared with the old metadata has tiles that cannot be read.
        const mbr = kept.boxes.get(tile) ?? wholeDomain(schema)
        const values = mbr.map(({ min }) => min)
        bounds.push({ mbr, first: values, last: values })
      }
      const written = tiler && writtenOf(tiler, place, schema.cell_order)
      for (const [i, column] of columns.entries()) {
        const slot = slotOf[i]
        if (column && slot >= 0)
          statistics[slot]?.add(place, column, cellNum(tile), written, tiler && (() => tiler.slabs(place, 'row-major')))
      }
    }
  } finally {
    await cells.close()
  }
  keep(kept, statistics, places)
  const last = tiles.length === 0 ? 0 : cellNum(tiles[tiles.length - 1])
  return { statistics, bounds, lastTileCellNum: last, proven }
}

/** Returns the written cells of a tile in the writer's order, row by row; undefined for all in cell order. */
function writtenOf(tiler: DenseTiler, tile: number, order: Layout): (() => Iterable<VisitedCells>) | undefined {
  if (order !== 'col-major') return tiler.rowPieces(tile)
  const { written: at } = tiler.tile(tile)
  return at && (() => [{ length: at.length, at }])
}

function isThere(column: ColumnData | undefined): column is ColumnData {
  return column !== undefined
}

/** The stored bytes of some tiles. Tiles that follow one another share a range. */
function rangesOf({ starts, size }: DataFile, tiles: readonly number[]): ByteRange[] {
  const ranges: ByteRange[] = []
  for (const tile of tiles) {
    const [offset, end] = [starts[tile], starts[tile + 1] ?? size]
    const last = ranges.at(-1)
    if (last && last.offset + last.length === offset) last.length += end - offset
    else ranges.push({ offset, length: end - offset })
  }
  return ranges
}

async function metadataFile(
  facts: MetadataFacts,
  { tiles, domain }: TileSelection,
  { statistics, bounds, lastTileCellNum }: Omit<Measured, 'proven'>,
  cx: WriteContext,
): Promise<Uint8Array> {
  const { schema, schemaName, version, dense, slots, processedConditions } = facts
  const empty = { min: NO_BYTES, max: NO_BYTES }
  const files = groupBy(facts.files, ({ slot }) => slot)
  const metadata: FragmentMetadataToWrite = {
    fragment: { schema, schemaName, formatVersion: version, processedConditions: processedConditions ?? [] },
    dense,
    slots,
    slotMetadata: slots.map((slot, i) =>
      slot.phantom ? phantomSlot(schema, tiles.length) : slotMetadata(files.get(i) ?? [], tiles, statistics[i]),
    ),
    nonemptyDomain:
      domain ??
      (bounds.length === 0
        ? schema.domain.dimensions.map(() => empty)
        : unionOf(
            bounds.map(({ mbr }) => mbr),
            schema.domain.dimensions,
          )),
    tiles: bounds,
    lastTileCellNum,
  }
  return (await writeFragmentMetadata(metadata, cx)).file
}

/** The metadata of one slot, from its stored tiles and the statistics of their cells. */
function slotMetadata(
  files: readonly DataFile[],
  tiles: readonly number[],
  statistics: TileStatistics | undefined,
): SlotMetadata {
  const metadata = emptySlot(tiles.length)
  const { sections } = metadata
  for (const file of files) {
    const { role, starts, lengths } = file
    const offsets = new Float64Array(tiles.length)
    let size = 0
    for (const [place, tile] of tiles.entries()) {
      offsets[place] = size
      size += (starts[tile + 1] ?? file.size) - starts[tile]
    }
    if (role === 'var') {
      metadata.fileVarSize = size
      sections.tile_var_offsets = { values: offsets }
      sections.tile_var_sizes = { values: Float64Array.from(tiles, (tile) => lengths[tile]) }
    } else if (role === 'validity') {
      metadata.fileValiditySize = size
      sections.tile_validity_offsets = { values: offsets }
    } else {
      metadata.fileSize = size
      sections.tile_offsets = { values: offsets }
    }
  }
  return withStatistics(metadata, statistics)
}
