import type { Pipeline } from '../filters/pipeline.ts'
import { useOf } from '../filters/registry.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type FilterConfig, isCompressor } from '../format/filter-pipeline.ts'
import type { FilterSample } from './sample.ts'
import { addZstdWork, noZstdWork } from './zstd-work.ts'

/**
 * Estimates how long TileDB 2.30 takes to read a sample: the amount of each kind of work, times the measured time of that kind. So the
 * result is the same on every run, and does not depend on the machine or on the speed of the decoders here. All times are nanoseconds
 * on one core. Those of the filters are in filters/registry.ts.
 */

/** Time to read a byte from a file in the system's cache. */
const OF_A_FILE = 0.66
/** Time to copy a byte to the user's buffer. */
const OF_A_RESULT = 1.2
const OFFSET_BYTES = 8
/** Time for each tile in each filter that TileDB counts among the compressors. */
const OF_A_TILE = 20_000

/**
 * Relative difference below which two estimates cannot be told apart. Nine of ten estimates were within 13 % of the time of a whole
 * read; docs/commands.md says 25 %.
 */
export const NEAR = 0.1

/**
 * Estimated seconds that TileDB needs to undo the filters and copy the values out. {@link fileSeconds} is the time to read the files.
 * @param stored the parts of the sample after the filters
 */
export function tiledbSeconds(
  { parts }: Pick<FilterSample, 'parts'>,
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
  // The filter also makes the offsets, which are stored among the values.
  return cells * (cell + OF_A_RESULT * OFFSET_BYTES) + stored * text
}

/** Nanoseconds for one filter. @param unfiltered bytes that it outputs */
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
