import type { Cells } from './elements.ts'

/** Where a value lies in a buffer. */
export interface ByteRange {
  from: number
  to: number
}

/**
 * Smallest and largest of fixed-sized texts, compared like `strncmp`: by unsigned bytes, up to a zero byte. The first of
 * equal texts is taken.
 *
 * @returns undefined if there are no cells
 */
export function fixedTextExtremes(
  data: Uint8Array,
  size: number,
  { length, at }: Cells,
): { min: ByteRange; max: ByteRange } | undefined {
  if (length === 0) return undefined
  let min = (at ? at[0] : 0) * size
  let max = min
  for (let i = 1; i < length; i++) {
    const value = (at ? at[i] : i) * size
    if (compareText(data, min, value, size) > 0) min = value
    if (compareText(data, max, value, size) < 0) max = value
  }
  return { min: { from: min, to: min + size }, max: { from: max, to: max + size } }
}

/** {@link fixedTextExtremes} for var-sized texts. If one is a prefix of another, the shorter is smaller. */
export function varTextExtremes(
  data: Uint8Array,
  starts: Float64Array,
  { length, at }: Cells,
): { min: ByteRange; max: ByteRange } | undefined {
  if (length === 0) return undefined
  const first = at ? at[0] : 0
  const min = { from: starts[first], to: starts[first + 1] }
  const max = { ...min }
  for (let i = 1; i < length; i++) {
    const cell = at ? at[i] : i
    const from = starts[cell]
    const to = starts[cell + 1]
    if (compareVar(data, min, from, to) > 0) {
      min.from = from
      min.to = to
    }
    if (compareVar(data, max, from, to) < 0) {
      max.from = from
      max.to = to
    }
  }
  return { min, max }
}

function compareVar(data: Uint8Array, a: ByteRange, from: number, to: number): number {
  const aLength = a.to - a.from
  const bLength = to - from
  return compareText(data, a.from, from, Math.min(aLength, bLength)) || aLength - bLength
}

function compareText(data: Uint8Array, a: number, b: number, length: number): number {
  for (let i = 0; i < length; i++) {
    const difference = data[a + i] - data[b + i]
    if (difference !== 0) return difference
    if (data[a + i] === 0) return 0
  }
  return 0
}
