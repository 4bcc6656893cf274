import createDecoder from '@jsquash/webp/codec/dec/webp_dec.js'
import { defaultOptions } from '@jsquash/webp/meta.js'
import { badValue, InspectError } from '../../base/errors.ts'
import { badData } from '../bytes.ts'
import type { ImageCodec } from './codecs.ts'
import { type PixelLayout, pixelLayout } from './pixels.ts'
import type { WasmReader } from './wasm-file.ts'
import { webpSize } from './webp-header.ts'

/**
 * libwebp from the package @jsquash/webp. Its encoder without SIMD is used, because it runs everywhere. Only sample arrays
 * are written with it.
 */
const DECODER_WASM = '@jsquash/webp/codec/dec/webp_dec.wasm'
const ENCODER_WASM = '@jsquash/webp/codec/enc/webp_enc.wasm'

/** Effort of libwebp's simple lossless functions, which TileDB calls. */
const LOSSLESS_EFFORT = 70

const GREEN = 1
const ALPHA = 3
const RGBA_BYTES = 4
const OPAQUE = 255

/** The package's own types need a global type that it does not declare. */
interface Decoder {
  decode(file: Uint8Array): { width: number; height: number; data: Uint8ClampedArray } | null
}
interface Encoder {
  encode(rgba: Uint8Array, width: number, height: number, options: typeof defaultOptions): Uint8Array | null
}

export async function loadWebp(readWasm: WasmReader): Promise<ImageCodec> {
  const decoder = await load<Decoder>(createDecoder, await readWasm(DECODER_WASM))
  // A page has no encoder, but it can read.
  const encoder = await loadEncoder(readWasm).catch((error: unknown) => error as Error)
  return {
    decode(file, format) {
      const layout = pixelLayout(format)
      const { depth } = layout
      const { width, height } = webpSize(file)
      let rgba: Uint8Array | Uint8ClampedArray | undefined
      try {
        const image = decoder.decode(file)
        if (image?.width === width && image.height === height) rgba = image.data
      } catch (cause) {
        const fault = { expected: 'a WebP file', found: 'one that libwebp fails on' }
        throw new InspectError('BAD_FILTERED_DATA', fault, {}, { cause })
      }
      if (!rgba) throw badData({ expected: 'a WebP file', found: 'a broken one' })
      const pixels = new Uint8Array(width * height * depth)
      recolour(rgba, RGBA_BYTES, pixels, depth, layout)
      return { width, height, pixels }
    },
    encode(pixels, width, height, { format, quality, lossless }) {
      if (encoder instanceof Error) throw encoder
      const layout = pixelLayout(format)
      const rgba = new Uint8Array(width * height * RGBA_BYTES)
      recolour(pixels, layout.depth, rgba, RGBA_BYTES, layout)
      const options = lossless ? { lossless: 1, exact: 1, quality: LOSSLESS_EFFORT } : { quality }
      const file = encoder.encode(rgba, width, height, { ...defaultOptions, ...options })
      if (!file)
        throw badValue({ expected: 'a picture that WebP can hold', found: `one of ${width} x ${height} pixels` })
      return file.slice()
    },
  }
}

/** Copies pixels between RGBA and another layout. Red and blue are swapped in both directions, or in neither. */
function recolour(
  source: Uint8Array | Uint8ClampedArray,
  from: number,
  target: Uint8Array,
  to: number,
  { red, blue }: PixelLayout,
): void {
  for (let i = 0, o = 0; o < target.length; i += from, o += to) {
    target[o] = source[i + red]
    target[o + GREEN] = source[i + GREEN]
    target[o + 2] = source[i + blue]
    if (to === RGBA_BYTES) target[o + ALPHA] = from === RGBA_BYTES ? source[i + ALPHA] : OPAQUE
  }
}

async function loadEncoder(readWasm: WasmReader): Promise<Encoder> {
  const code = await readWasm(ENCODER_WASM)
  const { default: createEncoder } = await import('@jsquash/webp/codec/enc/webp_enc.js')
  return load<Encoder>(createEncoder, code)
}

/** Starts a module of the package with its wasm file. On its own the module would fetch the file, which Node cannot. */
async function load<M>(create: (options: ModuleOptions) => Promise<M>, code: BufferSource): Promise<M> {
  const module = await WebAssembly.compile(code)
  return create({
    noInitialRun: true,
    // By default the module makes a URL beside its script. A page in one file has none.
    locateFile: (name) => name,
    instantiateWasm: (imports, ready) => {
      const instance = new WebAssembly.Instance(module, imports)
      ready(instance)
      return instance.exports
    },
  })
}

interface ModuleOptions {
  noInitialRun: boolean
  locateFile(name: string): string
  instantiateWasm(imports: WebAssembly.Imports, ready: (instance: WebAssembly.Instance) => void): WebAssembly.Exports
}
