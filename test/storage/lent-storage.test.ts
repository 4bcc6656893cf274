import { MessageChannel } from 'node:worker_threads'
import { afterAll, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { ByteRange, Storage } from '../../src/storage/source.ts'
import { lendStorage, lentStorage } from '../../src/threads/lent-storage.ts'

const PATH = 's3://bucket/array/file'
const BYTES = Uint8Array.from({ length: 100 }, (_, i) => i)
const inside = new MemoryStorage(new Map([[PATH, BYTES]]))

const fetched: ByteRange[] = []
let closed = 0
const far: Storage = {
  kind: (path) => inside.kind(path),
  list: (path) => inside.list(path),
  open(path) {
    const source = inside.open(path)
    return {
      name: path,
      size: () => source.size(),
      read: (offset, length) => source.read(offset, length),
      async fetch(offset, length) {
        fetched.push({ offset, length })
        return BYTES.slice(offset, offset + length)
      },
      async close() {
        closed++
      },
    }
  },
}
const { port1, port2 } = new MessageChannel()
lendStorage(far, port1)
const lent = lentStorage(new MemoryStorage(new Map([['/local/file', BYTES.subarray(0, 3)]])), port2)
afterAll(() => {
  port1.close()
  port2.close()
})

test('kinds, names, sizes and bytes are those of the lent storage', async () => {
  expect(await lent.kind('s3://bucket/array')).toBe('folder')
  expect(await lent.list('s3://bucket/array')).toEqual(await far.list('s3://bucket/array'))
  const source = lent.open(PATH)
  expect(await source.size()).toBe(100)
  expect([...(await source.read(10, 5))]).toEqual([10, 11, 12, 13, 14])
  expect(fetched).toEqual([])
  expect([...((await source.fetch?.(90, 20)) ?? [])]).toEqual([...BYTES.subarray(90)])
  expect(fetched).toEqual([{ offset: 90, length: 20 }])
  await source.close()
  expect(closed).toBe(1)
  // The transferred bytes are a copy.
  expect(BYTES[10]).toBe(10)
})

test('errors are those of the storage', async () => {
  const error = await lent
    .open('s3://bucket/array/other')
    .size()
    .catch((caught) => caught)
  expect(error).toBeInstanceOf(InspectError)
  expect(error).toMatchObject({ code: 'NOT_FOUND', at: { file: 's3://bucket/array/other' } })
  await expect(lent.open(PATH).read(90, 20)).rejects.toMatchObject({ code: 'TRUNCATED' })
})

test('local paths are read without it; the path tells what is remote', async () => {
  expect([...(await lent.open('/local/file').read(0, 3))]).toEqual([0, 1, 2])
  expect(await lent.kind('/local/file')).toBe('file')
  expect(['/local/file', PATH, 'https://host/a'].map((path) => lent.isRemote?.(path))).toEqual([false, true, true])
  expect([PATH, 'https://host/a'].map((path) => lent.mayNotList?.(path))).toEqual([false, true])
})
