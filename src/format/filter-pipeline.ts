import { enumerationOf } from './coding.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import { COMPRESSORS, FILTER_TYPES, type FilterType, filterTypeCoding, isCompressor } from './filter-type.ts'
import { type Coding, countedList, type Describe, type Io } from './io.ts'

/** Pixel formats of WEBP, in the order of their numbers. TileDB cannot read or write with NONE. */
export const PIXEL_FORMATS = ['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA'] as const
export type PixelFormat = (typeof PIXEL_FORMATS)[number]

/**
 * One filter of a pipeline with its options, as stored; also the FILTER of the JSON documents.
 * Which options are there depends on `name`. All keys but `name` are undefined where they do not apply.
 */
export interface FilterConfig {
  /** C API name, or `UNKNOWN_<number>` for a filter that no release defines. */
  name: FilterType | `UNKNOWN_${number}`
  /** Compressors: level as stored; -1 is what the APIs store by default. */
  level?: number | undefined
  /** DOUBLE_DELTA since version 20, DELTA: element type to use instead of the field's; ANY for the field's own. */
  reinterpret_datatype?: Datatype | undefined
  /** BIT_WIDTH_REDUCTION, POSITIVE_DELTA: bytes. */
  max_window_size?: number | undefined
  /** SCALE_FLOAT. */
  scale?: number | undefined
  offset?: number | undefined
  /** SCALE_FLOAT: bytes of the stored integers, 1, 2, 4 or 8. */
  byte_width?: number | undefined
  /** WEBP: 0 to 100. */
  quality?: number | undefined
  format?: PixelFormat | undefined
  lossless?: boolean | undefined
  /** WEBP: tile extents of the two dimensions, in rows and in values of one row. */
  y_extent?: number | undefined
  x_extent?: number | undefined
  /** The stored compressor number, only if it contradicts `name`. That is damage; TileDB uses the filter type. */
  compressor?: number | undefined
  /** Option bytes that this version does not define. In files of real releases only WEBP has some: its padding. */
  extra?: Uint8Array | undefined
}

/** A filter pipeline, as in schemas and generic tile headers. */
export interface FilterPipeline {
  /** Bytes. Only 0, which means one chunk, has an effect: otherwise writers use 65,536. */
  max_chunk_size: number
  filters: FilterConfig[]
}

const pixelFormatCoding = enumerationOf<PixelFormat>('pixel format', PIXEL_FORMATS)

/** Reads unknown filter numbers, too. The stored length of the options tells how to skip them. */
const storedTypeCoding: Coding<FilterConfig['name']> = {
  label: filterTypeCoding.label,
  decode: (stored) => filterTypeCoding.decode(stored) ?? `UNKNOWN_${stored}`,
  encode: (name) =>
    name in FILTER_TYPES ? filterTypeCoding.encode(name as FilterType) : Number(name.slice('UNKNOWN_'.length)),
  accepted: filterTypeCoding.accepted,
}

/** Names of the options of filters. */
export type FilterOption = Exclude<keyof FilterConfig, 'name' | 'compressor' | 'extra'>

const LEVEL = { level: -1 }
const DELTA = { ...LEVEL, reinterpret_datatype: 'ANY' } as const

/**
 * Options of each filter in stored order, with the defaults of TileDB's APIs. WEBP's `format` has no default there: the
 * user has to choose it. Here it is RGB.
 */
export const FILTER_OPTIONS: Readonly<Record<FilterType, Omit<FilterConfig, 'name'>>> = {
  NONE: {},
  GZIP: LEVEL,
  ZSTD: LEVEL,
  LZ4: LEVEL,
  RLE: LEVEL,
  BZIP2: LEVEL,
  DOUBLE_DELTA: DELTA,
  BIT_WIDTH_REDUCTION: { max_window_size: 256 },
  BITSHUFFLE: {},
  BYTESHUFFLE: {},
  POSITIVE_DELTA: { max_window_size: 1024 },
  AES_256_GCM: {},
  CHECKSUM_MD5: {},
  CHECKSUM_SHA256: {},
  DICTIONARY_ENCODING: LEVEL,
  SCALE_FLOAT: { scale: 1, offset: 0, byte_width: 8 },
  XOR: {},
  WEBP: { quality: 100, format: 'RGB', lossless: false, y_extent: 0, x_extent: 0 },
  DELTA,
}

/** TileDB stores the options of WEBP as a C structure, including its padding. */
export const WEBP_PADDING_BYTES = 2

/** First format version that stores the reinterpret datatype. DELTA itself exists since version 19. */
export const REINTERPRET_SINCE: Readonly<Partial<Record<FilterConfig['name'], number>>> = {
  DOUBLE_DELTA: 20,
  DELTA: 19,
}

const DESCRIPTIONS: { readonly [K in FilterOption]: (io: Io<FilterConfig>) => FilterConfig[K] } = {
  level: (io) => io.i32('level', 'compression level; -1 is the default'),
  reinterpret_datatype: (io) =>
    io.coded('reinterpret_datatype', 'uint8', datatypeCoding, 'type of the elements; `ANY` for that of the field'),
  max_window_size: (io) => io.u32('max_window_size', 'bytes: of the largest window'),
  scale: (io) => io.f64('scale', 'factor'),
  offset: (io) => io.f64('offset', 'subtracted from every value'),
  byte_width: (io) => io.size('byte_width', 'bytes: of a stored integer'),
  quality: (io) => io.f32('quality', '0 to 100'),
  format: (io) => io.coded('format', 'uint8', pixelFormatCoding, 'order of the colours'),
  lossless: (io) => io.flag('lossless', 'whether the picture is kept exactly'),
  y_extent: (io) => io.u16('y_extent', 'rows of a tile'),
  x_extent: (io) => io.u16('x_extent', 'values in a row of a tile'),
}

export const FILTER_OPTION_NAMES = Object.keys(DESCRIPTIONS) as FilterOption[]

/** The options of a filter that a format version stores, in stored order. */
function storedOptions(name: FilterConfig['name'], version: number): FilterOption[] {
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
    const ofSize = 'bytes: only 0 (do not cut) changes what writers do, they use 65,536 otherwise'
    return {
      max_chunk_size: io.u32('max_chunk_size', ofSize),
      filters: countedList(io, ['filter_num', 'uint32', 'filters'], 'filters', filter, 'in writing order'),
    }
  }
}

function filterConfig(version: number): Describe<FilterConfig> {
  return (io) => {
    const name = io.coded('name', 'uint8', storedTypeCoding, 'type of the filter')
    const options = io.within('options', 'uint32', (inner) => filterOptions(inner, name, version))
    return { name, ...options }
  }
}

function filterOptions(io: Io<FilterConfig>, name: FilterConfig['name'], version: number): Omit<FilterConfig, 'name'> {
  const options: Omit<FilterConfig, 'name'> = {}
  if (isCompressor(name)) {
    const about = 'its number among compressors, not among filters'
    const compressor = io.derive('compressor', 'uint8', (f) => f.compressor ?? COMPRESSORS[name], about)
    if (compressor !== COMPRESSORS[name]) options.compressor = compressor
  }
  for (const option of storedOptions(name, version)) Object.assign(options, { [option]: DESCRIPTIONS[option](io) })
  const extra = io.rest('extra', 'not defined in this version; TileDB passes over it')
  if (extra.length > 0) options.extra = extra
  return options
}
