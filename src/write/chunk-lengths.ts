/**
 * How TileDB's writers cut a tile into chunks. Readers accept any cut; these make files equal to TileDB's.
 *
 * @see tiledb/sm/tile/tile.cc (compute_chunk_size); tiledb/sm/filter/filter_pipeline.cc (get_var_chunk_sizes)
 */

/** Bytes. The constant that writers use since release 2.0 (format 5), whatever a pipeline's `max_chunk_size` says. */
export const LARGEST_CHUNK = 65_536

/** Largest whole number of cells that fits a chunk; a cell that does not fit is a chunk of its own. */
function wholeCells(bytes: number, cellSize: number): number {
  return Math.max(cellSize, bytes - (bytes % cellSize))
}

/** Chunks of fixed-sized cells, offsets or validity: whole cells, the last one what is left. One of no bytes for an empty tile. */
export function fixedChunkLengths(bytes: number, cellSize: number, largest = LARGEST_CHUNK): number[] {
  const step = wholeCells(Math.min(largest, bytes), cellSize)
  const lengths: number[] = []
  for (let left = bytes; left > 0; left -= step) lengths.push(Math.min(step, left))
  return lengths.length > 0 ? lengths : [0]
}

/**
 * Chunks of var-sized values since version 11: cut between cells, near 65,536 bytes. TileDB leaves one more chunk of no
 * bytes where the last cell closes a chunk; its own filters fail on that, and none is made here.
 *
 * @param starts byte start of each cell, and the end of the last one
 * @param elementSize bytes of one element
 */
export function varChunkLengths(starts: Float64Array, elementSize: number): number[] {
  const cells = starts.length - 1
  const bytes = starts[cells]
  const chunk = wholeCells(Math.min(LARGEST_CHUNK, bytes), elementSize)
  if (bytes === chunk) return [bytes]
  const lengths: number[] = []
  let from = 0
  const close = (end: number): void => {
    if (end > from) lengths.push(end - from)
    from = end
  }
  let current = 0
  for (let cell = 0; cell < cells; cell++) {
    const size = starts[cell + 1] - starts[cell]
    const joined = current + size
    if (joined <= chunk) {
      current = joined
    } else if (current <= Math.floor(chunk / 2) || joined <= chunk + Math.floor(chunk / 2)) {
      close(starts[cell + 1])
      current = 0
    } else {
      close(starts[cell])
      current = size
      if (size > chunk) {
        if (cell !== cells - 1) close(starts[cell + 1])
        current = 0
      }
    }
  }
  close(bytes)
  return lengths.length > 0 ? lengths : [0]
}
