import { usage } from '../../base/errors.ts'
import type { ByteRange, ByteSource, Storage } from '../source.ts'
import { Client, type ClientLimits, DEFAULT_LIMITS, type RequestRecord } from './client.ts'
import { type HttpAccess, isRemotePath, mayNotListRemote } from './urls.ts'

/** Options for reading over a network. */
export interface RemoteOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether S3 requests are signed. */
  signRequests: boolean
  /** Secrets from the URLs that the user gave. */
  access: readonly HttpAccess[]
}

/** Receives warnings and requests. */
export interface RemoteListener {
  warn(text: string): void
  onRequest?: ((record: RequestRecord) => void) | undefined
}

/**
 * A storage for local paths and for URLs: `http://`, `https://`, `s3://`. The code of a scheme is loaded on first use.
 */
export function routedStorage(local: Storage, options: RemoteOptions, listener: RemoteListener): Storage {
  const client = new Client(limitsFrom(options.env))
  client.onRequest = listener.onRequest
  const storages = new Map<string, Promise<Storage>>()
  const loaded = new Map<string, Storage>()
  const load = (scheme: string): Promise<Storage> => {
    let storage = storages.get(scheme)
    if (!storage) {
      storage = openScheme(scheme, client, options, listener)
      storages.set(scheme, storage)
      storage.then(
        (one) => loaded.set(scheme, one),
        () => {},
      )
    }
    return storage
  }
  const storageOf = async (path: string): Promise<Storage> => (isRemotePath(path) ? load(schemeOf(path)) : local)
  return {
    kind: async (path) => (await storageOf(path)).kind(path),
    list: async (path) => (await storageOf(path)).list(path),
    open: (path) => {
      if (!isRemotePath(path)) return local.open(path)
      return loaded.get(schemeOf(path))?.open(path) ?? new LateSource(path, () => storageOf(path))
    },
    isRemote: isRemotePath,
    mayNotList: mayNotListRemote,
    listAhead: async (path) => (await storageOf(path)).listAhead?.(path),
  }
}

function schemeOf(path: string): string {
  const scheme = path.slice(0, path.indexOf(':'))
  return scheme === 'https' ? 'http' : scheme
}

async function openScheme(
  scheme: string,
  client: Client,
  { env, signRequests, access }: RemoteOptions,
  { warn }: RemoteListener,
): Promise<Storage> {
  if (scheme === 'http') {
    const { HttpStorage } = await import('./http.ts')
    return new HttpStorage(client, warn, access)
  }
  const [{ S3Storage }, { credentialChain, nobody }, { s3Profile }] = await Promise.all([
    import('./s3.ts'),
    import('./s3-credentials.ts'),
    import('./s3-profile.ts'),
  ])
  const profile = s3Profile(env)
  const given = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL
  const endpoint = (given || profile.endpoint)?.replace(/\/+$/, '')
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
    const where = given ? 'AWS_ENDPOINT_URL' : 'endpoint_url of the AWS profile'
    throw usage(`${where} expects http://… or https://…, found something else`)
  }
  const place = {
    endpoint,
    virtualHosts: (env.TILEDB_INSPECT_S3_ADDRESSING ?? (endpoint === undefined ? 'virtual' : 'path')) === 'virtual',
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || profile.region || 'us-east-1',
  }
  const signed = signRequests && !/^(?:1|true|yes)$/i.test(env.AWS_NO_SIGN_REQUEST ?? '')
  return new S3Storage(client, warn, place, signed ? credentialChain(env, warn) : nobody)
}

/** @throws InspectError USAGE */
function limitsFrom(env: Readonly<Record<string, string | undefined>>): ClientLimits {
  const number = (name: string, unit: number): number | undefined => {
    const text = env[name]
    if (text === undefined || text === '') return undefined
    const value = Number(text)
    if (!(value > 0 && value <= 86_400)) throw usage(`${name} expects a number above 0, found ${JSON.stringify(text)}`)
    return value * unit
  }
  const whole = (name: string): number | undefined => {
    const value = number(name, 1)
    return value === undefined ? undefined : Math.ceil(value)
  }
  return {
    concurrency: whole('TILEDB_INSPECT_CONNECTIONS') ?? DEFAULT_LIMITS.concurrency,
    attempts: whole('TILEDB_INSPECT_ATTEMPTS') ?? DEFAULT_LIMITS.attempts,
    timeout: number('TILEDB_INSPECT_TIMEOUT', 1000) ?? DEFAULT_LIMITS.timeout,
    backoff: DEFAULT_LIMITS.backoff,
  }
}

/** A file whose storage is loaded on the first read. */
class LateSource implements ByteSource {
  readonly name: string
  private readonly storage: () => Promise<Storage>
  private source: Promise<ByteSource> | undefined

  constructor(name: string, storage: () => Promise<Storage>) {
    this.name = name
    this.storage = storage
  }

  async size(end?: number): Promise<number> {
    return (await this.opened()).size(end)
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return (await this.opened()).read(offset, length)
  }

  plan(ranges: readonly ByteRange[], together?: number, first?: number): void {
    this.opened().then(
      (source) => source.plan?.(ranges, together, first),
      () => {},
    )
  }

  async close(): Promise<void> {
    await (await this.source)?.close()
  }

  private opened(): Promise<ByteSource> {
    this.source ??= this.storage().then((storage) => storage.open(this.name))
    return this.source
  }
}
