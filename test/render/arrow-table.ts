import { tableFromIPC } from '@uwdata/flechette'
import type { ColumnType } from '../../src/cells/column.ts'
import { datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { get, items, type Json } from '../helpers/json.ts'

/** A value as the reader of Arrow gives it: 64-bit integers and times are bigint, bytes are base64. */
export type ArrowValue = null | boolean | number | bigint | string | { base64: string } | ArrowValue[]

interface ArrowRead {
  names: string[]
  nullable: boolean[]
  metadata: (string | undefined)[]
  /** By name. */
  columns: Map<string, ArrowValue[]>
  rowNum: number
  /** Rows of each record batch. */
  batches: number[]
}

type Table = ReturnType<typeof tableFromIPC>
type Batch = Table['children'][number]['data'][number]

/** Reads a stream or file whole, through flechette's own reader. */
export function readArrow(bytes: Uint8Array): ArrowRead {
  const table = tableFromIPC(bytes, { useBigInt: true })
  const { fields } = table.schema
  return {
    names: fields.map(({ name }) => name),
    nullable: fields.map(({ nullable }) => nullable),
    metadata: fields.map(({ metadata }) => metadata?.get('tiledb:datatype')),
    columns: new Map(
      fields.map(({ name }, c) => [
        name,
        [...table.children[c].data].flatMap((batch) => Array.from({ length: batch.length }, (_, i) => plain(batch, i))),
      ]),
    ),
    rowNum: table.numRows,
    batches: fields.length === 0 ? [] : [...table.children[0].data].map(({ length }) => length),
  }
}

/** Numbers of the types in Arrow's format. */
const BINARY = 4
const UTF8 = 5
const BOOL = 6
const LIST = 12
const FIXED_SIZE_LIST = 16
const DICTIONARY = -1

function plain(batch: Batch, index: number): ArrowValue {
  if (batch.nullCount > 0 && !batch.isValid(index)) return null
  const { type } = batch
  switch (type.typeId) {
    case BINARY:
      return { base64: Buffer.from(batch.at(index)).toString('base64') }
    case UTF8:
    case BOOL:
    case DICTIONARY:
      return batch.at(index)
    case LIST:
      return elements(batch, Number(batch.offsets[index]), Number(batch.offsets[index + 1]))
    case FIXED_SIZE_LIST: {
      const { stride } = type as typeof type & { stride: number }
      return elements(batch, index * stride, (index + 1) * stride)
    }
    default:
      // as stored: the reader's own dates and times are doubles of milliseconds
      return batch.values[index]
  }
}

function elements(batch: Batch, start: number, end: number): ArrowValue[] {
  return Array.from({ length: end - start }, (_, i) => plain(batch.children[0], start + i))
}

/**
 * What Arrow should hold for a cell, from its JSON as it is shown and as it is stored.
 * @returns undefined for what Arrow has no place for: text that is not valid, days beyond 32 bits
 */
export function expectedValue(column: ColumnType, shown: Json, stored: Json, raw: boolean): ArrowValue | undefined {
  if (shown === null || (stored === null && raw)) return null
  const kind = datatypeKind(column.type)
  if (kind === 'bytes' || (kind === 'text' && (raw || column.type === 'CHAR'))) return { base64: base64(stored) }
  if (kind === 'text') return typeof shown === 'string' ? shown : undefined
  if (!Array.isArray(shown)) return expectedElement(column, shown, stored, raw)
  const inner = items(stored)
  const values = shown.map((one, i) => expectedElement(column, one, inner[i], raw))
  return values.every((value) => value !== undefined) ? values : undefined
}

function expectedElement(column: ColumnType, shown: Json, stored: Json, raw: boolean): ArrowValue | undefined {
  const kind = datatypeKind(column.type)
  const size = datatypeSize(column.type)
  if (kind === 'float') {
    const value = Number(stored)
    return size === 4 ? Math.fround(value) : value
  }
  if (kind === 'bool') return raw ? Number(stored) : shown === true
  if (!raw && shown === 'NaT') return datesOfArrow(column.type) ? null : whole(stored)
  if (!raw && column.type === 'DATETIME_DAY') {
    const days = Number(stored)
    return days === (days | 0) ? days : undefined
  }
  return size === 8 ? whole(stored) : Number(stored)
}

/** Whether Arrow has a type for the dates. */
function datesOfArrow(type: string): boolean {
  return ['DATETIME_DAY', 'DATETIME_SEC', 'DATETIME_MS', 'DATETIME_US', 'DATETIME_NS'].includes(type)
}

function whole(value: Json): bigint {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError(`no integer: ${String(value)}`)
  return BigInt(value)
}

function base64(value: Json): string {
  const text = get(value, 'base64')
  if (typeof text !== 'string') throw new TypeError(`no base64: ${String(value)}`)
  return text
}
