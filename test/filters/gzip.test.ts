import { expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { gzip } from '../../src/filters/gzip.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { compressionTests } from './compression.ts'
import { contextOf, stored } from './libraries.ts'

const original = new Int32Array(21).fill(-1_615_254_316)
const data = '789cbba2b373fe152a63002d553139'

compressionTests('GZIP', gzip, { metadata: '0000000001000000540000000f000000', data, original })

test('a chunk of nothing is an empty zlib stream of 8 bytes', async () => {
  const filter = await gzip.load(portableCodecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(0)] }, { name: 'GZIP', level: -1 }, contextOf()),
  )
  expect(hex(out.metadata)).toBe('00000000010000000000000008000000')
  expect(hex(out.data)).toBe('789c030000000001')
})

test('the portable backend writes the bytes of TileDB, whose zlib is the plain one', async () => {
  const filter = await gzip.load(portableCodecs)
  const part = new Uint8Array(original.buffer)
  const out = stored(filter.forward({ metadata: [], data: [part] }, { name: 'GZIP', level: -1 }, contextOf()))
  expect(hex(out.data)).toBe(data)
})

test('level 1, which generic tiles use, shows in the stream header', async () => {
  const filter = await gzip.load(portableCodecs)
  const out = stored(
    filter.forward({ metadata: [], data: [new Uint8Array(9)] }, { name: 'GZIP', level: 1 }, contextOf()),
  )
  expect(hex(out.data.subarray(0, 2))).toBe('7801')
})

test('level 0 has blocks of 65,535 bytes, as zlib makes them if there is room for all', async () => {
  const filter = await gzip.load(portableCodecs)
  const tile = new Uint8Array(65_536).fill(7)
  const out = stored(filter.forward({ metadata: [], data: [tile] }, { name: 'GZIP', level: 0 }, contextOf()))
  expect(hex(out.data.subarray(0, 8))).toBe('780100ffff000007')
  expect(hex(out.data.subarray(65_542, 65_548))).toBe('010100feff07')
})

test('what was compressed before does not show: the hash table is cleared', async () => {
  const filter = await gzip.load(portableCodecs)
  const bytesOf = (part: Uint8Array): string =>
    hex(stored(filter.forward({ metadata: [], data: [part] }, { name: 'GZIP', level: 5 }, contextOf())).data)
  const texts = ['one fragment, one fragment, another', 'another fragment, one'].map((text) =>
    new TextEncoder().encode(text),
  )
  const first = texts.map(bytesOf)
  for (let i = 0; i < 3; i++) expect(texts.map(bytesOf)).toEqual(first)
})
