import { createVerify } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { onDiskAndOn } from '../helpers/both.ts'
import { AZURE, CLOUDS, type Cloud, GS_PUBLIC, PUBLIC_KEY, S3_KEYS, serviceAccount, TOKEN } from '../helpers/clouds.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { listenForTests } from '../helpers/http-server.ts'
import { get, parseJson } from '../helpers/json.ts'
import { quickRetries } from '../helpers/quick-retries.ts'
import { type Ran, run } from '../helpers/run.ts'
import { listingPage, refuse, type S3Handler, type S3Request, serveBuckets } from '../helpers/s3-server.ts'
import { shortTurn } from '../helpers/turn.ts'

/*
 * What all clouds share is tried with S3 in s3.test.ts. Here: what each of the others writes and reads by itself, and that none of them
 * tells a secret or asks another host, whatever its server does.
 */

quickRetries()
const folder = temporaryFolder()

/** Another host: the port differs. Nothing may ask it. */
const elsewhere: string[] = []
const other = await listenForTests(({ url = '' }, response) => {
  elsewhere.push(url)
  response.writeHead(200).end('{}')
})

/** What the server of tokens was asked. */
const asked: URLSearchParams[] = []
let refusesTokens = false
const tokens = await listenForTests((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    asked.push(new URLSearchParams(body))
    if (refusesTokens) response.writeHead(302, { location: `${other}/token` }).end()
    else response.writeHead(200).end(JSON.stringify({ access_token: TOKEN, expires_in: 3600 }))
  })
})

const ARRAY = '22/sparse_basic'
const [NAME] = fragmentNames(`${FIXTURES}/${ARRAY}`)
const METADATA = `${ARRAY}/__fragments/${NAME}/__fragment_metadata.tdb`
const FOOTER = ['footer', '--json', '--requests']

/** Answers of a server, besides those that have a test of their own. */
const STATUSES = [
  204, 300, 304, 400, 402, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 418, 425, 429, 431, 451, 501, 502, 504,
]

type Served = Awaited<ReturnType<typeof serve>>

async function serve(cloud: Cloud, pageSize = 1000) {
  const server = await serveBuckets(
    { fixtures: FIXTURES },
    { pageSize, ...(cloud.dialect && { dialect: cloud.dialect }) },
  )
  const own = cloud.env(server.url)
  if (own.TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY) own.TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY = serviceAccount(tokens)
  const env = { ...own, TILEDB_INSPECT_TIMEOUT: '10', TILEDB_INSPECT_ATTEMPTS: '2' }
  return { server, env }
}

const s3 = await serve(S3_KEYS)
const SERVED = new Map<string, { large: Served; small: Served }>()
/** Servers with large and with small pages. */
for (const cloud of [...CLOUDS, GS_PUBLIC])
  SERVED.set(cloud.name, { large: await serve(cloud), small: await serve(cloud, 5) })
/** A file that a URL is signed for: no other file is needed to read it. */
const SCHEMA = `${ARRAY}/__schema/${readdirSync(`${FIXTURES}/${ARRAY}/__schema`).find((name) => /^__\d/.test(name))}`
const signedFile = readFileSync(`${FIXTURES}/${SCHEMA}`)
const queries: string[] = []
const signedUrl = await listenForTests(({ url = '', method }, response) => {
  queries.push(url.split('?')[1] ?? '')
  // Signed for GET alone, and for one file.
  if (method === 'HEAD' || !url.includes(SCHEMA)) response.writeHead(403).end()
  else response.writeHead(200, { 'content-length': signedFile.length }).end(signedFile)
})

function servedBy({ name }: Cloud, pages: 'large' | 'small' = 'large'): Served {
  const served = SERVED.get(name)?.[pages]
  if (!served) throw new Error(`no server of ${name}`)
  served.server.reset()
  return served
}

beforeEach(() => {
  elsewhere.splice(0)
  asked.splice(0)
  refusesTokens = false
})

const codeOf = ({ text }: Ran): unknown => get(get(parseJson(text), 'error'), 'code')

describe.each([...CLOUDS, GS_PUBLIC].map((cloud) => [cloud.name, cloud] as const))('%s', (_, cloud) => {
  const refused =
    (status: number, code: string): S3Handler =>
    (request, response) =>
      cloud.dialect
        ? refuse(response, cloud.dialect, status, code)
        : !!response
            .writeHead(status, { 'content-type': 'application/xml' })
            .end(`<Error><Code>${code}</Code></Error>${request.key}`)
  const pageOf = (...given: Parameters<typeof listingPage>): string => (cloud.dialect?.page ?? listingPage)(...given)
  const isPrinted = ({ text, stderr }: Ran): string[] => cloud.secrets.filter((one) => (text + stderr).includes(one))

  test('every command prints the same as for local files; all requests are signed', async () => {
    const { server, env } = servedBy(cloud, 'small')
    for (const [args, target] of [
      [['ls'], ARRAY],
      [['schema', '--all'], ARRAY],
      [['check', '--level', 'cells', '--all'], ARRAY],
      [['stats'], '22/sparse_consolidated'],
      [['read'], '22/dense_basic'],
      [['metadata'], '22/metadata'],
      [['ls'], '22/group'],
      [['footer'], METADATA],
      [['dump'], METADATA],
      [['ls'], '22/nowhere'],
    ] as const) {
      const { local, remote } = await onDiskAndOn(cloud.bucket, args, target, { env })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
    expect(server.requests.filter((request) => !cloud.isSigned(request)).map(({ incoming }) => incoming.url)).toEqual(
      [],
    )
  })

  test('it takes as many requests as S3', async () => {
    const { server, env } = servedBy(cloud)
    for (const args of [['ls'], ['footer'], ['check'], ['decode', '--all-fragments']]) {
      s3.server.reset()
      server.reset()
      await run([...args, '--json', `${S3_KEYS.bucket}/${ARRAY}`], { env: s3.env })
      await run([...args, '--json', `${cloud.bucket}/${ARRAY}`], { env })
      expect([args, server.requests.length]).toEqual([args, s3.server.requests.length])
    }
  })

  const isFragments = ({ prefix }: S3Request): boolean => prefix === `${ARRAY}/__fragments/`
  const names = ['a', 'b', 'c'].map((name) => ({ name: `${ARRAY}/__fragments/${name}/`, size: undefined }))
  const text = (body: string) => (response: ServerResponse) => !!response.writeHead(200).end(body)
  const faults: [string, (request: S3Request) => boolean, string, S3Handler][] = [
    ['403 for an object', ({ key }) => key === METADATA, 'NO_PERMISSION', refused(403, 'AccessDenied')],
    ['401 for a listing', isFragments, 'NO_PERMISSION', refused(401, 'required')],
    ['500 for a listing', isFragments, 'IO', refused(500, 'InternalError')],
    ['503 for an object', ({ key }) => key === METADATA, 'IO', refused(503, 'ServerBusy')],
    ['a connection that is reset', isFragments, 'IO', (_, response) => !!response.socket?.destroy()],
    ...([301, 302, 307, 308] as const).map((status): [string, (request: S3Request) => boolean, string, S3Handler] => [
      `${status} to another host`,
      () => true,
      'IO',
      ({ incoming }, response) => !!response.writeHead(status, { location: `${other}${incoming.url}` }).end(),
    ]),
    ['an empty listing document', isFragments, 'IO', (_, response) => text('')(response)],
    ['a page of HTML for a listing', isFragments, 'IO', (_, response) => text('<html>Welcome</html>')(response)],
    ['a page cut off', isFragments, 'IO', (_, response) => text(pageOf(names, 0, 2).slice(0, -9))(response)],
    ['the same token again', isFragments, 'IO', (_, response) => text(pageOf(names, 0, 2, 'again'))(response)],
    [
      'the same page under new tokens',
      isFragments,
      'IO',
      (_, response, count) => text(pageOf(names, 0, 2, `token ${count}`))(response),
    ],
    [
      'pages without a name, and no end',
      isFragments,
      'IO',
      (_, response, count) => text(pageOf([], 0, 2, `token ${count}`))(response),
    ],
    [
      'a name outside of the folder',
      isFragments,
      'IO',
      (_, response) => text(pageOf([{ name: 'elsewhere', size: 1 }], 0, 9))(response),
    ],
    [
      'another range',
      ({ key }) => key === METADATA,
      'IO',
      (_, response) => !!response.writeHead(206, { 'content-range': 'bytes 5-9/1000' }).end('fghij'),
    ],
    ['no range named', ({ key }) => key === METADATA, 'IO', (_, response) => !!response.writeHead(206).end('abc')],
    [
      'bytes in a content encoding',
      ({ key }) => key === METADATA,
      'IO',
      (_, response) => !!response.writeHead(200, { 'content-encoding': 'br' }).end('abc'),
    ],
    ['404 of what was listed', ({ key }) => key === METADATA, 'CHANGED_WHILE_READ', refused(404, 'BlobNotFound')],
  ]
  test.each(faults)('%s: an error without a secret, and no other host is asked', async (_, which, code, fault) => {
    const { server, env } = servedBy(cloud, 'small')
    server.fault = (request, response, count) => which(request) && fault(request, response, count)
    const isListing = which === isFragments
    const target = isListing ? ARRAY : METADATA.replace(/\/[^/]*$/, '')
    const args = isListing ? ['ls', '--json', '--requests', '--names'] : FOOTER
    const ran = await run([...args, `${cloud.bucket}/${target}`], { env: { ...env, DEBUG: '1' } })
    expect(isPrinted(ran)).toEqual([])
    expect(elsewhere).toEqual([])
    expect({ code: ran.code, error: codeOf(ran) }).toEqual({ code: 3, error: code })
  })

  const asks = { object: ({ key }: S3Request) => key === METADATA, listing: isFragments }
  const statuses = STATUSES.flatMap((status) => (['object', 'listing'] as const).map((what) => [status, what] as const))
  test.each(shortTurn(statuses, 8, 1))('HTTP %i for an %s: an error without a secret', async (status, what) => {
    const { server, env } = servedBy(cloud, 'small')
    server.fault = (request, response, count) =>
      asks[what](request) && refused(status, 'Secret')(request, response, count)
    const target = what === 'listing' ? ARRAY : METADATA.replace(/\/[^/]*$/, '')
    const args = what === 'listing' ? ['ls', '--json', '--requests'] : FOOTER
    const ran = await run([...args, `${cloud.bucket}/${target}`], { env: { ...env, DEBUG: '1' } })
    expect(isPrinted(ran)).toEqual([])
    expect(elsewhere).toEqual([])
    expect([ran.code, parseJson(ran.text)]).toEqual([3, expect.objectContaining({ error: expect.anything() })])
  })

  test('the commands that delete and copy are those of the cloud', async () => {
    const { env } = servedBy(cloud)
    const ran = await run(['why', '--json', `${cloud.bucket}/${METADATA}`], { env })
    expect(ran.code).toBe(0)
    expect(ran.text).not.toContain('aws s3')
  })

  test('--no-sign-request sends no credentials', async () => {
    const { server, env } = servedBy(cloud, 'small')
    expect(await run(['ls', '--json', '--no-sign-request', `${cloud.bucket}/${ARRAY}`], { env })).toMatchObject(
      cloud.name === 'gs, HMAC keys' ? {} : { code: 0 },
    )
    for (const { authorization, query } of server.requests)
      expect([authorization, query.get('sig')]).toEqual([undefined, null])
  })
})

describe('Google', () => {
  const [account] = CLOUDS

  test('a service account signs a claim, once, and gets a token to read', async () => {
    const { env } = servedBy(account)
    expect(await run(['ls', '--json', `gcs://fixtures/${ARRAY}`], { env })).toMatchObject({ code: 0, stderr: '' })
    expect(asked).toHaveLength(1)
    const [head, claim, signature] = asked[0].get('assertion')?.split('.') ?? []
    const verify = createVerify('RSA-SHA256').update(`${head}.${claim}`)
    expect(verify.verify(PUBLIC_KEY, signature, 'base64url')).toBe(true)
    expect(JSON.parse(Buffer.from(claim, 'base64url').toString())).toMatchObject({
      iss: 'reader@project.example',
      scope: 'https://www.googleapis.com/auth/devstorage.read_only',
      aud: `${tokens}/token`,
    })
  })

  test('a server of tokens that leads elsewhere is not followed', async () => {
    refusesTokens = true
    const { server, env } = servedBy(account)
    const ran = await run(['ls', '--json', `gs://fixtures/${ARRAY}`], { env: { ...env, DEBUG: '1' } })
    expect([ran.code, codeOf(ran)]).toEqual([3, 'NO_PERMISSION'])
    expect(account.secrets.filter((one) => (ran.text + ran.stderr).includes(one))).toEqual([])
    expect([elsewhere, server.requests]).toEqual([[], []])
  })

  test.each([
    ['no JSON', 'secret'],
    ['another type', '{"type":"external_account","secret":"secret"}'],
    ['a key that is none', '{"type":"service_account","client_email":"a@b","private_key":"secret"}'],
    ['tokens by http', JSON.stringify({ ...JSON.parse(serviceAccount('http://example.org')) })],
  ])('a key with %s is refused, and not repeated', async (_, key) => {
    const { server, env } = servedBy(account)
    const given = { ...env, TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY: key }
    const ran = await run(['ls', '--json', `gs://fixtures/${ARRAY}`], { env: { ...given, DEBUG: '1' } })
    expect([ran.code, codeOf(ran)]).toEqual([3, 'NO_PERMISSION'])
    expect(ran.text + ran.stderr).not.toContain('secret')
    expect([asked, server.requests]).toEqual([[], []])
  })

  test('credentials of the machine do not go to an endpoint that was named', async () => {
    const { server, env } = servedBy(GS_PUBLIC)
    const file = `${folder}/account.json`
    writeFileSync(file, serviceAccount(tokens))
    const given = { ...env, GOOGLE_APPLICATION_CREDENTIALS: file, GCE_METADATA_HOST: tokens.replace('http://', '') }
    expect(await run(['ls', `gs://fixtures/${ARRAY}`], { env: given })).toMatchObject({ code: 0 })
    expect(asked).toEqual([])
    expect(server.requests.every(({ authorization }) => authorization === undefined)).toBe(true)
  })
})

describe('Azure', () => {
  test.each([
    ['no account and no endpoint', {}, 'AZURE_STORAGE_ACCOUNT or AZURE_BLOB_ENDPOINT'],
    ['an endpoint that is no URL', { AZURE_BLOB_ENDPOINT: 'secret' }, 'AZURE_BLOB_ENDPOINT expects http'],
    [
      'an endpoint with a password',
      { AZURE_BLOB_ENDPOINT: 'http://u:secret@host' },
      'AZURE_BLOB_ENDPOINT expects http',
    ],
    ['an account that is none', { AZURE_STORAGE_ACCOUNT: 'secret.example/' }, 'AZURE_STORAGE_ACCOUNT expects'],
    [
      'a key without an account',
      { AZURE_BLOB_ENDPOINT: 'http://127.0.0.1:1', AZURE_STORAGE_KEY: 'secret' },
      'expects AZURE_STORAGE_ACCOUNT beside it',
    ],
  ])('%s: wrong usage', async (_, env, message) => {
    const ran = await run(['ls', 'azure://fixtures/x'], { env: env as Record<string, string> })
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    expect(ran.stderr).not.toContain('secret')
  })

  test('an endpoint may have the SAS as its query', async () => {
    const { server, env } = servedBy(CLOUDS[3])
    const { TILEDB_VFS_AZURE_STORAGE_SAS_TOKEN: sas, ...rest } = env as Record<string, string>
    rest.TILEDB_VFS_AZURE_BLOB_ENDPOINT += sas
    expect(await run(['ls', `azure://fixtures/${ARRAY}`], { env: rest })).toMatchObject({ code: 0, stderr: '' })
    expect(server.requests.every(CLOUDS[3].isSigned)).toBe(true)
  })

  test('encoded names are decoded, and folders of a hierarchical namespace are no files', async () => {
    const { server, env } = servedBy(CLOUDS[3])
    server.fault = ({ prefix }, response) => {
      if (prefix !== `${ARRAY}/`) return false
      const folder = `<Blob><Name>${ARRAY}/__schema</Name><Properties><Content-Length>0</Content-Length><ResourceType>directory</ResourceType></Properties></Blob>`
      const encoded = `<BlobPrefix><Name Encoded="true">${encodeURIComponent(`${ARRAY}/__schema/`)}</Name></BlobPrefix>`
      return !!response.writeHead(200).end(AZURE.page([], 0, 1).replace('<Blobs>', `<Blobs>${folder}${encoded}`))
    }
    expect(await run(['schema', `azure://fixtures/${ARRAY}`], { env })).toMatchObject({ code: 0, stderr: '' })
  })
})

test('a signed URL of one file keeps its query, which is never printed', async () => {
  for (const query of [
    'X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=900&X-Goog-Signature=secret0',
    'sv=2021-12-02&sr=b&sp=r&sig=secret0%2B%2F%3D',
  ]) {
    queries.splice(0)
    const ran = await run(['schema', '--json', '--requests', `${signedUrl}/${SCHEMA}?${query}`], {
      env: { DEBUG: '1' },
    })
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.text + ran.stderr).not.toMatch(/secret0|sig=|Signature=/)
    expect(new Set(queries)).toEqual(new Set([query]))
  }
})
