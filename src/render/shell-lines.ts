import { textWidth } from './text-width.ts'

/** A word of a shell command. It may contain quoted spaces. */
const WORD = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g
/** Words that join two commands. The second command starts a new line. */
const JOINS: readonly string[] = ['&&', '||', '|']

/**
 * Wraps a long command. Each line but the last ends in a backslash, so that a shell joins the lines. No word is cut.
 * @param room width in columns
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

/** Returns groups of words that stay on one line: an option and its value, `>` and its file, a command and the word that joins it to the next. */
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
