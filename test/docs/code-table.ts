import { fileURLToPath } from 'node:url'
import type { Meaning } from '../../src/check/codes/row.ts'
import { ADVICE_CODES, CODE_ROWS, type FindingState } from '../../src/check/codes.ts'
import { WAYS, wayOf } from '../../src/mend/ways.ts'

export const CHECK_PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

/** The line between a table's header and its rows. */
const HEAD = /\| --- \| --- \| --- \|(?: --- \|)?\n/g

/**
 * Renews the tables of codes in docs/check.md from src/check/codes.ts. The codes of damage have their usual severity and meaning
 * first, then their other ones. The codes of advice follow.
 */
export function checkPage(page: string): string {
  const findings = Object.entries(CODE_ROWS).flatMap(([code, row]) => [
    findingRow(code, row),
    ...Object.entries(row.variants ?? {}).map(([variant, meaning]) => findingRow(code, meaning, variant)),
  ])
  const advice = Object.entries(ADVICE_CODES).map(([code, meaning]) => codeRow(code, meaning))
  return withTable(withTable(page, '## Codes', findings), '## Advice', advice)
}

function codeRow(code: string, { severity, meaning }: Meaning, variant?: string): string {
  return `| \`${code}\`${variant === undefined ? '' : ` \`${variant}\``} | ${severity} | ${meaning} |`
}

/** The row of a code, or of one of its variants. The last cell says how it is mended. */
function findingRow(code: string, meaning: Meaning, variant?: string): string {
  const way = wayOf({ code, variant } as FindingState)
  const isLeft = way === 'leave' && meaning.severity === 'error'
  return `${codeRow(code, meaning, variant)} ${isLeft ? 'no command mends it' : WAYS[way]} |`
}

function withTable(page: string, heading: string, rows: readonly string[]): string {
  HEAD.lastIndex = page.indexOf(heading)
  HEAD.test(page)
  const start = HEAD.lastIndex
  const end = start + page.slice(start).search(/^(?!\|)/m)
  return page.slice(0, start) + rows.map((row) => `${row}\n`).join('') + page.slice(end)
}
