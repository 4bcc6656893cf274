import { expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { ReportStorage } from '../../src/page/report-storage.ts'

/** The files of a report whose rest may not be there yet. */
const FILES = [
  { path: 'small', size: 3 },
  { path: 'large', size: 6, first: 2 },
  { path: 'out', size: 9, isLeftOut: true as const },
  { path: 'data', size: 4, first: 0 },
]
const FIRST = Uint8Array.of(1, 2, 3, 14, 15)
const REST = Uint8Array.of(10, 11, 12, 13, 14, 15, 20, 21, 22, 23)

const storageOf = (rest: Promise<Uint8Array>): ReportStorage =>
  new ReportStorage({ top: '/a', files: FILES }, FIRST, rest)

test('what comes first is read before the rest is there', async () => {
  const storage = storageOf(new Promise(() => {}))
  expect([...(await storage.open('/a/small').read(0, 3))]).toEqual([1, 2, 3])
  expect([...(await storage.open('/a/large').read(4, 2))]).toEqual([14, 15])
  expect([...(await storage.open('/a/large').read(5, 1))]).toEqual([15])
  expect(await storage.open('/a/data').size()).toBe(4)
})

test('all else is read of the rest', async () => {
  const storage = storageOf(Promise.resolve(REST))
  expect([...(await storage.open('/a/large').read(3, 3))]).toEqual([13, 14, 15])
  expect([...(await storage.open('/a/large').read(0, 6))]).toEqual([10, 11, 12, 13, 14, 15])
  expect([...(await storage.open('/a/data').read(1, 3))]).toEqual([21, 22, 23])
  await expect(storage.open('/a/large').read(4, 3)).rejects.toMatchObject({ code: 'TRUNCATED' })
  await expect(storage.open('/a/out').read(0, 1)).rejects.toMatchObject({ code: 'IO' })
})

test('a report that was cut shows what it has, and says of the rest that it was cut', async () => {
  const storage = storageOf(Promise.reject(new InspectError('TRUNCATED', 'cut')))
  expect([...(await storage.open('/a/large').read(4, 2))]).toEqual([14, 15])
  await expect(storage.open('/a/data').read(0, 1)).rejects.toMatchObject({ code: 'TRUNCATED' })
})
