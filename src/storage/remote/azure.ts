import { createHmac } from 'node:crypto'
import type { InspectError } from '../../base/errors.ts'
import type { Memory } from '../../base/memory.ts'
import type { Client, HttpRequest } from './client.ts'
import { type AskedPage, CloudStorage, contentsOf, type ObjectPlace, PAGE_NAMES, type Page } from './cloud.ts'
import { encodePath, unescaped } from './http.ts'

/** Version of the service that requests ask for. From 2021-02-12 on, names that XML cannot hold are percent-encoded. */
const VERSION = '2021-12-02'

/** The address of a storage account, and how requests to it are signed. */
export interface AzurePlace {
  /** URL of the blob service, without `/` at the end and without query. */
  endpoint: string
  /** The account's name and its key, which is base64. */
  key: { account: string; secret: string } | undefined
  /** A shared access signature: a query without `?`. Secret. */
  sas: string | undefined
}

/** `azure://container/key`. */
export class AzureStorage extends CloudStorage {
  protected readonly listing = 'List Blobs'
  protected readonly redirectNote = '; the container is elsewhere: AZURE_BLOB_ENDPOINT says where'
  private readonly place: AzurePlace

  constructor(client: Client, warn: (text: string) => void, place: AzurePlace, memory?: Memory) {
    super(client, warn, memory)
    this.place = place
    this.isAnonymous = place.key === undefined && place.sas === undefined
  }

  /** Azure ignores a range that counts from the end. */
  override countsFromEnd(): boolean {
    return false
  }

  protected async objectRequest(method: string, { bucket, key }: ObjectPlace, range?: string): Promise<HttpRequest> {
    return this.signed(method, `/${encodePath(bucket)}/${encodePath(key)}`, [], range)
  }

  protected async pageRequest({ bucket, prefix, byFolder, token }: AskedPage): Promise<HttpRequest> {
    const query: [string, string][] = [
      ['restype', 'container'],
      ['comp', 'list'],
      ['prefix', prefix],
      ['maxresults', String(PAGE_NAMES)],
    ]
    if (byFolder) query.push(['delimiter', '/'])
    if (token !== undefined) query.push(['marker', token])
    return this.signed('GET', `/${encodePath(bucket)}`, query)
  }

  private signed(
    method: string,
    path: string,
    query: readonly (readonly [string, string])[],
    range?: string,
  ): HttpRequest {
    const { endpoint, key, sas } = this.place
    const written = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const url = new URL(endpoint + path)
    const headers: Record<string, string> = { 'x-ms-version': VERSION }
    if (key) {
      headers['x-ms-date'] = new Date().toUTCString()
      const resource = [`/${key.account}${url.pathname}`, ...query.map(([name, value]) => `${name}:${value}`).sort()]
      const text = stringToSign(method, range, headers, resource)
      const signature = createHmac('sha256', Buffer.from(key.secret, 'base64')).update(text).digest('base64')
      headers.authorization = `SharedKey ${key.account}:${signature}`
    } else if (sas !== undefined) written.push(sas)
    return { url: url.href + (written.length === 0 ? '' : `?${written.join('&')}`), headers }
  }

  protected parsePage(xml: string, refused: (found: string) => InspectError): Page {
    if (!/<EnumerationResults[\s>]/.test(xml)) throw refused('another document')
    if (!/<\/EnumerationResults>\s*$/.test(xml)) throw refused('a part of one')
    const files: Page['files'] = []
    for (const inside of contentsOf('Blob', xml)) {
      const key = nameIn(inside, refused)
      const size = /<Content-Length>(\d{1,15})<\/Content-Length>/.exec(inside)?.[1]
      if (key === undefined || size === undefined) throw refused('a name without a size')
      // An account with a hierarchical namespace lists its folders, too.
      if (!inside.includes('<ResourceType>directory</ResourceType>')) files.push({ key, size: Number(size) })
    }
    const prefixes: string[] = []
    for (const inside of contentsOf('BlobPrefix', xml)) {
      const prefix = nameIn(inside, refused)
      if (prefix !== undefined) prefixes.push(prefix)
    }
    const [next = ''] = contentsOf('NextMarker', xml)
    return { files, prefixes, next: next === '' ? undefined : unescaped(next) }
  }
}

/** The text that a shared key signs. Of the headers with a line of their own, only the range is ever sent. */
function stringToSign(
  method: string,
  range: string | undefined,
  headers: Readonly<Record<string, string>>,
  resource: readonly string[],
): string {
  const own = Object.entries(headers)
    .map(([name, value]) => `${name}:${value}`)
    .sort()
  return [method, ...Array<string>(10).fill(''), range ?? '', ...own, ...resource].join('\n')
}

function nameIn(inside: string, refused: (found: string) => InspectError): string | undefined {
  const [plain] = contentsOf('Name', inside)
  if (plain !== undefined) return unescaped(plain)
  const encoded = /<Name Encoded="true">([^<]*)<\/Name>/.exec(inside)?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(unescaped(encoded))
  } catch {
    throw refused(`the name ${JSON.stringify(encoded)}`)
  }
}
