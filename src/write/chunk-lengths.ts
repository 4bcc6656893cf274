/**
 * How TileDB's writers split a tile into chunks. Readers accept any split, but with these rules files equal TileDB's.
 *
 * @see tiledb/sm/tile/tile.cc (compute_chunk_size); tiledb/sm/filter/filter_pipeline.cc (get_var_chunk_sizes)
 */

/** Size of the largest chunk in bytes. Since release 2.0 (format 5) writers use this number, and not the `max_chunk_size` of the pipeline. */
export const LARGEST_CHUNK = 65_536

/** Bytes of the whole cells that fit in a chunk. A cell that does not fit gets its own chunk. */
function wholeCellBytes(bytes: number, cellSize: number): number {
  return Math.max(cellSize, bytes - (bytes % cellSize))
}

/**
 * Chunk lengths for fixed-sized cells, offsets or validity. Chunks hold whole cells; the last holds the rest. An empty tile
 * has one empty chunk.
 * @param largest bytes of the largest chunk; undefined if tiles are not split
 */
export function fixedChunkLengths(bytes: number, cellSize: number, largest: number | undefined): number[] {
  if (largest === undefined) return [bytes]
  const step = wholeCellBytes(Math.min(largest, bytes), cellSize)
  const lengths: number[] = []
  for (let left = bytes; left > 0; left -= step) lengths.push(Math.min(step, left))
  return lengths.length > 0 ? lengths : [0]
}

/**
 * Chunk lengths for var-sized values since version 11: split between cells, near 65,536 bytes. A cell that does not fit goes into the open
 * chunk all the same if that is at most half full, or becomes at most half too large. If the last cell fills a chunk, TileDB adds an empty
 * one. Its own filters fail on that, so none is added here.
 *
 * @param starts byte start of each cell, and the end of the last
 * @param elementSize bytes of one element
 */
export function varChunkLengths(starts: Float64Array, elementSize: number): number[] {
  const cells = starts.length - 1
  const bytes = starts[cells]
  const chunk = wholeCellBytes(Math.min(LARGEST_CHUNK, bytes), elementSize)
  if (bytes === chunk) return [bytes]
  const lengths: number[] = []
  let from = 0
  const close = (end: number): void => {
    if (end > from) lengths.push(end - from)
    from = end
  }
  /** Bytes of the open chunk. */
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
        close(starts[cell + 1])
        current = 0
      }
    }
  }
  close(bytes)
  return lengths.length > 0 ? lengths : [0]
}
