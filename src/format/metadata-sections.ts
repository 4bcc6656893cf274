import type { ArraySchema } from './array-schema.ts'
import type { FragmentFooter } from './fragment-footer.ts'
import { type FragmentMetadataV1, fragmentMetadataV1 } from './fragment-metadata-v1.ts'
import { fragmentMinMaxSumNullCount, type SlotStatistics } from './fragment-min-max-sum-null-count.ts'
import type { Slot } from './fragment-slots.ts'
import type { AnyIo, Describe } from './io.ts'
import { type ProcessedConditions, processedConditions } from './processed-conditions.ts'
import { type RTree, rtree } from './rtree.ts'
import { type TileMinMax, tileMinMax } from './tile-min-max.ts'
import { type TileOffsets, tileOffsets } from './tile-offsets.ts'
import { type TileSums, tileSums } from './tile-sums.ts'
import { u64s } from './u32.ts'

/**
 * Sections of the fragment metadata that exist once for each slot, in the footer's order. A section is a generic tile.
 * Since version `since`, the footer has their offsets under `key`. If `coords` is false, versions 3 and 4 have no
 * section for the coordinates.
 *
 * @see format_spec/fragment.md, "Footer"
 */
export const SLOT_SECTIONS = [
  section('tile_offsets', 'tile_offsets_offsets', 3, true, tileOffsets, 'tile offsets'),
  section('tile_var_offsets', 'tile_var_offsets_offsets', 3, false, tileOffsets, 'var tile offsets'),
  section('tile_var_sizes', 'tile_var_sizes_offsets', 3, false, tileOffsets, 'var tile sizes'),
  section('tile_validity_offsets', 'tile_validity_offsets_offsets', 7, true, tileOffsets, 'validity tile offsets'),
  section('tile_mins', 'tile_min_values_offsets', 11, true, tileMinMax, 'minima'),
  section('tile_maxs', 'tile_max_values_offsets', 11, true, tileMinMax, 'maxima'),
  section('tile_sums', 'tile_sums_offsets', 11, true, tileSums, 'sums'),
  section('tile_null_counts', 'tile_null_counts_offsets', 11, true, tileOffsets, 'null counts'),
] as const

/** Sections that exist once, and the footer's key of their offset. */
const FRAGMENT_SECTIONS = [
  ['rtree', 'rtree_offset'],
  ['fragment_min_max_sum_null_count', 'fragment_min_max_sum_null_count_offset'],
  ['processed_conditions', 'processed_conditions_offset'],
] as const

type SlotSection = (typeof SLOT_SECTIONS)[number]
export type SlotSectionName = SlotSection['name']

/** Sections with one uint64 for each tile. */
export type OffsetsList = Extract<SlotSection, { content: typeof tileOffsets }>['name']

/** What the generic tiles of the fragment metadata hold, by name. */
export interface SectionContents
  extends Record<OffsetsList, TileOffsets>,
    Record<'tile_mins' | 'tile_maxs', TileMinMax> {
  tile_sums: TileSums
  rtree: RTree
  fragment_min_max_sum_null_count: SlotStatistics[]
  processed_conditions: ProcessedConditions
  global_order_mins: TileMinMax
  global_order_maxs: TileMinMax
  /** Versions 1 and 2: all of the metadata. */
  fragment_metadata: FragmentMetadataV1
}

export type SectionName = keyof SectionContents

/** The footer's offsets of {@link SLOT_SECTIONS}: one for each slot, in bytes from the start of the file. */
export type SlotSectionOffsets = {
  [S in SlotSection as S['key']]: Float64Array | (S['since'] extends 3 ? never : undefined)
}

/** Where a section begins. */
export interface SectionPlace {
  name: SectionName
  /** The field of the footer with its offset. */
  key: keyof FragmentFooter | undefined
  /** Undefined if the section is about the whole fragment. */
  slot: number | undefined
  /** Bytes from the start of the file. */
  offset: number
}

function section<Name extends string, Key extends string, Since extends number, Content>(
  name: Name,
  key: Key,
  since: Since,
  coords: boolean,
  content: Content,
  what: string,
) {
  return { name, key, since, coords, content, what }
}

/** @param slotNum how many slots the fragment has */
export function slotSectionOffsets(io: AnyIo, version: number, slotNum: number): SlotSectionOffsets {
  const offsets: { [key in SlotSection['key']]?: Float64Array } = {}
  for (const { key, since, coords, what } of SLOT_SECTIONS) {
    if (version < since) continue
    const count = version < 5 && !coords ? slotNum - 1 : slotNum
    offsets[key] = io.sizes(key, count, `bytes: one a slot: where the generic tile of the ${what} is`)
  }
  return offsets as SlotSectionOffsets
}

/** The places of all sections of a footer, in its order. Sections may share a place. */
export function sectionPlaces(footer: FragmentFooter, slots: readonly Slot[]): SectionPlace[] {
  const places: SectionPlace[] = []
  const [tree, ...others] = FRAGMENT_SECTIONS.flatMap(([name, key]): SectionPlace[] => {
    const offset = footer[key]
    return offset === undefined ? [] : [{ name, key, slot: undefined, offset }]
  })
  places.push(tree)
  for (const { name, key } of SLOT_SECTIONS) {
    footer[key]?.forEach((offset, slot) => {
      places.push({ name, key, slot, offset })
    })
  }
  places.push(...others)
  const dimensions = slots.flatMap(({ kind }, slot) => (kind === 'dimension' ? [slot] : []))
  for (const { identifier, payload } of footer.optional_sections ?? []) {
    if (identifier !== 0) continue
    for (const [i, offset] of u64s(payload).entries()) {
      const name = i < dimensions.length ? 'global_order_mins' : 'global_order_maxs'
      places.push({ name, key: 'optional_sections', slot: dimensions[i % dimensions.length], offset })
    }
  }
  return places
}

/** The field of the footer that says where a section is. Undefined for those of version 23, and of versions 1 and 2. */
export function sectionKey(name: SectionName) {
  return SLOT_SECTIONS.find((one) => one.name === name)?.key ?? FRAGMENT_SECTIONS.find(([one]) => one === name)?.[1]
}

/** The description of the content of a section. */
export function sectionContent<Name extends SectionName>(
  name: Name,
  version: number,
  schema: ArraySchema,
  slots: readonly Slot[],
): Describe<SectionContents[Name]> {
  const describes: Partial<{ [name in SectionName]: () => Describe<SectionContents[name]> }> = {
    rtree: () => rtree(version, schema.domain.dimensions),
    processed_conditions: () => processedConditions,
    fragment_metadata: () => fragmentMetadataV1(schema),
    fragment_min_max_sum_null_count: () => fragmentMinMaxSumNullCount(slots.map((slot) => slot.name)),
  }
  const ofSlot = SLOT_SECTIONS.find((one) => one.name === name)?.content ?? tileMinMax
  return describes[name]?.() ?? (ofSlot as Describe<unknown> as Describe<SectionContents[Name]>)
}
