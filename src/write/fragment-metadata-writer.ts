import { buildRTree } from '../cells/rtree-builder.ts'
import { concat, NO_BYTES } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import {
  FOOTER_LENGTH_BYTES,
  type FragmentFooter,
  footerLengthIsStored,
  fragmentFooter,
} from '../format/fragment-footer.ts'
import { type FragmentMetadataV1, fragmentMetadataV1 } from '../format/fragment-metadata-v1.ts'
import { fragmentMinMaxSumNullCount, type SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type Describe, encode } from '../format/io.ts'
import { SLOT_SECTIONS, type SlotSectionName, type SlotSectionOffsets } from '../format/metadata-sections.ts'
import { processedConditions } from '../format/processed-conditions.ts'
import { type NDRange, ndRange } from '../format/range.ts'
import { rtree } from '../format/rtree.ts'
import { type TileMinMax, tileMinMax } from '../format/tile-min-max.ts'
import { GenericTileWriter, type WriteContext } from './generic-tile-writer.ts'

/** The metadata about one slot. Lists have one entry per tile; sizes are in bytes. */
export interface SlotMetadata {
  fileSize: number
  fileVarSize: number
  fileValiditySize: number
  tileOffsets: Float64Array
  tileVarOffsets: Float64Array
  tileVarSizes: Float64Array
  tileValidityOffsets: Float64Array
  min: TileMinMax
  max: TileMinMax
  sums: Uint8Array
  nullCounts: Float64Array
  fragment: SlotStatistics
}

/** First and last coordinates of each tile along one dimension, in stored order. For sparse fragments since version 23. */
export interface GlobalOrderBounds {
  min: TileMinMax
  max: TileMinMax
}

/** The content of a fragment's metadata file. */
export interface FragmentMetadataToWrite {
  schema: ArraySchema
  schemaName: string
  formatVersion: number
  slots: readonly Slot[]
  slotMetadata: readonly SlotMetadata[]
  dense: boolean
  nonemptyDomain: NDRange
  /** One box per tile; none in dense fragments. */
  mbrs: readonly NDRange[]
  lastTileCellNum: number
  includesTimestamps: boolean
  includesDeleteMetadata: boolean
  processedConditions: readonly string[]
  globalOrderBounds: readonly GlobalOrderBounds[]
  /** Versions 1 and 2: coordinates of each tile's first and last cell. */
  boundingCoords: Uint8Array
}

/** A slot without files: every list exists and is filled with zeros. */
export function emptySlot(tileNum: number): SlotMetadata {
  const zeros = new Float64Array(tileNum)
  return {
    fileSize: 0,
    fileVarSize: 0,
    fileValiditySize: 0,
    tileOffsets: zeros,
    tileVarOffsets: zeros,
    tileVarSizes: zeros,
    tileValidityOffsets: zeros,
    min: { fixed: NO_BYTES, variable: NO_BYTES },
    max: { fixed: NO_BYTES, variable: NO_BYTES },
    sums: NO_BYTES,
    nullCounts: new Float64Array(0),
    fragment: { min: NO_BYTES, max: NO_BYTES, sum: new Uint8Array(8), null_count: 0 },
  }
}

/** `__fragment_metadata.tdb` and its footer (undefined in versions 1 and 2, which have none). */
export async function writeFragmentMetadata(
  metadata: FragmentMetadataToWrite,
  cx: WriteContext,
): Promise<{ bytes: Uint8Array; footer: FragmentFooter | undefined }> {
  const tiles = await GenericTileWriter.open(metadata.formatVersion, cx)
  if (metadata.formatVersion < 3) {
    return { bytes: tiles.write(encode(metadataV1(metadata), fragmentMetadataV1(metadata.schema))), footer: undefined }
  }
  const sections = new Sections(tiles)
  const footer = writeSections(metadata, sections)
  const footerBytes = encode(footer, fragmentFooter(metadata.schema))
  const parts = [...sections.parts, footerBytes]
  if (footerLengthIsStored(metadata.formatVersion, metadata.schema)) parts.push(lengthBytes(footerBytes.length))
  return { bytes: concat(parts), footer }
}

/** The generic tiles before the footer. */
class Sections {
  readonly parts: Uint8Array[] = []
  private readonly tiles: GenericTileWriter
  private length = 0

  constructor(tiles: GenericTileWriter) {
    this.tiles = tiles
  }

  /** Writes a section and returns its offset in the file. */
  add<T>(value: T, describe: Describe<T>): number {
    const at = this.length
    const bytes = this.tiles.write(encode(value, describe))
    this.parts.push(bytes)
    this.length += bytes.length
    return at
  }

  addAll<S, T>(slots: readonly S[], value: (slot: S) => T, describe: Describe<T>): Float64Array {
    return Float64Array.from(slots, (slot) => this.add(value(slot), describe))
  }
}

/** The content of each section for a slot. */
const SECTION_VALUES: Readonly<Record<SlotSectionName, (slot: SlotMetadata) => unknown>> = {
  tile_offsets: (slot) => ({ values: slot.tileOffsets }),
  tile_var_offsets: (slot) => ({ values: slot.tileVarOffsets }),
  tile_var_sizes: (slot) => ({ values: slot.tileVarSizes }),
  tile_validity_offsets: (slot) => ({ values: slot.tileValidityOffsets }),
  tile_mins: (slot) => slot.min,
  tile_maxs: (slot) => slot.max,
  tile_sums: (slot) => ({ values: slot.sums }),
  tile_null_counts: (slot) => ({ values: slot.nullCounts }),
}

/**
 * Writes sections in TileDB's order, and returns the footer with their offsets.
 * @see FragmentMetadata::store_v15_or_higher
 */
function writeSections(metadata: FragmentMetadataToWrite, sections: Sections): FragmentFooter {
  const { schema, formatVersion: version, slots, slotMetadata: all, dense } = metadata
  const { dimensions } = schema.domain
  const rtree_offset = sections.add(buildRTree(version, metadata.mbrs, dimensions), rtree(version, dimensions))
  const written: { [key in keyof SlotSectionOffsets]?: Float64Array } = {}
  const bounds: number[] = []
  for (const { name, key, since, coords, content } of SLOT_SECTIONS) {
    if (version < since) continue
    // Before version 5, the lists about var-sized data have no entry for the coordinates.
    const of = version < 5 && !coords ? all.slice(0, -1) : all
    written[key] = sections.addAll(of, SECTION_VALUES[name], content as Describe<unknown>)
    if (name !== 'tile_maxs' || version < 23 || dense) continue
    const { globalOrderBounds: list } = metadata
    bounds.push(
      ...sections.addAll(list, ({ min }) => min, tileMinMax),
      ...sections.addAll(list, ({ max }) => max, tileMinMax),
    )
  }
  const names = slots.map(({ name }) => name)
  const ofFragment = all.map(({ fragment }) => fragment)
  const conditions = { conditions: [...metadata.processedConditions] }
  return {
    version,
    array_schema_name: version >= 10 ? metadata.schemaName : undefined,
    dense,
    null_nonempty_domain: false,
    nonempty_domain: metadata.nonemptyDomain,
    sparse_tile_num: metadata.mbrs.length,
    last_tile_cell_num: BigInt(metadata.lastTileCellNum),
    includes_timestamps: version >= 14 ? metadata.includesTimestamps : undefined,
    includes_delete_metadata: version >= 15 ? metadata.includesDeleteMetadata : undefined,
    file_sizes: Float64Array.from(all, (slot) => slot.fileSize),
    file_var_sizes: Float64Array.from(version < 5 ? all.slice(0, -1) : all, (slot) => slot.fileVarSize),
    file_validity_sizes: version >= 7 ? Float64Array.from(all, (slot) => slot.fileValiditySize) : undefined,
    rtree_offset,
    ...(written as SlotSectionOffsets),
    fragment_min_max_sum_null_count_offset:
      version >= 12 ? sections.add(ofFragment, fragmentMinMaxSumNullCount(names)) : undefined,
    processed_conditions_offset: version >= 16 ? sections.add(conditions, processedConditions) : undefined,
    optional_sections: version >= 23 ? (dense ? [] : [{ identifier: 0, payload: uint64s(bounds) }]) : undefined,
    slack: NO_BYTES,
  }
}

function metadataV1(metadata: FragmentMetadataToWrite): FragmentMetadataV1 {
  const { schema, formatVersion, slotMetadata: all, mbrs } = metadata
  const describe = ndRange(schema.domain.dimensions)
  const attributes = all.slice(0, schema.attributes.length)
  const list = (values: Float64Array): { values: Float64Array } => ({ values })
  return {
    version: formatVersion,
    nonempty_domain: metadata.nonemptyDomain,
    mbr_num: mbrs.length,
    mbrs: concat(mbrs.map((mbr) => encode(mbr, describe))),
    bounding_coords_num: mbrs.length,
    bounding_coords: metadata.boundingCoords,
    tile_offsets: all.map((slot) => list(slot.tileOffsets)),
    tile_var_offsets: attributes.map((slot) => list(slot.tileVarOffsets)),
    tile_var_sizes: attributes.map((slot) => list(slot.tileVarSizes)),
    last_tile_cell_num: BigInt(metadata.lastTileCellNum),
    file_sizes: Float64Array.from(all, (slot) => slot.fileSize),
    file_var_sizes: Float64Array.from(attributes, (slot) => slot.fileVarSize),
  }
}

function uint64s(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, (value) => BigInt(value)).buffer)
}

function lengthBytes(length: number): Uint8Array {
  const bytes = uint64s([length])
  if (bytes.length !== FOOTER_LENGTH_BYTES) throw new TypeError('the footer length is a uint64')
  return bytes
}
