import { describe, expect, test } from '@jest/globals'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Folder, readAll } from '../../src/storage/source.ts'
import { bytes } from '../helpers/build-bytes.ts'
import { failureOf } from '../helpers/failure.ts'

const storage = new MemoryStorage(
  new Map([
    ['a/b/two', bytes([1, 2])],
    ['a/one', bytes([1])],
    ['a/none', new Uint8Array(0)],
    ['ab', bytes([9])],
  ]),
)

describe('files in memory', () => {
  test('imply their folders', async () => {
    expect(await storage.kind('a')).toBe('folder')
    expect(await storage.kind('a/b')).toBe('folder')
    expect(await storage.kind('a/b/two')).toBe('file')
    expect(await storage.kind('a/')).toBeUndefined()
    expect(await storage.kind('a/tw')).toBeUndefined()
  })

  test('are listed by name with their sizes, each folder once', async () => {
    expect(await storage.list('a')).toEqual([
      { name: 'b', kind: 'folder' },
      { name: 'none', kind: 'file', size: 0 },
      { name: 'one', kind: 'file', size: 1 },
    ])
    expect(await failureOf(() => storage.list('b'))).toMatchObject({ code: 'NOT_FOUND', at: { file: 'b' } })
  })

  test('are read by ranges, with an error beyond their end', async () => {
    const source = storage.open('a/b/two')
    expect(await source.read(1, 1)).toEqual(bytes([2]))
    expect(await failureOf(() => source.read(1, 2))).toMatchObject({
      code: 'TRUNCATED',
      message: 'expected 2 bytes, found 1',
      at: { offset: 1 },
    })
    expect(await failureOf(() => source.read(5, 1))).toMatchObject({ message: 'expected 1 byte, found 0' })
    expect(await readAll(storage.open('a/none'))).toEqual(new Uint8Array(0))
    await source.close()
  })

  test('that do not exist are NOT_FOUND', async () => {
    const source = storage.open('a/missing')
    expect(await failureOf(() => source.size())).toMatchObject({ code: 'NOT_FOUND', at: { file: 'a/missing' } })
    expect(await failureOf(() => source.read(0, 1))).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('folders', () => {
  test('know their name, their entries and the folder around them', async () => {
    const folder = new Folder(storage, 'a/b/')
    expect([folder.path, folder.name, folder.parent()?.path, folder.parent()?.parent()]).toEqual([
      'a/b',
      'b',
      'a',
      undefined,
    ])
    expect(new Folder(storage, '/').parent()).toBeUndefined()
    expect(new Folder(storage, '/x').parent()?.path).toBe('/')
    expect(await folder.kind('two')).toBe('file')
    expect(await folder.folder('c').listIfThere()).toEqual([])
    expect(await new Folder(storage, 'a/one').listIfThere()).toEqual([])
  })
})
