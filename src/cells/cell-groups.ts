import { InspectError, withHint } from '../base/errors.ts'
import type { ColumnData, ColumnType } from './column.ts'
import type { VisitedCells } from './elements.ts'
import { type Key, keysOf } from './value-counts.ts'

/** The cells of one value of a column. */
export interface CellGroup<Of> {
  /** Undefined for the cells that are null, NaN or NaT. */
  key: Key | undefined
  cells: number
  of: Of
  number: number
  /** Where the next cell goes while cells are split; 0 between the splits. */
  next: number
}

/** Splits cells by the values of a column. */
export class CellGroups<Of> {
  readonly groups: CellGroup<Of>[] = []
  private readonly byKey = new Map<Key | undefined, CellGroup<Of>>()
  private readonly column: ColumnType
  private readonly truncate: ((key: bigint) => bigint) | undefined
  private readonly make: () => Of
  private readonly most: number

  /** @param make what each group has, @param most upper limit on the groups, @param truncate a date to the unit of its group */
  constructor(column: ColumnType, make: () => Of, most: number, truncate?: (key: bigint) => bigint) {
    this.column = column
    this.make = make
    this.most = most
    this.truncate = truncate
  }

  /** Yields the groups that some cells of a batch belong to, each with its own of them. */
  *split(data: ColumnData, { length, at }: VisitedCells): Generator<[CellGroup<Of>, VisitedCells]> {
    const keyAt = keysOf(this.column, data)
    const { validity } = data
    const numbers = new Uint32Array(length)
    const met: CellGroup<Of>[] = []
    for (let i = 0; i < length; i++) {
      const cell = at ? (at[i] ?? 0) : i
      const group = this.groupOf(validity?.[cell] === 0 ? undefined : keyAt(cell))
      if (group.next++ === 0) met.push(group)
      numbers[i] = group.number
    }
    let start = 0
    for (const group of met) {
      const { next } = group
      group.cells += next
      group.next = start
      start += next
    }
    const sorted = new Uint32Array(length)
    for (let i = 0; i < length; i++) {
      const group = this.groups[numbers[i] ?? 0]
      if (!group) continue
      sorted[group.next++] = at ? (at[i] ?? 0) : i
    }
    let from = 0
    for (const group of met) {
      const own = sorted.subarray(from, group.next)
      from = group.next
      group.next = 0
      yield [group, { length: own.length, at: own }]
    }
  }

  private groupOf(found: Key | undefined): CellGroup<Of> {
    const key = this.truncate && typeof found === 'bigint' ? this.truncate(found) : found
    const known = this.byKey.get(key)
    if (known) return known
    if (this.groups.length >= this.most) throw tooMany(this.most)
    const group = { key, cells: 0, of: this.make(), number: this.groups.length, next: 0 }
    this.groups.push(group)
    this.byKey.set(key, group)
    return group
  }
}

function tooMany(most: number): InspectError {
  const fault = { expected: `at most ${most} groups`, found: 'more' }
  return new InspectError('TOO_LARGE', withHint(fault, '(read -o x.parquet, and SQL: docs/sql.md)'))
}
