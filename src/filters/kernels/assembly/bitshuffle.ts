import { interleave2, interleave4, interleave8 } from './byteshuffle'
import { highBytes, lowBytes } from './lanes'

const BLOCK_BYTES: usize = 8192

/** Memory for a block whose bits are back in their bytes, but whose bytes are still in planes. */
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
 * Sixteen squares of 8 x 8 bits are transposed at once, one in each lane: rows swap 1, then 2, then 4 bits. Lane g of row
 * i is then element 8g + i.
 */
function transpose(rows: usize, groups: usize, output: usize): void {
  const ones = i8x16.splat(0x55)
  const twos = i8x16.splat(0x33)
  const fours = i8x16.splat(0x0f)
  const whole = groups & ~15
  for (let at: usize = 0; at < whole; at += 16) {
    const from = rows + at
    const middle = from + 4 * groups
    const a = v128.load(from)
    const b = v128.load(from + groups)
    const c = v128.load(from + 2 * groups)
    const d = v128.load(from + 3 * groups)
    const e = v128.load(middle)
    const f = v128.load(middle + groups)
    const g = v128.load(middle + 2 * groups)
    const h = v128.load(middle + 3 * groups)
    const a1 = swappedFirst(a, b, 1, ones)
    const b1 = swappedSecond(a, b, 1, ones)
    const c1 = swappedFirst(c, d, 1, ones)
    const d1 = swappedSecond(c, d, 1, ones)
    const e1 = swappedFirst(e, f, 1, ones)
    const f1 = swappedSecond(e, f, 1, ones)
    const g1 = swappedFirst(g, h, 1, ones)
    const h1 = swappedSecond(g, h, 1, ones)
    const a2 = swappedFirst(a1, c1, 2, twos)
    const c2 = swappedSecond(a1, c1, 2, twos)
    const b2 = swappedFirst(b1, d1, 2, twos)
    const d2 = swappedSecond(b1, d1, 2, twos)
    const e2 = swappedFirst(e1, g1, 2, twos)
    const g2 = swappedSecond(e1, g1, 2, twos)
    const f2 = swappedFirst(f1, h1, 2, twos)
    const h2 = swappedSecond(f1, h1, 2, twos)
    const a3 = swappedFirst(a2, e2, 4, fours)
    const e3 = swappedSecond(a2, e2, 4, fours)
    const b3 = swappedFirst(b2, f2, 4, fours)
    const f3 = swappedSecond(b2, f2, 4, fours)
    const c3 = swappedFirst(c2, g2, 4, fours)
    const g3 = swappedSecond(c2, g2, 4, fours)
    const d3 = swappedFirst(d2, h2, 4, fours)
    const h3 = swappedSecond(d2, h2, 4, fours)
    const to = output + 8 * at
    storeColumns(to, lowBytes(a3, e3), lowBytes(b3, f3), lowBytes(c3, g3), lowBytes(d3, h3))
    storeColumns(to + 64, highBytes(a3, e3), highBytes(b3, f3), highBytes(c3, g3), highBytes(d3, h3))
  }
  for (let at = whole; at < groups; at++) store<u64>(output + 8 * at, square(rows + at, groups))
}

/** Returns the bits under `mask` in which `second` differs from `first` moved down: what the two rows swap. */
function differences(first: v128, second: v128, shift: i32, mask: v128): v128 {
  return v128.and(v128.xor(i64x2.shr_u(first, shift), second), mask)
}

/** Returns the first of two rows after its upper bits were swapped with the bits of the second row under `mask`. */
function swappedFirst(first: v128, second: v128, shift: i32, mask: v128): v128 {
  return v128.xor(first, i64x2.shl(differences(first, second, shift, mask), shift))
}

/** Returns the second row after the same swap. */
function swappedSecond(first: v128, second: v128, shift: i32, mask: v128): v128 {
  return v128.xor(second, differences(first, second, shift, mask))
}

/** Stores the first byte of each of eight rows, then the second of each, and so on. A vector has 8 bytes of two rows. */
function storeColumns(to: usize, ae: v128, bf: v128, cg: v128, dh: v128): void {
  let aceg = lowBytes(ae, cg)
  let bdfh = lowBytes(bf, dh)
  v128.store(to, lowBytes(aceg, bdfh))
  v128.store(to, highBytes(aceg, bdfh), 16)
  aceg = highBytes(ae, cg)
  bdfh = highBytes(bf, dh)
  v128.store(to, lowBytes(aceg, bdfh), 32)
  v128.store(to, highBytes(aceg, bdfh), 48)
}

const BOTH_HALVES: u64 = 0x100000001

/** Transposes one square. Row k is the byte at k * `stride`. Byte k of the result is row k of the transposed square. */
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
