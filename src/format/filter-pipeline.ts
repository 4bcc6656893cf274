import { enumerationOf } from './coding.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import { COMPRESSORS, FILTER_TYPES, type FilterType, filterTypeCoding, isCompressor } from './filter-type.ts'
import type { Coding, Describe, Io } from './io.ts'

export type PixelFormat = 'NONE' | 'RGB' | 'BGR' | 'RGBA' | 'BGRA'

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
  /** The compressor number, only where it contradicts `name` (damage: TileDB goes by the filter type). */
  compressor?: number | undefined
  /** Option bytes that this version does not define; none in files of real releases but WEBP's padding. */
  extra?: Uint8Array | undefined
}

/** A filter pipeline as it stands in schemas and generic tile headers. */
export interface FilterPipeline {
  /** Bytes. Writers use the constant 65,536; only 0 (no chunking) has an effect. */
  max_chunk_size: number
  filters: FilterConfig[]
}

const pixelFormatCoding = enumerationOf<PixelFormat>('pixel format', ['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA'])

/** Unknown numbers stay readable: the option length tells how to pass over them. */
const storedTypeCoding: Coding<FilterConfig['name']> = {
  label: filterTypeCoding.label,
  decode: (stored) => filterTypeCoding.decode(stored) ?? `UNKNOWN_${stored}`,
  encode: (name) =>
    name in FILTER_TYPES ? filterTypeCoding.encode(name as FilterType) : Number(name.slice('UNKNOWN_'.length)),
  accepted: filterTypeCoding.accepted,
}

/** Double-delta's reinterpret byte came with version 20; delta has had it since it exists (19). */
const REINTERPRET_SINCE = { DOUBLE_DELTA: 20, DELTA: 19 }

/**
 * A filter pipeline: maximum chunk size, then the filters in writing order.
 *
 * @param version of the schema that holds it, or of the generic tile header: decides the reinterpret byte
 * @see format_spec/filter_pipeline.md, "Filter Pipeline"
 */
export function filterPipeline(version: number): Describe<FilterPipeline> {
  const filter = filterConfig(version)
  return (io) => {
    const max_chunk_size = io.u32(
      'max_chunk_size',
      'bytes: only 0 (do not cut) changes what writers do, they use 65,536 otherwise',
    )
    const count = io.derive('filter_num', 'uint32', (p) => p.filters.length, 'filters')
    return { max_chunk_size, filters: io.list('filters', count, filter, 'in writing order') }
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
    const compressor = io.derive(
      'compressor',
      'uint8',
      (f) => f.compressor ?? COMPRESSORS[name],
      'its number among compressors, not among filters',
    )
    if (compressor !== COMPRESSORS[name]) options.compressor = compressor
    options.level = io.i32('level', 'compression level; -1 is the default')
    const since = name === 'DOUBLE_DELTA' || name === 'DELTA' ? REINTERPRET_SINCE[name] : Number.POSITIVE_INFINITY
    if (version >= since)
      options.reinterpret_datatype = io.coded(
        'reinterpret_datatype',
        'uint8',
        datatypeCoding,
        'type of the elements; `ANY` for that of the field',
      )
  } else if (name === 'BIT_WIDTH_REDUCTION' || name === 'POSITIVE_DELTA') {
    options.max_window_size = io.u32('max_window_size', 'bytes: of the largest window')
  } else if (name === 'SCALE_FLOAT') {
    options.scale = io.f64('scale', 'factor')
    options.offset = io.f64('offset', 'subtracted from every value')
    options.byte_width = io.size('byte_width', 'bytes: of a stored integer')
  } else if (name === 'WEBP') {
    options.quality = io.f32('quality', '0 to 100')
    options.format = io.coded('format', 'uint8', pixelFormatCoding, 'order of the colours')
    options.lossless = io.flag('lossless', 'whether the picture is kept exactly')
    options.y_extent = io.u16('y_extent', 'rows of a tile')
    options.x_extent = io.u16('x_extent', 'values in a row of a tile')
  }
  const extra = io.rest('extra', 'not defined in this version; TileDB passes over it')
  if (extra.length > 0) options.extra = extra
  return options
}
