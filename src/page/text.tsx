import { escapeText } from '../render/units.ts'

/** Longest text in characters that is not cut. */
const LONGEST = 2000
/** Longest text in characters that tables do not break into lines, such as a number or a date. */
const SHORT = 24

/**
 * Text of the target, such as a name, a value or a message. It may hold anything. So it is never taken as HTML, and `bdi` keeps its
 * direction to itself. Characters that mislead the reader are escaped as on the command line.
 */
export function Text({ children }: { children: string }) {
  const isCut = children.length > LONGEST
  return (
    <bdi class={children.length > SHORT ? 'text' : 'text short'}>
      {escapeText(children.slice(0, LONGEST))}
      {isCut && '…'}
    </bdi>
  )
}
