import { hasCode } from '../base/errors.ts'
import type { ByteRange, ByteSource } from './source.ts'

/** Over a network, ranges with at most this many bytes between them are fetched together. These bytes take no longer than a request. */
const GAP_BYTES = 64 * 1024
/** Default limit on the bytes that are read together. Up to this many bytes are always kept, and read in the background. */
const GROUP_BYTES = 8 * 2 ** 20
/** From a local file, the limit is this, or the plan's limit divided by {@link LOCAL_PARTS} if that is less. */
const LOCAL_BYTES = 256 * 1024
const LOCAL_PARTS = 8

export interface PlanOptions {
  /** Limit on the bytes that are read together, unless a single range is longer. */
  together?: number | undefined
  /** Limit of the first read over a network, small as a reader may stop early. Later reads double it, up to `together`. */
  first?: number | undefined
  /** Whether the bytes of a range may be overwritten when the next range is read. New memory costs 0.1 ms per MiB. */
  reuse?: boolean | undefined
}

/** Neighbouring ranges that are read together. */
interface Group extends ByteRange {
  /** Set once the read has begun. It resolves to undefined if not all bytes could be read. */
  bytes?: Promise<Uint8Array | undefined> | undefined
}

/**
 * Reads a file for a caller that announces the ranges it will read. Neighbouring short ranges are read together. In a local
 * file, the next ranges are read while the caller works on the last ones. Ranges that were not planned are read one by one. So
 * are planned ranges that cannot be read together, so that the error names the right range.
 */
export class ReadAhead {
  private readonly source: ByteSource
  /** Whether reads use a network. Then only the first group is fetched early, as fetching costs memory and requests. */
  private readonly isRemote: boolean
  private groups: Iterator<ByteRange, undefined> | undefined
  /** The next group, undefined after the last. */
  private next: Group | undefined
  /** The bytes of the last read. */
  held: { offset: number; bytes: Uint8Array } | undefined
  /** Longer reads are not kept in `held`. */
  private mostHeld = GROUP_BYTES
  /** Resolves when the last read that was begun has ended. Reads wait for each other, as they may write to the same memory. */
  private last: Promise<unknown> = Promise.resolve()
  /** Two buffers that are used in turn; undefined if each read gets new memory. */
  private buffers: Uint8Array[] | undefined

  constructor(source: ByteSource) {
    this.source = source
    this.isRemote = source.fetch !== undefined
  }

  /** Announces the ranges that will be read. @param ranges ranges in rising order */
  plan(ranges: Iterable<ByteRange>, { together = GROUP_BYTES, first = together, reuse }: PlanOptions = {}): void {
    this.groups = this.isRemote
      ? grouped(ranges, GAP_BYTES, (group) => Math.min(together, first * 2 ** group))
      : grouped(ranges, 0, () => Math.min(LOCAL_BYTES, together / LOCAL_PARTS))
    this.mostHeld = Math.max(GROUP_BYTES, together)
    this.buffers = reuse ? [] : undefined
    this.next = this.groups.next().value
    // Fetched now, so that callers who plan several files wait for all of them together.
    if (this.isRemote && this.next) this.begin(this.next)
  }

  /** See {@link ByteSource.read}. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = this.fetched(offset, length) ?? (await this.readPlanned(offset, length))
    return bytes ?? this.source.read(offset, length)
  }

  /**
   * The bytes, if the last read fetched them, or if they are not planned and can be read without waiting.
   * @param into see {@link ByteSource.read}
   */
  fetched(offset: number, length: number, into?: Uint8Array): Uint8Array | undefined {
    const { held, next } = this
    const at = held ? offset - held.offset : -1
    if (held && at >= 0 && at + length <= held.bytes.length) return held.bytes.subarray(at, at + length)
    return next && next.offset <= offset ? undefined : this.source.readNow?.(offset, length, into)
  }

  /** The bytes, read with their group; undefined if no group has them, or the group cannot be read. */
  private async readPlanned(offset: number, length: number): Promise<Uint8Array | undefined> {
    while (this.next && this.next.offset + this.next.length <= offset) this.next = this.groups?.next().value
    const group = this.next
    const end = offset + length
    if (!group || offset < group.offset || end > group.offset + group.length) return undefined
    this.held = undefined
    const bytes = await (group.bytes ?? this.begin(group))
    if (!bytes || end > group.offset + bytes.length) {
      // From now on ranges are read one by one, so that the faulty one gives the error.
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
      .then(() => source.fetch?.(offset, length) ?? source.read(offset, length, this.buffer(length)))
      .catch((error: unknown) => {
        if (!this.isRemote || hasCode(error, 'TRUNCATED')) return undefined
        // The next read of a range in the group tries again.
        group.bytes = undefined
        throw error
      })
    group.bytes = bytes
    this.last = bytes.catch(() => {})
    return bytes
  }

  /**
   * The buffer that was not used last, enlarged if needed. Undefined for very many bytes: the file may not have them, so
   * nothing is allocated in advance.
   */
  private buffer(length: number): Uint8Array | undefined {
    if (!this.buffers || length > GROUP_BYTES) return undefined
    const oldest = this.buffers.length > 1 ? this.buffers.shift() : undefined
    const buffer = oldest && oldest.length >= length ? oldest : new Uint8Array(Math.max(length, LOCAL_BYTES))
    this.buffers.push(buffer)
    return buffer
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
 * Joins neighbouring ranges that have at most `gap` bytes between them.
 * @param limit the limit on the bytes of the group with this number; a single range may exceed it
 */
function* grouped(
  ranges: Iterable<ByteRange>,
  gap: number,
  limit: (group: number) => number,
): Generator<ByteRange, undefined> {
  let group: ByteRange | undefined
  let count = 0
  for (const { offset, length } of ranges) {
    /** Length of the group with this range added. */
    const all = group ? offset + length - group.offset : 0
    if (group && offset >= group.offset && offset - group.offset - group.length <= gap && all <= limit(count)) {
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
