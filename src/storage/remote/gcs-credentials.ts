import { createSign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { attempt, hasCode, InspectError } from '../../base/errors.ts'
import type { Client, HttpAnswer, HttpCall, HttpRequest } from './client.ts'
import { upTo } from './remote-storage.ts'

/** Returns the token for a request; undefined for a request without one. */
export type TokenProvider = () => Promise<string | undefined>

type Environment = Readonly<Record<string, string | undefined>>
type Fields = Readonly<Record<string, unknown>>

/** Time in milliseconds before a token expires at which it is renewed. */
const BEFORE_EXPIRY = 5 * 60_000
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_only'
const TOKEN_BYTES = 64 * 1024

/** The clients that ask for tokens. They are not that of the data, whose requests wait for the token. */
export interface TokenClients {
  usual: Client
  /** Gives up early, as most machines have no metadata server. */
  hasty: Client
}

/**
 * The usual chain of Google's credentials: a service account's key in `TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY`, as JSON; the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names; the file of `gcloud auth application-default login`; the metadata server of a machine in
 * Google's cloud. As in TileDB, only the first is used at an endpoint that the user named, which should not get tokens by chance.
 */
export function googleTokens(
  env: Environment,
  isOwnEndpoint: boolean,
  clients: TokenClients,
  warn: (text: string) => void,
): TokenProvider {
  let known: Promise<string | undefined> | undefined
  let expires = Number.POSITIVE_INFINITY
  const ask = async (): Promise<string | undefined> => {
    const found = await firstToken(env, isOwnEndpoint, clients)
    if (!found && !isOwnEndpoint)
      warn('no Google credentials were found: requests are not signed (--no-sign-request says so without looking)')
    if (found) expires = Date.now() + found.seconds * 1000 - BEFORE_EXPIRY
    return found?.token
  }
  return () => {
    if (!known || Date.now() > expires) {
      expires = Number.POSITIVE_INFINITY
      known = ask()
    }
    return known
  }
}

interface Token {
  token: string
  /** For which it is valid. */
  seconds: number
}

async function firstToken(env: Environment, isOwnEndpoint: boolean, clients: TokenClients): Promise<Token | undefined> {
  const key = env.TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY
  if (key) return tokenBy(key, 'TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY', clients.usual)
  if (isOwnEndpoint) return undefined
  const named = env.GOOGLE_APPLICATION_CREDENTIALS
  const folder = env.CLOUDSDK_CONFIG || `${env.HOME || homedir()}/.config/gcloud`
  const text = attempt(() => readFileSync(named || `${folder}/application_default_credentials.json`, 'utf8'))
  if (text !== undefined) return tokenBy(text, named ? 'GOOGLE_APPLICATION_CREDENTIALS' : 'gcloud', clients.usual)
  if (named) throw noCredentials('GOOGLE_APPLICATION_CREDENTIALS', 'that its file cannot be read')
  return metadataToken(env.GCE_METADATA_HOST, clients)
}

/** @param text JSON, as Google writes it to files @param where what the text comes from, for messages, which never repeat the text */
function tokenBy(text: string, where: string, client: Client): Promise<Token> {
  const found = attempt(() => JSON.parse(text) as Fields | null) ?? {}
  const {
    type,
    client_email: email,
    private_key: key,
    client_id: id,
    client_secret: secret,
    refresh_token: refresh,
  } = found
  const uri = 'token_uri' in found ? found.token_uri : 'https://oauth2.googleapis.com/token'
  if (typeof uri !== 'string' || !isSafe(uri))
    throw noCredentials(where, 'a token_uri that is neither https nor on this machine')
  const form = (fields: Record<string, string>): Promise<Token> => tokenFrom(client, uri, new URLSearchParams(fields))
  if (type === 'service_account' && typeof email === 'string' && typeof key === 'string') {
    const assertion = signedClaim(email, key, uri, where)
    return form({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  }
  if (type === 'authorized_user' && typeof id === 'string' && typeof secret === 'string' && typeof refresh === 'string')
    return form({ grant_type: 'refresh_token', client_id: id, client_secret: secret, refresh_token: refresh })
  throw noCredentials(where, 'something else than a service account or an authorized user')
}

/** Whether a secret may be sent to a URL. */
function isSafe(uri: string): boolean {
  const url = attempt(() => new URL(uri))
  return url?.protocol === 'https:' || /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '')
}

/** A claim of one hour, signed by a service account (RFC 7523). */
function signedClaim(email: string, key: string, audience: string, where: string): string {
  const now = Math.floor(Date.now() / 1000)
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iss: email, scope: SCOPE, aud: audience, iat: now, exp: now + 3600 },
  ]
  const claim = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = attempt(() => createSign('RSA-SHA256').update(claim).sign(key, 'base64url'))
  if (signature === undefined) throw noCredentials(where, 'a private_key that is none')
  return `${claim}.${signature}`
}

async function tokenFrom(client: Client, uri: string, form: URLSearchParams): Promise<Token> {
  const { origin, pathname } = new URL(uri)
  const answer = await client.send(asking(origin + pathname, 'POST', { url: uri, headers: {}, body: form }))
  const token = answer.status === 200 ? tokenIn(answer) : undefined
  if (token) return token
  throw new InspectError('NO_PERMISSION', `expected a token from ${origin}, found HTTP ${answer.status} without one`)
}

/** The token of the machine's service account; undefined if there is no metadata server. */
async function metadataToken(host: string | undefined, { usual, hasty }: TokenClients): Promise<Token | undefined> {
  const url = `http://${host || 'metadata.google.internal'}/computeMetadata/v1/instance/service-accounts/default/token`
  try {
    const request = { url, headers: { 'metadata-flavor': 'Google' } }
    const answer = await (host ? usual : hasty).send(asking('the metadata server', 'GET', request))
    // Another server, as some networks answer for every name, does not say so.
    const isIts = answer.status === 200 && answer.headers.get('metadata-flavor') === 'Google'
    return isIts ? tokenIn(answer) : undefined
  } catch (error) {
    if (host || !hasCode(error, 'IO')) throw error
    return undefined
  }
}

function asking(path: string, method: HttpCall['method'], request: HttpRequest): HttpCall {
  return { method, path, keepRedirects: true, request: async () => request, want: upTo(TOKEN_BYTES) }
}

function tokenIn({ body }: HttpAnswer): Token | undefined {
  const found = attempt(() => JSON.parse(new TextDecoder().decode(body)) as Fields | null) ?? {}
  const { access_token: token, expires_in: seconds } = found
  // It becomes a header.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined
  return { token, seconds: typeof seconds === 'number' ? seconds : 3600 }
}

function noCredentials(where: string, found: string): InspectError {
  return new InspectError('NO_PERMISSION', `expected Google credentials in ${where}, found ${found}`)
}
