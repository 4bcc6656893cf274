import { concat } from '../base/bytes.ts'
import { badValue } from '../base/errors.ts'
import { type Datatype, datatypeKind, type ElementSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type AnyIo, decodePrefix, encode } from '../format/io.ts'
import { badData, checkLimit } from './bytes.ts'
import { type IntegerType, windowType } from './elements.ts'
import type { Filter, FilterDefinition } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** What BIT_WIDTH_REDUCTION and POSITIVE_DELTA do to one window. `Entry` is a window's entry in the metadata. */
export interface WindowCodec<Head extends { window_num: number }, Entry extends { window_bytes: number }> {
  /** Returns the integers that the filter uses for a datatype. Undefined if it passes the chunk unchanged. */
  elementType(datatype: Datatype, formatVersion: number): IntegerType | undefined
  /** Description of the metadata before the windows. */
  head(io: AnyIo): Head
  metadata(size: ElementSize): (io: AnyIo) => { windows: Entry[] }
  /** Bytes of an entry, without those of its element. */
  entryBytes: number
  forward(window: Uint8Array, type: IntegerType): { entry: Entry; stored: Uint8Array }
  /** Returns the bytes of a window in the data. */
  storedLength(entry: Entry, size: ElementSize): number
  /** What the data is, in the error about its length. */
  dataIs: string
  /** Checks the unfiltered bytes of all windows. */
  check?(total: number, head: Head): void
  reverse(stored: Uint8Array, entry: Entry, type: IntegerType): Uint8Array
  /** Undoes all windows. Returns undefined if anything is wrong. */
  kernel(kernels: Kernels, stored: StoredWindows<Head>, type: IntegerType, limit: number): Uint8Array | undefined
}

/** The windows of a chunk as they are stored. */
export interface StoredWindows<Head> {
  head: Head
  /** Their entries in the metadata. */
  table: Uint8Array
  /** Their bytes. */
  data: Uint8Array
}

/** Makes a filter that cuts the chunk into windows, each with an entry in the metadata. */
export function windowFilter<Head extends { window_num: number }, Entry extends { window_bytes: number }>(
  codec: WindowCodec<Head, Entry>,
): Filter {
  return {
    forward(parts, config, cx) {
      const type = codec.elementType(cx.datatype, cx.formatVersion)
      if (type === undefined) return parts
      const windows: Entry[] = []
      const data: Uint8Array[] = []
      let original_bytes = 0
      for (const window of windowsOf(parts.data, config.max_window_size, type.size)) {
        const { entry, stored } = codec.forward(window, type)
        windows.push(entry)
        data.push(stored)
        original_bytes += window.length
      }
      const own = { original_bytes, windows }
      return { metadata: [encode(own, codec.metadata(type.size)), ...parts.metadata], data: [concat(data)] }
    },

    reverse(bytes, _config, cx) {
      const type = codec.elementType(cx.datatype, cx.formatVersion)
      if (type === undefined) return bytes
      const { data, metadata } = bytes
      const { value: head, length } = decodePrefix<Head>(metadata, codec.head)
      const end = length + head.window_num * (type.size + codec.entryBytes)
      if (cx.kernels && end <= metadata.length) {
        const fast = codec.kernel(cx.kernels, { head, table: metadata.subarray(length, end), data }, type, cx.limit)
        if (fast) return { metadata: metadata.subarray(end), data: fast }
      }
      const { windows } = decodePrefix(metadata, codec.metadata(type.size)).value
      let total = 0
      let stored = 0
      for (const entry of windows) {
        total += entry.window_bytes
        stored += codec.storedLength(entry, type.size)
      }
      codec.check?.(total, head)
      if (stored !== data.length) {
        throw badData({ expected: `${stored} bytes ${codec.dataIs}`, found: data.length }, 'window_bytes')
      }
      if (total > stored) checkLimit(total, cx, 'original_bytes')
      const out = new Uint8Array(total)
      let from = 0
      let to = 0
      for (const entry of windows) {
        const next = from + codec.storedLength(entry, type.size)
        out.set(codec.reverse(data.subarray(from, next), entry, type), to)
        from = next
        to += entry.window_bytes
      }
      return { metadata: metadata.subarray(end), data: out }
    },
  }
}

/**
 * Cuts each part into windows. A window has as many whole elements as fit in `maxWindow` bytes. The last window has the
 * rest, which may end with an incomplete element.
 *
 * @throws InspectError BAD_VALUE if no element fits into a window
 */
function windowsOf(parts: readonly Uint8Array[], maxWindow: number | undefined, size: ElementSize): Uint8Array[] {
  if (maxWindow === undefined || maxWindow < size) {
    throw badValue(
      { expected: `a window of at least ${size} bytes`, found: maxWindow ?? 'none' },
      {
        field: 'max_window_size',
      },
    )
  }
  const windows: Uint8Array[] = []
  for (const part of parts) {
    const whole = Math.min(part.length, maxWindow)
    const step = whole < size ? whole : whole - (whole % size)
    for (let at = 0; at < part.length; at += step) windows.push(part.subarray(at, at + step))
  }
  return windows
}

/** Facts that the two filters with windows share. */
export const WINDOW_FACTS = {
  since: 1,
  outputType: undefined,
  elementSize: 'shown',
  unit: windowUnit,
  growth: 8,
  usesKernels: true,
  typeRefusal: windowRefusal,
} as const satisfies Partial<FilterDefinition>

/** Whether these two filters accept a type. They would pass floats, text and ANY unchanged. */
export function isWindowed(type: Datatype): boolean {
  const kind = datatypeKind(type)
  return kind !== 'float' && kind !== 'text' && type !== 'ANY'
}

function windowRefusal(type: Datatype, { name }: FilterConfig): string | undefined {
  return isWindowed(type) ? undefined : `${name} does not accept ${type}`
}

/** Returns the integers of a window as text; empty if a type passes unchanged. */
function windowUnit(type: Datatype, _config: FilterConfig, formatVersion: number): string {
  const unit = windowType(type, formatVersion)
  return unit ? `${unit.size} ${unit.signed}` : ''
}
