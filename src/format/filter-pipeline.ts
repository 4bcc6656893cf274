import type { Binary, Bytes, Count, Float, Integer } from '../base/quantities.ts'
import { sum } from '../base/sum.ts'
import { enumeration, enumerationOf, orUnknown } from './coding.ts'
import { DATATYPES, type Datatype, datatypeCoding } from './datatype.ts'
import { type Coding, countedList, type Describe, type Io } from './io.ts'

/** Pixel formats of WEBP, in the order of their numbers. TileDB cannot read or write with NONE. */
export const PIXEL_FORMATS = ['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA'] as const
export type PixelFormat = (typeof PIXEL_FORMATS)[number]

const pixelFormatCoding = enumerationOf<PixelFormat>('pixel format', PIXEL_FORMATS)

/**
 * One filter of a pipeline with its options as stored; also the FILTER of the JSON documents. Which options are there
 * depends on the filter.
 */
export interface FilterConfig {
  /** C API name, or `UNKNOWN_<number>`. */
  name: FilterType | `UNKNOWN_${number}`
  /** Compressors: level as stored, -1 for the default. */
  level?: Integer | undefined
  /** DELTA, DOUBLE_DELTA: element type used; ANY for that of the field. */
  reinterpret_datatype?: Datatype | undefined
  /** BIT_WIDTH_REDUCTION, POSITIVE_DELTA: largest window, bytes. */
  max_window_size?: Bytes | undefined
  /** SCALE_FLOAT: factor, a ratio. */
  scale?: Float | undefined
  /** SCALE_FLOAT: what is subtracted, in the field's unit. */
  offset?: Float | undefined
  /** SCALE_FLOAT: bytes of the stored integers. */
  byte_width?: Bytes | undefined
  /** WEBP: quality, 0 to 100. */
  quality?: number | undefined
  /** WEBP: order of the colours. */
  format?: PixelFormat | undefined
  /** WEBP: whether nothing is lost. */
  lossless?: boolean | undefined
  /** WEBP: rows of a tile, pixels. */
  y_extent?: Count | undefined
  /** WEBP: values of one row of a tile. */
  x_extent?: Count | undefined
  /** The compressor number of the options, where it contradicts the filter type. */
  // TileDB goes by this number. Where its filter cannot have made the bytes, decode goes by the filter type.
  compressor?: Count | undefined
  /** The stored length of the options, bytes, where it is not that of the filter's options. Readers since TileDB 2.7 do not use it. */
  options_length?: Bytes | undefined
  /** Option bytes that no release defines: those of an unknown filter, and the padding of WEBP. */
  extra?: Binary | undefined
}

/** Name of an option of a filter. */
export type FilterOption = Exclude<keyof FilterConfig, 'name' | 'compressor' | 'options_length' | 'extra'>
export type FilterOptions = Pick<FilterConfig, FilterOption>

/** What an option may be: an integer in a range, a float, a flag or a name. */
export type OptionValues = readonly [low: number, high: number] | 'float' | 'flag' | readonly string[]

/** How an option is stored, and the values that can be stored. */
interface Option<V> {
  read(io: Io<FilterConfig>): V
  /** Stored bytes. */
  size: number
  values: OptionValues
  /**
   * Argument of TileDB-Py's filter. Undefined leaves the option out of Python code: because the value follows from the array, as the
   * extents of WEBP, or because TileDB-Py has no such argument. The code then means the default, and says nothing of another value.
   */
  python: string | undefined
}

const OF_TYPE = 'type of the elements; `ANY` for that of the field'
const UINT16 = [0, 0xffff] as const

export const OPTIONS: { readonly [K in FilterOption]-?: Option<FilterOptions[K]> } = {
  level: {
    read: (io) => io.i32('level', 'compression level; -1 is the default'),
    size: 4,
    values: [-(2 ** 31), 2 ** 31 - 1],
    python: 'level',
  },
  reinterpret_datatype: {
    read: (io) => io.coded('reinterpret_datatype', 'uint8', datatypeCoding, OF_TYPE),
    size: 1,
    values: DATATYPES,
    python: 'reinterp_dtype',
  },
  max_window_size: {
    read: (io) => io.u32('max_window_size', 'bytes: of the largest window'),
    size: 4,
    values: [0, 0xffffffff],
    python: 'window',
  },
  scale: { read: (io) => io.f64('scale', 'factor'), size: 8, values: 'float', python: 'factor' },
  offset: { read: (io) => io.f64('offset', 'subtracted from every value'), size: 8, values: 'float', python: 'offset' },
  byte_width: {
    read: (io) => io.size('byte_width', 'bytes: of a stored integer'),
    size: 8,
    values: [0, Number.MAX_SAFE_INTEGER],
    python: 'bytewidth',
  },
  quality: { read: (io) => io.f32('quality', '0 to 100'), size: 4, values: 'float', python: 'quality' },
  format: {
    read: (io) => io.coded('format', 'uint8', pixelFormatCoding, 'order of the colours'),
    size: 1,
    values: PIXEL_FORMATS,
    python: 'input_format',
  },
  lossless: {
    read: (io) => io.flag('lossless', 'whether the picture is kept exactly'),
    size: 1,
    values: 'flag',
    python: 'lossless',
  },
  y_extent: { read: (io) => io.u16('y_extent', 'rows of a tile'), size: 2, values: UINT16, python: undefined },
  x_extent: {
    read: (io) => io.u16('x_extent', 'values in a row of a tile'),
    size: 2,
    values: UINT16,
    python: undefined,
  },
}

const LEVEL = { level: -1 }
const DELTA = { ...LEVEL, reinterpret_datatype: 'ANY' } as const
const WEBP = { quality: 100, format: 'RGB', lossless: false, y_extent: 0, x_extent: 0 } as const

/**
 * Filter types, named as in the C API (`tiledb_filter_type_to_str`). A row has the filter's number
 * (`tiledb_filter_type_t`), then its options in stored order with the defaults of TileDB's APIs. WEBP's `format` has no
 * default there, because the user has to choose it; here it is RGB. A compressor's row ends with its number inside the
 * options, which may differ from the filter's. Upstream's pages do not list these numbers.
 *
 * Filter 11 is internal: TileDB stores it only in the pipelines of encrypted generic tiles. Filter 17 is deprecated: TileDB
 * refuses it.
 *
 * @see format_spec/filter_pipeline.md, which in one place gives 17 for WEBP; real bytes have 18
 */
const TYPES = {
  NONE: [0, {}],
  GZIP: [1, LEVEL, 1],
  ZSTD: [2, LEVEL, 2],
  LZ4: [3, LEVEL, 3],
  RLE: [4, LEVEL, 4],
  BZIP2: [5, LEVEL, 5],
  DOUBLE_DELTA: [6, DELTA, 6],
  BIT_WIDTH_REDUCTION: [7, { max_window_size: 256 }],
  BITSHUFFLE: [8, {}],
  BYTESHUFFLE: [9, {}],
  POSITIVE_DELTA: [10, { max_window_size: 1024 }],
  AES_256_GCM: [11, {}],
  CHECKSUM_MD5: [12, {}],
  CHECKSUM_SHA256: [13, {}],
  DICTIONARY_ENCODING: [14, LEVEL, 7],
  SCALE_FLOAT: [15, { scale: 1, offset: 0, byte_width: 8 }],
  XOR: [16, {}],
  WEBP: [18, WEBP],
  DELTA: [19, DELTA, 8],
} as const satisfies Record<string, readonly [number: number, options: FilterOptions, compressor?: number]>

export type FilterType = keyof typeof TYPES

const TYPE_ENTRIES = Object.entries(TYPES) as [FilterType, readonly [number, FilterOptions, number?]][]

/** Numbers of the filter types. */
export const FILTER_TYPES = Object.fromEntries(TYPE_ENTRIES.map(([name, [number]]) => [name, number])) as Readonly<
  Record<FilterType, number>
>

/** Options of each filter in stored order, with their defaults. */
export const FILTER_OPTIONS = Object.fromEntries(
  TYPE_ENTRIES.map(([name, [, options]]) => [name, options]),
) as Readonly<Record<FilterType, FilterOptions>>

/** Returns the number that a compressor has inside its options; undefined for other filters. */
export function compressorNumber(name: string): number | undefined {
  return Object.hasOwn(TYPES, name)
    ? ((TYPES[name as FilterType] as readonly unknown[])[2] as number | undefined)
    : undefined
}

/** Filters by the numbers of compressors. 0 leaves the bytes as they are. */
const BY_COMPRESSOR = new Map<number, FilterType>([
  [0, 'NONE'],
  ...TYPE_ENTRIES.flatMap(([name, [, , number]]) => (number === undefined ? [] : [[number, name] as const])),
])

/**
 * The filter that TileDB makes of a compressor whose number contradicts its type: that of the number. No other fact of the type counts
 * for it. The config itself if nothing contradicts, or if no compressor has the number.
 *
 * @see tiledb/sm/filter/filter_create.cc, compression_filter.cc; measured with 2.30
 */
export function filterByNumber(config: FilterConfig): FilterConfig {
  const { compressor, ...others } = config
  const name = compressor === undefined ? undefined : BY_COMPRESSOR.get(compressor)
  return name === undefined ? config : { ...others, name }
}

export function isCompressor(name: string): boolean {
  return compressorNumber(name) !== undefined
}

export const filterTypeCoding = enumeration('filter type', FILTER_TYPES)

/** Coding of filter types that also accepts unknown numbers: the stored length of the options tells how to skip them. */
const storedTypeCoding: Coding<FilterConfig['name']> = orUnknown(filterTypeCoding)

/** A filter pipeline, as in schemas and generic tile headers. */
export interface FilterPipeline {
  /** Bytes. Only 0, which means one chunk, has an effect: otherwise writers use 65,536. */
  max_chunk_size: number
  filters: FilterConfig[]
}

/** TileDB stores the options of WEBP as a C structure, including its padding. */
export const WEBP_PADDING_BYTES = 2

/** First format version that stores the reinterpret datatype. DELTA itself exists since version 19. */
export const REINTERPRET_SINCE: Readonly<Partial<Record<FilterConfig['name'], number>>> = {
  DOUBLE_DELTA: 20,
  DELTA: 19,
}

/** Returns the options of a filter that a format version stores, in stored order. */
export function storedOptions(name: FilterConfig['name'], version: number): FilterOption[] {
  if (!Object.hasOwn(FILTER_OPTIONS, name)) return []
  const options = Object.keys(FILTER_OPTIONS[name as FilterType]) as FilterOption[]
  return options.filter((option) => option !== 'reinterpret_datatype' || version >= (REINTERPRET_SINCE[name] ?? 0))
}

/**
 * A filter pipeline: maximum chunk size, then the filters in writing order.
 *
 * @param version format version of the schema or the generic tile header. It decides about the reinterpret datatype.
 * @see format_spec/filter_pipeline.md, "Filter Pipeline"
 */
export function filterPipeline(version: number): Describe<FilterPipeline> {
  const filter = filterConfig(version)
  return (io) => {
    const ofSize = 'bytes: 0 means that tiles are not cut; otherwise writers use 65,536, whatever the number'
    return {
      max_chunk_size: io.u32('max_chunk_size', ofSize),
      filters: countedList(io, ['filter_num', 'uint32', 'filters'], 'filters', filter, 'in writing order'),
    }
  }
}

/** Bytes of a filter's options, whatever length is stored; undefined for an unknown filter. */
function optionsSize(name: FilterConfig['name'], version: number): number | undefined {
  if (!Object.hasOwn(TYPES, name)) return undefined
  const ofOptions = sum(storedOptions(name, version), (option) => OPTIONS[option].size)
  return ofOptions + (isCompressor(name) ? 1 : 0) + (name === 'WEBP' ? WEBP_PADDING_BYTES : 0)
}

/**
 * TileDB reads as many bytes of options as the filter type has. The stored length only has to fit into what is left.
 *
 * @see tiledb/sm/filter/filter_create.cc; measured with 2.30
 */
function filterConfig(version: number): Describe<FilterConfig> {
  return (io) => {
    const name = io.coded('name', 'uint8', storedTypeCoding, 'type of the filter')
    const size = optionsSize(name, version)
    if (size === undefined) return { name, ...io.within('options', 'uint32', unknownOptions) }
    const described = (inner: Io<FilterConfig>, stored: number) => {
      const options = filterOptions(inner, name, version)
      return stored === size ? options : { ...options, options_length: stored }
    }
    const length = ({ options_length }: FilterConfig): number => options_length ?? size
    return { name, ...io.within('options', 'uint32', described, { size, length }) }
  }
}

function unknownOptions(io: Io<FilterConfig>): Pick<FilterConfig, 'extra'> {
  const extra = io.rest('extra', 'options of a filter that no release has')
  return extra.length > 0 ? { extra } : {}
}

function filterOptions(io: Io<FilterConfig>, name: FilterConfig['name'], version: number): Omit<FilterConfig, 'name'> {
  const options: Omit<FilterConfig, 'name'> = {}
  const number = compressorNumber(name)
  if (number !== undefined) {
    const about = 'its number among compressors, not among filters'
    const compressor = io.derive('compressor', 'uint8', (f) => f.compressor ?? number, about)
    if (compressor !== number) options.compressor = compressor
  }
  for (const option of storedOptions(name, version)) Object.assign(options, { [option]: OPTIONS[option].read(io) })
  if (name === 'WEBP') options.extra = io.bytes('extra', WEBP_PADDING_BYTES, 'padding')
  return options
}
