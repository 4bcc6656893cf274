import { InspectError } from '../../base/errors.ts'
import { type ByteRange, type ByteSource, checkRange } from '../source.ts'
import { type Answer, type AnswerHead, type BodyPart, statusError } from './client.ts'
import { refusePage } from './pages.ts'
import type { RemoteStorage } from './remote-storage.ts'

/** Bytes at a file's end that are fetched to learn its size. They include the footer of nearly every fragment. */
export const TAIL_BYTES = 64 * 1024
/** Most bytes that are fetched ahead of a sequential reader. */
const AHEAD_BYTES = 2 ** 20
/** Most bytes of a read that are kept for the next. */
const KEPT_BYTES = 8 * 2 ** 20
/** Most bytes that are fetched to read a part of a file, if the server ignores ranges. */
export const WHOLE_BYTES = 64 * 2 ** 20

/** The end of a file. */
export interface Tail {
  /** Bytes of the whole file. */
  size: number
  /** The last bytes of the file. */
  bytes: Uint8Array
}

/** A part of the file. */
interface Block {
  offset: number
  bytes: Uint8Array
}

/** A file that is read over HTTP by ranges. Fetched blocks are kept, so that neighbouring reads take one request. */
export class RangeSource implements ByteSource {
  readonly name: string
  private readonly storage: RemoteStorage
  /** Bytes, if a listing gave them. */
  private readonly listedSize: number | undefined
  private tailRead: Promise<Tail> | undefined
  /** What was fetched last. There are two, as readers may alternate between two places. */
  private blocks: Block[] = []
  private readonly underWay = new Map<ByteRange, Promise<Block>>()
  private etag: string | undefined
  /** Where a sequential reader reads next, and how many bytes the last fetch had. */
  private next = { offset: -1, length: 0 }

  /** @param name its internal path */
  constructor(name: string, storage: RemoteStorage) {
    this.name = name
    this.storage = storage
    this.listedSize = storage.knownSize(name)
  }

  async size(end = 0): Promise<number> {
    return this.listedSize ?? (await this.tail(Math.max(end, TAIL_BYTES))).size
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.name, offset, length)
    if (length === 0) return new Uint8Array(0)
    const size = await this.sizeSoFar()
    if (size !== undefined && offset + length > size) throw this.short(offset, length, size - offset)
    const held = this.held(offset, length) ?? (await this.inTail(offset, size, TAIL_BYTES))
    const block = held ?? (await this.fetchAhead(offset, length, size))
    this.next.offset = offset + length
    if (!covers(block, offset, length)) throw this.short(offset, length, block.offset + block.bytes.length - offset)
    return block.bytes.subarray(offset - block.offset, offset - block.offset + length)
  }

  async fetch(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.name, offset, length)
    const size = await this.sizeSoFar()
    const most = Math.min(length, Math.max(0, (size ?? Number.POSITIVE_INFINITY) - offset))
    if (most === 0) return new Uint8Array(0)
    const near = size !== undefined && size <= TAIL_BYTES ? TAIL_BYTES : 0
    const held = this.held(offset, most) ?? (await this.inTail(offset, size, near))
    const block = held ?? (await this.fetchRange(offset, most))
    // A server that ignores ranges sends the whole file.
    if (!held && block.bytes.length > most) this.blocks = [block]
    return block.bytes.subarray(offset - block.offset, offset - block.offset + most)
  }

  async close(): Promise<void> {
    this.blocks = []
  }

  /** The file's size, if it is known without a request. Another source of the same file may have fetched its end. */
  private async sizeSoFar(): Promise<number | undefined> {
    this.tailRead ??= this.storage.tails.get(this.name)
    return (await this.tailRead)?.size ?? this.listedSize
  }

  private tail(length = TAIL_BYTES): Promise<Tail> {
    this.tailRead ??= this.storage.tails.get(this.name)
    if (!this.tailRead) {
      this.tailRead = this.fetchTail(length)
      this.storage.keepTail(this.name, this.tailRead)
    }
    return this.tailRead
  }

  private held(offset: number, length: number): Block | undefined {
    return this.blocks.find((block) => covers(block, offset, length))
  }

  /** The end of the file, if the offset is there. It is fetched if the offset is at most `near` bytes before the end. */
  private async inTail(offset: number, size: number | undefined, near: number): Promise<Block | undefined> {
    if (size === undefined || (!this.tailRead && offset < size - near)) return undefined
    const { bytes, size: found } = await this.tail()
    return offset >= found - bytes.length ? { offset: found - bytes.length, bytes } : undefined
  }

  /** Fetches a range, and more after it for a sequential reader. */
  private async fetchAhead(offset: number, length: number, size = Number.POSITIVE_INFINITY): Promise<Block> {
    const ahead = offset === this.next.offset ? Math.min(AHEAD_BYTES, this.next.length * 2) : 0
    this.next.length = Math.max(length, ahead)
    for (const [range, block] of this.underWay)
      if (offset >= range.offset && offset + length <= range.offset + range.length) return block
    const range = { offset, length: Math.min(this.next.length, size - offset) }
    const fetched = this.fetchRange(offset, range.length)
    this.underWay.set(range, fetched)
    try {
      const block = await fetched
      // What was asked for whole is not asked for again.
      if (length <= KEPT_BYTES || block.bytes.length > length) this.blocks = [block, ...this.blocks.slice(0, 1)]
      return block
    } finally {
      this.underWay.delete(range)
    }
  }

  /** Fetches bytes from `offset`: fewer at the end of the file, and all of it if the server sends no ranges. */
  private async fetchRange(offset: number, length: number): Promise<Block> {
    const last = offset + length - 1
    let start = offset
    const answer = await this.get(`bytes=${offset}-${last}`, (head) => {
      if (head.status !== 206) {
        const part = this.partOfWhole(head, offset, length)
        start = part.skip
        return part
      }
      const range = this.contentRange(head)
      const right =
        range.first === offset && (range.last === last || (range.last < last && range.last + 1 === range.size))
      if (!right) throw this.wrongRange(`bytes ${offset}-${last}`, head)
      return { skip: 0, length: range.last - range.first + 1, exact: true }
    })
    if (answer.status === 416) throw this.short(offset, length, sizeOfUnsatisfied(answer.headers) - offset)
    if (answer.body.length > WHOLE_BYTES) throw this.noRanges(offset)
    return { offset: start, bytes: answer.body }
  }

  private async fetchTail(length: number): Promise<Tail> {
    let size: number | undefined
    let whole = false
    const answer = await this.get(`bytes=-${length}`, (head) => {
      if (head.status === 206) {
        const range = this.contentRange(head)
        if (range.last + 1 !== range.size || range.first !== Math.max(0, range.size - length))
          throw this.wrongRange(`the last ${length} bytes`, head)
        size = range.size
        return { skip: 0, length: range.last - range.first + 1, exact: true }
      }
      // Some servers only support ranges that count from the front. The whole file that they send is not read.
      size = contentLength(head.headers)
      if (size !== undefined && size > length) return { skip: 0, length: 0, exact: false }
      whole = true
      return this.partOfWhole(head, 0, length)
    })
    if (answer.status === 416) {
      if (sizeOfUnsatisfied(answer.headers) !== 0) throw this.wrongRange(`the last ${length} bytes`, answer)
      return { size: 0, bytes: answer.body }
    }
    if (answer.body.length > WHOLE_BYTES) throw this.noRanges(0)
    if (whole || size === undefined) return { size: answer.body.length, bytes: answer.body }
    if (answer.status === 206) return { size, bytes: answer.body }
    const { bytes } = await this.fetchRange(size - length, length)
    return { size, bytes }
  }

  /**
   * The part to read of an answer that is the whole file. A small file is read as a whole, so that it is fetched once.
   */
  private partOfWhole(head: AnswerHead, offset: number, length: number): BodyPart {
    const size = contentLength(head.headers)
    if (size === undefined) return { skip: 0, length: WHOLE_BYTES + 1, exact: false }
    if (size > length || offset > 0) this.storage.warnOnce('the server ignores ranges: whole files are fetched')
    if (size <= WHOLE_BYTES) return { skip: 0, length: size, exact: true }
    const end = Math.min(size, offset + length)
    if (end > WHOLE_BYTES) throw this.noRanges(offset)
    return { skip: offset, length: Math.max(0, end - offset), exact: true }
  }

  private noRanges(offset: number): InspectError {
    const most = `${WHOLE_BYTES / 2 ** 20} MiB`
    const message = `expected a server that sends ranges, found one that sends whole files, of which no more than ${most} are fetched`
    return new InspectError('IO', message, { file: this.name, offset })
  }

  private async get(range: string, want: (head: AnswerHead) => BodyPart): Promise<Answer> {
    let start = 0
    const answer = await this.storage.send({
      method: 'GET',
      path: this.name,
      range,
      want: (head) => {
        if (head.status === 416) return { skip: 0, length: 0, exact: false }
        this.checkEncoding(head.headers)
        const part = want(head)
        start = head.status === 206 ? this.contentRange(head).first : part.skip
        return part
      },
    })
    if (answer.status === 404 && (await this.storage.wasListed(this.name))) {
      const message = `expected the file that was listed a moment ago, found that it is gone (HTTP 404): something removes files, such as a vacuum`
      throw new InspectError('IO', message, { file: this.name }, { cause: { status: 404 } })
    }
    if (answer.status !== 200 && answer.status !== 206 && answer.status !== 416)
      throw statusError(answer, this.name, this.storage.statusNote(answer.status))
    if (answer.status !== 416) refusePage(answer, start, this.name)
    const etag = etagOf(answer.headers)
    if (etag !== undefined && this.etag !== undefined && etag !== this.etag) {
      const message = `expected the file as it was (ETag ${this.etag}), found it changed (${etag})`
      throw new InspectError('IO', message, { file: this.name })
    }
    this.etag = etag ?? this.etag
    return answer
  }

  private checkEncoding(headers: Headers): void {
    const encoding = headers.get('content-encoding')
    if (encoding === null || encoding === 'identity' || encoding === 'aws-chunked') return
    const message = `expected the bytes as they are stored, found Content-Encoding ${encoding}`
    throw new InspectError('IO', message, { file: this.name })
  }

  private contentRange(head: AnswerHead): { first: number; last: number; size: number } {
    const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(head.headers.get('content-range') ?? '')
    if (!match) throw this.wrongRange('the range', head)
    const [first, last, size] = match.slice(1).map(Number)
    if (first > last || last >= size) throw this.wrongRange('the range', head)
    return { first, last, size }
  }

  private wrongRange(asked: string, { status, headers }: AnswerHead): InspectError {
    const found = headers.get('content-range')
    const what = found === null ? 'no Content-Range' : `Content-Range ${JSON.stringify(found)}`
    return new InspectError('IO', `expected ${asked}, found HTTP ${status} with ${what}`, { file: this.name })
  }

  private short(offset: number, length: number, found: number): InspectError {
    const message = `expected ${length} bytes, found ${Math.max(0, found)}`
    return new InspectError('TRUNCATED', message, { file: this.name, offset })
  }
}

function covers(block: Block, offset: number, length: number): boolean {
  return offset >= block.offset && offset + length <= block.offset + block.bytes.length
}

function contentLength(headers: Headers): number | undefined {
  const text = headers.get('content-length')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Size of a file that is too short for a range; 0 if the server does not tell it. */
function sizeOfUnsatisfied(headers: Headers): number {
  return Number(/^bytes \*\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1] ?? 0)
}

/** The ETag. Undefined for a weak one, which does not identify the bytes. */
function etagOf(headers: Headers): string | undefined {
  const etag = headers.get('etag')
  return etag === null || etag.startsWith('W/') ? undefined : etag
}
