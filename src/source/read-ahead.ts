import { InspectError } from '../base/errors.ts'
import type { ByteRange, ByteSource } from './source.ts'

/** Over a network, ranges with at most this many bytes between them are fetched together: as many as a round trip costs. */
const GAP_BYTES = 64 * 1024
/** Default for the most bytes to read together. This many may be kept and read in the background in any case. */
const GROUP_BYTES = 8 * 2 ** 20
/** Most bytes of short ranges of a local file to read together. A share of the plan's limit applies, too. */
const LOCAL_BYTES = 256 * 1024
const LOCAL_PARTS = 8

export interface PlanOptions {
  /** Most bytes to read together, unless a single range is longer. */
  together?: number | undefined
  /** The same for the first read over a network, as a reader may stop early. Later reads double it up to `together`. */
  first?: number | undefined
  /** Whether the bytes of a range may be overwritten when the next is asked for. New memory costs 0.1 ms per MiB. */
  reuse?: boolean | undefined
}

/** Neighbouring ranges that are read together. */
interface Group extends ByteRange {
  /** Set once the read has begun. Undefined bytes: not all of them could be read. */
  bytes?: Promise<Uint8Array | undefined> | undefined
}

/**
 * Reads a file for a caller that plans which ranges it will read. Short ranges are read together. In a local file, the next
 * ones are read while the caller works. Ranges that are not planned are read one by one. So are planned ranges that cannot be
 * read together: the error is then about the right range.
 */
export class ReadAhead {
  private readonly source: ByteSource
  /** Over a network, only the first group is fetched before it is asked for: fetching costs memory and requests. */
  private readonly isRemote: boolean
  private groups: Iterator<ByteRange, undefined> | undefined
  /** The next group, undefined after the last. */
  private next: Group | undefined
  /** What the last read brought. */
  held: { offset: number; bytes: Uint8Array } | undefined
  private mostHeld = GROUP_BYTES
  /** Ends with the last read that was begun. Reads wait for each other, as they may write to the same memory. */
  private last: Promise<unknown> = Promise.resolve()
  /** Two blocks of memory that are used in turn. */
  private rooms: Uint8Array[] | undefined

  constructor(source: ByteSource) {
    this.source = source
    this.isRemote = source.fetch !== undefined
  }

  /** @param ranges what will be read, in rising order */
  plan(ranges: Iterable<ByteRange>, { together = GROUP_BYTES, first = together, reuse }: PlanOptions = {}): void {
    this.groups = this.isRemote
      ? grouped(ranges, GAP_BYTES, (group) => Math.min(together, first * 2 ** group))
      : grouped(ranges, 0, () => Math.min(LOCAL_BYTES, together / LOCAL_PARTS))
    this.mostHeld = Math.max(GROUP_BYTES, together)
    this.rooms = reuse ? [] : undefined
    this.next = this.groups.next().value
    // So callers who plan several files wait for all of them together.
    if (this.isRemote && this.next) this.begin(this.next)
  }

  /** See {@link ByteSource.read}. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = this.readNow(offset, length) ?? (await this.planned(offset, length))
    return bytes ?? this.source.read(offset, length)
  }

  /** The bytes, if an earlier read brought them. */
  readNow(offset: number, length: number): Uint8Array | undefined {
    const { held } = this
    if (!held) return undefined
    const at = offset - held.offset
    return at >= 0 && at + length <= held.bytes.length ? held.bytes.subarray(at, at + length) : undefined
  }

  /** The bytes from the group that has them; undefined if there is none, or it cannot be read. */
  private async planned(offset: number, length: number): Promise<Uint8Array | undefined> {
    while (this.next && this.next.offset + this.next.length <= offset) this.next = this.groups?.next().value
    const group = this.next
    const end = offset + length
    if (!group || offset < group.offset || end > group.offset + group.length) return undefined
    this.held = undefined
    const bytes = await (group.bytes ?? this.begin(group))
    if (!bytes || end > group.offset + bytes.length) {
      // On any error, ranges are read one by one to find the faulty one.
      this.next = undefined
      return undefined
    }
    if (bytes.length <= this.mostHeld) this.held = { offset: group.offset, bytes }
    if (this.next === group) {
      this.next = this.groups?.next().value
      if (!this.isRemote && this.next && this.next.length <= GROUP_BYTES) this.begin(this.next)
    }
    return bytes.subarray(offset - group.offset, end - group.offset)
  }

  private begin(group: Group): Promise<Uint8Array | undefined> {
    const { source } = this
    const { offset, length } = group
    const bytes = this.last
      .then(() => source.fetch?.(offset, length) ?? source.read(offset, length, this.room(length)))
      .catch((error: unknown) => {
        if (!this.isRemote || (error instanceof InspectError && error.code === 'TRUNCATED')) return undefined
        // The next range that is asked for tries again.
        group.bytes = undefined
        throw error
      })
    group.bytes = bytes
    this.last = bytes.catch(() => {})
    return bytes
  }

  /**
   * The block of memory that was not used last, enlarged if needed. Undefined for very many bytes: the file may not have them,
   * so none are allocated before it is read.
   */
  private room(length: number): Uint8Array | undefined {
    if (!this.rooms || length > GROUP_BYTES) return undefined
    const last = this.rooms.length > 1 ? this.rooms.shift() : undefined
    const room = last && last.length >= length ? last : new Uint8Array(Math.max(length, LOCAL_BYTES))
    this.rooms.push(room)
    return room
  }

  async close(): Promise<void> {
    this.next = undefined
    this.held = undefined
    // A file must not be closed during a read.
    await this.last
    await this.source.close()
  }
}

/**
 * Joins neighbouring ranges, with at most `gap` bytes between them. Group i has at most `room(i)` bytes, unless a single range
 * is longer.
 */
function* grouped(
  ranges: Iterable<ByteRange>,
  gap: number,
  room: (group: number) => number,
): Generator<ByteRange, undefined> {
  let group: ByteRange | undefined
  let count = 0
  for (const { offset, length } of ranges) {
    const all = group ? offset + length - group.offset : 0
    if (group && offset >= group.offset && offset - group.offset - group.length <= gap && all <= room(count)) {
      group.length = Math.max(group.length, all)
    } else {
      if (group) {
        yield group
        count++
      }
      group = { offset, length }
    }
  }
  if (group) yield group
}
