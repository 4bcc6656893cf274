import { childrenOf, type Span } from '../../src/format/span.ts'

/**
 * Checks that the children of every span cover it without holes and overlaps. Children in another space are not
 * counted.
 * @returns a description of the first hole or overlap; undefined if there is none
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
