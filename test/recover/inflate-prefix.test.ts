import { deflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { inflatePrefix } from '../../src/recover/inflate-prefix.ts'
import { Random } from '../helpers/random.ts'

const LARGE = 1e6

test('what a cut stream holds is the beginning of what the whole one holds', () => {
  const random = new Random(19)
  for (let turn = 0; turn < 60; turn++) {
    const values = 1 + random.below(255)
    const bytes = new Uint8Array(random.below(4000))
    for (const i of bytes.keys()) bytes[i] = i > 2 && random.below(2) === 0 ? bytes[i - 3] : random.below(values)
    // All kinds of blocks: stored, with fixed codes, with codes of their own.
    const stream = deflateSync(bytes, { level: turn % 10, strategy: turn % 3 === 0 ? 4 : 0 })
    expect(inflatePrefix(stream, LARGE)).toEqual(bytes)
    const cut = inflatePrefix(stream.subarray(0, random.below(stream.length)), LARGE)
    expect(cut).toEqual(bytes.subarray(0, cut.length))
    expect(inflatePrefix(stream, 7)).toEqual(bytes.subarray(0, 7))
    const flipped = Uint8Array.from(stream, (byte) => (random.below(20) === 0 ? byte ^ 4 : byte))
    expect(inflatePrefix(flipped, 500).length).toBeLessThanOrEqual(500)
  }
  expect(inflatePrefix(deflateSync(new Uint8Array(3000)).subarray(0, -4), LARGE).length).toBe(3000)
})
