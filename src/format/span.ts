/**
 * A named range of bytes: one node of the tree that shows what every byte of a file means. Children lie inside their
 * parent. `space` is set if offsets count in unfiltered content instead of in the file.
 */
export interface Span {
  name: string
  /** `uint32`, `text`, `struct`, `list`, `gap`… */
  type: string
  offset: number
  /** Bytes. */
  length: number
  value?: unknown
  /** Unit and meaning of the field, from its description (about.ts). */
  about?: string | undefined
  space?: string | undefined
  /** Whether the value is a count or length of something that follows. Reading that confirms the value. */
  bounds?: boolean
  children?: Span[]
  /** Present for a long list, which keeps only the starts of its elements. `at` traces an element again. */
  elements?: { count: number; at(index: number): Span }
}

/** Yields all children of a span, including the elements of a long list. */
export function* childrenOf(span: Span): Generator<Span> {
  if (span.children) yield* span.children
  if (span.elements) for (let i = 0; i < span.elements.count; i++) yield span.elements.at(i)
}
