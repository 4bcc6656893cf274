import { expect, test } from '@jest/globals'
import { shownPath } from '../../src/page/source.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'

test.each([
  ['the target', 'data/a/', '/a', '/a', 'data/a/'],
  ['below it', 'data/a/', '/a', '/a/__fragments/f', 'data/a/__fragments/f'],
  ['around it', 'data/a/__fragments/f', '/a/__fragments/f', '/a', 'data/a'],
  ['around a target without a folder', 'a/f', '/t/a/f', '/t', '/t'],
  ['around all that was written', '/f', '/a/f', '/a', '.'],
  ['beside it', 'data/a/__fragments/f', '/a/__fragments/f', '/a/__170', 'data/a/__170'],
  ['elsewhere', 'data/a', '/a', '/b/c', '/b/c'],
])('a path %s is shown as the user would write it', (_, shown, path, other, expected) => {
  expect(shownPath({ storage: new MemoryStorage(new Map()), path, shown }, other)).toBe(expected)
})
