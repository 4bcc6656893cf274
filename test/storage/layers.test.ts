import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { layeredStorage } from '../../src/storage/layered.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { withFile } from '../../src/storage/overlay.ts'
import { readAll, type Storage } from '../../src/storage/source.ts'
import { storageWithout } from '../../src/storage/without.ts'
import { temporaryFolder } from '../helpers/folders.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = async (storage: Storage, path: string): Promise<string> =>
  new TextDecoder().decode(await readAll(storage.open(path)))
const names = async (storage: Storage, path: string): Promise<string[]> =>
  (await storage.list(path)).map(({ name }) => name)

const folder = temporaryFolder()

test('added files replace files of the folder, and are no links', async () => {
  const root = `${folder}/root`
  mkdirSync(root)
  for (const name of ['a', 'c']) writeFileSync(`${root}/${name}`, `old ${name}`)
  symlinkSync(`${root}/a`, `${root}/link`)
  const added = new MemoryStorage(new Map(['b', 'c', 'new/d'].map((path) => [`/added/${path}`, bytes(`new ${path}`)])))
  const both = layeredStorage(localFiles, root, added, '/added')
  expect(await names(both, root)).toEqual(['a', 'b', 'c', 'link', 'new'])
  expect(await names(both, `${root}/new`)).toEqual(['d'])
  expect(await Promise.all(['a', 'b', 'c'].map((name) => text(both, `${root}/${name}`)))).toEqual([
    'old a',
    'new b',
    'new c',
  ])
  expect(both.realPath?.(`${root}/link`)).toBe(localFiles.realPath?.(`${root}/a`))
  expect(both.realPath?.(`${root}/new`)).toBe(`${root}/new`)
  expect(() => both.realPath?.(`${folder}/nothing`)).toThrow('no such file or folder')
})

test('a storage without some files lists the others in order, with an added file', async () => {
  const files = ['a', 'b', 'd/e', 'd/f', 'g/h/i'].map((path): [string, Uint8Array] => [
    `s3://bucket/${path}`,
    bytes(path),
  ])
  const gone = ['a', 'd/e', 'g/h'].map((path) => `s3://bucket/${path}`)
  const instead = { path: 's3://bucket/aa', bytes: bytes('instead') }
  const local = new MemoryStorage(new Map(files))
  const remote: Storage = {
    kind: (path) => local.kind(path),
    list: (path) => local.list(path),
    open: (path) => local.open(path),
    isRemote: () => true,
  }
  const rest = withFile(storageWithout(remote, gone), instead.path, instead.bytes)
  expect(await names(rest, 's3://bucket')).toEqual(['aa', 'b', 'd'])
  expect(await names(storageWithout(local, gone), 's3://bucket')).toEqual(['b', 'd', 'g'])
  expect(await names(rest, 's3://bucket/d')).toEqual(['f'])
  expect(await Promise.all(['g', 'g/h/i', 'aa', 'd'].map((path) => rest.kind(`s3://bucket/${path}`)))).toEqual([
    undefined,
    undefined,
    'file',
    'folder',
  ])
  const error = { code: 'NOT_FOUND' }
  await expect(rest.list('s3://bucket/g/h')).rejects.toMatchObject(error)
  await expect(text(rest, 's3://bucket/d/e')).rejects.toMatchObject(error)
  expect(await text(rest, instead.path)).toBe('instead')
})
