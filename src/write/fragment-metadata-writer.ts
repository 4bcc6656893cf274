import { concat, NO_BYTES, startsOf } from '../base/bytes.ts'
import { buildRTree } from '../cells/rtree-builder.ts'
import type { TileStatistics } from '../cells/tile-statistics.ts'
import {
  type FragmentFooter,
  footerLengthIsStored,
  fragmentFooter,
  GLOBAL_ORDER_BOUNDS,
  SLOT_SECTIONS,
  type SlotSectionOffsets,
} from '../format/fragment-footer.ts'
import { type FragmentMetadataV1, fragmentMetadataV1 } from '../format/fragment-metadata-v1.ts'
import { fragmentMinMaxSumNullCount, type SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type Describe, encode } from '../format/io.ts'
import type { SectionContents, SlotSectionName } from '../format/metadata-sections.ts'
import { processedConditions } from '../format/processed-conditions.ts'
import { type NDRange, ndRange } from '../format/range.ts'
import { rtree } from '../format/rtree.ts'
import { type TileMinMax, tileMinMax } from '../format/tile-min-max.ts'
import type { FragmentToWrite } from './fragment-writer.ts'
import { genericTileWriter, type WriteContext } from './generic-tile-writer.ts'

/** The metadata about one slot. Lists have one entry per tile; sizes are in bytes. */
export interface SlotMetadata {
  fileSize: number
  fileVarSize: number
  fileValiditySize: number
  sections: Pick<SectionContents, SlotSectionName>
  fragment: SlotStatistics
}

/** The metadata about the coordinates of one tile of a sparse fragment. */
export interface TileBounds {
  mbr: NDRange
  /** Coordinates of the first and the last cell in stored order, by dimension. */
  first: readonly Uint8Array[]
  last: readonly Uint8Array[]
}

/** The content of a fragment's metadata file. */
export interface FragmentMetadataToWrite {
  fragment: Pick<FragmentToWrite, 'schema' | 'schemaName' | 'formatVersion' | 'processedConditions'>
  dense: boolean
  slots: readonly Slot[]
  slotMetadata: readonly SlotMetadata[]
  nonemptyDomain: NDRange
  /** None in dense fragments. */
  tiles: readonly TileBounds[]
  lastTileCellNum: number
}

const NO_MIN_MAX: TileMinMax = { fixed: NO_BYTES, variable: NO_BYTES }

/** The metadata of a slot without files: every list exists and is filled with zeros. */
export function emptySlot(tileNum: number): SlotMetadata {
  const zeros = { values: new Float64Array(tileNum) }
  return {
    fileSize: 0,
    fileVarSize: 0,
    fileValiditySize: 0,
    sections: {
      tile_offsets: zeros,
      tile_var_offsets: zeros,
      tile_var_sizes: zeros,
      tile_validity_offsets: zeros,
      tile_mins: NO_MIN_MAX,
      tile_maxs: NO_MIN_MAX,
      tile_sums: { values: NO_BYTES },
      tile_null_counts: { values: new Float64Array(0) },
    },
    fragment: { min: NO_BYTES, max: NO_BYTES, sum: new Uint8Array(8), null_count: 0 },
  }
}

/** Adds what the cells of a slot say; nothing if the format version has no statistics. */
export function withStatistics(metadata: SlotMetadata, statistics: TileStatistics | undefined): SlotMetadata {
  if (!statistics) return metadata
  const { sections } = metadata
  sections.tile_mins = statistics.extremes('min')
  sections.tile_maxs = statistics.extremes('max')
  sections.tile_sums = { values: statistics.sums }
  sections.tile_null_counts = { values: statistics.nullCounts }
  return { ...metadata, fragment: statistics.fragment() }
}

/** Makes the file `__fragment_metadata.tdb`, and tells where its footer begins. Versions 1 and 2 have no footer. */
export async function writeFragmentMetadata(
  metadata: FragmentMetadataToWrite,
  cx: WriteContext,
): Promise<{ file: Uint8Array; footerAt: number }> {
  const { schema, formatVersion } = metadata.fragment
  const writeTile = await genericTileWriter(formatVersion, cx)
  if (formatVersion < 3) {
    const file = writeTile(encode(metadataV1(metadata), fragmentMetadataV1(schema)))
    return { file, footerAt: file.length }
  }
  const parts: Uint8Array[] = []
  let length = 0
  const footer = writeSections(metadata, (value, describe) => {
    const at = length
    const bytes = writeTile(encode(value, describe))
    parts.push(bytes)
    length += bytes.length
    return at
  })
  const footerBytes = encode(footer, fragmentFooter(schema))
  parts.push(footerBytes)
  if (footerLengthIsStored(formatVersion, schema)) parts.push(uint64s([footerBytes.length]))
  return { file: concat(parts), footerAt: length }
}

/** Writes a section and returns its offset in the file. */
type AddSection = <T>(value: T, describe: Describe<T>) => number

/**
 * Writes sections in TileDB's order, and returns the footer with their offsets.
 * @see FragmentMetadata::store_v15_or_higher
 */
function writeSections(metadata: FragmentMetadataToWrite, add: AddSection): FragmentFooter {
  const { fragment, dense, slots, slotMetadata: all, tiles } = metadata
  const { schema, formatVersion: version } = fragment
  const { dimensions } = schema.domain
  const includes = (kind: Slot['kind']): boolean => slots.some((slot) => slot.kind === kind)
  const mbrs = tiles.map(({ mbr }) => mbr)
  const rtree_offset = add(buildRTree(version, mbrs, dimensions), rtree(version, dimensions))
  const written: { [key in keyof SlotSectionOffsets]?: Float64Array } = {}
  const bounds: number[] = []
  for (const { name, key, since, coords, content } of SLOT_SECTIONS) {
    if (version < since) continue
    // Before version 5, the lists about var-sized data have no entry for the coordinates.
    const listed = version < 5 && !coords ? all.slice(0, -1) : all
    written[key] = Float64Array.from(listed, ({ sections }) => add(sections[name], content as Describe<unknown>))
    if (name !== 'tile_maxs' || version < 23 || dense) continue
    for (const end of ['first', 'last'] as const)
      for (const [d, { cell_val_num }] of dimensions.entries()) {
        const values = tiles.map((tile) => tile[end][d])
        bounds.push(add(minMaxOf(values, cell_val_num === 'var'), tileMinMax))
      }
  }
  const names = slots.map(({ name }) => name)
  const ofFragment = all.map((slot) => slot.fragment)
  const conditions = { conditions: [...(fragment.processedConditions ?? [])] }
  const optional = dense ? [] : [{ identifier: GLOBAL_ORDER_BOUNDS, payload: uint64s(bounds) }]
  return {
    version,
    array_schema_name: version >= 10 ? fragment.schemaName : undefined,
    dense,
    null_nonempty_domain: false,
    nonempty_domain: metadata.nonemptyDomain,
    sparse_tile_num: tiles.length,
    last_tile_cell_num: BigInt(metadata.lastTileCellNum),
    includes_timestamps: version >= 14 ? includes('timestamps') : undefined,
    includes_delete_metadata: version >= 15 ? includes('delete_timestamps') : undefined,
    file_sizes: Float64Array.from(all, (slot) => slot.fileSize),
    file_var_sizes: Float64Array.from(version < 5 ? all.slice(0, -1) : all, (slot) => slot.fileVarSize),
    file_validity_sizes: version >= 7 ? Float64Array.from(all, (slot) => slot.fileValiditySize) : undefined,
    rtree_offset,
    ...(written as SlotSectionOffsets),
    fragment_min_max_sum_null_count_offset:
      version >= 12 ? add(ofFragment, fragmentMinMaxSumNullCount(names)) : undefined,
    processed_conditions_offset: version >= 16 ? add(conditions, processedConditions) : undefined,
    optional_sections: version >= 23 ? optional : undefined,
    slack: NO_BYTES,
  }
}

function minMaxOf(values: readonly Uint8Array[], varSized: boolean): TileMinMax {
  if (!varSized) return { fixed: concat(values), variable: NO_BYTES }
  return { fixed: uint64s(startsOf(values)), variable: concat(values) }
}

function metadataV1({
  fragment,
  nonemptyDomain,
  slotMetadata: all,
  tiles,
  lastTileCellNum,
}: FragmentMetadataToWrite): FragmentMetadataV1 {
  const { schema, formatVersion } = fragment
  const describe = ndRange(schema.domain.dimensions)
  const attributes = all.slice(0, schema.attributes.length)
  return {
    version: formatVersion,
    nonempty_domain: nonemptyDomain,
    mbr_num: tiles.length,
    mbrs: concat(tiles.map(({ mbr }) => encode(mbr, describe))),
    bounding_coords_num: tiles.length,
    bounding_coords: concat(tiles.flatMap(({ first, last }) => [...first, ...last])),
    tile_offsets: all.map(({ sections }) => sections.tile_offsets),
    tile_var_offsets: attributes.map(({ sections }) => sections.tile_var_offsets),
    tile_var_sizes: attributes.map(({ sections }) => sections.tile_var_sizes),
    last_tile_cell_num: BigInt(lastTileCellNum),
    file_sizes: Float64Array.from(all, (slot) => slot.fileSize),
    file_var_sizes: Float64Array.from(attributes, (slot) => slot.fileVarSize),
  }
}

function uint64s(values: ArrayLike<number>): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, (value) => BigInt(value)).buffer)
}
