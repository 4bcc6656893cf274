import { expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { zstd } from '../../src/filters/zstd.ts'
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
  const filter = await zstd(codecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(0)] }, { name: 'ZSTD', level: -1 }, contextOf()),
  )
  expect(hex(out.metadata)).toBe('00000000010000000000000009000000')
  expect(hex(out.data)).toBe('28b52ffd2000010000')
})
