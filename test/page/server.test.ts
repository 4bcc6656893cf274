import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { type PageServer, servePage } from '../../src/node/page-server.ts'
import { ServedStorage } from '../../src/page/served-storage.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/source.ts'
import { temporaryFolder } from '../helpers/folders.ts'

const FILES = new Map([
  ['/disk/array/__schema/one', Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])],
  ['/disk/array/a0.tdb', Uint8Array.from({ length: 100 }, (_, i) => i)],
  ['/disk/array/__commits/empty', new Uint8Array(0)],
  ['/disk/secret', Uint8Array.from([9])],
])

let server: PageServer
beforeAll(async () => {
  const storage = new MemoryStorage(FILES)
  const files = new Map([['part-views.js', () => Buffer.from('a script')]])
  server = await servePage('the page', { storage, folder: '/disk/array', top: '/array', only: undefined, files })
})
afterAll(() => server.close())

interface Answer {
  status: number | undefined
  body: Buffer
  headers: Record<string, unknown>
}

/** Sends a request that no ordinary client would send. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, method }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => void parts.push(part))
      response.on('end', () =>
        resolve({ status: response.statusCode, body: Buffer.concat(parts), headers: response.headers }),
      )
    })
    sent.on('error', reject).end()
  })
}

const base = (): string => new URL(server.url).pathname
const asked = (what: string, path: unknown): string => `${base()}${what}?${encodeURIComponent(JSON.stringify(path))}`

test('it listens on the loopback alone, below a word that cannot be guessed', () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
})

describe('what belongs to the page', () => {
  test('are also its own scripts, compressed for who asks for that', async () => {
    const { status, body, headers } = await ask(`${base()}part-views.js`)
    expect([status, String(body)]).toEqual([200, 'a script'])
    expect(headers).toMatchObject({ 'content-type': 'text/javascript', 'cross-origin-resource-policy': 'same-origin' })
    const packed = await ask(`${base()}part-views.js`, { 'accept-encoding': 'gzip, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(String(gunzipSync(packed.body))).toBe('a script')
    expect((await ask(`${base()}part-other.js`)).status).not.toBe(200)
    expect((await ask('/part-views.js')).status).toBe(403)
  })

  test('is the page itself', async () => {
    const { status, body, headers } = await ask(base())
    expect([status, String(body)]).toEqual([200, 'the page'])
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cross-origin-resource-policy': 'same-origin' })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('are listings of folders', async () => {
    const { status, body } = await ask(asked('list', '/array'))
    expect(status).toBe(200)
    expect(JSON.parse(String(body))).toEqual({
      kind: 'folder',
      entries: [
        { name: '__commits', kind: 'folder' },
        { name: '__schema', kind: 'folder' },
        { name: 'a0.tdb', kind: 'file', size: 100 },
      ],
    })
    expect(JSON.parse(String((await ask(asked('list', '/array/a0.tdb'))).body))).toEqual({ kind: 'file' })
    expect((await ask(asked('list', '/array/none'))).status).toBe(404)
  })

  test('are whole files, and their sizes', async () => {
    const { status, body } = await ask(asked('file', '/array/a0.tdb'))
    expect([status, [...body]]).toEqual([200, [...(FILES.get('/disk/array/a0.tdb') ?? [])]])
    const { headers, body: none } = await ask(asked('file', '/array/a0.tdb'), {}, 'HEAD')
    expect([headers['content-length'], headers['accept-ranges'], none.length]).toEqual(['100', 'bytes', 0])
  })

  test.each([
    ['bytes=0-0', [0], 'bytes 0-0/100'],
    ['bytes=98-', [98, 99], 'bytes 98-99/100'],
    ['bytes=-2', [98, 99], 'bytes 98-99/100'],
    ['bytes=97-1000', [97, 98, 99], 'bytes 97-99/100'],
  ])('is the range %s', async (range, bytes, header) => {
    const { status, body, headers } = await ask(asked('file', '/array/a0.tdb'), { range })
    expect([status, [...body], headers['content-range']]).toEqual([206, bytes, header])
  })

  test('is an empty file, whatever part of it is asked for', async () => {
    const { status, body } = await ask(asked('file', '/array/__commits/empty'), { range: 'bytes=-65536' })
    expect([status, body.length]).toEqual([200, 0])
  })

  test('is no range after the end', async () => {
    const { status, headers } = await ask(asked('file', '/array/a0.tdb'), { range: 'bytes=100-' })
    expect([status, headers['content-range']]).toEqual([416, 'bytes */100'])
  })
})

describe('what does not is refused', () => {
  const host = (): string => new URL(server.url).host

  test.each(['/', '/list', '/wrong/', '/../', `/${'a'.repeat(32)}/`])('without the word: %s', async (path) => {
    const { status, body } = await ask(path)
    expect([status, body.length]).toEqual([403, 0])
  })

  test('by another name of this machine', async () => {
    const { port } = new URL(server.url)
    for (const name of [`localhost:${port}`, 'evil.example', '127.0.0.1'])
      expect((await ask(base(), { host: name })).status).toBe(403)
    expect((await ask(base(), { host: host() })).status).toBe(200)
  })

  test('from another page', async () => {
    const path = asked('file', '/array/a0.tdb')
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1'])
      expect((await ask(path, { origin })).status).toBe(403)
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(path, { 'sec-fetch-site': site })).status).toBe(403)
    expect((await ask(path, { origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test.each([
    '/disk/secret',
    '/array/../secret',
    '/array/..',
    '/array/./a0.tdb',
    '/array//a0.tdb',
    '/array/..\\secret',
    '/array/a\0',
    '/arrays',
    '',
    7,
    null,
  ])('outside of the target: %j', async (path) => {
    for (const what of ['file', 'list']) expect((await ask(asked(what, path))).status).toBe(403)
  })

  test('in words that are no path', async () => {
    for (const query of ['', '?', '?%', '?array']) expect((await ask(`${base()}file${query}`)).status).toBe(403)
  })

  test('with methods that would change something', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await ask(base(), {}, method)).status).toBe(405)
  })
})

describe('a file that was changed, with the same size', () => {
  const folder = temporaryFolder()
  const path = '/array/a.tdb'
  const size = 200_000
  const write = (value: number, seconds: number): void => {
    writeFileSync(`${folder}/a.tdb`, new Uint8Array(size).fill(value))
    utimesSync(`${folder}/a.tdb`, seconds, seconds)
  }
  let served: PageServer
  beforeAll(async () => {
    served = await servePage('', { storage: localFiles, folder, top: '/array', only: undefined })
  })
  afterAll(() => served.close())
  beforeEach(() => write(1, 1_700_000_000))
  const etag = async () =>
    (await fetch(`${served.url}file?${encodeURIComponent(JSON.stringify(path))}`, { method: 'HEAD' })).headers.get(
      'etag',
    )

  test('has another ETag', async () => {
    const before = await etag()
    expect(await etag()).toBe(before)
    write(2, 1_700_000_000.5)
    expect(await etag()).not.toBe(before)
  })

  test('is another file, even with the same time', async () => {
    const before = await etag()
    renameSync(`${folder}/a.tdb`, `${folder}/old.tdb`)
    write(2, 1_700_000_000)
    expect(await etag()).not.toBe(before)
  })

  test('is not read as the file that it was, by whichever source', async () => {
    const storage = new ServedStorage(new URL(served.url), '/array')
    const source = storage.open(path)
    expect(await source.size()).toBe(size)
    expect([...(await source.read(0, 2))]).toEqual([1, 1])
    write(2, 1_700_000_001)
    for (const one of [source, storage.open(path)])
      await expect(one.read(1000, 2)).rejects.toMatchObject({
        code: 'CHANGED_WHILE_READ',
        message: expect.stringContaining('changed'),
      })
  })
})

test('of one file, only that file is served', async () => {
  const storage = new MemoryStorage(FILES)
  const one = await servePage('', { storage, folder: '/disk/array', top: '/array', only: 'a0.tdb' })
  try {
    const get = (what: string, path: string) => fetch(`${one.url}${what}?${encodeURIComponent(JSON.stringify(path))}`)
    expect(await (await get('list', '/array')).json()).toEqual({
      kind: 'folder',
      entries: [{ name: 'a0.tdb', kind: 'file', size: 100 }],
    })
    expect((await get('file', '/array/a0.tdb')).status).toBe(200)
    expect((await get('file', '/array/__schema/one')).status).toBe(403)
  } finally {
    one.close()
    await one.ended
  }
})

describe('links are followed as all commands do', () => {
  const files = new MemoryStorage(
    new Map(['folder/array/a', 'else/file', 'else/a/b'].map((path) => [`/${path}`, Uint8Array.from([7])])),
  )
  const links = [
    ['/folder/array/__fragments', '/else'],
    ['/folder/array/other', '/else'],
    ['/folder/one.tdb', '/else/file'],
  ]
  const realPath = (path: string): string => {
    const [from, to] = links.find(([from]) => path === from || path.startsWith(`${from}/`)) ?? ['', '']
    return to + path.slice(from.length)
  }
  const storage: Storage = {
    kind: (path) => files.kind(realPath(path)),
    list: (path) => files.list(realPath(path)),
    open: (path) => files.open(realPath(path)),
    realPath,
  }

  test.each([
    ['/array/__fragments', 200],
    ['/array/__fragments/a/b', 200],
    ['/array/other', 403],
    ['/array/other/__fragments', 403],
  ])('%s: %d', async (path, status) => {
    const served = await servePage('', { storage, folder: '/folder/array', top: '/array', only: undefined })
    expect((await fetch(`${served.url}list?${encodeURIComponent(JSON.stringify(path))}`)).status).toBe(status)
    served.close()
  })

  test('a target that is a link', async () => {
    const served = await servePage('', { storage, folder: '/folder', top: '/folder', only: 'one.tdb' })
    const answer = await fetch(`${served.url}file?${encodeURIComponent(JSON.stringify('/folder/one.tdb'))}`)
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(Uint8Array.from([7]))
    served.close()
  })
})
