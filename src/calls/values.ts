import type { Comparable } from '../cells/bounds.ts'
import { type InColumns, ValueColumn } from '../cells/column-rows.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { FilterDescription, PipelineDescription, Time, ValueRange } from '../documents/common.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { formatDatetime, utcText } from '../format/datetime.ts'
import type { FilterConfig, FilterPipeline } from '../format/filter-pipeline.ts'
import { fixedSize, type NDRange, type RangeType } from '../format/range.ts'
import { readBy, writtenBy } from '../format/releases.ts'
import { mbrAt, type RTreeLevel } from '../format/rtree.ts'
import { bytesOf, type CellValue, cellReader, cellValue, type ValueStyle } from '../format/value.ts'

/** Structures of the format in the form of the JSON documents. */

/** A box as `[[lo, hi], …]`, with one pair for each dimension. */
export function rangesResult(dimensions: readonly RangeType[], ranges: NDRange, style: ValueStyle): ValueRange[] {
  return ranges.map(({ min, max }, d) => {
    const { type, cell_val_num } = dimensions[d]
    const read = cellReader(type, cell_val_num, style)
    return [read(min, 0, min.length), read(max, 0, max.length)]
  })
}

/** The MBRs of a level, one by one. */
export function mbrsResult(
  level: RTreeLevel,
  dimensions: readonly RangeType[],
  style: ValueStyle,
): ValueColumn<ValueRange[]> {
  return new ValueColumn(level.mbr_num, (index) => rangesResult(dimensions, mbrAt(level, index, dimensions), style))
}

/** MBRs `[from, to)` of a level as columns; undefined if they differ in length, as the MBRs of strings do. */
export function mbrColumns(
  { bytes, mbr_num, starts }: RTreeLevel,
  from: number,
  to: number,
  dimensions: readonly RangeType[],
  style: ValueStyle,
): InColumns<ValueRange>[] | undefined {
  const stride = bytes.length / mbr_num
  const columns: InColumns<ValueRange>[] = []
  let at = from * stride
  for (const dimension of dimensions) {
    const size = fixedSize(dimension)
    if (starts || size === undefined) return undefined
    const column = (): ValueColumn => {
      const data = new Uint8Array((to - from) * size)
      for (let i = 0, start = at; i < data.length; i += size, start += stride)
        for (let b = 0; b < size; b++) data[i + b] = bytes[start + b]
      at += size
      return ValueColumn.of(dimension.type, dimension.cell_val_num, { data, length: to - from }, style)
    }
    columns.push([column(), column()])
  }
  return columns
}

/**
 * A time as documents have it, in UTC. Dates in cells have no zone, as the format knows of none.
 * @param time milliseconds since 1970
 */
export function timeResult(time: bigint, style: ValueStyle): Time {
  return style.raw ? time : utcText(formatDatetime('DATETIME_MS', BigInt.asIntN(64, time)))
}

/** An end of a range as it is shown, and as `--range` takes it. */
export function endResult(type: Datatype, value: Comparable, style: ValueStyle = { raw: false }): CellValue {
  if (value instanceof Uint8Array) return cellValue(type, 'var', value, style)
  const number = datatypeSize(type) === 8 ? value : Number(value)
  return cellValue(type, 1, bytesOf(type, 1, number), style)
}

/** A dimension's domain as `[lo, hi]`; null if it has none. */
export function domainResult(type: Datatype, domain: Uint8Array, style: ValueStyle): ValueRange | null {
  if (domain.length === 0) return null
  const size = datatypeSize(type)
  return [cellValue(type, 1, domain.subarray(0, size), style), cellValue(type, 1, domain.subarray(size), style)]
}

export function pipelineResult(pipeline: FilterPipeline): PipelineDescription {
  return { max_chunk_size: pipeline.max_chunk_size, filters: pipeline.filters.map(filterResult) }
}

export function filterResult(filter: FilterConfig): FilterDescription {
  const { extra, quality, ...options } = filter
  // Unknown bytes are shown, except for the two padding bytes of WEBP, which are zero.
  const unknown = extra && (filter.name !== 'WEBP' || extra.some((byte) => byte !== 0)) ? extra : undefined
  return { ...options, quality, extra: unknown }
}

/** A count as a number; as a bigint if a number would lose digits. */
export function exact(count: number | bigint): number | bigint {
  return Number.isSafeInteger(Number(count)) ? Number(count) : BigInt(count)
}

/** The TileDB releases that write and read a format version. */
export function releases(version: number | undefined): Pick<ArrayListing, 'written_by' | 'read_by'> {
  if (version === undefined) return { written_by: null, read_by: null }
  return { written_by: writtenBy(version) ?? null, read_by: readBy(version) ?? null }
}
