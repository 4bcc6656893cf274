/**
 * Undoes RLE of fixed-sized cells: runs of the cell and its big-endian u16 count, `inputLength` a multiple of their size.
 * Up to 15 bytes behind the output may be overwritten.
 * @returns whether the runs are `length` bytes in all; otherwise nothing was written
 */
export function unrle(input: usize, inputLength: usize, output: usize, length: usize, size: usize): bool {
  const stride = size + 2
  const end = input + inputLength
  let cells: u64 = 0
  for (let run = input; run < end; run += stride) cells += countOf(run + size) as u64
  if (cells * (size as u64) !== (length as u64)) return false
  if (size === 4) runs<u32>(input, end, output)
  else if (size === 8) runs<u64>(input, end, output)
  else if (size === 1) runs<u8>(input, end, output)
  else if (size === 2) runs<u16>(input, end, output)
  else runsOf(input, end, output, size)
  return true
}

function countOf(at: usize): u32 {
  return ((load<u8>(at) as u32) << 8) | (load<u8>(at, 1) as u32)
}

function runs<T>(input: usize, end: usize, output: usize): void {
  const size: usize = sizeof<T>()
  let to = output
  for (let run = input; run < end; run += size + 2) {
    const last = to + size * (countOf(run + size) as usize)
    const cells = v128.splat<T>(load<T>(run))
    for (; to < last; to += 16) v128.store(to, cells)
    to = last
  }
}

/** Cells of any size: the first of a run is copied, then what is there already. */
function runsOf(input: usize, end: usize, output: usize, size: usize): void {
  let to = output
  for (let run = input; run < end; run += size + 2) {
    const bytes = size * (countOf(run + size) as usize)
    if (bytes === 0) continue
    memory.copy(to, run, size)
    let done = size
    while (done < bytes) {
      const more = min(done, bytes - done)
      memory.copy(to + done, to, more)
      done += more
    }
    to += bytes
  }
}
