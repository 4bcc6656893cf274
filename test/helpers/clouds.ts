import { createHmac, generateKeyPairSync } from 'node:crypto'
import { type Dialect, errorDocument, type Listed, type S3Request } from './s3-server.ts'

/** A cloud, as tests call it. */
export interface Cloud {
  name: string
  /** URL of the bucket `fixtures`. */
  bucket: string
  /** Undefined for S3's. */
  dialect: Dialect | undefined
  /** The environment for a server, with secrets. */
  env(url: string): Record<string, string>
  /** None of them may be printed. */
  secrets: readonly string[]
  /** Whether a request has the secrets that it should have. */
  isSigned(request: S3Request): boolean
}

interface Cut {
  page: readonly Listed[]
  next: string | undefined
}

function cut(names: readonly Listed[], from: number, pageSize: number, token?: string): Cut {
  const page = names.slice(from, from + pageSize)
  const last = Buffer.from(page.at(-1)?.name ?? '').toString('base64')
  return { page, next: token ?? (from + pageSize < names.length ? `token ${last}` : undefined) }
}

/** The JSON API of Google's cloud. */
export const GCS: Dialect = {
  placed: ([, , , bucket, , ...key], query) => ({
    bucket,
    key: key.join('/'),
    prefix: query.get('alt') === 'media' ? undefined : (query.get('prefix') ?? ''),
  }),
  token: 'pageToken',
  error: (code, reason) => ({
    type: 'application/json; charset=UTF-8',
    body: JSON.stringify({ error: { code, message: '…', errors: [{ message: '…', domain: 'global', reason }] } }),
  }),
  page(names, from, pageSize, token) {
    const { page, next } = cut(names, from, pageSize, token)
    const items = page.flatMap(({ name, size }) => (size === undefined ? [] : [{ name, size: String(size) }]))
    const prefixes = page.flatMap(({ name, size }) => (size === undefined ? [name] : []))
    return JSON.stringify({
      kind: 'storage#objects',
      ...(next !== undefined && { nextPageToken: next }),
      ...(prefixes.length > 0 && { prefixes }),
      ...(items.length > 0 && { items }),
    })
  },
}

/** Azure's Blob Service, with the account in the path as emulators have it. */
export const AZURE: Dialect = {
  placed: ([, bucket, ...key], query) => ({
    bucket,
    key: key.join('/'),
    prefix: query.get('comp') === 'list' ? (query.get('prefix') ?? '') : undefined,
  }),
  token: 'marker',
  error: (_, code) => ({ type: 'application/xml', body: `\ufeff${errorDocument(code)}` }),
  page(names, from, pageSize, token) {
    const { page, next } = cut(names, from, pageSize, token)
    const escaped = (name: string): string => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const entries = page.map(({ name, size }) =>
      size === undefined
        ? `<BlobPrefix><Name>${escaped(name)}</Name></BlobPrefix>`
        : `<Blob><Name>${escaped(name)}</Name><Properties><Content-Length>${size}</Content-Length></Properties></Blob>`,
    )
    const more = next === undefined ? '<NextMarker />' : `<NextMarker>${next}</NextMarker>`
    return `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="c"><Blobs>${entries.join('')}</Blobs>${more}\n</EnumerationResults>`
  },
}

const AZURE_KEY = Buffer.from('a secret key of an account').toString('base64')
const SIGNATURE = 'c2lnbmF0dXJl%2Bc2VjcmV0'
const HMAC = 'SECRET/HMAC+of=tests'

/** The token that {@link serviceAccount} is given. */
export const TOKEN = 'ya29.secret-token'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const PUBLIC_KEY = publicKey

/** The key of a service account, as Google's console writes it. @param url server of tokens */
export function serviceAccount(url: string): string {
  return JSON.stringify({
    type: 'service_account',
    client_email: 'reader@project.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${url}/token`,
  })
}

/** What Azure makes of a request that a shared key signed, from what arrived. */
function signedByKey({ incoming, range, query }: S3Request): string {
  const { method, url = '', headers } = incoming
  const lines = [method, '', '', '', '', '', '', '', '', '', '', range ?? '']
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'))
  for (const name of own.sort()) lines.push(`${name}:${headers[name]}`)
  lines.push(`/account1${url.split('?')[0]}`)
  for (const name of [...query.keys()].sort()) lines.push(`${name}:${query.get(name)}`)
  const signature = createHmac('sha256', Buffer.from(AZURE_KEY, 'base64')).update(lines.join('\n')).digest('base64')
  return `SharedKey account1:${signature}`
}

export const S3_KEYS: Cloud = {
  name: 's3',
  bucket: 's3://fixtures',
  dialect: undefined,
  env: (url) => ({ AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: HMAC }),
  secrets: [HMAC],
  isSigned: ({ authorization }) => authorization?.startsWith('AWS4-HMAC-SHA256 Credential=KEY/') ?? false,
}

export const GS_PUBLIC: Cloud = {
  name: 'gs, public',
  bucket: 'gs://fixtures',
  dialect: GCS,
  env: (url) => ({ STORAGE_EMULATOR_HOST: url.replace('http://', '') }),
  secrets: [],
  isSigned: ({ authorization }) => authorization === undefined,
}

export const CLOUDS: readonly Cloud[] = [
  {
    ...GS_PUBLIC,
    name: 'gs, a service account',
    env: (url) => ({
      TILEDB_VFS_GCS_ENDPOINT: url,
      TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY: serviceAccount(url),
    }),
    secrets: [TOKEN, 'PRIVATE KEY', 'assertion'],
    isSigned: ({ authorization }) => authorization === `Bearer ${TOKEN}`,
  },
  {
    name: 'gs, HMAC keys',
    bucket: 'gs://fixtures',
    dialect: undefined,
    env: (url) => ({ TILEDB_VFS_GCS_ENDPOINT: url, GS_ACCESS_KEY_ID: 'GOOGKEY', GS_SECRET_ACCESS_KEY: HMAC }),
    secrets: [HMAC, 'Signature='],
    isSigned: ({ authorization }) => authorization?.startsWith('AWS4-HMAC-SHA256 Credential=GOOGKEY/') ?? false,
  },
  {
    name: 'azure, a key',
    bucket: 'azure://fixtures',
    dialect: AZURE,
    env: (url) => ({
      AZURE_BLOB_ENDPOINT: `${url}/account1`,
      AZURE_STORAGE_ACCOUNT: 'account1',
      AZURE_STORAGE_KEY: AZURE_KEY,
    }),
    secrets: [AZURE_KEY, 'SharedKey'],
    isSigned: (request) => request.authorization === signedByKey(request),
  },
  {
    name: 'azure, a SAS',
    bucket: 'azure://fixtures',
    dialect: AZURE,
    env: (url) => ({
      TILEDB_VFS_AZURE_BLOB_ENDPOINT: `${url}/account1`,
      TILEDB_VFS_AZURE_STORAGE_SAS_TOKEN: `?sv=2021&sig=${SIGNATURE}`,
    }),
    secrets: [SIGNATURE, decodeURIComponent(SIGNATURE), 'sig='],
    isSigned: ({ query, authorization }) =>
      query.get('sig') === decodeURIComponent(SIGNATURE) && authorization === undefined,
  },
]
