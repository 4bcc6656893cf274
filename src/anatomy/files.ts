import { faultOf, InspectError, unlessFault } from '../base/errors.ts'
import { TileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { parseConsolidatedCommits } from '../format/commit-files.ts'
import {
  type ConsolidatedFragmentMetadata,
  consolidatedFragmentMetadata,
} from '../format/consolidated-fragment-metadata.ts'
import { deleteCondition, updateCondition } from '../format/delete-condition.ts'
import { enumerationFile } from '../format/enumeration.ts'
import { FRAGMENT_METADATA_FILE, footerHead, fragmentFooter, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { fragmentSlots } from '../format/fragment-slots.ts'
import { groupDetails } from '../format/group-details.ts'
import { decodePrefix } from '../format/io.ts'
import { decodeText } from '../format/text.ts'
import { parseTimestampedName } from '../format/timestamped-name.ts'
import { ENUMERATIONS_FOLDER, METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import { commitKind } from '../objects/commits.ts'
import type { Fragment } from '../objects/fragment.ts'
import { GROUP_DETAILS_FOLDER, GROUP_FILE } from '../objects/group.ts'
import type { Target } from '../objects/target.ts'
import type { Folder } from '../storage/source.ts'
import { dataFilePart } from './data-file.ts'
import { factsOfFooter, fragmentMetadataPart } from './fragment-metadata.ts'
import { type ContentReader, contentOf, genericTilePart } from './generic-tile.ts'
import {
  type Children,
  childList,
  fileSpace,
  gap,
  numberPart,
  type Part,
  type PartSettings,
  type Space,
  unreadable,
  withGaps,
} from './part.ts'
import { tracedPart } from './spans.ts'
import { conditionTypes, enumerationTypes, metadataTypes, schemaTypes, updateTypes } from './types.ts'

type FileTarget = Target & { type: 'file' }

/** Size limit of text files that are read, in bytes; less if the memory is less. A fragment name takes about 60. */
const MAX_LINES_BYTES = 256 * 2 ** 20

/**
 * Opens any file of an array or group. Reads only headers; each part reads its bytes when it is opened.
 * @returns the part of the whole file, whose type says what it is: `fragment metadata`, `data file`, `consolidated commits`…
 * @throws InspectError NOT_FOUND, NO_PERMISSION, IO
 */
export async function openAnatomy(
  target: FileTarget,
  settings: PartSettings,
): Promise<{ root: Part; close(): Promise<void> }> {
  const source = target.folder.file(target.name)
  const space = await fileSpace(source, settings)
  const root = await rootPart(target, space)
  return { root, close: () => source.close() }
}

async function rootPart(target: FileTarget, space: Space): Promise<Part> {
  const { name, folder, fragment } = target
  const { length } = space
  if (fragment)
    return name === FRAGMENT_METADATA_FILE ? fragmentMetadataPart(fragment, space) : dataFile(fragment, name, space)
  const type = fileTypeByName(name, folder.name, length, folder.name === METADATA_FOLDER && (await isOfGroup(target)))
  const children = async (): Promise<Children> => childList(await partsOf(target, type, space))
  return { name, type, space, offset: 0, length, children }
}

/** The parts of a file outside of fragments. @param type as {@link fileTypeByName} returns it */
async function partsOf(target: FileTarget, type: string, space: Space): Promise<Part[]> {
  const { length } = space
  switch (type) {
    case 'array schema':
      return wholeTile(
        'schema',
        space,
        contentOf(arraySchema, (schema) => ({ typeOf: schemaTypes(schema) })),
      )
    case 'enumeration':
      return wholeTile(
        'enumeration',
        space,
        contentOf(enumerationFile, (one) => ({ typeOf: enumerationTypes(one) })),
      )
    case 'array metadata':
    case 'group metadata':
      return wholeTile(
        'metadata',
        space,
        contentOf(arrayMetadata, (value) => ({ typeOf: metadataTypes(value) })),
      )
    case 'group details':
      return wholeTile('group', space, contentOf(groupDetails))
    case 'consolidated fragment metadata':
      return wholeTile('footers', space, footersContent(await schemasOf(target)))
    case 'delete commit':
    case 'update commit':
      return wholeTile(
        'condition',
        space,
        await conditionContent(target, type === 'update commit' ? 'update' : 'delete'),
      )
    case 'consolidated commits':
    case 'vacuum file':
    case 'ignore file': {
      if (length > Math.min(MAX_LINES_BYTES, space.reading.memory.room))
        return [gap(space, 0, length, 'too long to be read as lines')]
      const bytes = await space.read(0, length)
      return type === 'consolidated commits' ? commitParts(target, space, bytes) : linesIn(space, bytes)
    }
    case 'commit file':
    case 'group marker':
      return withGaps(space, [], 0, length, 'not defined: TileDB writes this file empty')
    case 'marker file':
      return []
    default:
      return [gap(space, 0, length, 'no file of the format has this name')]
  }
}

/** Whether a metadata file is that of a group. Arrays have metadata of the same form, in a folder of the same name. */
async function isOfGroup({ array, folder }: FileTarget): Promise<boolean> {
  const around = array ? undefined : folder.parent()
  return around !== undefined && isGroup(around)
}

export async function isGroup(folder: Folder): Promise<boolean> {
  return (await folder.kind(GROUP_FILE)) === 'file' || (await folder.kind(GROUP_DETAILS_FOLDER)) === 'folder'
}

/**
 * Says what a file outside of fragments is.
 * @param inside name of its folder
 * @param length size of the file in bytes
 * @param isOfGroup whether the file belongs to a group, not to an array
 */
export function fileTypeByName(name: string, inside: string, length: number, isOfGroup: boolean): string {
  if (name === OLD_SCHEMA_FILE || (inside === SCHEMA_FOLDER && parseTimestampedName(name))) return 'array schema'
  if (inside === ENUMERATIONS_FOLDER) return 'enumeration'
  const kind = commitKind(name)
  if (kind === 'vacuum' || kind === 'ignore' || name.endsWith('.vac')) return `${kind ?? 'vacuum'} file`
  if (kind === 'write') return 'commit file'
  if (kind === 'consolidated-commits') return 'consolidated commits'
  if (kind === 'delete' || kind === 'update') return `${kind} commit`
  if (kind === 'fragment-metadata') return 'consolidated fragment metadata'
  if (inside === METADATA_FOLDER) return isOfGroup ? 'group metadata' : 'array metadata'
  if (name === GROUP_FILE) return 'group marker'
  if (inside === GROUP_DETAILS_FOLDER) return 'group details'
  return length === 0 ? 'marker file' : 'unknown file'
}

/** The parts of a file that is a single generic tile. */
async function wholeTile(name: string, space: Space, content: ContentReader): Promise<Part[]> {
  const { file, length } = space
  if (length === 0) {
    const fault = new InspectError(
      'TRUNCATED',
      { expected: 'a generic tile', found: 'an empty file' },
      { file, offset: 0 },
    )
    return [unreadable(space, 0, 0, fault)]
  }
  const part = await genericTilePart(name, space, 0, length, content)
  return withGaps(space, [{ ...part, transparent: true }], 0, length, 'after the generic tile')
}

async function dataFile(fragment: Fragment, name: string, space: Space): Promise<Part> {
  const { length } = space
  const whole: Part = { name, type: 'unknown file', space, offset: 0, length }
  try {
    const field = (await fragment.fieldFiles()).find((one) => one.name === name)
    if (field) return dataFilePart(await TileFile.open(fragment, field.slot, tileRole(field)), space)
    const parts = withGaps(space, [], 0, length, "the fragment's metadata does not name this file")
    return { ...whole, children: async () => childList(parts) }
  } catch (error) {
    const rest = unreadable(space, 0, length, faultOf(error))
    return { ...whole, type: 'data file', children: async () => childList([rest]) }
  }
}

function linesIn(space: Space, bytes: Uint8Array): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; at += parts[parts.length - 1].length)
    parts.push(linePart(String(parts.length), space, bytes, at))
  return parts
}

/** The line that begins at an offset, including its line feed. */
function linePart(name: string, space: Space, bytes: Uint8Array, offset: number): Part {
  const newline = bytes.indexOf(0x0a, offset)
  const end = newline < 0 ? bytes.length : newline
  const value = decodeText(bytes.subarray(offset, end))
  const part: Part = { name, type: 'line', space, offset, length: end - offset, value }
  return newline < 0 ? part : { ...part, length: part.length + 1, meaning: 'a line and its line feed' }
}

/** Bytes of the length in front of a tile among commits. */
const TILE_LENGTH_BYTES = 8

/** The parts of a `.con` file: its lines. The line of a delete or update is followed by its generic tile. */
function commitParts(target: FileTarget, space: Space, bytes: Uint8Array): Part[] {
  let commits: ReturnType<typeof parseConsolidatedCommits>
  try {
    commits = parseConsolidatedCommits(bytes)
  } catch (caught) {
    const error = faultOf(caught)
    const at = Math.min(error.at.offset ?? 0, bytes.length)
    const before = linesIn(space, bytes).filter(({ offset, length }) => offset + length <= at)
    return [...before, unreadable(space, at, bytes.length - at, error)]
  }
  const parts: Part[] = []
  for (const [i, { offset, path, tile }] of commits.entries()) {
    const name = String(i)
    if (!tile) {
      parts.push(linePart(name, space, bytes, offset))
      continue
    }
    const kind = commitKind(path) === 'update' ? 'update' : 'delete'
    const end = tile.offset + tile.length
    parts.push({
      name,
      type: 'struct',
      label: path,
      space,
      offset,
      length: end - offset,
      async children() {
        const line = linePart('path', space, bytes, offset)
        const length = numberPart(space, tile.offset - TILE_LENGTH_BYTES, 'tile_length', tile.length, 'bytes')
        const content = await conditionContent(target, kind)
        const inner = await genericTilePart('condition', space, tile.offset, end, content)
        return childList(withGaps(space, [line, length, inner], offset, end, 'after the generic tile'))
      },
    })
  }
  return withGaps(space, parts, 0, space.length, 'an empty line')
}

async function conditionContent(target: FileTarget, kind: 'delete' | 'update'): Promise<ContentReader> {
  const schema = await newestSchema(target)
  if (kind === 'update') return contentOf(updateCondition, (value) => ({ typeOf: updateTypes(schema, value) }))
  const read = contentOf(deleteCondition, (value) => ({ typeOf: conditionTypes(schema, value) }))
  const meaning = 'the negation of what the user asked to delete: the cells that stay'
  return (bytes, space) => ({ ...read(bytes, space), meaning })
}

async function newestSchema({ array }: FileTarget): Promise<ArraySchema | undefined> {
  return (await array?.newestSchema().catch(unlessFault))?.schema
}

/** The schemas of the array that can be read, by name. */
async function schemasOf({ array }: FileTarget): Promise<ReadonlyMap<string, ArraySchema>> {
  const schemas = new Map<string, ArraySchema>()
  for (const { name } of (await array?.schemaFiles()) ?? []) {
    const schema = await array?.schema(name).catch(unlessFault)
    if (schema) schemas.set(name, schema)
  }
  return schemas
}

/** Reads consolidated fragment metadata: first the offset of each footer, then the footers back to back. */
function footersContent(schemas: ReadonlyMap<string, ArraySchema>): ContentReader {
  return (bytes, space) =>
    contentOf(consolidatedFragmentMetadata, (value) => ({
      refine(part, path) {
        if (path.length !== 1 || path[0] !== 'footers') return part
        const children = async () => childList(footerList(value, part, bytes, schemas))
        return { ...part, type: 'list', value: undefined, children }
      },
    }))(bytes, space)
}

function footerList(
  { entries }: ConsolidatedFragmentMetadata,
  { space, offset, length }: Part,
  bytes: Uint8Array,
  schemas: ReadonlyMap<string, ArraySchema>,
): Part[] {
  const end = offset + length
  const names = new Map<number, string>()
  for (const entry of entries.toReversed())
    if (entry.offset >= offset && entry.offset < end) names.set(entry.offset, entry.fragment_name)
  const starts = [...names.keys()].sort((a, b) => a - b)
  const parts = starts.map((start, i): Part => {
    const footer = bytes.subarray(start, starts[i + 1] ?? end)
    return { ...oneFooter(String(i), footer, start, space, schemas), label: names.get(start) }
  })
  return withGaps(space, parts, offset, end, 'the list names no footer here')
}

function oneFooter(
  name: string,
  bytes: Uint8Array,
  offset: number,
  space: Space,
  schemas: ReadonlyMap<string, ArraySchema>,
): Part {
  try {
    const { value } = decodePrefix(bytes, footerHead, { file: space.file, offset, space: space.name })
    const schema = schemas.get(value.array_schema_name ?? OLD_SCHEMA_FILE)
    if (!schema) return gap(space, offset, bytes.length, 'a footer whose schema is missing')
    return tracedPart(name, fragmentFooter(schema, 'rounded'), { space, bytes, base: offset }, (footer) =>
      factsOfFooter({ schema, slots: fragmentSlots(footer.version, schema, footer) }),
    )
  } catch (error) {
    return unreadable(space, offset, bytes.length, faultOf(error))
  }
}
