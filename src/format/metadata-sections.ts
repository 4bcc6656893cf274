import type { ArraySchema } from './array-schema.ts'
import {
  FRAGMENT_SECTIONS,
  type FragmentFooter,
  GLOBAL_ORDER_BOUNDS,
  type SectionContent,
  SLOT_SECTIONS,
} from './fragment-footer.ts'
import { fragmentMetadataV1 } from './fragment-metadata-v1.ts'
import type { Slot } from './fragment-slots.ts'
import type { Describe } from './io.ts'
import { tileMinMax } from './tile-min-max.ts'
import type { tileOffsets } from './tile-offsets.ts'
import { u64s } from './u32.ts'

type SlotSection = (typeof SLOT_SECTIONS)[number]
export type SlotSectionName = SlotSection['name']

/** Sections with one uint64 for each tile. */
export type OffsetsList = Extract<SlotSection, { content: typeof tileOffsets }>['name']

/** The content of the generic tiles of the fragment metadata that are not {@link SLOT_SECTIONS}, by name. */
const OTHER_SECTIONS = {
  ...FRAGMENT_SECTIONS,
  global_order_mins: () => tileMinMax,
  global_order_maxs: () => tileMinMax,
  /** Versions 1 and 2: all of the metadata. */
  fragment_metadata: (_version, schema) => fragmentMetadataV1(schema),
} satisfies Record<string, SectionContent>
type OtherSections = typeof OTHER_SECTIONS

/** Sections of minima or maxima. */
export const MIN_MAX_SECTIONS: ReadonlySet<string> = new Set([
  ...SLOT_SECTIONS.filter(({ content }) => content === tileMinMax).map(({ name }) => name),
  'global_order_mins',
  'global_order_maxs',
])

/** Types of the content of all generic tiles of the fragment metadata, by name. */
export type SectionContents = { [S in SlotSection as S['name']]: ReturnType<S['content']> } & {
  [name in keyof OtherSections]: ReturnType<ReturnType<OtherSections[name]>>
}

export type SectionName = keyof SectionContents

type FragmentSectionName = keyof typeof FRAGMENT_SECTIONS

/** The sections whose offset is a field of the footer, with the key of that field. */
const FOOTER_SECTIONS = [
  ...SLOT_SECTIONS,
  ...(Object.keys(FRAGMENT_SECTIONS) as FragmentSectionName[]).map((name) => ({
    name,
    key: `${name}_offset` as const,
  })),
]

/** The version that writes processed conditions, but whose footer has no field for their offset. */
export const UNNAMED_SECTION_VERSION = 15

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

/** Returns the places of all sections that a footer points to, in the footer's order. Sections may share a place. */
export function sectionPlaces(footer: FragmentFooter, slots: readonly Slot[]): SectionPlace[] {
  const places: SectionPlace[] = []
  for (const field of Object.keys(footer)) {
    const section = FOOTER_SECTIONS.find(({ key }) => key === field)
    if (!section) continue
    const { name, key } = section
    const stored = footer[key]
    if (typeof stored === 'number') places.push({ name, key, slot: undefined, offset: stored })
    else
      stored?.forEach((offset, slot) => {
        places.push({ name, key, slot, offset })
      })
  }
  const dimensions = slots.flatMap(({ kind }, slot) => (kind === 'dimension' ? [slot] : []))
  for (const { identifier, payload } of footer.optional_sections ?? []) {
    if (identifier !== GLOBAL_ORDER_BOUNDS) continue
    for (const [i, offset] of u64s(payload).entries()) {
      const name = i < dimensions.length ? 'global_order_mins' : 'global_order_maxs'
      places.push({ name, key: 'optional_sections', slot: dimensions[i % dimensions.length], offset })
    }
  }
  return places
}

/** Returns the key of the footer's field with a section's offset; undefined for sections of versions 1, 2 and 23 only. */
export function sectionKey(name: SectionName) {
  return FOOTER_SECTIONS.find((one) => one.name === name)?.key
}

/** Returns the description of a section's content. */
export function sectionContent<Name extends SectionName>(
  name: Name,
  version: number,
  schema: ArraySchema,
  slots: readonly Slot[],
): Describe<SectionContents[Name]> {
  const ofSlot = SLOT_SECTIONS.find((one) => one.name === name)?.content
  const describe = ofSlot ?? OTHER_SECTIONS[name as keyof OtherSections](version, schema, slots)
  return describe as Describe<unknown> as Describe<SectionContents[Name]>
}
