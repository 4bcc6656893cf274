import { AwsV4Signer } from 'aws4fetch'
import type { InspectError } from '../../base/errors.ts'
import type { Memory } from '../../base/memory.ts'
import type { Client, HttpAnswer, HttpRequest } from './client.ts'
import { type AskedPage, CloudStorage, contentsOf, type ObjectPlace, type Page } from './cloud.ts'
import { encodePath, unescaped } from './http.ts'
import type { CredentialsProvider } from './s3-credentials.ts'

/** The address of an S3 service. */
interface S3Place {
  /** The URL of the service, as in `AWS_ENDPOINT_URL`; undefined for Amazon's own. */
  endpoint: string | undefined
  /** Whether the bucket's name is part of the host. */
  virtualHosts: boolean
  region: string
}

/** `s3://bucket/key`. */
export class S3Storage extends CloudStorage {
  protected readonly listing = 'ListObjectsV2'
  protected readonly redirectNote = '; the bucket is elsewhere: AWS_REGION and AWS_ENDPOINT_URL say where'
  private readonly place: S3Place
  private readonly credentials: CredentialsProvider
  /** The region of each bucket for which an answer named one. */
  private readonly regions = new Map<string, string>()

  /** @param credentials called before every request, so that credentials that expire can be renewed */
  constructor(
    client: Client,
    warn: (text: string) => void,
    place: S3Place,
    credentials: CredentialsProvider,
    memory?: Memory,
  ) {
    super(client, warn, memory)
    this.place = place
    this.credentials = credentials
  }

  /** Sends a request, and once more if the answer names another region for the bucket. */
  protected override async sendFor(bucket: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const used = this.regionOf(bucket)
    const answer = await send()
    if (![301, 307, 400, 403].includes(answer.status)) return answer
    const named = /<Region>([^<]*)<\/Region>/.exec(new TextDecoder().decode(answer.body))?.[1]
    const region = answer.headers.get('x-amz-bucket-region') ?? named
    // The region becomes part of a host name, so it must be harmless.
    if (region === undefined || !/^[a-z0-9-]{1,40}$/.test(region) || region === used) return answer
    this.regions.set(bucket, region)
    return send()
  }

  protected objectRequest(method: string, { bucket, key }: ObjectPlace): Promise<HttpRequest> {
    return this.signed(method, bucket, `/${encodePath(key)}`)
  }

  protected pageRequest({ bucket, prefix, byFolder, token }: AskedPage): Promise<HttpRequest> {
    const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix })
    if (byFolder) query.set('delimiter', '/')
    if (token !== undefined) query.set('continuation-token', token)
    // The signed query must be the one that is sent, and some services do not accept `+` for a space.
    return this.signed('GET', bucket, `/?${query.toString().replace(/\+/g, '%20')}`)
  }

  protected parsePage(xml: string, refused: (found: string) => InspectError): Page {
    return parsePage(xml, refused)
  }

  /** A request to a bucket, signed unless there are no credentials. */
  private async signed(method: string, bucket: string, pathAndQuery: string): Promise<HttpRequest> {
    const region = this.regionOf(bucket)
    const url = this.bucketUrl(bucket, region) + pathAndQuery
    const credentials = await this.credentials()
    this.isAnonymous = credentials === undefined
    if (!credentials) return { url, headers: {} }
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    const signer = new AwsV4Signer({
      method,
      url,
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    })
    const { headers, url: signedUrl } = await signer.sign()
    return { url: signedUrl.href, headers: Object.fromEntries(headers) }
  }

  private bucketUrl(bucket: string, region: string): string {
    const { endpoint, virtualHosts } = this.place
    const base = endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
    // If a bucket's name has dots, Amazon's certificates do not match a host name with it.
    if (!virtualHosts || bucket.includes('.')) return `${base}/${bucket}`
    return base.replace('://', `://${bucket}.`)
  }

  private regionOf(bucket: string): string {
    return this.regions.get(bucket) ?? this.place.region
  }
}

/** Parses those elements of a ListBucketResult that are needed here. @param refused makes the error, from what was found */
function parsePage(xml: string, refused: (found: string) => InspectError): Page {
  if (!/<ListBucketResult[\s>]/.test(xml)) throw refused('another document')
  if (!/<\/ListBucketResult>\s*$/.test(xml)) throw refused('a part of one')
  const encoded = /<EncodingType>url<\/EncodingType>/.test(xml)
  const name = (text: string): string => {
    const plain = unescaped(text)
    return encoded ? decodeName(plain, refused) : plain
  }
  const files: Page['files'] = []
  for (const inside of contentsOf('Contents', xml)) {
    const [key] = contentsOf('Key', inside)
    const size = /<Size>(\d{1,15})<\/Size>/.exec(inside)?.[1]
    if (key === undefined || size === undefined) throw refused('a name without a size')
    files.push({ key: name(key), size: Number(size) })
  }
  const prefixes: string[] = []
  for (const inside of contentsOf('CommonPrefixes', xml)) {
    const [prefix] = contentsOf('Prefix', inside)
    if (prefix !== undefined) prefixes.push(name(prefix))
  }
  const truncated = /<IsTruncated>true<\/IsTruncated>/.test(xml)
  const [next] = contentsOf('NextContinuationToken', xml)
  if (truncated && next === undefined) throw refused('a part of it without the way to the next')
  return { files, prefixes, next: truncated && next !== undefined ? unescaped(next) : undefined }
}

function decodeName(text: string, refused: (found: string) => InspectError): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '))
  } catch {
    throw refused(`the name ${JSON.stringify(text)}`)
  }
}
