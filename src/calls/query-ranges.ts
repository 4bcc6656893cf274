import { inconsistent, usage } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import { type Comparable, comparable, compare, type RangeSets, rowsInside } from '../cells/bounds.ts'
import { allRows, type ColumnData, cellBytes } from '../cells/column.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { DimensionLabel } from '../format/dimension-label.ts'
import { labelMismatch } from '../objects/dimension-labels.ts'
import { memberPath } from '../objects/group.ts'
import { type AxisInterval, intervalsOf } from '../read/dense-windows.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import type { CommandContext } from './command.ts'
import { parseRangeSets } from './ranges.ts'
import { targetFor } from './targets.ts'
import { endResult } from './values.ts'

/**
 * The ranges of `--range` by dimension. A range of a dimension label becomes a range of its dimension: from the first to the last cell
 * whose label lies in the range, as in TileDB.
 *
 * @throws InspectError USAGE, also for what TileDB refuses: a range without a label, and labels with a gap; INCONSISTENT for
 *   labels that contradict the schema
 * @see tiledb/sm/query/readers/ordered_dim_label_reader.cc
 */
export async function queryRanges(
  cx: CommandContext,
  opened: OpenedArray,
  options: readonly string[],
): Promise<RangeSets> {
  const { domain, dimension_labels } = opened.schema
  const names = domain.dimensions.map(({ name }) => name)
  const labelOf = (option: string): DimensionLabel | undefined => {
    if (names.some((name) => option.startsWith(`${name}=`))) return undefined
    return dimension_labels.find(({ name }) => option.startsWith(`${name}=`))
  }
  const ofDimensions = options.filter((option) => !labelOf(option))
  const sets = new Map(parseRangeSets(domain.dimensions, ofDimensions))
  for (const option of options) {
    const label = labelOf(option)
    if (!label) continue
    const d = label.dimension_index
    const bounds = await labelRange(cx, opened, label, option)
    const { name, type } = domain.dimensions[d]
    cx.note(`${option} is ${name}=${endResult(type, bounds.low)}..${endResult(type, bounds.high)}`)
    sets.set(d, [...(sets.get(d) ?? []), bounds])
  }
  return sets
}

/** The range of a dimension whose labels lie in the range of an option. */
async function labelRange(
  cx: CommandContext,
  { array, schema }: OpenedArray,
  label: DimensionLabel,
  option: string,
): Promise<{ low: Comparable; high: Comparable }> {
  const { name, dimension_index } = label
  const dimension = schema.domain.dimensions.at(dimension_index)
  if (!dimension)
    throw inconsistent({ expected: `a dimension of the label ${name}`, found: `the index ${dimension_index}` })
  if (label.order === 'unordered') throw usage(`--range ${option}: TileDB finds no range of unordered labels`)
  const path = memberPath(array.folder.path, label)
  if (path === undefined) throw inconsistent({ expected: 'the place of an array of labels', found: label.uri })
  const target = await targetFor(cx, '--range', { 'array of labels': '' }, await cx.open(path))
  const wanted = parseRangeSets([label], [option])
  const opened = await openAt(target.array)
  const wrong = labelMismatch(schema, label, opened.schema)
  if (wrong) throw inconsistent({ expected: wrong.expected, found: wrong.found }, { file: path, field: wrong.field })
  const { type } = dimension
  const written = opened.fragments.map(({ info }) => intervalsOf(info.nonempty_domain ?? [], [dimension])[0])
  const gap = firstGap(written)
  if (gap) {
    const cells = `${dimension.name}=${endResult(type, gap.low)}..${endResult(type, gap.high)}`
    throw usage(`--range ${option}: ${cells} have no label, and TileDB finds no range of labels with a gap`)
  }
  const query = { order: 'row-major', ranges: new Map(), fields: [label.attribute] } as const
  const order = orderChecker(label, dimension)
  let low: Comparable | undefined
  let high: Comparable | undefined
  for await (const { columns, rows, cell_num } of readMerged(opened, query)) {
    const [index, labels] = columns
    if (!index || !labels) continue
    const at = (row: number): Comparable => comparable(type, cellBytes(index, row, datatypeSize(type)))
    const all = rows ?? allRows(cell_num)
    const inside = new Set(rowsInside([label], [labels], cell_num, wanted) ?? allRows(cell_num))
    const found = all.filter((row) => inside.has(row))
    for (const row of all) order.next(labels, row, at)
    if (found.length === 0) continue
    low ??= at(found[0])
    high = at(found[found.length - 1])
  }
  const nan = order.nanPlace()
  if (nan !== undefined) cx.note(`${name}: the label of ${nan} is NaN, so TileDB may find other cells`)
  if (low === undefined || high === undefined) throw usage(`--range ${option}: the label has no value in this range`)
  return { low, high }
}

/** The first gap between fragments. TileDB refuses it with "Discontinuity found in array domain". */
function firstGap(written: readonly AxisInterval[]): AxisInterval | undefined {
  let end: bigint | undefined
  for (const { low, high } of [...written].sort((a, b) => rising(a.low, b.low))) {
    if (end !== undefined && low > end + 1n) return { low: end + 1n, high: low - 1n }
    if (end === undefined || high > end) end = high
  }
  return undefined
}

/**
 * Checks the order of labels along their dimension. TileDB searches them by halves, so that without order a range of labels has no
 * meaning. NaN has no order: TileDB writes it, and may then find other cells.
 */
function orderChecker({ name, type, order }: DimensionLabel, dimension: Dimension) {
  let last: Comparable | undefined
  let nan: string | undefined
  return {
    /** The place of the first label that is NaN. */
    nanPlace: () => nan,
    /** Checks the next label. @throws InspectError INCONSISTENT if it does not follow the label before */
    next(labels: ColumnData, row: number, coordinate: (row: number) => Comparable): void {
      const place = (): string => `${dimension.name}=${endResult(dimension.type, coordinate(row))}`
      const value = comparable(type, cellBytes(labels, row, datatypeSize(type)))
      if (Number.isNaN(value)) {
        nan ??= place()
        return
      }
      const step = last === undefined ? undefined : compare(value, last)
      if (step !== undefined && (order === 'increasing' ? step <= 0 : step >= 0))
        throw inconsistent({ expected: `${order} labels of ${name}`, found: `another order at ${place()}` })
      last = value instanceof Uint8Array ? value.slice() : value
    },
  }
}
