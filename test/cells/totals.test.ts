import { expect, test } from '@jest/globals'
import { allCells } from '../../src/cells/elements.ts'
import { extremesOf } from '../../src/cells/extremes.ts'
import { isSumAtLimit, TileStatistics } from '../../src/cells/tile-statistics.ts'
import { totalsOf } from '../../src/cells/totals.ts'
import { loadKernels } from '../../src/filters/kernels/kernels.ts'
import { type Datatype, datatypeSize } from '../../src/format/datatype.ts'
import { type Random, withRandom } from '../helpers/random.ts'

const TYPES: readonly Datatype[] = [
  ...(['INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64'] as const),
  ...(['FLOAT32', 'FLOAT64', 'BOOL', 'DATETIME_MS', 'BLOB'] as const),
]

/** Bytes of any numbers. Floats are finite, and none is so large that a sum may be infinite. */
function bytesOf(type: Datatype, cells: number, random: Random): Uint8Array {
  if (type === 'FLOAT32') return bytes(Float32Array.from({ length: cells }, () => random.below(2 ** 20) / 8 - 5e4))
  if (type === 'FLOAT64') return bytes(Float64Array.from({ length: cells }, () => random.below(2 ** 40) / 7 - 1e9))
  const data = Uint8Array.from({ length: cells * datatypeSize(type) }, () => random.below(256))
  // Integers of 8 bytes whose sum stays within its limits.
  if (datatypeSize(type) === 8) for (let at = 5; at < data.length; at += 8) data.fill(0, at, at + 3)
  return data
}

function bytes(array: Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer)
}

/** What a tile has without the kernels and with them. */
async function both(type: Datatype, data: Uint8Array): Promise<unknown[]> {
  const cells = data.length / datatypeSize(type)
  return [undefined, await loadKernels()].map((kernels) => {
    const field = { type, cell_val_num: 1, nullable: false, dimension: false } as const
    const statistics = new TileStatistics(field, 1, kernels)
    statistics.add(0, { data, starts: undefined, validity: undefined }, cells)
    return [statistics.extreme('min', 0), statistics.extreme('max', 0), statistics.sums]
  })
}

test('the kernel finds what the loops find, for every type of numbers', async () => {
  const kernels = await loadKernels()
  const cases: [Datatype, Uint8Array][] = []
  withRandom((random) => {
    for (const type of TYPES) for (const cells of [5000, 40_001]) cases.push([type, bytesOf(type, cells, random)])
  })
  for (const [type, data] of cases) {
    const [plain, quick] = await both(type, data)
    expect([type, quick]).toEqual([type, plain])
    if (type === 'BLOB') continue
    const found = totalsOf(kernels, type, data)
    expect(found).toBeDefined()
    const cells = allCells(data.length / datatypeSize(type))
    expect(found).toMatchObject({ ...extremesOf(type, data, undefined, 0, cells) })
  }
})

test('NaN, infinity, zeros of both signs and sums near a limit are as the loops find them', async () => {
  const kernels = await loadKernels()
  const cells = 5000
  const floats = (...some: number[]): Float64Array => new Float64Array(cells).fill(1.5).map((one, i) => some[i] ?? one)
  for (const [some, isQuick] of [
    [[1, Number.NaN, 2], false],
    [[Number.POSITIVE_INFINITY, 1], false],
    [[Number.MAX_VALUE, Number.MAX_VALUE], false],
    [[0, -0, 0], true],
    [[-0, 0, -1], true],
  ] as const) {
    const data = bytes(floats(...some))
    const [plain, quick] = await both('FLOAT64', data)
    expect([some, quick]).toEqual([some, plain])
    expect(totalsOf(kernels, 'FLOAT64', data) !== undefined).toBe(isQuick)
  }
  for (const type of ['INT64', 'UINT64'] as const) {
    const data = new Uint8Array(new BigInt64Array(cells).fill(2n ** 62n).buffer)
    const [plain, quick] = await both(type, data)
    expect([type, quick]).toEqual([type, plain])
    expect(totalsOf(kernels, type, data)).toBeUndefined()
  }
})

test('a sum at the limit of its type tells nothing', () => {
  const sums = (...values: bigint[]): Uint8Array[] =>
    values.map((value) => new Uint8Array(BigInt64Array.of(BigInt.asIntN(64, value)).buffer))
  for (const sum of sums(2n ** 63n - 1n, -(2n ** 63n))) expect(isSumAtLimit('DATETIME_NS', sum)).toBe(true)
  for (const sum of sums(2n ** 64n - 1n)) expect(isSumAtLimit('UINT16', sum)).toBe(true)
  for (const sum of sums(0n, 255n, -256n, 2n ** 62n)) expect(isSumAtLimit('INT64', sum)).toBe(false)
  for (const [value, isAtLimit] of [
    [Number.MAX_VALUE, true],
    [-Number.MAX_VALUE, true],
    [Number.NaN, true],
    [1e300, false],
  ] as const)
    expect(isSumAtLimit('FLOAT32', bytes(Float64Array.of(value)))).toBe(isAtLimit)
})
