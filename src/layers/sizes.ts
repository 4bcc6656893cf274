import { openNow } from './columns.ts'
import type { DatasetPart } from './part.ts'

/** Bytes of the files of each field of an array, as the footers of its fragments say. */
export async function fieldSizes({ array }: DatasetPart): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  if (!array) return sizes
  for (const { info } of (await openNow(array)).fragments)
    for (const [i, { name, phantom }] of info.slots.entries()) {
      // No file belongs to it.
      if (phantom) continue
      const files = [info.file_sizes[i], info.file_var_sizes[i], info.file_validity_sizes?.[i]]
      const bytes = files.reduce((sum: number, size) => sum + (size ?? 0), 0)
      sizes.set(name, (sizes.get(name) ?? 0) + bytes)
    }
  return sizes
}
