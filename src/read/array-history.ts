import type { InspectError } from '../base/errors.ts'
import { usage } from '../base/errors.ts'
import type { Result } from '../base/result.ts'
import type { RangeEnd } from '../cells/bounds.ts'
import { columnValue } from '../cells/rows.ts'
import type { InspectArray } from '../objects/array.ts'
import { checkName, type ReadTimes, rangeSets, timesOf } from './array-cells.ts'
import { cellHistories, type HiddenBy, type VersionState } from './history.ts'
import { openAt } from './opening.ts'
import { fieldNames } from './query.ts'

/** The coordinates of a cell, by dimension: a number, a text, or a date as ISO text or as a count of its unit. */
export type CellWanted = Readonly<Record<string, Exclude<RangeEnd, undefined>>>

/** Options of a history. The times are those of the read that decides the state of each version. */
export interface HistoryOptions extends ReadTimes {
  /** Names of attributes; undefined for all. */
  fields?: readonly string[] | undefined
  /** Whether to return values as they are stored: dates as counts, texts as bytes. */
  raw?: boolean | undefined
  /** Called once per fragment that cannot be read but that no read needs. Without it, the error is thrown. */
  onUnread?: ((fault: InspectError) => void) | undefined
}

/** A version of a cell: what one fragment stores of it. */
export interface CellVersion {
  /** Name of the fragment. */
  fragment: string
  /**
   * The time at which it was written, in milliseconds since 1970. Undefined if consolidation kept no time of the cell and the replaced
   * fragments are gone; then it lies between the times in the fragment's name.
   */
  written: bigint | undefined
  /** Set only for consolidated dense fragments, as in the documents of `history`. */
  neverWritten: 'yes' | 'maybe' | undefined
  /** By attribute: the value that a read of this version returns. */
  values: { [field: string]: Result }
  /** What a read does with it, as in the documents of `history`. */
  state: VersionState
  /** What hid it first. */
  by: VersionHiddenBy | undefined
  tile: number
  /** Position in the tile. */
  cell: number
}

/** What hides a version of a cell. */
export interface VersionHiddenBy {
  kind: HiddenBy['kind']
  /** Name of the newer fragment, of the delete commit, or of the fragment that holds the cells of the vacuumed one. */
  name?: string | undefined
  /** Path of the commit file, in the array. */
  path?: string | undefined
  /** Time of the newer version, or of the delete. */
  time?: bigint | undefined
}

/**
 * Finds all versions of a cell.
 * @throws InspectError USAGE for names and values that the array does not have, and for a dimension without a value
 */
export async function versionsOfCell(
  array: InspectArray,
  cell: CellWanted,
  { fields, raw = false, onUnread, ...times }: HistoryOptions,
): Promise<CellVersion[]> {
  const opened = await openAt(array, timesOf(times))
  const { schema } = opened
  const { dimensions } = schema.domain
  for (const name of fields ?? []) checkName('field', name, fieldNames(schema))
  const wanted = Object.entries(cell).map(([name, value]) => [name, [value, value] as const] as const)
  const ranges = rangeSets(dimensions, Object.fromEntries(wanted))
  const missing = dimensions.flatMap(({ name }, d) => (ranges.has(d) ? [] : [name]))
  if (missing.length > 0)
    throw usage({ expected: 'a value for each dimension', found: `none for ${missing.join(', ')}` })
  const histories = await cellHistories(opened, { ranges, fields, most: Number.POSITIVE_INFINITY, onUnread })
  return histories.flatMap(({ columns, versions }) =>
    versions.map((version) => {
      const values: { [field: string]: Result } = Object.create(null)
      for (const [c, column] of columns.entries())
        if (column.kind === 'attribute') values[column.name] = columnValue(column, { raw })(version.values[c], 0)
      const { entry, written, neverWritten, state, by, tile, cell } = version
      return { fragment: entry.name, written, neverWritten, values, state, by: by && hiddenBy(by), tile, cell }
    }),
  )
}

function hiddenBy(by: HiddenBy): VersionHiddenBy {
  switch (by.kind) {
    case 'fragment':
      return { kind: by.kind, name: by.name, time: by.time }
    case 'delete':
      return { kind: by.kind, name: by.name, path: by.condition?.path, time: by.time }
    case 'vacuum':
      return { kind: by.kind, name: by.replacement, path: by.path }
    case 'ignore':
      return { kind: by.kind, path: by.path }
  }
}
