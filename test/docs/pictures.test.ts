import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { pictures } from './pictures.ts'

test('docs/pictures shows what the program prints (else: npm run docs:pictures)', async () => {
  const drawn = await pictures()
  expect(drawn).toHaveLength(2)
  for (const [path, text] of drawn) expect(text).toBe(readFileSync(path, 'utf8'))
})
