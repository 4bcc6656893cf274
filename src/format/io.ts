import { type ErrorPlace, type Fault, faultOf, InspectError, movedTo } from '../base/errors.ts'
import { Reader } from './reader.ts'
import type { Span } from './span.ts'
import { Tracer } from './tracer.ts'
import { Writer } from './writer.ts'

/** Keys of T whose value is a V, or a V or undefined. */
export type KeysOf<T, V> = { [K in keyof T]-?: Exclude<T[K], undefined> extends V ? K : never }[keyof T] & string

/** Unsigned little-endian integers, as spans and errors name them. */
export type Wire = 'uint8' | 'uint16' | 'uint32' | 'uint64'

/** Conversion between a stored number and its meaning. */
export interface Coding<V> {
  /** What the stored number is, for spans and errors: `datatype`, `layout`. */
  readonly label: string
  /** Undefined for a number without meaning. */
  decode(stored: number): V | undefined
  encode(value: V): number
  /** Describes the valid numbers, for errors. */
  accepted(): string
}

/**
 * The interface that descriptions of on-disk structures use. A description is a function that calls it for each field.
 * Three drivers implement it: {@link Reader} reads, {@link Tracer} reads and records what each byte means, and {@link
 * Writer} takes each named value from an object and writes it. So one description serves to parse, to annotate, to
 * write and to document.
 *
 * All integers are little-endian. Lengths are in bytes. A read past the end of the current frame throws InspectError
 * TRUNCATED with field and offset, before anything is allocated. The frame is the input, or the bytes of a
 * {@link within}.
 *
 * `about` gives the unit of a number, then what the field means: `bytes: of the part` (see about.ts). Annotated hex and
 * the tables of docs/format.md show it, so comments do not repeat it.
 */
export interface Io<T> {
  /** Bytes left in the frame when reading; 0 when writing. */
  readonly remaining: number

  u8(name: KeysOf<T, number>, about: string): number
  u16(name: KeysOf<T, number>, about: string): number
  u32(name: KeysOf<T, number>, about: string): number
  i32(name: KeysOf<T, number>, about: string): number
  f32(name: KeysOf<T, number>, about: string): number
  f64(name: KeysOf<T, number>, about: string): number
  u64(name: KeysOf<T, bigint>, about: string): bigint
  /**
   * uint64 as a number. Refused from 2^53 on, as no file is that large, unless `large` says to round it: TileDB may never use it.
   */
  size(name: KeysOf<T, number>, about: string, large?: 'rounded'): number
  /** uint8, 0 or 1. */
  /** @param only01 whether other values are refused. TileDB takes any but 0 for true */
  flag(name: KeysOf<T, boolean>, about: string, only01?: true): boolean
  coded<V>(name: KeysOf<T, V>, wire: Wire, coding: Coding<V>, about: string): V
  bytes(name: KeysOf<T, Uint8Array>, length: number, about: string): Uint8Array
  /** A length, then that many bytes of text. Bytes that are not UTF-8 become lone surrogates (see text.ts). */
  string(name: KeysOf<T, string>, lengthWire: Wire, about: string): string
  /** `count` consecutive uint64 as numbers, with the bound of {@link size}. */
  sizes(name: KeysOf<T, Float64Array>, count: number, about: string, large?: 'rounded'): Float64Array
  /** `count` texts, each after its length. */
  strings(name: KeysOf<T, readonly string[]>, count: number, lengthWire: Wire, about: string): string[]
  /** A stored number that is not part of the value, such as a count. Writing computes it with `of`. */
  derive(name: string, wire: Wire, of: (value: T) => number, about: string): number
  struct<E>(name: KeysOf<T, E>, describe: Describe<E>, about?: string): E
  list<E>(name: KeysOf<T, readonly E[]>, count: number, describe: Describe<E>, about?: string): E[]
  /** For a value that is itself an array: one description for each element. `names` are for spans and errors. */
  tuple<E>(describes: readonly Describe<E>[], names?: readonly string[]): E[]
  /** Elements until the frame ends. */
  listToEnd<E>(name: KeysOf<T, readonly E[]>, describe: Describe<E>): E[]
  /**
   * A length, then fields of the same value that fill exactly that many bytes, as a frame of their own. With `fixed`, they fill its
   * size, and the length only has to fit: `describe` gets it.
   */
  within<R>(name: string, lengthWire: Wire, describe: (io: Io<T>, length: number) => R, fixed?: FixedFrame<T>): R
  /**
   * `count` consecutive records, kept as bytes. `stride` is the length of a record. It is undefined if a record must be
   * read to know its length; then `starts` has the start of each record in `bytes`. The tracer shows single records
   * with `describe`.
   */
  records<E>(
    name: KeysOf<T, Uint8Array>,
    count: number,
    stride: number | undefined,
    describe: Describe<E>,
    about: string,
  ): { bytes: Uint8Array; starts: Float64Array | undefined }
  /** The remaining bytes of the frame, possibly none. */
  rest(name: KeysOf<T, Uint8Array>, about: string): Uint8Array
  /** Throws BAD_VALUE, or `code`, for the field read last unless `ok`. Does nothing when writing. */
  require(ok: boolean, name: string, expected: () => Fault, code?: 'TOO_LARGE'): void
}

/** The frame of a {@link Io.within} whose length readers do not use. */
export interface FixedFrame<T> {
  /** Bytes of the frame. */
  size: number
  /** The length to write, of the value that is written. */
  length(value: T): number
}

export type Describe<T> = (io: Io<T>) => T

/**
 * A driver for values of any type. It is for descriptions that define the type of their value (`ReturnType`), and for
 * descriptions of some fields of a value: a common head, or one variant of a union.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type of the value follows from the description, not the other way round
export type AnyIo = Io<any>

/**
 * A count, then that many elements of the list `name`.
 * @param counted name, wire type and `about` of the count
 */
export function countedList<T, E>(
  io: Io<T>,
  counted: readonly [name: string, wire: Wire, about: string],
  name: KeysOf<T, readonly E[]>,
  describe: Describe<E>,
  about?: string,
): E[] {
  const [countName, wire, countAbout] = counted
  const count = io.derive(countName, wire, (value) => lengthOf(value, name), countAbout)
  return io.list(name, count, describe, about)
}

/** A length, named `<name>_length`, then that many bytes. */
export function lengthAndBytes<T>(
  io: Io<T>,
  name: KeysOf<T, Uint8Array>,
  wire: Wire,
  about: string,
  lengthAbout = 'bytes',
): Uint8Array {
  const length = io.derive(`${name}_length`, wire, (value) => lengthOf(value, name), lengthAbout)
  return io.bytes(name, length, about)
}

/** A length in bytes, named `<name>_length`, then that many bytes of uint64. */
export function lengthAndSizes(io: AnyIo, name: string, about: string, lengthAbout = 'bytes'): Float64Array {
  const field = `${name}_length`
  const length = io.derive(field, 'uint64', (value) => 8 * lengthOf(value, name), lengthAbout)
  io.require(length % 8 === 0, field, () => ({ expected: 'a multiple of 8', found: length }))
  return io.sizes(name, length / 8, about)
}

/** A stored flag, 0 or 1, as {@link Io.derive} reads and writes numbers. */
export function flagOf<T>(io: Io<T>, name: string, of: (value: T) => boolean, about: string): boolean {
  const stored = io.derive(name, 'uint8', (value) => Number(of(value)), about)
  io.require(stored <= 1, name, () => ({ expected: '0 or 1', found: stored }))
  return stored === 1
}

function lengthOf(value: unknown, name: string): number {
  return (value as Record<string, { length: number } | undefined>)[name]?.length ?? 0
}

/** Where bytes given to {@link decode} or {@link trace} come from. */
export interface Origin {
  /** Offset of the first byte in its file, or in `space`. */
  offset?: number
  file?: string
  space?: string | undefined
  /** Upper limit on the elements of all lists together. More of them throw TOO_LARGE. */
  mostElements?: number | undefined
  /** Called for each flag other than 0 and 1, which is taken for true. @param offset of the flag, as `offset` counts */
  onOddFlag?: ((name: string, stored: number, offset: number) => void) | undefined
}

/**
 * Reads a structure that fills `bytes` exactly.
 * After a failure the tracer reads the bytes again, to find the dotted path of the field for the error.
 * @throws InspectError TRUNCATED, BAD_VALUE, BAD_ENUM, TRAILING_BYTES…
 */
export function decode<T>(bytes: Uint8Array, describe: Describe<T>, origin: Origin = {}): T {
  return read(bytes, describe, origin, (reader) => {
    const value = describe(reader)
    reader.finish()
    return value
  })
}

/** {@link decode} for a structure at the start of `bytes`. The result's `length` is the length of the structure. */
export function decodePrefix<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  origin: Origin = {},
): { value: T; length: number } {
  return read(bytes, describe, origin, (reader) => ({ value: describe(reader), length: reader.position }))
}

function read<T, R>(bytes: Uint8Array, describe: Describe<T>, origin: Origin, work: (reader: Reader<T>) => R): R {
  try {
    return work(new Reader<T>(bytes, origin))
  } catch (error) {
    throw error instanceof InspectError ? withPath(bytes, describe, origin, error) : error
  }
}

function withPath<T>(bytes: Uint8Array, describe: Describe<T>, origin: Origin, first: InspectError): InspectError {
  const tracer = new Tracer<T>(bytes, origin, true)
  try {
    describe(tracer)
    tracer.finish()
  } catch (error) {
    if (error instanceof InspectError) {
      const at = { file: origin.file, space: origin.space, ...placeIn(tracer, error) }
      return movedTo(at, error)
    }
  }
  return first
}

/** The place of an error with the dotted path of its field. */
function placeIn<T>(tracer: Tracer<T>, { at }: InspectError): ErrorPlace {
  const path = tracer.path(at.field)
  return { ...at, field: path === '' || path.length > LONGEST_PATH ? at.field : path }
}

/** Most characters of the path of a field in an error: lists may be nested deep. */
const LONGEST_PATH = 300

/**
 * Reads a structure and records what every byte means. If the bytes are damaged, `root` has the fields before the damage,
 * and `error` is set.
 */
export function trace<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  name: string,
  origin: Origin = {},
): { value: T | undefined; root: Span; error: InspectError | undefined } {
  const tracer = new Tracer<T>(bytes, origin)
  let value: T | undefined
  let failure: InspectError | undefined
  try {
    value = describe(tracer)
  } catch (error) {
    const fault = faultOf(error)
    failure = new InspectError(fault.code, fault.fault, placeIn(tracer, fault))
  }
  return { value, root: tracer.root(name), error: failure }
}

/** Writes a structure: the inverse of {@link decode}. */
export function encode<T>(value: NoInfer<T>, describe: Describe<T>): Uint8Array {
  const writer = new Writer<T>(value)
  describe(writer)
  return writer.finish()
}
