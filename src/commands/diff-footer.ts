import type { Result } from '../base/result.ts'
import { differences, keyInPath } from '../calls/compare-results.ts'
import type { DiffLine } from '../documents/diff.ts'
import type { FooterDocument } from '../documents/footer.ts'
import { below } from './diff-comparison.ts'

/** Where something lies in a file of fragment metadata, by its path in the document of the footer. */
type Offsets = ReadonlyMap<string, number>

/** Keys of a footer's document that are offsets in its file. The others are those of {@link FooterField.offsets}. */
const OFFSET_KEYS = [
  'rtree_offset',
  'fragment_min_max_sum_null_count_offset',
  'processed_conditions_offset',
  'footer_offset',
] as const

/**
 * Differences of two footers. Offsets of sections that follow one another in the same order differ only because earlier sections are
 * longer or shorter: all of them are one difference.
 */
export function* footerDifferences(prefix: string, a: FooterDocument, b: FooterDocument): Generator<DiffLine> {
  const [left, right] = [split(a), split(b)]
  yield* differences(prefix, left.rest, right.rest)
  const shifted: { path: string; a: number; b: number }[] = []
  for (const path of new Set([...left.offsets.keys(), ...right.offsets.keys()])) {
    const [x, y] = [left.offsets.get(path), right.offsets.get(path)]
    if (x === undefined || y === undefined) yield { path: below(prefix, path), a: x ?? null, b: y ?? null }
    else if (x !== y) shifted.push({ path: below(prefix, path), a: x, b: y })
  }
  shifted.sort((one, other) => one.a - other.a)
  if (shifted.length > 1 && shifted.every(({ b }, i) => i === 0 || shifted[i - 1].b <= b)) {
    const by = shifted.map((one) => one.b - one.a)
    yield { ...shifted[0], more: shifted.length - 1, shifted_by: [Math.min(...by), Math.max(...by)] }
  } else yield* shifted
}

/** Takes the offsets out of a footer. */
function split(document: FooterDocument): { rest: Result; offsets: Offsets } {
  const offsets = new Map<string, number>()
  const rest: { [key: string]: Result | undefined } = { ...document }
  for (const key of OFFSET_KEYS) {
    const offset = rest[key]
    if (typeof offset !== 'number') continue
    offsets.set(key, offset)
    delete rest[key]
  }
  if (!('fields' in document)) return { rest, offsets }
  rest.fields = document.fields.map(({ offsets: own, ...field }) => {
    for (const [name, offset] of Object.entries(own ?? {}))
      if (offset !== undefined) offsets.set(`fields.${keyInPath(field.name)}.offsets.${name}`, offset)
    return field
  })
  return { rest, offsets }
}
