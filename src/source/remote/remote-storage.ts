import { InspectError } from '../../base/errors.ts'
import type { ByteSource, Entry, Storage } from '../source.ts'
import { BoundedMap } from './bounded-map.ts'
import type { Answer, BodyPart, Call, Client } from './client.ts'
import { RangeSource, type Tail } from './range-source.ts'

/** Ends of files that are kept, and their bytes: 64 KiB each at most, but for servers that send whole files. */
const TAILS_KEPT = 16_384
const TAIL_BYTES_KEPT = 32 * 2 ** 20
const KINDS_KEPT = 4096
/** As many fragments as are looked at at once, and what lies around them. */
const LISTINGS_KEPT = 64

/** Asks for an answer of any length up to `length`. */
export function upTo(length: number): () => BodyPart {
  return () => ({ skip: 0, length, exact: false })
}

/**
 * Files behind HTTP. What a server has said once, of kinds, listings and the ends of files, is not asked again soon: a run
 * is short, and each question costs a round trip.
 */
export abstract class RemoteStorage implements Storage {
  protected readonly client: Client
  private readonly warn: (text: string) => void
  private readonly tails = new BoundedMap<Promise<Tail>>(TAILS_KEPT, TAIL_BYTES_KEPT)
  private readonly kinds = new BoundedMap<Promise<Entry['kind'] | undefined>>(KINDS_KEPT)
  private readonly listings = new BoundedMap<Promise<readonly Entry[]>>(LISTINGS_KEPT)
  private readonly warned = new Set<string>()

  constructor(client: Client, warn: (text: string) => void) {
    this.client = client
    this.warn = warn
  }

  isRemote(): boolean {
    return true
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    const slash = path.lastIndexOf('/')
    const around = await this.listed(path.slice(0, slash))
    if (around) return find(around, path.slice(slash + 1))?.kind
    // Whose end was read is a file.
    if (await this.tails.get(path)?.catch(() => undefined)) return 'file'
    return BoundedMap.keep(this.kinds, path, () => this.readKind(path))
  }

  list(path: string): Promise<readonly Entry[]> {
    return BoundedMap.keep(this.listings, path, () => this.readList(path))
  }

  open(path: string): ByteSource {
    return new RangeSource({
      path,
      send: (call) => this.send(call),
      knownSize: this.knownSize(path),
      tails: {
        get: (key) => this.tails.get(key),
        set: (key, tail) => void this.keepTail(key, tail),
      },
      wasListed: () => this.wasListed(path),
      statusNote: (status) => this.statusNote(status),
      onRangeIgnored: () => this.warnOnce('the server ignores ranges: whole files are fetched'),
    })
  }

  /** Whether a listing names a file that is not there, or named the folder that it was in. */
  private async wasListed(path: string): Promise<boolean> {
    const folder = path.slice(0, path.lastIndexOf('/'))
    const slash = folder.lastIndexOf('/')
    try {
      return find(await this.list(folder), path.slice(folder.length + 1))?.kind === 'file'
    } catch (error) {
      if (!(error instanceof InspectError) || error.code !== 'NOT_FOUND') return false
      const around = await this.listed(folder.slice(0, slash))
      return around !== undefined && find(around, folder.slice(slash + 1))?.kind === 'folder'
    }
  }

  private async keepTail(key: string, tail: Promise<Tail>): Promise<void> {
    try {
      const { bytes } = await BoundedMap.keep(this.tails, key, () => tail)
      this.tails.weigh(key, bytes.length)
    } catch {
      // Not kept; whoever asked for it is told.
    }
  }

  protected send(call: Omit<Call, 'request'>): Promise<Answer> {
    return this.client.send({ ...call, request: () => this.request(call.method, call.path) })
  }

  /** A folder's names, sorted, where they are known already. */
  protected listed(path: string): Promise<readonly Entry[]> | undefined {
    return this.listings.get(path)
  }

  protected warnOnce(text: string): void {
    if (this.warned.has(text)) return
    this.warned.add(text)
    this.warn(text)
  }

  /** What a listing that was read tells of a file. */
  protected knownSize(_path: string): number | undefined {
    return undefined
  }

  /** Added to the message of a status that is an error. */
  protected statusNote(_status: number): string {
    return ''
  }

  protected abstract request(
    method: 'GET' | 'HEAD',
    path: string,
  ): Promise<{ url: string; headers: Record<string, string> }>
  protected abstract readKind(path: string): Promise<Entry['kind'] | undefined>
  protected abstract readList(path: string): Promise<readonly Entry[]>
}

export function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** The entry of that name in a sorted listing. */
function find(entries: readonly Entry[], name: string): Entry | undefined {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (entries[middle].name < name) low = middle + 1
    else high = middle
  }
  return entries[low]?.name === name ? entries[low] : undefined
}
