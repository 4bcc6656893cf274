import { datatypeSize, type ElementSize } from '../format/datatype.ts'
import type { FilterDefinition } from './filter.ts'
import { partFilter, SHUFFLE_FACTS } from './part-filter.ts'

/**
 * BYTESHUFFLE: stores the lowest bytes of all elements, then their second bytes, and so on.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part: byte 0 of each whole element, byte 1 of each, …; then the bytes after the last whole element
 *
 * @see format_spec/tile.md, "Byteshuffle Filter"
 */
export const byteshuffle: FilterDefinition = {
  ...SHUFFLE_FACTS,
  load: async () =>
    partFilter({
      forward: (part, _config, cx) => move(part, datatypeSize(cx.datatype), false),
      reverse(part, _config, cx) {
        const size = datatypeSize(cx.datatype)
        const kernels = size > 1 ? cx.kernels : undefined
        return kernels?.run('unbyteshuffle', part.length, [part], part.length, size) ?? move(part, size, true)
      },
    }),
}

/** Moves the bytes of whole elements to planes, or back when reading. */
function move(part: Uint8Array, size: ElementSize, reading: boolean): Uint8Array {
  const count = Math.floor(part.length / size)
  if (size === 1 || count < 2) return part
  const output = part.slice()
  for (let byte = 0, plane = 0; byte < size; byte++, plane += count) {
    if (reading) for (let i = 0, at = byte; i < count; i++, at += size) output[at] = part[plane + i]
    else for (let i = 0, at = byte; i < count; i++, at += size) output[plane + i] = part[at]
  }
  return output
}
