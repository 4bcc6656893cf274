import { expect, test } from '@jest/globals'
import { shapeText } from '../../../src/render/views/ls.ts'

test('a length as large as a writer takes that knows none is no length', () => {
  expect(shapeText([24, 5])).toBe('24 x 5')
  expect(shapeText([2_000_000_000, null])).toBe('2,000,000,000 x *')
  expect(shapeText([2 ** 31 - 2, 4_294_967_295, 2n ** 63n - 1n])).toBe('* x * x *')
})
