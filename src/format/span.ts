/**
 * A named run of bytes: one node of the tree that says what every byte of a file means.
 * Children lie inside their parent. `space` is set where offsets count inside content below a filter, not in the file.
 */
export interface Span {
  name: string
  /** `uint32`, `text`, `struct`, `list`, `gap`… */
  type: string
  offset: number
  /** Bytes. */
  length: number
  value?: unknown
  /** What the field means, as its description says it (about.ts). */
  about?: string | undefined
  space?: string | undefined
  /** A count or length that says how much of something follows: reading on proves it. */
  bounds?: boolean
  children?: Span[]
  /** A long list keeps only where its elements start; they are traced again when asked for. */
  elements?: { count: number; at(index: number): Span }
}

/** All children of a span, long lists expanded. */
export function* childrenOf(span: Span): Generator<Span> {
  if (span.children) yield* span.children
  if (span.elements) for (let i = 0; i < span.elements.count; i++) yield span.elements.at(i)
}

/**
 * Checks that the children of every span in its own space lie side by side and cover it.
 * @returns the first hole or overlap, in words; undefined when there is none
 */
export function coverageFault(span: Span): string | undefined {
  let at = span.offset
  let any = false
  for (const child of childrenOf(span)) {
    if (child.space !== span.space) {
      const inner = coverageFault(child)
      if (inner) return inner
      continue
    }
    any = true
    if (child.offset !== at) return `${span.name}: ${child.name} starts at ${child.offset}, expected ${at}`
    const inner = coverageFault(child)
    if (inner) return inner
    at += child.length
  }
  if (any && at !== span.offset + span.length)
    return `${span.name}: children end at ${at}, expected ${span.offset + span.length}`
  return undefined
}
