import type { ColumnData } from '../cells/column.ts'
import { uint32LanesOf } from '../cells/elements.ts'
import { timeText } from '../format/timestamped-name.ts'
import type { FindingCode } from './codes.ts'
import { type FindingPlace, finding, type Item } from './finding.ts'

/** High and low word of the time of a cell that was not deleted. */
const NEVER = 0xffffffff

interface HistoryBounds {
  /** First and last time in the fragment's name, in milliseconds; undefined if the name has none. */
  timestampRange: readonly [bigint, bigint] | undefined
  /** Number of delete conditions that the fragment lists. */
  conditionNum: number | undefined
}

/** A column and its place, for findings. */
interface PlacedColumn {
  /** Undefined if it could not be read. */
  column: ColumnData | undefined
  place: FindingPlace
}

/** Checks when cells were written, when they were deleted, and by which condition. */
export function checkHistory(
  { timestamps, deletes, indexes }: Readonly<Record<'timestamps' | 'deletes' | 'indexes', PlacedColumn>>,
  cells: number,
  { timestampRange, conditionNum }: HistoryBounds,
  items: Item[],
): void {
  const written = timestamps.column && uint32LanesOf(timestamps.column.data)
  const deleted = deletes.column && uint32LanesOf(deletes.column.data)
  const index = indexes.column && uint32LanesOf(indexes.column.data)
  const report = (
    code: FindingCode,
    place: FindingPlace,
    cell: number,
    expected: string,
    found: bigint | string,
  ): void => {
    items.push(finding(code, { ...place, cell }, expected, found))
  }
  if (written && timestampRange) {
    const [low, high] = timestampRange
    const bad = firstOutside(written, cells, low, high)
    const expected = `${timeText(low)} to ${timeText(high)}`
    if (bad >= 0) report('CELL_TIMESTAMP', timestamps.place, bad, expected, timeText(at(written, bad)))
  }
  if (deleted) {
    for (let cell = 0; cell < cells; cell++) {
      const never = isNever(deleted, cell)
      if (!never && written && compare(deleted, written, cell) < 0) {
        const expected = `a time not ahead of ${timeText(at(written, cell))}, when it was written`
        report('DELETE_TIMESTAMP', deletes.place, cell, expected, timeText(at(deleted, cell)))
        break
      }
      if (index && isNever(index, cell) !== never) {
        const expected = never ? 'a condition only where the cell was deleted' : 'the condition that deleted the cell'
        report('DELETE_TIMESTAMP', deletes.place, cell, expected, timeText(at(deleted, cell)))
        break
      }
    }
  }
  if (index && conditionNum !== undefined) {
    for (let cell = 0; cell < cells; cell++) {
      if (isNever(index, cell) || (index[2 * cell + 1] === 0 && index[2 * cell] < conditionNum)) continue
      report('DELETE_CONDITION_INDEX', indexes.place, cell, `less than ${conditionNum}, or none`, at(index, cell))
      break
    }
  }
}

function isNever(lanes: Uint32Array, cell: number): boolean {
  return lanes[2 * cell] === NEVER && lanes[2 * cell + 1] === NEVER
}

function at(lanes: Uint32Array, cell: number): bigint {
  return (BigInt(lanes[2 * cell + 1]) << 32n) | BigInt(lanes[2 * cell])
}

function compare(a: Uint32Array, b: Uint32Array, cell: number): number {
  return a[2 * cell + 1] - b[2 * cell + 1] || a[2 * cell] - b[2 * cell]
}

/** The first cell with a time below `low` or above `high`; -1 for none. */
function firstOutside(lanes: Uint32Array, cells: number, low: bigint, high: bigint): number {
  const [lowHigh, lowLow] = [Number(low >> 32n), Number(low & 0xffffffffn)]
  const [highHigh, highLow] = [Number(high >> 32n), Number(high & 0xffffffffn)]
  for (let cell = 0; cell < cells; cell++) {
    const lo = lanes[2 * cell]
    const hi = lanes[2 * cell + 1]
    if (hi < lowHigh || (hi === lowHigh && lo < lowLow)) return cell
    if (hi > highHigh || (hi === highHigh && lo > highLow)) return cell
  }
  return -1
}
