import { asPart, type Describe, type Io } from './io.ts'

/** One window of BIT_WIDTH_REDUCTION. */
export interface BitWidthWindow {
  /** One little-endian element, which was subtracted from every value. Meaningless if `bits` is the full width. */
  value_offset: Uint8Array
  /** Bits of one stored value: 8, 16, 32 or 64. */
  bits: number
  /** Bytes of the window before reduction. */
  window_bytes: number
}

/**
 * Metadata of BIT_WIDTH_REDUCTION: the total bytes before reduction, then the windows in the order of the data.
 *
 *     u32 original bytes, u32 windows, then per window T value offset, u8 bits, u32 bytes before reduction
 *
 * @see format_spec/tile.md, "Bit Width Reduction Filter", which says that `window_bytes` is the length after reduction; in
 * real bytes it is the length before
 */
export interface BitWidthMetadata {
  original_bytes: number
  windows: BitWidthWindow[]
}

/** The fields before the windows. */
export function bitWidthHead(whole: unknown): { original_bytes: number; window_num: number } {
  const io = asPart<BitWidthMetadata>(whole)
  return {
    original_bytes: io.u32('original_bytes', 'bytes: of all windows before the filter'),
    window_num: io.derive('window_num', 'uint32', (m) => m.windows.length, 'windows'),
  }
}

/** Bytes of a window's `bits` and `window_bytes`. */
export const BIT_WIDTH_WINDOW_BYTES = 5

/** @param elementSize bytes of one element of the type that the filter sees */
export function bitWidthMetadata(elementSize: number): Describe<BitWidthMetadata> {
  const bitWidthWindow = (io: Io<BitWidthWindow>): BitWidthWindow => ({
    value_offset: io.bytes(
      'value_offset',
      elementSize,
      'one element: what was subtracted from every value; meaningless where the full width is kept',
    ),
    bits: io.u8('bits', 'bits: of a stored value: 8, 16, 32 or 64'),
    window_bytes: io.u32('window_bytes', 'bytes: of the window before the filter'),
  })
  return (io) => {
    const { original_bytes, window_num } = bitWidthHead(io)
    return { original_bytes, windows: io.list('windows', window_num, bitWidthWindow) }
  }
}
