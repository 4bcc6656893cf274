import { codeParts } from '../advice/code-parts.ts'
import { shellLines } from './shell-lines.ts'
import { textWidth, wrapText } from './text-width.ts'

/**
 * A line of advice, Python or a command of a shell, on as many lines as it needs: they can be pasted. Where it does not fit, its note stands
 * before it, as comments. A text in quotes is never cut.
 * @param room columns; undefined for as many as there are
 */
export function codeLines(text: string, room: number | undefined): string[] {
  if (room === undefined || textWidth(text) <= room) return [text]
  const { code, note } = codeParts(text)
  const notes = note === undefined ? [] : wrapText(note, Math.max(1, room - 2)).map((one) => `# ${one}`)
  return [...notes, ...(isPython(code) ? pythonLines(code, room) : shellLines(code, room))]
}

function isPython(code: string): boolean {
  return !/^(?:tiledb-inspect|aws|rm) /.test(code)
}

const CONTINUED = ' \\'

/** Python goes on over the end of a line inside brackets, and after a backslash. */
function pythonLines(code: string, room: number): string[] {
  const lines: string[] = []
  const units = unitsOf(code)
  let line = ''
  for (const [i, { text, open }] of units.entries()) {
    const last = i === units.length - 1
    const longer = line + text
    // Room for a backslash, should the line end here.
    if (line.trim() !== '' && textWidth(longer.trimEnd()) + (last || open ? 0 : CONTINUED.length) > room) {
      const end = units[i - 1].open ? '' : CONTINUED
      lines.push(line.trimEnd() + end)
      line = `  ${text.trimStart()}`
    } else line = longer
  }
  return [...lines, line]
}

/** Parts after which Python may go on in another line. @returns each with whether a bracket is open at its end */
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
