import { faultOf } from '../base/errors.ts'
import { GENERIC_TILE_FIXED_BYTES, genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import {
  type SectionName,
  type SectionPlace,
  sectionPlaces,
  UNNAMED_SECTION_VERSION,
} from '../format/metadata-sections.ts'
import { type Fragment, type FragmentInfo, slotHasFiles } from '../objects/fragment.ts'
import { GENERIC_TILE_HEADER_BYTES, isReadByNumber, oddCompressor } from '../objects/generic-tile.ts'
import type { VariantOf } from './codes.ts'
import { finding, fromError, type Items } from './finding.ts'
import { checkEncrypted, headerFindings } from './generic-tiles.ts'
import { isWrittenTwice } from './written-twice.ts'

/**
 * Checks the generic tiles of `__fragment_metadata.tdb`. They must lie before the footer, one after another, so that each
 * byte belongs to exactly one. Sections may share a tile. Reads only the headers.
 */
export async function* checkSections(fragment: Fragment, info: FragmentInfo, file: string): Items {
  const source = fragment.metadataSource()
  const end = info.footer?.offset ?? (await source.size())
  const offsets = await fragment.metadataOffsets()
  /** End of the tiles so far. */
  let claimed = 0
  for (const offset of offsets) {
    if (offset + GENERIC_TILE_FIXED_BYTES > end) {
      const place = { file, offset, field: fieldAt(info, offset) }
      const expected = `an offset before the footer at ${end}`
      yield finding('SECTION_OFFSET', place, expected, offset, lostAt(info, offset))
      continue
    }
    if (offset > claimed) {
      yield finding('SECTION_GAP', { file, offset: claimed }, `a section at ${claimed}`, `the next one at ${offset}`)
    } else if (offset < claimed) {
      const place = { file, offset, field: fieldAt(info, offset) }
      yield finding('SECTION_OVERLAP', place, `a section from ${claimed} on`, offset)
    }
    try {
      const bytes = await source.read(offset, Math.min(GENERIC_TILE_HEADER_BYTES, end - offset))
      const { value, length } = decodePrefix(bytes, genericTileHeader, { file, offset })
      const tileEnd = Math.min(end, offset + length + value.persisted_size)
      const isOdd = oddCompressor(value) !== undefined
      const isByNumber =
        isOdd && (await isReadByNumber(await source.read(offset, tileEnd - offset), fragment.cx, { file, offset }))
      const unread = { code: 'SECTION_UNREADABLE', variant: lostAt(info, offset), isReadByNumber: isByNumber } as const
      yield* headerFindings(value, { file, offset }, unread)
      yield* checkEncrypted(value, fragment.cx, 'SECTION_UNREADABLE', { file, offset })
      claimed = Math.max(claimed, offset + length + value.persisted_size)
      if (offset + length + value.persisted_size > end) {
        const place = { file, offset, field: `${fieldAt(info, offset)}.persisted_size` }
        const most = `at most ${end - offset - length} bytes`
        yield finding('SECTION_UNREADABLE', place, most, value.persisted_size, lostAt(info, offset))
        claimed = end
      }
    } catch (error) {
      // The end of this tile is unknown, so the next one is taken for it.
      const place = { file, offset, field: fieldAt(info, offset) }
      yield fromError(error, 'SECTION_UNREADABLE', place, lostAt(info, offset))
      claimed = offsets.find((next) => next > offset) ?? end
    }
  }
  if (claimed < end && !(await isUnnamedSection(fragment, info, claimed, end))) {
    const next = info.footer ? 'the footer' : 'the end of the file'
    // If the whole file was written twice, the gap is as long as half of it: the first footer, and the sections before the second one.
    const isHalf = 2 * (end - claimed) === (await source.size())
    const variant = isHalf && (await isWrittenTwice(source)) ? 'writtenTwice' : undefined
    yield finding('SECTION_GAP', { file, offset: claimed }, `a section at ${claimed}`, `${next} at ${end}`, variant)
  }
}

type LostSection = VariantOf<'SECTION_OFFSET'>

/** Sections that TileDB loads together, for aggregates of a field. */
const FOR_AGGREGATES: ReadonlySet<SectionName> = new Set<SectionName>([
  'tile_mins',
  'tile_maxs',
  'tile_sums',
  'tile_null_counts',
])

/** What readers lose without a section: a variant of SECTION_OFFSET and SECTION_UNREADABLE. Undefined if they fail. */
export function lostSection(
  info: FragmentInfo,
  { name, slot }: Pick<SectionPlace, 'name' | 'slot'>,
): LostSection | undefined {
  if (slot === undefined) return undefined
  const { phantom, varSized, nullable } = info.slots[slot]
  const ofVar = name === 'tile_var_offsets' || name === 'tile_var_sizes'
  const isUnneeded = phantom || !slotHasFiles(info, info.slots[slot]) || (ofVar && !varSized)
  if (isUnneeded || (name === 'tile_validity_offsets' && !nullable)) return 'unneeded'
  return FOR_AGGREGATES.has(name) ? 'aggregates' : undefined
}

/** {@link lostSection} for all sections that share an offset. */
function lostAt(info: FragmentInfo, offset: number): LostSection | undefined {
  const { footer, slots } = info
  const places = footer ? sectionPlaces(footer, slots).filter((place) => place.offset === offset) : []
  const lost = places.map((place) => lostSection(info, place))
  if (lost.includes(undefined)) return undefined
  return lost.includes('aggregates') ? 'aggregates' : lost[0]
}

/** Name of the footer field that holds an offset. */
function fieldAt(info: FragmentInfo, offset: number): string | undefined {
  const { footer } = info
  if (!footer) return undefined
  for (const [field, value] of Object.entries(footer)) {
    if (field === 'offset' || field === 'last_tile_cell_num' || !field.includes('offset')) continue
    if (value === offset) return field
    if (value instanceof Float64Array) {
      const slot = value.indexOf(offset)
      if (slot >= 0) return `${field}.${info.slots[slot]?.name ?? slot}`
    }
  }
  return undefined
}

/** Whether the bytes are one section that the footers of this version do not name. */
async function isUnnamedSection(fragment: Fragment, info: FragmentInfo, from: number, end: number): Promise<boolean> {
  if (info.format_version !== UNNAMED_SECTION_VERSION || end - from < GENERIC_TILE_FIXED_BYTES) return false
  try {
    const bytes = await fragment.metadataSource().read(from, Math.min(GENERIC_TILE_HEADER_BYTES, end - from))
    const { value, length } = decodePrefix(bytes, genericTileHeader)
    return from + length + value.persisted_size === end
  } catch (error) {
    faultOf(error)
    return false
  }
}
