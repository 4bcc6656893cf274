import type { Pipeline } from '../filters/pipeline.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Sample } from './sample.ts'

/**
 * How long TileDB 2.30 takes to undo filters. General compressors depend on the values: their time here, with this program, times what
 * TileDB's library takes of it. The others take their time for each element, or each byte. Measured with test/tiledb/whatif.py, on one core.
 */

/** Part of the time here that TileDB takes for the same bytes. */
const CODECS: Readonly<Record<string, number>> = { ZSTD: 0.45, GZIP: 0.95, BZIP2: 0.65 }
/** Nanoseconds for an element. */
const OF_AN_ELEMENT: Readonly<Record<string, number>> = {
  BIT_WIDTH_REDUCTION: 22,
  POSITIVE_DELTA: 25,
  DELTA: 9,
  DOUBLE_DELTA: 6.5,
  RLE: 5,
  SCALE_FLOAT: 12,
}
/** Nanoseconds for a cell of text. */
const OF_A_TEXT: Readonly<Record<string, number>> = { RLE: 10, DICTIONARY_ENCODING: 10 }
/** Nanoseconds for a byte. */
const OF_A_BYTE: Readonly<Record<string, number>> = {
  LZ4: 0.2,
  XOR: 0.1,
  BITSHUFFLE: 0.1,
  BYTESHUFFLE: 0.05,
  WEBP: 5,
  CHECKSUM_MD5: 1.5,
  CHECKSUM_SHA256: 0.8,
}

const RUNS = 3

/** Seconds that this program takes in each general compressor of the pipeline, the best of some runs. */
export function codecSeconds(pipeline: Pipeline, stored: readonly Uint8Array[]): Map<string, number> {
  const best = new Map<string, number>()
  for (let run = 0; run < RUNS; run++) {
    const seconds = new Map<string, number>()
    for (const tile of stored) {
      let before = performance.now()
      pipeline.reverseTile(tile, {
        onStage({ config: { name } }) {
          const now = performance.now()
          if (Object.hasOwn(CODECS, name)) seconds.set(name, (seconds.get(name) ?? 0) + (now - before) / 1e3)
          before = performance.now()
        },
      })
    }
    for (const [name, time] of seconds) best.set(name, Math.min(time, best.get(name) ?? Number.POSITIVE_INFINITY))
  }
  return best
}

/** @param unfiltered bytes of the sample @param codecs as {@link codecSeconds} gives it */
export function tiledbSeconds(
  { type, role, parts }: Sample,
  filters: readonly FilterConfig[],
  unfiltered: number,
  codecs: ReadonlyMap<string, number>,
): number {
  const isText = role === 'var' && datatypeKind(type) === 'text'
  const count = isText
    ? parts.reduce((cells, { starts }) => cells + (starts ? starts.length - 1 : 0), 0)
    : unfiltered / datatypeSize(type)
  const each = isText ? OF_A_TEXT : OF_AN_ELEMENT
  let seconds = 0
  for (const { name } of filters) seconds += (count * (each[name] ?? 0) + unfiltered * (OF_A_BYTE[name] ?? 0)) / 1e9
  for (const [name, time] of codecs) seconds += CODECS[name] * time
  return seconds
}
