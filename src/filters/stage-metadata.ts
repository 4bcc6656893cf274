import { aesMetadata } from '../format/aes-metadata.ts'
import { bitWidthMetadata } from '../format/bit-width-metadata.ts'
import { checksumMetadata } from '../format/checksum-metadata.ts'
import { compressorMetadata } from '../format/compressor-metadata.ts'
import { dictionaryMetadata } from '../format/dictionary-metadata.ts'
import { isCompressor } from '../format/filter-type.ts'
import { type Describe, decodePrefix } from '../format/io.ts'
import { partLengthsMetadata } from '../format/part-lengths-metadata.ts'
import { positiveDeltaMetadata } from '../format/positive-delta-metadata.ts'
import { rleStringMetadata } from '../format/rle-string-metadata.ts'
import { elementSize } from './elements.ts'
import type { StageResult } from './pipeline.ts'

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

/** The description of the metadata that a stage took off the front. */
export function stageDescription({
  config,
  datatype,
  stringOffsets,
}: StageResult): Describe<DescribedValue> | undefined {
  const size = elementSize(datatype)
  const { name } = config
  if (stringOffsets && name === 'RLE') return wide(rleStringMetadata)
  if (stringOffsets && name === 'DICTIONARY_ENCODING') return wide(dictionaryMetadata)
  // DICTIONARY_ENCODING too, where it had nothing to encode.
  if (isCompressor(name)) return wide(compressorMetadata)
  if (name === 'BIT_WIDTH_REDUCTION') return wide(bitWidthMetadata(size))
  if (name === 'POSITIVE_DELTA') return wide(positiveDeltaMetadata(size))
  if (name === 'CHECKSUM_MD5') return wide(checksumMetadata(16))
  if (name === 'CHECKSUM_SHA256') return wide(checksumMetadata(32))
  if (name === 'AES_256_GCM') return wide(aesMetadata)
  if (name === 'NONE' || name.startsWith('UNKNOWN_')) return undefined
  return wide(partLengthsMetadata)
}

/** A description of one structure where any is expected: reading is all that callers do with it. */
function wide<T extends object>(describe: Describe<T>): Describe<DescribedValue> {
  return describe as unknown as Describe<DescribedValue>
}
