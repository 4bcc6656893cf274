import type { Pipeline } from '../filters/pipeline.ts'
import { useOf } from '../filters/registry.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type FilterConfig, isCompressor } from '../format/filter-pipeline.ts'
import type { Sample } from './sample.ts'
import { addZstdWork, noZstdWork } from './zstd-work.ts'

/**
 * How long TileDB 2.30 takes to read a sample: from what its library has to do, and what each of that takes. So it is the same on every
 * run, whatever else the machine does, and does not follow the speed of the decoders here. All numbers are nanoseconds on one core; those of
 * the filters are in filters/registry.ts.
 */

/** To read a byte from a file in the system's cache; to hand one over. */
const OF_A_FILE = 0.66
const OF_A_RESULT = 1.2
const OFFSET_BYTES = 8

/** For a tile, in each filter that TileDB counts among the compressors. */
const OF_A_TILE = 20_000

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
  let ns = OF_A_TILE * stored.length * filters.filter(({ name }) => isCompressor(name)).length
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
  const { cell = 0, text = 0 } = useOf(name).ns
  // The offsets come from among the values.
  return cells * (cell + OF_A_RESULT * OFFSET_BYTES) + stored * text
}

/** @param unfiltered bytes that come out */
function timeOf({ name }: FilterConfig, stored: Uint8Array, unfiltered: number, elementSize: number): number {
  const { ns } = useOf(name)
  if (ns.zstd) {
    const work = noZstdWork()
    addZstdWork(stored, work)
    return ns.zstd.literals * work.literals + ns.zstd.sequences * work.sequences + ns.zstd.bytes * work.bytes
  }
  const { element = 0, kept = element } = ns
  const ofElement = stored.length < unfiltered ? element : kept
  return (unfiltered / elementSize) * ofElement + stored.length * (ns.stored ?? 0) + unfiltered * (ns.unfiltered ?? 0)
}
