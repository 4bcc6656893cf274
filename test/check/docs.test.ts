import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { CHECK_PAGE, checkPage } from '../docs/code-table.ts'

test('docs/check.md lists every code with its severities and meanings (else: npm run docs:tables)', () => {
  const page = readFileSync(CHECK_PAGE, 'utf8')
  expect(checkPage(page).split('\n')).toEqual(page.split('\n'))
  expect(page.match(/^\| `[A-Z_]+` \|/gm)?.length).toBeGreaterThan(100)
})
