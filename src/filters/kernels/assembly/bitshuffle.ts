import { interleave2, interleave4, interleave8 } from './byteshuffle'
import { highBytes, lowBytes } from './lanes'

const BLOCK_BYTES: usize = 8192

/** Work space for a block: bits are in their bytes again, but the bytes are still in planes. */
const planes: usize = memory.data(8192, 16)

/** Undoes BITSHUFFLE of whole elements, block by block. */
export function unbitshuffle(output: usize, input: usize, length: usize, size: usize): void {
  for (let at: usize = 0; at < length; at += BLOCK_BYTES) {
    const bytes = min(BLOCK_BYTES, length - at)
    const groups = bytes / size / 8
    const count: usize = 8 * groups
    const from = input + at
    const to = output + at
    const plane = size === 1 ? to : planes
    for (let byte: usize = 0; byte < size; byte++) transpose(from + byte * count, groups, plane + byte * count)
    if (size === 2) interleave2(planes, to, count)
    else if (size === 4) interleave4(planes, to, count)
    else if (size === 8) interleave8(planes, to, count)
    memory.copy(to + count * size, from + count * size, bytes - count * size)
  }
}

/**
 * Turns eight rows of `groups` bytes into one byte for each of 8 * `groups` elements. Row k has bit k of each element.
 * Sixteen squares of 8 x 8 bits are transposed at once, one in each lane, by swaps of 1, 2 and 4 bits between rows.
 * Then lane g of row i is element 8g + i.
 */
function transpose(rows: usize, groups: usize, output: usize): void {
  const ones = i8x16.splat(0x55)
  const twos = i8x16.splat(0x33)
  const fours = i8x16.splat(0x0f)
  const whole = groups & ~15
  for (let at: usize = 0; at < whole; at += 16) {
    const from = rows + at
    const middle = from + 4 * groups
    let a = v128.load(from)
    let b = v128.load(from + groups)
    let c = v128.load(from + 2 * groups)
    let d = v128.load(from + 3 * groups)
    let e = v128.load(middle)
    let f = v128.load(middle + groups)
    let g = v128.load(middle + 2 * groups)
    let h = v128.load(middle + 3 * groups)
    let swap = v128.and(v128.xor(i64x2.shr_u(a, 1), b), ones)
    b = v128.xor(b, swap)
    a = v128.xor(a, i64x2.shl(swap, 1))
    swap = v128.and(v128.xor(i64x2.shr_u(c, 1), d), ones)
    d = v128.xor(d, swap)
    c = v128.xor(c, i64x2.shl(swap, 1))
    swap = v128.and(v128.xor(i64x2.shr_u(e, 1), f), ones)
    f = v128.xor(f, swap)
    e = v128.xor(e, i64x2.shl(swap, 1))
    swap = v128.and(v128.xor(i64x2.shr_u(g, 1), h), ones)
    h = v128.xor(h, swap)
    g = v128.xor(g, i64x2.shl(swap, 1))

    swap = v128.and(v128.xor(i64x2.shr_u(a, 2), c), twos)
    c = v128.xor(c, swap)
    a = v128.xor(a, i64x2.shl(swap, 2))
    swap = v128.and(v128.xor(i64x2.shr_u(b, 2), d), twos)
    d = v128.xor(d, swap)
    b = v128.xor(b, i64x2.shl(swap, 2))
    swap = v128.and(v128.xor(i64x2.shr_u(e, 2), g), twos)
    g = v128.xor(g, swap)
    e = v128.xor(e, i64x2.shl(swap, 2))
    swap = v128.and(v128.xor(i64x2.shr_u(f, 2), h), twos)
    h = v128.xor(h, swap)
    f = v128.xor(f, i64x2.shl(swap, 2))

    swap = v128.and(v128.xor(i64x2.shr_u(a, 4), e), fours)
    e = v128.xor(e, swap)
    a = v128.xor(a, i64x2.shl(swap, 4))
    swap = v128.and(v128.xor(i64x2.shr_u(b, 4), f), fours)
    f = v128.xor(f, swap)
    b = v128.xor(b, i64x2.shl(swap, 4))
    swap = v128.and(v128.xor(i64x2.shr_u(c, 4), g), fours)
    g = v128.xor(g, swap)
    c = v128.xor(c, i64x2.shl(swap, 4))
    swap = v128.and(v128.xor(i64x2.shr_u(d, 4), h), fours)
    h = v128.xor(h, swap)
    d = v128.xor(d, i64x2.shl(swap, 4))

    const to = output + 8 * at
    let ae = lowBytes(a, e)
    let bf = lowBytes(b, f)
    let cg = lowBytes(c, g)
    let dh = lowBytes(d, h)
    let aceg = lowBytes(ae, cg)
    let bdfh = lowBytes(bf, dh)
    v128.store(to, lowBytes(aceg, bdfh))
    v128.store(to, highBytes(aceg, bdfh), 16)
    aceg = highBytes(ae, cg)
    bdfh = highBytes(bf, dh)
    v128.store(to, lowBytes(aceg, bdfh), 32)
    v128.store(to, highBytes(aceg, bdfh), 48)
    ae = highBytes(a, e)
    bf = highBytes(b, f)
    cg = highBytes(c, g)
    dh = highBytes(d, h)
    aceg = lowBytes(ae, cg)
    bdfh = lowBytes(bf, dh)
    v128.store(to, lowBytes(aceg, bdfh), 64)
    v128.store(to, highBytes(aceg, bdfh), 80)
    aceg = highBytes(ae, cg)
    bdfh = highBytes(bf, dh)
    v128.store(to, lowBytes(aceg, bdfh), 96)
    v128.store(to, highBytes(aceg, bdfh), 112)
  }
  for (let at = whole; at < groups; at++) store<u64>(output + 8 * at, square(rows + at, groups))
}

const BOTH_HALVES: u64 = 0x100000001

/** Transposes one square. Row k is the byte at k * `stride`; the bytes of the result are the transposed rows. */
function square(from: usize, stride: usize): u64 {
  let bits: u64 = 0
  for (let row: usize = 0; row < 8; row++) bits |= (load<u8>(from + row * stride) as u64) << (8 * row)
  let swap = (bits ^ (bits >> 7)) & (0x00aa00aa * BOTH_HALVES)
  bits ^= swap ^ (swap << 7)
  swap = (bits ^ (bits >> 14)) & (0x0000cccc * BOTH_HALVES)
  bits ^= swap ^ (swap << 14)
  swap = (bits ^ (bits >> 28)) & 0xf0f0f0f0
  return bits ^ swap ^ (swap << 28)
}
