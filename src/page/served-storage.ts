import { Client, DEFAULT_LIMITS, type HttpRequest, statusError } from '../storage/remote/client.ts'
import { RemoteStorage, upTo } from '../storage/remote/remote-storage.ts'
import { byName, type Entry, findEntry, notFound } from '../storage/source.ts'

/** Upper limit on the bytes of a listing: about a million names. */
const LISTING_BYTES = 256 * 2 ** 20

interface Listing {
  kind: Entry['kind']
  entries?: readonly Entry[]
}

/** The files that `tiledb-inspect page` gives to the page: src/node/page-answers.ts. */
export class ServedStorage extends RemoteStorage {
  private readonly base: URL
  private readonly top: string

  /** @param base URL of the folder of the page @param top path of the folder that is served */
  constructor(base: URL, top: string, client = new Client(DEFAULT_LIMITS)) {
    super(client, () => {})
    this.base = base
    this.top = top
  }

  protected async request(_method: string, path: string): Promise<HttpRequest> {
    const [what, name] = path.startsWith('list:') ? ['list', path.slice('list:'.length)] : ['file', path]
    return { url: new URL(`${what}?${encodeURIComponent(JSON.stringify(name))}`, this.base).href, headers: {} }
  }

  protected async readKind(path: string): Promise<Entry['kind'] | undefined> {
    if (!path.startsWith(`${this.top}/`)) return (await this.listing(path))?.kind
    // Browsers write each 404 to the console. So the listing of the parent folder tells what is there.
    const slash = path.lastIndexOf('/')
    const parent = path.slice(0, slash)
    return (await this.kind(parent)) === 'folder'
      ? findEntry(await this.list(parent), path.slice(slash + 1))?.kind
      : undefined
  }

  protected async readList(path: string): Promise<readonly Entry[]> {
    const listing = await this.listing(path)
    if (listing?.entries) return [...listing.entries].sort(byName)
    throw notFound(path)
  }

  /** The kind and the entries of a path. Asks for nothing outside of the served folder: the server would refuse. */
  private async listing(path: string): Promise<Listing | undefined> {
    if (path !== this.top && !path.startsWith(`${this.top}/`)) return undefined
    const answer = await this.send({ method: 'GET', path: `list:${path}`, want: upTo(LISTING_BYTES) })
    if (answer.status === 404) return undefined
    if (answer.status !== 200) throw statusError(answer, path)
    return JSON.parse(new TextDecoder().decode(answer.body)) as Listing
  }
}
