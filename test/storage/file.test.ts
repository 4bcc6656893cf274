import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { execPath, getuid } from 'node:process'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { readAll } from '../../src/storage/source.ts'
import { failureOf } from '../helpers/failure.ts'
import { temporaryFolder } from '../helpers/folders.ts'

const folder = temporaryFolder()
const file = `${folder}/file`
writeFileSync(
  file,
  Uint8Array.from({ length: 100 }, (_, i) => i),
)
mkdirSync(`${folder}/sub`)
symlinkSync(file, `${folder}/link`)
symlinkSync(`${folder}/nowhere`, `${folder}/broken`)

describe('a folder listed with sizes', () => {
  test('has the entries of the listing, and the size of each file', async () => {
    const sized = localFiles.listSized?.(folder) ?? []
    expect(sized.map(({ size, ...entry }) => entry)).toEqual(await localFiles.list(folder))
    expect(sized.map(({ name, size }) => [name, size])).toEqual([
      ['broken', undefined],
      ['file', 100],
      ['link', 100],
      ['sub', undefined],
    ])
    const known = localFiles.listSized?.(folder, { name: 'file', size: 12345 }) ?? []
    expect(known.map(({ size }) => size)).toEqual([undefined, 12345, 100, undefined])
  })

  test('is left to the usual listing if it has many names, or is not there', () => {
    const many = `${folder}/sub/many`
    mkdirSync(many, { recursive: true })
    for (let i = 0; i <= 100; i++) writeFileSync(`${many}/${i}`, '')
    expect(localFiles.listSized?.(many)).toBeUndefined()
    expect(localFiles.listSized?.(`${folder}/nowhere`)).toBeUndefined()
  })
})

describe('a local file', () => {
  test('is read at positions, in any order, and opened again after closing', async () => {
    const source = localFiles.open(file)
    expect(source.name).toBe(file)
    expect(await source.size()).toBe(100)
    expect([...(await source.read(98, 2))]).toEqual([98, 99])
    expect([...(await source.read(0, 3))]).toEqual([0, 1, 2])
    expect(await source.read(100, 0)).toEqual(new Uint8Array(0))
    await source.close()
    await source.close()
    expect([...(await source.read(50, 1))]).toEqual([50])
    await source.close()
  })

  test('is read without waiting once it is open, unless events wait', async () => {
    const source = localFiles.open(file)
    expect(source.readNow?.(0, 1)).toBeUndefined()
    await source.read(0, 1)
    expect([...(source.readNow?.(98, 2) ?? [])]).toEqual([98, 99])
    expect(source.readNow?.(98, 3)).toBeUndefined()
    const { now } = Date
    const later = now() + 200
    Date.now = () => later
    try {
      expect(source.readNow?.(98, 2)).toBeUndefined()
      await source.read(98, 2)
      expect(source.readNow?.(98, 2)).toHaveLength(2)
    } finally {
      Date.now = now
    }
    await source.close()
    expect(source.readNow?.(98, 2)).toBeUndefined()
  })

  test('is not asked by its name for its size if it is read first', () => {
    const script = `
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const { statSync } = fs
      let count = 0
      fs.statSync = (...args) => { count++; return statSync(...args) }
      syncBuiltinESMExports()
      const { localFiles } = await import('./src/node/file.ts')
      const source = localFiles.open(${JSON.stringify(file)})
      const [byte] = await source.read(5, 1)
      await source.close()
      console.log(byte, await source.size(), count)`
    const call = ['--import', './test/fuzz/register.mjs', '--no-warnings', '--input-type=module', '-e', script]
    expect(execFileSync(execPath, call, { encoding: 'utf8' })).toBe('5 100 0\n')
  })

  test('serves concurrent reads, each with its own bytes', async () => {
    const source = localFiles.open(file)
    const reads = await Promise.all(Array.from({ length: 20 }, (_, i) => source.read(i, 5)))
    expect(reads.map((read) => read[0])).toEqual(Array.from({ length: 20 }, (_, i) => i))
    reads[0].fill(0)
    expect([...(await source.read(0, 5))]).toEqual([0, 1, 2, 3, 4])
    await source.close()
  })

  test('is read in pieces of any size', async () => {
    const large = `${folder}/large`
    writeFileSync(large, new Uint8Array(300_000).fill(7))
    const source = localFiles.open(large)
    for (const length of [65_535, 65_536, 65_537, 299_990]) {
      const read = await source.read(10, length)
      expect(read.length).toBe(length)
      expect(read.every((byte) => byte === 7)).toBe(true)
    }
    truncateSync(large, 100_000)
    expect(await failureOf(() => source.read(0, 200_000))).toMatchObject({
      message: 'expected 200000 bytes, found 100000',
    })
    await source.close()
  })

  test('that is too short gives an error with the number of bytes found', async () => {
    const source = localFiles.open(file)
    expect(await failureOf(() => source.read(95, 10))).toMatchObject({
      code: 'TRUNCATED',
      message: 'expected 10 bytes, found 5',
      at: { file, offset: 95 },
    })
    expect(await failureOf(() => source.read(1000, 1))).toMatchObject({
      message: 'expected 1 byte, found 0',
      at: { offset: 1000 },
    })
    await source.close()
  })

  test('that is truncated during a read gives the same error, and no zeros', async () => {
    const shrinking = `${folder}/shrinking`
    writeFileSync(shrinking, new Uint8Array(100).fill(1))
    const source = localFiles.open(shrinking)
    expect(await source.size()).toBe(100)
    truncateSync(shrinking, 60)
    expect(await failureOf(() => source.read(50, 20))).toMatchObject({
      code: 'TRUNCATED',
      message: 'expected 20 bytes, found 10',
    })
    appendFileSync(shrinking, 'x')
    await source.close()
  })

  test('that does not exist is NOT_FOUND for every method', async () => {
    const missing = `${folder}/missing`
    for (const path of [missing, `${file}/below`, `${folder}/broken`]) {
      const source = localFiles.open(path)
      expect(await failureOf(() => source.size())).toMatchObject({ code: 'NOT_FOUND', at: { file: path } })
      expect(await failureOf(() => source.read(0, 1))).toMatchObject({ code: 'NOT_FOUND' })
      await source.close().catch(() => {})
    }
  })

  test('that is a folder is an InspectError with the reason of the system', async () => {
    const source = localFiles.open(`${folder}/sub`)
    const error = await failureOf(async () => {
      await source.size()
      await source.read(0, 1)
    })
    expect(error).toMatchObject({ at: { file: `${folder}/sub` } })
    await source.close().catch(() => {})
  })

  test('that is empty is read whole', async () => {
    writeFileSync(`${folder}/empty`, '')
    const source = localFiles.open(`${folder}/empty`)
    expect(await readAll(source)).toEqual(new Uint8Array(0))
    await source.close()
  })
})

describe('the local file system', () => {
  test('tells files, folders and others apart', async () => {
    expect(await localFiles.kind(file)).toBe('file')
    expect(await localFiles.kind(folder)).toBe('folder')
    expect(await localFiles.kind(`${folder}/link`)).toBe('file')
    expect(await localFiles.kind('/dev/null')).toBe('other')
    expect(await localFiles.kind(`${folder}/missing`)).toBeUndefined()
    expect(await localFiles.kind(`${file}/below`)).toBeUndefined()
  })

  test('lists by name, and links with the kind of their target', async () => {
    const entries = await localFiles.list(folder)
    expect(entries.map(({ name }) => name)).toEqual(entries.map(({ name }) => name).toSorted())
    const kinds = new Map(entries.map(({ name, kind }) => [name, kind]))
    expect([kinds.get('file'), kinds.get('sub'), kinds.get('link'), kinds.get('broken')]).toEqual([
      'file',
      'folder',
      'file',
      'other',
    ])
  })

  test('says that a folder is missing', async () => {
    expect(await failureOf(() => localFiles.list(`${folder}/missing`))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await failureOf(() => localFiles.list(file))).toMatchObject({ code: 'NOT_FOUND' })
  })

  // Root may read everything.
  const unlessRoot = getuid?.() === 0 ? test.skip : test
  unlessRoot('says that it may not read', async () => {
    const closed = `${folder}/closed`
    writeFileSync(closed, 'x')
    chmodSync(closed, 0)
    mkdirSync(`${folder}/shut`)
    chmodSync(`${folder}/shut`, 0)
    expect(await failureOf(() => localFiles.open(closed).size())).toMatchObject({
      code: 'NO_PERMISSION',
      at: { file: closed },
    })
    expect(await failureOf(() => localFiles.list(`${folder}/shut`))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await failureOf(() => localFiles.kind(`${folder}/shut/x`))).toMatchObject({ code: 'NO_PERMISSION' })
    chmodSync(`${folder}/shut`, 0o700)
  })
})
