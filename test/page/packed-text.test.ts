import { expect, test } from '@jest/globals'
import { packText, unpackText } from '../../src/calls/packed-text.ts'
import { Random } from '../helpers/random.ts'

/** Bytes as text in a page. */

test('any bytes come back, and the text cannot end its element', () => {
  const random = new Random(91)
  for (let length = 0; length < 60; length++) {
    const bytes = Uint8Array.from({ length }, () => random.below(256))
    const text = packText(bytes)
    expect(unpackText(text, length)).toEqual(bytes)
    expect(text).toMatch(/^[!-~]*$/)
    expect(text).not.toMatch(/[<&]/)
    expect(text.length).toBeLessThanOrEqual(Math.ceil((length * 16) / 13) + 2)
  }
})
