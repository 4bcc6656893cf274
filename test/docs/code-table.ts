import { fileURLToPath } from 'node:url'
import { FINDING_CODES, MEANINGS, type Meaning } from '../../src/check/codes.ts'

export const CHECK_PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

const HEAD = '| --- | --- | --- |\n'

/** docs/check.md with its table of finding codes as src/check/codes.ts has them: a code's own severity and meaning, then its others. */
export function checkPage(page: string): string {
  const others: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = MEANINGS
  const rows = Object.entries(FINDING_CODES).flatMap(([code, meaning]) =>
    [meaning, ...Object.values(others[code] ?? {})].map(
      ([severity, text]) => `| \`${code}\` | ${severity} | ${text} |\n`,
    ),
  )
  const start = page.indexOf(HEAD, page.indexOf('\n| code | severity |')) + HEAD.length
  const end = start + page.slice(start).search(/^(?!\|)/m)
  return page.slice(0, start) + rows.join('') + page.slice(end)
}
