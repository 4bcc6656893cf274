import { commandLineText, faultOf, grammatical, InspectError, unlessFault } from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import { withEnd } from '../cells/elements.ts'
import { isStringOffsetsTile, type TileFile, withTileFile } from '../cells/tile-files.ts'
import { datatypeSize } from '../format/datatype.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import { cellReader } from '../format/value.ts'
import { type ChunkRun, type ContentPlace, chunkParts } from './chunks.ts'
import { type Children, childList, gap, lazyChildren, numberPart, type Part, type Space, withGaps } from './part.ts'
import { typed, type ValueType } from './spans.ts'
import { cellStarts } from './types.ts'

/** Makes the part of a data file: its tiles, and gaps where the metadata lists no tile. A tile is read when it is opened. */
export function dataFilePart(file: TileFile, space: Space): Part {
  const { length } = space
  const tiles = tilesPart(file, space)
  const parts = withGaps(space, tiles.length > 0 ? [tiles] : [], 0, length, 'the metadata lists no tile here')
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

/** All tiles. Has no bytes if there are no tiles. */
function tilesPart(file: TileFile, space: Space): Part {
  const count = file.tileNum
  const fault = orderFault(file)
  const last = count > 0 && !fault ? file.place(count - 1) : { offset: 0, size: 0 }
  const end = fault ? space.length : Math.min(last.offset + last.size, space.length)
  const start = (index: number): number => Math.min(index < count ? file.offsets[index] : end, end)
  const offset = fault || count === 0 ? 0 : start(0)
  const part: Part = { name: 'tiles', type: 'list', space, offset, length: end - offset }
  if (fault) return { ...part, meaning: commandLineText(fault), fault }
  return { ...part, children: async () => lazyChildren(count, start, (index) => tilePart(file, space, index)) }
}

/** The error if the offsets do not rise, so that it is unknown where tiles begin. */
function orderFault(file: TileFile): InspectError | undefined {
  try {
    for (let tile = 0; tile < file.tileNum; tile++) file.place(tile)
    return undefined
  } catch (error) {
    return faultOf(error)
  }
}

/** Makes the part of one tile. */
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
    meaning: grammatical(`${cells} cells`),
    cells: { tile, from: 0, to: Math.max(0, cells - 1) },
  }
  if (size > 0) part.children = () => insideTile(file, part, tile, size)
  return part
}

/** The parts of a tile. @param size bytes of the tile according to the metadata; the file may end earlier */
async function insideTile(file: TileFile, part: Part, tile: number, size: number): Promise<Children> {
  const { space, offset, length } = part
  const stored = await space.read(offset, length)
  const tooShort = { expected: `${size} bytes of tile ${tile}`, found: length }
  const fault = length < size ? new InspectError('TRUNCATED', tooShort, { file: space.file, offset }) : undefined
  if (length === 0 && fault)
    return childList([{ ...gap(space, offset, 0, commandLineText(fault), fault), verdict: 'invalid' }])
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
    ...cellFinder(file, tile, starts),
  })
  if (fault && found.parts.length > 0) found.parts[0] = { ...found.parts[0], verdict: 'invalid', fault }
  return childList(found.parts, found.content)
}

/** Starts of the cells of a var tile, and the end of the last; `inside` if the tile itself holds the offsets. */
async function startsOf(file: TileFile, tile: number): Promise<Float64Array | 'inside' | undefined> {
  if (file.holdsOffsets) return 'inside'
  const starts = withTileFile(file.fragment, file.slot, 'offsets', async (offsets) => {
    if (offsets.cells(tile) === 0) return undefined
    const stored = await offsets.stored(tile)
    if (isStringOffsetsTile(stored)) return 'inside'
    const { data } = await offsets.unfilter(tile, stored)
    return cellStarts(data, file.expectedSize(tile) ?? 0)
  })
  // The parts of the offsets file show its faults.
  return starts.catch(unlessFault)
}

/** How cells are found in the unfiltered bytes of a tile. */
type CellFinder = Pick<ChunkRun, 'content' | 'cellsOf' | 'inPlace'>

function cellFinder(file: TileFile, tile: number, starts: Float64Array | 'inside' | undefined): CellFinder {
  if (file.info.slots[file.slot].kind === 'coords') return coordinates(file, tile)
  return file.role === 'var' ? varCells(file, tile, starts) : fixedCells(file, tile)
}

function bytesPart(bytes: Uint8Array, { space, offset }: ContentPlace): Part {
  return { name: 'content', type: 'bytes', space, offset, length: bytes.length }
}

/** Gives a part the values of its cells. @param first number of the first cell */
function withCells(part: Part, bytes: Uint8Array, type: ValueType, tile: number, first = 0): Part {
  typed(part, bytes, { ...type, many: true })
  if (part.elements) part.elements.cells = { tile, first }
  return part
}

function lastCell(file: TileFile, tile: number): number {
  return Math.max(0, file.cells(tile) - 1)
}

function fixedCells(file: TileFile, tile: number): CellFinder {
  const { type, cell_val_num } = cellType(file)
  const size = datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
  return {
    inPlace: true,
    content(bytes, place) {
      const part = bytesPart(bytes, place)
      if (place.from % size !== 0 || bytes.length % size !== 0) return part
      return withCells(part, bytes, { type, cell_val_num }, tile, place.from / size)
    },
    cellsOf(from, to) {
      return { tile, from: Math.floor(from / size), to: Math.min(lastCell(file, tile), Math.ceil(to / size) - 1) }
    },
  }
}

function cellType({ info, slot, role }: TileFile): ValueType {
  if (role === 'offsets') return { type: 'UINT64', cell_val_num: 1 }
  return role === 'validity' ? { type: 'UINT8', cell_val_num: 1 } : info.slots[slot]
}

/** @param starts starts of the cells and the end of the last; `inside` if they are known only once the filters are undone */
function varCells(file: TileFile, tile: number, starts: Float64Array | 'inside' | undefined): CellFinder {
  const { type, cell_val_num } = cellType(file)
  return {
    inPlace: true,
    content(bytes, place, offsets) {
      const { from } = place
      const part = bytesPart(bytes, place)
      const edges = starts === 'inside' ? offsets && withEnd(offsets, from + bytes.length) : starts
      if (!edges || bytes.length === 0 || edges[0] !== 0) return part
      const to = from + bytes.length
      const count = edges.length - 1
      const first = from === 0 ? 0 : holderOf(from, edges)
      // Empty cells after the last byte belong to the chunk that holds that byte.
      const last = to >= edges[count] ? count - 1 : holderOf(to - 1, edges)
      if (first < 0 || last < first) return part
      const within = edges.subarray(first, last + 2).map((at) => Math.min(Math.max(at - from, 0), bytes.length))
      const read = cellReader(type, cell_val_num, part.space.style)
      // A cell that lies in several chunks is shown as plain bytes.
      const isWhole = (index: number): boolean =>
        edges[first + index] >= from &&
        edges[first + index + 1] <= to &&
        (within[index + 1] - within[index]) % datatypeSize(type) === 0
      return {
        ...part,
        type: `${type}[${cell_val_num}]`,
        elements: {
          count: within.length - 1,
          start: (index) => part.offset + within[index],
          value(index) {
            const [start, end] = [within[index], within[index + 1]]
            return isWhole(index) ? read(bytes, start, end) : bytes.subarray(start, end)
          },
          cells: { tile, first },
        },
      }
    },
    cellsOf(from, to) {
      if (!(starts instanceof Float64Array)) return { tile, from: 0, to: lastCell(file, tile) }
      return { tile, from: Math.max(0, holderOf(from, starts)), to: Math.max(0, holderOf(to - 1, starts)) }
    },
  }
}

/** The cell that holds a byte. @param starts starts of the cells, and the end of the last */
function holderOf(byte: number, starts: Float64Array): number {
  return lastNotAfter(starts.length - 1, (i) => starts[i], byte)
}

/** Coordinates: all values of the first dimension, then of the second, and so on. Version 1 may interleave them. */
function coordinates(file: TileFile, tile: number): CellFinder {
  const { schema, format_version } = file.info
  const { dimensions } = schema.domain
  const { type } = dimensions[0]
  const isMixed = format_version === 1 && !schema.coords_filters.filters.some(({ name }) => isCompressor(name))
  return {
    inPlace: false,
    content(bytes, place) {
      const part = bytesPart(bytes, place)
      const length = bytes.length / dimensions.length
      if (length !== file.cells(tile) * datatypeSize(type)) return part
      if (isMixed) {
        const meaning = `one cell's ${dimensions.map(({ name }) => name).join(', ')} after the other`
        return { ...withCells(part, bytes, { type, cell_val_num: dimensions.length }, tile), meaning }
      }
      const runs = dimensions.map(({ name }, d) => {
        const run: Part = { ...part, name, type, offset: part.offset + d * length, length }
        return withCells(run, bytes.subarray(d * length, (d + 1) * length), { type, cell_val_num: 1 }, tile)
      })
      return { ...part, type: 'struct', children: async () => childList(runs) }
    },
    cellsOf: () => ({ tile, from: 0, to: lastCell(file, tile) }),
  }
}

/** The parts of an offsets tile whose offsets the var tile holds: a count of no chunks. */
function emptyOffsets({ space, offset, length }: Part): Part[] {
  const count = { ...numberPart(space, offset, 'chunk_num', 0, 'chunks'), meaning: 'the offsets are in the var tile' }
  return withGaps(space, [count], offset, offset + length, 'not defined; TileDB skips it')
}
