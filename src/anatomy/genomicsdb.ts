import { element } from '../base/element.ts'
import { grammatical, InspectError, orError, unlessFault } from '../base/errors.ts'
import { gunzip } from '../filters/codecs/gunzip.ts'
import { datatypeSize } from '../format/datatype.ts'
import {
  GENOMICSDB_SCHEMA_FILE,
  type GenomicsdbSchema,
  genomicsdbDimensions,
  genomicsdbFields,
  genomicsdbSchemaOf,
} from '../format/genomicsdb/array-schema.ts'
import { bookKeeping } from '../format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import { GZIP_HEAD_BYTES, GZIP_TAIL_BYTES, gzipMember, optionalBytes } from '../format/gzip-member.ts'
import { u64s } from '../format/u32.ts'
import { fragmentFolder, openGenomicsdbArray } from '../genomicsdb/array.ts'
import { columnFiles, isCoords, type OpenColumnFile, openColumnFile } from '../genomicsdb/column-file.ts'
import { CONTENT_SPACE, mostContent, openGenomicsdbFragment, tileCells } from '../genomicsdb/fragment.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'
import { extraBytes } from '../genomicsdb/tile-codec.ts'
import { mostElements } from '../objects/generic-tile.ts'
import {
  type Children,
  childList,
  fileSpace,
  gap,
  lazyChildren,
  memorySpace,
  type Part,
  type PartSettings,
  type Space,
  unreadable,
  withGaps,
} from './part.ts'
import { type FieldPath, type StructureFacts, tracedPart, typed, type ValueType } from './spans.ts'
import { ndRangeTypes } from './types.ts'

type GenomicsdbFile = GenomicsdbTarget & { kind: 'file' }

/** Lists with an element for each field. */
const OF_FIELDS = new Set([
  ...['types', 'cell_val_nums', 'compressions', 'levels', 'offsets_compressions', 'offsets_levels'],
  ...['tile_offsets', 'tile_var_offsets', 'tile_var_sizes'],
])

/** {@link openAnatomy} for a file of an array of GenomicsDB, or of its workspace. */
export async function openGenomicsdbAnatomy(
  target: GenomicsdbFile,
  settings: PartSettings,
): Promise<{ root: Part; close(): Promise<void> }> {
  const source = target.folder.file(target.name)
  const space = await fileSpace(source, settings)
  const opened: OpenColumnFile[] = []
  const root = await rootPart(target, space, opened)
  return {
    root,
    async close() {
      for (const file of opened) await file.close()
      await source.close()
    },
  }
}

/** @param opened gets the files that the parts will read */
async function rootPart(target: GenomicsdbFile, space: Space, opened: OpenColumnFile[]): Promise<Part> {
  const { name, array, fragment } = target
  const { length } = space
  const whole = (type: string, parts: readonly Part[], last?: () => Part): Part => ({
    name,
    type,
    space,
    offset: 0,
    length,
    children: async () => childList(parts, last),
  })
  if (array && !fragment && name === GENOMICSDB_SCHEMA_FILE) return whole('array schema', [await schemaPart(space)])
  if (array && fragment && name === BOOK_KEEPING_FILE) {
    const schema = await orError(async () => (await openGenomicsdbArray(array, space.reading)).schema)
    const { parts, content } = await bookKeepingParts(space, schema)
    return whole('book-keeping', parts, content)
  }
  if (fragment) {
    const files = await orError(() => openFiles(target, space))
    if (files instanceof InspectError) return whole('data file', [unreadable(space, 0, length, files)])
    if (files) {
      opened.push(...files)
      return { ...whole('data file', tileParts(files, space)), label: element(files, 0).field.name }
    }
  }
  if (length === 0) return whole('marker file', [])
  return whole('unknown file', [gap(space, 0, length, 'a file without a description here')])
}

async function schemaPart(space: Space): Promise<Part> {
  const bytes = await space.read(0, space.length)
  const facts = (schema: GenomicsdbSchema): StructureFacts => {
    const { type } = element(genomicsdbDimensions(schema), 0)
    return {
      typeOf: ([field]) =>
        field === 'domain' || field === 'tile_extents' ? { type, cell_val_num: 1, many: true } : undefined,
      refine: labelledFields(schema),
    }
  }
  return { ...tracedPart('schema', genomicsdbSchemaOf(bytes), { space, bytes, base: 0 }, facts), transparent: true }
}

/** Names each element of {@link OF_FIELDS} by its field. */
function labelledFields(schema: GenomicsdbSchema): StructureFacts['refine'] {
  const names = genomicsdbFields(schema).map((field) => field.name)
  return (part, path) => {
    const [list, index] = path
    const label = path.length === 2 && OF_FIELDS.has(list) ? names[Number(index)] : undefined
    return label === undefined ? part : { ...part, label, keys: [[label]] }
  }
}

/** The part of the gzip stream, and a function that makes the part of its content. @param schema the schema, or why there is none */
async function bookKeepingParts(
  space: Space,
  schema: GenomicsdbSchema | InspectError,
): Promise<{ parts: Part[]; content: () => Part }> {
  const { length, reading } = space
  const bytes = await space.read(0, length)
  const { content, length: streamLength, fault } = gunzip(bytes, mostContent(reading.memory, length))
  const optional = optionalBytes(bytes)
  const headAndTail = GZIP_HEAD_BYTES + optional + GZIP_TAIL_BYTES
  const end = fault ? length : streamLength
  const faultOfFile = fault && new InspectError(fault.code, fault.fault, { file: space.file })
  const stream = { space, bytes: bytes.subarray(0, end), base: 0 }
  const deflated = Math.max(0, end - headAndTail)
  const part = tracedPart('gzip', gzipMember(optional, deflated), stream)
  const gzip: Part = faultOfFile ? { ...part, verdict: 'invalid', fault: faultOfFile } : part
  const inner = memorySpace(space, CONTENT_SPACE, content, mostElements(length, reading))
  return {
    parts: withGaps(space, [gzip], 0, length, 'after the gzip stream; readers skip it'),
    content: () => contentPart(inner, content, schema),
  }
}

function contentPart(space: Space, bytes: Uint8Array, schema: GenomicsdbSchema | InspectError): Part {
  const name = 'book_keeping'
  if (schema instanceof InspectError) {
    const children = async () => childList([unreadable(space, 0, bytes.length, schema)])
    return { name, type: 'bytes', space, offset: 0, length: bytes.length, transparent: true, children }
  }
  const dimensions = genomicsdbDimensions(schema)
  const { type } = element(dimensions, 0)
  const inBoxes = ndRangeTypes(dimensions)
  const typeOf = (path: FieldPath): ValueType | undefined => {
    if (path[0] === 'domain') return { type, cell_val_num: 1, many: true }
    if (path[0] === 'bounding_coords') return { type, cell_val_num: dimensions.length }
    return inBoxes(path)
  }
  const refine = labelledFields(schema)
  const part = tracedPart(name, bookKeeping(schema), { space, bytes, base: 0 }, () => ({ typeOf, refine }))
  return { ...part, transparent: true }
}

/** Opens the data file and, for var-sized values, the file of their offsets. Undefined if no field has the file. */
async function openFiles(
  { name, array, fragment }: GenomicsdbFile,
  { reading }: Space,
): Promise<OpenColumnFile[] | undefined> {
  if (!array || !fragment) return undefined
  const opened = await openGenomicsdbArray(array, reading)
  const files = columnFiles({ array: opened })
  const file = files.find((one) => one.name === name)
  if (!file) return undefined
  const openedFragment = await openGenomicsdbFragment(opened, await fragmentFolder(fragment))
  const offsets = files.find(({ index, role }) => index === file.index && role === 'offsets')
  const own = await openColumnFile(openedFragment, file)
  if (file.role !== 'var' || !offsets) return [own]
  const ofOffsets = await orError(() => openColumnFile(openedFragment, offsets))
  // A fault of the offsets is shown in their own file.
  return ofOffsets instanceof InspectError ? [own] : [own, ofOffsets]
}

function tileParts(files: readonly OpenColumnFile[], space: Space): Part[] {
  const file = element(files, 0)
  const count = file.fragment.tile_num
  const start = (index: number): number => Math.min(element(file.starts, index), space.length)
  if (count === 0) return withGaps(space, [], 0, space.length, 'the fragment has no tiles')
  const children = async () => lazyChildren(count, start, (index) => genomicsdbTilePart(files, space, index))
  return [{ name: 'tiles', type: 'list', space, offset: start(0), length: start(count) - start(0), children }]
}

/** The part of one tile. @param files the file, and for var-sized values that of their offsets */
export function genomicsdbTilePart(files: readonly OpenColumnFile[], space: Space, tile: number): Part {
  const file = element(files, 0)
  const offset = element(file.starts, tile)
  const cells = tileCells(file.fragment, tile)
  const part: Part = {
    name: String(tile),
    type: 'tile',
    label: `tile ${tile}`,
    space,
    offset,
    length: element(file.starts, tile + 1) - offset,
    meaning: grammatical(`${cells} cells`),
    cells: { tile, from: 0, to: cells - 1 },
  }
  if (part.length > 0) part.children = () => insideTile(files, part, tile)
  return part
}

async function insideTile(files: readonly OpenColumnFile[], part: Part, tile: number): Promise<Children> {
  const file = element(files, 0)
  const { space, offset, length } = part
  const { compression } = file.layout
  const [bytes, starts] = [await orError(() => file.read(tile)), await startsIn(files, tile)]
  if (bytes instanceof InspectError) return childList([unreadable(space, offset, length, bytes)])
  if (compression.startsWith('NONE')) return childList([undoneTile(file, tile, bytes, starts, { space, offset })])
  const extra = extraBytes(file.layout, await space.read(offset, length), bytes.length)
  const compressed: Part = {
    name: 'compressed',
    type: 'bytes',
    space,
    offset,
    length: length - extra,
    meaning: compression,
  }
  const parts = withGaps(space, [compressed], offset, offset + length, 'after the zlib stream; readers skip it')
  const inner = memorySpace(space, `tile ${tile} of ${file.name}`, bytes)
  return childList(parts, () => undoneTile(file, tile, bytes, starts, { space: inner, offset: 0 }))
}

/** Starts of the var-sized cells of a tile, and the end of the last. Undefined if the file of offsets does not tell them. */
async function startsIn(files: readonly OpenColumnFile[], tile: number): Promise<Float64Array | undefined> {
  const [file, offsets] = files
  if (!file || !offsets) return undefined
  try {
    const end = element(file.unfiltered_sizes, tile)
    const stored = u64s(await offsets.read(tile))
    // Stored offsets count from the start of the file, the result from the start of the tile.
    const base = element(stored, 0)
    const starts = new Float64Array(stored.length + 1)
    starts.set(stored.map((at) => at - base))
    starts[stored.length] = end
    return starts.every((at, i) => at >= (starts[i - 1] ?? 0) && at <= end) ? starts : undefined
  } catch (error) {
    return unlessFault(error)
  }
}

/** The undone bytes of a tile, with the values of its cells. */
function undoneTile(
  file: OpenColumnFile,
  tile: number,
  bytes: Uint8Array,
  starts: Float64Array | undefined,
  { space, offset }: Pick<Part, 'space' | 'offset'>,
): Part {
  const part: Part = { name: 'content', type: 'bytes', space, offset, length: bytes.length }
  const { type, cell_val_num } = file.field
  const ofCells: ValueType = { type, cell_val_num: cell_val_num === 'var' ? 1 : cell_val_num, many: true }
  if (isCoords(file)) part.meaning = `${file.fragment.array.schema.dimensions.join(', ')} of each cell`
  if (file.role === 'offsets') typed(part, bytes, { type: 'UINT64', cell_val_num: 1, many: true })
  else if (file.role !== 'var') typed(part, bytes, ofCells)
  else if (starts?.every((at) => at % datatypeSize(type) === 0))
    typed(part, bytes, { type, cell_val_num: 'var', starts })
  if (part.elements) part.elements.cells = { tile, first: 0 }
  return part
}
