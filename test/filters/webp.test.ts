import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { hex, viewOf } from '../../src/filters/bytes.ts'
import { webpSize } from '../../src/filters/codecs/webp-header.ts'
import { webp } from '../../src/filters/webp.ts'
import type { FilterConfig, PixelFormat } from '../../src/format/filter-pipeline.ts'
import { BACKENDS, contextOf, damage, fromHex, noise, refusal, stored } from './libraries.ts'

const FORMATS: readonly Exclude<PixelFormat, 'NONE'>[] = ['RGB', 'BGR', 'RGBA', 'BGRA']

function configOf(format: PixelFormat, width: number, height: number, more: Partial<FilterConfig> = {}): FilterConfig {
  const x_extent = width * format.length
  return { name: 'WEBP', format, quality: 60, lossless: true, y_extent: height, x_extent, ...more }
}

/** A chunk that TileDB 2.30 wrote, and what it read: 9 rows of 7 RGB pixels, lossy, quality 60. */
const REAL = {
  config: configOf('RGB', 7, 9, { lossless: false }),
  metadata: '010000003a000000',
  data:
    '5249464632000000574542505650382026000000b001009d012a07000900028042259c0002e77fe9964000fefa9ca245b7b3385d5c136d42' +
    '0000',
  pixels:
    '010208090a1115161c1e1f2526272e2b2c32323339090a111112191d1e2426272e2e2f3633343a3a3b4115161c1d1e24282a303233393a3b41' +
    '3e404645474d1d1e2425262c3032383a3b4142434a47484e4e4f5526272e2f31373a3b4142434a494a514e4f5555565c2f31373a3b4142434a' +
    '494a5151525957585f5e5f663a3b4142434a48494f4c4e545e5f66616369686a7042434a4a4b524c4e5450515866676e6c6d7473747a48494f' +
    '5051585d5e6464656b72737973747a787c81',
}

describe.each(BACKENDS)('%s backend', (_backend, codecs) => {
  test.each(FORMATS)(
    'without loss, %s comes back exactly, colours under full transparency included',
    async (format) => {
      const filter = await webp.load(codecs)
      for (const [width, height] of [
        [1, 1],
        [5, 7],
        [40, 33],
      ]) {
        const config = configOf(format, width, height)
        const picture = noise(width * height * format.length)
        if (format.length === 4) for (let at = 3; at < picture.length; at += 8) picture[at] = 0
        const parts = { metadata: [], data: [picture] }
        const bytes = stored(filter.forward(parts, config, contextOf()))
        expect(hex(filter.reverse(bytes, config, contextOf()).data)).toBe(hex(picture))
      }
    },
  )

  test('with loss, colours come close', async () => {
    const filter = await webp.load(codecs)
    const config = configOf('BGR', 16, 16, { lossless: false, quality: 90 })
    const picture = Uint8Array.from({ length: 16 * 48 }, (_, i) => [30, 120, 220][i % 3])
    const bytes = stored(filter.forward({ metadata: [], data: [picture] }, config, contextOf()))
    const out = filter.reverse(bytes, config, contextOf()).data
    expect(Math.max(...out.map((value, i) => Math.abs(value - picture[i])))).toBeLessThan(6)
  })

  test('reads a chunk that TileDB 2.30 wrote as TileDB reads it', async () => {
    const filter = await webp.load(codecs)
    const bytes = { metadata: fromHex(REAL.metadata), data: fromHex(REAL.data) }
    expect(hex(filter.reverse(bytes, REAL.config, contextOf()).data)).toBe(REAL.pixels)
  })

  test('writes the file that TileDB writes of the same picture', async () => {
    const filter = await webp.load(codecs)
    // The array of REAL has (9 y + 3 x) mod 256 as value x of row y.
    const picture = Uint8Array.from({ length: 189 }, (_, i) => Math.floor(i / 21) * 9 + (i % 21) * 3)
    const bytes = stored(filter.forward({ metadata: [], data: [picture] }, REAL.config, contextOf()))
    expect(hex(bytes.metadata)).toBe(REAL.metadata)
    expect(hex(bytes.data)).toBe(REAL.data)
  })

  test('keeps the metadata of earlier filters behind its own, and one file a part', async () => {
    const filter = await webp.load(codecs)
    const config = configOf('RGB', 4, 3)
    const parts = { metadata: [noise(5)], data: [noise(36, 1), noise(36, 2)] }
    const written = filter.forward(parts, config, contextOf())
    expect(written.data).toHaveLength(2)
    const bytes = stored(written)
    const view = viewOf(bytes.metadata)
    const lengths = written.data.map((file) => file.length)
    expect([0, 4, 8].map((at) => view.getUint32(at, true))).toEqual([2, ...lengths])
    expect(filter.reverse(bytes, config, contextOf())).toEqual({ metadata: noise(5), data: concat(parts.data) })
  })

  test('refuses damaged chunks with an InspectError and nothing else', async () => {
    const filter = await webp.load(codecs)
    const cx = contextOf({ limit: 1 << 16 })
    for (const lossless of [true, false]) {
      const config = configOf('RGBA', 10, 10, { lossless })
      expect(damage(filter, config, cx, { metadata: [], data: [noise(400)] }, 100)).toBeGreaterThan(300)
    }
  })
})

/** Makes a RIFF file of one chunk. */
function riff(mark: string, body: readonly number[]): Uint8Array {
  const text = (value: string): number[] => [...value].map((c) => c.charCodeAt(0))
  const u32 = (value: number): number[] => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]
  return Uint8Array.from([
    ...text('RIFF'),
    ...u32(4 + 8 + body.length),
    ...text('WEBP'),
    ...text(mark),
    ...u32(body.length),
    ...body,
  ])
}

describe('sizes', () => {
  const zeros = new Array<number>(20).fill(0)

  test('are read from all three kinds of header', () => {
    expect(webpSize(riff('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 7, 0x40, 9, 0x80, ...zeros]))).toEqual({
      width: 7,
      height: 9,
    })
    expect(webpSize(riff('VP8L', [0x2f, 0x06, 0x00, 0x02, 0x00, ...zeros]))).toEqual({ width: 7, height: 9 })
    expect(webpSize(riff('VP8X', [0x10, 0, 0, 0, 6, 0, 0, 8, 0, 0, ...zeros]))).toEqual({ width: 7, height: 9 })
  })

  test('of 16384 x 16384 pixels in a file of 45 bytes are refused before anything is allocated', async () => {
    const filter = await webp.load(BACKENDS[0][1])
    const file = riff('VP8L', [0x2f, 0xff, 0xff, 0xff, 0x0f, ...zeros])
    expect(webpSize(file)).toEqual({ width: 16_384, height: 16_384 })
    const metadata = Uint8Array.of(1, 0, 0, 0, file.length, 0, 0, 0)
    const error = refusal(() => filter.reverse({ metadata, data: file }, configOf('RGB', 7, 9), contextOf()))
    expect(error).toMatchObject({
      code: 'BAD_FILTERED_DATA',
      message: expect.stringContaining(String(16_384 ** 2 * 3)),
    })
  })

  test('that the canvas and the picture inside declare differently are damage', async () => {
    const codec = await BACKENDS[0][1].webp()
    const inner = codec.encode(new Uint8Array(300 * 300 * 3), 300, 300, { format: 'RGB', quality: 50, lossless: true })
    const file = riff('VP8X', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...inner.subarray(12)])
    viewOf(file).setUint32(16, 10, true)
    expect(webpSize(file)).toEqual({ width: 1, height: 1 })
    expect(refusal(() => codec.decode(file, 'RGB')).code).toBe('BAD_FILTERED_DATA')
  })

  test('of animations, other pictures and short files are none', () => {
    expect(refusal(() => webpSize(riff('VP8X', [0x02, ...zeros]))).code).toBe('BAD_FILTERED_DATA')
    expect(refusal(() => webpSize(riff('ALPH', zeros))).code).toBe('BAD_FILTERED_DATA')
    expect(refusal(() => webpSize(fromHex('89504e470d0a1a0a'))).code).toBe('BAD_FILTERED_DATA')
    expect(refusal(() => webpSize(new Uint8Array(0))).code).toBe('BAD_FILTERED_DATA')
  })
})

describe('what TileDB refuses too', () => {
  const parts = { metadata: [], data: [noise(36)] }

  test('pixel format NONE, both ways', async () => {
    const filter = await webp.load(BACKENDS[0][1])
    const config = configOf('RGB', 4, 3, { format: 'NONE' })
    const bytes = { metadata: fromHex(REAL.metadata), data: fromHex(REAL.data) }
    expect(refusal(() => filter.forward(parts, config, contextOf()))).toMatchObject({
      code: 'BAD_VALUE',
      at: { field: 'format' },
    })
    expect(refusal(() => filter.reverse(bytes, config, contextOf()))).toMatchObject({
      code: 'BAD_VALUE',
      at: { field: 'format' },
    })
  })

  test('values other than UINT8', async () => {
    const filter = await webp.load(BACKENDS[0][1])
    const error = refusal(() => filter.forward(parts, configOf('RGB', 4, 3), contextOf({ datatype: 'INT32' })))
    expect(error).toMatchObject({ code: 'BAD_VALUE', message: 'expected UINT8 values, found INT32' })
  })

  test('rows that are not whole pixels, and parts that are not one picture', async () => {
    const filter = await webp.load(BACKENDS[0][1])
    const split = configOf('RGB', 4, 3, { x_extent: 13 })
    expect(refusal(() => filter.forward(parts, split, contextOf())).code).toBe('BAD_VALUE')
    expect(refusal(() => filter.forward(parts, configOf('RGB', 4, 4), contextOf())).code).toBe('BAD_VALUE')
    expect(refusal(() => filter.forward(parts, configOf('RGB', 0, 0), contextOf())).code).toBe('BAD_VALUE')
  })
})

test.each([-1, 100.5, Number.NaN])('a quality of %d is refused', (quality) => {
  expect(webp.optionRefusal?.({ name: 'WEBP', quality })).toBe(`WEBP needs a quality from 0 to 100, found ${quality}`)
  expect(webp.optionRefusal?.({ name: 'WEBP', quality: 100 })).toBeUndefined()
})
