import { readStored } from '../objects/generic-tile.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Folder, TAIL_BYTES, withSource } from '../storage/source.ts'

/** Where a small file is read to. */
const room = new Uint8Array(TAIL_BYTES)

/** The bytes of a small local file, read without waiting: a workspace has thousands. They are overwritten by the next call. */
export function smallFile({ storage, path }: Folder, name: string): Uint8Array | undefined {
  const end = storage.readEnd?.(`${path}/${name}`, room)
  return end && end.size === end.length ? room.subarray(0, end.length) : undefined
}

/** All bytes of a file, which belong to the caller. @throws InspectError TOO_LARGE; those of the storage */
export async function wholeFile(folder: Folder, name: string, cx: Pick<ReadContext, 'memory'>): Promise<Uint8Array> {
  return smallFile(folder, name)?.slice() ?? withSource(folder.file(name), (source) => readStored(source, cx))
}
