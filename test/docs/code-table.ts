import { fileURLToPath } from 'node:url'
import {
  ADVICE_CODES,
  FINDING_CODES,
  type FindingCode,
  MEANINGS,
  type Meaning,
  type Severity,
} from '../../src/check/codes.ts'
import { WAYS, wayOf } from '../../src/plan/mending.ts'

export const CHECK_PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

/** The line between a table's header and its rows. */
const HEAD = /\| --- \| --- \| --- \|(?: --- \|)?\n/g

/**
 * Renews the tables of codes in docs/check.md from src/check/codes.ts. The codes of damage have their usual severity and meaning
 * first, then their other ones. The codes of advice follow.
 */
export function checkPage(page: string): string {
  return withTable(withTable(page, '## Codes', FINDING_CODES), '## Advice', ADVICE_CODES)
}

function withTable(
  page: string,
  heading: string,
  codes: Readonly<Record<string, readonly [...Meaning, ...unknown[]]>>,
): string {
  const others: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = MEANINGS
  const rows = Object.entries(codes).flatMap(([code, meaning]) =>
    [meaning, ...Object.values(others[code] ?? {})].map(
      ([severity, text]) => `| \`${code}\` | ${severity} | ${text} |${mendedBy(code, severity, text)}\n`,
    ),
  )
  HEAD.lastIndex = page.indexOf(heading)
  HEAD.test(page)
  const start = HEAD.lastIndex
  const end = start + page.slice(start).search(/^(?!\|)/m)
  return page.slice(0, start) + rows.join('') + page.slice(end)
}

/** The cell that says how a code is mended; empty for advice. */
function mendedBy(code: string, severity: Severity, meaning: string): string {
  return code in FINDING_CODES ? ` ${WAYS[wayOf({ code: code as FindingCode, severity, meaning })]} |` : ''
}
