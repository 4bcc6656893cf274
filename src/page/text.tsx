import { escapeText } from '../render/units.ts'

/** Characters of a text that are shown before it is cut. */
const LONGEST = 2000

/**
 * Text of the target: names, values, messages. It may hold anything, so it is never taken as HTML, characters that mislead the reader
 * are escaped as on the command line, its direction does not change that of its surroundings, and what is very long is cut.
 */
export function Text({ children }: { children: string }) {
  const isCut = children.length > LONGEST
  return (
    <bdi class="text">
      {escapeText(children.slice(0, LONGEST))}
      {isCut && '…'}
    </bdi>
  )
}
