import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { FINDING_CODES } from '../../src/check/codes.ts'

const PAGE = fileURLToPath(new URL('../../docs/check.md', import.meta.url))

test('docs/check.md lists every code with its severity and meaning', () => {
  const rows = Object.entries(FINDING_CODES).map(
    ([code, [severity, meaning]]) => `| \`${code}\` | ${severity} | ${meaning} |`,
  )
  const page = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => /^\| `[A-Z_]+`/.test(line))
    .map((line) => line.replace(/ +\|/g, ' |'))
  expect(page).toEqual(rows)
})
