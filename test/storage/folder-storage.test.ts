import { describe, expect, test } from '@jest/globals'
import { openArray, readCells } from '../../src/index.ts'
import { type DirectoryHandle, folderStorage, type ListedFile } from '../../src/storage/folder-storage.ts'
import { readAll } from '../../src/storage/source.ts'
import { failureOf } from '../helpers/failure.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { filesBelow } from '../helpers/folders.ts'

const PLACES = `${FIXTURES}/22/sparse_basic`
const BYTES = filesBelow(PLACES, 'places')

function listed(path: string, bytes: Uint8Array): ListedFile {
  const file = new File([new Uint8Array(bytes)], path.slice(path.lastIndexOf('/') + 1))
  return Object.defineProperty(file, 'webkitRelativePath', { value: path }) as File & { webkitRelativePath: string }
}

/** A handle like those of browsers: names without sizes, and DOMExceptions as errors. */
function handleOf(files: ReadonlyMap<string, Uint8Array>, path: string): DirectoryHandle {
  const kindOf = (name: string): 'file' | 'directory' | undefined => {
    if (files.has(`${path}/${name}`)) return 'file'
    return [...files.keys()].some((file) => file.startsWith(`${path}/${name}/`)) ? 'directory' : undefined
  }
  const check = (name: string, wanted: 'file' | 'directory'): void => {
    if (name === '' || name.startsWith('.')) throw new TypeError('Name is not allowed.')
    if (name === 'locked') throw new DOMException('The request is not allowed.', 'NotAllowedError')
    const kind = kindOf(name)
    if (kind === undefined) throw new DOMException('A requested file could not be found.', 'NotFoundError')
    if (kind !== wanted) throw new DOMException('The path is of another type.', 'TypeMismatchError')
  }
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    async *values() {
      const inside = [...files.keys()].filter((file) => file.startsWith(`${path}/`))
      const names = new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0]))
      for (const name of names) yield { name, kind: kindOf(name) ?? 'file' }
    },
    async getDirectoryHandle(name) {
      check(name, 'directory')
      return handleOf(files, `${path}/${name}`)
    },
    async getFileHandle(name) {
      check(name, 'file')
      return { getFile: async () => listed(name, files.get(`${path}/${name}`) ?? new Uint8Array(0)) }
    },
  }
}

const STORAGES = [
  ['a list of files', folderStorage([...BYTES].map(([path, bytes]) => listed(path, bytes)))],
  ['a handle', folderStorage(handleOf(BYTES, 'places'))],
] as const

describe.each(STORAGES)('a folder that was chosen in a page, as %s', (_, storage) => {
  test('opens by its name, and has the cells of the same array on disk', async () => {
    const cells = async (array: Awaited<ReturnType<typeof openArray>>): Promise<unknown[]> => {
      const [{ path }] = await array.fragments()
      const rows: unknown[] = []
      for await (const row of readCells(array.fragment(path))) rows.push(row)
      return rows
    }
    const found = await cells(await openArray('places', { storage }))
    expect(found.length).toBeGreaterThan(1)
    expect(found).toEqual(await cells(await openArray(PLACES)))
  })

  test('is listed by name, as is the folder around it', async () => {
    expect(await storage.list('')).toEqual([{ name: 'places', kind: 'folder' }])
    const names = (await storage.list('places')).map(({ name, kind }) => `${kind} ${name}`)
    expect(names).toEqual(['folder __commits', 'folder __fragments', 'folder __meta', 'folder __schema'])
    expect(await failureOf(() => storage.list('places/none'))).toMatchObject({
      code: 'NOT_FOUND',
      at: { file: 'places/none' },
    })
  })

  test('knows files, folders and what does not exist', async () => {
    const [file] = BYTES.keys()
    expect(
      await Promise.all(['places', file, 'places/none', 'other', 'places/'].map((path) => storage.kind(path))),
    ).toEqual(['folder', 'file', undefined, undefined, undefined])
    expect(await failureOf(() => storage.open('places/__schema').size())).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is read by ranges, with an error beyond the end of a file', async () => {
    const [path, bytes] = [...BYTES].find(([name]) => name.endsWith('.tdb')) ?? ['', new Uint8Array(0)]
    const source = storage.open(path)
    expect(await readAll(source)).toEqual(new Uint8Array(bytes))
    expect(await source.read(1, 3)).toEqual(new Uint8Array(bytes.subarray(1, 4)))
    expect(await failureOf(() => source.read(bytes.length - 2, 9))).toMatchObject({
      code: 'TRUNCATED',
      message: 'expected 9 bytes, found 2',
      at: { file: path, offset: bytes.length - 2 },
    })
    expect(await failureOf(() => source.read(-1, 9))).toMatchObject({ code: 'BAD_VALUE' })
    await source.close()
  })
})

test('files without a path are found by their names', async () => {
  const file = { name: 'a.tdb', webkitRelativePath: '', size: 2, slice: () => new Blob() }
  expect(await folderStorage([file]).list('')).toEqual([{ name: 'a.tdb', kind: 'file', size: 2 }])
})

test("an origin's private folder has no name, and its paths begin inside it", async () => {
  const inside = new Map([...BYTES].map(([path, bytes]) => [`/${path}`, bytes]))
  const storage = folderStorage(handleOf(inside, ''))
  expect(await storage.kind('places/__schema')).toBe('folder')
  expect(await storage.kind('')).toBe('folder')
  const array = await openArray('places', { storage })
  expect((await array.fragments()).length).toBeGreaterThan(0)
})

test('a refusal of the browser is NO_PERMISSION; a failed read is IO', async () => {
  const storage = folderStorage(handleOf(BYTES, 'places'))
  expect(await failureOf(() => storage.kind('places/locked'))).toMatchObject({
    code: 'NO_PERMISSION',
    message: 'no permission to read: The request is not allowed.',
    at: { file: 'places/locked' },
  })
  const gone = listed('a', Uint8Array.of(1))
  const broken = {
    ...{ name: 'a', webkitRelativePath: 'a', size: 1 },
    slice: () => ({
      arrayBuffer: () => Promise.reject(new DOMException('The file changed.', 'NotReadableError')),
    }),
  }
  expect(await folderStorage([gone]).open('a').size()).toBe(1)
  expect(await failureOf(() => folderStorage([broken]).open('a').read(0, 1))).toMatchObject({
    code: 'IO',
    message: 'the browser cannot read it: The file changed.',
  })
})
