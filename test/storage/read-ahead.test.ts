import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { MemorySource } from '../../src/storage/memory.ts'
import { ReadAhead } from '../../src/storage/read-ahead.ts'
import type { ByteRange, ByteSource } from '../../src/storage/source.ts'

const KIB = 1024
const BYTES = new Uint8Array(12 * KIB * KIB)
for (let i = 0; i < BYTES.length; i++) BYTES[i] = (i * 7) >> 3

/** Ten consecutive ranges of 50 KiB. */
const RANGES = Array.from({ length: 10 }, (_, i): ByteRange => ({ offset: i * 50 * KIB, length: 50 * KIB }))

/** A source that records its reads, in KiB. */
function noting(isRemote: boolean): { source: ByteSource; asked: [offset: number, length: number][]; fail: unknown[] } {
  const memory = new MemorySource('file', BYTES)
  const asked: [number, number][] = []
  const fail: unknown[] = []
  const read: ByteSource['read'] = async (offset, length) => {
    asked.push([offset / KIB, length / KIB])
    const failure = fail.shift()
    if (failure) throw failure
    return memory.read(offset, length)
  }
  const source: ByteSource = { name: 'file', size: () => memory.size(), read, close: async () => {} }
  if (isRemote) source.fetch = (offset, length) => read(offset, Math.min(length, BYTES.length - offset))
  return { source, asked, fail }
}

async function readAll(ahead: ReadAhead, ranges: readonly ByteRange[]): Promise<void> {
  for (const { offset, length } of ranges)
    expect(Buffer.compare(await ahead.read(offset, length), BYTES.subarray(offset, offset + length))).toBe(0)
}

describe('over a network', () => {
  test('the first group is fetched at once, later groups on demand, each twice as long', async () => {
    const { source, asked } = noting(true)
    const ahead = new ReadAhead(source)
    ahead.plan(RANGES, { first: 100 * KIB, together: 200 * KIB })
    await new Promise(setImmediate)
    expect(asked).toEqual([[0, 100]])
    await readAll(ahead, RANGES)
    // biome-ignore format: a table
    expect(asked).toEqual([[0, 100], [100, 200], [300, 200]])
  })

  test('ranges are joined over gaps of up to 64 KiB', async () => {
    const { source, asked } = noting(true)
    const ahead = new ReadAhead(source)
    const ranges = [0, 74, 149].map((at): ByteRange => ({ offset: at * KIB, length: 10 * KIB }))
    ahead.plan(ranges)
    await readAll(ahead, ranges)
    // biome-ignore format: a table
    expect(asked).toEqual([[0, 84], [149, 10]])
  })

  test('as many bytes are kept as are fetched together', async () => {
    const { source, asked } = noting(true)
    const ahead = new ReadAhead(source)
    const ranges = [0, 3, 6, 9].map((at): ByteRange => ({ offset: at * KIB * KIB, length: 3 * KIB * KIB }))
    ahead.plan(ranges, { together: 32 * KIB * KIB })
    await readAll(ahead, ranges)
    expect(asked).toEqual([[0, 12 * KIB]])
  })

  test('a failed request is repeated for the next range', async () => {
    const { source, asked, fail } = noting(true)
    fail.push(new InspectError('IO', 'a broken connection'))
    const ahead = new ReadAhead(source)
    ahead.plan(RANGES)
    await expect(ahead.read(0, 50 * KIB)).rejects.toThrow('a broken connection')
    await readAll(ahead, RANGES.slice(1))
    // biome-ignore format: a table
    expect(asked).toEqual([[0, 500], [0, 500]])
  })
})

describe('of a local file', () => {
  test('nothing is read before the first read; then each read starts the next group', async () => {
    const { source, asked } = noting(false)
    const ahead = new ReadAhead(source)
    ahead.plan(RANGES)
    await new Promise(setImmediate)
    expect(asked).toEqual([])
    await readAll(ahead, RANGES.slice(0, 1))
    await new Promise(setImmediate)
    // biome-ignore format: a table
    expect(asked).toEqual([[0, 250], [250, 250]])
    await readAll(ahead, RANGES.slice(1))
    expect(asked).toHaveLength(2)
  })

  test('after a failure each range is read alone', async () => {
    const { source, asked, fail } = noting(false)
    fail.push(new InspectError('IO', 'the device failed'))
    const ahead = new ReadAhead(source)
    ahead.plan(RANGES)
    await readAll(ahead, RANGES)
    expect(asked).toEqual([[0, 250], ...RANGES.map(({ offset, length }) => [offset / KIB, length / KIB])])
  })

  test('ranges that are not planned, or read again, are read one by one', async () => {
    const { source } = noting(false)
    const ahead = new ReadAhead(source)
    const other = { offset: 600 * KIB, length: 3 }
    await readAll(ahead, [other])
    ahead.plan(RANGES)
    await readAll(ahead, [RANGES[4], RANGES[2], RANGES[4], other, RANGES[0]])
  })
})
