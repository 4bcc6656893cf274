import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { FINDING_CODES, MEANINGS, type Meaning } from '../../src/check/codes.ts'

const PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

test('docs/check.md lists every code with its severities and meanings', () => {
  const others: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = MEANINGS
  const rows = Object.entries(FINDING_CODES).flatMap(([code, meaning]) =>
    [meaning, ...Object.values(others[code] ?? {})].map(
      ([severity, text]) => `| \`${code}\` | ${severity} | ${text} |`,
    ),
  )
  const page = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => /^\| `[A-Z_]+`/.test(line))
    .map((line) => line.replace(/ +\|/g, ' |'))
  expect(page).toEqual(rows)
})
