import { type Describe, decodePrefix } from '../format/io.ts'
import type { StageResult } from './pipeline.ts'
import { filterOf } from './registry.ts'

/** A value read by a description of `src/format`. */
export type DescribedValue = { readonly [key: string]: unknown }

/**
 * Reads a filter's own metadata in a chunk, with the description that the filter uses. Returns undefined for filters
 * without metadata, and if the filter passed the chunk unchanged.
 */
export function stageMetadata(stage: StageResult): DescribedValue | undefined {
  if (stage.input.metadata.length === stage.output.metadata.length && stage.input.data === stage.output.data)
    return undefined
  const describe = stageDescription(stage)
  return describe && decodePrefix(stage.input.metadata, describe).value
}

/** Returns the description of a stage's own metadata. Use it for reading only. */
export function stageDescription({
  config,
  datatype,
  stringOffsets,
}: StageResult): Describe<DescribedValue> | undefined {
  return filterOf(config.name)?.metadata?.(datatype, stringOffsets) as Describe<DescribedValue> | undefined
}
