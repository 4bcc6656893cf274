import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Client, type ClientLimits, type Fetcher } from '../../src/storage/remote/client.ts'
import { googleTokens, type TokenClients } from '../../src/storage/remote/gcs-credentials.ts'
import { temporaryFolder } from '../helpers/folders.ts'

/*
 * The chain of Google's credentials at Google's own endpoint, which no test can reach: what is asked of whom, and what becomes of the answer.
 */

const folder = temporaryFolder()
const LIMITS: ClientLimits = { concurrency: 1, attempts: 1, backoff: 0, timeout: 1000 }
const DEFAULT_METADATA = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token'
const GOOGLE = { 'metadata-flavor': 'Google' }

/** The chain in an environment. What is asked is kept, by the client that asks. */
function chain(env: Record<string, string>, answer: (url: string) => Response) {
  const asked: { by: keyof TokenClients; url: string; method: string; body: string; flavor: string | undefined }[] = []
  const warnings: string[] = []
  const client = (by: keyof TokenClients): Client => {
    const fetcher: Fetcher = async (url, { method = '', body, headers }) => {
      asked.push({ by, url, method, body: String(body ?? ''), flavor: headers['metadata-flavor'] })
      return answer(url)
    }
    return new Client(LIMITS, undefined, fetcher)
  }
  const clients = { usual: client('usual'), hasty: client('hasty') }
  const tokens = googleTokens({ HOME: folder, ...env }, false, clients, (text) => warnings.push(text))
  return { tokens, asked, warnings }
}

const token = (access_token: string, expires_in: number, headers = {}): Response =>
  Response.json({ access_token, expires_in }, { headers })

/** A response that says where it comes from, as those of `fetch` do. */
const from = (url: string, response: Response): Response => Object.defineProperty(response, 'url', { value: url })

/** What `gcloud auth application-default login` writes. */
function loggedIn(at: string): void {
  mkdirSync(at, { recursive: true })
  const account = { type: 'authorized_user', client_id: 'i', client_secret: 's', refresh_token: 'r&r' }
  writeFileSync(`${at}/application_default_credentials.json`, JSON.stringify(account))
}

test.each([
  ['CLOUDSDK_CONFIG', `${folder}/cloudsdk`, { CLOUDSDK_CONFIG: `${folder}/cloudsdk` }],
  ['the home folder', `${folder}/home/.config/gcloud`, { HOME: `${folder}/home` }],
])('the file of gcloud in %s refreshes a token, once', async (_, at, env) => {
  loggedIn(at)
  const { tokens, asked, warnings } = chain(env, (url) => from(url, token('abc', 3600)))
  expect([await tokens(), await tokens()]).toEqual(['abc', 'abc'])
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ by: 'usual', url: 'https://oauth2.googleapis.com/token', method: 'POST' })
  expect(Object.fromEntries(new URLSearchParams(asked[0].body))).toEqual({
    ...{ grant_type: 'refresh_token', client_id: 'i', client_secret: 's', refresh_token: 'r&r' },
  })
  expect(warnings).toEqual([])
})

describe('the metadata server', () => {
  test('is asked in haste where nothing names it, and says that it is one', async () => {
    const { tokens, asked, warnings } = chain({}, (url) => from(url, token('abc', 3600, GOOGLE)))
    expect(await tokens()).toBe('abc')
    expect(asked).toEqual([{ by: 'hasty', url: DEFAULT_METADATA, method: 'GET', body: '', flavor: 'Google' }])
    expect(warnings).toEqual([])
  })

  test('is asked at its host, if one is named', async () => {
    const { tokens, asked } = chain({ GCE_METADATA_HOST: '127.0.0.1:8' }, (url) =>
      from(url, token('abc', 3600, GOOGLE)),
    )
    expect(await tokens()).toBe('abc')
    expect(asked).toMatchObject([
      { by: 'usual', url: DEFAULT_METADATA.replace('metadata.google.internal', '127.0.0.1:8') },
    ])
  })

  test.each<[string, () => Response]>([
    ['another server that answers for every name', () => token('abc', 3600)],
    ['no service account', () => new Response('not found', { status: 404, headers: GOOGLE })],
    ['a token that is no header', () => token('a\nb', 3600, GOOGLE)],
    ['no JSON', () => new Response('<html>', { headers: GOOGLE })],
    [
      'no such host',
      () => {
        throw new TypeError('fetch failed')
      },
    ],
  ])('%s: requests are not signed, and a warning says so', async (_, answer) => {
    const { tokens, warnings } = chain({}, (url) => from(url, answer()))
    expect(await tokens()).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('no Google credentials were found')])
  })

  test('that was named and is not there is an error', async () => {
    const { tokens } = chain({ GCE_METADATA_HOST: '127.0.0.1:8' }, () => {
      throw new TypeError('fetch failed')
    })
    await expect(tokens()).rejects.toMatchObject({ code: 'IO' })
  })
})

const { now } = Date
afterEach(() => {
  Date.now = now
})

test('a token is renewed five minutes before it expires', async () => {
  let made = 0
  const { tokens } = chain({}, (url) => from(url, token(`t${++made}`, 3600, GOOGLE)))
  Date.now = () => 0
  expect(await tokens()).toBe('t1')
  Date.now = () => 55 * 60_000
  expect(await tokens()).toBe('t1')
  Date.now = () => 55 * 60_000 + 1
  expect([await tokens(), await tokens()]).toEqual(['t2', 't2'])
})

test('a file that is named and cannot be read is an error, whatever else there is', async () => {
  loggedIn(`${folder}/other`)
  const env = { GOOGLE_APPLICATION_CREDENTIALS: `${folder}/none.json`, CLOUDSDK_CONFIG: `${folder}/other` }
  const { tokens, asked } = chain(env, (url) => from(url, token('abc', 3600)))
  await expect(tokens()).rejects.toMatchObject({ code: 'NO_PERMISSION' })
  expect(asked).toEqual([])
})
