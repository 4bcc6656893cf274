import { expect, test } from '@jest/globals'
import { LONGEST_LINE } from '../src/base/json-text.ts'
import { LineCutter } from '../src/base/line-cutter.ts'

test.each([1, 2, 3, 7, 100])('lines are whole, wherever pieces of %i bytes end', (size) => {
  const bytes = new TextEncoder().encode('one\n\nlonger than a piece\n\u{1f333}\nnot ended')
  const cutter = new LineCutter()
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += size)
    for (const line of cutter.lines(bytes.subarray(at, at + size))) lines.push(new TextDecoder().decode(line))
  expect(lines).toEqual(['one', '', 'longer than a piece', '\u{1f333}'])
  expect(cutter.isTooLong).toBe(false)
})

test('only a line that has not ended is too long', () => {
  const cutter = new LineCutter()
  const piece = new Uint8Array(LONGEST_LINE)
  expect([...cutter.lines(piece)]).toEqual([])
  expect(cutter.isTooLong).toBe(false)
  expect([...cutter.lines(Uint8Array.of(1))]).toEqual([])
  expect(cutter.isTooLong).toBe(true)
  const [line] = [...cutter.lines(Uint8Array.of(10))]
  expect(line).toHaveLength(LONGEST_LINE + 1)
  expect(cutter.isTooLong).toBe(false)
})
