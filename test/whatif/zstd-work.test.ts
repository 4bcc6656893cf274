import { describe, expect, test } from '@jest/globals'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { addZstdWork, noZstdWork } from '../../src/whatif/zstd-work.ts'

/** Bits from a seed, always the same. */
function noise(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state >> 8
  })
}

const CASES: readonly [string, Uint8Array, (work: ReturnType<typeof noZstdWork>) => boolean][] = [
  ['noise is copied', noise(100_000), ({ literals, sequences }) => literals === 0 && sequences === 0],
  ['one byte is repeated', new Uint8Array(300_000), ({ sequences }) => sequences < 10],
  // Half of the bits of each byte: Huffman codes, and nothing that came before.
  ['nibbles are literals', noise(60_000).map((byte) => byte & 15), ({ literals }) => literals > 20_000],
  [
    'words are sequences',
    new TextEncoder().encode(Array.from(noise(20_000), (byte) => `word${byte} `).join('')),
    ({ literals, sequences }) => sequences > 10_000 && literals < 60_000,
  ],
  ['nothing', new Uint8Array(0), ({ bytes }) => bytes === 0],
  ['a few bytes', new Uint8Array([1, 2, 3]), ({ bytes }) => bytes === 3],
]

describe.each([1, 3, 9, 19])('the work of a zstd decoder, level %i', (level) => {
  test.each(CASES)('%s', async (_, data, isRight) => {
    const { compress } = await portableCodecs.zstd()
    const frame = compress(data, level)
    const work = noZstdWork()
    addZstdWork(frame, work)
    expect(work.bytes).toBe(data.length)
    expect({ ...work, isRight: isRight(work) }).toEqual({ ...work, isRight: true })
    // Frames that follow each other are added up.
    addZstdWork(new Uint8Array([...frame, ...frame]), work)
    expect(work.bytes).toBe(3 * data.length)
  })
})
