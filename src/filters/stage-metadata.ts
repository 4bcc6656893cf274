import { type Describe, decodePrefix } from '../format/io.ts'
import type { StageResult } from './pipeline.ts'
import { filterOf } from './registry.ts'

/** A value as the two-way descriptions of `src/format` give it. */
export type DescribedValue = { readonly [key: string]: unknown }

/**
 * What a filter's metadata in a chunk says, by the same description that the filter itself reads and writes; undefined for
 * filters without metadata, and where the filter passed the chunk on unchanged.
 */
export function stageMetadata(stage: StageResult): DescribedValue | undefined {
  if (stage.input.metadata.length === stage.output.metadata.length && stage.input.data === stage.output.data)
    return undefined
  const describe = stageDescription(stage)
  return describe && decodePrefix(stage.input.metadata, describe).value
}

/** The description of the metadata that a stage took off the front. Reading is all that callers do with it. */
export function stageDescription({
  config,
  datatype,
  stringOffsets,
}: StageResult): Describe<DescribedValue> | undefined {
  return filterOf(config.name)?.metadata?.(datatype, stringOffsets) as Describe<DescribedValue> | undefined
}
