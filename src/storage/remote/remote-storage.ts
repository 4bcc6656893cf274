import { hasCode } from '../../base/errors.ts'
import { CountedBytes, Memory } from '../../base/memory.ts'
import { folderOf, nameOf } from '../../base/paths.ts'
import { type ByteSource, type Entry, findEntry, type Storage } from '../source.ts'
import { BoundedMap, keptOrMade } from './bounded-map.ts'
import type { BodyPart, Client, HttpAnswer, HttpCall, HttpRequest } from './client.ts'
import { RangeSource, type Tail } from './range-source.ts'

/** Limits on the number and the bytes of the file ends that are kept. Each has 64 KiB, or the whole file if the server sends no less. */
const TAILS_KEPT = 16_384
const TAIL_BYTES_KEPT = 32 * 2 ** 20
const KINDS_KEPT = 4096
/** Number of listings that are kept: enough for the fragments that are read at once and the folders around them. */
const LISTINGS_KEPT = 64

/** For {@link HttpCall.want}: at most `length` bytes of a body of any length. */
export function upTo(length: number): () => BodyPart {
  return () => ({ skip: 0, length, exact: false })
}

/** Memory of a name in a listing, besides the name: the entry, and its share of the page that it came with. */
const NAME_BYTES = 256

/** Counts the names of a listing, which a server may send without end. */
export function countedNames(memory: Memory, path: string): (name: string) => void {
  const counted = new CountedBytes(memory, 'names in a listing')
  return (name) => counted.add(NAME_BYTES + name.length, path)
}

/** Files that are read over HTTP. Kinds, listings and file ends are kept, because each request costs a round trip. */
export abstract class RemoteStorage implements Storage {
  protected readonly client: Client
  private readonly warn: (text: string) => void
  /** The bound of the names of a listing. */
  protected readonly memory: Memory
  /** Ends of files, shared by all sources of a file. */
  readonly tails = new BoundedMap<Promise<Tail>>(TAILS_KEPT, TAIL_BYTES_KEPT)
  private readonly kinds = new BoundedMap<Promise<Entry['kind'] | undefined>>(KINDS_KEPT)
  private readonly listings = new BoundedMap<Promise<readonly Entry[]>>(LISTINGS_KEPT)
  private readonly warned = new Set<string>()

  constructor(client: Client, warn: (text: string) => void, memory = new Memory()) {
    this.client = client
    this.memory = memory
    this.warn = warn
  }

  isRemote(): boolean {
    return true
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    const siblings = await this.knownEntries(folderOf(path))
    if (siblings) return findEntry(siblings, nameOf(path))?.kind
    // A path whose end was read is a file.
    if (await this.tails.get(path)?.catch(() => undefined)) return 'file'
    return keptOrMade(this.kinds, path, () => this.readKind(path))
  }

  list(path: string): Promise<readonly Entry[]> {
    return keptOrMade(this.listings, path, () => this.readList(path))
  }

  listAgain(path: string): Promise<readonly Entry[]> {
    return this.readList(path)
  }

  open(path: string): ByteSource {
    return new RangeSource(path, this)
  }

  /** Whether a listing has the file; or, if its folder is gone, whether an earlier listing had the folder. */
  async wasListed(path: string): Promise<boolean> {
    const folder = folderOf(path)
    try {
      return findEntry(await this.list(folder), nameOf(path))?.kind === 'file'
    } catch (error) {
      const siblings = hasCode(error, 'NOT_FOUND') ? await this.knownEntries(folderOf(folder)) : undefined
      return siblings !== undefined && findEntry(siblings, nameOf(folder))?.kind === 'folder'
    }
  }

  async keepTail(key: string, tail: Promise<Tail>): Promise<void> {
    try {
      const { bytes } = await keptOrMade(this.tails, key, () => tail)
      this.tails.weigh(key, bytes.length)
    } catch {
      // A failure is not kept. The source that fetched the tail throws it.
    }
  }

  send(call: Omit<HttpCall, 'request'>): Promise<HttpAnswer> {
    return this.client.send({
      ...call,
      request: () => this.request(call.method === 'HEAD' ? 'HEAD' : 'GET', call.path, call.range),
    })
  }

  /** A folder's entries, sorted by name, if they are known without a request. */
  protected knownEntries(path: string): Promise<readonly Entry[]> | undefined {
    return this.listings.get(path)
  }

  warnOnce(text: string): void {
    if (this.warned.has(text)) return
    this.warned.add(text)
    this.warn(text)
  }

  /** A file's size in bytes, if it is known without a request. */
  knownSize(_path: string): number | undefined {
    return undefined
  }

  /** Whether ranges may count from the end of a file, as `bytes=-65536`. */
  countsFromEnd(): boolean {
    return true
  }

  /** Text to add to the error for a status. */
  statusNote(_status: number): string {
    return ''
  }

  protected abstract request(method: 'GET' | 'HEAD', path: string, range?: string): Promise<HttpRequest>
  protected abstract readKind(path: string): Promise<Entry['kind'] | undefined>
  protected abstract readList(path: string): Promise<readonly Entry[]>
}
