/**
 * The structures of the format. Each is described once: {@link decode} reads it from bytes, {@link trace} explains each of
 * its bytes, and {@link encode} writes it. Nothing here uses files, filters or Node.
 *
 * ```js
 * import { arraySchema, decode } from 'tiledb-inspect/format'
 * const { version, domain, attributes } = decode(bytes, arraySchema)
 * ```
 *
 * A structure that depends on the format version or the schema takes it as an argument, such as `fragmentFooter(schema)` or
 * `rtree(version, dimensions)`.
 */

export { ERROR_CODES, type ErrorCode, type ErrorPlace, InspectError } from './base/errors.ts'
// Key-value metadata, groups and commits.
export { type ArrayMetadata, arrayMetadata, type MetadataEntry } from './format/array-metadata.ts'
// The schema and its parts.
export { type ArraySchema, arraySchema, type Domain } from './format/array-schema.ts'
export type { Attribute } from './format/attribute.ts'
export type { CellValNum } from './format/cell-val-num.ts'
// What filters store about a chunk: `StoredChunk.metadata`.
export {
  type AesMetadata,
  aesMetadata,
  type BitWidthMetadata,
  type BitWidthWindow,
  bitWidthMetadata,
  type ChecksumMetadata,
  type CompressedPart,
  type CompressorMetadata,
  checksumMetadata,
  compressorMetadata,
  type DictionaryMetadata,
  dictionaryMetadata,
  type EncryptedPart,
  type PartChecksum,
  type PartLengthsMetadata,
  type PositiveDeltaMetadata,
  type PositiveDeltaWindow,
  partLengthsMetadata,
  positiveDeltaMetadata,
  type RleStringMetadata,
  rleStringMetadata,
  type StringPart,
} from './format/chunk-metadata.ts'
export { type ConsolidatedCommit, parseConsolidatedCommits } from './format/commit-files.ts'
export {
  type ConsolidatedFooterEntry,
  type ConsolidatedFragmentMetadata,
  consolidatedFragmentMetadata,
} from './format/consolidated-fragment-metadata.ts'
export type { CurrentDomain } from './format/current-domain.ts'
export { DATATYPES, type Datatype, datatypeSize } from './format/datatype.ts'
export {
  type CombinationOp,
  type ComparisonOp,
  type ConditionExpression,
  type ConditionNode,
  type ConditionValue,
  deleteCondition,
  type UpdateCondition,
  type UpdateValue,
  updateCondition,
} from './format/delete-condition.ts'
export type { Dimension } from './format/dimension.ts'
export type { DimensionLabel } from './format/dimension-label.ts'
export { type Enumeration, type EnumerationEntry, enumerationFile } from './format/enumeration.ts'
export {
  FILTER_TYPES,
  type FilterConfig,
  type FilterPipeline,
  type FilterType,
  type PixelFormat,
} from './format/filter-pipeline.ts'
export { NEWEST_FORMAT_VERSION } from './format/format-version.ts'
// The fragment metadata.
export {
  FOOTER_LENGTH_BYTES,
  type FooterFields,
  type FooterHead,
  type FragmentFooter,
  footerHead,
  footerLength,
  footerLengthIsStored,
  fragmentFooter,
  type OptionalSection,
  type SlotSectionOffsets,
} from './format/fragment-footer.ts'
export { type FragmentMetadataV1, fragmentMetadataV1 } from './format/fragment-metadata-v1.ts'
export { fragmentMinMaxSumNullCount, type SlotStatistics } from './format/fragment-min-max-sum-null-count.ts'
export { fragmentSlots, type Slot, type SlotFlags, type SlotKind } from './format/fragment-slots.ts'
// Tiles.
export { type GenericTileHeader, genericTileHeader } from './format/generic-tile.ts'
export { type GroupDetails, type GroupMember, groupDetails } from './format/group-details.ts'
// Reading, explaining and writing.
export {
  type Coding,
  type Describe,
  decode,
  decodePrefix,
  encode,
  type Io,
  type KeysOf,
  type Origin,
  trace,
  type Wire,
} from './format/io.ts'
export type { ArrayType, DataOrder, EncryptionType, Layout, ObjectType } from './format/layout.ts'
export {
  type OffsetsList,
  type SectionName,
  type SectionPlace,
  type SlotSectionName,
  sectionContent,
  sectionPlaces,
} from './format/metadata-sections.ts'
export { type ProcessedConditions, processedConditions } from './format/processed-conditions.ts'
export type { NDRange, Range, RangeType } from './format/range.ts'
export { leafLevel, mbrAt, type RTree, type RTreeLevel, rtree } from './format/rtree.ts'
export { childrenOf, type Span } from './format/span.ts'
export { type StoredChunk, type TileChunks, tileChunks } from './format/tile-chunks.ts'
export { type TileMinMax, tileMinMax } from './format/tile-min-max.ts'
export { type TileOffsets, tileOffsets } from './format/tile-offsets.ts'
export { type TileSums, tileSums } from './format/tile-sums.ts'
export {
  type FragmentName,
  parseFragmentName,
  parseTimestampedName,
  type TimestampedName,
} from './format/timestamped-name.ts'

// Values of cells.
export { bytesOf, type CellValue, cellValue, type Scalar, sumValue, type ValueStyle } from './format/value.ts'
