import { element } from '../base/element.ts'
import type { ArraySchema } from './array-schema.ts'
import { type FragmentFooter, fragmentFooter } from './fragment-footer.ts'
import { fragmentSlots, type Slot } from './fragment-slots.ts'
import { trace } from './io.ts'
import type { NDRange } from './range.ts'
import type { Span } from './span.ts'
import { u64 } from './u32.ts'

/** Offset and length in bytes of a field of a footer. */
type FieldSpan = Pick<Span, 'offset' | 'length'>

/**
 * Offsets of the fields of a footer, since version 10. Nearly all footers of an array have the same layout. One of them is
 * traced with the description ({@link fragmentFooter}); the fields of the others are then read at the same offsets. With
 * a thousand footers this matters: reading one with the description takes ten times as long.
 */
export class FooterLayout {
  readonly schema: ArraySchema
  /** Fields whose values are the same in all footers of this layout. */
  readonly common: Pick<
    FragmentFooter,
    'version' | 'array_schema_name' | 'dense' | 'includes_timestamps' | 'includes_delete_metadata'
  >
  readonly slots: readonly Slot[]
  /** A 1 for each bit that is the same in all footers of this layout. */
  private readonly mask: Uint8Array
  /** The values of these bits; 0 elsewhere. */
  private readonly bits: Uint8Array
  /** Fields of the footer, by name. */
  private readonly places = new Map<string, FieldSpan>()
  /** Bounds of the non-empty domain: minimum, then maximum of each dimension. */
  private readonly ranges: FieldSpan[]

  /** @param footer a footer that {@link decode} accepts */
  constructor(footer: Uint8Array, schema: ArraySchema) {
    const { value, root } = trace(footer, fragmentFooter(schema), 'footer')
    this.schema = schema
    this.common = value as FragmentFooter
    this.slots = fragmentSlots(this.common.version, schema, this.common)
    this.mask = new Uint8Array(footer.length)
    this.bits = new Uint8Array(footer.length)
    for (const span of root.children ?? []) this.places.set(span.name, span)
    for (const span of leaves(root)) this.setMask(span)
    for (const [i, byte] of footer.entries()) this.bits[i] = byte & (this.mask[i] ?? 0)
    const domain = root.children?.find(({ name }) => name === 'nonempty_domain')
    this.ranges = domain ? [...leaves(domain)].filter(({ bounds }) => !bounds) : []
  }

  /**
   * Marks the bits of a field that must be the same. These are all bits of what the layout depends on, and of sizes the
   * bits that are 0 below 2^53. Other fields may have any value.
   */
  private setMask({ type, value, bounds, offset, length }: Span): void {
    if (type === 'bytes' || typeof value === 'bigint') return
    if (bounds || !type.startsWith('uint64')) this.mask.fill(0xff, offset, offset + length)
    else for (let at = offset; at < offset + length; at += 8) this.mask.set(HIGH_BITS, at + 6)
  }

  /** Whether a footer has this layout, and {@link decode} accepts it. */
  fits(footer: Uint8Array): boolean {
    const { mask, bits } = this
    if (footer.length !== mask.length) return false
    for (let i = 0; i < bits.length; i++) if (((footer[i] ?? 0) & (mask[i] ?? 0)) !== bits[i]) return false
    return true
  }

  /** Returns a list with a number for each slot. */
  sizes(footer: Uint8Array, name: 'file_sizes' | 'file_var_sizes' | 'file_validity_sizes'): Float64Array {
    const { offset, length } = this.places.get(name) as FieldSpan
    const out = new Float64Array(length / 8)
    for (let i = 0; i < out.length; i++) out[i] = u64(footer, offset + i * 8)
    return out
  }

  /** Returns a size or an offset: a single number, or the entry of a slot in a list. */
  size(footer: Uint8Array, name: keyof FragmentFooter, slot = 0): number {
    return u64(footer, (this.places.get(name) as FieldSpan).offset + slot * 8)
  }

  domain(footer: Uint8Array): NDRange {
    const bytes = ({ offset, length }: FieldSpan): Uint8Array => footer.subarray(offset, offset + length)
    return this.schema.domain.dimensions.map((_, d) => ({
      min: bytes(element(this.ranges, 2 * d)),
      max: bytes(element(this.ranges, 2 * d + 1)),
    }))
  }
}

/** Mask of the bits in the two highest bytes of a uint64 that are 0 below 2^53. */
const HIGH_BITS = [0xe0, 0xff]

function* leaves({ children, ...span }: Span): Generator<Span> {
  if (!children) yield span
  else for (const child of children) yield* leaves(child)
}
