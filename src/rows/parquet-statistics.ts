import type { Statistics } from 'hyparquet'
import { type Numbers, numbersOf, uint32LanesOf, type VisitedCells } from '../cells/elements.ts'
import { textExtremes, wideExtremes } from '../cells/extremes.ts'
import type { Leaf } from './parquet-schema.ts'
import type { StoredValues } from './parquet-values.ts'

/** Most bytes of a bound, as pyarrow writes them. Longer ones are cut: they still hold all values. */
export const MAX_BOUND = 4096

/** The smallest and the largest value of a column in a row group. */
export type ParquetBounds = Pick<Statistics, 'min_value' | 'max_value'>

/**
 * The bounds of values in the order of their type: integers with or without a sign, texts by their bytes. A zero holds the zero of the
 * other sign, too. There are none without values, and none with a NaN: for DuckDB, Spark and others it is larger than all numbers, so
 * they would skip rows that they count.
 * @see https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, ColumnOrder
 */
export function parquetBoundsOf(
  { type, converted_type }: Pick<Leaf['element'], 'type' | 'converted_type'>,
  { bytes, ends }: StoredValues,
  cells: VisitedCells,
): ParquetBounds {
  if (cells.length === 0) return {}
  const isSigned = !converted_type?.startsWith('UINT_')
  switch (type) {
    case 'BYTE_ARRAY': {
      const found = textExtremes(bytes, Float64Array.from(ends ?? []), 0, [cells], -1)
      // The batch may be gone when the footer is written.
      return found ? { min_value: found.min.slice(), max_value: found.max.slice() } : {}
    }
    case 'INT64': {
      const { min, max } = wideExtremes(bytes, isSigned, [cells])
      return { min_value: wideOf(min), max_value: wideOf(max) }
    }
    case 'FLOAT':
    case 'DOUBLE': {
      const found = numberBounds(numbersOf(type === 'FLOAT' ? 'FLOAT32' : 'FLOAT64', bytes), cells)
      if (!found) return {}
      const [min, max] = found
      return { min_value: min === 0 ? -0 : min, max_value: max === 0 ? 0 : max }
    }
    case 'BOOLEAN': {
      const found = numberBounds(bytes, cells)
      return found ? { min_value: found[0] > 0, max_value: found[1] > 0 } : {}
    }
    default: {
      const found = numberBounds(numbersOf(isSigned ? 'INT32' : 'UINT32', bytes), cells)
      return found ? { min_value: found[0], max_value: found[1] } : {}
    }
  }
}

/** Undefined with a NaN. */
function numberBounds(numbers: Numbers, { length, at }: VisitedCells): [min: number, max: number] | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < length; i++) {
    const value = numbers[at ? at[i] : i]
    min = Math.min(min, value)
    max = Math.max(max, value)
  }
  return Number.isNaN(min) ? undefined : [min, max]
}

/** The bits of an integer of 64 bits, which the writer stores as they are. */
function wideOf(bytes: Uint8Array): bigint {
  const [low, high] = uint32LanesOf(bytes)
  return (BigInt(high) << 32n) | BigInt(low)
}
