import { badValue, InspectError } from '../base/errors.ts'
import {
  FOOTER_LENGTH_BYTES,
  type FooterHead,
  type FragmentFooter,
  footerHead,
  footerLengthIsStored,
  fragmentFooter,
} from '../format/fragment-footer.ts'
import { fragmentMetadataV1 } from '../format/fragment-metadata-v1.ts'
import { fragmentMinMaxSumNullCount } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decodePrefix, trace } from '../format/io.ts'
import { type SectionName, SLOT_SECTIONS, sectionPlaces } from '../format/metadata-sections.ts'
import { processedConditions } from '../format/processed-conditions.ts'
import { rtree } from '../format/rtree.ts'
import { tileMinMax } from '../format/tile-min-max.ts'
import { type TileOffsets, tileOffsets } from '../format/tile-offsets.ts'
import { tileSums } from '../format/tile-sums.ts'
import { withSource } from '../store/array.ts'
import { type Fragment, type FragmentInfo, hasValidityEntries } from '../store/fragment.ts'
import { type Anatomist, type ContentReader, contentOf, genericTilePart } from './generic-tile.ts'
import { childList, gap, type Note, type Part, type Space, unreadable, withGaps } from './part.ts'
import { type Path, partOf, tracedPart } from './spans.ts'
import { minMaxTypes, ndRangeTypes, statisticsTypes, sumTypes, v1Types } from './types.ts'

/** A section of the metadata file: its place, its name, and how to read its content. */
interface Section {
  offset: number
  name: string
  keys: string[][]
  content: ContentReader
}

const NO_SECTION = 'no section is here, by the footer'

/**
 * `__fragment_metadata.tdb`: sections as generic tiles, the footer, and the footer's length. In versions 1 and 2 it is one
 * generic tile. If the footer cannot be read, the generic tiles at the start of the file are still shown.
 */
export async function fragmentMetadataPart(
  fragment: Fragment,
  space: Space,
  file: string,
  by: Anatomist,
): Promise<Part> {
  const root: Part = {
    name: '__fragment_metadata.tdb',
    type: 'fragment metadata',
    space,
    offset: 0,
    length: space.length,
  }
  let info: FragmentInfo
  try {
    info = await fragment.info()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { ...root, children: async () => childList(await withoutInfo(fragment, space, file, error, by)) }
  }
  const { footer } = info
  if (!footer) return { ...root, children: async () => childList([await v1Part(info, space, file, by)]) }
  return {
    ...root,
    async children() {
      const parts: Part[] = []
      const all = sections(info, by).filter((section) => section.offset < footer.offset)
      for (const [i, section] of all.entries()) {
        const end = all[i + 1]?.offset ?? footer.offset
        parts.push(await sectionPart(section, end, space, file, by))
      }
      parts.push(await footerPart(fragment, space, file, by))
      const stored = footerLengthIsStored(info.format_version, info.schema)
      if (stored) parts.push(await footerLengthPart(space, footer.offset, footer.size))
      const covered = withGaps(space, parts, 0, space.length, NO_SECTION)
      return childList(await Promise.all(covered.map((part) => unnamedSection(part, info, file, by))))
    },
  }
}

async function sectionPart(section: Section, end: number, space: Space, file: string, by: Anatomist): Promise<Part> {
  const part = await genericTilePart(section.name, space, file, section.offset, end, section.content, by)
  return { ...part, keys: section.keys }
}

/**
 * A gap that holds a generic tile. Format version 15 writes processed conditions, but its footer has no field for their
 * offset.
 */
async function unnamedSection(part: Part, info: FragmentInfo, file: string, by: Anatomist): Promise<Part> {
  const { space, offset, length } = part
  if (part.type !== 'gap' || (await headerAt(space, offset, offset + length))?.length !== length) return part
  const conditions = info.format_version === 15
  const content = conditions ? contentOf(processedConditions, by.style) : unknownContent
  const name = conditions ? 'processed_conditions' : 'unnamed section'
  const tile = await genericTilePart(name, space, file, offset, offset + length, content, by)
  return { ...tile, meaning: 'a generic tile that no field of the footer names' }
}

/** One section by its name (`rtree`, `tile_offsets a`), or every section that `wanted` accepts. */
export async function sectionParts(
  fragment: Fragment,
  space: Space,
  file: string,
  by: Anatomist,
  wanted: (name: string) => boolean,
): Promise<Part[]> {
  const info = await fragment.info()
  const { footer } = info
  if (!footer) return [await v1Part(info, space, file, by)]
  const all = sections(info, by)
  const parts: Part[] = []
  for (const [i, section] of all.entries()) {
    if (!wanted(section.name)) continue
    if (section.offset >= footer.offset) {
      const message = `expected an offset before the footer at ${footer.offset}, found ${section.offset}`
      throw badValue(message, { file, field: section.name })
    }
    parts.push(
      await sectionPart(section, Math.min(all[i + 1]?.offset ?? footer.offset, footer.offset), space, file, by),
    )
  }
  return parts
}

/** Versions 1 and 2: the whole file is one generic tile. */
async function v1Part(info: FragmentInfo, space: Space, file: string, by: Anatomist): Promise<Part> {
  const { schema, slots } = info
  const content = contentOf(fragmentMetadataV1(schema), by.style, () => ({
    typeOf: v1Types(schema),
    namesOf: ([list]) => (list.startsWith('file_') ? slots.map(({ name }) => name) : undefined),
    refine: (part, path) =>
      path.length === 2 && path[0].startsWith('tile_') ? ofSlot(part, slots[Number(path[1])]) : part,
  }))
  const part = await genericTilePart('metadata', space, file, 0, space.length, content, by)
  return { ...part, transparent: true }
}

function ofSlot(part: Part, slot: Slot | undefined): Part {
  return slot ? { ...part, label: slot.name, keys: [[slot.name]] } : part
}

/** The footer of versions 3 and up. */
export async function footerPart(fragment: Fragment, space: Space, file: string, by: Anatomist): Promise<Part> {
  const info = await fragment.info()
  const { footer, schema, slots } = info
  if (!footer) throw new TypeError('a fragment of version 1 or 2 has no footer')
  const { offset, size } = footer
  const part: Part = { name: 'footer', type: 'struct', space, offset, length: size }
  return {
    ...part,
    async children() {
      const bytes = await space.read(offset, size)
      const names = slots.map(({ name }) => name)
      const notes = await footerNotes(fragment, info, footer, space)
      const inner = tracedPart(
        'footer',
        fragmentFooter(schema),
        { space, bytes, base: offset, style: by.style },
        file,
        () => ({
          typeOf: ndRangeTypes(schema.domain.dimensions),
          namesOf: () => names,
          refine: (one, path) => footerField(one, path, notes),
        }),
      )
      return (await inner.children?.()) ?? childList([])
    },
  }
}

/** For each footer field that can be compared with files or sections: the result. */
type FooterNotes = ReadonlyMap<string, (index: number) => Note | undefined>

function footerField(part: Part, path: Path, notes: FooterNotes): Part {
  if (path.length !== 1) return part
  const note = notes.get(part.name)
  if (!note) return part
  if (part.elements) return { ...part, elements: { ...part.elements, note } }
  return { ...part, ...note(0), unit: 'bytes' }
}

/** With more slots than this, the slots are not compared with files and sections. */
const MAX_NOTED_SLOTS = 2000
const HEADER_BYTES = 4096

async function footerNotes(
  fragment: Fragment,
  info: FragmentInfo,
  footer: FragmentFooter & { offset: number },
  space: Space,
): Promise<FooterNotes> {
  const notes = new Map<string, (index: number) => Note | undefined>()
  if (info.slots.length > MAX_NOTED_SLOTS) return notes
  for (const [list, suffix] of SIZE_LISTS) notes.set(list, await sizeNotes(fragment, info, list, suffix))
  const known = new Map<number, Note>()
  for (const { key, offset } of sectionPlaces(footer, info.slots)) {
    const values = key && footer[key]
    if (typeof values !== 'number' && !(values instanceof Float64Array)) continue
    if (!known.has(offset)) known.set(offset, await tileNote(space, offset, footer.offset))
    notes.set(String(key), (index) => known.get(typeof values === 'number' ? values : values[index]))
  }
  return notes
}

/** Whether a valid generic tile starts at an offset. */
async function tileNote(space: Space, offset: number, end: number): Promise<Note> {
  if (offset >= end) return { verdict: 'invalid', meaning: `behind the sections, which end at ${end}` }
  try {
    const bytes = await space.read(offset, Math.min(HEADER_BYTES, end - offset))
    const { value, length } = decodePrefix(bytes, genericTileHeader)
    return { verdict: value.persisted_size <= end - offset - length ? 'valid' : 'invalid' }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { verdict: 'invalid', meaning: 'no generic tile is there' }
  }
}

const SIZE_LISTS = [
  ['file_sizes', ''],
  ['file_var_sizes', 'var'],
  ['file_validity_sizes', 'validity'],
] as const

/** Compares the file sizes in the footer with the files. A longer file is valid. */
async function sizeNotes(
  fragment: Fragment,
  info: FragmentInfo,
  list: (typeof SIZE_LISTS)[number][0],
  role: (typeof SIZE_LISTS)[number][1],
): Promise<(index: number) => Note | undefined> {
  const bySlot = new Map<number, Note>()
  for (const file of await fragment.fieldFiles()) {
    const kind = file.role === 'var' || file.role === 'validity' ? file.role : ''
    if (kind !== role) continue
    const expected = info[list]?.[file.slot] ?? 0
    if ((await fragment.folder.kind(file.name)) !== 'file') {
      if (expected > 0 || info.tile_num > 0)
        bySlot.set(file.slot, { verdict: 'invalid', meaning: `${file.name} is missing` })
      continue
    }
    const size = await withSource(fragment.folder.file(file.name), (source) => source.size())
    const more = size > expected ? `${file.name} has ${size - expected} bytes more` : file.name
    bySlot.set(
      file.slot,
      size < expected
        ? { verdict: 'invalid', meaning: `${file.name} has ${size} bytes` }
        : { verdict: 'valid', meaning: more },
    )
  }
  return (index) => bySlot.get(index)
}

async function footerLengthPart(space: Space, footerOffset: number, footerSize: number): Promise<Part> {
  return {
    name: 'footer_length',
    type: 'uint64',
    space,
    offset: footerOffset + footerSize,
    length: FOOTER_LENGTH_BYTES,
    value: footerSize,
    unit: 'bytes',
    verdict: 'valid',
  }
}

/** Maps a path of the `footer` document to its field in the footer: `fields[2].file_size` is `file_sizes[2]`. */
export function footerAlias(path: readonly string[]): readonly string[] {
  const [head, index, field, list] = path
  if (head === 'format_version') return ['version']
  if (head !== 'fields') return path
  if (field?.startsWith('file_') && path.length === 3) return [`${field}s`, index]
  const key = field === 'offsets' ? SLOT_SECTIONS.find(({ name }) => name === list)?.key : undefined
  return key === undefined ? path : [key, index]
}

/** All sections that the footer names, by offset, without duplicates. */
function sections(info: FragmentInfo, by: Anatomist): Section[] {
  const { footer, slots } = info
  const at = new Map<number, Section>()
  for (const { name, slot, offset } of footer ? sectionPlaces(footer, slots) : []) {
    const known = at.get(offset)
    const keys =
      slot === undefined
        ? [[name]]
        : [
            [name, slots[slot].name],
            [name, String(slot)],
          ]
    if (name === 'fragment_min_max_sum_null_count') keys.push(['statistics'])
    if (known) known.keys.push(...keys)
    else {
      const shown = slot === undefined ? name : `${name} ${slots[slot].name}`
      at.set(offset, { offset, name: shown, keys, content: sectionContent(name, info, slot, by) })
    }
  }
  return [...at.values()].sort((a, b) => a.offset - b.offset)
}

function sectionContent(name: SectionName, info: FragmentInfo, at: number | undefined, by: Anatomist): ContentReader {
  const { schema, slots, format_version } = info
  const { dimensions } = schema.domain
  if (name === 'rtree')
    return contentOf(rtree(format_version, dimensions), by.style, () => ({
      typeOf: ndRangeTypes(dimensions),
      refine: levelPath,
    }))
  if (name === 'processed_conditions') return contentOf(processedConditions, by.style)
  if (name === 'fragment_min_max_sum_null_count') {
    const names = slots.map((slot) => slot.name)
    return contentOf(fragmentMinMaxSumNullCount(names), by.style, () => ({ typeOf: statisticsTypes(info) }))
  }
  if (at === undefined || name.startsWith('global_order')) return contentOf(tileMinMax, by.style)
  const slot = slots[at]
  if (name === 'tile_mins' || name === 'tile_maxs')
    return contentOf(tileMinMax, by.style, (value) => ({ typeOf: minMaxTypes(slot, value) }))
  if (name === 'tile_sums') return contentOf(tileSums, by.style, () => ({ typeOf: sumTypes(slot) }))
  return contentOf(tileOffsets, by.style, (value) => ({
    refine: (part, path) => (path[0] === 'value_num' ? { ...part, ...tileCount(value, info) } : part),
  }))
}

/** Names levels as the documents do, `rtree.levels[0][3]`: leaves out the name of the list of boxes. */
function levelPath(part: Part, path: Path): Part {
  return path.length === 3 && path[0] === 'levels' && path[2] === 'bytes'
    ? { ...part, name: 'mbrs', type: part.type, transparent: true }
    : part
}

/** Checks that there is one entry per tile, or none. */
function tileCount({ values }: TileOffsets, info: FragmentInfo): Note & { unit: string } {
  const { tile_num } = info
  const fits = values.length === 0 || values.length === tile_num || hasValidityEntries(info, values)
  return fits
    ? { unit: 'entries', verdict: 'valid' }
    : { unit: 'entries', verdict: 'invalid', meaning: `expected one for each of ${tile_num} tiles` }
}

/** The generic tiles at the start of the file, as long as one follows another, then as much of the footer as can be read. */
async function withoutInfo(
  fragment: Fragment,
  space: Space,
  file: string,
  error: InspectError,
  by: Anatomist,
): Promise<Part[]> {
  const footer = await footerHeadParts(fragment, space, file, error, by)
  const end = footer[0]?.offset ?? space.length
  const tiles: Part[] = []
  let offset = 0
  while (offset < end) {
    const header = await headerAt(space, offset, end)
    if (!header || offset + header.length > end) break
    const tile = await genericTilePart(`section ${tiles.length}`, space, file, offset, end, unknownContent, by)
    tiles.push(tile)
    offset += tile.length
  }
  if (footer.length > 0) {
    const rest = offset < end ? [gap(space, offset, end - offset, NO_SECTION)] : []
    return [...tiles, ...rest, ...footer]
  }
  return [...tiles, unreadable(space, offset, space.length - offset, error)]
}

const unknownContent: ContentReader = (bytes, space) => ({
  name: 'content',
  type: 'bytes',
  space,
  offset: 0,
  length: bytes.length,
  meaning: 'which section it is stands in the footer',
})

/** The header at an offset, and the size in bytes of its tile; undefined if there is none. */
async function headerAt(
  space: Space,
  offset: number,
  end: number,
): Promise<{ header: GenericTileHeader; length: number } | undefined> {
  try {
    const bytes = await space.read(offset, Math.min(HEADER_BYTES, end - offset))
    const { value, length } = decodePrefix(bytes, genericTileHeader)
    return { header: value, length: length + value.persisted_size }
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

/** The footer of a fragment whose schema is missing, or whose fields cannot all be read. */
async function footerHeadParts(
  fragment: Fragment,
  space: Space,
  file: string,
  error: InspectError,
  by: Anatomist,
): Promise<Part[]> {
  let offset: number
  let size: number
  try {
    const head = await fragment.head()
    offset = head.offset
    size = head.size
  } catch (failed) {
    if (failed instanceof InspectError) return []
    throw failed
  }
  const bytes = await space.read(offset, size)
  const schema = await fragment
    .head()
    .then(({ array_schema_name }) => fragment.array?.schema(array_schema_name ?? '').catch(() => undefined))
  const describe = (schema ? fragmentFooter(schema) : footerHead) as Describe<FooterHead>
  const { root } = trace(bytes, describe, 'footer', { file, offset })
  const part = partOf(root, { space, bytes, base: offset, style: by.style }, [])
  const at = offset + root.length
  const rest = unreadable(space, at, offset + size - at, error)
  return [part, rest, await footerLengthPart(space, offset, size)]
}
