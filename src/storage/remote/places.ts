import { usage } from '../../base/errors.ts'
import type { Memory } from '../../base/memory.ts'
import type { Storage } from '../source.ts'
import { AzureStorage } from './azure.ts'
import { Client, type ClientLimits, DEFAULT_LIMITS, type RequestRecord } from './client.ts'
import { connectionFailure } from './connection-failure.ts'
import { GcsStorage } from './gcs.ts'
import { googleTokens } from './gcs-credentials.ts'
import { HttpStorage } from './http.ts'
import { S3Storage } from './s3.ts'
import { credentialChain } from './s3-credentials.ts'
import { s3Profile } from './s3-profile.ts'
import { cloudScheme, type HttpAccess, isRemotePath, remoteTarget, withRemote } from './urls.ts'

interface PlacesOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether requests to clouds are signed. */
  signRequests: boolean
  /** The memory of the run, which bounds listings. */
  memory?: Memory | undefined
  note(text: string): void
  /** Called with a line for each request, if defined. */
  show: ((text: string) => void) | undefined
}

export interface OpenPlaces {
  /** Storage for local paths and for URLs: `http://`, `https://`, `s3://`, `gs://`, `azure://`. */
  storage: Storage
  /** The same storage, with nothing kept of what was listed and read: for a run that begins anew. */
  anew(): Storage
  /** The arguments, with queries and passwords removed from URLs. */
  paths: string[]
  /** Shows how many requests there were. */
  done(): void
}

/** Opens a storage for arguments that may be URLs. @throws InspectError USAGE */
export function openPlaces(local: Storage, args: readonly string[], options: PlacesOptions): OpenPlaces {
  const { env, note, show } = options
  const access: HttpAccess[] = []
  const paths = args.map((arg) => {
    if (!isRemotePath(arg)) return arg
    const target = remoteTarget(arg)
    if (target.access) access.push(target.access)
    return target.shown
  })
  const client = new Client(limitsFrom(env), connectionFailure)
  const total = { requests: 0, bytes: 0 }
  client.onRequest = (record) => {
    total.requests++
    total.bytes += record.bytes
    show?.(requestLine(record))
  }
  const anew = (): Storage => {
    const http = new HttpStorage(client, note, access, options.memory)
    const clouds = new Map<CloudMaker, Storage>()
    return withRemote(local, (path) => {
      const make = MAKERS[cloudScheme(path) ?? '']
      if (!make) return http
      const known = clouds.get(make) ?? make(client, options)
      clouds.set(make, known)
      return known
    })
  }
  return { storage: anew(), anew, paths, done: () => show?.(`requests: ${total.requests}, ${total.bytes} bytes\n`) }
}

/** @throws InspectError USAGE if the endpoint is not a URL, or the way of addressing is unknown */
function s3Storage(client: Client, { env, signRequests, note, memory }: PlacesOptions): S3Storage {
  const profile = s3Profile(env)
  const given = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL
  const endpoint = (given || profile.endpoint)?.replace(/\/+$/, '')
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
    const where = given ? 'AWS_ENDPOINT_URL' : 'endpoint_url of the AWS profile'
    throw usage(`${where} expects http://… or https://…, found something else`)
  }
  const place = {
    endpoint,
    virtualHosts: (addressingFrom(env) ?? (endpoint === undefined ? 'virtual' : 'path')) === 'virtual',
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || profile.region || 'us-east-1',
  }
  const signed = signRequests && !isSet(env.AWS_NO_SIGN_REQUEST)
  return new S3Storage(client, note, place, signed ? credentialChain(env, note) : async () => undefined, memory)
}

type CloudMaker = (client: Client, options: PlacesOptions) => Storage

const MAKERS: Readonly<Record<string, CloudMaker>> = {
  s3: s3Storage,
  gs: gcsStorage,
  gcs: gcsStorage,
  azure: azureStorage,
}

function isSet(text = ''): boolean {
  return /^(?:1|true|yes)$/i.test(text)
}

/** Google's cloud: with HMAC keys by its XML API, which is that of S3; otherwise by its JSON API. @throws InspectError USAGE */
function gcsStorage(client: Client, { env, signRequests, note, memory }: PlacesOptions): Storage {
  const given = env.TILEDB_VFS_GCS_ENDPOINT || env.CLOUD_STORAGE_EMULATOR_ENDPOINT || env.STORAGE_EMULATOR_HOST
  // Google's own libraries take a host without a scheme for the emulator.
  const written = given && (/^[a-z]+:\/\//i.test(given) ? given : `http://${given}`)
  const endpoint = endpointFrom(written, 'TILEDB_VFS_GCS_ENDPOINT') ?? { url: 'https://storage.googleapis.com' }
  const signed = signRequests && !isSet(env.GS_NO_SIGN_REQUEST)
  const { GS_ACCESS_KEY_ID: accessKeyId, GS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (signed && accessKeyId && secretAccessKey) {
    const place = { endpoint: endpoint.url, virtualHosts: false, region: 'auto' }
    return new S3Storage(client, note, place, async () => ({ accessKeyId, secretAccessKey }), memory)
  }
  const limits = limitsFrom(env)
  const clients = {
    usual: new Client(limits, connectionFailure),
    hasty: new Client({ ...limits, attempts: 1, timeout: 1000 }, connectionFailure),
  }
  clients.usual.onRequest = client.onRequest
  const tokens = signed ? googleTokens(env, given !== undefined && given !== '', clients, note) : async () => undefined
  return new GcsStorage(client, note, endpoint.url, tokens, memory)
}

/** Azure's cloud, with TileDB's own parameters and variables. @throws InspectError USAGE */
function azureStorage(client: Client, { env, signRequests, note, memory }: PlacesOptions): Storage {
  const account = env.TILEDB_VFS_AZURE_STORAGE_ACCOUNT_NAME || env.AZURE_STORAGE_ACCOUNT
  const secret = env.TILEDB_VFS_AZURE_STORAGE_ACCOUNT_KEY || env.AZURE_STORAGE_KEY
  const token = env.TILEDB_VFS_AZURE_STORAGE_SAS_TOKEN || env.AZURE_STORAGE_SAS_TOKEN
  if (account && !/^[a-z0-9]{3,24}$/.test(account))
    throw usage('AZURE_STORAGE_ACCOUNT expects 3 to 24 small letters and digits, found something else')
  const given = env.TILEDB_VFS_AZURE_BLOB_ENDPOINT || env.AZURE_BLOB_ENDPOINT
  const endpoint = endpointFrom(given || (account && `https://${account}.blob.core.windows.net`), 'AZURE_BLOB_ENDPOINT')
  if (!endpoint) throw usage('azure:// expects AZURE_STORAGE_ACCOUNT or AZURE_BLOB_ENDPOINT, found neither')
  const signed = signRequests && !isSet(env.AZURE_NO_SIGN_REQUEST)
  if (signed && secret && !account && !token)
    throw usage('AZURE_STORAGE_KEY expects AZURE_STORAGE_ACCOUNT beside it, found none')
  const key = signed && account && secret ? { account, secret } : undefined
  const sas = signed ? token?.replace(/^\?/, '') || endpoint.search : undefined
  return new AzureStorage(client, note, { endpoint: endpoint.url, key, sas }, memory)
}

/** An endpoint without its query, which may be secret, and the query without `?`. @throws InspectError USAGE, which does not repeat it */
function endpointFrom(given: string | undefined, variable: string): { url: string; search?: string } | undefined {
  if (!given) return undefined
  const [, url = '', search] = /^([^?#]*)(?:\?([^#]*))?/s.exec(given) ?? []
  if (!/^https?:\/\/[^/@]+(?:\/[^@]*)?$/i.test(url) || !URL.canParse(url))
    throw usage(`${variable} expects http://… or https://…, found something else`)
  return { url: url.replace(/\/+$/, ''), ...(search && { search }) }
}

/** Whether the bucket is part of the host's name or of the path; undefined if neither is set. @throws InspectError USAGE */
function addressingFrom({ TILEDB_INSPECT_S3_ADDRESSING: text }: PlacesOptions['env']): 'virtual' | 'path' | undefined {
  if (text === undefined || text === '') return undefined
  if (text === 'virtual' || text === 'path') return text
  throw usage(`TILEDB_INSPECT_S3_ADDRESSING expects virtual or path, found ${JSON.stringify(text)}`)
}

/** Upper limit on every setting: the seconds of a day. */
const MOST = 86_400

/** @throws InspectError USAGE */
function limitsFrom(env: PlacesOptions['env']): ClientLimits {
  const number = (name: string): number | undefined => {
    const text = env[name]
    if (text === undefined || text === '') return undefined
    const value = Number(text)
    if (value > 0 && value <= MOST) return value
    throw usage(`${name} expects a number above 0 and up to ${MOST}, found ${JSON.stringify(text)}`)
  }
  const { concurrency, attempts, timeout, backoff } = DEFAULT_LIMITS
  return {
    concurrency: Math.ceil(number('TILEDB_INSPECT_CONNECTIONS') ?? concurrency),
    attempts: Math.ceil(number('TILEDB_INSPECT_ATTEMPTS') ?? attempts),
    timeout: 1000 * (number('TILEDB_INSPECT_TIMEOUT') ?? timeout / 1000),
    backoff,
  }
}

/** `request: GET s3://bucket/key bytes=0-99 206, 100 bytes, 12 ms` */
function requestLine({ method, path, range, outcome, bytes, milliseconds }: RequestRecord): string {
  const asked = [method, path, range].filter((part) => part !== undefined).join(' ')
  // Names come from a server, so control characters are escaped for the terminal.
  const safe = `${asked} ${outcome}`.replace(/[^\x20-\x7e]/gu, (ch) => `\\u{${ch.codePointAt(0)?.toString(16)}}`)
  return `request: ${safe}, ${bytes} bytes, ${Math.round(milliseconds)} ms\n`
}
