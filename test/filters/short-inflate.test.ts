import { deflateSync, gzipSync, inflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { gunzipShort, inflatePrefix, inflateShort, SHORT } from '../../src/filters/codecs/short-inflate.ts'
import { Random } from '../helpers/random.ts'

const LARGE = 1e6

/** Bytes, and a stream of them, for each kind of block: stored, with fixed codes, with its own codes. */
function drawn(random: Random, turn: number, most: number): { bytes: Uint8Array; stream: Uint8Array } {
  const values = 1 + random.below(255)
  const bytes = new Uint8Array(random.below(most + 1))
  for (const i of bytes.keys()) bytes[i] = i > 2 && random.below(2) === 0 ? bytes[i - 3] : random.below(values)
  const windowBits = 9 + random.below(7)
  return { bytes, stream: deflateSync(bytes, { level: turn % 10, strategy: random.below(5), windowBits }) }
}

test('what a cut stream holds is the beginning of what the whole one holds', () => {
  const random = new Random(19)
  for (let turn = 0; turn < 60; turn++) {
    const { bytes, stream } = drawn(random, turn, 4000)
    expect(inflatePrefix(stream, LARGE)).toEqual(bytes)
    const cut = inflatePrefix(stream.subarray(0, random.below(stream.length)), LARGE)
    expect(cut).toEqual(bytes.subarray(0, cut.length))
    expect(inflatePrefix(stream, 7)).toEqual(bytes.subarray(0, 7))
    const flipped = Uint8Array.from(stream, (byte) => (random.below(20) === 0 ? byte ^ 4 : byte))
    expect(inflatePrefix(flipped, 500).length).toBeLessThanOrEqual(500)
  }
  expect(inflatePrefix(deflateSync(new Uint8Array(3000)).subarray(0, -4), LARGE).length).toBe(3000)
})

test('a stream may end within the head of a stored block', () => {
  const bytes = new Random(21).bytes(40)
  const first = [0x78, 0x01, 0, 40, 0, 0xff ^ 40, 0xff, ...bytes]
  // The length of the longest block, then its complement, which is 0.
  const stream = Uint8Array.from([...first, 0, 0xff, 0xff, 0, 0])
  for (let end = 0; end <= stream.length; end++) {
    const there = Math.min(Math.max(end - 7, 0), bytes.length)
    expect(inflatePrefix(stream.subarray(0, end), 100)).toEqual(bytes.subarray(0, there))
  }
})

test('short streams give what zlib gives, damaged ones at most that', () => {
  const random = new Random(20)
  let harmless = 0
  for (let turn = 0; turn < 3000; turn++) {
    // Before zlib is loaded, longer streams are undone as well.
    const most = turn % 8 === 0 ? 4096 : SHORT
    const { bytes, stream } = drawn(random, turn, most)
    const out = new Uint8Array(bytes.length)
    expect(inflateShort(stream, out, most)).toBe(true)
    expect(out).toEqual(bytes)
    expect(inflateShort(stream, new Uint8Array(bytes.length + 1), most)).toBe(false)
    if (bytes.length > 0) expect(inflateShort(stream, new Uint8Array(bytes.length - 1), most)).toBe(false)
    const damaged = stream.slice(0, stream.length - random.below(2) * random.below(9))
    for (let flips = random.below(3); flips >= 0; flips--) damaged[random.below(damaged.length)] ^= 1 << random.below(8)
    if (!inflateShort(damaged, out, most)) continue
    harmless++
    expect(out).toEqual(new Uint8Array(inflateSync(damaged)))
  }
  // Some bits say nothing, such as those of the level.
  expect(harmless).toBeGreaterThan(0)
})

test('longer ones are left to zlib', () => {
  const bytes = new Uint8Array(SHORT + 1)
  expect(inflateShort(deflateSync(bytes), bytes)).toBe(false)
})

test('a gzip stream is undone, and left to zlib if anything is odd', () => {
  const random = new Random(25)
  for (let turn = 0; turn < 20; turn++) {
    const { bytes } = drawn(random, turn, 4000)
    const stream = Uint8Array.from(gzipSync(bytes, { level: turn % 10 }))
    expect(gunzipShort(stream)).toEqual(bytes)
    expect(gunzipShort(Uint8Array.from([...stream, 0]))).toBeUndefined()
    expect(gunzipShort(stream.subarray(0, random.below(stream.length)))).toBeUndefined()
    // One of the bytes that tell what follows, of the checksum, or of the size.
    for (const at of [0, 1, 2, 3, stream.length - 8 + random.below(8)]) {
      const odd = stream.slice()
      odd[at] = (odd[at] ?? 0) ^ 1
      expect(gunzipShort(odd)).toBeUndefined()
    }
  }
})
