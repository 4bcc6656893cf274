import { InspectError, unlessCode, usage } from '../../base/errors.ts'
import { folderOf, nameOf } from '../../base/paths.ts'
import { countListedNames } from '../lean-heap.ts'
import { areSameEntries, listedAsOne } from '../one-state.ts'
import { byName, type Entry, findEntry, notFound } from '../source.ts'
import { BoundedMap, keptOrMade } from './bounded-map.ts'
import { type HttpAnswer, type HttpCall, type HttpRequest, statusError } from './client.ts'
import { countedNames, RemoteStorage, upTo } from './remote-storage.ts'
import { cloudForm } from './urls.ts'

/** Upper limit on the bytes of one page of a listing: a thousand keys of 1024 bytes, each byte as `%xx`, and their XML. */
const PAGE_BYTES = 8 * 2 ** 20
/** Names in one page: what S3 sends at most. */
export const PAGE_NAMES = 1000
/** Upper limit on the pages without a name in one listing. */
const MAX_EMPTY_PAGES = 100
/** Number of folders whose file sizes are kept. */
const FOLDERS_KEPT = 256

/** Where an object is. */
export interface ObjectPlace {
  /** The bucket; in Azure the container. */
  bucket: string
  key: string
}

/** A page of a listing that is asked for. */
export interface AskedPage {
  bucket: string
  prefix: string
  /** Whether keys with a `/` after the prefix are listed as folders, once each. */
  byFolder: boolean
  /** What the page before says of the way to this one; undefined for the first page. */
  token: string | undefined
}

export interface Page {
  files: { key: string; size: number }[]
  prefixes: string[]
  /** The token of the next page; undefined at the end. */
  next: string | undefined
}

/** The content of a folder that was listed ahead, in the order of the listing. {@link entriesOf} makes its entries. */
interface FilesAhead {
  names: string[]
  /** Sizes in bytes; {@link FOLDER} for folders. */
  sizes: number[]
}

const FOLDER = -1

/**
 * `scheme://bucket/key`. A listing takes one request for each thousand names. The class of each cloud has what differs: how requests are
 * written and signed, and how a page of a listing is read.
 */
export abstract class CloudStorage extends RemoteStorage {
  /** Files in folders, with their sizes. */
  private readonly files = new BoundedMap<readonly Entry[]>(FOLDERS_KEPT)
  /** Folders that were listed ahead. Each list is used once. */
  private readonly ahead = new Map<string, FilesAhead>()
  private readonly listedAhead = new BoundedMap<Promise<number>>(FOLDERS_KEPT)
  /** Whether the last request had no credentials. */
  protected isAnonymous = false

  /** The cloud's name of its listing, for messages. */
  protected abstract readonly listing: string
  /** Says where a bucket is that a redirect leads to. */
  protected abstract readonly redirectNote: string
  protected abstract objectRequest(method: string, place: ObjectPlace, range?: string): Promise<HttpRequest>
  protected abstract pageRequest(page: AskedPage): Promise<HttpRequest>
  /** @param refused makes the error for a text that is no page */
  protected abstract parsePage(text: string, refused: (found: string) => InspectError): Page

  /** Sends a request for something in a bucket. */
  protected sendFor(_bucket: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    return send()
  }

  override async send(call: Omit<HttpCall, 'request'>): Promise<HttpAnswer> {
    return this.sendFor(partsOf(call.path).bucket, () => super.send({ ...call, keepRedirects: true }))
  }

  protected request(method: 'GET' | 'HEAD', path: string, range?: string): Promise<HttpRequest> {
    return this.objectRequest(method, partsOf(path), range)
  }

  protected override knownEntries(path: string): Promise<readonly Entry[]> | undefined {
    return this.ahead.has(path) ? this.list(path) : super.knownEntries(path)
  }

  /** Lists all files below `path`, a thousand per request, without a request for each folder. Later calls list nothing. */
  listAhead(path: string): Promise<number> {
    return keptOrMade(this.listedAhead, path, () => this.readAhead(path))
  }

  private async readAhead(path: string): Promise<number> {
    const { prefix } = partsOf(path)
    let bytes = 0
    // What an earlier call listed of the same folders is replaced.
    const found = new Map<string, FilesAhead>()
    // Most folders have files of the same names, so equal names share one string.
    const names = new Map<string, string>()
    for await (const { files } of this.pages(path, prefix, false)) {
      for (const { key, size } of files) {
        bytes += size
        const rest = key.slice(prefix.length)
        const slash = rest.lastIndexOf('/')
        if (slash < 0) continue
        const folder = aheadOf(found, path, rest.slice(0, slash))
        const given = rest.slice(slash + 1)
        // A key that ends in `/` marks a folder. Sync tools and consoles write such keys.
        if (given === '') continue
        const name = names.get(given) ?? given
        names.set(name, name)
        folder.names.push(name)
        folder.sizes.push(size)
      }
    }
    for (const [folder, files] of found) this.ahead.set(folder, files)
    return bytes
  }

  override knownSize(path: string): number | undefined {
    const files = this.files.get(folderOf(path))
    return files && findEntry(files, nameOf(path))?.size
  }

  override statusNote(status: number): string {
    if (status === 301 || status === 307) return this.redirectNote
    return this.isAnonymous && (status === 403 || status === 401) ? '; no credentials were found or wanted' : ''
  }

  /** Usually takes one request. */
  protected async readKind(path: string): Promise<Entry['kind'] | undefined> {
    const { key, prefix } = partsOf(path)
    if (key === '') return 'folder'
    // A name without a dot is most likely a folder that will be listed soon, so list it now.
    if (!nameOf(key).includes('.') && (await this.list(path).catch(unlessCode('NOT_FOUND')))) return 'folder'
    for await (const { files, prefixes } of this.pages(path, key, true)) {
      if (prefixes.includes(prefix)) return 'folder'
      if (files.some((file) => file.key === key)) return 'file'
      // Keys are sorted. Only keys that continue the name with a character such as `-` or `.` come before the prefix.
      if (files.some((file) => file.key > prefix) || prefixes.some((one) => one > prefix)) break
    }
    return undefined
  }

  protected async readList(path: string): Promise<readonly Entry[]> {
    const ahead = this.ahead.get(path)
    this.ahead.delete(path)
    const entries = ahead ? entriesOf(ahead) : await this.requestList(path)
    this.files.set(
      path,
      entries.filter(({ kind }) => kind === 'file'),
    )
    return entries
  }

  /** Names that were there all the time are in any listing, so the pages need not be of one state. */
  override async listAgain(path: string): Promise<readonly Entry[]> {
    return namedIn((await this.entryPages(path)).flat(), path)
  }

  private async requestList(path: string): Promise<readonly Entry[]> {
    let pages: Entry[][] | undefined
    const list = async (): Promise<Entry[]> => {
      pages = await this.entryPages(path, pages)
      return pages.flat()
    }
    return namedIn(await listedAsOne(path, 'far', list, () => pages?.length === 1), path)
  }

  /**
   * The entries of a folder by page. Names may be empty.
   * @param before pages of an earlier call. They are returned if all but the last have not changed: they are then what the folder held when
   *   the last one was read.
   */
  private async entryPages(path: string, before: Entry[][] = []): Promise<Entry[][]> {
    const { prefix } = partsOf(path)
    const found: Entry[][] = []
    let isAsBefore = before.length > 1
    for await (const { files, prefixes } of this.pages(path, prefix, true)) {
      const page = [
        ...files.map(({ key, size }): Entry => ({ name: key.slice(prefix.length), kind: 'file', size })),
        ...prefixes.map((one): Entry => ({ name: one.slice(prefix.length, -1), kind: 'folder' })),
      ]
      isAsBefore &&= areSameEntries(page, before[found.length] ?? [])
      found.push(page)
      if (isAsBefore && found.length === before.length - 1) return before
    }
    return found
  }

  /** Pages of a listing. @throws InspectError if a page is invalid, or the service repeats pages */
  private async *pages(path: string, prefix: string, byFolder: boolean): AsyncGenerator<Page> {
    const { bucket } = partsOf(path)
    let token: string | undefined
    let emptyPages = 0
    const firstNames = new Set<string>()
    const count = countedNames(this.memory, path)
    const refused = (found: string): InspectError => notAListing(path, this.listing, found)
    do {
      const asked = { bucket, prefix, byFolder, token }
      const call: HttpCall = {
        method: 'GET',
        path,
        label: `list ${path}`,
        keepRedirects: true,
        request: () => this.pageRequest(asked),
        want: upTo(PAGE_BYTES),
      }
      const answer = await this.sendFor(bucket, () => this.client.send(call))
      if (answer.status !== 200) throw statusError(answer, path, this.statusNote(answer.status))
      const page = this.parsePage(new TextDecoder().decode(answer.body), refused)
      const stray = [...page.files.map(({ key }) => key), ...page.prefixes].find((one) => !one.startsWith(prefix))
      if (stray !== undefined) throw refused(`a name outside of it: ${JSON.stringify(stray)}`)
      // Any token is accepted. The listing still ends: no page may come twice, few pages may be empty, and names take memory.
      for (const { key } of page.files) count(key)
      for (const one of page.prefixes) count(one)
      const first = page.files[0]?.key ?? page.prefixes[0]
      if (first !== undefined && firstNames.has(first)) throw refused('the same page twice')
      if (first === undefined && page.next !== undefined && ++emptyPages > MAX_EMPTY_PAGES)
        throw refused(`${emptyPages} pages without a name`)
      if (first !== undefined) firstNames.add(first)
      yield page
      token = page.next
    } while (token !== undefined)
  }
}

/** The entries with a name, sorted. @throws InspectError NOT_FOUND if there is not even a mark of the folder */
function namedIn(entries: readonly Entry[], path: string): Entry[] {
  if (entries.length === 0) throw notFound(path)
  // A key that marks the folder itself has an empty name. So has a key such as `array//x`.
  const named = entries.filter(({ name }) => name !== '')
  countListedNames(named.length)
  return sorted(named)
}

/** The list of a folder below `path`. A folder without a list gets one, and stands in that of the folder around it. */
function aheadOf(found: Map<string, FilesAhead>, path: string, below: string): FilesAhead {
  const folder = `${path}/${below}`
  const known = found.get(folder)
  if (known) return known
  const made: FilesAhead = { names: [], sizes: [] }
  found.set(folder, made)
  const slash = below.lastIndexOf('/')
  if (slash >= 0) {
    const around = aheadOf(found, path, below.slice(0, slash))
    around.names.push(below.slice(slash + 1))
    around.sizes.push(FOLDER)
  }
  return made
}

function entriesOf({ names, sizes }: FilesAhead): Entry[] {
  const entries = names.map(
    (name, i): Entry => (sizes[i] === FOLDER ? { name, kind: 'folder' } : { name, kind: 'file', size: sizes[i] }),
  )
  return sorted(entries.filter(({ name }) => name !== ''))
}

/**
 * Entries in the order of their names. `.` and `..` are neither files nor folders here: no URL leads to such a key, because it
 * would lead to another key, and as paths they would lead out of the folder.
 */
function sorted(entries: Entry[]): Entry[] {
  return entries.sort(byName).map((entry) => (/^\.\.?$/.test(entry.name) ? { name: entry.name, kind: 'other' } : entry))
}

/** @throws InspectError USAGE */
function partsOf(path: string): ObjectPlace & { prefix: string } {
  const [, bucket, key = ''] = /^[a-z0-9]+:\/\/([^/]+)(?:\/(.*))?$/s.exec(path) ?? []
  if (bucket === undefined) throw usage({ expected: cloudForm(path) ?? 'a bucket', found: 'no bucket' }, { file: path })
  return { bucket, key, prefix: key === '' ? '' : `${key}/` }
}

/** What is between the tags of each element of this name. A regular expression would take hours for tags that nothing closes. */
export function* contentsOf(name: string, xml: string): Generator<string> {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  for (let end = 0; ; end += closing.length) {
    const start = xml.indexOf(opening, end) + opening.length
    if (start < opening.length) return
    end = xml.indexOf(closing, start)
    if (end < 0) return
    yield xml.slice(start, end)
  }
}

function notAListing(path: string, listing: string, found: string): InspectError {
  return new InspectError('IO', { expected: `a list of objects (${listing})`, found }, { file: path })
}
