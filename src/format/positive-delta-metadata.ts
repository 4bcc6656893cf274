import { asPart, type Describe, type Io } from './io.ts'

/** One window of POSITIVE_DELTA. */
export interface PositiveDeltaWindow {
  /** The first element, little-endian. */
  first_value: Uint8Array
  /** Bytes of the window, the same before and after the filter. */
  window_bytes: number
}

/**
 * Metadata of POSITIVE_DELTA: the windows in the order of the data.
 *
 *     u32 windows, then per window T first value, u32 bytes
 *
 * @see format_spec/tile.md, "Positive Delta Encoding Filter"
 */
export interface PositiveDeltaMetadata {
  windows: PositiveDeltaWindow[]
}

/** The fields before the windows. */
export function positiveDeltaHead(whole: unknown): { window_num: number } {
  const io = asPart<PositiveDeltaMetadata>(whole)
  return { window_num: io.derive('window_num', 'uint32', (m) => m.windows.length, 'windows') }
}

/** Bytes of a window's `window_bytes`. */
export const POSITIVE_DELTA_WINDOW_BYTES = 4

/** @param elementSize bytes of one element of the type that the filter sees */
export function positiveDeltaMetadata(elementSize: number): Describe<PositiveDeltaMetadata> {
  const positiveDeltaWindow = (io: Io<PositiveDeltaWindow>): PositiveDeltaWindow => ({
    first_value: io.bytes('first_value', elementSize, 'one element'),
    window_bytes: io.u32('window_bytes', 'bytes: of the window, the same before and after'),
  })
  return (io) => ({ windows: io.list('windows', positiveDeltaHead(io).window_num, positiveDeltaWindow) })
}
