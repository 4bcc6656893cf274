import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { bitshuffle } from '../../src/filters/bitshuffle.ts'
import { viewOf } from '../../src/filters/bytes.ts'
import { gunzip } from '../../src/filters/codecs/gunzip.ts'
import { portable } from '../../src/filters/codecs/portable.ts'
import { type Compression, compressionCoding } from '../../src/format/genomicsdb/codings.ts'
import { extraBytes, type TileLayout, tileCodec } from '../../src/genomicsdb/tile-codec.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { failureOf } from '../helpers/failure.ts'
import { Random } from '../helpers/random.ts'

const LAYOUT: TileLayout = {
  ...{ compression: 'GZIP', type: 'INT64', deltaType: 'INT64', stride: 1, runBytes: 8, coords: undefined },
}

async function undo(layout: Partial<TileLayout>, stored: Uint8Array, size: number): Promise<Uint8Array> {
  const codec = await tileCodec({ ...LAYOUT, ...layout }, nodeCodecs)
  return codec(stored, size, () => {})
}

const int64s = (...values: bigint[]): Uint8Array => new Uint8Array(new BigInt64Array(values).buffer)

test('DELTA adds what lies a stride before, modulo the size of an element', async () => {
  const random = new Random(5)
  const gzip = await nodeCodecs.gzip()
  for (const size of [4, 8] as const) {
    for (const stride of [1, 2, 3]) {
      const content = random.bytes(size * 6 * stride)
      const differences = content.slice()
      const [from, to] = [viewOf(content), viewOf(differences)]
      for (let at = size * stride; at < content.length; at += size) {
        const before = at - size * stride
        if (size === 4) to.setUint32(at, from.getUint32(at, true) - from.getUint32(before, true), true)
        else to.setBigUint64(at, from.getBigUint64(at, true) - from.getBigUint64(before, true), true)
      }
      const stored = gzip.compress(differences, 6)
      const type = size === 4 ? 'UINT32' : 'UINT64'
      const layout = { compression: 'GZIP+DELTA', type, deltaType: type, stride } as const
      expect(await undo(layout, stored, content.length)).toEqual(content)
    }
  }
})

test('RLE of coordinates has a dimension as it is, and runs of the others', async () => {
  const run = (value: bigint, count: number): Uint8Array => bytes(int64s(value), Uint8Array.of(count >> 8, count & 255))
  const rows = int64s(5n, 6n, 7n)
  const runs = bytes(run(40n, 2), run(41n, 1))
  const layout = (isColMajor: boolean): Partial<TileLayout> => ({
    compression: 'RLE',
    coords: { dimNum: 2, isColMajor },
  })
  expect(await undo(layout(true), bytes(u64Bytes(3), rows, runs), 48)).toEqual(int64s(5n, 40n, 6n, 40n, 7n, 41n))
  expect(await undo(layout(false), bytes(u64Bytes(3), runs, rows), 48)).toEqual(int64s(40n, 5n, 40n, 6n, 41n, 7n))
  for (const broken of [
    bytes(u64Bytes(4), rows, runs),
    bytes(u64Bytes(3), rows),
    rows.subarray(0, 4),
    bytes(u64Bytes(3), rows, run(1n, 2)),
  ])
    expect(await failureOf(() => undo(layout(true), broken, 48))).toMatchObject({ code: 'BAD_FILTERED_DATA' })
})

test('BITSHUFFLE leaves fewer than eight elements as they are', async () => {
  const values = new Uint8Array(new Int32Array(Array.from({ length: 21 }, (_, i) => i * 7919)).buffer)
  const filter = await bitshuffle.load(portable(() => Promise.reject(new Error('no files'))))
  expect(filter).toBeDefined()
  const shuffled = new Uint8Array(values)
  // Eight elements at a time: bit k of byte j of all of them.
  for (let element = 0; element < 16; element++) {
    for (let bit = 0; bit < 32; bit++) {
      const at = Math.floor(bit / 8) * 16 + (bit % 8) * 2 + (element >> 3)
      const one = (values[element * 4 + (bit >> 3)] >> (bit & 7)) & 1
      if (element % 8 === 0) shuffled[at] = 0
      shuffled[at] |= one << (element & 7)
    }
  }
  const stored = (await nodeCodecs.lz4()).compress(shuffled, 0)
  expect(await undo({ compression: 'LZ4+BITSHUFFLE', type: 'INT32' }, stored, values.length)).toEqual(values)
})

test('what GenomicsDB refuses is refused', async () => {
  for (const [layout, found] of [
    [{ compression: 'GZIP+DELTA', deltaType: 'FLOAT32' }, 'FLOAT32'],
    [{ compression: 'GZIP+BITSHUFFLE', type: 'CHAR' }, 'CHAR'],
    [{ compression: 'BLOSC_ZSTD' }, 'BLOSC_ZSTD, which is not read here'],
  ] as [Partial<TileLayout>, string][])
    expect(await failureOf(() => undo(layout, new Uint8Array(9), 9))).toMatchObject({
      code: 'UNSUPPORTED_FILTER',
      found,
    })
})

test('a size that the stored bytes cannot give is refused before it is held', async () => {
  for (const compression of ['GZIP', 'ZSTD', 'LZ4', 'RLE'] as const) {
    const codec = await tileCodec({ ...LAYOUT, compression }, nodeCodecs)
    let isHeld = false
    const hold = (): void => {
      isHeld = true
    }
    expect(await failureOf(async () => codec(new Uint8Array(9), 2 ** 50, hold))).toMatchObject({
      code: 'BAD_FILTERED_DATA',
    })
    expect(isHeld).toBe(false)
  }
})

test('bytes after a zlib stream are counted', async () => {
  const content = new Random(3).bytes(5000)
  const stored = (await nodeCodecs.gzip()).compress(content, 6)
  expect(extraBytes(LAYOUT, stored, content.length)).toBe(0)
  expect(extraBytes(LAYOUT, bytes(stored, Uint8Array.of(0, 7)), content.length)).toBe(2)
  expect(extraBytes({ ...LAYOUT, compression: 'LZ4' }, stored, content.length)).toBe(0)
})

test('a gzip stream says where it ends, and what is wrong with it', () => {
  const content = new Random(4).bytes(200_000)
  const stream = new Uint8Array(gzipSync(content))
  expect(gunzip(bytes(stream, Uint8Array.of(1, 2)), 2 ** 20)).toEqual({
    content,
    length: stream.length,
    fault: undefined,
  })
  const cut = gunzip(stream.subarray(0, 100_000), 2 ** 20)
  expect(cut.fault?.message).toBe('expected a gzip stream, found one that ends too early, after 100000 bytes')
  expect(cut.content).toEqual(content.subarray(0, cut.content.length))
  expect(cut.content.length).toBeGreaterThan(90_000)
  const flipped = stream.slice()
  flipped[stream.length - 7] ^= 16
  expect(gunzip(flipped, 2 ** 20).fault?.message).toBe(
    'expected a gzip stream, found a broken one (incorrect data check)',
  )
  expect(gunzip(stream, 100_000).fault?.code).toBe('TOO_LARGE')
  expect(gunzip(new Uint8Array(0), 100).fault?.code).toBe('BAD_FILTERED_DATA')
  const bomb = gzipSync(new Uint8Array(2 ** 24))
  expect(gunzip(bomb, 2 ** 16).fault?.code).toBe('TOO_LARGE')
})

test('every compression has one number', () => {
  const named = Array.from({ length: 256 }, (_, stored) => [stored, compressionCoding.decode(stored)] as const)
  const known = named.filter((one): one is readonly [number, Compression] => one[1] !== undefined)
  expect(known.length).toBe(33)
  for (const [stored, name] of known) expect(compressionCoding.encode(name)).toBe(stored)
})
