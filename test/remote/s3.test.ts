import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { openPlaces } from '../../src/storage/remote/places.ts'
import { onDiskAndOn } from '../helpers/both.ts'
import { FIXTURES, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, parseJson } from '../helpers/json.ts'
import { quickRetries, silentInTurn } from '../helpers/quick-retries.ts'
import { type Ran, run } from '../helpers/run.ts'
import { answerError, listingPage, type S3Handler, type S3Request, serveBuckets } from '../helpers/s3-server.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const SECRET = 'SECRET/KEY+of=tests'
const TOKEN = 'SESSION+TOKEN=='
/** Names that need escaping in URLs, in listings, and in signatures. */
const ODD = 'a b+c%20d&e=é☃'
const odd = temporaryFolder()
cpSync(`${FIXTURES}/22/sparse_basic`, `${odd}/${ODD}/${ODD}`, { recursive: true })

const server = await serveBuckets({ fixtures: FIXTURES, odd }, { pageSize: 5 })
/** Short timeouts, so that tests of faults do not wait. */
quickRetries()
const env = {
  AWS_ENDPOINT_URL: server.url,
  AWS_ACCESS_KEY_ID: 'ACCESSKEY',
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: TOKEN,
  TILEDB_INSPECT_TIMEOUT: '0.3',
  TILEDB_INSPECT_ATTEMPTS: '3',
}
/** Long timeouts for tests without faults, because a loaded machine may answer late. */
const patient = { ...env, TILEDB_INSPECT_TIMEOUT: '10' }
const BUCKET = 's3://fixtures'
const ARRAY = '22/sparse_basic'

beforeEach(() => server.reset())

function fragmentOf(array: string): string {
  return `${array}/__fragments/${fragmentNames(`${FIXTURES}/${array}`)[0]}`
}

const FRAGMENT = fragmentOf(ARRAY)
const METADATA = `${FRAGMENT}/__fragment_metadata.tdb`
const FILE = readFileSync(`${FIXTURES}/${METADATA}`)

/** The requests, in a few words. */
function asked(): string[] {
  return server.requests.map(({ prefix, key, query, range }) => {
    if (prefix === undefined) return `${key.slice(key.lastIndexOf('/') + 1)} ${range}`
    return `list ${prefix.replace(/__\d+_\d+_\w+/, '…')}${query.has('delimiter') ? '' : ' and below'}`
  })
}

describe('every command prints the same as for local files', () => {
  const ofArray = [
    ['ls'],
    ['ls', '--names'],
    ['schema', '--all'],
    ['commits'],
    ['footer'],
    ['rtree'],
    ['tiles'],
    ['metadata'],
    ['stats'],
    ['decode', '--all-fragments'],
    ['verify-checksums', '--deep', '--all'],
    ['check', '--level', 'cells', '--all'],
  ]
  const arrays = ['sparse_basic', 'sparse_consolidated', 'vacuum_left', 'fragment_metadata_consolidated']
  const more = ['commits_consolidated', 'deletes', 'dimension_labels', 'enumerations', 'dense_consolidated']
  const all = [...[...arrays, ...more].map((name) => `22/${name}`), '3/sparse_basic', '1/sparse_2d_row']
  test.each(turnOfFamilies(all, 24, (name) => versionOf({ name })))('%s', async (array) => {
    for (const args of ofArray) {
      const { local, remote } = await onDiskAndOn(BUCKET, args, array, { env: patient })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
  })

  test('an encrypted array, with and without its key', async () => {
    const key = get(parseJson(readFileSync(`${FIXTURES}/22/encrypted.expected.json`, 'utf8')), 'key')
    for (const args of ofArray) {
      for (const given of [[], ['--key', String(key)]]) {
        const { local, remote } = await onDiskAndOn(BUCKET, [...args, ...given], '22/encrypted', { env: patient })
        expect({ args, remote }).toEqual({ args, remote: local })
      }
    }
  })

  test.each([['ls'], ['metadata'], ['check'], ['verify-checksums']])('%s of a group', async (command) => {
    const { local, remote } = await onDiskAndOn(BUCKET, [command], '22/group', { env: patient })
    expect(remote).toEqual(local)
  })

  test.each([['ls'], ['footer'], ['rtree'], ['tiles'], ['decode'], ['metadata'], ['stats'], ['check']])(
    '%s of a fragment',
    async (command) => {
      const { local, remote } = await onDiskAndOn(BUCKET, [command], FRAGMENT, { env: patient })
      expect(remote).toEqual(local)
    },
  )

  test('tile, dump, at and diff', async () => {
    for (const [args, target] of [
      [['tile', 'a0', '0'], FRAGMENT],
      [['dump'], METADATA],
      [['dump'], `${FRAGMENT}/a0.tdb`],
      [['at', '20'], `${FRAGMENT}/a0.tdb`],
      [
        ['diff', '--cells'],
        ['22/sparse_2d_row_row', '22/sparse_2d_col_col'],
      ],
    ] as const) {
      const { local, remote } = await onDiskAndOn(BUCKET, args, target, { env: patient })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
  })

  test('an array that does not exist', async () => {
    const { local, remote } = await onDiskAndOn(BUCKET, ['ls'], '22/nowhere', { env: patient })
    expect(remote).toEqual(local)
    expect(remote).toMatchObject({ code: 3, text: expect.stringContaining('NOT_FOUND') })
  })
})

describe('requests', () => {
  const ls = async (...args: string[]): Promise<Ran> => run(['ls', '--json', ...args], { env })

  test('ls --names lists the array and its fragments, and opens only the newest schema, which tells the version', async () => {
    await ls('--names', `${BUCKET}/${ARRAY}`)
    expect(asked()).toEqual([
      'list 22/sparse_basic/',
      'list 22/sparse_basic/__schema/',
      expect.stringMatching(/^__\d+_\d+_\w+ bytes=/),
      'list 22/sparse_basic/__fragments/',
    ])
  })

  test('ls of an array: a listing per folder, a page per 5 names, a read per footer', async () => {
    await ls(`${BUCKET}/${ARRAY}`)
    const files = readdirSync(`${FIXTURES}/${FRAGMENT}`).length
    expect(asked().sort()).toEqual(
      [
        'list 22/sparse_basic/',
        'list 22/sparse_basic/__commits/',
        'list 22/sparse_basic/__fragments/',
        'list 22/sparse_basic/__schema/',
        ...Array.from({ length: Math.ceil(files / 5) }, () => 'list 22/sparse_basic/__fragments/ and below'),
        expect.stringMatching(/^__\d+_\d+_\w+ bytes=/),
        '__fragment_metadata.tdb bytes=-65536',
      ].sort(),
    )
  })

  test('ls reads no footer that is in consolidated fragment metadata', async () => {
    await ls(`${BUCKET}/22/fragment_metadata_consolidated`)
    expect(asked().filter((one) => one.startsWith('__fragment_metadata.tdb'))).toEqual([])
  })

  /** A page holds 5 of the fragment's 14 names. */
  const kindAndNames = ['list 22/sparse_basic/__fragments/…/', 'list 22/sparse_basic/__fragments/…/']
  const opened = [
    ...kindAndNames,
    'list 22/sparse_basic/__fragments/…/',
    'list 22/sparse_basic/__schema/',
    '__fragment_metadata.tdb bytes=-65536',
    expect.stringMatching(/^__\d+_\d+_\w+ bytes=-65536$/),
  ]

  test('footer: one read of the metadata, one of the schema', async () => {
    await run(['footer', '--json', `${BUCKET}/${FRAGMENT}`], { env })
    expect(asked()).toEqual(opened)
  })

  test('decode: one more read per data file, and a listing of the schemas', async () => {
    await run(['decode', '--json', `${BUCKET}/${FRAGMENT}`], { env })
    const files = readdirSync(`${FIXTURES}/${FRAGMENT}`).filter((name) => name !== '__fragment_metadata.tdb')
    expect(asked().slice(0, opened.length)).toEqual(opened)
    const more = ['list 22/sparse_basic/', ...files.map((name) => `${name} bytes=-65536`)]
    expect(asked().slice(opened.length).sort()).toEqual(more.sort())
  })

  test('names with spaces, +, % and letters beyond ASCII are requested correctly', async () => {
    const bare = ({ code, text, stderr }: Ran, base: string): unknown => [
      code,
      text.replaceAll(JSON.stringify(base).slice(1, -1), '…'),
      stderr,
    ]
    for (const args of [['ls'], ['footer'], ['check', '--level', 'cells'], ['decode', '--all-fragments']]) {
      const [command, ...more] = args
      const local = `${odd}/${ODD}/${ODD}`
      const remote = `s3://odd/${ODD}/${ODD}`
      const expected = bare(await run([command, local, ...more, '--json'], { env }), local)
      expect(bare(await run([command, remote, ...more, '--json'], { env }), remote)).toEqual(expected)
    }
    expect(server.requests.every(({ key, prefix }) => (prefix ?? key).startsWith(`${ODD}/${ODD}`))).toBe(true)
  })

  test('requests are signed; no output has a secret', async () => {
    for (const [command, target] of [
      ['ls', ARRAY],
      ['ls', 'nowhere'],
      ['check', ARRAY],
      ['footer', METADATA],
    ]) {
      const { text, stderr } = await run([command, '--json', '--requests', `${BUCKET}/${target}`], {
        env: { ...env, DEBUG: '1' },
      })
      expect(stderr).toMatch(/^request: GET .*\nrequests: \d+, \d+ bytes\n/ms)
      for (const secret of [SECRET, TOKEN, 'Signature', encodeURIComponent(SECRET), encodeURIComponent(TOKEN)])
        expect(text + stderr).not.toContain(secret)
    }
    const signed =
      /^AWS4-HMAC-SHA256 Credential=ACCESSKEY\/\d{8}\/us-east-1\/s3\/aws4_request, .*Signature=[0-9a-f]{64}$/
    for (const { authorization } of server.requests) expect(authorization).toMatch(signed)
  })

  test('--no-sign-request signs nothing', async () => {
    const ran = await run(['ls', '--json', '--no-sign-request', `${BUCKET}/${ARRAY}`], { env })
    expect(ran.code).toBe(0)
    expect(server.requests.map(({ authorization }) => authorization)).not.toContainEqual(expect.anything())
  })
})

const isMetadata = ({ key }: S3Request): boolean => key === METADATA
const isFragments = ({ prefix }: S3Request): boolean => prefix === '22/sparse_basic/__fragments/'

/** A fault of the first `times` requests that `which` selects. */
function on(which: (request: S3Request) => boolean, fault: S3Handler, times = Number.POSITIVE_INFINITY): void {
  server.fault = (request, response, count) =>
    which(request) && count <= times ? fault(request, response, count) : false
}

const footer = (): Promise<Ran> => run(['footer', '--json', `${BUCKET}/${FRAGMENT}`], { env })
const names = (): Promise<Ran> => run(['ls', '--names', '--json', `${BUCKET}/${ARRAY}`], { env })
const error = ({ text }: Ran, key: string): unknown => get(get(parseJson(text), 'error'), key)

const RANGE = `bytes 0-${FILE.length - 1}/${FILE.length}`
const SLOW_DOWN: S3Handler = (_, response) => answerError(response, 503, 'SlowDown')

const TRANSIENT: [string, S3Handler][] = [
  ['503 SlowDown', SLOW_DOWN],
  ['500 InternalError', (_, response) => answerError(response, 500, 'InternalError')],
  ['no answer', () => true],
  ['a connection that is reset', (_, response) => !!response.socket?.destroy()],
  [
    'a body that breaks off',
    (_, response) => {
      response.writeHead(206, { 'content-range': RANGE, 'content-length': FILE.length })
      response.write(FILE.subarray(0, 1000))
      setTimeout(() => response.socket?.destroy(), 20)
      return true
    },
  ],
  [
    'a body that stands still',
    (_, response) => {
      response.writeHead(206, { 'content-range': RANGE, 'content-length': FILE.length })
      response.write(FILE.subarray(0, 1000))
      return true
    },
  ],
]

describe('faults of an object', () => {
  test.each(silentInTurn(TRANSIENT, 0))('%s, twice: the third try succeeds', async (_, fault) => {
    const right = await footer()
    server.reset()
    on(isMetadata, fault, 2)
    expect(await footer()).toEqual(right)
    expect(server.requests.filter(isMetadata)).toHaveLength(3)
  })

  test.each(silentInTurn(TRANSIENT, 1))(
    '%s in every try: an error that says how often it was tried',
    async (_, fault) => {
      on(isMetadata, fault)
      const ran = await footer()
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/__fragment_metadata.tdb: .*, 3 times\n$/) })
      expect(error(ran, 'code')).toBe('IO')
    },
  )

  const lasting: [string, string, RegExp, S3Handler][] = [
    ['403', 'NO_PERMISSION', /HTTP 403 \(AccessDenied\)/, (_, response) => answerError(response, 403, 'AccessDenied')],
    [
      'a storage class that must be restored',
      'NO_PERMISSION',
      /HTTP 403 \(InvalidObjectState\)/,
      (_, response) => answerError(response, 403, 'InvalidObjectState'),
    ],
    [
      'another range',
      'IO',
      /Content-Range "bytes 5-9\/1000"/,
      (_, response) => !!response.writeHead(206, { 'content-range': 'bytes 5-9/1000' }).end('fghij'),
    ],
    ['no range named', 'IO', /no Content-Range/, (_, response) => !!response.writeHead(206).end('abc')],
  ]
  test.each(lasting)('%s: %s, after one try', async (_, code, message, fault) => {
    on(isMetadata, fault)
    const ran = await footer()
    expect(error(ran, 'code')).toBe(code)
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(message) })
    expect(server.requests.filter(isMetadata)).toHaveLength(1)
  })

  test('404 of what was listed: the array was changed, also when all is opened afresh', async () => {
    on(isMetadata, (_, response) => answerError(response, 404, 'NoSuchKey'))
    const ran = await footer()
    expect(error(ran, 'code')).toBe('CHANGED_WHILE_READ')
    expect(ran).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/changed while it was read: .*gone \(HTTP 404\)/),
    })
    expect(server.requests.filter(isMetadata)).toHaveLength(2)
  })

  test('404 once of what was listed: everything is opened afresh', async () => {
    const right = await footer()
    server.reset()
    on(isMetadata, (_, response) => answerError(response, 404, 'NoSuchKey'), 1)
    expect(await footer()).toEqual(right)
  })

  test('403 for one file is not damage: check could not examine it', async () => {
    on(isMetadata, (_, response) => answerError(response, 403, 'AccessDenied'))
    const ran = await run(['check', '--json', `${BUCKET}/${ARRAY}`], { env })
    expect(ran.code).toBe(3)
    expect(parseJson(ran.text)).toMatchObject({ findings: [], not_examined: [{ code: 'NO_PERMISSION' }] })
  })

  test('a server that ignores Range: the same result', async () => {
    const right = await footer()
    server.fault = ({ prefix, key }, response) =>
      prefix === undefined && !!response.writeHead(200).end(readFileSync(`${FIXTURES}/${key}`))
    expect((await footer()).text).toBe(right.text)
  })
})

describe('faults of a listing', () => {
  test.each(silentInTurn(TRANSIENT.slice(0, 4), 0))('%s, twice: the third try succeeds', async (_, fault) => {
    const right = await names()
    server.reset()
    on(isFragments, fault, 2)
    expect(await names()).toEqual(right)
  })

  test.each(silentInTurn(TRANSIENT.slice(0, 4), 1))('%s in every try: an error', async (_, fault) => {
    on(isFragments, fault)
    const ran = await names()
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/__fragments: .*, 3 times\n$/) })
  })

  const page = (text: string): S3Handler => {
    return (_, response) => !!response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
  }
  const NAMES = ['a', 'b', 'c'].map((name) => ({ name: `22/sparse_basic/__fragments/${name}/`, size: undefined }))
  const lasting: [string, string, RegExp, S3Handler][] = [
    ['403', 'NO_PERMISSION', /HTTP 403 \(AccessDenied\)/, (_, response) => answerError(response, 403, 'AccessDenied')],
    ['a page cut off', 'IO', /ListObjectsV2.*a part of one/, page(listingPage(NAMES, 0, 2).slice(0, -30))],
    ['no XML', 'IO', /ListObjectsV2.*another document/, page('<html>Welcome</html>')],
    ['an empty answer', 'IO', /ListObjectsV2.*another document/, page('')],
    [
      'a page that goes on without a token',
      'IO',
      /without the way to the next/,
      page(listingPage(NAMES, 0, 2).replace(/<NextC.*>\n/, '')),
    ],
    [
      'a name that cannot be decoded',
      'IO',
      /the name "%zz"/,
      page(listingPage(NAMES, 0, 9).replace(/(?<=Prefix>)[^<]+/, '%zz')),
    ],
    [
      'an entry without a size',
      'IO',
      /a name without a size/,
      page(listingPage([{ name: 'x', size: 1 }], 0, 9).replace(/<Size>.*Size>/, '')),
    ],
    ['the same token again', 'IO', /the same page twice/, page(listingPage(NAMES, 0, 2, 'again'))],
    [
      'two pages in turns',
      'IO',
      /the same page twice/,
      (_, response, count) => page(listingPage(NAMES, count % 2, 1, `token ${count % 2}`))(_, response, count),
    ],
    [
      'the same page under new tokens',
      'IO',
      /the same page twice/,
      (_, response, count) => page(listingPage(NAMES, 0, 2, `token ${count}`))(_, response, count),
    ],
    [
      'pages without a name, and no end',
      'IO',
      /pages without a name/,
      (_, response, count) => page(listingPage([], 0, 2, `token ${count}`))(_, response, count),
    ],
  ]
  test.each(lasting)('%s: %s', async (_, code, message, fault) => {
    on(isFragments, fault)
    const ran = await names()
    expect(error(ran, 'code')).toBe(code)
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(message) })
  })

  test('no such bucket: NOT_FOUND, with the reason', async () => {
    const ran = await run(['ls', '--json', 's3://nobucket/array'], { env })
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/HTTP 404 \(NoSuchBucket\)/) })
    expect(error(ran, 'code')).toBe('NOT_FOUND')
  })

  test('403 for everything: NO_PERMISSION, not NOT_FOUND', async () => {
    server.fault = (_, response) => answerError(response, 403, 'AccessDenied')
    for (const ran of [await names(), await footer()]) {
      expect(ran.code).toBe(3)
      expect(error(ran, 'code')).toBe('NO_PERMISSION')
    }
  })
})

test('an unknown way of addressing is refused, and the known ones are named', async () => {
  const names = (TILEDB_INSPECT_S3_ADDRESSING: string) =>
    run(['ls', `${BUCKET}/${ARRAY}`], { env: { ...patient, TILEDB_INSPECT_S3_ADDRESSING } })
  for (const unknown of ['vhost', 'Virtual'])
    expect(await names(unknown)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `TILEDB_INSPECT_S3_ADDRESSING expects virtual or path, found ${JSON.stringify(unknown)}`,
      ),
    })
  expect(server.requests).toEqual([])
  for (const known of ['path', '']) expect(await names(known)).toMatchObject({ code: 0 })
})

describe('buckets in other regions', () => {
  const region = ({ authorization }: S3Request): string | undefined =>
    /\d{8}\/([^/]+)\/s3/.exec(authorization ?? '')?.[1]
  const elsewhere: [string, S3Handler][] = [
    [
      '301 with x-amz-bucket-region',
      (_, response) => {
        response.setHeader('x-amz-bucket-region', 'eu-west-1')
        return answerError(response, 301, 'PermanentRedirect', '<Endpoint>bucket.s3-eu-west-1.amazonaws.com</Endpoint>')
      },
    ],
    [
      '400 with the region in the document',
      (_, response) => answerError(response, 400, 'AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>'),
    ],
  ]

  test.each(elsewhere)('%s: the request is repeated there, and later requests go there at once', async (_, fault) => {
    const right = await footer()
    server.reset()
    on((request) => region(request) !== 'eu-west-1', fault)
    expect(await footer()).toEqual(right)
    expect(server.requests.map(region)).toEqual(['us-east-1', ...server.requests.slice(1).map(() => 'eu-west-1')])
  })

  test.each(elsewhere)('%s, for two concurrent requests: both are repeated there', async (_, fault) => {
    on((request) => region(request) !== 'eu-west-1', fault)
    const { storage } = openPlaces(localFiles, [], { env, signRequests: true, note() {}, show: undefined })
    const sizes = [METADATA, METADATA].map((file) => storage.open(`${BUCKET}/${file}`).read(0, 1))
    expect(await Promise.all(sizes)).toEqual(
      [FILE.subarray(0, 1), FILE.subarray(0, 1)].map((one) => new Uint8Array(one)),
    )
    expect(server.requests.map(region)).toEqual(['us-east-1', 'us-east-1', 'eu-west-1', 'eu-west-1'])
  })

  test.each(elsewhere)('%s there, too: an error', async (_, fault) => {
    on(() => true, fault)
    expect(await footer()).toMatchObject({ code: 3, stderr: expect.stringMatching(/HTTP (301|400) \(\w+\)/) })
    expect(server.requests).toHaveLength(2)
  })

  test('a region with an invalid name is ignored', async () => {
    on(
      () => true,
      (_, response) => answerError(response, 400, 'AuthorizationHeaderMalformed', '<Region>evil.example/</Region>'),
    )
    expect(await footer()).toMatchObject({ code: 3, stderr: expect.stringMatching(/HTTP 400/) })
    expect(server.requests).toHaveLength(1)
  })

  test('a redirect to another host is not followed, because the signature is for one host', async () => {
    const location = `${server.url}/other/place`
    on(
      () => true,
      (_, response) => !!response.writeHead(307, { location }).end(),
    )
    expect(await footer()).toMatchObject({ code: 3, stderr: expect.stringMatching(/HTTP 307.*AWS_ENDPOINT_URL/) })
    expect(server.requests.map(({ bucket }) => bucket)).toEqual(['fixtures'])
  })
})
