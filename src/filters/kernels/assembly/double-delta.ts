/**
 * Undoes DOUBLE_DELTA from the third element on: `output` has the first two, `count` is of all. `packed` are the 64-bit words;
 * one word of anything lies behind them.
 */
export function undoubleDelta(packed: usize, output: usize, count: usize, bitSize: u32, size: usize): void {
  if (size === 1) unpack<u8>(packed, output, count, bitSize)
  else if (size === 2) unpack<u16>(packed, output, count, bitSize)
  else if (size === 4) unpack<u32>(packed, output, count, bitSize)
  else unpack<u64>(packed, output, count, bitSize)
}

/** Sums modulo 2^64 hold those modulo the element size. */
function unpack<T>(packed: usize, output: usize, count: usize, bitSize: u32): void {
  const step: usize = sizeof<T>()
  let value = load<T>(output + step) as u64
  let delta = value - (load<T>(output) as u64)
  const width = bitSize + 1
  const shift = (64 - bitSize) as u64
  // A shift by 64 would be one by 0.
  const mask: u64 = bitSize === 0 ? 0 : -1
  let bit: u32 = 0
  const end = output + count * step
  for (let to = output + 2 * step; to < end; to += step) {
    const word = packed + ((bit >> 6) << 3)
    const used = (bit & 63) as u64
    const top = (load<u64>(word) << used) | ((load<u64>(word, 8) >> 1) >> (63 - used))
    bit += width
    const sign = ((top as i64) >> 63) as u64
    const magnitude = ((top << 1) >> shift) & mask
    delta += (magnitude ^ sign) - sign
    value += delta
    store<T>(to, value as T)
  }
}
