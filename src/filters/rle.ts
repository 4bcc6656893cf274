import { NO_BYTES } from '../base/bytes.ts'
import { badValue } from '../base/errors.ts'
import { compressorMetadata, rleStringMetadata } from '../format/chunk-metadata.ts'
import { encode } from '../format/io.ts'
import { badData, checkLimit, copyBytes, repeat, SHORT_REPEAT } from './bytes.ts'
import { compressionFilter } from './compressor.ts'
import { lanesOf } from './elements.ts'
import type { Filter, FilterContext, FilterDefinition, FilteredBytes, FilterParts } from './filter.ts'
import {
  checkStrings,
  countSize,
  offsetsLimits,
  readCount,
  readStrings,
  STRING_GROWTH,
  type StringCells,
  stringCells,
  writeCount,
} from './strings.ts'

/**
 * RLE: stores runs of equal cells. For var-sized strings these are runs of equal strings.
 *
 *     cells
 *     metadata  as all compression filters (compressor.ts)
 *     data      per part and run: the cell, u16 big-endian run length
 *
 *     strings whose offsets are stored in the data
 *     metadata  u32 0, u32 1, u32 original length, u32 data length, u32 offsets length (8 a cell), u8 run length size,
 *               u8 string length size
 *     data      per run: run length, string length (big-endian, of those sizes), the string
 *
 * TileDB ignores the last run when it chooses the string length size. If the string of that run is too long for the
 * size, TileDB cannot read its own data. Writing here counts the last run, too.
 *
 * @see format_spec/tile.md, "Compression Filters"; tiledb/sm/compressors/rle_compressor.cc
 */
export const rle: FilterDefinition = {
  since: 1,
  outputType: undefined,
  suits: undefined,
  offsetsInsideSince: { STRING_ASCII: 12, STRING_UTF8: 17 },
  losesEmptyPart: () => true,
  growth: STRING_GROWTH,
  usesKernels: true,
  // Cells: a run gives up to 65,535 cells, and has 2 bytes besides its cell. Strings: a run length may have 8 bytes.
  mostUndone: (stored, stringOffsets) => (stringOffsets ? Number.POSITIVE_INFINITY : LONGEST_RUN * stored),
  metadata: (_datatype, stringOffsets) => (stringOffsets ? rleStringMetadata : compressorMetadata),
  load: async () => rleFilter(),
}

function rleFilter(): Filter {
  const cells = compressionFilter({
    compress: (part, _config, cx) => compressCells(part, cx.cellSize),
    decompress(part, originalLength, _config, { cellSize, kernels }) {
      const { length } = part
      const fast = length % (cellSize + 2) === 0 ? kernels : undefined
      return (
        fast?.run('unrle', originalLength, [part], length, originalLength, cellSize) ??
        decompressCells(part, originalLength, cellSize)
      )
    },
  })
  return {
    forward: (parts, config, cx) => (cx.stringOffsets ? compressStrings(parts) : cells.forward(parts, config, cx)),
    reverse: (bytes, config, cx) =>
      cx.stringOffsets ? decompressStrings(bytes, cx) : cells.reverse(bytes, config, cx),
  }
}

const LONGEST_RUN = 65535

function compressCells(part: Uint8Array, size: number): Uint8Array {
  if (part.length % size !== 0) {
    throw badValue({ expected: `parts of whole ${size}-byte cells for RLE`, found: `one of ${part.length} bytes` })
  }
  const count = part.length / size
  if (count === 0) return NO_BYTES
  const ends = runEnds(part, size)
  const out = new Uint8Array(ends.length * (size + 2))
  let at = 0
  let start = 0
  for (let run = 0; run < ends.length; run++) {
    const end = ends[run] ?? 0
    const length = end - start
    for (let i = start * size; i < (start + 1) * size; i++) out[at++] = part[i] ?? 0
    start = end
    out[at++] = length >>> 8
    out[at++] = length
  }
  return out
}

/** Returns the end of each run: the index of the first cell after it. */
function runEnds(part: Uint8Array, size: number): Uint32Array {
  const small = size === 2 ? 2 : 1
  const unit = size % 4 === 0 ? 4 : small
  const lanes = lanesOf(part, unit)
  const each = size / unit
  const ends = new Uint32Array(part.length / size)
  let runs = 0
  let start = 0
  let before = lanes[0]
  for (let cell = 1, at = each; at < lanes.length; cell++, at += each) {
    const value = lanes[at]
    let same = value === before
    before = value
    if (each > 1) for (let lane = 1; same && lane < each; lane++) same = lanes[at + lane] === lanes[at + lane - each]
    if (!same || cell - start === LONGEST_RUN) {
      ends[runs++] = cell
      start = cell
    }
  }
  ends[runs++] = ends.length
  return ends.subarray(0, runs)
}

/** Undoes runs of cells of `size` bytes. @throws InspectError BAD_FILTERED_DATA unless they give `originalLength` bytes */
export function decompressCells(part: Uint8Array, originalLength: number, size: number): Uint8Array {
  const stride = size + 2
  if (part.length % stride !== 0) {
    throw badData({ expected: `runs of ${stride} bytes`, found: `${part.length} bytes` }, 'compressed_length')
  }
  let cells = 0
  for (let at = size; at < part.length; at += stride) cells += readCount(part, at, 2)
  const tail = originalLength % size
  if (tail > 0 && cells * size === originalLength - tail) {
    throw badData({
      expected: `${originalLength} bytes in whole cells of ${size}`,
      found: `${cells} cells: TileDB dropped the ${tail} bytes after the last when it wrote`,
    })
  }
  if (cells * size !== originalLength) {
    throw badData(
      { expected: `runs of ${originalLength} bytes in all`, found: `${cells} cells of ${size}` },
      'original_length',
    )
  }
  const out = new Uint8Array(originalLength)
  let to = 0
  for (let at = 0; at < part.length; at += stride) {
    const length = readCount(part, at + size, 2) * size
    if (length > 0) {
      copyBytes(part, at, at + size, out, to)
      repeat(out, to, size, length)
    }
    to += length
  }
  return out
}

function compressStrings(parts: FilterParts): FilterParts {
  const cells = stringCells(parts, 'RLE')
  let runs = 0
  let longestRun = 0
  let longestString = 0
  let strings = 0
  for (let cell = 0; cell < cells.count; ) {
    const length = runLength(cells, cell)
    const stringLength = cells.length(cell)
    runs++
    longestRun = Math.max(longestRun, length)
    longestString = Math.max(longestString, stringLength)
    strings += stringLength
    cell += length
  }
  const run_length_size = countSize(longestRun)
  const string_length_size = countSize(longestString)
  const out = new Uint8Array(runs * (run_length_size + string_length_size) + strings)
  let at = 0
  for (let cell = 0; cell < cells.count; ) {
    const length = runLength(cells, cell)
    at = writeCount(out, at, run_length_size, length)
    at = writeCount(out, at, string_length_size, cells.length(cell))
    at = cells.copyTo(out, at, cell)
    cell += length
  }
  const described = { part: cells.part(out.length), run_length_size, string_length_size }
  return { metadata: [encode(described, rleStringMetadata)], data: [out] }
}

/** Returns the number of cells from `cell` on with the same string. */
function runLength(cells: StringCells, cell: number): number {
  let next = cell + 1
  while (next < cells.count && cells.same(cell, next)) next++
  return next - cell
}

function decompressStrings(bytes: FilteredBytes, cx: FilterContext): FilteredBytes {
  const { value, count } = readStrings(bytes, rleStringMetadata, ['run_length_size', 'string_length_size'])
  const { run_length_size: runSize, string_length_size: stringSize } = value
  const input = bytes.data
  let cells = 0
  let strings = 0
  for (let at = 0; at < input.length; ) {
    if (at + runSize + stringSize > input.length) {
      throw badData({ expected: `${runSize + stringSize} bytes of a run`, found: input.length - at })
    }
    const run = readCount(input, at, runSize)
    const stringLength = readCount(input, at + runSize, stringSize)
    at += runSize + stringSize
    if (stringLength > input.length - at)
      throw badData({ expected: `a string of ${stringLength} bytes`, found: input.length - at })
    at += stringLength
    cells += run
    strings += run * stringLength
  }
  if (cells !== count) throw badData({ expected: `runs of ${count} cells in all`, found: cells }, 'offsets_length')
  checkStrings(value.part, strings, cx)
  checkLimit(8 * count, offsetsLimits(cx), 'offsets_length')
  const data = new Uint8Array(strings)
  const offsets = new Float64Array(count)
  let cell = 0
  let to = 0
  for (let at = 0; at < input.length; ) {
    const run = readCount(input, at, runSize)
    const stringLength = readCount(input, at + runSize, stringSize)
    at += runSize + stringSize
    for (let i = 0; i < run; i++) offsets[cell + i] = to + i * stringLength
    if (run > 0 && stringLength > 0) {
      // A call of copyBytes would cost a tenth of the time.
      if (stringLength > SHORT_REPEAT) data.set(input.subarray(at, at + stringLength), to)
      else for (let i = 0; i < stringLength; i++) data[to + i] = input[at + i] ?? 0
      repeat(data, to, stringLength, run * stringLength)
    }
    at += stringLength
    cell += run
    to += run * stringLength
  }
  return { metadata: NO_BYTES, data, offsets }
}
