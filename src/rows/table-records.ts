import type { DataType, Field } from '@uwdata/flechette'
import { binary, bool, field, float64, int64, list, struct, uint64, utf8 } from '@uwdata/flechette/src/data-types.js'
import { concat, NO_BYTES } from '../base/bytes.ts'
import { usage } from '../base/errors.ts'
import type { CountedBytes } from '../base/memory.ts'
import { isFields, isIterable, type Output, type Result } from '../base/result.ts'
import type { ArrowBody } from './arrow-stream.ts'
import { bitmap, underlyingBytes } from './arrow-values.ts'
import { toJson } from './json.ts'
import type { RecordFormat } from './records.ts'

/** Bytes that a value in a row takes, about. */
const VALUE_BYTES = 32
/** Most keys of an object that becomes a struct. Others are JSON: their keys are values, such as names of fragments. */
const MAX_KEYS = 200

type Row = { readonly [key: string]: Result | undefined }

/**
 * Rows of documents on their way to a format that has types. What they hold decides the types, so all of them are kept:
 *
 * - integers are int64, or uint64 if one is too large for that; with fractions among them they are float64
 * - lists are lists, and objects structs with the keys of all of them
 * - values of several kinds, such as the minima of fields with different types, are text with the JSON of each
 */
export class TableRows {
  private readonly rows: Row[] = []
  private shape = new Shape()
  private readonly room: CountedBytes
  private names: readonly string[] = []

  constructor(room: CountedBytes) {
    this.room = room
  }

  get length(): number {
    return this.rows.length
  }

  /** Forgets all rows but the first. */
  cut(length: number): void {
    this.rows.length = length
    this.shape = new Shape()
    for (const row of this.rows) this.shape.see(row)
  }

  /** @param names columns that the table has even if no row has them */
  addColumns(names: readonly string[]): void {
    this.names = [...new Set([...this.names, ...names])]
  }

  /** @throws InspectError TOO_LARGE; USAGE for a list that must be waited for */
  add(result: Result, file: string): void {
    const row = { ...(plain(isFields(result) ? result : { value: result }) as Row) }
    this.room.add(VALUE_BYTES * this.shape.see(row), file)
    this.rows.push(row)
  }

  async write(out: Output, format: RecordFormat): Promise<void> {
    const seen = this.shape.fields
    const names = [...new Set([...this.names, ...seen.keys()])]
    const columns = names.map((name) => ({ name, kind: kindOf(seen.get(name) ?? new Shape()) }))
    const fields = columns.map(({ name, kind }) => field(name, kind.type, true))
    const writer = format.open(out, fields as Field[])
    await writer.start([])
    for (let from = 0; from < this.rows.length; from += format.mostRows) {
      const rows = this.rows.slice(from, from + format.mostRows)
      const body: ArrowBody = { nodes: [], buffers: [] }
      for (const { name, kind } of columns)
        addValues(
          kind,
          rows.map((row) => row[name] ?? null),
          body,
        )
      await writer.write(body)
    }
    await writer.end()
  }
}

/** A copy of a value that holds nothing else in memory: lists as arrays, objects without keys that are undefined. */
function plain(value: Result): Result {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return value.slice()
  if (isIterable(value)) return Array.from(value, plain)
  if (!isFields(value)) throw usage({ expected: 'rows for parquet', found: 'a tree: use json or ndjson' })
  const copy: Record<string, Result> = Object.create(null)
  for (const [key, one] of Object.entries(value)) if (one !== undefined) copy[key] = plain(one)
  return copy
}

/** What the values of a column are. */
class Shape {
  readonly fields = new Map<string, Shape>()
  item: Shape | undefined
  private readonly kinds = new Set<'boolean' | 'integer' | 'number' | 'text' | 'bytes' | 'list' | 'object'>()
  /** Whether an integer is below 0, or beyond 2^53, 2^63 or 2^64. */
  private isNegative = false
  private isUnsafe = false
  private isUnsigned = false
  private isHuge = false

  /** @returns the number of values in it */
  see(value: Result): number {
    if (value === null) return 1
    switch (typeof value) {
      case 'boolean':
        this.kinds.add('boolean')
        return 1
      case 'string':
        this.kinds.add('text')
        return 1 + value.length / VALUE_BYTES
      case 'number':
        this.kinds.add(Number.isSafeInteger(value) && !Object.is(value, -0) ? 'integer' : 'number')
        this.isNegative ||= value < 0
        return 1
      case 'bigint':
        this.kinds.add('integer')
        this.isNegative ||= value < 0n
        this.isUnsafe ||= value !== BigInt(Number(value))
        this.isUnsigned ||= value !== BigInt.asIntN(64, value)
        this.isHuge ||= value < 0n ? value !== BigInt.asIntN(64, value) : value !== BigInt.asUintN(64, value)
        return 1
    }
    if (value instanceof Uint8Array) {
      this.kinds.add('bytes')
      return 1 + value.length / VALUE_BYTES
    }
    let count = 1
    if (Array.isArray(value)) {
      this.kinds.add('list')
      this.item ??= new Shape()
      for (const one of value) count += this.item.see(one)
      return count
    }
    this.kinds.add('object')
    for (const [key, one] of Object.entries(value)) {
      let inside = this.fields.get(key)
      if (!inside) {
        inside = new Shape()
        this.fields.set(key, inside)
      }
      count += inside.see(one)
    }
    return count
  }

  /** The only kind of values; undefined if there are several, or if they do not fit one type. */
  get kind(): 'none' | 'boolean' | 'int64' | 'uint64' | 'number' | 'text' | 'bytes' | 'list' | 'object' | undefined {
    const { kinds } = this
    const [kind = 'none'] = kinds
    if (kinds.has('number') && kinds.has('integer') && kinds.size === 2) return this.isUnsafe ? undefined : 'number'
    if (kinds.size > 1) return undefined
    if (kind !== 'integer') return kind
    if (this.isHuge || (this.isUnsigned && this.isNegative)) return undefined
    return this.isUnsigned ? 'uint64' : 'int64'
  }
}

/** The type of a column, and what adds its values, without those that are null, to a record batch. */
interface Kind {
  type: DataType
  add(values: readonly Result[], body: ArrowBody): void
}

function addValues({ add }: Kind, values: readonly Result[], body: ArrowBody): void {
  const { bits, ones } = bitmap(
    Uint8Array.from(values, (one) => (one === null ? 0 : 1)),
    values.length,
  )
  body.nodes.push({ length: values.length, nullCount: values.length - ones })
  body.buffers.push(ones === values.length ? NO_BYTES : bits)
  add(values, body)
}

function kindOf(shape: Shape): Kind {
  switch (shape.kind) {
    case 'boolean':
      return fixed(bool(), (values) => bitmap(Uint8Array.from(values, Number), values.length).bits)
    case 'int64':
      return fixed(int64(), (values) =>
        underlyingBytes(BigInt64Array.from(values, (one) => BigInt((one ?? 0) as number))),
      )
    case 'uint64':
      return fixed(uint64(), (values) =>
        underlyingBytes(BigUint64Array.from(values, (one) => BigInt((one ?? 0) as number))),
      )
    case 'number':
      return fixed(float64(), (values) => underlyingBytes(Float64Array.from(values, Number)))
    case 'bytes':
      return texts(binary(), (one) => one as Uint8Array)
    case 'list':
      return lists(kindOf(shape.item ?? new Shape()))
    case 'object':
      return objects(shape)
    case 'text':
    case 'none':
      return texts(utf8(), (one) => UTF8.encode(one as string))
    case undefined:
      return JSON_TEXT
  }
}

const UTF8 = new TextEncoder()
const JSON_TEXT = texts(utf8(), (one) => UTF8.encode(toJson(one, { int64: 'number', indent: false })))

function fixed(type: DataType, bytes: (values: readonly Result[]) => Uint8Array): Kind {
  return { type, add: (values, { buffers }) => void buffers.push(bytes(values)) }
}

function texts(type: DataType, encode: (value: Result) => Uint8Array): Kind {
  return {
    type,
    add(values, { buffers }) {
      const parts = values.map((one) => (one === null ? NO_BYTES : encode(one)))
      buffers.push(underlyingBytes(endsOf(parts)), concat(parts))
    },
  }
}

function lists(item: Kind): Kind {
  return {
    type: list(field('item', item.type, true)),
    add(values, body) {
      const cells = values.map((one) => (one ?? []) as Result[])
      body.buffers.push(underlyingBytes(endsOf(cells)))
      addValues(item, cells.flat(1), body)
    },
  }
}

/** Parquet has no structs without fields. */
function objects({ fields }: Shape): Kind {
  if (fields.size === 0 || fields.size > MAX_KEYS) return JSON_TEXT
  const inside = Array.from(fields, ([name, shape]) => ({ name, kind: kindOf(shape) }))
  return {
    type: struct(inside.map(({ name, kind }) => field(name, kind.type, true))),
    add(values, body) {
      for (const { name, kind } of inside)
        addValues(
          kind,
          values.map((one) => (one as Row | null)?.[name] ?? null),
          body,
        )
    },
  }
}

/** Where each of the parts begins, and where the last one ends. */
function endsOf(parts: readonly { length: number }[]): Int32Array {
  const ends = new Int32Array(parts.length + 1)
  for (const [i, { length }] of parts.entries()) ends[i + 1] = (ends[i] ?? 0) + length
  return ends
}
