import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Codecs } from './codecs/codecs.ts'
import type { Kernels } from './kernels/kernels.ts'

/**
 * Input and output of a filter when writing: lists of parts, as in TileDB's filters.
 *
 * `metadata` is the metadata of all filters so far, newest first, in stored order. `data` is the data parts. On disk
 * each list is concatenated. Filters never change a part in place.
 *
 * `offsets` is present only for tiles of var-sized strings whose offsets are stored in the data (RLE,
 * DICTIONARY_ENCODING). It has the start of each cell in `data`, which is then one part.
 *
 * @see format_spec/filter_pipeline.md
 */
export interface FilterParts {
  metadata: Uint8Array[]
  data: Uint8Array[]
  offsets?: Float64Array
}

/**
 * Input and output of a filter when reading. `metadata` has the filter's own metadata first, then that of earlier
 * filters. A filter removes its own. `offsets` is the output of RLE and DICTIONARY_ENCODING of var-sized strings only:
 * the start of each cell in bytes.
 */
export interface FilteredBytes {
  metadata: Uint8Array
  data: Uint8Array
  offsets?: Float64Array
}

/** Result of comparing one stored digest or authentication tag with the bytes that it covers. */
export interface ChecksumVerdict {
  filter: 'CHECKSUM_MD5' | 'CHECKSUM_SHA256' | 'AES_256_GCM'
  ok: boolean
  /** Lower-case hex of the stored digest or tag; empty if it is right. */
  expected: string
  /**
   * Lower-case hex of the digest of the bytes; empty if it is right. Undefined for AES-GCM: without the right key its tag cannot be
   * computed.
   */
  actual: string | undefined
}

/** What TileDB stores for a part of no bytes, and then cannot read. No data is lost. */
export type RefusedPart = 'stream cut short' | 'delta of nothing' | 'part of nothing'

/**
 * Bytes after the last whole element of a part, which TileDB dropped when it wrote. TileDB reads uninitialised memory
 * in their place; here they are zeros.
 */
export interface LostTail {
  length: number
  element_size: number
  /**
   * Whether the part is another filter's metadata. The dropped bytes are then mostly the high bytes of a size, which
   * are 0.
   */
  of_metadata: boolean
}

/** What a filter knows about the tile, besides its own options. */
export interface FilterContext {
  /** Element type that this filter sees: the field's, unless an earlier filter (in writing order) changed it. */
  datatype: Datatype
  /**
   * Bytes of a cell: sizeof(type) x cell_val_num. In offsets tiles 8, in validity tiles 1, in var data sizeof(type).
   */
  cellSize: number
  /** Whether the chunk was filtered as a type other than its tile's. It may then not be a whole number of elements. */
  otherType?: boolean | undefined
  /** Format version of the fragment (for generic tiles: of the tile's header). */
  formatVersion: number
  /** Upper limit on the bytes that undoing this filter may give. A larger declared size is refused before allocation. */
  limit: number
  /** The same for the memory of the run, whatever the chunk says: see {@link Memory.room}. Undefined: no limit. */
  room?: number | undefined
  /**
   * Whether the data includes the offsets of var-sized strings. RLE and DICTIONARY_ENCODING then use their string
   * layouts.
   */
  stringOffsets: boolean
  /** AES-256 key, 32 bytes. */
  key?: Uint8Array | undefined
  /** Called with every checksum verdict. Without it a mismatch throws InspectError CHECKSUM. */
  onVerdict?: ((verdict: ChecksumVerdict) => void) | undefined
  /** Called for a part of no bytes that TileDB stores and then cannot read. */
  onRefused?: ((part: RefusedPart) => void) | undefined
  /** Whether the next filter, in writing order, loses empty parts. @see FilterDefinition.losesEmptyPart */
  losesEmptyParts?: boolean | undefined
  /** Called for a part whose end was dropped when it was written. */
  onLostTail?: ((lost: LostTail) => void) | undefined
  /** Source of AES initialisation vectors (12 bytes) when writing. */
  randomBytes?: ((length: number) => Uint8Array) | undefined
  /**
   * Memory for the output of this filter when reading, of exactly its length. The filter may fill and return it, which
   * saves a copy.
   */
  into?: Uint8Array | undefined
  /** Whether nobody reads the output in `into`. A filter may then check its input without filling `into`. */
  unread?: boolean | undefined
  /** Fast code that undoes filters. The output may then be in its memory, and is valid for this chunk only. */
  kernels?: Kernels | undefined
}

/** One loaded filter. */
export interface Filter {
  /** Writing direction. @throws InspectError BAD_VALUE if the filter cannot take this data */
  forward(parts: FilterParts, config: FilterConfig, cx: FilterContext): FilterParts
  /** Reading direction. @throws InspectError BAD_FILTERED_DATA, TRUNCATED, CHECKSUM, WRONG_KEY, KEY_NEEDED */
  reverse(bytes: FilteredBytes, config: FilterConfig, cx: FilterContext): FilteredBytes
}

/** The facts about a field that decide whether it may have a filter. */
export interface FilteredField {
  type: Datatype
  cell_val_num: CellValNum
  /** Format version of the schema. */
  formatVersion: number
  /** Extents of a dense array with two dimensions of one type, in cells. WEBP needs them. */
  picture?: { height: number; width: number } | undefined
  /** Whether any type is accepted, as for the schema's filters of offsets, validity and coordinates. */
  anyType?: boolean | undefined
  /** Words for the values if they are not the user's own: offsets, for example. */
  counts?: string | undefined
}

/**
 * Facts about a filter. Each filter has its own file, and registry.ts lists them all. The numbers and options of filters
 * are in format/filter-pipeline.ts.
 *
 * Each `…Refusal` returns the reason why TileDB refuses such a filter, or undefined if TileDB accepts it.
 *
 * A fact that no test would miss is required, and may be undefined. So the compiler asks for it when a filter is added.
 */
export interface FilterDefinition {
  /** First format version that has the filter. */
  readonly since: number
  /** Highest level that TileDB can write with. Schemas may have higher ones. */
  readonly highestLevel?: number
  /** By string type, the first schema version that stores offsets in the data. The filter must then be the first. */
  readonly offsetsInsideSince?: Readonly<Partial<Record<Datatype, number>>>
  /** Whether the filter stores digests or a tag, which show damage. */
  readonly tellsDamage?: boolean
  /** Whether the filter does not change the data bytes. */
  readonly keepsData?: boolean
  /** Returns what the filter may lose of the values. */
  loss?(config: FilterConfig): 'digits' | 'hidden colours' | undefined
  /** Whether releases that write a format version have a fault in this filter, so that it may lose values of a type. */
  mayLose?(type: Datatype, config: FilterConfig, formatVersion: number): boolean
  /** Whether the tile must be one chunk. */
  readonly needsWholeTile?: boolean
  /** Whether the metadata or a count shows the size of the element type. Absent if the result does not depend on it. */
  readonly elementSize?: 'shown' | 'hidden'
  /** Returns what the filter uses of a type, as text. Absent if that is the size of an element. */
  unit?(type: Datatype, config: FilterConfig, formatVersion: number): string
  /** Whether TileDB's reader has no part left after the filter where its output has no bytes. Absent: it has one. */
  losesEmptyPart?(type: Datatype, formatVersion: number): boolean
  /** Upper limit on the bytes of output for a byte of input. By default 2: for headers, and data that does not compress. */
  readonly growth?: number
  /**
   * Upper limit on the bytes that undoing the filter gives for a number of stored bytes, metadata and data together. It holds for all
   * bytes that the format of the filter allows, not only for those that TileDB writes. A chunk that claims more is damaged.
   */
  readonly mostUndone: (stored: number, stringOffsets: boolean) => number
  /** How many times as much memory as with other filters it takes to undo a chunk; 1 if absent. */
  readonly undoneTimes?: number
  /** Whether the filter uses {@link FilterContext.kernels}: at once if its codec takes longer to load than they take. */
  readonly usesKernels?: true | 'at once'
  /** Returns the element type of the output. Undefined if it is that of the input. @see typeAfter in registry.ts */
  readonly outputType: ((input: Datatype, config: FilterConfig) => Datatype) | undefined
  /** Returns the description of the filter's metadata. Absent if it has none. */
  metadata?(datatype: Datatype, stringOffsets: boolean): (io: never) => object
  optionRefusal?(config: FilterConfig): string | undefined
  /** About the type that the filter sees. TileDB checks it since format version {@link TYPES_CHECKED_SINCE}. */
  typeRefusal?(type: Datatype, config: FilterConfig, field: FilteredField): string | undefined
  /** About schemas that TileDB creates, but whose cells it cannot write, or cannot read back. */
  writingRefusal?(type: Datatype, config: FilterConfig, field: FilteredField): string | undefined
  /** Returns whether the filter is useful for values of a type. Undefined if it is for all types that it accepts. */
  readonly suits: ((type: Datatype) => boolean) | undefined
  /** Loads the filter with the codecs that it needs. */
  load(codecs: Codecs): Promise<Filter>
}

/** {@link FilterDefinition.mostUndone} of filters that only rearrange bytes, or take their own metadata away. */
export const noMore = (stored: number): number => stored

/**
 * Since this format version (TileDB 2.17) a filter sees the output type of the filter before it, and TileDB checks that
 * it accepts this type. Before, every filter saw the field's type.
 */
export const TYPES_CHECKED_SINCE = 20
