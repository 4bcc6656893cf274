import { element } from '../base/element.ts'
import type { AnyIo, Coding, Describe, FixedFrame, Io, Wire } from './io.ts'
import { BYTES } from './reader.ts'
import { encodeText } from './text.ts'

const FIRST_CAPACITY = 256

/**
 * Driver of {@link Io} that writes. Each call takes the value of that name from the object, appends its bytes, and
 * returns the value. So the conditions in a description see the same values as when reading. A value that cannot be
 * written (a missing key, a number out of range) is a mistake of the caller, and throws TypeError.
 */
export class Writer<T> implements Io<T> {
  private buffer = new Uint8Array(FIRST_CAPACITY)
  private view = new DataView(this.buffer.buffer)
  private length = 0
  private value: unknown

  readonly remaining = 0

  constructor(value: T) {
    this.value = value
  }

  finish(): Uint8Array {
    return this.buffer.slice(0, this.length)
  }

  u8(name: string): number {
    return this.integer(name, 'uint8', this.get<number>(name))
  }
  u16(name: string): number {
    return this.integer(name, 'uint16', this.get<number>(name))
  }
  u32(name: string): number {
    return this.integer(name, 'uint32', this.get<number>(name))
  }
  i32(name: string): number {
    return this.put(name, 4, (at, value: number) => this.view.setInt32(at, value, true))
  }
  f32(name: string): number {
    return this.put(name, 4, (at, value: number) => this.view.setFloat32(at, value, true))
  }
  f64(name: string): number {
    return this.put(name, 8, (at, value: number) => this.view.setFloat64(at, value, true))
  }
  u64(name: string): bigint {
    return this.put(name, 8, (at, value: bigint) => this.view.setBigUint64(at, value, true))
  }
  size(name: string, _about?: string, large?: 'rounded'): number {
    return this.integer(name, 'uint64', this.get<number>(name), large)
  }
  flag(name: string): boolean {
    const value = this.get<boolean>(name)
    this.integer(name, 'uint8', value ? 1 : 0)
    return value
  }
  coded<V>(name: string, wire: Wire, coding: Coding<V>): V {
    const value = this.get<V>(name)
    this.integer(name, wire, coding.encode(value))
    return value
  }
  bytes(name: string, length: number): Uint8Array {
    return this.append(this.getMany<Uint8Array>(name, length, 'bytes'))
  }
  string(name: string, lengthWire: Wire): string {
    return this.appendString(name, this.get(name), lengthWire)
  }
  sizes(name: string, count: number, _about?: string, large?: 'rounded'): Float64Array {
    const value = this.getMany<Float64Array>(name, count, 'values')
    for (const one of value) this.integer(name, 'uint64', one, large)
    return value
  }
  strings(name: string, count: number, lengthWire: Wire): string[] {
    const value = this.getMany<string[]>(name, count, 'texts')
    for (const one of value) this.appendString(name, one, lengthWire)
    return value
  }
  derive(name: string, wire: Wire, of: (value: T) => number): number {
    return this.integer(name, wire, of(this.value as T))
  }
  struct<E>(name: string, describe: Describe<E>): E {
    return this.inside(this.get<E>(name), describe)
  }
  list<E>(name: string, count: number, describe: Describe<E>): E[] {
    const value = this.getMany<E[]>(name, count, 'elements')
    for (const element of value) this.inside(element, describe)
    return value
  }
  tuple<E>(describes: readonly Describe<E>[]): E[] {
    const value = this.value as E[]
    if (value.length !== describes.length) {
      throw new TypeError(`${value.length} elements given where ${describes.length} are written`)
    }
    for (const [i, one] of value.entries()) this.inside(one, element(describes, i))
    return value
  }
  listToEnd<E>(name: string, describe: Describe<E>): E[] {
    const value = this.get<E[]>(name)
    for (const element of value) this.inside(element, describe)
    return value
  }
  within<R>(name: string, lengthWire: Wire, describe: (io: Io<T>, length: number) => R, fixed?: FixedFrame<T>): R {
    const lengthAt = this.length
    this.integer(name, lengthWire, 0)
    const start = this.length
    const value = describe(this, fixed?.length(this.value as T) ?? 0)
    const end = this.length
    if (fixed && end - start !== fixed.size)
      throw new TypeError(`${name}: ${end - start} bytes given where ${fixed.size} are written`)
    this.length = lengthAt
    this.integer(name, lengthWire, fixed?.length(this.value as T) ?? end - start)
    this.length = end
    return value
  }
  records(name: string, count: number, stride: number | undefined): { bytes: Uint8Array; starts: undefined } {
    const bytes = this.get<Uint8Array>(name)
    if (stride !== undefined && bytes.length !== count * stride) {
      throw new TypeError(`${name}: ${bytes.length} bytes given where ${count} x ${stride} are written`)
    }
    return { bytes: this.append(bytes), starts: undefined }
  }
  rest(name: string): Uint8Array {
    return this.append(this.get<Uint8Array | undefined>(name, true) ?? new Uint8Array(0))
  }
  require(): void {}

  private inside<E>(value: E, describe: Describe<E>): E {
    const outer = this.value
    this.value = value
    describe(this as AnyIo)
    this.value = outer
    return value
  }

  private get<V>(name: string, optional = false): V {
    const value = (this.value as Record<string, V>)[name]
    if (value === undefined && !optional) throw new TypeError(`${name}: nothing given to write`)
    return value as V
  }

  /** {@link get} for a value that must have the given length. @param what its elements, for the error */
  private getMany<V extends { length: number }>(name: string, length: number, what: string): V {
    const value = this.get<V>(name)
    if (value.length === length) return value
    throw new TypeError(`${name}: ${value.length} ${what} given where ${length} are written`)
  }

  private put<V>(name: string, bytes: number, set: (at: number, value: V) => void): V {
    const value = this.get<V>(name)
    set(this.grow(bytes), value)
    return value
  }

  private appendString(name: string, value: string, lengthWire: Wire): string {
    const bytes = encodeText(value)
    this.integer(`${name}_length`, lengthWire, bytes.length)
    this.append(bytes)
    return value
  }

  private append(bytes: Uint8Array): Uint8Array {
    const at = this.grow(bytes.length)
    this.buffer.set(bytes, at)
    return bytes
  }

  private integer(name: string, wire: Wire, value: number, large?: 'rounded'): number {
    const bytes = BYTES[wire]
    const isWhole = large ? Number.isInteger(value) : Number.isSafeInteger(value)
    if (!isWhole || value < 0 || value >= 2 ** (8 * bytes)) {
      throw new TypeError(`${name}: ${value} is not a ${wire}`)
    }
    const at = this.grow(bytes)
    if (bytes === 1) this.buffer[at] = value
    else if (bytes === 2) this.view.setUint16(at, value, true)
    else {
      this.view.setUint32(at, value % 2 ** 32, true)
      if (bytes === 8) this.view.setUint32(at + 4, Math.floor(value / 2 ** 32), true)
    }
    return value
  }

  private grow(bytes: number): number {
    const at = this.length
    const need = at + bytes
    if (need > this.buffer.length) {
      const larger = new Uint8Array(Math.max(need, this.buffer.length * 2))
      larger.set(this.buffer)
      this.buffer = larger
      this.view = new DataView(larger.buffer)
    }
    this.length = need
    return at
  }
}
