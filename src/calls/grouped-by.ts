import { usage, wrongOption } from '../base/errors.ts'
import type { ColumnType } from '../cells/column.ts'
import type { GroupUnit } from '../documents/read-stats.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type DatetimeType, truncation } from '../format/datetime.ts'
import { isDatetime } from '../format/value.ts'
import { canSort } from '../read/first-cells.ts'
import { readColumns } from '../read/query.ts'
import { unknownField } from './option-values.ts'

const UNITS: Record<GroupUnit, DatetimeType> = {
  year: 'DATETIME_YEAR',
  month: 'DATETIME_MONTH',
  day: 'DATETIME_DAY',
  hour: 'DATETIME_HR',
  minute: 'DATETIME_MIN',
  second: 'DATETIME_SEC',
}

/** The field of `--by`, and how its values become those of groups. */
export interface By {
  column: ColumnType
  unit: GroupUnit | null
  /** The type of the groups' values. */
  type: ColumnType['type']
  truncate: ((count: bigint) => bigint) | undefined
}

/** Parses `--by`, a field or a field of dates and a unit. @throws InspectError USAGE */
export function parseBy(text: string, schema: ArraySchema): By {
  const columns = readColumns(schema, { order: 'global', ranges: new Map() })
  const named = (name: string | undefined): ColumnType | undefined => columns.find((one) => one.name === name)
  const [, cut, after = ''] = /^(.*):([a-z]+)$/s.exec(text) ?? []
  const column = named(text) ?? named(cut)
  if (!column) {
    const names = columns.map(({ name }) => name)
    throw unknownField('--by', cut ?? text, names)
  }
  const { name, type } = column
  const found = `${JSON.stringify(name)} of ${type}`
  if (!canSort(column)) throw wrongOption('--by', 'a field whose cells are single values, or text in bytes', found)
  if (name === text) return { column, unit: null, type, truncate: undefined }
  const unit = Object.keys(UNITS).find((one): one is GroupUnit => one === after)
  if (!unit) throw wrongOption('--by', `FIELD:UNIT with ${Object.keys(UNITS).join(', ')}`, JSON.stringify(text))
  const truncate = isDatetime(type) ? truncation(type, UNITS[unit]) : undefined
  if (!truncate) throw usage({ expected: `dates in units of at most a ${unit} for --by ${text}`, found })
  return { column, unit, type: UNITS[unit], truncate }
}
