import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { certificateNote } from '../../src/storage/remote/connection-failure.ts'
import { openPlaces } from '../../src/storage/remote/places.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { type Handler, serveFolder } from '../helpers/http-server.ts'
import { get, parseJson } from '../helpers/json.ts'
import { quickRetries, silentInTurn } from '../helpers/quick-retries.ts'
import { type Ran, run } from '../helpers/run.ts'

const server = await serveFolder(FIXTURES)
/** Short timeouts, so that tests of faults do not wait. */
quickRetries()
const env = { TILEDB_INSPECT_TIMEOUT: '0.3', TILEDB_INSPECT_ATTEMPTS: '3' }
const OPTIONS = { env, signRequests: false, note() {}, show: undefined }
const ARRAY = '22/sparse_basic'
const FRAGMENT = `${ARRAY}/__fragments/${fragmentNames(`${FIXTURES}/${ARRAY}`)[0]}`
const METADATA = `/${FRAGMENT}/__fragment_metadata.tdb`
const FILE = readFileSync(`${FIXTURES}${METADATA}`)

beforeEach(() => server.reset())

function footer(more: readonly string[] = [], url = server.url): Promise<Ran> {
  return run(['footer', '--json', ...more, `${url}/${FRAGMENT}`], { env })
}

/** A fault of the metadata file only, in `times` of 3 tries. */
function onMetadata(fault: Handler, times = Number.POSITIVE_INFINITY): void {
  server.fault = (request, response, count) =>
    request.path === METADATA && count <= times ? fault(request, response, count) : false
}

function code({ text }: Ran): unknown {
  return get(get(parseJson(text), 'error'), 'code')
}

const TRANSIENT: [string, Handler][] = [
  ['HTTP 503', (_, response) => !!response.writeHead(503).end()],
  ['HTTP 500', (_, response) => !!response.writeHead(500).end()],
  ['HTTP 429', (_, response) => !!response.writeHead(429, { 'retry-after': '0' }).end()],
  ['a connection that is reset', (_, response) => !!response.socket?.destroy()],
  ['no answer', () => true],
  [
    'a body that breaks off',
    (_, response) => {
      response.writeHead(206, {
        'content-range': `bytes 0-${FILE.length - 1}/${FILE.length}`,
        'content-length': FILE.length,
      })
      response.write(FILE.subarray(0, 10))
      setTimeout(() => response.socket?.destroy(), 20)
      return true
    },
  ],
  [
    'a body that stands still',
    (_, response) => {
      response.writeHead(206, { 'content-range': `bytes 0-${FILE.length - 1}/${FILE.length}` })
      return response.write(FILE.subarray(0, 10))
    },
  ],
]

describe('a temporary fault', () => {
  test.each(silentInTurn(TRANSIENT, 0))('%s: the third try succeeds', async (_, fault) => {
    const right = await footer()
    server.reset()
    onMetadata(fault, 2)
    expect(await footer()).toEqual(right)
    expect(server.requests.filter(({ path }) => path === METADATA)).toHaveLength(3)
  })

  test.each(silentInTurn(TRANSIENT, 1))(
    '%s in every try: an error that says so, and how often it was tried',
    async (_, fault) => {
      onMetadata(fault)
      const ran = await footer()
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/__fragment_metadata.tdb: .*, 3 times\n$/) })
      expect(code(ran)).toBe('IO')
    },
  )
})

const RANGE = `bytes 0-${FILE.length - 1}/${FILE.length}`

describe('a permanent fault', () => {
  const faults: [string, string, RegExp, Handler][] = [
    ['403', 'NO_PERMISSION', /HTTP 403/, (_, response) => !!response.writeHead(403).end()],
    ['401', 'NO_PERMISSION', /HTTP 401/, (_, response) => !!response.writeHead(401).end()],
    ['404', 'NOT_FOUND', /HTTP 404/, (_, response) => !!response.writeHead(404).end()],
    ['418', 'IO', /HTTP 418/, (_, response) => !!response.writeHead(418).end()],
    [
      'another range',
      'IO',
      /Content-Range "bytes 5-9\/1000"/,
      (_, response) => !!response.writeHead(206, { 'content-range': 'bytes 5-9/1000' }).end('fghij'),
    ],
    ['no range named', 'IO', /no Content-Range/, (_, response) => !!response.writeHead(206).end('abc')],
    [
      'compressed bytes',
      'IO',
      /Content-Encoding gzip/,
      (_, response) => !!response.writeHead(206, { 'content-range': RANGE, 'content-encoding': 'gzip' }).end('abc'),
    ],
    [
      'a pause that is too long',
      'IO',
      /HTTP 503/,
      (_, response) => !!response.writeHead(503, { 'retry-after': '3600' }).end(),
    ],
  ]
  test.each(faults)('%s: %s, after one try', async (_, expected, message, fault) => {
    onMetadata(fault)
    const ran = await footer()
    expect(code(ran)).toBe(expected)
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(message) })
    expect(server.requests.filter(({ path }) => path === METADATA)).toHaveLength(1)
  })

  test('nobody listens', async () => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const ran = await footer([], `http://127.0.0.1:${port}`)
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/ECONNREFUSED/) })
  })

  test('a file that changes while it is read', async () => {
    server.fault = ({ range = '' }, response, count) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
      response.writeHead(206, { 'content-range': `bytes ${first}-${last}/1000`, etag: `"${count}"` })
      return !!response.end(Buffer.alloc(Number(last) - Number(first) + 1))
    }
    const source = openPlaces(localFiles, [], OPTIONS).storage.open(`${server.url}/file`)
    expect(await source.read(10, 10)).toHaveLength(10)
    await expect(source.read(20, 10)).rejects.toThrow(/expected the file as it was \(ETag "1"\)/)
  })
})

describe('an answer that cannot be is a fault of the server, not of the file', () => {
  const DATA = `/${FRAGMENT}/a0.tdb`
  const decode = (): Promise<Ran> => run(['decode', '--json', `${server.url}/${FRAGMENT}`], { env })
  const unsatisfied = (range: string): Handler => {
    return (_, response) => !!response.writeHead(416, { 'content-range': range }).end()
  }

  test.each(['-5', 'NaN', '1e3', '', '99999999999999999999', '999999999999999', '5, 6'])(
    '416, of */%s bytes',
    async (size) => {
      onMetadata(unsatisfied(`bytes */${size}`))
      expect(await footer()).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`HTTP 416 with Content-Range "bytes */${size}`),
      })
      server.fault = (request, response, count) =>
        request.path === DATA && unsatisfied(`bytes */${size}`)(request, response, count)
      expect(await decode()).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('a0.tdb: field a, tile 0: expected bytes 0-'),
      })
    },
  )

  test('416 that names the size of a shorter file is damage', async () => {
    server.fault = ({ path }, response, count) =>
      path === DATA && unsatisfied('bytes */0')(server.requests[0], response, count)
    expect(await decode()).toMatchObject({ code: 1, stderr: expect.stringContaining('found 0') })
  })

  test('two answers that disagree about the size', async () => {
    const storage = openPlaces(localFiles, [], OPTIONS).storage
    const part: Handler = ({ range = '' }, response, count) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
      response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${1000 * count}` })
      return !!response.end(Buffer.alloc(Number(last) - Number(first) + 1))
    }
    const changed = expect.objectContaining({
      code: 'CHANGED_WHILE_READ',
      message:
        'the array was changed while it was read: expected the file as it was (1000 bytes), found it changed (2000 bytes)',
    })
    server.fault = part
    const source = storage.open(`${server.url}/parts`)
    expect(await source.read(10, 10)).toHaveLength(10)
    await expect(source.read(20, 10)).rejects.toEqual(changed)
    // A length of 15 digits, then no byte there.
    server.fault = (request, response, count) => {
      if (request.range?.startsWith('bytes=-'))
        return response.writeHead(200, { 'content-length': 10 ** 15 - 1 }).write('x')
      return unsatisfied('bytes */1000')(request, response, count)
    }
    await expect(storage.open(`${server.url}/whole`).size()).rejects.toMatchObject({ code: 'CHANGED_WHILE_READ' })
  })

  test('HEAD without the size: 0 is not believed', async () => {
    const args = ['check', '--json', `${server.url}/${FRAGMENT}`]
    const right = await run(args, { env })
    server.fault = ({ method, path }, response) =>
      method === 'HEAD' && path === DATA && !!response.writeHead(200, { 'content-length': 0 }).end()
    expect(await run(args, { env })).toEqual(right)
    expect(right.code).toBe(0)
  })
})

describe('servers that send whole files', () => {
  const whole: Handler = ({ path }, response) =>
    !path.endsWith('/') && !!response.writeHead(200).end(readFileSync(`${FIXTURES}${path}`))

  test('give the same result, with a note', async () => {
    const args = ['decode', '--json', `${server.url}/${FRAGMENT}`]
    const right = await run(args, { env })
    server.fault = whole
    expect((await run(args, { env })).text).toBe(right.text)
  })

  test('get no note if a range has as many bytes as the file', async () => {
    const size = 65 * 2 ** 20
    server.fault = (_, response) =>
      !!response.writeHead(206, { 'content-range': `bytes 0-${size - 1}/${size}` }).end(Buffer.alloc(size))
    const source = openPlaces(localFiles, [], OPTIONS).storage.open(`${server.url}/file`)
    expect(await source.read(0, size)).toHaveLength(size)
  })

  test('are refused if the files are large', async () => {
    onMetadata((_, response) => {
      response.writeHead(200, { 'content-length': 2 ** 40 })
      return response.write(new Uint8Array(1000))
    })
    const ran = await footer()
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/a server that sends ranges.*64 MiB/) })
  })

  test('are refused if they send an endless body without a length', async () => {
    onMetadata((_, response) => {
      response.writeHead(200)
      const more = (): void => {
        if (response.destroyed) return
        response.write(new Uint8Array(1 << 20))
        setImmediate(more)
      }
      more()
      return true
    })
    const ran = await footer()
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/a server that sends ranges/) })
  })
})

describe('servers without some features', () => {
  const { storage } = openPlaces(localFiles, [], OPTIONS)
  const OLD = '2/dense_basic'
  const [old] = readdirSync(`${FIXTURES}/${OLD}`).filter((name) => /^__\w{32}_\d+$/.test(name))

  test.each([400, 403, 405, 501])('no HEAD (%d): the same result, and missing files are missing', async (status) => {
    const args = ['check', '--json', `${server.url}/${OLD}/${old}`]
    const right = await run(args, { env })
    server.fault = ({ method }, response) => method === 'HEAD' && !!response.writeHead(status).end()
    expect(await run(args, { env })).toEqual(right)
    expect(await storage.kind(`${server.url}/${FRAGMENT}/a.tdb`)).toBeUndefined()
  })

  test('no ranges that count from the end: the same result', async () => {
    const right = await footer()
    server.fault = ({ range }, response) => range?.startsWith('bytes=-') === true && !!response.writeHead(416).end()
    expect(await footer()).toEqual(right)
  })

  test('no size of an empty file', async () => {
    server.fault = (_, response) => !!response.writeHead(416).end()
    expect(await storage.open(`${server.url}/empty`).size()).toBe(0)
  })

  test('a name that is not UTF-8 is encoded byte by byte', async () => {
    const error = { code: 'NOT_FOUND' }
    await expect(storage.open(`${server.url}/a b/\udc80é`).size()).rejects.toMatchObject(error)
    expect(server.requests[0].path).toBe('/a%20b/%80%c3%a9')
  })
})

describe('requests', () => {
  test('the footer of a fragment takes one read of its metadata and one of the schema', async () => {
    await footer()
    expect(server.requests.map(({ method, path, range }) => [method, path, range])).toEqual([
      ['GET', METADATA, 'bytes=-65536'],
      ['GET', expect.stringContaining('/__schema/'), 'bytes=-65536'],
    ])
  })

  test('--requests shows them on stderr, without secrets', async () => {
    const url = `${server.url.replace('://', '://me:pass%20word@')}/${FRAGMENT}?sig=SECRET`
    const ran = await run(['footer', '--json', '--requests', url], { env })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(
      /^request: GET http:\/\/127\S+__fragment_metadata\.tdb bytes=-65536 206, \d+ bytes, \d+ ms\n/,
    )
    expect(ran.stderr).toMatch(/requests: 2, \d+ bytes\n$/)
    expect(ran.text + ran.stderr).not.toMatch(/SECRET|pass|bWU6/)
    expect(server.requests.map(({ search }) => search)).toEqual(['?sig=SECRET', '?sig=SECRET'])
    expect(server.requests[0].authorization).toBe(`Basic ${btoa('me:pass word')}`)
  })

  test('errors have no secrets', async () => {
    onMetadata((_, response) => !!response.writeHead(403).end())
    const ran = await run(['footer', '--json', `${server.url}/${FRAGMENT}?sig=SECRET`], { env: { ...env, DEBUG: '1' } })
    expect(ran.code).toBe(3)
    expect(ran.text + ran.stderr).not.toContain('SECRET')
  })

  test('URLs of other schemes are refused', async () => {
    expect(await run(['ls', 'tiledb://bucket/array'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('s3, gs or azure'),
    })
  })
})

test('the error for a refused certificate says that AWS_CA_BUNDLE is not read', () => {
  const bundle = { AWS_CA_BUNDLE: 'ca.pem' }
  expect(certificateNote(bundle)).toContain('AWS_CA_BUNDLE is not read')
  for (const env of [{}, { AWS_CA_BUNDLE: '' }, { ...bundle, NODE_EXTRA_CA_CERTS: 'ca.pem' }])
    expect(certificateNote(env)).toBe('; NODE_EXTRA_CA_CERTS names a file of further certificates to trust')
})
