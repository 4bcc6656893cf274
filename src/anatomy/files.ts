import { InspectError } from '../base/errors.ts'
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
import type { ByteSource } from '../source/source.ts'
import { commitKind } from '../store/commits.ts'
import type { Target } from '../store/target.ts'
import { dataFilePart } from './data-file.ts'
import { fragmentMetadataPart } from './fragment-metadata.ts'
import { type Anatomist, type ContentReader, contentOf, genericTilePart } from './generic-tile.ts'
import { childList, fileSpace, gap, type Part, type Space, unreadable, withGaps } from './part.ts'
import { tracedPart } from './spans.ts'
import { conditionTypes, enumerationTypes, metadataTypes, ndRangeTypes, schemaTypes, updateTypes } from './types.ts'

type FileTarget = Target & { type: 'file' }

/** A file split into its parts. */
export interface FileAnatomy {
  /** In words, such as `fragment metadata`, `data file` or `consolidated commits`. */
  role: string
  size: number
  root: Part
  close(): Promise<void>
}

/** Largest text file that is read. One fragment name takes about 60 bytes. */
const MAX_LINES_BYTES = 256 * 2 ** 20

/**
 * Opens any file of an array or group. Only headers are read here; a part reads the rest when opened.
 * @throws InspectError NOT_FOUND, NO_PERMISSION, IO
 */
export async function openAnatomy(target: FileTarget, by: Anatomist): Promise<FileAnatomy> {
  const source = target.folder.file(target.name)
  const size = await source.size()
  const root = await rootPart(target, fileSpace(source, size), source, by)
  return { role: root.type, size, root, close: () => source.close() }
}

async function rootPart(target: FileTarget, space: Space, source: ByteSource, by: Anatomist): Promise<Part> {
  const { name, folder, fragment } = target
  const file = source.name
  const root = (type: string, children: () => Promise<Part[]>): Part => ({
    name,
    type,
    space,
    offset: 0,
    length: space.length,
    children: async () => childList(await children()),
  })
  const tile = (type: string, label: string, content: ContentReader): Part =>
    root(type, async () => wholeTile(label, space, file, content, by))
  if (fragment) {
    if (name === FRAGMENT_METADATA_FILE) return fragmentMetadataPart(fragment, space, file, by)
    return dataFile(target, space, file, by)
  }
  const inside = folder.name
  if (name === OLD_SCHEMA_FILE || (inside === '__schema' && parseTimestampedName(name)))
    return tile(
      'array schema',
      'schema',
      contentOf(arraySchema, by.style, (schema) => ({ typeOf: schemaTypes(schema) })),
    )
  if (inside === '__enumerations')
    return tile(
      'enumeration',
      'enumeration',
      contentOf(enumerationFile, by.style, (value) => ({ typeOf: enumerationTypes(value) })),
    )
  const kind = commitKind(name)
  if (kind === 'vacuum' || kind === 'ignore' || name.endsWith('.vac'))
    return root(`${kind ?? 'vacuum'} file`, () => lineParts(space))
  if (kind === 'write') return root('commit file', async () => withGaps(space, [], 0, space.length, NOT_DEFINED))
  if (kind === 'consolidated-commits') return root('consolidated commits', () => commitParts(target, space, file, by))
  if (kind === 'delete' || kind === 'update') {
    return root(`${kind} commit`, async () =>
      wholeTile('condition', space, file, await conditionContent(target, kind, by), by),
    )
  }
  if (kind === 'fragment-metadata')
    return tile('consolidated fragment metadata', 'footers', footersContent(await schemasOf(target), by))
  if (inside === '__meta')
    return tile(
      'array metadata',
      'metadata',
      contentOf(arrayMetadata, by.style, (value) => ({ typeOf: metadataTypes(value) })),
    )
  if (inside === '__group') return tile('group details', 'group', contentOf(groupDetails, by.style))
  if (space.length === 0) return root('marker file', async () => [])
  return root('unknown file', async () => [gap(space, 0, space.length, 'no file of the format has this name')])
}

const NOT_DEFINED = 'not defined: TileDB writes this file empty'

/** A file that is a single generic tile. */
async function wholeTile(
  name: string,
  space: Space,
  file: string,
  content: ContentReader,
  by: Anatomist,
): Promise<Part[]> {
  if (space.length === 0) {
    const fault = new InspectError('TRUNCATED', 'expected a generic tile, found an empty file', { file, offset: 0 })
    return [unreadable(space, 0, 0, fault)]
  }
  const part = await genericTilePart(name, space, file, 0, space.length, content, by)
  return withGaps(space, [{ ...part, transparent: true }], 0, space.length, 'behind the generic tile')
}

async function dataFile(target: FileTarget, space: Space, file: string, by: Anatomist): Promise<Part> {
  const { fragment, name } = target
  const whole: Part = { name, type: 'unknown file', space, offset: 0, length: space.length }
  if (!fragment) return whole
  try {
    const field = (await fragment.fieldFiles()).find((one) => one.name === name)
    if (field) return await dataFilePart(fragment, field, space, file, by)
    const part = gap(space, 0, space.length, "the fragment's metadata does not name this file")
    return { ...whole, children: async () => childList(space.length > 0 ? [part] : []) }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { ...whole, type: 'data file', children: async () => childList([unreadable(space, 0, space.length, error)]) }
  }
}

/** Lines of a `.vac` or `.ign` file. */
async function lineParts(space: Space): Promise<Part[]> {
  if (space.length > MAX_LINES_BYTES) return [gap(space, 0, space.length, 'too long to be read as lines')]
  const bytes = await space.read(0, space.length)
  const parts: Part[] = []
  let at = 0
  while (at < bytes.length) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline < 0 ? bytes.length : newline
    parts.push(linePart(String(parts.length), space, bytes, at, end, newline < 0 ? end : end + 1))
    at = newline < 0 ? end : end + 1
  }
  return parts
}

function linePart(name: string, space: Space, bytes: Uint8Array, from: number, end: number, next: number): Part {
  const value = decodeText(bytes.subarray(from, end))
  const meaning = next > end ? 'a line and its line feed' : undefined
  return { name, type: 'line', space, offset: from, length: next - from, value, meaning }
}

/** A `.con` file: lines. After the line of a delete or update, its whole generic tile follows. */
async function commitParts(target: FileTarget, space: Space, file: string, by: Anatomist): Promise<Part[]> {
  if (space.length > MAX_LINES_BYTES) return [gap(space, 0, space.length, 'too long to be read as lines')]
  const bytes = await space.read(0, space.length)
  let commits: ReturnType<typeof parseConsolidatedCommits>
  try {
    commits = parseConsolidatedCommits(bytes)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return [
      ...(await lineParts(space)).filter(({ offset, length }) => offset + length <= (error.at.offset ?? 0)),
    ].concat(restAfter(space, bytes, error))
  }
  const contents: { [kind in 'update' | 'delete']?: ContentReader } = {}
  const parts: Part[] = []
  for (const [i, { offset, path, tile }] of commits.entries()) {
    const newline = bytes.indexOf(0x0a, offset)
    const end = newline < 0 ? bytes.length : newline
    const line = linePart('path', space, bytes, offset, end, Math.min(end + 1, bytes.length))
    if (!tile) {
      parts.push({ ...line, name: String(i) })
      continue
    }
    const kind = commitKind(path) === 'update' ? 'update' : 'delete'
    const length: Part = {
      name: 'tile_length',
      type: 'uint64',
      space,
      offset: tile.offset - 8,
      length: 8,
      value: tile.length,
      unit: 'bytes',
      verdict: 'valid',
    }
    contents[kind] ??= await conditionContent(target, kind, by)
    const content = contents[kind]
    const whole: Part = {
      name: String(i),
      type: 'struct',
      label: path,
      space,
      offset,
      length: tile.offset + tile.length - offset,
    }
    parts.push({
      ...whole,
      async children() {
        const inner = await genericTilePart(
          'condition',
          space,
          file,
          tile.offset,
          tile.offset + tile.length,
          content,
          by,
        )
        return childList(
          withGaps(space, [line, length, inner], offset, tile.offset + tile.length, 'behind the generic tile'),
        )
      },
    })
  }
  return withGaps(space, parts, 0, space.length, 'an empty line')
}

function restAfter(space: Space, bytes: Uint8Array, error: InspectError): Part[] {
  const at = Math.min(error.at.offset ?? 0, bytes.length)
  return [unreadable(space, at, bytes.length - at, error)]
}

async function conditionContent(target: FileTarget, kind: 'delete' | 'update', by: Anatomist): Promise<ContentReader> {
  const schema = await newestSchema(target)
  const meaning = 'the negation of what the user asked to delete: the cells that stay'
  if (kind === 'update')
    return contentOf(updateCondition, by.style, (value) => ({ typeOf: updateTypes(schema, value) }))
  const read = contentOf(deleteCondition, by.style, (value) => ({ typeOf: conditionTypes(schema, value) }))
  return (bytes, space, file) => ({ ...read(bytes, space, file), meaning })
}

async function newestSchema({ array }: FileTarget): Promise<ArraySchema | undefined> {
  try {
    return (await array?.newestSchema())?.schema
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

async function schemasOf({ array }: FileTarget): Promise<ReadonlyMap<string, ArraySchema>> {
  const schemas = new Map<string, ArraySchema>()
  for (const { name } of (await array?.schemaFiles()) ?? []) {
    try {
      if (array) schemas.set(name, await array.schema(name))
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
    }
  }
  return schemas
}

/** Consolidated fragment metadata: first the offset of each footer, then the footers back to back. */
function footersContent(schemas: ReadonlyMap<string, ArraySchema>, by: Anatomist): ContentReader {
  return (bytes, space, file) =>
    contentOf(consolidatedFragmentMetadata, by.style, (value) => ({
      refine: (part, path) =>
        path.length === 1 && path[0] === 'footers'
          ? {
              ...part,
              type: 'list',
              value: undefined,
              children: async () => childList(footerList(value, part, bytes, space, file, schemas, by)),
            }
          : part,
    }))(bytes, space, file)
}

function footerList(
  { entries }: ConsolidatedFragmentMetadata,
  part: Part,
  bytes: Uint8Array,
  space: Space,
  file: string,
  schemas: ReadonlyMap<string, ArraySchema>,
  by: Anatomist,
): Part[] {
  const end = part.offset + part.length
  const starts = [...new Set(entries.map(({ offset }) => offset))]
    .filter((at) => at >= part.offset && at < end)
    .sort((a, b) => a - b)
  const parts = starts.map((offset, i): Part => {
    const fragment_name = entries.find((entry) => entry.offset === offset)?.fragment_name ?? ''
    const footer = bytes.subarray(offset, starts[i + 1] ?? end)
    return { ...oneFooter(String(i), footer, offset, space, file, schemas, by), label: fragment_name }
  })
  return withGaps(space, parts, part.offset, end, 'no footer is here, by the list')
}

function oneFooter(
  name: string,
  bytes: Uint8Array,
  offset: number,
  space: Space,
  file: string,
  schemas: ReadonlyMap<string, ArraySchema>,
  by: Anatomist,
): Part {
  const reading = { space, bytes, base: offset, style: by.style }
  try {
    const { value } = decodePrefix(bytes, footerHead, { file, offset, space: space.name })
    const schema = schemas.get(value.array_schema_name ?? OLD_SCHEMA_FILE)
    if (!schema) return gap(space, offset, bytes.length, 'a footer whose schema is missing')
    return tracedPart(name, fragmentFooter(schema), reading, file, (footer) => {
      const names = fragmentSlots(footer.version, schema, footer).map((slot) => slot.name)
      return { typeOf: ndRangeTypes(schema.domain.dimensions), namesOf: () => names }
    })
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return unreadable(space, offset, bytes.length, error)
  }
}
