import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { lz4 } from '../../src/filters/lz4.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { compressionTests } from './compression.ts'
import { contextOf, fromHex, numbers, refusal, stored } from './libraries.ts'

const original = new Int32Array(21).fill(1_046_899_521, 0, 11).fill(556_647_920, 11, 18).fill(-2_018_619_656, 18, 20)
original[20] = 61_939_240

compressionTests('LZ4', lz4, {
  metadata: '0000000001000000540000001d000000',
  data: '4f416b663e0400154ff0c52d21040005c0f84eae87f84eae87281eb103',
  original,
})

test('a chunk of nothing is one byte', async () => {
  const filter = await lz4.load(portableCodecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(0)] }, { name: 'LZ4', level: -1 }, contextOf()),
  )
  expect(hex(out.metadata)).toBe('00000000010000000000000001000000')
  expect(hex(out.data)).toBe('00')
})

/** Returns the output position of each match of a block, the length of its output, and its last literals. */
function matches(block: Uint8Array): { starts: number[]; length: number; lastLiterals: number } {
  const starts: number[] = []
  let at = 0
  let length = 0
  while (true) {
    const token = block[at++]
    const more = (nibble: number): number => {
      let sum = nibble
      if (nibble === 15) {
        do sum += block[at]
        while (block[at++] === 255)
      }
      return sum
    }
    const literals = more(token >> 4)
    at += literals
    length += literals
    if (at >= block.length) return { starts, length, lastLiterals: literals }
    starts.push(length)
    at += 2
    length += 4 + more(token & 15)
  }
}

test('blocks end as the LZ4 library demands: 5 literals, no match begun in the last 12 bytes', async () => {
  const codec = await portableCodecs.lz4()
  const next = numbers(3)
  let withMatches = 0
  for (let round = 0; round < 1000; round++) {
    const period = 1 + next(12)
    const part = Uint8Array.from({ length: 13 + next(80) }, (_, i) => (next(9) === 0 ? next(256) : i % period))
    const block = codec.compress(part, -1)
    const { starts, length, lastLiterals } = matches(block)
    expect(length).toBe(part.length)
    if (starts.length === 0) continue
    withMatches++
    expect(Math.max(...starts)).toBeLessThanOrEqual(part.length - 12)
    expect(lastLiterals).toBeGreaterThanOrEqual(5)
    expect(codec.decompress(block, part.length)).toEqual(part)
  }
  expect(withMatches).toBeGreaterThan(500)
})

test('refuses offsets of 0 and offsets before the start of the output', async () => {
  const codec = await portableCodecs.lz4()
  const good = fromHex('11610100506162636465')
  expect(new TextDecoder().decode(codec.decompress(good, 11))).toBe('aaaaaaabcde')
  for (const offset of ['0000', '0200', 'ffff']) {
    const error = refusal(() => codec.decompress(fromHex(`1161${offset}506162636465`), 11))
    expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', message: expect.stringContaining('1 to 1') })
  }
})

test('refuses a length that runs on for megabytes', async () => {
  const codec = await portableCodecs.lz4()
  const block = new Uint8Array(1 << 20).fill(255)
  block[0] = 0xf0
  expect(refusal(() => codec.decompress(block, 1000)).code).toBe('BAD_FILTERED_DATA')
})

/** lz4js checks nothing in a block, so the program undoes blocks itself. Here it is the second opinion on sound ones. */
const lz4js: {
  makeBuffer(size: number): Uint8Array
  compressBlock(from: Uint8Array, to: Uint8Array, start: number, length: number, table: Uint32Array): number
  decompressBlock(from: Uint8Array, to: Uint8Array, start: number, length: number, at: number): number
} = createRequire(import.meta.url)('lz4js')

test('lz4js reads the blocks that are written, and writes blocks that are read', async () => {
  const codec = await portableCodecs.lz4()
  const next = numbers(5)
  let compressed = 0
  for (let round = 0; round < 500; round++) {
    const period = 1 + next(300)
    const part = Uint8Array.from({ length: 13 + next(3000) }, (_, i) => (next(20) === 0 ? next(256) : i % period))
    const block = codec.compress(part, -1)
    const read = new Uint8Array(part.length)
    expect(lz4js.decompressBlock(block, read, 0, block.length, 0)).toBe(part.length)
    expect(hex(read)).toBe(hex(part))
    const written = new Uint8Array(2 * part.length + 16)
    const length = lz4js.compressBlock(part, written, 0, part.length, new Uint32Array(1 << 16))
    // It gives no block where nothing repeats.
    if (length === 0) continue
    compressed++
    expect(hex(codec.decompress(written.subarray(0, length), part.length))).toBe(hex(part))
  }
  expect(compressed).toBeGreaterThan(300)
})
