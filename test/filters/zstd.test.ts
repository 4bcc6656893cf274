import { expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { zstd } from '../../src/filters/zstd.ts'
import { zstdInWasm } from '../../src/node/node-codecs.ts'
import { useLeanHeap } from '../../src/storage/lean-heap.ts'
import { failure } from '../helpers/failure.ts'
import { bytesOf, u32 } from '../helpers/filter-context.ts'
import { compressionTests } from './compression.ts'
import { BACKENDS, contextOf, stored } from './libraries.ts'

const original = new Int32Array(21).fill(604_864_788)
original[10] = 2_106_065_009
original.fill(1_092_931_057, 11, 15)

compressionTests('ZSTD', zstd, {
  metadata: '00000000010000005400000020000000',
  data: '28b52ffd2054bd00006014810d247100887df1cd244103005b810070fca42302',
  original,
})

test.each(BACKENDS)('a chunk of nothing is a frame of 9 bytes (%s)', async (_backend, codecs) => {
  const filter = await zstd.load(codecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(0)] }, { name: 'ZSTD', level: -1 }, contextOf()),
  )
  expect(hex(out.metadata)).toBe('00000000010000000000000009000000')
  expect(hex(out.data)).toBe('28b52ffd2000010000')
})

test.each(BACKENDS)('a frame of zstd 0.5, as PDAL once stored, is named as such (%s)', async (_backend, codecs) => {
  const filter = await zstd.load(codecs)
  const data = bytesOf('25b52ffd 000001ee a1610000')
  const metadata = u32(0, 1, 800, data.length)
  expect(failure(() => filter.reverse({ metadata, data }, { name: 'ZSTD', level: -1 }, contextOf()))).toMatchObject({
    code: 'UNSUPPORTED_FILTER',
    message: expect.stringContaining('found one of zstd 0.5'),
  })
})

test('libzstd is compiled at its first use', async () => {
  let compiled = 0
  useLeanHeap({
    compileWasm(bytes) {
      compiled++
      return new WebAssembly.Module(bytes)
    },
    countListedNames() {},
    countReadBytes() {},
    optimizeLater() {},
  })
  const codec = await zstdInWasm()
  expect(compiled).toBe(0)
  const data = new Uint8Array(1000).map((_, i) => (i * i) >> 7)
  const frame = codec.compress(data, 3)
  codec.verify(frame, data.length)
  expect(codec.decompress(frame, data.length)).toEqual(data)
  expect(compiled).toBe(1)
})
