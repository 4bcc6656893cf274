import { element } from '../base/element.ts'
import type { AnyIo, Coding, Describe, FixedFrame, Io, Origin, Wire } from './io.ts'
import { type NumberType, Reader } from './reader.ts'
import type { Span } from './span.ts'

/** Longest list, in elements, that gets a span for each element. Longer ones keep only the starts. */
const LONG_LIST = 64

/** Driver of {@link Io} that reads and records a {@link Span} for everything it reads. */
export class Tracer<T> extends Reader<T> {
  private spans: Span[] = []
  private readonly names: string[] = []
  private quiet: boolean

  /** @param pathOnly whether to record only {@link path}, and no spans */
  constructor(bytes: Uint8Array, origin: Origin = {}, pathOnly = false) {
    super(bytes, origin)
    this.quiet = pathOnly
  }

  /** Returns the tree of everything read so far. */
  root(name: string): Span {
    const children = this.spans
    return this.inSpace({ name, type: 'struct', offset: this.base, length: this.pos, children })
  }

  /** Returns the dotted path of what is being read. Its last name is `field`, if there is one. */
  path(field: string | undefined): string {
    const names = field === undefined || this.names.at(-1) === field ? this.names : [...this.names, field]
    return names.join('.')
  }

  protected override number(name: string, type: NumberType, about?: string, large?: 'rounded'): number {
    return this.leaf(name, type, () => super.number(name, type, about, large), about)
  }
  override u64(name: string, about?: string): bigint {
    return this.leaf(name, 'uint64', () => super.u64(name), about)
  }
  override flag(name: string, about?: string, only01?: true): boolean {
    return this.leaf(name, 'bool', () => super.flag(name, about, only01), about)
  }
  override coded<V>(name: string, wire: Wire, coding: Coding<V>, about?: string): V {
    return this.leaf(name, `${coding.label}:${wire}`, () => super.coded(name, wire, coding), about)
  }
  override bytes(name: string, length: number, about?: string): Uint8Array {
    return this.leaf(name, 'bytes', () => super.bytes(name, length), about)
  }
  override sizes(name: string, count: number, about?: string, large?: 'rounded'): Float64Array {
    return this.leaf(name, 'uint64[]', () => super.sizes(name, count, about, large), about)
  }
  override strings(name: string, count: number, lengthWire: Wire, about?: string): string[] {
    return this.node(name, 'list', () => super.strings(name, count, lengthWire), about)
  }
  override struct<E>(name: string, describe: Describe<E>, about?: string): E {
    return this.node(name, 'struct', () => super.struct(name, describe), about)
  }
  override list<E>(name: string, count: number, describe: Describe<E>, about?: string): E[] {
    if (count > LONG_LIST) return this.longList(name, count, describe, about)
    let i = 0
    return this.node(name, 'list', () => super.list<E>(name, count, () => this.traced(i++, describe)), about)
  }
  override tuple<E>(describes: readonly Describe<E>[], names?: readonly string[]): E[] {
    return describes.map((describe, i) => this.traced(names?.[i] ?? i, describe))
  }
  override listToEnd<E>(name: string, describe: Describe<E>): E[] {
    let i = 0
    return this.node(name, 'list', () => super.listToEnd<E>(name, () => this.traced(i++, describe)))
  }
  override within<R>(
    name: string,
    lengthWire: Wire,
    describe: (io: Io<T>, length: number) => R,
    fixed?: FixedFrame<T>,
  ): R {
    return super.within<R>(name, lengthWire, (_, length) => this.named(name, () => describe(this, length)), fixed)
  }
  override rest(name: string, about?: string): Uint8Array {
    return this.remaining > 0 ? this.bytes(name, this.remaining, about) : new Uint8Array(0)
  }

  protected override text(name: string, length: number, about?: string): string {
    return this.leaf(name, 'text', () => super.text(name, length), about)
  }

  /** The length in front of a text or a frame has no `about` of its own. */
  protected override wire(name: string, wire: Wire, about = 'bytes'): number {
    const value = this.leaf(name, wire, () => super.wire(name, wire), about)
    // What follows is read by this length.
    const span = this.spans.at(-1)
    if (span && !this.quiet) span.bounds = true
    return value
  }

  override records<E>(
    name: string,
    count: number,
    stride: number | undefined,
    describe: Describe<E>,
    about?: string,
  ): { bytes: Uint8Array; starts: Float64Array | undefined } {
    const start = this.pos
    const result = this.quietly(name, () => super.records(name, count, stride, describe))
    const startOf = (index: number): number => result.starts?.[index] ?? index * (stride ?? 0)
    this.addElements({ name, about }, start, count, startOf, describe)
    return result
  }

  private longList<E>(name: string, count: number, describe: Describe<E>, about: string | undefined): E[] {
    const start = this.pos
    const starts: number[] = []
    const result = this.quietly(name, () =>
      super.list<E>(name, count, () => {
        starts.push(this.pos - start)
        return this.named(String(starts.length - 1), () => describe(this as AnyIo))
      }),
    )
    this.addElements({ name, about }, start, count, (index) => element(starts, index), describe)
    return result
  }

  /** Reads without recording spans. After a failure, one span covers the bytes that were read. */
  private quietly<V>(name: string, read: () => V): V {
    const quiet = this.quiet
    const at = this.pos
    this.quiet = true
    try {
      return this.named(name, read)
    } catch (error) {
      this.quiet = quiet
      if (this.pos > at) this.add(name, 'list', at, undefined)
      throw error
    } finally {
      this.quiet = quiet
    }
  }

  /** Records a list whose elements are traced on demand. */
  private addElements<E>(
    field: Pick<Span, 'name' | 'about'>,
    start: number,
    count: number,
    startOf: (index: number) => number,
    describe: Describe<E>,
  ): void {
    if (this.quiet) return
    const bytes = this.source.subarray(start, this.pos)
    const at = (index: number): Span => {
      const from = startOf(index)
      const to = index + 1 < count ? startOf(index + 1) : bytes.length
      const tracer = new Tracer<E>(bytes.subarray(from, to), { ...this.origin, offset: this.base + start + from })
      describe(tracer)
      return tracer.root(String(index))
    }
    this.spans.push(
      this.inSpace({
        ...field,
        type: 'list',
        offset: this.base + start,
        length: bytes.length,
        elements: { count, at },
      }),
    )
  }

  /** Reads and records a field. If its bytes are there but invalid, the span has no value. */
  private leaf<V>(name: string, type: string, read: () => V, about: string | undefined): V {
    const at = this.pos
    let value: V | undefined
    try {
      value = this.named(name, read)
      return value
    } finally {
      if (value !== undefined || this.pos > at) this.add(name, type, at, value, about)
    }
  }

  /** Reads an element of a list. */
  private traced<E>(name: string | number, describe: Describe<E>): E {
    return this.node(String(name), 'struct', () => describe(this as AnyIo))
  }

  /** Reads and records a field that consists of others. */
  private node<V>(name: string, type: string, read: () => V, about?: string): V {
    const at = this.pos
    const outer = this.spans
    const children: Span[] = []
    this.spans = children
    try {
      return this.named(name, read)
    } finally {
      this.spans = outer
      if (!this.quiet)
        outer.push(this.inSpace({ name, type, about, offset: this.base + at, length: this.pos - at, children }))
    }
  }

  /** Adds `name` to the path while reading. After a failure it stays there, for {@link path}. */
  private named<V>(name: string, read: () => V): V {
    this.names.push(name)
    const value = read()
    this.names.pop()
    return value
  }

  private add(name: string, type: string, at: number, value: unknown, about?: string): void {
    if (!this.quiet)
      this.spans.push(this.inSpace({ name, type, about, offset: this.base + at, length: this.pos - at, value }))
  }

  /** Notes the space that the span's offset counts in. */
  private inSpace(span: Span): Span {
    if (this.origin.space !== undefined) span.space = this.origin.space
    return span
  }
}
