import { element } from '../base/element.ts'
import { Slab } from '../base/slab.ts'
import type { ArraySchema } from './array-schema.ts'
import { FRAGMENT_SECTIONS, type FragmentFooter, fragmentFooter, SLOT_SECTIONS } from './fragment-footer.ts'
import { fragmentSlots, type Slot } from './fragment-slots.ts'
import { decode, type Origin, trace } from './io.ts'
import { type SectionPlace, sectionPlaces } from './metadata-sections.ts'
import type { NDRange } from './range.ts'
import type { Span } from './span.ts'
import { u64, u64s } from './u32.ts'

/** Offset and length in bytes of a field of a footer. */
type FieldSpan = Pick<Span, 'offset' | 'length'>

/**
 * Offsets of the fields of a footer, since version 10. Nearly all footers of an array have the same layout. One of them is
 * traced with the description ({@link fragmentFooter}); the fields of the others are then read at the same offsets. With
 * a thousand footers this matters: reading one with the description takes ten times as long.
 *
 * Footers are compared in words of 4 bytes: most of them are read by code that V8 has not optimized, where each step of a loop costs.
 */
export class FooterLayout {
  readonly schema: ArraySchema
  /** Fields whose values are the same in all footers of this layout; of `slack` only the length. */
  readonly common: Pick<
    FragmentFooter,
    | 'version'
    | 'array_schema_name'
    | 'dense'
    | 'includes_timestamps'
    | 'includes_delete_metadata'
    | 'optional_sections'
    | 'null_nonempty_domain'
    | 'slack'
  >
  readonly slots: readonly Slot[]
  /** Bytes of the footer. */
  readonly length: number
  /** The footer that the layout was made of. */
  private readonly example: Int32Array
  /** The footer that was decoded last. */
  private lastDecoded: { kept: KeptFooter; value: FragmentFooter } | undefined
  /** A 1 for each bit that is the same in all footers of this layout. */
  private readonly mask: Int32Array
  /** The values of these bits; 0 elsewhere. */
  private readonly bits: Int32Array
  /** Memory for the words of one footer, and the bytes of it. */
  private readonly room: Int32Array
  private readonly roomBytes: Uint8Array
  /** The footer in it, if it was packed or unpacked last: its fields are asked for one after another. */
  private inRoom: PackedFooter | undefined
  /** Memory for domains of packed footers. */
  private readonly domains = new Slab()
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
    this.length = footer.length
    this.example = wordsOf(footer)
    this.common = value as FragmentFooter
    this.slots = fragmentSlots(this.common.version, schema, this.common)
    for (const span of root.children ?? []) this.places.set(span.name, span)
    const mask = new Uint8Array(footer.length)
    for (const span of leaves(root)) setMask(mask, span)
    this.mask = wordsOf(mask)
    this.bits = this.example.map((word, i) => word & (this.mask[i] ?? 0))
    this.room = wordsOf(footer)
    this.roomBytes = new Uint8Array(this.room.buffer, 0, footer.length)
    const domain = root.children?.find(({ name }) => name === 'nonempty_domain')
    this.examplePlaces = sectionPlaces(value as FragmentFooter, this.slots)
    this.sections = SECTION_KEYS.flatMap((key) => this.places.get(key) ?? [])
    this.ranges = domain ? [...leaves(domain)].filter(({ bounds }) => !bounds) : []
  }

  /** Whether a footer has this layout, and {@link decode} accepts it. */
  fits(footer: Uint8Array): boolean {
    const { mask, bits } = this
    if (footer.length !== this.length) return false
    const words = this.words(footer)
    const count = bits.length
    for (let i = 0; i < count; i++) if (((words[i] ?? 0) & (mask[i] ?? 0)) !== bits[i]) return false
    return true
  }

  /** The words of a footer of this length, until the next call. */
  private words(footer: Uint8Array): Int32Array {
    this.inRoom = undefined
    this.roomBytes.set(footer)
    return this.room
  }

  /**
   * Packs a footer of this layout: the words in which it differs from another one. Most words are parts of sizes and offsets that are
   * the same in all fragments, so this is a fifth of the footer.
   * @param footer of at most 64 KiB; its bytes may be overwritten later
   * @param slab the memory for what is packed
   */
  packed(footer: Uint8Array, slab: Slab): PackedFooter {
    const { example } = this
    const words = this.words(footer)
    const differing: number[] = []
    for (let i = 0; i < example.length; i++) if (words[i] !== example[i]) differing.push(i)
    const { buffer, byteOffset } = slab.take(differing.length * PACKED_WORD * Uint16Array.BYTES_PER_ELEMENT)
    const packed = new Uint16Array(buffer, byteOffset, differing.length * PACKED_WORD)
    let at = 0
    for (const i of differing) {
      const word = words[i] ?? 0
      packed[at++] = i
      packed[at++] = word
      packed[at++] = word >>> 16
    }
    this.inRoom = packed
    return packed
  }

  /**
   * The bytes of a footer, until the next footer is packed, unpacked or compared. The caller must not change them. No memory is made for
   * them: several fields of 66,000 footers are asked for one by one.
   */
  unpacked(kept: KeptFooter): Uint8Array {
    if (kept instanceof Uint8Array) return kept
    if (this.inRoom === kept) return this.roomBytes
    const { room } = this
    room.set(this.example)
    for (let at = 0; at < kept.length; at += PACKED_WORD) {
      room[element(kept, at)] = (kept[at + 1] ?? 0) | ((kept[at + 2] ?? 0) << 16)
    }
    this.inRoom = kept
    return this.roomBytes
  }

  /** The fields of a footer. They are kept for one footer only: they take ten times its bytes. */
  decoded(kept: KeptFooter, origin: Origin): FragmentFooter {
    if (this.lastDecoded?.kept === kept) return this.lastDecoded.value
    const value = decode(this.unpacked(kept).slice(), fragmentFooter(this.schema), origin)
    this.lastDecoded = { kept, value }
    return value
  }

  /** Returns a list with a number for each slot. */
  sizes(footer: Uint8Array, name: 'file_sizes' | 'file_var_sizes' | 'file_validity_sizes'): Float64Array {
    const { offset, length } = this.places.get(name) as FieldSpan
    return u64s(footer.subarray(offset, offset + length))
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

  /** The non-empty domain of a footer, which stays valid. */
  domainOf(kept: KeptFooter): NDRange {
    if (kept instanceof Uint8Array) return this.domain(kept)
    const domain = this.domain(this.unpacked(kept))
    for (const range of domain) {
      range.min = this.domains.copy(range.min)
      range.max = this.domains.copy(range.max)
    }
    return domain
  }

  /** The non-empty domain, as parts of a footer. */
  domain(footer: Uint8Array): NDRange {
    const bytes = ({ offset, length }: FieldSpan): Uint8Array => footer.subarray(offset, offset + length)
    return this.schema.domain.dimensions.map((_, d) => ({
      min: bytes(element(this.ranges, 2 * d)),
      max: bytes(element(this.ranges, 2 * d + 1)),
    }))
  }
}

/** What {@link FooterLayout.packed} makes. */
type PackedFooter = Uint16Array
/** A footer as it is kept: packed, or its bytes. */
export type KeptFooter = PackedFooter | Uint8Array

/** Elements of a packed word: its index, and its halves. */
const PACKED_WORD = 3

/** Keys of the fields with the offsets of sections. */
const SECTION_KEYS: readonly string[] = [
  ...SLOT_SECTIONS.map(({ key }) => key),
  ...Object.keys(FRAGMENT_SECTIONS).map((name) => `${name}_offset`),
]

/** Mask of the bits in the two highest bytes of a uint64 that are 0 below 2^53. */
const HIGH_BITS = [0xe0, 0xff]

/** Bytes as words of 4 bytes, with zeros at the end if they do not fill the last one. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(Math.ceil(bytes.length / Int32Array.BYTES_PER_ELEMENT))
  new Uint8Array(words.buffer).set(bytes)
  return words
}

/**
 * Marks the bits of a field that must be the same. These are all bits of what the layout depends on, and of sizes the
 * bits that are 0 below 2^53. Other fields may have any value.
 */
function setMask(mask: Uint8Array, { type, value, bounds, offset, length }: Span): void {
  if (type === 'bytes' || typeof value === 'bigint') return
  if (bounds || !type.startsWith('uint64')) mask.fill(0xff, offset, offset + length)
  else for (let at = offset; at < offset + length; at += 8) mask.set(HIGH_BITS, at + 6)
}

function* leaves({ children, ...span }: Span): Generator<Span> {
  if (!children) yield span
  else for (const child of children) yield* leaves(child)
}
