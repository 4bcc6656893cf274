import { type Fault, InspectError, withHint } from '../base/errors.ts'
import { MEMORY_RAISES_BOUND } from '../base/memory.ts'
import type { AnyIo, Coding, Describe, FixedFrame, Io, Origin, Wire } from './io.ts'
import { decodeText } from './text.ts'

export type NumberType = Wire | 'int32' | 'float32' | 'float64'

export const BYTES: Record<NumberType, number> = {
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  int32: 4,
  float32: 4,
  float64: 8,
}

/** Least bytes of a list element. A stored count is checked with it before the elements are allocated. */
const MIN_ELEMENT_BYTES = 1

/** Driver of {@link Io} that reads. Every access goes through {@link Reader.take}, which checks the bounds. */
export class Reader<T> implements Io<T> {
  protected readonly source: Uint8Array
  protected readonly view: DataView
  protected readonly origin: Origin
  protected readonly base: number
  protected pos = 0
  protected end: number
  private elementsLeft: number

  constructor(bytes: Uint8Array, origin: Origin = {}) {
    this.source = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.origin = origin
    this.base = origin.offset ?? 0
    this.end = bytes.length
    this.elementsLeft = origin.mostElements ?? Number.POSITIVE_INFINITY
  }

  get remaining(): number {
    return this.end - this.pos
  }

  /** Bytes read so far. */
  get position(): number {
    return this.pos
  }

  /** @throws InspectError TRAILING_BYTES if bytes are left in the frame */
  finish(): void {
    if (this.pos === this.end) return
    throw this.fail('TRAILING_BYTES', undefined, { expected: 'the end', found: `${this.remaining} more bytes` })
  }

  u8(name: string, about?: string): number {
    return this.number(name, 'uint8', about)
  }
  u16(name: string, about?: string): number {
    return this.number(name, 'uint16', about)
  }
  u32(name: string, about?: string): number {
    return this.number(name, 'uint32', about)
  }
  i32(name: string, about?: string): number {
    return this.number(name, 'int32', about)
  }
  f32(name: string, about?: string): number {
    return this.number(name, 'float32', about)
  }
  f64(name: string, about?: string): number {
    return this.number(name, 'float64', about)
  }
  size(name: string, about?: string, large?: 'rounded'): number {
    return this.number(name, 'uint64', about, large)
  }
  u64(name: string): bigint {
    return this.view.getBigUint64(this.take(name, 8), true)
  }
  flag(name: string, _about?: string, only01?: true): boolean {
    const at = this.take(name, 1)
    const stored = this.view.getUint8(at)
    if (stored > 1 && only01) throw this.fail('BAD_VALUE', name, { expected: '0 or 1', found: stored }, at)
    if (stored > 1) this.origin.onOddFlag?.(name, stored, this.base + at)
    return stored !== 0
  }
  coded<V>(name: string, wire: Wire, coding: Coding<V>): V {
    const at = this.pos
    const stored = this.raw(name, wire)
    const value = coding.decode(stored)
    if (value !== undefined) return value
    throw this.fail('BAD_ENUM', name, { expected: `a ${coding.label} (${coding.accepted()})`, found: stored }, at)
  }
  bytes(name: string, length: number): Uint8Array {
    const at = this.take(name, length)
    return this.source.subarray(at, at + length)
  }
  string(name: string, lengthWire: Wire, about?: string): string {
    return this.text(name, this.wire(`${name}_length`, lengthWire), about)
  }
  sizes(name: string, count: number, _about?: string, large?: 'rounded'): Float64Array {
    const at = this.take(name, count * 8)
    const out = new Float64Array(count)
    for (let i = 0; i < count; i++) out[i] = this.sizeAt(name, at + i * 8, large)
    return out
  }
  strings(name: string, count: number, lengthWire: Wire): string[] {
    return this.elements(name, count, BYTES[lengthWire], () => this.string(name, lengthWire))
  }
  derive(name: string, wire: Wire, _of: (value: T) => number, about?: string): number {
    return this.wire(name, wire, about)
  }
  struct<E>(_name: string, describe: Describe<E>): E {
    return describe(this as AnyIo)
  }
  list<E>(name: string, count: number, describe: Describe<E>): E[] {
    return this.elements(name, count, MIN_ELEMENT_BYTES, () => describe(this as AnyIo))
  }
  tuple<E>(describes: readonly Describe<E>[]): E[] {
    return describes.map((describe) => describe(this as AnyIo))
  }
  listToEnd<E>(name: string, describe: Describe<E>): E[] {
    const out: E[] = []
    while (this.pos < this.end) {
      const before = this.pos
      this.takeElements(name, 1)
      out.push(describe(this as AnyIo))
      if (this.pos === before)
        throw this.fail('BAD_VALUE', name, { expected: 'an element', found: 'one without bytes' })
    }
    return out
  }
  within<R>(name: string, lengthWire: Wire, describe: (io: Io<T>, length: number) => R, fixed?: FixedFrame<T>): R {
    const stored = this.wire(`${name}_length`, lengthWire)
    const start = this.take(name, stored)
    this.pos = start
    const length = fixed?.size ?? stored
    this.take(name, length)
    const outerEnd = this.end
    this.pos = start
    this.end = start + length
    const value = describe(this, stored)
    if (this.pos !== this.end) {
      throw this.fail('TRAILING_BYTES', name, {
        expected: `${length} bytes to be used`,
        found: `${this.remaining} more`,
      })
    }
    this.end = outerEnd
    return value
  }
  records<E>(
    name: string,
    count: number,
    stride: number | undefined,
    describe: Describe<E>,
  ): { bytes: Uint8Array; starts: Float64Array | undefined } {
    const start = this.pos
    let starts: Float64Array | undefined
    if (stride !== undefined) this.take(name, count * stride)
    else {
      this.checkCount(name, count, MIN_ELEMENT_BYTES)
      starts = new Float64Array(count)
      for (let i = 0; i < count; i++) {
        starts[i] = this.pos - start
        describe(this as AnyIo)
      }
    }
    return { bytes: this.source.subarray(start, this.pos), starts }
  }
  rest(name: string): Uint8Array {
    return this.bytes(name, this.end - this.pos)
  }
  require(ok: boolean, name: string, expected: () => Fault, code: 'BAD_VALUE' | 'TOO_LARGE' = 'BAD_VALUE'): void {
    if (!ok) throw this.fail(code, name, expected())
  }

  /** Skips `length` bytes and returns their start. @throws InspectError TRUNCATED if the frame ends before */
  protected take(name: string, length: number): number {
    const at = this.pos
    if (length > this.end - at) {
      const unit = length === 1 ? 'byte' : 'bytes'
      throw this.fail('TRUNCATED', name, { expected: `${length} ${unit}`, found: this.remaining })
    }
    this.pos = at + length
    return at
  }

  /** Reads a number that is part of the value. */
  protected number(name: string, type: NumberType, _about?: string, large?: 'rounded'): number {
    return this.raw(name, type, large)
  }

  /** Reads a count or a length of something that follows. */
  protected wire(name: string, wire: Wire, _about?: string): number {
    return this.raw(name, wire)
  }

  private raw(name: string, type: NumberType, large?: 'rounded'): number {
    if (type === 'uint32') return this.view.getUint32(this.take(name, 4), true)
    if (type === 'uint64') return this.sizeAt(name, this.take(name, 8), large)
    if (type === 'uint8') return this.view.getUint8(this.take(name, 1))
    if (type === 'uint16') return this.view.getUint16(this.take(name, 2), true)
    if (type === 'int32') return this.view.getInt32(this.take(name, 4), true)
    if (type === 'float32') return this.view.getFloat32(this.take(name, 4), true)
    return this.view.getFloat64(this.take(name, 8), true)
  }

  private sizeAt(name: string, at: number, large: 'rounded' | undefined): number {
    const value = this.view.getUint32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true)
    if (value <= Number.MAX_SAFE_INTEGER || large) return value
    const found = this.view.getBigUint64(at, true)
    throw this.fail('BAD_VALUE', name, { expected: 'a size or offset below 2^53', found }, at)
  }

  protected text(name: string, length: number, _about?: string): string {
    const at = this.take(name, length)
    return decodeText(this.source.subarray(at, at + length))
  }

  private elements<E>(name: string, count: number, elementBytes: number, read: () => E): E[] {
    this.checkCount(name, count, elementBytes)
    this.takeElements(name, count)
    const out: E[] = []
    for (let i = 0; i < count; i++) out.push(read())
    return out
  }

  private checkCount(name: string, count: number, elementBytes: number): void {
    if (count * elementBytes <= this.remaining) return
    throw this.fail('TRUNCATED', name, {
      expected: `${count} elements`,
      found: `data that ends after ${this.remaining} bytes`,
    })
  }

  private takeElements(name: string, count: number): void {
    this.elementsLeft -= count
    if (this.elementsLeft >= 0) return
    const bound = `${this.origin.mostElements} elements in lists for the bytes stored`
    const fault = { expected: `at most ${bound}`, found: 'more' }
    throw this.fail('TOO_LARGE', name, withHint(fault, MEMORY_RAISES_BOUND))
  }

  private fail(
    code: 'TRUNCATED' | 'BAD_VALUE' | 'BAD_ENUM' | 'TRAILING_BYTES' | 'TOO_LARGE',
    field: string | undefined,
    fault: Fault,
    at = this.pos,
  ): InspectError {
    const { file, space } = this.origin
    return new InspectError(code, fault, { file, space, offset: this.base + at, field })
  }
}
