import { attempt, type InspectError } from '../../base/errors.ts'
import type { Memory } from '../../base/memory.ts'
import type { Client, HttpRequest } from './client.ts'
import { type AskedPage, CloudStorage, type ObjectPlace, PAGE_NAMES, type Page } from './cloud.ts'
import type { TokenProvider } from './gcs-credentials.ts'

/** `gs://bucket/key` by the JSON API, as TileDB reads it, with a token or as the public. With HMAC keys the XML API is asked: that is S3's dialect. */
export class GcsStorage extends CloudStorage {
  protected readonly listing = 'Objects: list'
  protected readonly redirectNote = '; the bucket is elsewhere: TILEDB_VFS_GCS_ENDPOINT says where'
  private readonly endpoint: string
  private readonly tokens: TokenProvider

  /** @param tokens called before every request, so that it can renew tokens that expire */
  constructor(client: Client, warn: (text: string) => void, endpoint: string, tokens: TokenProvider, memory?: Memory) {
    super(client, warn, memory)
    this.endpoint = endpoint
    this.tokens = tokens
  }

  protected objectRequest(_method: string, { bucket, key }: ObjectPlace): Promise<HttpRequest> {
    return this.withToken(bucket, `/${encoded(key)}?alt=media`)
  }

  protected pageRequest({ bucket, prefix, byFolder, token }: AskedPage): Promise<HttpRequest> {
    const fields = 'items(name,size),prefixes,nextPageToken'
    const query = new URLSearchParams({ prefix, maxResults: String(PAGE_NAMES), fields })
    if (byFolder) query.set('delimiter', '/')
    if (token !== undefined) query.set('pageToken', token)
    return this.withToken(bucket, `?${query.toString().replace(/\+/g, '%20')}`)
  }

  private async withToken(bucket: string, rest: string): Promise<HttpRequest> {
    const token = await this.tokens()
    this.isAnonymous = token === undefined
    return {
      url: `${this.endpoint}/storage/v1/b/${encoded(bucket)}/o${rest}`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }
  }

  protected parsePage(text: string, refused: (found: string) => InspectError): Page {
    const page = attempt(() => JSON.parse(text) as unknown)
    if (!isObject(page)) throw refused(/^\s*\{/.test(text) ? 'a part of one' : 'another document')
    if ('error' in page) throw refused('another document')
    const files = listOf(page.items).map((item) => {
      const { name, size } = isObject(item) ? item : {}
      // Sizes are text: they may have 64 bits.
      if (typeof name !== 'string' || !/^\d{1,15}$/.test(String(size))) throw refused('a name without a size')
      return { key: name, size: Number(size) }
    })
    const prefixes = listOf(page.prefixes).map((prefix) => {
      if (typeof prefix !== 'string') throw refused('a folder without a name')
      return prefix
    })
    const { nextPageToken: next } = page
    return { files, prefixes, next: typeof next === 'string' && next !== '' ? next : undefined }
  }
}

/** A bucket or key as one part of a path. Of `.` and `..`, which would change the path, no encoding is safe: such keys are not read. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed())
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
