import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { COMMANDS } from '../../src/cli/commands.ts'
import { Report } from '../../src/cli/report.ts'
import { Run } from '../../src/cli/run.ts'
import { FRAGMENT_METADATA_FILE } from '../../src/format/fragment-footer.ts'
import { localFiles } from '../../src/node/file.ts'
import { MetadataFile } from '../../src/objects/metadata-file.ts'
import { FEW_KEPT, KeptEnds } from '../../src/storage/kept-ends.ts'
import { Folder, TAIL_BYTES } from '../../src/storage/source.ts'
import { watched } from '../../src/storage/watched.ts'
import { temporaryFolder } from '../helpers/folders.ts'

const folder = temporaryFolder()

test('no more than 8 MiB are kept, the first ones', () => {
  const ends = new KeptEnds()
  const bytes = new Uint8Array(TAIL_BYTES)
  for (let i = 0; i < 200; i++) ends.keep(`${i}`, 10 ** 6, bytes)
  const kept = Array.from({ length: 200 }, (_, i) => ends.get(`${i}`)).filter((one) => one !== undefined)
  expect(kept.length).toBe((8 * 2 ** 20) / TAIL_BYTES)
  expect(ends.get('0')).toMatchObject({ size: 10 ** 6 })
})

test('what is kept is a copy', () => {
  const ends = new KeptEnds()
  const bytes = Uint8Array.of(1, 2)
  ends.keep('a', 2, bytes)
  bytes.fill(9)
  expect(ends.get('a')).toEqual({ size: 2, bytes: Uint8Array.of(1, 2) })
})

test.each([100, TAIL_BYTES + 100])(
  'any part of a metadata file of %i bytes is right, also after others were read',
  async (size) => {
    const { storage } = watched(localFiles)
    const content = Uint8Array.from({ length: size }, (_, i) => i % 251)
    writeFileSync(join(folder, FRAGMENT_METADATA_FILE), content)
    const file = new MetadataFile(new Folder(storage, folder), undefined)
    const { fileSize, bytes } = await file.tail()
    expect([fileSize, bytes.length]).toEqual([size, Math.min(size, TAIL_BYTES)])
    await new MetadataFile(new Folder(storage, `${folder}/none`), undefined).tail().catch(() => {})
    const parts = [
      [0, size],
      [0, 10],
      [size - 10, 10],
      [size - 90, 20],
    ]
    for (const [offset, length] of parts) {
      const expected = content.slice(offset, offset + length)
      expect(await file.source().read(offset, length)).toEqual(expected)
      expect(await file.read(offset, length)).toEqual(expected)
    }
    await expect(file.source().read(size - 5, 10)).rejects.toMatchObject({ code: 'TRUNCATED' })
    await file.close()
  },
)

test('another run reads a file anew', async () => {
  const path = join(folder, FRAGMENT_METADATA_FILE)
  writeFileSync(path, new Uint8Array(100))
  const sizeIn = async (): Promise<number> => {
    const file = new MetadataFile(new Folder(watched(localFiles).storage, folder), undefined)
    return (await file.tail()).fileSize
  }
  expect(await sizeIn()).toBe(100)
  appendFileSync(path, new Uint8Array(1))
  expect(await sizeIn()).toBe(101)
})

test('who writes into what was read changes no other read', async () => {
  const path = join(folder, 'cells')
  writeFileSync(path, Uint8Array.of(1, 2, 3))
  const { storage } = watched(localFiles)
  const file = storage.open(path)
  for (let turn = 0; turn < 3; turn++) {
    const bytes = await file.read(0, 3)
    expect(bytes).toEqual(Uint8Array.of(1, 2, 3))
    bytes.fill(9)
  }
  await file.close()
})

test('a storage that keeps nothing notices that a file was cut', async () => {
  const path = join(folder, 'cut')
  writeFileSync(path, new Uint8Array(100))
  const { storage } = watched(localFiles, 0)
  const sizeNow = async (): Promise<number> => {
    const file = storage.open(path)
    await file.read(0, 10)
    const size = await file.size()
    await file.close()
    return size
  }
  expect(await sizeNow()).toBe(100)
  writeFileSync(path, new Uint8Array(50))
  expect(await sizeNow()).toBe(50)
})

test.each([
  ['ls', FEW_KEPT / 1000],
  ['check', 500],
])('a run of %s keeps %i of 500 files', async (name, most) => {
  const { readsOnce = false } = (await COMMANDS[name].load()).command
  const { storage } = new Run(localFiles, Object.create(Report.prototype), readsOnce)
  const paths = Array.from({ length: 500 }, (_, i) => join(folder, `end${i}`))
  const sizeOf = (path: string): number | undefined => storage.readEnd?.(path, new Uint8Array(2000))?.size
  for (const path of paths) {
    writeFileSync(path, new Uint8Array(1000))
    expect(sizeOf(path)).toBe(1000)
    appendFileSync(path, new Uint8Array(1))
  }
  expect(paths.filter((path) => sizeOf(path) === 1000).length).toBe(Math.floor(most))
})
