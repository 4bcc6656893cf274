import type { Prose } from '../base/prose.ts'

/** Matches code and the note after it. Quoted texts may contain what looks like the beginning of a note. */
const PARTS = /^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'])*?)(?: {2}# (.*))?$/s

/** Splits a line of advice into its code and its note. */
export function codeParts(line: Prose): { code: string; note: string | undefined } {
  const [, code = line, note] = PARTS.exec(line) ?? []
  return { code, note }
}
