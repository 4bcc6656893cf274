import type { ArraySchema } from './array-schema.ts'
import { checkVersion } from './format-version.ts'
import { fragmentMinMaxSumNullCount } from './fragment-min-max-sum-null-count.ts'
import { fragmentSlots, type Slot } from './fragment-slots.ts'
import { type AnyIo, countedList, lengthAndBytes } from './io.ts'
import { processedConditions } from './processed-conditions.ts'
import { ndRange, ndRangeSize } from './range.ts'
import { rtree } from './rtree.ts'
import { tileMinMax } from './tile-min-max.ts'
import { tileOffsets } from './tile-offsets.ts'
import { tileSums } from './tile-sums.ts'

/** Name of the metadata file in every fragment folder. */
export const FRAGMENT_METADATA_FILE = '__fragment_metadata.tdb'

/** Schema file of fragments whose footer names none (before version 10). */
export const OLD_SCHEMA_FILE = '__array_schema.tdb'

/** Bytes of the stored footer length, which follows the footer. The length does not include them. */
export const FOOTER_LENGTH_BYTES = 8

/**
 * Sections of the fragment metadata that exist once for each slot, in the footer's order. A section is a generic tile.
 * Since version `since`, the footer has their offsets under `key`. If `coords` is false, versions 3 and 4 have no
 * section for the coordinates.
 *
 * @see format_spec/fragment.md, "Footer"
 */
export const SLOT_SECTIONS = [
  {
    name: 'tile_offsets',
    key: 'tile_offsets_offsets',
    since: 3,
    coords: true,
    content: tileOffsets,
    what: 'tile offsets',
  },
  {
    name: 'tile_var_offsets',
    key: 'tile_var_offsets_offsets',
    since: 3,
    coords: false,
    content: tileOffsets,
    what: 'var tile offsets',
  },
  {
    name: 'tile_var_sizes',
    key: 'tile_var_sizes_offsets',
    since: 3,
    coords: false,
    content: tileOffsets,
    what: 'var tile sizes',
  },
  {
    name: 'tile_validity_offsets',
    key: 'tile_validity_offsets_offsets',
    since: 7,
    coords: true,
    content: tileOffsets,
    what: 'validity tile offsets',
  },
  {
    name: 'tile_mins',
    key: 'tile_min_values_offsets',
    since: 11,
    coords: true,
    content: tileMinMax,
    what: 'minima',
  },
  {
    name: 'tile_maxs',
    key: 'tile_max_values_offsets',
    since: 11,
    coords: true,
    content: tileMinMax,
    what: 'maxima',
  },
  {
    name: 'tile_sums',
    key: 'tile_sums_offsets',
    since: 11,
    coords: true,
    content: tileSums,
    what: 'sums',
  },
  {
    name: 'tile_null_counts',
    key: 'tile_null_counts_offsets',
    since: 11,
    coords: true,
    content: tileOffsets,
    what: 'null counts',
  },
] as const

/** The content of the sections that exist once. The footer has the offset of each under its name and `_offset`. */
export const FRAGMENT_SECTIONS = {
  rtree: (version, { domain }) => rtree(version, domain.dimensions),
  fragment_min_max_sum_null_count: (_version, _schema, slots) =>
    fragmentMinMaxSumNullCount(slots.map(({ name }) => name)),
  processed_conditions: () => processedConditions,
} satisfies {
  [key in keyof FragmentFooter as key extends `${infer Name}_offset` ? Name : never]: SectionContent
}

/** A function that returns the description of a section. */
export type SectionContent = (version: number, schema: ArraySchema, slots: readonly Slot[]) => (io: AnyIo) => unknown

type SlotSection = (typeof SLOT_SECTIONS)[number]

/** The footer's offsets of {@link SLOT_SECTIONS}: one for each slot, in bytes from the start of the file. */
export type SlotSectionOffsets = {
  [S in SlotSection as S['key']]: Float64Array | (S['since'] extends 3 ? never : undefined)
}

function offsetOf(what: string): string {
  return `bytes: offset of the generic tile with the ${what}`
}

/** @param slotNum how many slots the fragment has */
function slotSectionOffsets(
  io: AnyIo,
  version: number,
  slotNum: number,
  large: 'rounded' | undefined,
): SlotSectionOffsets {
  const offsets: { [key in SlotSection['key']]?: Float64Array } = {}
  for (const { key, since, coords, what } of SLOT_SECTIONS) {
    if (version < since) continue
    const count = version < 5 && !coords ? slotNum - 1 : slotNum
    offsets[key] = io.sizes(key, count, `bytes: offsets of the generic tiles with the ${what}, one a slot`, large)
  }
  return offsets as SlotSectionOffsets
}

/** Identifier of the optional section about the first and last cells of tiles in global order. */
export const GLOBAL_ORDER_BOUNDS = 0

/**
 * A section that readers may ignore. {@link GLOBAL_ORDER_BOUNDS} has the offsets of the first and last cells of tiles in global order:
 * one uint64 for each dimension for the minima, then one for each dimension for the maxima.
 */
export type OptionalSection = ReturnType<typeof optionalSection>
function optionalSection(io: AnyIo) {
  return {
    identifier: io.size('identifier', '0: offsets of the first and last cells of tiles in global order'),
    payload: lengthAndBytes(io, 'payload', 'uint32', 'content of the section'),
  }
}

/** The fields of a footer that can be read without the schema: those before the non-empty domain. */
export interface FooterHead {
  version: number
  array_schema_name: string | undefined
  dense: boolean
  null_nonempty_domain: boolean
}

export function footerHead(io: AnyIo): FooterHead {
  const version = io.u32('version', 'format version')
  checkVersion(version)
  const ofSchema = 'file of the schema that the fragment was written with; before version 10 `__array_schema.tdb`'
  return {
    version,
    array_schema_name: version >= 10 ? io.string('array_schema_name', 'uint64', ofSchema) : undefined,
    // A footer that was overwritten mostly shows in its flags.
    dense: io.flag('dense', 'whether the fragment is dense', true),
    null_nonempty_domain: io.flag(
      'null_nonempty_domain',
      'whether the non-empty domain is unset; 0 in every file',
      true,
    ),
  }
}

/**
 * Footer of `__fragment_metadata.tdb`, since version 3. It is never filtered or encrypted. Each list has one entry for
 * each slot (fragment-slots.ts). In versions 3 and 4 the lists of var-sized data have none for the coordinates. Offsets
 * are those of generic tiles in this file, sizes those of data files, all in bytes. Releases since 2.8 leave 8 bytes of
 * slack in version 11 footers.
 *
 * @see format_spec/fragment.md, "Footer". Real bytes differ from it in two points: the fragment statistics begin with
 * version 12, not 11, and there is no second schema name at the end.
 */
export type FragmentFooter = ReturnType<ReturnType<typeof fragmentFooter>>

/** The fields of a footer that have one value for the whole fragment. For their meanings see {@link fragmentFooter}. */
export type FooterFields = {
  [key in Exclude<keyof FragmentFooter, 'version'> as Exclude<FragmentFooter[key], undefined> extends object
    ? never
    : key]: FragmentFooter[key]
}

/**
 * @param schema the fragment's own schema
 * @param large `rounded` to round sizes and offsets above 2^53. They are wrong, but TileDB fails only when it uses them.
 */
export function fragmentFooter(schema: ArraySchema, large?: 'rounded') {
  return (io: AnyIo) => {
    const ofDomain = 'box of the cells; in dense fragments the box that was written, not rounded to tiles'
    const ofLast = 'cells: in the last tile; in dense fragments the cells of a tile'
    const ofTimes = 'whether cells have timestamps of their own; then there is one more slot'
    const ofDeletes = 'whether cells have times of deletion; then there are two more slots'
    const sections = ['optional_section_num', 'uint32', 'sections'] as const
    const head = footerHead(io)
    const { version } = head
    const common = {
      ...head,
      nonempty_domain: io.struct('nonempty_domain', ndRange(schema.domain.dimensions), ofDomain),
      sparse_tile_num: io.size(
        'sparse_tile_num',
        'tiles: of a sparse fragment; 0 in dense ones',
        head.dense ? large : undefined,
      ),
      last_tile_cell_num: io.u64('last_tile_cell_num', ofLast),
      includes_timestamps: version >= 14 ? io.flag('includes_timestamps', ofTimes, true) : undefined,
      includes_delete_metadata: version >= 15 ? io.flag('includes_delete_metadata', ofDeletes, true) : undefined,
    }
    const n = fragmentSlots(version, schema, common).length
    const varNum = version < 5 ? n - 1 : n
    return {
      ...common,
      file_sizes: io.sizes('file_sizes', n, 'bytes: of the data or offsets files, one a slot', large),
      file_var_sizes: io.sizes('file_var_sizes', varNum, 'bytes: of the files of var-sized values, one a slot', large),
      file_validity_sizes:
        version >= 7
          ? io.sizes('file_validity_sizes', n, 'bytes: of the validity files, one a slot', large)
          : undefined,
      rtree_offset: io.size('rtree_offset', offsetOf('R-tree'), large),
      ...slotSectionOffsets(io, version, n, large),
      fragment_min_max_sum_null_count_offset:
        version >= 12
          ? io.size('fragment_min_max_sum_null_count_offset', offsetOf('fragment statistics'), large)
          : undefined,
      processed_conditions_offset:
        version >= 16 ? io.size('processed_conditions_offset', offsetOf('processed conditions'), large) : undefined,
      optional_sections: version >= 23 ? countedList(io, sections, 'optional_sections', optionalSection) : undefined,
      slack: io.rest('slack', 'bytes after the known fields; TileDB skips them'),
    }
  }
}

/**
 * Whether the last 8 bytes of the file are the footer's length. They are since version 10, and with string dimensions
 * (which exist since version 5) in older versions, too.
 */
export function footerLengthIsStored(version: number, schema: ArraySchema | undefined): boolean {
  if (version >= 10) return true
  return version >= 3 && schema !== undefined && ndRangeSize(schema.domain.dimensions) === undefined
}

/**
 * Returns the first version that has the footer in the same place as `version`. TileDB locates the footer by the version
 * in the folder's name, but reads it by the version that is stored in it.
 *
 * @see tiledb/sm/fragment/fragment_metadata.cc: get_footer_offset_and_size, load; measured with TileDB 2.30
 */
export function footerPlace(version: number, schema: ArraySchema | undefined): number {
  if (version < 3) return 1
  if (footerLengthIsStored(version, schema)) return 10
  if (version < 5) return 3
  return version < 7 ? 5 : 7
}

/**
 * Computes the bytes of a footer whose length is not stored (versions 3 to 9, no string dimensions).
 *
 * @see tiledb/sm/fragment/fragment_metadata.cc: footer_size_v3_v4, footer_size_v5_v6, footer_size_v7_v9
 */
export function footerLength(version: number, schema: ArraySchema): number {
  const domainBytes = ndRangeSize(schema.domain.dimensions) ?? 0
  const n = fragmentSlots(version, schema).length
  const varNum = version < 5 ? n - 1 : n
  const validityNum = version >= 7 ? n : 0
  const fixed = 4 + 2 + 16
  return fixed + domainBytes + 8 * (n + varNum + validityNum + 1 + n + 2 * varNum + validityNum)
}
