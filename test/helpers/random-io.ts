import type { AnyIo, Coding, Describe, FixedFrame } from '../../src/format/io.ts'
import { anySize, anySizes, anyText, anyU64 } from './any-values.ts'
import type { Random } from './random.ts'

/** A driver that makes up the value that a description describes. So no test lists the fields of a structure. */
export class RandomIo implements AnyIo {
  readonly remaining = 0
  private readonly random: Random
  /** The values of some fields, by name. */
  private readonly given: Readonly<Record<string, unknown>>

  constructor(random: Random, given: Readonly<Record<string, unknown>> = {}) {
    this.random = random
    this.given = given
  }

  u8 = (name: string): number => this.of(name, () => this.random.below(2 ** 8))
  u16 = (name: string): number => this.of(name, () => this.random.below(2 ** 16))
  u32 = (name: string): number => this.of(name, () => this.random.bits())
  i32 = (name: string): number => this.of(name, () => this.random.bits() | 0)
  f32 = (name: string): number => this.of(name, () => Math.fround(this.random.pick([0, 99.9, -1e30])))
  f64 = (name: string): number => this.of(name, () => this.random.pick([0, 0.1, -1e300]))
  u64 = (name: string): bigint => this.of(name, () => anyU64(this.random))
  size = (name: string): number => this.of(name, () => anySize(this.random))
  flag = (name: string): boolean => this.of(name, () => this.random.below(2) === 1)
  bytes = (name: string, length: number): Uint8Array => this.of(name, () => this.random.bytes(length))
  string = (name: string): string => this.of(name, () => anyText(this.random))
  sizes = (name: string, count: number): Float64Array => this.of(name, () => anySizes(this.random, count))
  strings = (name: string, count: number): string[] => this.of(name, () => times(count, () => anyText(this.random)))
  /** Counts and lengths. */
  derive = (name: string): number => this.of(name, () => this.random.below(4))
  struct = <E>(name: string, describe: Describe<E>): E => this.of(name, () => describe(this as AnyIo))
  list = <E>(name: string, count: number, describe: Describe<E>): E[] =>
    this.of(name, () => times(count, () => describe(this as AnyIo)))
  tuple = <E>(describes: readonly Describe<E>[]): E[] => describes.map((describe) => describe(this as AnyIo))
  listToEnd = <E>(name: string, describe: Describe<E>): E[] => this.list(name, this.random.below(4), describe)
  within = <R>(
    _name: string,
    _wire: string,
    describe: (io: AnyIo, length: number) => R,
    fixed?: FixedFrame<unknown>,
  ): R => describe(this, fixed?.size ?? 0)
  rest = (name: string): Uint8Array => this.of(name, () => this.random.bytes(this.random.below(3) === 0 ? 8 : 0))
  require = (): void => {}

  coded = <V>(name: string, _wire: string, coding: Coding<V>): V =>
    this.of(name, () => {
      let value: V | undefined
      while (value === undefined) value = coding.decode(this.random.below(2 ** 8))
      return value
    })

  records(): never {
    throw new Error('records are made by hand')
  }

  private of<V>(name: string, make: () => V): V {
    return name in this.given ? (this.given[name] as V) : make()
  }
}

function times<T>(count: number, one: () => T): T[] {
  return Array.from({ length: count }, one)
}
