import { textWidth } from './text-width.ts'

/** A word of a shell command: quotes hold spaces together. */
const WORD = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g
/** A command that follows another one stands on a line of its own. */
const JOINS: readonly string[] = ['&&', '||', '|']

/**
 * A long command on several lines, each but the last with a backslash at its end: a shell takes them for one line, however they are
 * indented. No word is cut.
 * @param room columns
 */
export function shellLines(command: string, room: number): string[] {
  if (textWidth(command) <= room) return [command]
  const lines: string[] = []
  let isFirst = true
  for (const unit of unitsOf(command.match(WORD) ?? [])) {
    const line = `${lines.at(-1)} ${unit}`
    if (isFirst || textWidth(`${line} \\`) > room) lines.push(isFirst ? unit : `  ${unit}`)
    else lines[lines.length - 1] = line
    isFirst = JOINS.some((join) => unit.endsWith(` ${join}`))
  }
  return lines.map((text, i) => (i < lines.length - 1 ? `${text} \\` : text))
}

/** Words that are not parted: an option and its value, `>` and its file, a command and what joins it to the next. */
function unitsOf(words: readonly string[]): string[] {
  const units: string[] = []
  let isOpen = false
  for (const word of words) {
    if (JOINS.includes(word) || (isOpen && !word.startsWith('-'))) units.push(`${units.pop()} ${word}`)
    else units.push(word)
    isOpen = word === ':' || word === '>' || word.startsWith('--')
  }
  return units
}
