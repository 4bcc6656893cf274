import { InspectError } from '../../base/errors.ts'
import { type ByteRange, type ByteSource, changedWhileRead, checkRange, TAIL_BYTES, truncated } from '../source.ts'
import { type AnswerHead, type BodyPart, type HttpAnswer, statusError } from './client.ts'
import { refusePage } from './pages.ts'
import type { RemoteStorage } from './remote-storage.ts'

/** Upper limit on the bytes that are fetched ahead of a sequential reader. */
const AHEAD_BYTES = 2 ** 20
/** Upper limit on the bytes of a read that are kept for later reads. */
const KEPT_BYTES = 8 * 2 ** 20
/** Upper limit on the bytes that are fetched to read a part of a file, if the server ignores ranges. */
const WHOLE_BYTES = 64 * 2 ** 20

const NOTHING: BodyPart = { skip: 0, length: 0, exact: false }

/** The end of a file. */
export interface Tail {
  /** Bytes of the whole file. */
  size: number
  /** The last bytes of the file. */
  bytes: Uint8Array
  /** ETag of the file. All parts that any source reads later must have the same ETag. */
  etag: string | undefined
}

/** A part of the file. */
interface Block {
  offset: number
  bytes: Uint8Array
}

/** A file that is read over HTTP by ranges. Fetched blocks are kept, so that neighbouring reads share a request. */
export class RangeSource implements ByteSource {
  readonly name: string
  private readonly storage: RemoteStorage
  /** Size in bytes, if a listing had it. */
  private readonly listedSize: number | undefined
  private tailRead: Promise<Tail> | undefined
  /** The last two fetched blocks, as readers may alternate between two places. */
  private blocks: Block[] = []
  /** Requests that have not been answered yet, by the range that they fetch. */
  private readonly underWay = new Map<ByteRange, Promise<Block>>()
  private etag: string | undefined
  /** Size in bytes, from the listing or an earlier answer. Answers with another size contradict it. */
  private toldSize: number | undefined
  /** Offset at which a sequential reader would read next, and number of bytes of the last fetch. */
  private next = { offset: -1, length: 0 }

  /** @param name internal path of the file */
  constructor(name: string, storage: RemoteStorage) {
    this.name = name
    this.storage = storage
    this.listedSize = storage.knownSize(name)
    this.toldSize = this.listedSize
  }

  async size(end = 0): Promise<number> {
    return this.listedSize ?? (await this.tail(Math.max(end, TAIL_BYTES))).size
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.name, offset, length)
    if (length === 0) return new Uint8Array(0)
    const size = await this.sizeSoFar()
    if (size !== undefined && offset + length > size) throw truncated(this.name, offset, length, size - offset)
    const held = this.held(offset, length) ?? (await this.inTail(offset, size, TAIL_BYTES))
    const block = held ?? (await this.fetchAhead(offset, length, size))
    this.next.offset = offset + length
    if (!covers(block, offset, length))
      throw truncated(this.name, offset, length, block.offset + block.bytes.length - offset)
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
    // The server ignores ranges and sent the whole file.
    if (!held && block.bytes.length > most) this.blocks = [block]
    const bytes = block.bytes.subarray(offset - block.offset, offset - block.offset + most)
    return held || block.bytes.length > most ? bytes.slice() : bytes
  }

  async close(): Promise<void> {
    this.blocks = []
  }

  /** The file's size, if it is known without a request. Another source may have fetched the end of the same file. */
  private async sizeSoFar(): Promise<number | undefined> {
    this.tailRead ??= this.storage.tails.get(this.name)
    const tail = await this.tailRead
    this.etag ??= tail?.etag
    return tail?.size ?? this.listedSize
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

  /** The end of the file, if it has the offset. It is fetched if the offset is at most `near` bytes before the end. */
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
      // A large block is not kept if the caller takes all of it, because it will not be read again.
      if (length <= KEPT_BYTES || block.bytes.length > length) this.blocks = [block, ...this.blocks.slice(0, 1)]
      return block
    } finally {
      this.underWay.delete(range)
    }
  }

  /** Fetches bytes from `offset`: fewer at the end of the file, or the whole file if the server ignores ranges. */
  private async fetchRange(offset: number, length: number): Promise<Block> {
    const end = offset + length - 1
    const asked = `bytes ${offset}-${end}`
    const { answer, start } = await this.get(
      `bytes=${offset}-${end}`,
      asked,
      ({ first, last, size }) => first === offset && last === Math.min(end, size - 1),
      (head) => this.partOfWhole(head, offset, length),
    )
    if (answer.status === 416) {
      const size = this.sizeWithout(offset, asked, answer) ?? 0
      if (this.toldSize !== undefined && this.toldSize > offset) throw this.wrongRange(asked, answer)
      throw truncated(this.name, offset, length, size - offset)
    }
    return { offset: start, bytes: answer.body }
  }

  private async fetchTail(length: number): Promise<Tail> {
    if (!this.storage.countsFromEnd()) return this.tailFromStart(length)
    const asked = `the last ${length} bytes`
    let tooLong: number | undefined
    const { answer, size } = await this.get(
      `bytes=-${length}`,
      asked,
      (range) => range.last === range.size - 1 && range.first === Math.max(0, range.size - length),
      (head) => {
        const whole = contentLength(head.headers)
        if (whole === undefined || whole <= length) return this.partOfWhole(head, 0, length)
        // Some servers only support ranges that count from the start, and send the whole file. It is not read.
        tooLong = whole
        return NOTHING
      },
    )
    if (answer.status === 416) {
      tooLong = this.sizeWithout(0, asked, answer) ?? (await this.sizeByFront())
      this.checkSize(tooLong)
      if (tooLong === 0) return { size: 0, bytes: new Uint8Array(0), etag: this.etag }
    }
    const bytes =
      tooLong === undefined ? answer.body : (await this.fetchRange(Math.max(0, tooLong - length), length)).bytes
    return { size: tooLong ?? size ?? answer.body.length, bytes, etag: this.etag }
  }

  /** The end of a file, by ranges that count from the start: one, if its size is known, or if it is as short as its end may be. */
  private async tailFromStart(length: number): Promise<Tail> {
    let size = this.listedSize
    if (size === undefined) {
      const asked = `the first ${length} bytes`
      const { answer, size: told } = await this.get(
        `bytes=0-${length - 1}`,
        asked,
        (range) => range.first === 0 && range.last === Math.min(length, range.size) - 1,
        (head) => this.partOfWhole(head, 0, length),
      )
      size = answer.status === 416 ? (this.sizeWithout(0, asked, answer) ?? 0) : (told ?? answer.body.length)
      if (size <= length)
        return { size, bytes: answer.status === 416 ? new Uint8Array(0) : answer.body, etag: this.etag }
    }
    if (size === 0) return { size, bytes: new Uint8Array(0), etag: this.etag }
    const start = Math.max(0, size - length)
    const block = await this.fetchRange(start, size - start)
    return { size, bytes: block.bytes.subarray(start - block.offset), etag: this.etag }
  }

  /**
   * The size of a file, from a request for its first byte. For a server that did not send the end of the file: either the file
   * is empty, or the server only supports ranges that count from the start.
   */
  private async sizeByFront(): Promise<number> {
    const asked = 'the first byte'
    const { answer, size } = await this.get(
      'bytes=0-0',
      asked,
      ({ last }) => last === 0,
      (head) => {
        throw this.wrongRange(asked, head)
      },
    )
    return size ?? this.sizeWithout(0, asked, answer) ?? 0
  }

  /**
   * The size of a file that has no byte at the offset, from an answer with status 416; undefined if the server does not say.
   * @throws InspectError IO if the answer has no possible size, or the file has that byte
   */
  private sizeWithout(offset: number, asked: string, answer: AnswerHead): number | undefined {
    const text = answer.headers.get('content-range')
    const told = /^bytes \*\/(\d{1,15})$/.exec(text ?? '')?.[1]
    if (told === undefined) {
      if (text !== null) throw this.wrongRange(asked, answer)
      return undefined
    }
    const size = Number(told)
    if (size > offset) throw this.wrongRange(asked, answer)
    this.checkSize(size)
    return size
  }

  /** @throws InspectError CHANGED_WHILE_READ if the server told another size before */
  private checkSize(size: number | undefined): void {
    if (size !== undefined && this.toldSize !== undefined && size !== this.toldSize) {
      const fault = { expected: `the file as it was (${this.toldSize} bytes)`, found: `it changed (${size} bytes)` }
      throw changedWhileRead(this.name, fault)
    }
    this.toldSize ??= size
  }

  /** The part to read of an answer that has the whole file. A small file is read whole, so that it is fetched once. */
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
    const fault = {
      expected: 'a server that sends ranges',
      found: `one that sends whole files, of which no more than ${most} are fetched`,
    }
    return new InspectError('IO', fault, { file: this.name, offset })
  }

  /**
   * Sends a request for a range.
   * @param asked the range in words
   * @param isRight whether the answer has the range that was asked for
   * @param partOfWhole returns the part to read of an answer that has the whole file
   * @returns the answer, the offset of its body, and the file's size if the answer has a range
   */
  private async get(
    range: string,
    asked: string,
    isRight: (found: ContentRange) => boolean,
    partOfWhole: (head: AnswerHead) => BodyPart,
  ): Promise<{ answer: HttpAnswer; start: number; size: number | undefined }> {
    let start = 0
    let size: number | undefined
    const want = (head: AnswerHead): BodyPart => {
      if (head.status === 416) return NOTHING
      this.checkEncoding(head.headers)
      if (head.status !== 206) {
        const part = partOfWhole(head)
        start = part.skip
        return part
      }
      const found = contentRange(head)
      if (!found) throw this.wrongRange('the range', head)
      if (!isRight(found)) throw this.wrongRange(asked, head)
      start = found.first
      size = found.size
      return { skip: 0, length: found.last - found.first + 1, exact: true }
    }
    const answer = await this.storage.send({ method: 'GET', path: this.name, range, want })
    if (answer.status === 404 && (await this.storage.wasListed(this.name))) {
      const fault = {
        expected: 'the file that was listed a moment ago',
        found: 'that it is gone (HTTP 404): something removes files, such as a vacuum',
      }
      throw changedWhileRead(this.name, fault, { cause: { status: 404 } })
    }
    if (answer.status !== 200 && answer.status !== 206 && answer.status !== 416)
      throw statusError(answer, this.name, this.storage.statusNote(answer.status))
    if (answer.status === 200 && answer.body.length > WHOLE_BYTES) throw this.noRanges(start)
    if (answer.status !== 416) refusePage(answer, start, this.name)
    const etag = etagOf(answer.headers)
    if (etag !== undefined && this.etag !== undefined && etag !== this.etag) {
      const fault = { expected: `the file as it was (ETag ${this.etag})`, found: `it changed (${etag})` }
      throw changedWhileRead(this.name, fault)
    }
    this.etag = etag ?? this.etag
    // Without a length, all of the body was read.
    this.checkSize(answer.status === 200 ? (contentLength(answer.headers) ?? answer.body.length) : size)
    return { answer, start, size }
  }

  private checkEncoding(headers: Headers): void {
    const encoding = headers.get('content-encoding')
    if (encoding === null || encoding === 'identity' || encoding === 'aws-chunked') return
    const fault = { expected: 'the bytes as they are stored', found: `Content-Encoding ${encoding}` }
    throw new InspectError('IO', fault, { file: this.name })
  }

  private wrongRange(asked: string, { status, headers }: AnswerHead): InspectError {
    const found = headers.get('content-range')
    const what = found === null ? 'no Content-Range' : `Content-Range ${JSON.stringify(found)}`
    return new InspectError('IO', { expected: asked, found: `HTTP ${status} with ${what}` }, { file: this.name })
  }
}

function covers(block: Block, offset: number, length: number): boolean {
  return offset >= block.offset && offset + length <= block.offset + block.bytes.length
}

interface ContentRange {
  first: number
  last: number
  /** Bytes of the whole file. */
  size: number
}

/** The Content-Range of an answer; undefined if there is none, or an impossible one. */
function contentRange({ headers }: AnswerHead): ContentRange | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')
  const [first = 0, last = -1, size = 0] = (match ?? []).slice(1).map(Number)
  return first <= last && last < size ? { first, last, size } : undefined
}

/** The Content-Length in bytes; undefined if there is none. */
export function contentLength(headers: Headers): number | undefined {
  const text = headers.get('content-length')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The ETag; undefined for a weak one, which does not identify the bytes. */
function etagOf(headers: Headers): string | undefined {
  const etag = headers.get('etag')
  return etag === null || etag.startsWith('W/') ? undefined : etag
}
