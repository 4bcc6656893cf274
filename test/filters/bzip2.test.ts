import { expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { bzip2 } from '../../src/filters/bzip2.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { compressionTests } from './compression.ts'
import { contextOf, noise, plainText, stored } from './libraries.ts'

const original = new Int32Array(21).fill(-42_661_006, 0, 8).fill(118_352_266, 8, 12).fill(-868_653_311, 12, 14)
original.fill(-584_470_463, 14, 21)
original[17] = -42_661_006

const data =
  '425a6831314159265359b071d6b30000125dcfa08a00200020200000801200001040000004000200200002200050a60009a054a20323d4d2deee' +
  '621f149e38d68c2cbc998665e92949a350fc5dc914e14242c1c75acc'

compressionTests('BZIP2', bzip2, { metadata: '00000000010000005400000056000000', data, original })

test('writes the bytes of TileDB: both are libbz2 1.0', async () => {
  const filter = await bzip2.load(portableCodecs)
  const parts = { metadata: [], data: [new Uint8Array(original.buffer)] }
  expect(hex(stored(filter.forward(parts, { name: 'BZIP2', level: -1 }, contextOf())).data)).toBe(data)
})

test('a chunk of nothing is an empty stream of 14 bytes', async () => {
  const filter = await bzip2.load(portableCodecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(0)] }, { name: 'BZIP2', level: -1 }, contextOf()),
  )
  expect(hex(out.metadata)).toBe('0000000001000000000000000e000000')
  expect(hex(out.data)).toBe('425a683117724538509000000000')
})

test('the level is the block size in the stream header', async () => {
  const codec = await portableCodecs.bzip2()
  for (const level of [1, 5, 9]) expect(hex(codec.compress(plainText(9), level).subarray(0, 4))).toBe(`425a683${level}`)
})

test('takes several blocks, and more memory than it starts with', async () => {
  const codec = await portableCodecs.bzip2()
  const zeros = new Uint8Array(24 << 20)
  expect(Buffer.compare(codec.decompress(codec.compress(zeros, 1), zeros.length), zeros)).toBe(0)
  const blocks = noise(250_000)
  expect(Buffer.compare(codec.decompress(codec.compress(blocks, 1), blocks.length), blocks)).toBe(0)
})
