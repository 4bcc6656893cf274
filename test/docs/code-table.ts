import { fileURLToPath } from 'node:url'
import { ADVICE_CODES, FINDING_CODES, type FindingCode, MEANINGS, type Meaning } from '../../src/check/codes.ts'
import { WAYS, wayOfCode } from '../../src/plan/mending.ts'

export const CHECK_PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

/** The line below the names of a table's columns. */
const HEAD = /\| --- \| --- \| --- \|(?: --- \|)?\n/g

/**
 * docs/check.md with its tables of finding codes as src/check/codes.ts has them: those of damage, each code's own severity and meaning,
 * then its others; and those of advice.
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
      ([severity, text]) => `| \`${code}\` | ${severity} | ${text} |${mendedBy(code)}\n`,
    ),
  )
  HEAD.lastIndex = page.indexOf(heading)
  HEAD.test(page)
  const start = HEAD.lastIndex
  const end = start + page.slice(start).search(/^(?!\|)/m)
  return page.slice(0, start) + rows.join('') + page.slice(end)
}

/** The column of what mends a code; advice has none. */
function mendedBy(code: string): string {
  return code in FINDING_CODES ? ` ${WAYS[wayOfCode(code as FindingCode)]} |` : ''
}
