import { escapeText } from '../render/units.ts'

/** Characters of a text that are shown before it is cut. */
const LONGEST = 2000
/** Of a text that tables do not break into lines, such as a number or a date. */
const SHORT = 24

/**
 * Text of the target: names, values, messages. It may hold anything, so it is never taken as HTML, characters that mislead the reader
 * are escaped as on the command line, its direction does not change that of its surroundings, and what is very long is cut.
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
