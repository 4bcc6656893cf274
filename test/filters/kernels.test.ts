import { describe, expect, test } from '@jest/globals'
import { NO_BYTES } from '../../src/base/bytes.ts'
import { InspectError } from '../../src/base/errors.ts'
import { hex } from '../../src/filters/bytes.ts'
import type { Filter, FilterContext, FilteredBytes } from '../../src/filters/filter.ts'
import { KERNELS_WASM } from '../../src/filters/kernels/binary.js'
import { Kernels, kernelsCode, LazyKernels } from '../../src/filters/kernels/kernels.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { definitionOf } from '../../src/filters/registry.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { filterContext, stored } from '../helpers/filter-context.ts'
import { type Random, withRandom } from '../helpers/random.ts'
import { tries } from '../helpers/turn.ts'

const kernels = new Kernels(kernelsCode(KERNELS_WASM))

type Name = FilterConfig['name']

interface Case {
  config: FilterConfig
  /** Makes bytes that the filter accepts. */
  data(random: Random, length: number, datatype: Datatype): Uint8Array
  context?(random: Random): Partial<FilterContext>
  /** Datatypes that the filter refuses. */
  refuses?(datatype: Datatype): boolean
}

const anything = (random: Random, length: number): Uint8Array => random.bytes(length)

/** Makes whole elements that rise in small steps, whatever their sign. */
function rising(random: Random, length: number, datatype: Datatype): Uint8Array {
  const size = datatypeSize(datatype)
  const out = new Uint8Array(length)
  const step = random.pick([0, 2, 40, 5000])
  const most = BigInt(2) ** BigInt(8 * size - 1) - 1n
  let value = 0n
  for (let at = 0; at + size <= length; at += size) {
    const next = value + BigInt(random.below(step + 1))
    value = next > most ? most : next
    for (let i = 0; i < size; i++) out[at + i] = Number((value >> BigInt(8 * i)) & 0xffn)
  }
  return out
}

/** Makes runs of equal cells. */
function repeating(random: Random, length: number): Uint8Array {
  const out = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const run = 1 + random.below(random.pick([3, 40, 400]))
    out.fill(random.below(4), at, at + run)
    at += run
  }
  return out
}

/** Makes bytes, some of them very rare, which gives Huffman codes of many lengths. */
function skewed(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => {
    let value = 0
    while (value < 255 && random.below(5) > 1) value++
    return value
  })
}

const eitherWay = (random: Random, length: number, datatype: Datatype): Uint8Array =>
  random.below(2) === 0 ? rising(random, length, datatype) : random.bytes(length)

const isFloat = (datatype: Datatype): boolean => datatypeKind(datatype) === 'float'

const CASES: Partial<Record<Name, Case>> = {
  BITSHUFFLE: { config: { name: 'BITSHUFFLE' }, data: anything },
  BYTESHUFFLE: { config: { name: 'BYTESHUFFLE' }, data: anything },
  XOR: { config: { name: 'XOR' }, data: anything },
  DELTA: { config: { name: 'DELTA' }, data: eitherWay, refuses: isFloat },
  DOUBLE_DELTA: { config: { name: 'DOUBLE_DELTA' }, data: rising, refuses: isFloat },
  POSITIVE_DELTA: { config: { name: 'POSITIVE_DELTA', max_window_size: 100 }, data: rising },
  BIT_WIDTH_REDUCTION: { config: { name: 'BIT_WIDTH_REDUCTION', max_window_size: 200 }, data: eitherWay },
  RLE: {
    config: { name: 'RLE' },
    data: repeating,
    context: (random) => ({ cellSize: random.pick([1, 2, 3, 4, 8, 12, 16, 40]) }),
  },
  LZ4: {
    config: { name: 'LZ4', level: -1 },
    data: (random, length) => random.pick([anything, repeating])(random, length),
  },
  GZIP: {
    config: { name: 'GZIP', level: 5 },
    data: (random, length) => random.pick([anything, repeating, skewed])(random, length),
  },
  ZSTD: {
    config: { name: 'ZSTD', level: 3 },
    data: (random, length) => random.pick([anything, repeating, skewed])(random, length),
  },
  BZIP2: {
    config: { name: 'BZIP2', level: 1 },
    data: (random, length) => random.pick([anything, repeating, skewed])(random, length),
  },
}

const NAMES = Object.keys(CASES) as Name[]
const caseOf = (name: Name): Case => CASES[name] ?? { config: { name }, data: anything }
const loaded = (name: Name): Promise<Filter> => definitionOf(name).load(portableCodecs)

/** Undoes a filter. Returns the bytes, or all facts of the error. */
function outcome(filter: Filter, bytes: FilteredBytes, config: FilterConfig, cx: FilterContext): unknown {
  try {
    const { metadata, data } = filter.reverse(bytes, config, cx)
    return { metadata: hex(metadata), data: hex(data) }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { code: error.code, message: error.message, at: error.at }
  }
}

function expectSame(filter: Filter, bytes: FilteredBytes, config: FilterConfig, cx: FilterContext): void {
  kernels.begin(cx.limit)
  expect(outcome(filter, bytes, config, { ...cx, kernels })).toEqual(outcome(filter, bytes, config, cx))
}

/** Returns lengths of parts in bytes. All are whole cells, because some filters accept no others. */
function lengths(random: Random, size: number): number[] {
  const counts = [0, 1, 3, 8, 15, 17, 64, 1 + random.below(300), 1000 + random.below(2000)]
  return counts.map((count) => count * size)
}

describe.each(NAMES)('%s with kernels', (name) => {
  const { config, data, context, refuses } = caseOf(name)

  test('gives what the plain code gives, of every datatype and length', async () => {
    const filter = await loaded(name)
    expect(definitionOf(name).usesKernels).toBe(name === 'ZSTD' ? 'at once' : true)
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        if (refuses?.(datatype)) continue
        const cx = filterContext(datatype, context?.(random))
        for (const length of lengths(random, cx.cellSize)) {
          const parts = [data(random, length, datatype)]
          if (random.below(3) === 0) parts.push(data(random, cx.cellSize * random.below(50), datatype))
          expectSame(filter, stored(filter.forward({ metadata: [], data: parts }, config, cx)), config, cx)
        }
      }
    })
  })

  test('does the work in the kernels where nothing is wrong', async () => {
    const filter = await loaded(name)
    withRandom((random) => {
      const cx = filterContext('INT32')
      const bytes = stored(filter.forward({ metadata: [], data: [data(random, 4096, 'INT32')] }, config, cx))
      kernels.begin(4096)
      expect(kernels.holds(filter.reverse(bytes, config, { ...cx, kernels }).data)).toBe(true)
    })
  })

  test('says of damage what the plain code says', async () => {
    const filter = await loaded(name)
    withRandom((random) => {
      for (const datatype of ['INT32', 'UINT64', 'INT16', 'UINT8'] as const) {
        const cx = filterContext(datatype, { limit: 1 << 16, ...context?.(random) })
        const parts = [data(random, 24 * cx.cellSize, datatype), data(random, 9 * cx.cellSize, datatype)]
        const valid = stored(filter.forward({ metadata: [], data: parts }, config, cx))
        for (let i = 0; i <= valid.metadata.length; i++)
          expectSame(filter, { ...valid, metadata: valid.metadata.subarray(0, i) }, config, cx)
        for (let i = 0; i <= valid.data.length; i += 1 + random.below(3))
          expectSame(filter, { ...valid, data: valid.data.subarray(0, i) }, config, cx)
        for (let round = 0; round < tries(100, 300); round++) {
          const changed = { metadata: valid.metadata.slice(), data: valid.data.slice() }
          const target = random.below(2) === 0 && changed.data.length > 0 ? changed.data : changed.metadata
          for (let i = random.below(3); i >= 0; i--)
            target[random.below(target.length)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
          expectSame(filter, changed, config, cx)
        }
      }
    })
  })
})

test('the kernel takes bzip2 streams of several blocks and of every level', async () => {
  const codec = await portableCodecs.bzip2()
  const filter = await loaded('BZIP2')
  withRandom((random) => {
    for (const [level, length] of [
      [1, 450_000],
      [2, 199_981],
      [9, 2_000_000],
    ]) {
      const data = random.pick([anything, repeating, skewed])(random, length)
      const forward = filter.forward({ metadata: [], data: [data] }, { name: 'BZIP2', level }, filterContext('UINT8'))
      expect(Buffer.compare(stored(forward).data, codec.compress(data, level))).toBe(0)
      // The first attempt finds out how much memory it needs.
      for (const isHeld of [false, true]) {
        kernels.begin(length)
        const cx = filterContext('UINT8', { limit: length, kernels })
        const out = filter.reverse(stored(forward), { name: 'BZIP2', level }, cx).data
        expect(Buffer.compare(out, data)).toBe(0)
        if (isHeld) expect(kernels.holds(out)).toBe(true)
      }
    }
  })
})

describe('the memory of the kernels', () => {
  test('grows between chunks only, and refuses what is too much', () => {
    const fresh = new Kernels(kernelsCode(KERNELS_WASM))
    const unshuffled = (bytes: Uint8Array): Uint8Array | undefined =>
      fresh.run('unbyteshuffle', bytes.length, [bytes], bytes.length, 4)
    fresh.begin(1000)
    const large = new Uint8Array(4 << 20).fill(1)
    const held = fresh.run('unxor', 100, [new Uint8Array(100).fill(7)], 100, 1)
    expect(held?.subarray(0, 2)).toEqual(Uint8Array.of(7, 0))
    expect(unshuffled(large)).toBeUndefined()
    expect(held?.length).toBe(100)
    fresh.begin(1000)
    expect(Buffer.compare(unshuffled(large) ?? NO_BYTES, large)).toBe(0)
    expect(unshuffled(new Uint8Array(200 << 20))).toBeUndefined()
    expect(fresh.run('unlz4', 0xffff_ffff, [Uint8Array.of(0)], 1, 0xffff_ffff)).toBeUndefined()
    fresh.begin(1 << 30)
    expect(Buffer.compare(unshuffled(large) ?? NO_BYTES, large)).toBe(0)
  })

  test('is not there where the kernels do not run', () => {
    const lazy = new LazyKernels(() => Uint8Array.of(0, 0x61, 0x73, 0x6d))
    expect([lazy.forChunk(1 << 20), lazy.forChunk(1 << 20)]).toEqual([undefined, undefined])
    expect(lazy.holds(NO_BYTES)).toBe(false)
  })

  test('takes input that lies in it already, at any address', () => {
    kernels.begin(1000)
    const ones = new Uint8Array(103).fill(1)
    const held = kernels.run('sums', 103, [ones], 103, 1, 0, 0) ?? ones
    expect(kernels.holds(held)).toBe(true)
    const twice = kernels.run('sums', 16, [held.subarray(3, 19)], 16, 4, 0, 0)
    const plain = Uint32Array.of(0x07060504, 0x12100e0c, 0x211e1b18, 0x34302c28)
    expect(twice).toEqual(new Uint8Array(plain.buffer))
  })

  test('is left behind by what a pipeline gives', async () => {
    const filters: FilterConfig[] = [{ name: 'BITSHUFFLE' }, { name: 'LZ4', level: -1 }]
    const pipeline = await Pipeline.load(filters, { datatype: 'INT32', cellSize: 4, formatVersion: 22 }, portableCodecs)
    withRandom((random) => {
      const tiles = [1, 5].map((chunks) => {
        const data = repeating(random, chunks * 100_000)
        const lengths = new Array<number>(chunks).fill(100_000)
        return { data, stored: pipeline.forwardTile(data, lengths) }
      })
      for (let round = 0; round < 4; round++) {
        const results = tiles.map((tile) => pipeline.reverseTile(tile.stored).data)
        expect(results.map((result, i) => Buffer.compare(result, tiles[i].data))).toEqual([0, 0])
        expect(new Set(results.map((result) => result.buffer)).size).toBe(results.length)
      }
    })
  })
})
