import type { Batch, DataType, TimeUnit_ } from '@uwdata/flechette'
import { DateUnit, Type } from '@uwdata/flechette/src/constants.js'
import { badValue } from '../base/errors.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type DatetimeType, formatDatetime } from '../format/datetime.ts'
import { isDatetime } from '../format/value.ts'
import type { RowField, RowValue } from './ndjson-cells.ts'

/** Reads the value of a row of a batch: null if it has none. @throws InspectError BAD_VALUE */
type ValueReader = (row: number) => RowValue

/** Opens a batch for reading its rows. @throws InspectError BAD_VALUE for a batch with fewer values than rows */
export type BatchReader = (batch: Batch<unknown>) => ValueReader

/** The smallest int64, numpy's "NaT". It stands for a missing date if the field is not nullable. */
const NOT_A_TIME = -(2n ** 63n)

const UNITS = ['SEC', 'MS', 'US', 'NS'] as const

/**
 * A reader that turns values of an Arrow type into values of a field, as `bytesOf` takes them.
 * @param at name of the field, for errors
 * @throws InspectError BAD_VALUE for types that TileDB's cells cannot have
 */
export function batchReader(type: DataType, to: RowField, at: string): BatchReader {
  const kind = datatypeKind(to.type)
  switch (type.typeId) {
    case Type.Null:
      return () => () => null
    case Type.Bool:
      return bitReader(kind === 'int' || kind === 'uint')
    case Type.Int:
      return elementReader((values, i) => values[i])
    case Type.Float:
      return type.precision === 0
        ? ofEach((batch) => (i) => batch.value(i) as number, 1)
        : floatReader(type.precision === 1 ? 4 : 8, datatypeSize(to.type))
    case Type.Date:
      return timeReader(type.unit === DateUnit.DAY ? 'DATETIME_DAY' : 'DATETIME_MS', to)
    case Type.Timestamp:
      return timeReader(`DATETIME_${UNITS[type.unit]}`, to)
    case Type.Time:
    case Type.Duration:
      return lengthOfTimeReader(type.unit, to, at)
    case Type.Binary:
    case Type.LargeBinary:
      return runReader((bytes) => bytes)
    case Type.Utf8:
    case Type.LargeUtf8:
      return runReader(textOf(to))
    case Type.FixedSizeBinary: {
      const { stride } = type
      return ofEach(
        ({ values }) =>
          (i) =>
            (values as Uint8Array).subarray(i * stride, (i + 1) * stride),
        stride,
      )
    }
    case Type.BinaryView:
    case Type.Utf8View:
      return viewReader(type.typeId === Type.Utf8View ? textOf(to) : (bytes) => bytes)
    case Type.List:
    case Type.LargeList:
      return listReader(batchReader(type.children[0].type, to, at), to)
    case Type.FixedSizeList:
      return fixedListReader(batchReader(type.children[0].type, to, at), type.stride, to)
    default:
      throw badValue(
        {
          expected: 'a type that cells can have',
          found: `${typeName(type)}: cast the column to numbers, text, dates or lists of them`,
        },
        { field: at },
      )
  }
}

const NAMES = new Map<number, string>(
  Object.entries(Type).map(([name, id]) => [id, name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()]),
)

function typeName({ typeId }: DataType): string {
  return NAMES.get(typeId) ?? `Arrow type ${typeId}`
}

/** A reader of a buffer with a fixed number of elements for each row. @param width that number */
function ofEach(reader: (batch: Batch<unknown>) => ValueReader, width: number): BatchReader {
  return (batch) => {
    if (batch.values.length < batch.length * width) throw tooShort('values', batch.length, batch.values.length / width)
    return orNull(batch, reader(batch))
  }
}

function elementReader(value: (values: Batch<unknown>['values'], row: number) => RowValue): BatchReader {
  return ofEach(
    ({ values }) =>
      (i) =>
        value(values, i),
    1,
  )
}

function tooShort(what: string, expected: number, found: number): Error {
  return badValue({ expected: `${expected} ${what} in the Arrow data`, found: Math.floor(found) })
}

/** A reader that returns null where the bitmap of validity says so. */
function orNull({ length, nullCount, validity }: Batch<unknown>, value: ValueReader): ValueReader {
  if (nullCount === 0) return value
  if (validity.length * 8 < length) throw tooShort('bits of validity', length, validity.length * 8)
  return (i) => ((validity[i >> 3] >> (i & 7)) & 1 ? value(i) : null)
}

function bitReader(asNumber: boolean): BatchReader {
  return (batch) => {
    const { length } = batch
    const bits = batch.values as Uint8Array
    if (bits.length * 8 < length) throw tooShort('bits', length, bits.length * 8)
    const bit = (i: number): number => (bits[i >> 3] >> (i & 7)) & 1
    return orNull(batch, asNumber ? bit : (i) => bit(i) === 1)
  }
}

/** A reader of floats. NaN keeps its bits if the field has floats of the same size. */
function floatReader(size: 4 | 8, to: number): BatchReader {
  return ofEach(({ values }) => {
    const floats = values as Float32Array | Float64Array
    const view = new DataView(floats.buffer, floats.byteOffset, floats.byteLength)
    const bits = (i: number): bigint =>
      size === 4 ? BigInt(view.getUint32(i * 4, true)) : view.getBigUint64(i * 8, true)
    return (i) => {
      const value = floats[i]
      if (!Number.isNaN(value) || size !== to) return value
      return `NaN:0x${bits(i)
        .toString(16)
        .padStart(2 * size, '0')}`
    }
  }, 1)
}

/** A reader of dates: counts in the field's own unit, otherwise text, which is refused later if it is not a whole number of units. */
function timeReader(unit: DatetimeType, to: RowField): BatchReader {
  const same = to.type === unit
  const missing = isDatetime(to.type) && !to.nullable ? NOT_A_TIME : null
  const read = elementReader((values, i) => (same ? values[i] : formatDatetime(unit, BigInt(values[i]))))
  return (batch) => {
    const value = read(batch)
    return batch.nullCount === 0 ? value : (i) => value(i) ?? missing
  }
}

const ATTOSECONDS: Partial<Record<Datatype, bigint>> = {
  TIME_HR: 3600n * 10n ** 18n,
  TIME_MIN: 60n * 10n ** 18n,
  TIME_SEC: 10n ** 18n,
  TIME_MS: 10n ** 15n,
  TIME_US: 10n ** 12n,
  TIME_NS: 10n ** 9n,
  TIME_PS: 10n ** 6n,
  TIME_FS: 10n ** 3n,
  TIME_AS: 1n,
}

/** A reader of times of day and durations. It returns counts of the field's units, or the stored integers for fields of integers. */
function lengthOfTimeReader(unit: TimeUnit_, to: RowField, at: string): BatchReader {
  const unitType: Datatype = `TIME_${UNITS[unit]}`
  const kind = datatypeKind(to.type)
  const from = ATTOSECONDS[unitType] ?? 1n
  const by = ATTOSECONDS[to.type]
  if (kind === 'int' || to.type === unitType) return elementReader((values, i) => values[i])
  if (by === undefined) throw badValue({ expected: to.type, found: 'times of day or durations' }, { field: at })
  return elementReader((values, i) => {
    const time = BigInt(values[i]) * from
    if (time % by === 0n) return time / by
    throw badValue({ expected: `a whole number of units of ${to.type}`, found: `${values[i]} of ${unitType}` })
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads text: as stored bytes for fields of text with one-byte units, otherwise decoded. */
function textOf({ type, labels }: RowField): (bytes: Uint8Array) => RowValue {
  if (!labels && datatypeKind(type) === 'text' && datatypeSize(type) === 1) return (bytes) => bytes
  return (bytes) => {
    try {
      return utf8.decode(bytes)
    } catch {
      throw badValue({ expected: 'UTF-8', found: `${bytes.length} other bytes` })
    }
  }
}

/** Returns the start and end of each row's run of elements. @throws InspectError BAD_VALUE if a run exceeds `most` elements */
function runsOf({ length, offsets }: Batch<unknown>, most: number): (row: number) => [from: number, to: number] {
  if (length > 0 && offsets.length <= length) throw tooShort('offsets', length + 1, offsets.length)
  return (i) => {
    const from = Number(offsets[i])
    const to = Number(offsets[i + 1])
    if (from >= 0 && from <= to && to <= most) return [from, to]
    throw badValue({ expected: `rising offsets of at most ${most} in the Arrow data`, found: `${from} and ${to}` })
  }
}

function runReader(value: (bytes: Uint8Array) => RowValue): BatchReader {
  return (batch) => {
    const bytes = batch.values as Uint8Array
    const run = runsOf(batch, bytes.length)
    return orNull(batch, (i) => value(bytes.subarray(...run(i))))
  }
}

function viewReader(value: (bytes: Uint8Array) => RowValue): BatchReader {
  return ofEach((batch) => {
    const views = batch.values as Uint8Array
    const { buffer, byteOffset } = views
    const lengths = new DataView(buffer, byteOffset, views.length)
    const view = (batch as Batch<unknown> & { view(row: number): Uint8Array }).view.bind(batch)
    return (i) => {
      const length = lengths.getInt32(i * 16, true)
      const bytes = view(i)
      if (bytes.length !== length) throw tooShort('bytes', length, bytes.length)
      return value(bytes)
    }
  }, 16)
}

/** The values of a cell. A null among them becomes NaT for dates, and is an error for all other types. */
function elementsOf(value: ValueReader, from: number, to: number, { type }: RowField): RowValue[] {
  const values: RowValue[] = []
  for (let i = from; i < to; i++) {
    const one = value(i) ?? (isDatetime(type) ? NOT_A_TIME : null)
    if (one === null) throw badValue({ expected: 'values in each list', found: 'null' })
    values.push(one)
  }
  return values
}

function listReader(inside: BatchReader, to: RowField): BatchReader {
  return (batch) => {
    const [child] = batch.children
    const value = inside(child)
    const run = runsOf(batch, child.length)
    return orNull(batch, (i) => elementsOf(value, ...run(i), to))
  }
}

function fixedListReader(inside: BatchReader, stride: number, to: RowField): BatchReader {
  return (batch) => {
    const [child] = batch.children
    if (child.length < batch.length * stride) throw tooShort('values', batch.length * stride, child.length)
    const value = inside(child)
    return orNull(batch, (i) => elementsOf(value, i * stride, (i + 1) * stride, to))
  }
}

/** A reader of indexes. @param values returns the values to which the indexes of the batch refer */
export function indexBatchReader(values: () => readonly RowValue[]): BatchReader {
  return ofEach((batch) => {
    const known = values()
    return (i) => {
      const index = Number(batch.values[i])
      if (index >= 0 && index < known.length) return known[index]
      throw badValue({ expected: `an index below ${known.length} into the dictionary`, found: index })
    }
  }, 1)
}
