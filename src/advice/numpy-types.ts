import { type Datatype, datatypeKind } from '../format/datatype.ts'

/** The numpy type of a TileDB type; undefined if TileDB-Py has none. */
export function dtypeOf(type: Datatype): string | undefined {
  switch (datatypeKind(type)) {
    case 'int':
    case 'uint':
    case 'float':
    case 'bool':
      return type.toLowerCase()
    case 'datetime':
      return `datetime64[${UNITS[type.slice('DATETIME_'.length)]}]`
    case 'time':
      return `timedelta64[${UNITS[type.slice('TIME_'.length)]}]`
    default:
      return TEXTS[type]
  }
}

/** numpy's units of dates and times, by the end of TileDB's type name. */
export const UNITS: Readonly<Record<string, string>> = {
  YEAR: 'Y',
  MONTH: 'M',
  WEEK: 'W',
  DAY: 'D',
  HR: 'h',
  MIN: 'm',
  SEC: 's',
  MS: 'ms',
  US: 'us',
  NS: 'ns',
  PS: 'ps',
  FS: 'fs',
  AS: 'as',
}

const TEXTS: Readonly<Partial<Record<Datatype, string>>> = {
  CHAR: 'S0',
  STRING_ASCII: 'ascii',
  STRING_UTF8: 'U0',
  BLOB: 'blob',
  GEOM_WKB: 'wkb',
  GEOM_WKT: 'wkt',
}
