import { type FilterDefinition, noMore } from './filter.ts'

/**
 * NONE: passes data and metadata unchanged. A compression filter without a compressor is stored as NONE, too.
 *
 *     metadata  none of its own
 *     data      unchanged
 *
 * @see format_spec/filter_pipeline.md, "Filter"
 */
export const none: FilterDefinition = {
  since: 1,
  outputType: undefined,
  suits: undefined,
  keepsData: true,
  losesEmptyPart: () => true,
  mostUndone: noMore,
  load: async () => ({ forward: (parts) => parts, reverse: (bytes) => bytes }),
}
