import { deflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { inflateZlib } from '../../src/filters/codecs/inflate.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'

test('what is wrong with a zlib stream, Node and the portable codec say in the same words', async () => {
  const size = 300
  const good = deflateSync(Uint8Array.from({ length: size }, (_, i) => (i * i) & 63))
  const flipped = (at: number): Uint8Array => good.map((byte, i) => (i === at ? byte ^ 0x10 : byte))
  const broken = [good.subarray(0, 40), ...[0, 1, 2, good.length - 1].map(flipped)]
  const node = await nodeCodecs.gzip()
  const said = (undo: () => unknown): string => {
    try {
      undo()
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const messages = broken.map((data) => said(() => node.decompress(data, size)))
  expect(broken.map((data) => said(() => inflateZlib(data, size)))).toEqual(messages)
  expect(messages).not.toContain('')
  expect(messages[0]).toBe('expected a zlib stream of 300 bytes, found one that ends too early')
  for (const length of [size - 1, size + 1])
    expect(said(() => inflateZlib(good, length))).toBe(said(() => node.decompress(good, length)))
})
