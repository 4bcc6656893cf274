/**
 * Prints how fast the filters of a tile are undone, in MB of unfiltered bytes per second of processor time, and the goals:
 *
 *     npm run bench:pipelines -- [NAME…]
 *
 * The values are those of the large arrays (bench/README.md): INT32 running sums of small steps, in tiles of 1 MiB and
 * chunks of 64 KiB, filtered by our own writing direction. Then the kernels alone, as ratios to the same loops in C.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { register } from 'node:module'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { median, scratch } from './measure.mjs'

register('../test/fuzz/typescript-loader.mjs', import.meta.url)
const { decode } = await import('../src/format/io.ts')
const { tileChunks } = await import('../src/format/tile-chunks.ts')
const { Pipeline } = await import('../src/filters/pipeline.ts')
const { Kernels, kernelsCode } = await import('../src/filters/kernels/kernels.ts')
const { KERNELS_WASM } = await import('../src/filters/kernels/binary.js')
const { nodeCodecs } = await import('../src/node/node-codecs.ts')

const TILE = 2 ** 20
const CHUNK = 2 ** 16
const TILES = 16
const PASSES = 7

/** Non-decreasing values with steps of 0 to 8, the same in every run. */
function values(count) {
  const out = new Int32Array(count)
  let state = 1
  let value = 0
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    value += (state >>> 16) % 9
    out[i] = value
  }
  return out
}

function text(length) {
  const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett']
  let out = ''
  for (let i = 0, state = 1; out.length < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    out += `${words[(state >>> 16) % 10]}-${words[(state >>> 24) % 10]}-${1_000_000 + i}`
  }
  return new TextEncoder().encode(out.slice(0, length))
}

const sums = values((TILES * TILE) / 4)
const INT32 = { datatype: 'INT32', cellSize: 4, bytes: new Uint8Array(sums.buffer) }
const RUNS = { ...INT32, bytes: new Uint8Array(sums.map((value) => value >> 8).buffer) }
const TEXT = { datatype: 'STRING_UTF8', cellSize: 1, bytes: text(TILES * TILE) }

const zstd = { name: 'ZSTD', level: 3 }
const window = { max_window_size: 1024 }
/** Name, goal in MB/s, filters, data. */
const PIPELINES = [
  ['gzip', 320, [{ name: 'GZIP', level: 6 }]],
  ['zstd', 600, [zstd]],
  ['lz4', 1200, [{ name: 'LZ4', level: -1 }]],
  ['bzip2', 35, [{ name: 'BZIP2', level: 1 }]],
  ['bitshuffle+lz4', 1200, [{ name: 'BITSHUFFLE' }, { name: 'LZ4', level: -1 }]],
  ['byteshuffle+zstd', 1200, [{ name: 'BYTESHUFFLE' }, zstd]],
  ['double-delta', 1900, [{ name: 'DOUBLE_DELTA' }]],
  ['double-delta+zstd', 1300, [{ name: 'DOUBLE_DELTA' }, zstd]],
  ['delta+zstd', 600, [{ name: 'DELTA' }, zstd]],
  [
    'positive-delta+bit-width+zstd',
    800,
    [{ name: 'POSITIVE_DELTA', ...window }, { name: 'BIT_WIDTH_REDUCTION', ...window }, zstd],
  ],
  ['rle', 2000, [{ name: 'RLE' }], RUNS],
  ['strings zstd', 600, [zstd], TEXT],
  ['sha-256', 1700, [{ name: 'CHECKSUM_SHA256' }]],
  ['md5', 740, [{ name: 'CHECKSUM_MD5' }]],
  ['aes-256-gcm', 2000, [{ name: 'AES_256_GCM' }]],
]

/** Processor time of all threads of this process. Wall time would depend on other processes of a shared machine. */
function processorSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function mebi(bytes, time) {
  return `${(bytes / time / 1e6).toFixed(0)}`.padStart(6)
}

/** Undoes filters as `verify-checksums` does. */
function verify(pipeline, tile) {
  const onVerdict = ({ ok }) => {
    if (!ok) throw new Error('a checksum differs')
  }
  for (const [i, chunk] of decode(tile, tileChunks).chunks.entries())
    pipeline.reverseChunk(chunk, i, { onVerdict, checksumsOnly: true })
}

async function measurePipeline([name, goal, filters, { datatype, cellSize, bytes } = INT32]) {
  const tile = { datatype, cellSize, formatVersion: 22, key: new Uint8Array(32).fill(7) }
  const pipeline = await Pipeline.load(filters, tile, nodeCodecs)
  const chunks = new Array(TILE / CHUNK).fill(CHUNK)
  const stored = []
  const randomBytes = (length) => new Uint8Array(length).fill(stored.length)
  const tiles = name === 'bzip2' ? 2 : TILES
  for (let at = 0; at < tiles * TILE; at += TILE) {
    stored.push(pipeline.forwardTile(bytes.subarray(at, at + TILE), chunks, { randomBytes }))
  }
  for (const [i, tile] of stored.entries()) {
    const { data } = pipeline.reverseTile(tile)
    if (Buffer.compare(data, bytes.subarray(i * TILE, (i + 1) * TILE)) !== 0)
      throw new Error(`${name}: tile ${i} differs`)
  }
  const times = []
  const into = new Uint8Array(TILE)
  const verified = name === 'sha-256' || name === 'md5' || name === 'aes-256-gcm'
  for (let pass = 0; pass < PASSES; pass++) {
    const start = processorSeconds()
    for (const tile of stored) {
      if (verified) verify(pipeline, tile)
      else pipeline.reverseTile(tile, { into })
    }
    times.push(processorSeconds() - start)
    // Waits for codecs that were requested meanwhile, such as the one for small frames. Reading the next tile would do so, too.
    await new Promise(setImmediate)
  }
  const size = tiles * TILE
  console.log(
    `${name.padEnd(30)} ${mebi(size, Math.min(...times))} MB/s at best, ${mebi(size, median(times))} median; goal ${goal}`,
  )
}

const REPEATS = 4000

/** Times each kernel on a chunk in its memory. */
function kernelRuns() {
  const kernels = new Kernels(kernelsCode(KERNELS_WASM))
  const input = new Uint8Array(CHUNK)
  for (let i = 0, state = 1; i < CHUNK; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    input[i] = state >>> 16
  }
  const table = (size) => {
    const entry = size + 5
    const out = new DataView(new ArrayBuffer((CHUNK / 1024) * entry))
    for (let at = 0, i = 0; at < out.byteLength; at += entry, i++) {
      out.setUint32(at, i * 977, true)
      out.setUint8(at + size, size === 4 ? 8 : 16)
      out.setUint32(at + size + 1, 1024, true)
    }
    return new Uint8Array(out.buffer)
  }
  const tables = { 4: table(4), 8: table(8) }
  const doubleDelta = (size) => {
    const length = 8 * Math.ceil((5 * (CHUNK / size - 2)) / 64)
    return (part) => {
      const inputs = [part.subarray(0, 2 * size + length), kernels.block(length)]
      return kernels.run('undoubleDelta', CHUNK, inputs, length / 8, CHUNK / size, 4, size)
    }
  }
  const plain = (kernel, size) => (part) => kernels.run(kernel, CHUNK, [part], CHUNK, size, 0, 0)
  const widen = (size) => (part) =>
    kernels.run('widen', CHUNK, [tables[size], part.subarray(0, CHUNK / 4)], 64, CHUNK / 4, CHUNK, size, 0)
  const runs = {
    'un-bitshuffle 4': plain('unbitshuffle', 4),
    'un-bitshuffle 8': plain('unbitshuffle', 8),
    'un-byteshuffle 4': plain('unbyteshuffle', 4),
    'un-byteshuffle 8': plain('unbyteshuffle', 8),
    'prefix sum 4': plain('sums', 4),
    'prefix sum 8': plain('sums', 8),
    'double-delta 4': doubleDelta(4),
    'double-delta 8': doubleDelta(8),
    'widen 8 to 32': widen(4),
    'widen 16 to 64': widen(8),
  }
  return Object.entries(runs).map(([name, run]) => {
    const once = () => {
      kernels.begin(CHUNK)
      const part = kernels.view(kernels.place(input), CHUNK)
      const start = processorSeconds()
      const { top } = kernels
      for (let i = 0; i < REPEATS; i++) {
        kernels.top = top
        if (!run(part)) throw new Error(`${name}: not done`)
      }
      return (REPEATS * CHUNK) / (processorSeconds() - start) / 1e6
    }
    return [name, once]
  })
}

function measureKernels() {
  const program = join(scratch, 'kernels')
  const { status } = spawnSync('gcc', ['-O3', '-o', program, resolve(import.meta.dirname, 'kernels.c')], {
    stdio: 'inherit',
  })
  if (status !== 0) return console.log('kernels: no gcc to hold them against')
  const runs = kernelRuns()
  for (const [, once] of runs) once()
  const ratios = new Map(runs.map(([name]) => [name, []]))
  for (let round = 0; round < PASSES; round++) {
    const lines = execFileSync(program, [String(REPEATS)], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const inC = new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
    for (const [name, once] of runs) {
      const speed = once()
      ratios.get(name).push({ speed, c: inC.get(name), ratio: speed / inC.get(name) })
    }
  }
  for (const [name, found] of ratios) {
    const [speed, c, ratio] = ['speed', 'c', 'ratio'].map((key) => median(found.map((one) => one[key])))
    console.log(
      `${name.padEnd(30)} ${speed.toFixed(0).padStart(6)} MB/s, in C ${c.toFixed(0).padStart(6)}: ratio ${ratio.toFixed(2)}; goal 0.80`,
    )
  }
}

console.log(`Node ${process.version}, ${cpus()[0].model}`)
const wanted = process.argv.slice(2)
for (const pipeline of PIPELINES)
  if (wanted.length === 0 || wanted.includes(pipeline[0])) await measurePipeline(pipeline)
if (wanted.length === 0 || wanted.includes('kernels')) measureKernels()
