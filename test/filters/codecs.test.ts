import { createDecipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { hex } from '../../src/filters/bytes.ts'
import type { ByteCodec } from '../../src/filters/codecs/codecs.ts'
import { heapCopy, type LibraryFacts, WasmLibrary } from '../../src/filters/codecs/emscripten.ts'
import { bzip2Level, gzipLevel, zstdLevel } from '../../src/filters/codecs/levels.ts'
import { once } from '../../src/filters/codecs/once.ts'
import { portable } from '../../src/filters/codecs/portable.ts'
import { packedWasm } from '../../src/filters/codecs/wasm-file.ts'
import { READER_FACTS, READER_NAMES, WRITER_NAMES, ZSTD_WASM, ZSTD_WRITER_WASM } from '../../src/filters/codecs/zstd.ts'
import { zstdContentSize } from '../../src/filters/codecs/zstd-frame.ts'
import { nodeCodecs, portableCodecs } from '../../src/node/node-codecs.ts'
import { packagedBytes } from '../../src/node/packaged.ts'
import { BACKENDS, fromHex, noise, numbers, plainText, refusal } from './libraries.ts'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the error of a call; undefined if it succeeds. */
function outcome(call: () => unknown): { code: string; message: string } | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { code: error.code, message: error.message }
  }
}

const NAMES = ['gzip', 'zstd', 'lz4', 'bzip2'] as const

const SAMPLES: readonly Uint8Array[] = [
  new Uint8Array(0),
  Uint8Array.of(0),
  new Uint8Array(12),
  new Uint8Array(13),
  plainText(14),
  noise(255),
  noise(65_537),
  plainText(65_536),
  new Uint8Array(100_000),
]

describe.each(BACKENDS)('%s backend', (_name, codecs) => {
  test.each(NAMES)('%s gives back what it took, whatever its length', async (name) => {
    const codec = await codecs[name]()
    for (const sample of SAMPLES)
      expect(hex(codec.decompress(codec.compress(sample, -1), sample.length))).toBe(hex(sample))
  })

  test.each(NAMES)('%s takes bytes inside a larger buffer and leaves the caller its own', async (name) => {
    const codec = await codecs[name]()
    const around = plainText(3000)
    const part = around.subarray(1001, 2002)
    const before = around.slice()
    const packed = codec.compress(part, -1)
    const shifted = new Uint8Array(packed.length + 7)
    shifted.set(packed, 3)
    const out = codec.decompress(shifted.subarray(3, 3 + packed.length), part.length)
    expect(out).toEqual(part.slice())
    out.fill(255)
    expect(around).toEqual(before)
    expect(codec.decompress(packed, part.length)).toEqual(part.slice())
  })

  test.each(NAMES)('%s refuses a stream that gives one byte more or less than declared', async (name) => {
    const codec = await codecs[name]()
    for (const sample of [plainText(1), plainText(500), noise(70_000)]) {
      const packed = codec.compress(sample, -1)
      expect(refusal(() => codec.decompress(packed, sample.length - 1)).code).toBe('BAD_FILTERED_DATA')
      expect(refusal(() => codec.decompress(packed, sample.length + 1)).code).toBe('BAD_FILTERED_DATA')
    }
  })

  test.each(NAMES)('%s verifies what it would give back, and refuses the same', async (name) => {
    const { compress, decompress, verify } = await codecs[name]()
    if (!verify) return
    for (const sample of [plainText(1), plainText(500), noise(70_000)]) {
      const packed = compress(sample, -1)
      expect(verify(packed, sample.length)).toBe(undefined)
      const shorter = packed.subarray(0, packed.length - 1)
      const flipped = packed.map((byte, i) => (i === packed.length >> 1 ? byte ^ 0x55 : byte))
      for (const [broken, size] of [
        [packed, sample.length + 1],
        [shorter, sample.length],
        [flipped, sample.length],
      ] as const) {
        const why = outcome(() => decompress(broken, size))
        expect(outcome(() => verify(broken, size))).toEqual(why)
      }
    }
  })

  test.each(NAMES)('%s refuses every proper prefix of a stream', async (name) => {
    const codec = await codecs[name]()
    const sample = plainText(150)
    const packed = codec.compress(sample, -1)
    for (let length = 0; length < packed.length; length++) {
      expect(refusal(() => codec.decompress(packed.subarray(0, length), sample.length)).code).toBe('BAD_FILTERED_DATA')
    }
  })

  test.each(NAMES)('%s still works after hundreds of broken streams', async (name) => {
    const codec = await codecs[name]()
    const next = numbers(5)
    const sample = plainText(400)
    const packed = codec.compress(sample, -1)
    let refused = 0
    for (let round = 0; round < 400; round++) {
      const broken = round % 2 ? noise(1 + next(100), round) : packed.slice()
      for (let i = 0; i < 3; i++) broken[next(broken.length)] = next(256)
      try {
        codec.decompress(broken, sample.length)
      } catch {
        refused++
      }
    }
    expect(refused).toBeGreaterThan(200)
    expect(codec.decompress(packed, sample.length)).toEqual(sample)
  })

  test('MD5 and SHA-256 are those of their standards', async () => {
    const md5 = await codecs.md5()
    const sha256 = await codecs.sha256()
    expect(hex(md5(ascii('')))).toBe('d41d8cd98f00b204e9800998ecf8427e')
    expect(hex(md5(ascii('message digest')))).toBe('f96b697d7cb7938d525a2f31aaf161d0')
    expect(hex(sha256(ascii('')))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hex(sha256(ascii('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    const long = noise(70_001)
    expect(hex(md5(long))).toBe(createHash('md5').update(long).digest('hex'))
    expect(hex(sha256(long))).toBe(createHash('sha256').update(long).digest('hex'))
  })

  test('AES-256-GCM is that of NIST SP 800-38D (test case 14: key, IV and one block of zeros)', async () => {
    const aes = await codecs.aes256gcm()
    const sealed = aes.seal(new Uint8Array(32), new Uint8Array(12), new Uint8Array(16))
    expect(hex(sealed.data)).toBe('cea7403d4d606b6e074ec5d3baf39d18')
    expect(hex(sealed.tag)).toBe('d0d1c8a799996bf0265b98b5d48ab919')
    expect(aes.open(new Uint8Array(32), new Uint8Array(12), sealed.tag, sealed.data)).toEqual(new Uint8Array(16))
    expect(aes.open(new Uint8Array(32).fill(1), new Uint8Array(12), sealed.tag, sealed.data)).toBeUndefined()
    const nothing = aes.seal(new Uint8Array(32), new Uint8Array(12), new Uint8Array(0))
    expect(hex(nothing.tag)).toBe('530f8afbc74536b9a963b4f1c4cb738b')
    expect(aes.open(new Uint8Array(32), new Uint8Array(12), nothing.tag, nothing.data)).toEqual(new Uint8Array(0))
  })

  test('AES-256-GCM is read by another implementation', async () => {
    const aes = await codecs.aes256gcm()
    const [key, iv, plain] = [noise(32, 2), noise(12, 3), plainText(1000)]
    const { data, tag } = aes.seal(key, iv, plain)
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag)
    expect(hex(decipher.update(data))).toBe(hex(plain))
    expect(decipher.final()).toHaveLength(0)
  })

  test('zlib streams are read and written by another zlib', async () => {
    const gzip = await codecs.gzip()
    const sample = plainText(10_000)
    for (const level of [-1, 0, 1, 6, 9]) {
      expect(hex(inflateSync(gzip.compress(sample, level)))).toBe(hex(sample))
      expect(hex(gzip.decompress(deflateSync(sample, { level }), sample.length))).toBe(hex(sample))
    }
  })

  test('a zlib stream that would inflate to 64 MiB is refused at the declared size', async () => {
    const gzip = await codecs.gzip()
    const bomb = deflateSync(new Uint8Array(64 << 20))
    const before = process.memoryUsage().arrayBuffers
    const error = refusal(() => gzip.decompress(bomb, 1000))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20)
    expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', message: expect.stringContaining('1000') })
  })

  test('gzip refuses the container of gzip files and a stream whose checksum is wrong', async () => {
    const gzip = await codecs.gzip()
    const stream = gzip.compress(plainText(50), -1)
    const wrong = stream.slice()
    wrong[wrong.length - 1] ^= 1
    expect(refusal(() => gzip.decompress(wrong, 50)).code).toBe('BAD_FILTERED_DATA')
    const file = fromHex('1f8b08000000000000034b040043beb7e801000000')
    expect(refusal(() => gzip.decompress(file, 1)).code).toBe('BAD_FILTERED_DATA')
  })

  test('zstd takes a frame of 8 MiB both ways, in one piece', async () => {
    const zstd = await codecs.zstd()
    const large = plainText(8 << 20)
    const frame = zstd.compress(large, -1)
    expect(zstdContentSize(frame)).toBe(large.length)
    expect(Buffer.compare(zstd.decompress(frame, large.length), large)).toBe(0)
  })

  test('zstd takes 1 MiB without any pattern', async () => {
    const zstd = await codecs.zstd()
    const large = noise(1 << 20)
    expect(Buffer.compare(zstd.decompress(zstd.compress(large, 1), large.length), large)).toBe(0)
  })

  test('zstd frames declare their content size, at every level and length', async () => {
    const zstd = await codecs.zstd()
    for (const level of [-100, -7, -1, 0, 3, 19, 22, 1000]) {
      for (const length of [0, 1, 255, 256, 65_791, 65_792]) {
        const frame = zstd.compress(plainText(length), level)
        expect(zstdContentSize(frame)).toBe(length)
        expect(zstd.decompress(frame, length)).toHaveLength(length)
      }
    }
  })

  test('a zstd frame without content size is read, as long as it gives the declared size', async () => {
    const zstd = await codecs.zstd()
    // A frame of "hello hello hello hello ", with a window descriptor instead of a size, and one raw block.
    const text = ascii('hello hello hello hello ')
    const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, (text.length << 3) | 1, 0, 0, ...text)
    expect(zstdContentSize(frame)).toBeUndefined()
    expect(zstd.decompress(frame, text.length)).toEqual(text)
    expect(refusal(() => zstd.decompress(frame, text.length - 1)).code).toBe('BAD_FILTERED_DATA')
    expect(refusal(() => zstd.decompress(frame, text.length + 1)).code).toBe('BAD_FILTERED_DATA')
  })

  test('a zstd frame that declares 2^62 bytes is refused from its header', async () => {
    const zstd = await codecs.zstd()
    const frame = fromHex('28b52ffde0000000000000004001000000')
    const error = refusal(() => zstd.decompress(frame, 10))
    expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', message: expect.stringContaining(String(2 ** 62)) })
  })
})

describe('portable against node', () => {
  test.each(NAMES)('each reads the %s of the other', async (name) => {
    const pair: ByteCodec[] = [await portableCodecs[name](), await nodeCodecs[name]()]
    for (const sample of SAMPLES) {
      for (const [writer, reader] of [pair, pair.toReversed()]) {
        expect(hex(reader.decompress(writer.compress(sample, 5), sample.length))).toBe(hex(sample))
      }
    }
  })

  test('both seal the same bytes with AES-256-GCM', async () => {
    const [key, iv] = [noise(32), noise(12)]
    const sealed = await Promise.all(
      BACKENDS.map(async ([, codecs]) => (await codecs.aes256gcm()).seal(key, iv, noise(77))),
    )
    expect(hex(sealed[0].data) + hex(sealed[0].tag)).toBe(hex(sealed[1].data) + hex(sealed[1].tag))
  })
})

describe('levels', () => {
  test('gzip: below 0 is the default of zlib, above 9 is refused', () => {
    expect([-5, -1, 0, 9].map(gzipLevel)).toEqual([-1, -1, 0, 9])
    expect(refusal(() => gzipLevel(10))).toMatchObject({ code: 'BAD_VALUE', at: { field: 'level' } })
  })
  test('bzip2: below 1 is 1, above 9 is refused', () => {
    expect([-1, 0, 1, 9].map(bzip2Level)).toEqual([1, 1, 1, 9])
    expect(refusal(() => bzip2Level(10))).toMatchObject({ code: 'BAD_VALUE', at: { field: 'level' } })
  })
  test('zstd: -7 and above pass through, below is 3', () => {
    expect([-8, -7, -1, 0, 22, 23].map(zstdLevel)).toEqual([3, -7, -1, 0, 22, 22])
  })
})

describe('a library in wasm', () => {
  const facts: LibraryFacts = { ...READER_FACTS, stream: 'stream', name: 'a library' }
  const module = new WebAssembly.Module(packagedBytes(ZSTD_WASM))

  test('begins anew after it failed', () => {
    const library = new WasmLibrary(facts, module)
    const before = library.library
    const fail = (): number => {
      throw new WebAssembly.RuntimeError('unreachable')
    }
    expect(refusal(() => library.run(noise(10), 10, fail, heapCopy))).toMatchObject({
      code: 'BAD_FILTERED_DATA',
      message: 'expected a stream, found one that a library fails on',
    })
    expect(library.library).not.toBe(before)
    expect(library.run(noise(10), 10, (_, target, source) => target - source && 0, heapCopy)).toEqual(new Uint8Array(0))
  })

  test.each([
    [ZSTD_WASM, READER_NAMES],
    [ZSTD_WRITER_WASM, WRITER_NAMES],
  ])('%s: names of functions are those of the package', (wasm, names) => {
    const script = readFileSync(`node_modules/${wasm.replace(/wasm$/, 'js')}`, 'utf8')
    const found = (name: string): string | undefined =>
      new RegExp(`\\b${name}\\b[^;]*?(?:"asm"\\]|wasmExports)\\[['"](\\w)`).exec(script)?.[1]
    for (const [name, minified] of Object.entries(names)) expect([name, found(name)]).toEqual([name, minified])
  })

  test('takes at most 1 GiB', async () => {
    const bzip2 = await portableCodecs.bzip2()
    expect(refusal(() => bzip2.decompress(noise(1), 2 ** 30))).toMatchObject({
      code: 'TOO_LARGE',
      message: 'expected at most 1073741824 bytes in and out of one bzip2 stream, found 1073741825',
    })
  })

  test('has the exports that are called', () => {
    expect(() => new WasmLibrary({ ...facts, start: 'c' }, module).library).toThrow('expected a function c')
    expect(() => new WasmLibrary({ ...facts, memory: 'd' }, module).library).toThrow('expected a memory d')
  })
})

test('what could not be loaded is loaded again by the next call', async () => {
  let calls = 0
  const load = once(async () => {
    calls++
    if (calls === 1) throw new Error('no file')
    return calls
  })
  await expect(load()).rejects.toThrow('no file')
  expect([await load(), await load()]).toEqual([2, 2])
})

describe('the wasm files that the build packs for pages', () => {
  const inPages = portable(packedWasm)

  test.each(['zstd', 'bzip2'] as const)('%s reads what the others write, and they what it writes', async (name) => {
    const [here, there] = [await inPages[name](), await portableCodecs[name]()]
    for (const sample of SAMPLES) {
      expect(hex(here.decompress(there.compress(sample, 1), sample.length))).toBe(hex(sample))
      expect(hex(there.decompress(here.compress(sample, 1), sample.length))).toBe(hex(sample))
    }
  })

  test('webp reads, and says which file it lacks to write', async () => {
    const [here, there] = [await inPages.webp(), await portableCodecs.webp()]
    const pixels = noise(6 * 4 * 3)
    const file = there.encode(pixels, 6, 4, { format: 'RGB', quality: 100, lossless: true })
    expect(here.decode(file, 'RGB')).toMatchObject({ width: 6, height: 4, pixels })
    expect(refusal(() => here.encode(pixels, 6, 4, { format: 'RGB', quality: 100, lossless: true }))).toMatchObject({
      code: 'UNSUPPORTED_FILTER',
      message: 'expected the file @jsquash/webp/codec/enc/webp_enc.wasm, found none',
    })
  })
})
