import { escapeText } from '../render/units.ts'

/** Texts of more characters are cut. */
const LONGEST = 2000
/** Tables do not break texts of up to so many characters into lines: numbers, dates and the like. */
const SHORT = 24
/** Where a name in a heading may break: after a sign that separates words, and before a capital letter. */
const BETWEEN_WORDS = /(?<=[_.:/-])|(?<=[a-z\d])(?=[A-Z])/
/** Where a range may break: a number with many digits would break within. */
const WITHIN_RANGE = /(?<=\.\.)/

/**
 * Text from the target, such as a name, a value or a message. The text may hold anything. So it is never taken as HTML, and `bdi` keeps
 * its direction of writing from what is around it. Characters that mislead the reader are escaped, as on the command line.
 * @param isHeading whether the text may break only between words: a narrow column of numbers would break it at every letter
 */
export function Text({ children, isHeading }: { children: string; isHeading?: boolean }) {
  const isCut = children.length > LONGEST
  const text = escapeText(children.slice(0, LONGEST))
  return (
    <bdi class={children.length > SHORT ? 'text' : 'text short'}>
      {text.split(isHeading ? BETWEEN_WORDS : WITHIN_RANGE).map((word, i) => [i > 0 && <wbr />, word])}
      {isCut && '…'}
    </bdi>
  )
}
