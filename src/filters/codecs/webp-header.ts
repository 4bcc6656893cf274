import { badData, viewOf } from '../bytes.ts'

/** Offsets and magic bytes of the WebP container (RIFF) and of its two bit streams, RFC 9649. */
const CHUNK_AT = 12
const BODY_AT = 20
const VP8_START_CODE_AT = BODY_AT + 3
const VP8_START_CODE = [0x9d, 0x01, 0x2a]
const VP8L_SIGNATURE = 0x2f
const ANIMATION = 0x02

/**
 * Returns the size in pixels that the header of a WebP file declares. It is checked before the picture is allocated.
 * @throws InspectError BAD_FILTERED_DATA if this is not the header of a still picture
 */
export function webpSize(file: Uint8Array): { width: number; height: number } {
  if (file.length < BODY_AT + 10 || mark(file, 0) !== 'RIFF' || mark(file, 8) !== 'WEBP') {
    throw badData({ expected: 'a WebP file', found: 'no such header' })
  }
  const view = viewOf(file)
  const kind = mark(file, CHUNK_AT)
  if (kind === 'VP8 ' && VP8_START_CODE.every((byte, i) => file[VP8_START_CODE_AT + i] === byte)) {
    return { width: view.getUint16(BODY_AT + 6, true) & 0x3fff, height: view.getUint16(BODY_AT + 8, true) & 0x3fff }
  }
  if (kind === 'VP8L' && file[BODY_AT] === VP8L_SIGNATURE) {
    const bits = view.getUint32(BODY_AT + 1, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  if (kind === 'VP8X' && (view.getUint8(BODY_AT) & ANIMATION) === 0) {
    return { width: uint24(view, BODY_AT + 4) + 1, height: uint24(view, BODY_AT + 7) + 1 }
  }
  throw badData({ expected: 'a still WebP picture', found: JSON.stringify(kind) })
}

function mark(file: Uint8Array, at: number): string {
  return String.fromCharCode(...file.subarray(at, at + 4))
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}
