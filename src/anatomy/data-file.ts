import { InspectError } from '../base/errors.ts'
import { withEnd } from '../cells/elements.ts'
import { isStringOffsetsTile, TileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { datatypeSize } from '../format/datatype.ts'
import { isCompressor } from '../format/filter-type.ts'
import { cellReader } from '../format/value.ts'
import type { FieldFile, Fragment, FragmentInfo } from '../store/fragment.ts'
import { type ContentPlace, chunkParts } from './chunks.ts'
import type { Anatomist } from './generic-tile.ts'
import {
  type CellRange,
  type Children,
  childList,
  gap,
  lastNotBehind,
  lazyChildren,
  type Part,
  type Space,
  withGaps,
} from './part.ts'
import { typed, type ValueType } from './spans.ts'

/**
 * A data file: its tiles, each read when opened, and gaps where the metadata lists no tile.
 */
export async function dataFilePart(
  fragment: Fragment,
  file: FieldFile,
  space: Space,
  path: string,
  by: Anatomist,
): Promise<Part> {
  const info = await fragment.info()
  const tiles = await TileFile.open(fragment, file.slot, tileRole(file))
  const source = new DataFile(fragment, info, tiles, space, path, by)
  const list = source.list()
  const parts = list.length > 0 ? [list] : []
  return {
    name: file.name,
    type: 'data file',
    label: info.slots[file.slot].name,
    space,
    offset: 0,
    length: space.length,
    children: async () => childList(withGaps(space, parts, 0, space.length, 'no tile is here, by the metadata')),
  }
}

/** One tile of a data file, at its place in the file. */
export async function tilePart(
  fragment: Fragment,
  tiles: TileFile,
  space: Space,
  tile: number,
  by: Anatomist,
): Promise<Part> {
  return new DataFile(fragment, await fragment.info(), tiles, space, tiles.source.name, by).tile(tile)
}

class DataFile {
  private readonly fragment: Fragment
  private readonly info: FragmentInfo
  private readonly file: TileFile
  private readonly space: Space
  private readonly path: string
  private readonly by: Anatomist

  constructor(fragment: Fragment, info: FragmentInfo, file: TileFile, space: Space, path: string, by: Anatomist) {
    this.fragment = fragment
    this.info = info
    this.file = file
    this.space = space
    this.path = path
    this.by = by
  }

  /** All tiles; an empty list if the file has no bytes. */
  list(): Part {
    const { file, space } = this
    const count = file.tileNum
    const fault = this.orderFault()
    const first = Math.min(count > 0 && !fault ? file.offsets[0] : 0, space.length)
    const last = count > 0 && !fault ? file.place(count - 1) : { offset: 0, size: 0 }
    const end = fault ? space.length : Math.min(last.offset + last.size, space.length)
    const start = (index: number): number => Math.min(index < count ? file.offsets[index] : end, end)
    return {
      name: 'tiles',
      type: 'list',
      space,
      offset: first,
      length: end - first,
      meaning: fault?.message,
      fault,
      children: fault ? undefined : async () => lazyChildren(count, start, (index) => this.tile(index)),
    }
  }

  /** The error if offsets do not rise: tiles then cannot be told apart. */
  private orderFault(): InspectError | undefined {
    const { file } = this
    for (let tile = 0; tile < file.tileNum; tile++) {
      try {
        file.place(tile)
      } catch (error) {
        if (error instanceof InspectError) return error
        throw error
      }
    }
    return undefined
  }

  tile(index: number): Part {
    const { file, space } = this
    const { offset, size } = file.place(index)
    const from = Math.min(offset, space.length)
    const length = Math.min(offset + size, space.length) - from
    return {
      name: String(index),
      type: 'tile',
      label: `tile ${index}`,
      space,
      offset: from,
      length,
      meaning: `${file.cells(index)} cells`,
      cells: { tile: index, from: 0, to: Math.max(0, file.cells(index) - 1) },
      children: length === 0 && size === 0 ? undefined : () => this.inside(index, from, length, size),
    }
  }

  private async inside(tile: number, offset: number, length: number, size: number): Promise<Children> {
    const { file, space, path, by, info } = this
    const stored = await space.read(offset, length)
    const fault =
      length < size
        ? new InspectError('TRUNCATED', `expected ${size} bytes of tile ${tile}, found ${length}`, {
            file: path,
            offset,
          })
        : undefined
    if (length === 0 && fault)
      return childList([{ ...gap(space, offset, 0, fault.message, fault), verdict: 'invalid' }])
    if (file.role === 'offsets' && isStringOffsetsTile(stored)) return childList(emptyOffsets(space, offset, length))
    const starts = file.role === 'var' ? await this.starts(tile) : undefined
    const found = chunkParts({
      space,
      file: path,
      offset,
      stored,
      pipeline: await file.pipeline(starts === 'inside'),
      filters: file.filters,
      cx: by.cx,
      style: by.style,
      what: `tile ${tile} of ${file.name}`,
      expectedSize: file.expectedSize(tile),
      inPlace: !(file.role === 'data' && info.slots[file.slot].kind === 'coords'),
      content: (bytes, place, offsets) =>
        this.content(
          tile,
          bytes,
          place,
          starts === 'inside' ? offsets && withEnd(offsets, place.from + bytes.length) : starts,
        ),
      cellsOf: (from, to) => this.cellsOf(tile, from, to, typeof starts === 'string' ? undefined : starts),
    })
    if (fault && found.parts.length > 0) found.parts[0] = { ...found.parts[0], verdict: 'invalid', fault }
    return childList(found.parts, found.content)
  }

  /** Where each cell of a var tile starts, and where the last ends; `inside` if the tile itself holds the offsets. */
  private async starts(tile: number): Promise<Float64Array | 'inside' | undefined> {
    const offsets = await TileFile.open(this.fragment, this.file.slot, 'offsets')
    try {
      if (offsets.cells(tile) === 0) return undefined
      const stored = await offsets.stored(tile)
      if (isStringOffsetsTile(stored)) return 'inside'
      const { data } = await offsets.unfilter(tile, stored)
      return cellStarts(data, this.file.expectedSize(tile) ?? 0)
    } catch (error) {
      // The anatomy of the offsets file reports its own faults.
      if (error instanceof InspectError) return undefined
      throw error
    } finally {
      await offsets.close()
    }
  }

  private content(tile: number, bytes: Uint8Array, place: ContentPlace, starts: Float64Array | undefined): Part {
    const { space, offset, from } = place
    const part: Part = { name: 'content', type: 'bytes', space, offset, length: bytes.length }
    const { info, file } = this
    const slot = info.slots[file.slot]
    if (slot.kind === 'coords') return this.coordinates(tile, part, bytes)
    if (file.role === 'var') return this.varCells(tile, part, bytes, from, starts)
    const size = this.cellSize()
    if (from % size !== 0 || bytes.length % size !== 0) return part
    typed(part, bytes, { ...this.cellType(), many: true }, this.by.style)
    if (part.elements) part.elements.cells = { tile, first: from / size }
    return part
  }

  private cellType(): ValueType {
    const { info, file } = this
    if (file.role === 'offsets') return { type: 'UINT64', cell_val_num: 1 }
    if (file.role === 'validity') return { type: 'UINT8', cell_val_num: 1 }
    const { type, cell_val_num } = info.slots[file.slot]
    return { type, cell_val_num }
  }

  private cellSize(): number {
    const { type, cell_val_num } = this.cellType()
    return datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
  }

  /** Cells of a var tile that overlap `bytes`. A cell that the chunk cuts is shown as plain bytes. */
  private varCells(tile: number, part: Part, bytes: Uint8Array, from: number, starts: Float64Array | undefined): Part {
    if (!starts || bytes.length === 0) return part
    const to = from + bytes.length
    const start = (index: number): number => starts[index]
    const first = from === 0 ? 0 : lastNotBehind(starts.length - 1, start, from)
    // Empty cells after the last byte belong to the chunk that holds that byte.
    const last = to >= starts[starts.length - 1] ? starts.length - 2 : lastNotBehind(starts.length - 1, start, to - 1)
    if (first < 0 || last < first || starts[0] !== 0) return part
    const within = new Float64Array(last - first + 2)
    for (let i = 0; i < within.length; i++) within[i] = Math.min(Math.max(starts[first + i] - from, 0), bytes.length)
    const { type, cell_val_num } = this.cellType()
    const read = cellReader(type, cell_val_num, this.by.style)
    const cut = (index: number): boolean => starts[first + index] < from || starts[first + index + 1] > to
    return {
      ...part,
      type: `${type}[${cell_val_num}]`,
      elements: {
        count: within.length - 1,
        start: (index) => part.offset + within[index],
        value: (index) =>
          cut(index) || (within[index + 1] - within[index]) % datatypeSize(type) !== 0
            ? bytes.subarray(within[index], within[index + 1])
            : read(bytes, within[index], within[index + 1]),
        cells: { tile, first },
      },
    }
  }

  /** All values of the first dimension, then of the second, and so on; version 1 may interleave them. */
  private coordinates(tile: number, part: Part, bytes: Uint8Array): Part {
    const { info, file, by } = this
    const { dimensions } = info.schema.domain
    const { type } = dimensions[0]
    const cells = file.cells(tile)
    const size = datatypeSize(type)
    if (bytes.length !== cells * size * dimensions.length) return part
    if (info.format_version === 1 && !info.schema.coords_filters.filters.some(({ name }) => isCompressor(name))) {
      typed(part, bytes, { type, cell_val_num: dimensions.length, many: true }, by.style)
      if (part.elements) part.elements.cells = { tile, first: 0 }
      return { ...part, meaning: `one cell's ${dimensions.map(({ name }) => name).join(', ')} after the other` }
    }
    const runs = dimensions.map(({ name }, d): Part => {
      const offset = part.offset + d * cells * size
      const run: Part = { name, type, space: part.space, offset, length: cells * size }
      typed(
        run,
        bytes.subarray(d * cells * size, (d + 1) * cells * size),
        { type, cell_val_num: 1, many: true },
        by.style,
      )
      if (run.elements) run.elements.cells = { tile, first: 0 }
      return run
    })
    return { ...part, type: 'struct', children: async () => childList(runs) }
  }

  private cellsOf(tile: number, from: number, to: number, starts: Float64Array | undefined): CellRange | undefined {
    const { file, info } = this
    const last = Math.max(0, file.cells(tile) - 1)
    if (to <= from) return undefined
    if (info.slots[file.slot].kind === 'coords') return { tile, from: 0, to: last }
    if (file.role === 'var') {
      if (!starts) return { tile, from: 0, to: last }
      const start = (i: number): number => starts[i]
      const first = lastNotBehind(starts.length - 1, start, from)
      return { tile, from: Math.max(0, first), to: Math.max(0, lastNotBehind(starts.length - 1, start, to - 1)) }
    }
    const size = this.cellSize()
    return { tile, from: Math.floor(from / size), to: Math.min(last, Math.ceil(to / size) - 1) }
  }
}

/** Eight zero bytes, a count of no chunks: the var tile holds the offsets. */
function emptyOffsets(space: Space, offset: number, length: number): Part[] {
  const count: Part = {
    name: 'chunk_num',
    type: 'uint64',
    space,
    offset,
    length: 8,
    value: 0,
    unit: 'chunks',
    verdict: 'valid',
    meaning: 'the offsets are in the var tile',
  }
  return withGaps(space, [count], offset, offset + length, 'not defined; TileDB passes over it')
}

/** Cell offsets (uint64, bytes) as numbers, with the end of the last cell added; undefined if they fall or leave the tile. */
function cellStarts(bytes: Uint8Array, end: number): Float64Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.length / 8)
  const starts = new Float64Array(count + 1)
  let before = 0
  for (let i = 0; i < count; i++) {
    const start = view.getUint32(i * 8 + 4, true) * 2 ** 32 + view.getUint32(i * 8, true)
    if (start < before || start > end) return undefined
    starts[i] = start
    before = start
  }
  starts[count] = end
  return starts
}
