import { expect, test } from '@jest/globals'
import { NEWEST_FORMAT_VERSION } from '../../../src/format/format-version.ts'
import { counted, percentText, rangeText, timeRangeText, versionText } from '../../../src/render/views/wording.ts'
import { run } from '../../helpers/run.ts'
import { PLACES } from '../../helpers/views.ts'

test('colour adds to words, and can be switched off', async () => {
  const args = ['verify-checksums', PLACES]
  const colored = await run(args, { columns: 80 })
  expect(colored.text).toContain('\x1b[38;5;130mPARTLY VERIFIED')
  const plain = await run(args, { columns: 80, env: { NO_COLOR: '1' } })
  expect(colored.text.replace(/\x1b\[[\d;]+m/g, '')).toBe(plain.text)
})

test('a range is one value only if its ends are the same to their last character', () => {
  const start = 'chromosome_1_position_00'
  expect(rangeText([`${start}1`, `${start}9`])).toBe(`"${start}…".."${start}…"`)
  expect(rangeText([`${start}1`, `${start}1`])).toBe(`"${start}…"`)
  expect(rangeText([7, 7])).toBe('7')
})

test('timestamps are dates only where they are plausible', () => {
  expect(timeRangeText([10, 20])).toBe('10..20')
  expect(timeRangeText([1714557600000n, 1714557600000n])).toBe('2024-05-01T10:00:00Z (1714557600000)')
  expect(timeRangeText([1714557600001n, 1714557600002n], false)).toBe(
    '2024-05-01T10:00:00.001Z..2024-05-01T10:00:00.002Z',
  )
  expect(timeRangeText([0n, 2n ** 64n - 1n])).toBe('0..18446744073709551615')
})

test('format versions name their releases', () => {
  expect(versionText(1)).toBe('1 (TileDB 1.4)')
  expect(versionText(NEWEST_FORMAT_VERSION)).toBe(`${NEWEST_FORMAT_VERSION} (no TileDB release yet)`)
  expect(versionText(99)).toBe('99 (unknown)')
})

test('shares and counts that are not known', () => {
  expect([percentText(0.1234), percentText(1), percentText(null)]).toEqual(['12.3 %', '100.0 %', '-'])
  expect([counted(1n, 'byte'), counted(1, 'box', 'boxes'), counted(0, 'byte'), counted(null, 'byte')]).toEqual([
    '1 byte',
    '1 box',
    '0 bytes',
    '- bytes',
  ])
})
