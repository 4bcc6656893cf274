import { escapeText } from '../render/units.ts'

/** Longest text in characters that is not cut. */
const LONGEST = 2000
/** Longest text in characters that tables do not break into lines, such as a number or a date. */
const SHORT = 24
/** Where a name in a heading may break: after a sign between two words, and before a capital letter. */
const BETWEEN_WORDS = /(?<=[_.:/-])|(?<=[a-z\d])(?=[A-Z])/

/**
 * Text of the target, such as a name, a value or a message. It may hold anything. So it is never taken as HTML, and `bdi` keeps its
 * direction to itself. Characters that mislead the reader are escaped as on the command line.
 * @param isHeading whether it breaks only between its words: a narrow column of numbers would break it at every letter
 */
export function Text({ children, isHeading }: { children: string; isHeading?: boolean }) {
  const isCut = children.length > LONGEST
  const text = escapeText(children.slice(0, LONGEST))
  return (
    <bdi class={children.length > SHORT ? 'text' : 'text short'}>
      {isHeading ? text.split(BETWEEN_WORDS).map((word) => [word, <wbr key="" />]) : text}
      {isCut && '…'}
    </bdi>
  )
}
