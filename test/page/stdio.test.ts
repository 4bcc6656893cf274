import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { answerQuestions } from '../../src/node/page-stdio.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/source.ts'
import { run } from '../helpers/run.ts'

/** The answers to a program that shows the page in a frame. The answers to a browser, with the same rules, have their own tests. */

const FILES = new MemoryStorage(
  new Map([
    ['/disk/array/a0.tdb', Uint8Array.from({ length: 100 }, (_, i) => i)],
    ['/disk/array/__schema/one', Uint8Array.from([1, 2, 3])],
    ['/disk/secret', Uint8Array.from([9])],
  ]),
)

interface Answer {
  id: unknown
  status: number
  headers: Record<string, unknown>
  error?: string
  bytes: number[]
}

/** The answers to some lines, sorted by `id`. */
async function answers(lines: readonly unknown[], storage: Storage = FILES): Promise<Answer[]> {
  const [from, to] = [new PassThrough(), new PassThrough()]
  const written: Buffer[] = []
  to.on('data', (part: Buffer) => written.push(part))
  from.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  const served = { storage, folder: '/disk/array', top: '/array', only: undefined }
  await answerQuestions('the page', served, from, to)
  let rest = Buffer.concat(written)
  const found: Answer[] = []
  while (rest.length > 0) {
    const end = rest.indexOf('\n')
    const { length, ...head } = JSON.parse(rest.toString('utf8', 0, end))
    found.push({ ...head, bytes: [...rest.subarray(end + 1, end + 1 + length)] })
    rest = rest.subarray(end + 1 + length)
  }
  return found.sort((a, b) => Number(a.id) - Number(b.id))
}

const asked = (what: string, path: unknown): string => `${what}?${encodeURIComponent(JSON.stringify(path))}`

test('are the page, listings, and ranges of files, each with the id of its question', async () => {
  const [page, list, file, none, missing] = await answers([
    { id: 1, path: '' },
    { id: 2, path: asked('list', '/array') },
    { id: 3, path: asked('file', '/array/a0.tdb'), range: 'bytes=98-' },
    { id: 4, path: asked('file', '/array/a0.tdb'), range: 'bytes=100-' },
    { id: 5, path: asked('file', '/array/none') },
  ])
  expect(Buffer.from(page.bytes).toString()).toBe('the page')
  expect(JSON.parse(Buffer.from(list.bytes).toString())).toEqual({
    kind: 'folder',
    entries: [
      { name: '__schema', kind: 'folder' },
      { name: 'a0.tdb', kind: 'file', size: 100 },
    ],
  })
  expect([file.status, file.bytes, file.headers['content-range']]).toEqual([206, [98, 99], 'bytes 98-99/100'])
  expect([none.status, missing.status]).toEqual([416, 404])
})

test('read nothing outside of the target', async () => {
  const paths = ['/disk/secret', '/array/../secret', '/arrays', '', 7]
  const found = await answers(
    paths.flatMap((path, id) => ['file', 'list'].map((what) => ({ id, path: asked(what, path) }))),
  )
  expect(found).toHaveLength(2 * paths.length)
  for (const one of found) expect(one).toMatchObject({ status: 403, bytes: [] })
})

test('say that a line is no question, and go on', async () => {
  const found = await answers([
    '{',
    'null',
    '7',
    '{"id":1}',
    '{"id":2,"path":3}',
    { id: 9, path: 'else?' },
    { id: 10, path: '' },
  ])
  expect(found.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 403, 200])
})

test('say in words why something cannot be read', async () => {
  const storage: Storage = {
    ...FILES,
    kind: async () => 'file',
    list: async () => [],
    open: (name) => ({
      name,
      size: async () => 3,
      read: async () => {
        throw new Error('the disk is on fire')
      },
      close: async () => {},
    }),
  }
  const [found] = await answers([{ id: 1, path: asked('file', '/array/a0.tdb'), range: 'bytes=0-1' }], storage)
  expect(found).toMatchObject({ id: 1, status: 500, error: expect.stringContaining('the disk is on fire'), bytes: [] })
})

test('a target is needed, and no output', async () => {
  for (const words of [['--stdio'], ['--stdio', '-o', 'x.html', 'array'], ['--stdio', '--open', 'array']]) {
    const { code, stderr } = await run(['page', ...words])
    expect([code, stderr]).toEqual([2, expect.stringContaining('page --stdio expects a target')])
  }
})
