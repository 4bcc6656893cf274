import { element } from '../base/element.ts'
import type { ArraySchema } from './array-schema.ts'
import { FRAGMENT_SECTIONS, type FragmentFooter, fragmentFooter, SLOT_SECTIONS } from './fragment-footer.ts'
import { fragmentSlots, type Slot } from './fragment-slots.ts'
import { decode, type Origin, trace } from './io.ts'
import { type SectionPlace, sectionPlaces } from './metadata-sections.ts'
import type { NDRange } from './range.ts'
import type { Span } from './span.ts'
import { u16, u64 } from './u32.ts'

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
    | 'version'
    | 'array_schema_name'
    | 'dense'
    | 'includes_timestamps'
    | 'includes_delete_metadata'
    | 'optional_sections'
    | 'null_nonempty_domain'
  >
  readonly slots: readonly Slot[]
  /** The footer that the layout was made of. */
  private readonly example: Uint8Array
  /** The footer that was unpacked last: its fields are asked for one after another. */
  private last: { packed: Uint8Array; footer: Uint8Array; value?: FragmentFooter } | undefined
  /** A 1 for each bit that is the same in all footers of this layout. */
  private readonly mask: Uint8Array
  /** The values of these bits; 0 elsewhere. */
  private readonly bits: Uint8Array
  /** Fields of the footer, by name. */
  private readonly places = new Map<string, FieldSpan>()
  /** Bounds of the non-empty domain: minimum, then maximum of each dimension. */
  private readonly ranges: FieldSpan[]
  /** The fields with the offsets of sections. */
  private readonly sections: FieldSpan[]
  /** The sections of the footer that the layout was made of. Others have the same ones elsewhere. */
  private readonly examplePlaces: readonly SectionPlace[]

  /** @param footer a footer that {@link decode} accepts */
  constructor(footer: Uint8Array, schema: ArraySchema) {
    const { value, root } = trace(footer, fragmentFooter(schema), 'footer')
    this.schema = schema
    this.example = footer.slice()
    this.common = value as FragmentFooter
    this.slots = fragmentSlots(this.common.version, schema, this.common)
    this.mask = new Uint8Array(footer.length)
    this.bits = new Uint8Array(footer.length)
    for (const span of root.children ?? []) this.places.set(span.name, span)
    for (const span of leaves(root)) this.setMask(span)
    for (const [i, byte] of footer.entries()) this.bits[i] = byte & (this.mask[i] ?? 0)
    const domain = root.children?.find(({ name }) => name === 'nonempty_domain')
    this.examplePlaces = sectionPlaces(value as FragmentFooter, this.slots)
    this.sections = SECTION_KEYS.flatMap((key) => this.places.get(key) ?? [])
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

  /** Bytes of the footer. */
  get length(): number {
    return this.example.length
  }

  /**
   * Packs a footer of this layout: the bytes in which it differs from another one, each after its offset. Most bytes are parts of sizes and
   * offsets that are the same in all fragments, so this is a fifth of the footer.
   * @param footer of at most 64 KiB
   */
  packed(footer: Uint8Array): Uint8Array {
    const { example } = this
    let count = 0
    for (let i = 0; i < example.length; i++) if (footer[i] !== example[i]) count++
    const packed = new Uint8Array(count * PACKED_BYTES)
    let at = 0
    for (let i = 0; i < example.length; i++) {
      if (footer[i] === example[i]) continue
      packed[at++] = i & 0xff
      packed[at++] = i >>> 8
      packed[at++] = element(footer, i)
    }
    return packed
  }

  /** The footer that {@link packed} has packed. The caller must not change it. */
  unpacked(packed: Uint8Array): Uint8Array {
    if (this.last?.packed === packed) return this.last.footer
    const footer = this.example.slice()
    for (let at = 0; at < packed.length; at += PACKED_BYTES) footer[u16(packed, at)] = element(packed, at + 2)
    this.last = { packed, footer }
    return footer
  }

  /** The fields of a footer that {@link packed} has packed. They are kept for one footer only: they take ten times its bytes. */
  decoded(packed: Uint8Array, origin: Origin): FragmentFooter {
    const value = (this.last?.packed === packed ? this.last.value : undefined) ?? this.decode(packed, origin)
    if (this.last) this.last.value = value
    return value
  }

  private decode(packed: Uint8Array, origin: Origin): FragmentFooter {
    return decode(this.unpacked(packed), fragmentFooter(this.schema), origin)
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

  /** {@link sectionPlaces} of a footer without optional sections. */
  sectionPlaces(footer: Uint8Array): SectionPlace[] {
    return this.examplePlaces.map(({ name, key, slot }) => {
      return { name, key, slot, offset: key === undefined ? 0 : this.size(footer, key, slot) }
    })
  }

  /**
   * Where the section at an offset ends at the latest: where the next one begins, or at `end`. Optional sections are not looked at.
   */
  sectionEnd(footer: Uint8Array, offset: number, end: number): number {
    let next = end
    for (const field of this.sections) {
      for (let at = field.offset; at < field.offset + field.length; at += 8) {
        const start = u64(footer, at)
        if (start > offset && start < next) next = start
      }
    }
    return next
  }

  /** {@link size}; undefined if footers of this layout have no such field or entry. */
  sizeIn(footer: Uint8Array, name: keyof FragmentFooter, slot: number): number | undefined {
    const place = this.places.get(name)
    return place && slot * 8 < place.length ? u64(footer, place.offset + slot * 8) : undefined
  }

  domain(footer: Uint8Array): NDRange {
    const bytes = ({ offset, length }: FieldSpan): Uint8Array => footer.subarray(offset, offset + length)
    return this.schema.domain.dimensions.map((_, d) => ({
      min: bytes(element(this.ranges, 2 * d)),
      max: bytes(element(this.ranges, 2 * d + 1)),
    }))
  }
}

/** Bytes of a packed byte: its offset and itself. */
const PACKED_BYTES = 3

/** Keys of the fields with the offsets of sections. */
const SECTION_KEYS: readonly string[] = [
  ...SLOT_SECTIONS.map(({ key }) => key),
  ...Object.keys(FRAGMENT_SECTIONS).map((name) => `${name}_offset`),
]

/** Mask of the bits in the two highest bytes of a uint64 that are 0 below 2^53. */
const HIGH_BITS = [0xe0, 0xff]

function* leaves({ children, ...span }: Span): Generator<Span> {
  if (!children) yield span
  else for (const child of children) yield* leaves(child)
}
