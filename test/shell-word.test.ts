import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { shellWord } from '../src/base/shell-word.ts'
import { UNSAFE } from '../src/base/unsafe-text.ts'

const TEXTS = [
  'plain/__17_17_ab.wrt',
  "it's `id` $(id) a\\b %d !",
  'a\u001b"b\'c"',
  "a\u001b[31m b\nc's %s \\n !x `id` $(id)",
  '-n\t\u202egnp.\u200b',
  '東\u2066\r京',
  '=ls',
]

test('a word that begins with = is quoted, because zsh would replace it by the path of a command', () => {
  expect(shellWord('=ls')).toBe("'=ls'")
  expect(shellWord('a=b')).toBe('a=b')
})

describe.each(['sh', 'bash', 'zsh'].filter((name) => existsSync(`/bin/${name}`)))('a word of %s', (shell) => {
  test.each(TEXTS)('%j is read back', (text) => {
    const word = shellWord(text)
    expect(execFileSync(`/bin/${shell}`, ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text)
    // The shown text can be pasted.
    expect(word.search(UNSAFE)).toBe(-1)
  })
})
