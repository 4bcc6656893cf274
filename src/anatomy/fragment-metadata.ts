import { badValue, faultOf, grammatical, InspectError, unlessFault } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import {
  type FooterHead,
  type FragmentFooter,
  footerHead,
  footerLengthIsStored,
  fragmentFooter,
  SLOT_SECTIONS,
} from '../format/fragment-footer.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type Describe, trace } from '../format/io.ts'
import {
  type SectionName,
  sectionContent,
  sectionPlaces,
  UNNAMED_SECTION_VERSION,
} from '../format/metadata-sections.ts'
import { type TileMinMax, tileMinMax } from '../format/tile-min-max.ts'
import { type TileOffsets, tileOffsets } from '../format/tile-offsets.ts'
import { tileSums } from '../format/tile-sums.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import { type Fragment, type FragmentInfo, hasValidityEntries } from '../objects/fragment.ts'
import { type ContentReader, contentOf, genericTilePart, headerAt } from './generic-tile.ts'
import { childList, gap, type Note, numberPart, type Part, type Space, unreadable, withGaps } from './part.ts'
import { partOf, type StructureFacts, tracedPart } from './spans.ts'
import { minMaxTypes, ndRangeTypes, statisticsTypes, sumTypes, v1Types } from './types.ts'

/** A section of the metadata file. */
interface Section {
  offset: number
  /** Where the next section or the footer begins. */
  end: number
  name: string
  /** The ways to name the section in a path. */
  paths: string[][]
  content: ContentReader
}

type Footer = FragmentFooter & { offset: number; size: number }

const NO_SECTION = 'no field of the footer points to this place'

/**
 * Makes the part of `__fragment_metadata.tdb`: sections as generic tiles, the footer, and the footer's length. In versions 1 and 2
 * the file is one generic tile. If the footer cannot be read, the generic tiles at the start of the file are still shown.
 */
export async function fragmentMetadataPart(fragment: Fragment, space: Space): Promise<Part> {
  const info = await fragment.info().catch(faultOf)
  return {
    name: '__fragment_metadata.tdb',
    type: 'fragment metadata',
    space,
    offset: 0,
    length: space.length,
    children: async () =>
      childList(
        info instanceof InspectError
          ? await withoutInfo(fragment, space, info)
          : await wholeFile(fragment, info, space),
      ),
  }
}

async function wholeFile(fragment: Fragment, info: FragmentInfo, space: Space): Promise<Part[]> {
  const { footer } = info
  if (!footer) return [await v1Part(info, space)]
  const parts: Part[] = []
  for (const section of sections(info, footer)) {
    if (section.offset < footer.offset) parts.push(await sectionPart(section, space))
  }
  parts.push(footerPart(fragment, info, footer, space))
  if (footerLengthIsStored(info.format_version, info.schema)) parts.push(footerLengthPart(space, footer))
  const covered = withGaps(space, parts, 0, space.length, NO_SECTION)
  return Promise.all(covered.map((part) => unnamedSection(part, info)))
}

async function sectionPart({ name, offset, end, content, paths }: Section, space: Space): Promise<Part> {
  return { ...(await genericTilePart(name, space, offset, end, content)), keys: paths }
}

/** Turns a gap that holds a generic tile into the part of that tile. Returns other parts as they are. */
async function unnamedSection(part: Part, info: FragmentInfo): Promise<Part> {
  const { space, offset, length } = part
  const end = offset + length
  if (part.type !== 'gap' || (await genericTileLength(space, offset, end)) !== length) return part
  const [name, content] =
    info.format_version === UNNAMED_SECTION_VERSION
      ? ['processed_conditions', sectionReader('processed_conditions', info)]
      : ['unnamed section', unknownContent]
  const tile = await genericTilePart(name, space, offset, end, content)
  return { ...tile, meaning: 'a generic tile that no field of the footer points to' }
}

/** The parts of the footer, of the R-tree, or of all other sections. In versions 1 and 2 one generic tile has them all. */
export async function metadataParts(
  fragment: Fragment,
  space: Space,
  which: 'footer' | 'rtree' | 'metadata',
): Promise<Part[]> {
  const info = await fragment.info()
  const { footer } = info
  if (!footer) return [await v1Part(info, space)]
  if (which === 'footer') return [footerPart(fragment, info, footer, space)]
  const parts: Part[] = []
  for (const section of sections(info, footer)) {
    const { name, offset } = section
    if ((name === 'rtree') !== (which === 'rtree')) continue
    if (offset >= footer.offset) {
      const mismatch = { expected: `an offset before the footer at ${footer.offset}`, found: offset }
      throw badValue(mismatch, { file: space.file, field: name })
    }
    parts.push(await sectionPart(section, space))
  }
  return parts
}

/** The generic tile that is the whole file in versions 1 and 2. */
async function v1Part(info: FragmentInfo, space: Space): Promise<Part> {
  const content = sectionReader('fragment_metadata', info)
  return { ...(await genericTilePart('metadata', space, 0, space.length, content)), transparent: true }
}

/** The footer of versions 3 and up. */
function footerPart(fragment: Fragment, info: FragmentInfo, footer: Footer, space: Space): Part {
  const { offset, size } = footer
  return {
    name: 'footer',
    type: 'struct',
    space,
    offset,
    length: size,
    async children() {
      const bytes = await space.read(offset, size)
      const notes = await footerNotes(fragment, info, footer, space)
      const refine: StructureFacts['refine'] = (part, path) => {
        const note = path.length === 1 ? notes.get(part.name) : undefined
        if (!note) return part
        return part.elements ? { ...part, elements: { ...part.elements, note } } : { ...part, ...note(0) }
      }
      const facts = (): StructureFacts => ({ ...factsOfFooter(info), refine })
      const inner = tracedPart('footer', fragmentFooter(info.schema, 'rounded'), { space, bytes, base: offset }, facts)
      return (await inner.children?.()) ?? childList([])
    },
  }
}

/** Types and names of a footer's fields, which come from the schema. */
export function factsOfFooter({ schema, slots }: Pick<FragmentInfo, 'schema' | 'slots'>): StructureFacts {
  const names = slots.map(({ name }) => name)
  return { typeOf: ndRangeTypes(schema.domain.dimensions), namesOf: () => names }
}

/** Results of comparing footer fields with files or sections, by the field's name and the index in its list. */
type FooterNotes = ReadonlyMap<string, (index: number) => Note | undefined>

/**
 * Above this number of slots, footer fields are not compared with files and sections: each section takes a read, which the part of the
 * footer would wait for.
 */
const MAX_NOTED_SLOTS = 2000

async function footerNotes(fragment: Fragment, info: FragmentInfo, footer: Footer, space: Space): Promise<FooterNotes> {
  const notes = new Map<string, (index: number) => Note | undefined>()
  if (info.slots.length > MAX_NOTED_SLOTS) return notes
  for (const [list, bySlot] of await sizeNotes(fragment, info)) notes.set(list, (index) => bySlot.get(index))
  const byOffset = new Map<number, Note>()
  for (const { key, offset } of sectionPlaces(footer, info.slots)) {
    const values = key && footer[key]
    if (typeof values !== 'number' && !(values instanceof Float64Array)) continue
    if (!byOffset.has(offset)) byOffset.set(offset, await genericTileNote(space, offset, footer.offset))
    notes.set(String(key), (index) => byOffset.get(typeof values === 'number' ? values : values[index]))
  }
  return notes
}

/** Says whether a valid generic tile starts at an offset. */
async function genericTileNote(space: Space, offset: number, end: number): Promise<Note> {
  if (offset >= end) return { verdict: 'invalid', meaning: `after the sections, which end at ${end}` }
  const length = await genericTileLength(space, offset, end)
  if (length === undefined) return { verdict: 'invalid', meaning: 'no generic tile is there' }
  return { verdict: length <= end - offset ? 'valid' : 'invalid' }
}

/** Length in bytes of the generic tile at an offset, from its header; undefined if there is none. */
async function genericTileLength(space: Space, offset: number, end: number): Promise<number | undefined> {
  const found = await headerAt(space, offset, end).catch(unlessFault)
  return found && found.headerLength + found.header.persisted_size
}

/**
 * Compares the sizes in the footer with the files. A longer file is valid: no reader goes beyond the size in the footer.
 * @returns notes by list and by slot
 */
async function sizeNotes(fragment: Fragment, { tile_num }: FragmentInfo): Promise<Map<string, Map<number, Note>>> {
  const notes = new Map(['', '_var', '_validity'].map((kind) => [`file${kind}_sizes`, new Map<number, Note>()]))
  const onDisk = await fragmentFileSizes(fragment)
  for (const { name, role, slot, size: expected } of await fragment.fieldFiles()) {
    const kind = role === 'var' || role === 'validity' ? `_${role}` : ''
    const note = sizeNote(name, expected, onDisk.get(name))
    if (note.verdict === 'valid' || expected > 0 || tile_num > 0) notes.get(`file${kind}_sizes`)?.set(slot, note)
  }
  return notes
}

function sizeNote(name: string, expected: number, size: number | undefined): Note {
  if (size === undefined) return { verdict: 'invalid', meaning: `${name} is missing` }
  if (size < expected) return { verdict: 'invalid', meaning: `${name} has ${grammatical(`${size} bytes`)}` }
  if (size === expected) return { verdict: 'valid', meaning: name }
  return { verdict: 'valid', meaning: `${name} has ${grammatical(`${size - expected} bytes`)} more` }
}

function footerLengthPart(space: Space, { offset, size }: { offset: number; size: number }): Part {
  return numberPart(space, offset + size, 'footer_length', size, 'bytes')
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

/** All sections that the footer points to, by rising offset. Fields that point to the same offset share a section. */
function sections(info: FragmentInfo, footer: Footer): Section[] {
  const { slots } = info
  const at = new Map<number, Section>()
  for (const { name, slot, offset } of sectionPlaces(footer, slots)) {
    const field = slot === undefined ? undefined : slots[slot]
    const section = at.get(offset) ?? {
      offset,
      end: footer.offset,
      name: field ? `${name} ${field.name}` : name,
      paths: [],
      content: sectionReader(name, info, field),
    }
    section.paths.push(...(field ? [field.name, String(slot)].map((one) => [name, one]) : [[name]]))
    if (name === 'fragment_min_max_sum_null_count') section.paths.push(['statistics'])
    at.set(offset, section)
  }
  const sorted = [...at.values()].sort((a, b) => a.offset - b.offset)
  return sorted.map((section, i) => ({
    ...section,
    end: Math.min(sorted[i + 1]?.offset ?? footer.offset, footer.offset),
  }))
}

function sectionReader(name: SectionName, info: FragmentInfo, slot?: Slot): ContentReader {
  const describe = sectionContent(name, info.format_version, info.schema, info.slots)
  return contentOf(describe, (value) => factsOfSection(name, describe, info, slot, value))
}

/** Types and names in a section, which come from the schema and the footer. */
function factsOfSection(
  name: SectionName,
  describe: unknown,
  info: FragmentInfo,
  slot: Slot | undefined,
  value: unknown,
): StructureFacts {
  const { schema, slots } = info
  if (name === 'rtree') return { typeOf: ndRangeTypes(schema.domain.dimensions), refine: levelPath }
  if (name === 'fragment_min_max_sum_null_count') return { typeOf: statisticsTypes(info) }
  if (name === 'fragment_metadata')
    return {
      typeOf: v1Types(schema),
      namesOf: ([list]) => (list.startsWith('file_') ? slots.map((one) => one.name) : undefined),
      refine: (part, path) =>
        path.length === 2 && path[0].startsWith('tile_') ? ofSlot(part, slots[Number(path[1])]) : part,
    }
  if (!slot || name.startsWith('global_order')) return {}
  if (describe === tileMinMax) return { typeOf: minMaxTypes(slot, value as TileMinMax) }
  if (describe === tileSums) return { typeOf: sumTypes(slot) }
  if (describe !== tileOffsets) return {}
  return {
    refine: (part, [field]) => (field === 'value_num' ? { ...part, ...tileCount(value as TileOffsets, info) } : part),
  }
}

function ofSlot(part: Part, slot: Slot | undefined): Part {
  return slot ? { ...part, label: slot.name, keys: [[slot.name]] } : part
}

/** Lets paths name boxes as the documents do, `rtree.levels[0][3]`, without the name of their list. */
const levelPath: StructureFacts['refine'] = (part, path) =>
  path.length === 3 && path[0] === 'levels' && path[2] === 'bytes' ? { ...part, name: 'mbrs', transparent: true } : part

/** Checks the number of entries: one for each tile, or none. In versions 7 and 8 zeros may follow. */
function tileCount({ values }: TileOffsets, info: FragmentInfo): Partial<Part> {
  const { tile_num } = info
  const fits = values.length === 0 || values.length === tile_num || hasValidityEntries(info, values)
  return fits
    ? { unit: 'entries', verdict: 'valid' }
    : { unit: 'entries', verdict: 'invalid', meaning: grammatical(`expected one for each of ${tile_num} tiles`) }
}

/** The parts of a file whose footer cannot be read: generic tiles from its start on, then the readable fields of the footer. */
async function withoutInfo(fragment: Fragment, space: Space, error: InspectError): Promise<Part[]> {
  const footer = await footerHeadParts(fragment, space, error)
  const end = footer[0]?.offset ?? space.length
  const genericTiles: Part[] = []
  let offset = 0
  while (offset < end) {
    const length = await genericTileLength(space, offset, end)
    if (length === undefined || offset + length > end) break
    genericTiles.push(await genericTilePart(`section ${genericTiles.length}`, space, offset, end, unknownContent))
    offset += length
  }
  if (footer.length === 0) return [...genericTiles, unreadable(space, offset, space.length - offset, error)]
  const rest = offset < end ? [gap(space, offset, end - offset, NO_SECTION)] : []
  return [...genericTiles, ...rest, ...footer]
}

const unknownContent: ContentReader = ({ length }, space) => ({
  name: 'content',
  type: 'bytes',
  space,
  offset: 0,
  length,
  meaning: 'only the footer says which section this is',
})

/** The readable fields of a footer whose schema is missing, or which is damaged. */
async function footerHeadParts(fragment: Fragment, space: Space, error: InspectError): Promise<Part[]> {
  const head = await fragment.head().catch(unlessFault)
  if (!head) return []
  const { offset, size, array_schema_name } = head
  const bytes = await space.read(offset, size)
  const schema: ArraySchema | undefined = await fragment.array?.schema(array_schema_name ?? '').catch(() => undefined)
  const describe = (schema ? fragmentFooter(schema) : footerHead) as Describe<FooterHead>
  const { root } = trace(bytes, describe, 'footer', { file: space.file, offset })
  const at = offset + root.length
  return [
    partOf(root, { space, bytes, base: offset }, []),
    unreadable(space, at, offset + size - at, error),
    footerLengthPart(space, head),
  ]
}
