import { type Datatype, datatypeKind } from '../../src/format/datatype.ts'
import { get, type Json } from '../helpers/json.ts'

/** Who wrote a value: bytes are `{"base64"}` in what the program prints, `{"b64"}` in the expected files. */
export type Side = 'printed' | 'expected'

/**
 * A value in one spelling, so that two values are the same if and only if the texts are: integers by all their digits,
 * floats bit by bit (a FLOAT32 by its nearest, -0 apart from 0), bytes by content. What does not belong to the type is
 * spelled so that it matches nothing.
 */
export function canonical(type: Datatype, value: Json | undefined, side: Side): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map((one) => canonical(type, one, side)).join(',')}]`
  if (typeof value === 'object') {
    const bytes = get(value, side === 'printed' ? 'base64' : 'b64')
    return typeof bytes === 'string' ? `bytes ${bytes}` : `no value (${side})`
  }
  const kind = datatypeKind(type)
  if (kind === 'float') return canonicalFloat(type, value, side)
  if (kind === 'text' || kind === 'bytes') return `no bytes (${side}): ${String(value)}`
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return `integer ${value}`
  return `no integer (${side}): ${String(value)}`
}

const SPECIAL = ['NaN', 'Infinity', '-Infinity']
/** What stands ahead of a NaN's bits in hexadecimal digits. */
const NAN_BITS = 'NaN:'

function canonicalFloat(type: Datatype, value: Json | undefined, side: Side): string {
  // --raw prints the bits of a NaN, which TileDB's reader was not asked for.
  if (typeof value === 'string' && value.startsWith(NAN_BITS)) return 'float NaN'
  if (typeof value === 'string' && SPECIAL.includes(value)) return `float ${value}`
  if (typeof value !== 'number' && typeof value !== 'bigint') return `no float (${side}): ${String(value)}`
  const exact = type === 'FLOAT32' ? Math.fround(Number(value)) : Number(value)
  return `float ${Object.is(exact, -0) ? '-0' : exact}`
}

/** Little-endian bytes of one cell, as digests of long columns are made of them. */
export function cellBytes(type: Datatype, size: number, cellValNum: number | 'var', printed: Json): Uint8Array {
  if (printed === null) return new Uint8Array(cellValNum === 'var' ? 0 : size * cellValNum)
  const base64 = get(printed, 'base64')
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
  const values = Array.isArray(printed) ? printed : [printed]
  const out = new DataView(new ArrayBuffer(values.length * size))
  values.forEach((value, i) => {
    setValue(out, i * size, type, size, value)
  })
  return new Uint8Array(out.buffer)
}

function setValue(view: DataView, at: number, type: Datatype, size: number, value: Json): void {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') {
    throw new TypeError(`${type} printed as ${typeof value}`)
  }
  if (datatypeKind(type) === 'float' && !String(value).startsWith(NAN_BITS)) {
    if (size === 4) view.setFloat32(at, Number(value), true)
    else view.setFloat64(at, Number(value), true)
    return
  }
  let left = BigInt.asUintN(8 * size, BigInt(String(value).replace(NAN_BITS, '')))
  for (let i = 0; i < size; i++) {
    view.setUint8(at + i, Number(left & 0xffn))
    left >>= 8n
  }
}

/** Less than 0, 0 or more: integers and floats by value, bytes one by one. */
export function compareValues(a: Json | undefined, b: Json | undefined): number {
  const left = ordered(a)
  const right = ordered(b)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

function ordered(value: Json | undefined): number | bigint | Uint8Array {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'string') return Number(value)
  const base64 = get(value, 'base64') ?? get(value, 'b64')
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Number.NaN
}
