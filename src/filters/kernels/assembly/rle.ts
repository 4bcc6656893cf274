/**
 * Undoes RLE of fixed-sized cells. A run is a cell and a big-endian u16 count; `inputLength` is a multiple of its size.
 * Up to 15 bytes after the output may be overwritten.
 * @returns false, with an invalid output, unless the runs give exactly `length` bytes
 */
export function unrle(output: usize, input: usize, inputLength: usize, length: usize, size: usize): bool {
  const end = input + inputLength
  const limit = output + length
  if (size === 4) return runs<u32>(input, end, output, limit)
  if (size === 8) return runs<u64>(input, end, output, limit)
  if (size === 1) return runs<u8>(input, end, output, limit)
  if (size === 2) return runs<u16>(input, end, output, limit)
  return runsOf(input, end, output, limit, size)
}

function countOf(at: usize): usize {
  return ((load<u8>(at) as usize) << 8) | (load<u8>(at, 1) as usize)
}

function runs<T>(input: usize, end: usize, output: usize, limit: usize): bool {
  const size: usize = sizeof<T>()
  let to = output
  for (let run = input; run < end; run += size + 2) {
    const bytes = size * countOf(run + size)
    if (bytes > limit - to) return false
    const last = to + bytes
    const cells = v128.splat<T>(load<T>(run))
    for (; to < last; to += 16) v128.store(to, cells)
    to = last
  }
  return to === limit
}

/** {@link runs} of cells of any size. Copies the cell once, then doubles what is there until the run is full. */
function runsOf(input: usize, end: usize, output: usize, limit: usize, size: usize): bool {
  let to = output
  for (let run = input; run < end; run += size + 2) {
    const bytes: u64 = (size as u64) * (countOf(run + size) as u64)
    if (bytes > ((limit - to) as u64)) return false
    if (bytes === 0) continue
    memory.copy(to, run, size)
    let done = size
    while (done < (bytes as usize)) {
      const more = min(done, (bytes as usize) - done)
      memory.copy(to + done, to, more)
      done += more
    }
    to += bytes as usize
  }
  return to === limit
}
