import { InspectError } from '../../src/base/errors.ts'
import { hex } from '../../src/filters/bytes.ts'
import { type Describe, decode, encode, trace } from '../../src/format/io.ts'
import type { Span } from '../../src/format/span.ts'
import { coverageFault } from './coverage.ts'
import type { Random } from './random.ts'

/** Bytes of one structure, and the laws that its description must keep on them. */
export interface Specimen {
  /** `footer`, `rtree`… */
  structure: string
  version: number
  /** Where it was found, for messages. */
  where: string
  bytes: Uint8Array
  /** What every byte of it means. */
  spans(): Span
  /** `encode(decode(bytes))`. */
  roundTrip(): Uint8Array
  /** What is wrong with the spans of a trace, in words; undefined when they cover every byte once. */
  coverage(): string | undefined
  /**
   * Reads the first `length` bytes alone. `refused`: InspectError; `shorter`: they are a whole value of their own;
   * anything else is a fault and raised.
   */
  prefix(length: number): 'refused' | 'shorter'
  /**
   * Reads other bytes as this structure: what is read is written back as it was, spans lie over every byte.
   * @throws InspectError where they are refused; anything else is a fault
   */
  read(bytes: Uint8Array): void
  /** Writes the value after `change`: what comes out is read as what was written, or a TypeError says what does not fit. */
  write(change: (value: unknown) => void): void
  /** The description ends in bytes or elements without a count: some prefixes are whole values. */
  openEnded: boolean
}

export function specimen<T>(
  head: { structure: string; version: number; where: string; openEnded?: boolean },
  bytes: Uint8Array,
  describe: Describe<T>,
): Specimen {
  return {
    openEnded: false,
    ...head,
    bytes,
    spans: () => trace(bytes, describe, head.structure).root,
    roundTrip: () => encode(decode(bytes, describe), describe),
    coverage: () => coverageOf(bytes, describe, head.structure),
    prefix(length) {
      const part = bytes.slice(0, length)
      try {
        const value = decode(part, describe)
        const again = encode(value, describe)
        if (!sameBytes(again, part))
          throw new Error(`prefix of ${length}: read as a value of ${again.length} other bytes`)
        return 'shorter'
      } catch (error) {
        if (error instanceof InspectError) return 'refused'
        throw new Error(`prefix of ${length}: ${String(error)}`, { cause: error })
      }
    },
    read(other) {
      // Of what is refused, too, a tree is made.
      trace(other, describe, head.structure)
      const value = decode(other, describe)
      const again = encode(value, describe)
      if (!sameBytes(again, other)) throw new Error(`${hex(other)} is written back as ${hex(again)}`)
      const fault = coverageOf(other, describe, head.structure)
      if (fault !== undefined) throw new Error(fault)
    },
    write(change) {
      const value = decode(bytes, describe)
      change(value)
      const written = encode(value, describe)
      const again = encode(decode(written, describe), describe)
      if (!sameBytes(again, written)) throw new Error(`${hex(written)} is written back as ${hex(again)}`)
    },
  }
}

function coverageOf<T>(bytes: Uint8Array, describe: Describe<T>, name: string): string | undefined {
  const { root, error } = trace(bytes, describe, name, { offset: 1000 })
  if (error) return `trace: ${error.message}`
  if (root.offset !== 1000 || root.length !== bytes.length) return `root spans ${root.offset}+${root.length}`
  return coverageFault(root)
}

const ALL_PREFIXES = 400
const SOME = 100

/** All proper prefixes of short bytes; the shortest, the longest and some between of long ones. */
export function prefixLengths(length: number, random: Random): number[] {
  if (length <= ALL_PREFIXES) return Array.from({ length }, (_, i) => i)
  const ends = Array.from({ length: SOME }, (_, i) => [i, length - 1 - i]).flat()
  return [...ends, ...Array.from({ length: SOME }, () => random.below(length))]
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
