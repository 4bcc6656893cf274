import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Codecs } from './codecs/codecs.ts'
import type { Kernels } from './kernels/kernels.ts'

/**
 * What a filter receives and gives when data is written: lists of parts, as TileDB's filters see them.
 *
 * `metadata` is the metadata of all filters so far, newest first, in stored order; `data` the data parts. On disk each
 * list is simply concatenated. Parts belong to the caller and are never changed in place.
 * `offsets` is present only for the var-sized string tiles whose offsets live inside the data (RLE, dictionary):
 * the start of each cell in `data`, which is then one part.
 *
 * @see format_spec/filter_pipeline.md
 */
export interface FilterParts {
  metadata: Uint8Array[]
  data: Uint8Array[]
  offsets?: Float64Array
}

/**
 * What a filter receives and gives when data is read: the metadata that is left (own metadata in front, that of earlier
 * filters behind it) and the data, each as one run of bytes. A filter takes its own metadata off the front.
 * `offsets` comes out of RLE and dictionary of var-sized strings only: byte starts, one a cell.
 */
export interface FilteredBytes {
  metadata: Uint8Array
  data: Uint8Array
  offsets?: Float64Array
}

/** Outcome of one comparison of a stored digest or authentication tag with the bytes it covers. */
export interface ChecksumVerdict {
  filter: 'CHECKSUM_MD5' | 'CHECKSUM_SHA256' | 'AES_256_GCM'
  ok: boolean
  /** Lower-case hex of the digest stored. For AES-GCM: of the tag. */
  expected: string
  /** Lower-case hex of the digest of what is there; undefined for AES-GCM, whose tag cannot be worked out without the right key. */
  actual: string | undefined
}

/** What TileDB makes of a part of no bytes and then cannot read; nothing is lost with it. */
export type RefusedPart = 'stream cut short' | 'delta of nothing' | 'part of nothing'

/**
 * Bytes behind the last whole element of a part, which TileDB dropped when it wrote. Its readers leave there what their memory held; zeros
 * stand there here.
 */
export interface LostTail {
  length: number
  element_size: number
  /** Whether the part is another filter's metadata. The bytes dropped are then mostly the high end of a size, which is 0. */
  of_metadata: boolean
}

/** What a filter is told about the tile beside its own options. */
export interface FilterContext {
  /** Element type that this filter sees: the field's, as changed by the filters before it (in writing order). */
  datatype: Datatype
  /** Bytes of one cell of the tile: sizeof(type) x cell_val_num; 8 in offsets tiles, 1 in validity tiles, sizeof(type) in var data. */
  cellSize: number
  /** Whether the chunk was filtered as another type than its tile's: then its bytes may be no whole number of elements. */
  otherType?: boolean | undefined
  /** Format version of the fragment (for generic tiles: of the tile's header). */
  formatVersion: number
  /** Most bytes that undoing one filter of this chunk may yield; a larger declared size is refused before allocation. */
  limit: number
  /** True in a var-sized tile whose offsets live inside the data: RLE and DICTIONARY_ENCODING then use their string layouts. */
  stringOffsets: boolean
  /** AES-256 key, 32 bytes. */
  key?: Uint8Array | undefined
  /** Receives every checksum verdict; without it a mismatch raises InspectError CHECKSUM. */
  onVerdict?: ((verdict: ChecksumVerdict) => void) | undefined
  /** Told of a part of no bytes that TileDB stores and then cannot read. */
  onRefused?: ((part: RefusedPart) => void) | undefined
  /** Told of a part whose end was dropped when it was written. */
  onLostTail?: ((lost: LostTail) => void) | undefined
  /** Whether the part to be undone is metadata of the filters before. */
  ofMetadata?: boolean | undefined
  /** Source of AES initialisation vectors (12 bytes) when writing. */
  randomBytes?: ((length: number) => Uint8Array) | undefined
  /** Room for what this filter gives when it undoes a chunk, of that very length: to be filled and given back where that saves a copy. */
  into?: Uint8Array | undefined
  /** Fast ways to undo filters; what comes out may then lie in their memory, and is good for this chunk only. */
  kernels?: Kernels | undefined
}

/** One reversible filter, loaded and ready: both calls are synchronous. */
export interface Filter {
  /** Writing direction. @throws InspectError BAD_VALUE where the filter cannot take this data */
  forward(parts: FilterParts, config: FilterConfig, cx: FilterContext): FilterParts
  /** Reading direction. @throws InspectError BAD_FILTERED_DATA, TRUNCATED, CHECKSUM, WRONG_KEY, KEY_NEEDED */
  reverse(bytes: FilteredBytes, config: FilterConfig, cx: FilterContext): FilteredBytes
}

/** What decides whether filters may stand at a field. */
export interface FilteredField {
  type: Datatype
  cell_val_num: CellValNum
  /** Of the schema. */
  formatVersion: number
  /** Extents of a dense array with two dimensions of one type: WEBP needs them. */
  picture?: { height: number; width: number } | undefined
  /** No filter is held against the type: those of the schema, for offsets, validity and dimensions without filters of their own. */
  anyType?: boolean | undefined
  /** What the values are where they are none of the user's. */
  counts?: string | undefined
}

/**
 * What is known of a filter. It stands in the filter's own file, and registry.ts lists all filters. The number of a filter is in
 * format/filter-type.ts, its options are in format/filter-pipeline.ts.
 *
 * Each `…Refusal` says why TileDB refuses such a filter. It gives undefined where TileDB takes it.
 */
export interface FilterDefinition {
  /** First format version that has the filter. */
  readonly since?: number
  /** Highest level that TileDB can write with. It lets a schema have higher ones. */
  readonly highestLevel?: number
  /** First schema version that keeps the offsets of var-sized strings in the data, by their type. The filter must then be the first. */
  readonly offsetsInsideSince?: Readonly<Partial<Record<Datatype, number>>>
  /** Whether it stores digests or a tag, which show damage. */
  readonly tellsDamage?: boolean
  /** Whether the data bytes stay as they are. */
  readonly keepsData?: boolean
  /** What the filter may lose of the values. */
  loss?(config: FilterConfig): 'digits' | 'hidden colours' | undefined
  /** Whether tiles must not be cut into chunks. */
  readonly needsWholeTile?: boolean
  /** Only where the result depends on the element type: whether metadata or a count of elements shows that type's size. */
  readonly elementSize?: 'shown' | 'hidden'
  /** Whether it makes an empty part of an empty chunk, and expects that part when it is undone. */
  readonly expectsEmptyPart?: boolean
  /** Whether it gives no empty part back when it is undone. */
  readonly losesEmptyPart?: boolean
  /** Most bytes that it makes of one byte. Without it 2: headers of parts, and what cannot be compressed. */
  readonly growth?: number
  /** Whether it makes use of {@link FilterContext.kernels}. */
  readonly usesKernels?: boolean
  /** Element type that it makes, where that is another than it sees. @see typeAfter in registry.ts */
  outputType?(input: Datatype, config: FilterConfig): Datatype
  /** Description of its metadata; none where it has none. */
  metadata?(datatype: Datatype, stringOffsets: boolean): (io: never) => object
  optionRefusal?(config: FilterConfig): string | undefined
  /** For the type that the filter sees. TileDB checks it since {@link TYPES_CHECKED_SINCE}. */
  typeRefusal?(type: Datatype, config: FilterConfig, field: FilteredField): string | undefined
  /** For schemas that TileDB makes, but cannot write cells for, or cannot read those cells back. */
  writingRefusal?(type: Datatype, config: FilterConfig, field: FilteredField): string | undefined
  /** Whether it makes sense for values of a type. Not every type that TileDB lets it have does. */
  suits?(type: Datatype): boolean
  /** Loads what it needs of this platform's codecs. */
  load(codecs: Codecs): Promise<Filter>
}

/** From here on (TileDB 2.17) a filter sees the type that the one before it makes, and is held against it. Before, each saw the field's. */
export const TYPES_CHECKED_SINCE = 20
