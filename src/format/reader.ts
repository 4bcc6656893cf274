import { InspectError } from '../base/errors.ts'
import type { Coding, Describe, Io, Origin, Wire } from './io.ts'
import { decodeText } from './text.ts'

const WIRE_BYTES: Record<Wire, number> = { uint8: 1, uint16: 2, uint32: 4, uint64: 8 }

/** Least bytes of an element of a list. It bounds a stored count before the elements are allocated. */
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
    if (this.pos !== this.end) {
      throw this.fail(
        'TRAILING_BYTES',
        this.pos,
        undefined,
        `expected the end, found ${this.end - this.pos} more bytes`,
      )
    }
  }

  u8(name: string): number {
    return this.source[this.take(name, 1)]
  }
  u16(name: string): number {
    return this.view.getUint16(this.take(name, 2), true)
  }
  u32(name: string): number {
    return this.view.getUint32(this.take(name, 4), true)
  }
  i32(name: string): number {
    return this.view.getInt32(this.take(name, 4), true)
  }
  f32(name: string): number {
    return this.view.getFloat32(this.take(name, 4), true)
  }
  f64(name: string): number {
    return this.view.getFloat64(this.take(name, 8), true)
  }
  u64(name: string): bigint {
    return this.view.getBigUint64(this.take(name, 8), true)
  }
  size(name: string): number {
    return this.sizeAt(name, this.take(name, 8))
  }
  flag(name: string): boolean {
    const at = this.take(name, 1)
    const stored = this.source[at]
    if (stored > 1) throw this.fail('BAD_VALUE', at, name, `expected 0 or 1, found ${stored}`)
    return stored === 1
  }
  coded<V>(name: string, wire: Wire, coding: Coding<V>): V {
    const at = this.pos
    const stored = this.wire(name, wire)
    const value = coding.decode(stored)
    if (value === undefined) {
      throw this.fail('BAD_ENUM', at, name, `expected a ${coding.label} (${coding.accepted()}), found ${stored}`)
    }
    return value
  }
  bytes(name: string, length: number): Uint8Array {
    return this.plainBytes(name, length)
  }
  private plainBytes(name: string, length: number): Uint8Array {
    const at = this.take(name, length)
    return this.source.subarray(at, at + length)
  }
  text(name: string, length: number): string {
    const at = this.take(name, length)
    return decodeText(this.source.subarray(at, at + length))
  }
  string(name: string, lengthWire: Wire): string {
    return this.text(name, this.wire(`${name}_length`, lengthWire))
  }
  sizes(name: string, count: number): Float64Array {
    const at = this.take(name, count * 8)
    const out = new Float64Array(count)
    for (let i = 0; i < count; i++) out[i] = this.sizeAt(name, at + i * 8)
    return out
  }
  strings(name: string, count: number, lengthWire: Wire): string[] {
    this.checkCount(name, count, WIRE_BYTES[lengthWire])
    this.takeElements(name, count)
    const out: string[] = []
    for (let i = 0; i < count; i++) out.push(this.string(name, lengthWire))
    return out
  }
  derive(name: string, wire: Wire, _of: (value: T) => number): number {
    return this.wire(name, wire)
  }
  struct<E>(_name: string, describe: Describe<E>): E {
    return describe(this as unknown as Io<E>)
  }
  list<E>(name: string, count: number, describe: Describe<E>): E[] {
    this.checkCount(name, count, MIN_ELEMENT_BYTES)
    this.takeElements(name, count)
    const out: E[] = []
    for (let i = 0; i < count; i++) out.push(describe(this as unknown as Io<E>))
    return out
  }
  tuple<E>(describes: readonly Describe<E>[], _names?: readonly string[]): E[] {
    return describes.map((describe) => describe(this as unknown as Io<E>))
  }
  listToEnd<E>(name: string, describe: Describe<E>): E[] {
    const out: E[] = []
    while (this.pos < this.end) {
      const before = this.pos
      this.takeElements(name, 1)
      out.push(describe(this as unknown as Io<E>))
      if (this.pos === before)
        throw this.fail('BAD_VALUE', before, name, 'expected an element, found one without bytes')
    }
    return out
  }
  within<R>(name: string, lengthWire: Wire, describe: (io: Io<T>) => R): R {
    const length = this.wire(`${name}_length`, lengthWire)
    const start = this.take(name, length)
    const outerEnd = this.end
    this.pos = start
    this.end = start + length
    const value = describe(this)
    if (this.pos !== this.end) {
      throw this.fail(
        'TRAILING_BYTES',
        this.pos,
        name,
        `expected ${length} bytes to be used, found ${this.end - this.pos} more`,
      )
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
    if (stride !== undefined) return { bytes: this.plainBytes(name, count * stride), starts: undefined }
    this.checkCount(name, count, MIN_ELEMENT_BYTES)
    const start = this.pos
    const starts = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      starts[i] = this.pos - start
      describe(this as unknown as Io<E>)
    }
    return { bytes: this.source.subarray(start, this.pos), starts }
  }
  rest(name: string): Uint8Array {
    return this.bytes(name, this.end - this.pos)
  }
  require(ok: boolean, name: string, expected: () => string): void {
    if (!ok) throw this.fail('BAD_VALUE', this.pos, name, expected())
  }

  /** Skips `length` bytes. @returns their start @throws InspectError TRUNCATED if the frame ends before */
  protected take(name: string, length: number): number {
    const at = this.pos
    if (length > this.end - at) {
      const left = this.end - at
      throw this.fail('TRUNCATED', at, name, `expected ${length} ${length === 1 ? 'byte' : 'bytes'}, found ${left}`)
    }
    this.pos = at + length
    return at
  }

  protected wire(name: string, wire: Wire): number {
    const at = this.take(name, WIRE_BYTES[wire])
    if (wire === 'uint8') return this.source[at]
    if (wire === 'uint16') return this.view.getUint16(at, true)
    if (wire === 'uint32') return this.view.getUint32(at, true)
    return this.sizeAt(name, at)
  }

  private sizeAt(name: string, at: number): number {
    const value = this.view.getUint32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true)
    if (value > Number.MAX_SAFE_INTEGER) {
      throw this.fail(
        'BAD_VALUE',
        at,
        name,
        `expected a size or offset below 2^53, found ${this.view.getBigUint64(at, true)}`,
      )
    }
    return value
  }

  private checkCount(name: string, count: number, elementBytes: number): void {
    if (count * elementBytes > this.end - this.pos) {
      throw this.fail(
        'TRUNCATED',
        this.pos,
        name,
        `expected ${count} elements, found ${this.end - this.pos} bytes for them`,
      )
    }
  }

  private takeElements(name: string, count: number): void {
    this.elementsLeft -= count
    if (this.elementsLeft >= 0) return
    const { mostElements } = this.origin
    throw this.fail(
      'TOO_LARGE',
      this.pos,
      name,
      `expected at most ${mostElements} elements in lists for the bytes stored (--max-tile-size lifts this bound), found more`,
    )
  }

  protected fail(
    code: 'TRUNCATED' | 'BAD_VALUE' | 'BAD_ENUM' | 'TRAILING_BYTES' | 'TOO_LARGE',
    at: number,
    field: string | undefined,
    message: string,
  ): InspectError {
    return new InspectError(code, message, {
      file: this.origin.file,
      space: this.origin.space,
      offset: this.base + at,
      field,
    })
  }
}
