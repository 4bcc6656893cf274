import { faultOf, InspectError } from '../base/errors.ts'
import { withEnd } from '../cells/elements.ts'
import { isStringOffsetsTile, TileFile } from '../cells/tile-files.ts'
import { datatypeSize } from '../format/datatype.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import { cellReader } from '../format/value.ts'
import { type ContentPlace, chunkParts } from './chunks.ts'
import {
  type CellRange,
  type Children,
  childList,
  gap,
  lastNotBehind,
  lazyChildren,
  numberPart,
  type Part,
  type Space,
  withGaps,
} from './part.ts'
import { typed, type ValueType } from './spans.ts'
import { cellStarts } from './types.ts'

/** A data file: its tiles, each read when opened, and gaps where the metadata lists no tile. */
export function dataFilePart(file: TileFile, space: Space): Part {
  const { length } = space
  const list = tileList(file, space)
  const parts = withGaps(space, list.length > 0 ? [list] : [], 0, length, 'no tile is here, by the metadata')
  return {
    name: file.name,
    type: 'data file',
    label: file.info.slots[file.slot].name,
    space,
    offset: 0,
    length,
    children: async () => childList(parts),
  }
}

/** All tiles; an empty list if the file has no bytes. */
function tileList(file: TileFile, space: Space): Part {
  const count = file.tileNum
  const fault = orderFault(file)
  const last = count > 0 && !fault ? file.place(count - 1) : { offset: 0, size: 0 }
  const end = fault ? space.length : Math.min(last.offset + last.size, space.length)
  const start = (index: number): number => Math.min(index < count ? file.offsets[index] : end, end)
  const offset = fault || count === 0 ? 0 : start(0)
  const part: Part = { name: 'tiles', type: 'list', space, offset, length: end - offset }
  if (fault) return { ...part, meaning: fault.message, fault }
  return { ...part, children: async () => lazyChildren(count, start, (index) => tilePart(file, space, index)) }
}

/** The error if offsets do not rise: tiles then cannot be told apart. */
function orderFault(file: TileFile): InspectError | undefined {
  try {
    for (let tile = 0; tile < file.tileNum; tile++) file.place(tile)
    return undefined
  } catch (error) {
    return faultOf(error)
  }
}

/** One tile of a data file, at its place in the file. */
export function tilePart(file: TileFile, space: Space, tile: number): Part {
  const { offset, size } = file.place(tile)
  const cells = file.cells(tile)
  const from = Math.min(offset, space.length)
  const part: Part = {
    name: String(tile),
    type: 'tile',
    label: `tile ${tile}`,
    space,
    offset: from,
    length: Math.min(offset + size, space.length) - from,
    meaning: `${cells} cells`,
    cells: { tile, from: 0, to: Math.max(0, cells - 1) },
  }
  return size === 0 ? part : { ...part, children: () => insideTile(file, part, tile, size) }
}

/** @param size bytes that the tile has by the metadata; the file may end before */
async function insideTile(file: TileFile, part: Part, tile: number, size: number): Promise<Children> {
  const { space, offset, length } = part
  const stored = await space.read(offset, length)
  const tooShort = `expected ${size} bytes of tile ${tile}, found ${length}`
  const fault = length < size ? new InspectError('TRUNCATED', tooShort, { file: space.file, offset }) : undefined
  if (length === 0 && fault) return childList([{ ...gap(space, offset, 0, fault.message, fault), verdict: 'invalid' }])
  if (file.role === 'offsets' && isStringOffsetsTile(stored)) return childList(emptyOffsets(part))
  const starts = file.role === 'var' ? await startsOf(file, tile) : undefined
  const inside = starts === 'inside'
  const found = chunkParts({
    space,
    offset,
    stored,
    pipeline: await file.pipeline(inside),
    filters: file.filters,
    what: `tile ${tile} of ${file.name}`,
    expectedSize: file.expectedSize(tile),
    inPlace: !(file.role === 'data' && isCoordinates(file)),
    content: (bytes, place, offsets) =>
      content(file, tile, bytes, place, inside ? offsets && withEnd(offsets, place.from + bytes.length) : starts),
    cellsOf: (from, to) => cellsOf(file, tile, from, to, inside ? undefined : starts),
  })
  if (fault && found.parts.length > 0) found.parts[0] = { ...found.parts[0], verdict: 'invalid', fault }
  return childList(found.parts, found.content)
}

function isCoordinates({ info, slot }: TileFile): boolean {
  return info.slots[slot].kind === 'coords'
}

/** Where each cell of a var tile starts, and where the last ends; `inside` if the tile itself holds the offsets. */
async function startsOf(file: TileFile, tile: number): Promise<Float64Array | 'inside' | undefined> {
  const offsets = await TileFile.open(file.fragment, file.slot, 'offsets')
  try {
    if (offsets.cells(tile) === 0) return undefined
    const stored = await offsets.stored(tile)
    if (isStringOffsetsTile(stored)) return 'inside'
    const { data } = await offsets.unfilter(tile, stored)
    return cellStarts(data, file.expectedSize(tile) ?? 0)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    // The anatomy of the offsets file reports its own faults.
    return undefined
  } finally {
    await offsets.close()
  }
}

function content(
  file: TileFile,
  tile: number,
  bytes: Uint8Array,
  { space, offset, from }: ContentPlace,
  starts: Float64Array | undefined,
): Part {
  const part: Part = { name: 'content', type: 'bytes', space, offset, length: bytes.length }
  if (isCoordinates(file)) return coordinates(file, tile, part, bytes)
  if (file.role === 'var') return varCells(file, tile, part, bytes, from, starts)
  const size = cellSize(file)
  return from % size === 0 && bytes.length % size === 0 ? cells(part, bytes, cellType(file), tile, from / size) : part
}

/** The part with the values of its cells. */
function cells(part: Part, bytes: Uint8Array, type: ValueType, tile: number, first = 0): Part {
  typed(part, bytes, { ...type, many: true })
  if (part.elements) part.elements.cells = { tile, first }
  return part
}

function cellType({ info, slot, role }: TileFile): ValueType {
  if (role === 'offsets') return { type: 'UINT64', cell_val_num: 1 }
  return role === 'validity' ? { type: 'UINT8', cell_val_num: 1 } : info.slots[slot]
}

function cellSize(file: TileFile): number {
  const { type, cell_val_num } = cellType(file)
  return datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
}

/** Cells of a var tile that overlap `bytes`. A cell that the chunk cuts is shown as plain bytes. */
function varCells(
  file: TileFile,
  tile: number,
  part: Part,
  bytes: Uint8Array,
  from: number,
  starts: Float64Array | undefined,
): Part {
  if (!starts || bytes.length === 0 || starts[0] !== 0) return part
  const to = from + bytes.length
  const cellNum = starts.length - 1
  const start = (index: number): number => starts[index]
  const first = from === 0 ? 0 : lastNotBehind(cellNum, start, from)
  // Empty cells after the last byte belong to the chunk that holds that byte.
  const last = to >= starts[cellNum] ? cellNum - 1 : lastNotBehind(cellNum, start, to - 1)
  if (first < 0 || last < first) return part
  const within = starts.subarray(first, last + 2).map((at) => Math.min(Math.max(at - from, 0), bytes.length))
  const { type, cell_val_num } = cellType(file)
  const read = cellReader(type, cell_val_num, part.space.style)
  const isWhole = (index: number): boolean =>
    starts[first + index] >= from &&
    starts[first + index + 1] <= to &&
    (within[index + 1] - within[index]) % datatypeSize(type) === 0
  return {
    ...part,
    type: `${type}[${cell_val_num}]`,
    elements: {
      count: within.length - 1,
      start: (index) => part.offset + within[index],
      value: (index) =>
        isWhole(index)
          ? read(bytes, within[index], within[index + 1])
          : bytes.subarray(within[index], within[index + 1]),
      cells: { tile, first },
    },
  }
}

/** All values of the first dimension, then of the second, and so on; version 1 may interleave them. */
function coordinates(file: TileFile, tile: number, part: Part, bytes: Uint8Array): Part {
  const { info } = file
  const { dimensions } = info.schema.domain
  const { type } = dimensions[0]
  const length = bytes.length / dimensions.length
  if (length !== file.cells(tile) * datatypeSize(type)) return part
  if (info.format_version === 1 && !info.schema.coords_filters.filters.some(({ name }) => isCompressor(name))) {
    const meaning = `one cell's ${dimensions.map(({ name }) => name).join(', ')} after the other`
    return { ...cells(part, bytes, { type, cell_val_num: dimensions.length }, tile), meaning }
  }
  const runs = dimensions.map(({ name }, d) => {
    const run: Part = { name, type, space: part.space, offset: part.offset + d * length, length }
    return cells(run, bytes.subarray(d * length, (d + 1) * length), { type, cell_val_num: 1 }, tile)
  })
  return { ...part, type: 'struct', children: async () => childList(runs) }
}

function cellsOf(
  file: TileFile,
  tile: number,
  from: number,
  to: number,
  starts: Float64Array | undefined,
): CellRange | undefined {
  if (to <= from) return undefined
  const last = Math.max(0, file.cells(tile) - 1)
  if (isCoordinates(file) || (file.role === 'var' && !starts)) return { tile, from: 0, to: last }
  if (starts) {
    const holder = (at: number): number =>
      Math.max(
        0,
        lastNotBehind(starts.length - 1, (i) => starts[i], at),
      )
    return { tile, from: holder(from), to: holder(to - 1) }
  }
  const size = cellSize(file)
  return { tile, from: Math.floor(from / size), to: Math.min(last, Math.ceil(to / size) - 1) }
}

/** Eight zero bytes, a count of no chunks: the var tile holds the offsets. */
function emptyOffsets({ space, offset, length }: Part): Part[] {
  const count = { ...numberPart(space, offset, 'chunk_num', 0, 'chunks'), meaning: 'the offsets are in the var tile' }
  return withGaps(space, [count], offset, offset + length, 'not defined; TileDB passes over it')
}
