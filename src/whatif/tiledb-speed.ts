import type { Pipeline } from '../filters/pipeline.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Sample } from './sample.ts'
import { addZstdWork, noZstdWork } from './zstd-work.ts'

/**
 * How long TileDB 2.30 takes to read a sample: from what its library has to do, and what each of that takes. So it is the same on every
 * run, whatever else the machine does, and does not follow the speed of the decoders here. All numbers are nanoseconds on one core, least
 * squares of 652 reads of TileDB: bench/whatif_speed.py, November 2026.
 */

/** For an element. */
const OF_AN_ELEMENT: Readonly<Record<string, number>> = {
  POSITIVE_DELTA: 25,
  DELTA: 7.9,
  DOUBLE_DELTA: 8.1,
  RLE: 3.5,
  SCALE_FLOAT: 13.6,
}
const BIT_WIDTH_REDUCTION = { reduced: 23.5, asTheyAre: 3.3 }
/** For a cell of text, and a byte of what is stored for it. */
const OF_TEXTS: Readonly<Record<string, readonly [cell: number, stored: number]>> = {
  RLE: [3.4, 0],
  DICTIONARY_ENCODING: [3.5, 1.3],
}
/** For a byte that goes in, and one that comes out. */
const OF_BYTES: Readonly<Record<string, readonly [stored: number, unfiltered: number]>> = {
  GZIP: [3.5, 1.07],
  BZIP2: [42.8, 3.1],
  LZ4: [0.2, 0.25],
  XOR: [0, 0.1],
  BITSHUFFLE: [0, 0.025],
  BYTESHUFFLE: [0, 0.01],
  WEBP: [0, 5],
  CHECKSUM_MD5: [0, 1.5],
  CHECKSUM_SHA256: [0, 0.8],
}
const ZSTD = { literals: 0.71, sequences: 7.95, bytes: 0.35 }
/** To read a byte from a file in the system's cache; to hand one over. */
const OF_A_FILE = 0.66
const OF_A_RESULT = 1.2
const OFFSET_BYTES = 8

/** For a tile, in each of these: general compressors, and filters that TileDB counts among them. */
const OF_A_TILE = 20_000
const COMPRESSORS = ['GZIP', 'ZSTD', 'LZ4', 'BZIP2', 'RLE', 'DELTA', 'DOUBLE_DELTA', 'DICTIONARY_ENCODING']

/** Estimates that differ by less are as near as can be told. Nine of ten were within 13 % of the time of a whole read; docs/commands.md says 25 %. */
export const NEAR = 0.1

/**
 * Estimated seconds of TileDB to undo the filters and hand over the values; reading the files is {@link fileSeconds}.
 * @param stored parts of the sample, filtered
 */
export function tiledbSeconds(
  { parts }: Pick<Sample, 'parts'>,
  filters: readonly FilterConfig[],
  pipeline: Pipeline,
  stored: readonly Uint8Array[],
): number {
  let ns = OF_A_TILE * stored.length * filters.filter(({ name }) => COMPRESSORS.includes(name)).length
  for (const [i, tile] of stored.entries()) {
    const { data, starts } = parts[i]
    const cells = starts ? starts.length - 1 : 0
    ns += OF_A_RESULT * data.length
    pipeline.reverseTile(tile, {
      onStage({ config, datatype, stringOffsets, input, output }) {
        ns += stringOffsets
          ? textsTime(config, cells, input.data.length)
          : timeOf(config, input.data, output.data.length + output.metadata.length, datatypeSize(datatype))
      },
    })
  }
  return ns / 1e9
}

export function fileSeconds(bytes: number): number {
  return (OF_A_FILE * bytes) / 1e9
}

function textsTime({ name }: FilterConfig, cells: number, stored: number): number {
  const [cell, byte] = OF_TEXTS[name] ?? [0, 0]
  // The offsets come from among the values.
  return cells * (cell + OF_A_RESULT * OFFSET_BYTES) + stored * byte
}

/** @param unfiltered bytes that come out */
function timeOf({ name }: FilterConfig, stored: Uint8Array, unfiltered: number, elementSize: number): number {
  if (name === 'ZSTD') {
    const work = noZstdWork()
    addZstdWork(stored, work)
    return ZSTD.literals * work.literals + ZSTD.sequences * work.sequences + ZSTD.bytes * work.bytes
  }
  const elements = unfiltered / elementSize
  if (name === 'BIT_WIDTH_REDUCTION')
    return elements * (stored.length < unfiltered ? BIT_WIDTH_REDUCTION.reduced : BIT_WIDTH_REDUCTION.asTheyAre)
  const [byStored, byUnfiltered] = OF_BYTES[name] ?? [0, 0]
  return elements * (OF_AN_ELEMENT[name] ?? 0) + stored.length * byStored + unfiltered * byUnfiltered
}
