import { deflateSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { inflateZlib as ofPako } from '../../src/filters/codecs/inflate.ts'
import { inflateZlib } from '../../src/page/inflate.ts'
import { Random } from '../helpers/random.ts'

/** What a function says of a stream: its bytes, or that it is refused. */
function said(inflate: typeof inflateZlib, data: Uint8Array, size: number): string {
  try {
    return Buffer.from(inflate(data, size)).toString('hex')
  } catch {
    return 'refused'
  }
}

describe('the inflate of pages says the same as that of the program', () => {
  const random = new Random(7)
  const streams = Array.from({ length: 300 }, () => {
    const size = random.below(2000)
    const data = Uint8Array.from({ length: size }, () => random.below(random.below(2) === 0 ? 4 : 256))
    return { data, stream: new Uint8Array(deflateSync(data, { level: random.below(10) })) }
  })

  test('of whole streams, and of those with bytes behind them', () => {
    for (const { data, stream } of streams) {
      expect(said(inflateZlib, stream, data.length)).toBe(Buffer.from(data).toString('hex'))
      const longer = Uint8Array.from([...stream, 1, 2, 3])
      expect(said(inflateZlib, longer, data.length)).toBe(said(ofPako, longer, data.length))
    }
  })

  test('of streams that are cut, changed or of another size', () => {
    for (const { data, stream } of streams) {
      const cut = stream.subarray(0, random.below(stream.length))
      expect(said(inflateZlib, cut, data.length)).toBe(said(ofPako, cut, data.length))
      const flipped = stream.slice()
      flipped[2 + random.below(Math.max(1, stream.length - 2))] ^= 1 << random.below(8)
      expect(said(inflateZlib, flipped, data.length)).toBe(said(ofPako, flipped, data.length))
      expect(said(inflateZlib, stream, data.length + 1)).toBe('refused')
      if (data.length > 0) expect(said(inflateZlib, stream, data.length - 1)).toBe('refused')
    }
  })
})
