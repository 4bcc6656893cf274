import { describe, expect, test } from '@jest/globals'
import { decodeText, decodeUtf8, encodeText } from '../../src/format/text.ts'
import { bytes } from '../helpers/build-bytes.ts'
import { Random } from '../helpers/random.ts'

describe('text', () => {
  test('that is UTF-8 is that text, a byte order mark included', () => {
    expect(decodeText(bytes([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa')
    expect(encodeText('Zürß 😀')).toEqual(new TextEncoder().encode('Zürß 😀'))
  })

  test('keeps bytes that are not UTF-8 as lone surrogates', () => {
    expect(decodeText(bytes([0x61, 0xff, 0x62]))).toBe('a\udcffb')
    expect(decodeText(bytes([0xc3]))).toBe('\udcc3')
    // A surrogate in three bytes is not UTF-8.
    expect(decodeText(bytes([0xed, 0xa0, 0x80]))).toBe('\udced\udca0\udc80')
    // Nor is a character in more bytes than it needs.
    expect(decodeText(bytes([0xc0, 0xaf]))).toBe('\udcc0\udcaf')
    expect(decodeUtf8(bytes([0xff]))).toBeUndefined()
  })

  test('comes back whatever the bytes are', () => {
    const random = new Random(7)
    for (let i = 0; i < 3000; i++) {
      const stored = random.bytes(random.below(12))
      if (i % 3 === 0) stored.set(new TextEncoder().encode('ä').subarray(0, stored.length))
      expect(encodeText(decodeText(stored))).toEqual(stored)
    }
  })
})
