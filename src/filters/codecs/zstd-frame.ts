import { InspectError } from '../../base/errors.ts'
import { u16, u32, u64 } from '../../format/u32.ts'
import { badData } from '../bytes.ts'
import type { WasmLibrary } from './emscripten.ts'

/** The frame header: RFC 8878, section 3.1.1. */
const MAGIC = 0xfd2fb528
/**
 * A frame of zstd 0.n, for n from 2 to 7, begins with this plus n. libzstd still reads such frames, and so does TileDB.
 */
const OLD_MAGIC = 0xfd2fb520
const SINGLE_SEGMENT = 0x20
const DESCRIPTOR_AT = 4

/**
 * Returns the content size that the header of a zstd frame declares. Undefined if it declares none; TileDB always does.
 * @throws InspectError BAD_FILTERED_DATA
 */
export function zstdContentSize(frame: Uint8Array): number | undefined {
  const descriptor = frame[DESCRIPTOR_AT]
  const magic = descriptor === undefined ? 0 : u32(frame, 0)
  if (magic > OLD_MAGIC + 1 && magic < MAGIC) {
    throw new InspectError('UNSUPPORTED_FILTER', {
      expected: 'a zstd frame of the format since zstd 0.8',
      found: `one of zstd 0.${magic - OLD_MAGIC}, which is not read here`,
    })
  }
  if (descriptor === undefined || magic !== MAGIC) throw badData({ expected: 'a zstd frame', found: 'no such header' })
  const single = (descriptor & SINGLE_SEGMENT) !== 0
  const sizeCode = descriptor >> 6
  // The id of a dictionary has 0, 1, 2 or 4 bytes.
  const at = DESCRIPTOR_AT + 1 + (single ? 0 : 1) + ((1 << (descriptor & 3)) >> 1)
  const bytes = sizeCode === 0 ? Number(single) : 1 << sizeCode
  if (frame.length < at + bytes) throw badData({ expected: 'a zstd frame', found: 'the end of the data in its header' })
  if (bytes === 0) return undefined
  if (bytes === 1) return frame[at]
  if (bytes === 2) return u16(frame, at) + 256
  return bytes === 4 ? u32(frame, at) : u64(frame, at)
}

/**
 * Refuses a frame that declares another size. Call it before allocating.
 * @returns whether the frame declares its size
 */
export function checkZstdFrame(frame: Uint8Array, size: number): boolean {
  const declared = zstdContentSize(frame)
  if (declared !== undefined && declared !== size)
    throw badData({ expected: `a zstd frame of ${size} bytes`, found: `one of ${declared}` })
  return declared !== undefined
}

/** Calls libzstd to undo a frame. It returns the bytes of the output, or -1. */
export type ZstdUndo = (
  library: WasmLibrary['library'],
  out: number,
  outLength: number,
  data: number,
  length: number,
) => number

/**
 * Undoes a frame in the memory of a libzstd.
 * @param take as in {@link WasmLibrary.run}
 * @throws InspectError BAD_FILTERED_DATA, UNSUPPORTED_FILTER, TOO_LARGE
 */
export function undoZstdFrame<T>(
  zstd: WasmLibrary,
  undo: ZstdUndo,
  data: Uint8Array,
  size: number,
  take: (heap: Uint8Array, from: number, to: number) => T,
): T {
  checkZstdFrame(data, size)
  let found = -1
  const out = zstd.run(
    data,
    size,
    (library, target, source) => {
      found = undo(library, target, size, source, data.length)
      return found === size ? found : -1
    },
    take,
  )
  if (out !== undefined) return out
  throw badData({ expected: `a zstd frame of ${size} bytes`, found: found < 0 ? 'a broken one' : found })
}
