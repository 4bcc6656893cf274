/** Code and the note behind it. Texts in quotes may hold what looks like the beginning of a note. */
const PARTS = /^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'])*?)(?: {2}# (.*))?$/s

/** The parts of a line of advice. */
export function codeParts(line: string): { code: string; note: string | undefined } {
  const [, code = line, note] = PARTS.exec(line) ?? []
  return { code, note }
}
