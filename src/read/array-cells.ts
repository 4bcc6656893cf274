import { InspectError, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { type Bounds, type RangeEnd, type RangeSets, rangeBounds } from '../cells/bounds.ts'
import type { ColumnType } from '../cells/column.ts'
import type { Dimension } from '../format/dimension.ts'
import type { InspectArray } from '../objects/array.ts'
import { openAt } from './opening.ts'
import { fieldNames, READ_ORDERS, type ReadBatches, type ReadOrder, type ReadQuery, readColumns } from './query.ts'
import { defaultOrder, readMerged } from './read.ts'
import { loadWhere } from './where.ts'

/** A range, both ends included. */
export type WantedRange = readonly [from: RangeEnd, to: RangeEnd]

/** A time in milliseconds since 1970, or a date. */
export type ReadTime = number | bigint | Date

/** The times at which an array is opened: at most one of the two; by default now. */
export interface ReadTimes {
  /** The array as it was at that time. */
  asOf?: ReadTime | undefined
  /** The first and the last time that are read, both included. */
  between?: readonly [from: ReadTime, to: ReadTime] | undefined
}

/** Which cells of an array to read. */
export interface ReadOptions extends ReadTimes {
  /** Names of the attributes to read in addition to all dimensions; undefined for all attributes. */
  fields?: readonly string[] | undefined
  /** Ranges by dimension. Several ranges of a dimension are united: `{ day: [1, 31], station: [[0, 0], [4, undefined]] }`. */
  ranges?: Readonly<Record<string, WantedRange | readonly WantedRange[]>> | undefined
  /**
   * A condition in the syntax of TileDB-Py: `a > 5 and (s == "x" or b in [1, 2])`. In dense arrays cells that do not meet it have fill
   * values.
   */
  where?: string | undefined
  /** By default the cheapest order: row-major for dense arrays, unordered for sparse arrays with duplicates, otherwise global. */
  order?: ReadOrder | undefined
  /**
   * Whether to add columns that tell where a cell is stored: `__fragment`, an index into {@link ArrayCells.fragments}, `__tile`,
   * `__cell`, and `__written`, its time (DATETIME_MS, null where consolidation kept none).
   */
  provenance?: boolean | undefined
  /** Called once per tile that cannot be read, which is then left out. Without it, the error is thrown. */
  onFault?: ((fault: InspectError) => void) | undefined
  /** Called with a remark on the cells of a field, once per text. */
  onRemark?: ((field: string, remark: string) => void) | undefined
}

/** The cells of an array, all fragments merged. */
export interface ArrayCells {
  readonly columns: readonly ColumnType[]
  /** Each call reads from the first cell on. */
  batches(): ReadBatches
  /** The first and the last time that are read, in milliseconds since 1970. */
  readonly between: readonly [from: bigint, to: bigint]
  readonly order: ReadOrder
  /** Names of the fragments that are read, oldest first. */
  readonly fragments: readonly string[]
}

/** Opens an array to read its cells. @throws InspectError USAGE for names, values and conditions that the array does not have */
export async function openArrayCells(array: InspectArray, options: ReadOptions): Promise<ArrayCells> {
  const opened = await openAt(array, { ...timesOf(options), boxes: options.ranges === undefined })
  const { schema, between } = opened
  const { order = defaultOrder(opened), fields, where, provenance, onFault, onRemark } = options
  if (!READ_ORDERS.includes(order))
    throw usage({ expected: `an order (${READ_ORDERS.join(', ')})`, found: JSON.stringify(order) })
  for (const name of fields ?? []) checkName('field', name, fieldNames(schema))
  const query: ReadQuery = {
    order,
    ranges: rangeSets(schema.domain.dimensions, options.ranges ?? {}),
    fields,
    where: where === undefined ? undefined : await loadWhere(where, schema, opened.array),
    provenance,
    onFault,
    onRemark,
  }
  return {
    columns: readColumns(schema, query),
    batches: () => readMerged(opened, query),
    between,
    order,
    fragments: opened.fragments.map(({ fragment }) => fragment.name),
  }
}

/** Converts times. @throws InspectError USAGE if both are given, for an invalid time, and if the first time is after the last */
export function timesOf({ asOf, between }: ReadTimes): { from?: bigint; to?: bigint } {
  if (asOf !== undefined && between !== undefined) throw usage({ expected: 'asOf or between', found: 'both' })
  if (asOf !== undefined) return { to: milliseconds(asOf) }
  if (between === undefined) return {}
  const [from, to] = between.map(milliseconds)
  if (from > to) throw usage({ expected: 'between to have its earlier time first', found: `${from} and ${to}` })
  return { from, to }
}

function milliseconds(time: ReadTime): bigint {
  const value = typeof time === 'bigint' ? time : Number(time)
  if (value >= 0 && (typeof value === 'bigint' || Number.isSafeInteger(value))) return BigInt(value)
  throw usage({ expected: 'a time in milliseconds since 1970, or a date', found: String(time) })
}

/** @throws InspectError USAGE if a name is unknown */
export function checkName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const found = `${JSON.stringify(name)}${didYouMean(name, known)}`
  throw usage({ expected: `a ${what} of the array (${known.join(', ')})`, found })
}

/** Converts ranges by name of the dimension. @throws InspectError USAGE for unknown names and invalid ranges */
export function rangeSets(dimensions: readonly Dimension[], wanted: NonNullable<ReadOptions['ranges']>): RangeSets {
  const names = dimensions.map(({ name }) => name)
  const sets = new Map<number, Bounds[]>()
  for (const [name, given] of Object.entries(wanted)) {
    checkName('dimension', name, names)
    const dimension = names.indexOf(name)
    const ranges = (Array.isArray(given[0]) ? given : [given]) as readonly WantedRange[]
    sets.set(
      dimension,
      ranges.map((range) => bounds(dimensions[dimension], range)),
    )
  }
  return sets
}

function bounds({ name, type }: Dimension, [from, to]: WantedRange): Bounds {
  const range = valuesOf(name, () => rangeBounds(type, from, to))
  if (range !== 'swapped') return range
  const found = [from, to].map((end) => (end instanceof Date ? end.toISOString() : end)).join(' and ')
  throw usage({ expected: `a range of ${name} that begins before its end`, found })
}

/** Says of which range a value is wrong. */
function valuesOf<T>(name: string, make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (!(cause instanceof InspectError)) throw cause
    throw usage(`expected an end of a range of ${name}: ${cause.message}`, {}, { cause })
  }
}
