import { sameBytes } from '../filters/bytes.ts'
import { type ByteSource, type Folder, withSource } from '../storage/source.ts'

/** Bytes of each range that are compared at a time. */
const BLOCK_BYTES = 2 ** 20

/** Where a range of bytes begins. */
interface RangeStart {
  source: ByteSource
  offset: number
}

/** Whether two ranges of so many bytes are equal. */
export async function sameRanges(one: RangeStart, other: RangeStart, length: number): Promise<boolean> {
  for (let done = 0; done < length; done += BLOCK_BYTES) {
    const size = Math.min(BLOCK_BYTES, length - done)
    const read = ({ source, offset }: RangeStart) => source.read(offset + done, size)
    const [a, b] = await Promise.all([read(one), read(other)])
    if (!sameBytes(a, b)) return false
  }
  return true
}

/** Whether the files of this name in two folders are equal. Both exist. */
export function sameFiles(one: Folder, other: Folder, name: string): Promise<boolean> {
  return withSource(one.file(name), (a) =>
    withSource(other.file(name), async (b) => {
      const [size, found] = await Promise.all([a.size(), b.size()])
      return size === found && sameRanges({ source: a, offset: 0 }, { source: b, offset: 0 }, size)
    }),
  )
}
