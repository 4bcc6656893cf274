import { describe, expect, test } from '@jest/globals'
import { bitmap } from '../../src/rows/arrow-values.ts'

describe('the bitmap of validity', () => {
  test.each([0, 1, 7, 8, 9, 63, 64, 65, 1000])('%i bytes, one bit each, lowest first', (count) => {
    for (const some of [[1], [0], [0, 1, 1], [0, 1, 2, 0, 255, 1, 1]]) {
      const bytes = Uint8Array.from({ length: count }, (_, i) => some[(i * 5 + (i >> 3)) % some.length])
      const { bits, ones } = bitmap(bytes, count)
      const read = Array.from(bytes, (_, i) => (bits[i >> 3] >> (i & 7)) & 1)
      expect(read).toEqual(Array.from(bytes, (byte) => Number(byte !== 0)))
      expect(ones).toBe(read.filter((bit) => bit === 1).length)
      expect(bits).toHaveLength(Math.ceil(count / 8))
    }
  })

  test('bytes at an address that is no multiple of 4', () => {
    const bytes = Uint8Array.of(9, 1, 0, 1, 1, 0, 0, 1, 1, 1).subarray(1)
    expect(bitmap(bytes, 9)).toEqual({ bits: Uint8Array.of(0b11001101, 1), ones: 6 })
  })
})
