import { type AdviceLine, lineText } from '../advice/line.ts'
import { shellLines } from './shell-lines.ts'
import { textWidth, wrapText } from './text-width.ts'

/** What is shown of a line of advice, or a command. */
export type CodeLine = Pick<AdviceLine, 'code' | 'note'>

/**
 * Wraps a line of advice, Python or a shell command, into lines that can be pasted. If it is wrapped, its note becomes comments
 * before it. A quoted text is never cut.
 * @param room width in columns; undefined for no limit
 */
export function codeLines(line: CodeLine, room: number | undefined): string[] {
  const { code, note } = line
  const text = lineText(line)
  if (room === undefined || textWidth(text) <= room) return [text]
  const notes = note === undefined ? [] : wrapText(note, Math.max(1, room - 2)).map((one) => `# ${one}`)
  return [...notes, ...(isPython(code) ? pythonLines(code, room) : shellLines(code, room))]
}

function isPython(code: string): boolean {
  return !/^(?:tiledb-inspect|aws|rm) /.test(code)
}

const CONTINUED = ' \\'

/** Wraps Python code. A line may end inside brackets, or with a backslash. */
function pythonLines(code: string, room: number): string[] {
  const lines: string[] = []
  const units = unitsOf(code)
  let line = ''
  for (const [i, { text, open }] of units.entries()) {
    const last = i === units.length - 1
    const longer = line + text
    // The line may need a backslash at its end.
    if (line.trim() !== '' && textWidth(longer.trimEnd()) + (last || open ? 0 : CONTINUED.length) > room) {
      const end = units[i - 1].open ? '' : CONTINUED
      lines.push(line.trimEnd() + end)
      line = `  ${text.trimStart()}`
    } else line = longer
  }
  return [...lines, line]
}

/** Splits Python code at the places where a line may end. @returns the parts, and whether a bracket is open after each */
function unitsOf(code: string): { text: string; open: boolean }[] {
  const units: { text: string; open: boolean }[] = []
  let [depth, start] = [0, 0]
  for (const { 0: token, index } of code.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[([{]+| +|./gs)) {
    if (/^[([{]/.test(token)) depth += token.length
    else if (/^[)\]}]/.test(token)) depth--
    if (!/^[ ([{]/.test(token)) continue
    const end = index + token.length
    units.push({ text: code.slice(start, end), open: depth > 0 })
    start = end
  }
  if (start < code.length) units.push({ text: code.slice(start), open: depth > 0 })
  return units
}
