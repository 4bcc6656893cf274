import { escapeText } from '../render/units.ts'

/** Texts of more characters are cut. */
const LONGEST = 2000
/** Tables do not break texts of up to so many characters into lines: numbers, dates and the like. */
const SHORT = 24
/** Where a name in a heading may break: after a sign that separates words, and before a capital letter. */
const BETWEEN_WORDS = /(?<=[_.:/-])|(?<=[a-z\d])(?=[A-Z])/
/** Where ranges may break, if all parts are short: else the digits of a number would. */
const IN_RANGE = /(?<=\.\.)/
const SHORT_PART = 40

/**
 * Text from the target, such as a name, a value or a message. The text may hold anything. So it is never taken as HTML, and `bdi` keeps
 * its direction of writing from what is around it. Characters that mislead the reader are escaped, as on the command line.
 * @param isHeading whether the text may break only between words: a narrow column of numbers would break it at every letter
 */
export function Text({ children, isHeading }: { children: string; isHeading?: boolean }) {
  const isCut = children.length > LONGEST
  const text = escapeText(children.slice(0, LONGEST))
  const words = text.split(isHeading ? BETWEEN_WORDS : IN_RANGE)
  const isRange = !isHeading && words.length > 1 && words.every(({ length }) => length <= SHORT_PART)
  const isShort = children.length <= SHORT
  return (
    <bdi class={`text${isShort ? ' short' : ''}${isRange ? ' range' : ''}`}>
      {words.map((word, i) => [i > 0 && <wbr />, word])}
      {isCut && '…'}
    </bdi>
  )
}
