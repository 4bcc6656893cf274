import { InspectError } from '../base/errors.ts'
import type { DamagedFile } from '../documents/common.ts'
import type { Fragment } from '../store/fragment.ts'

/** Data files that readers fail on. @param onDisk sizes of existing files, by name */
export async function damagedFiles(fragment: Fragment, onDisk: ReadonlyMap<string, number>): Promise<DamagedFile[]> {
  const damaged: DamagedFile[] = []
  for (const { name, size: listed_size } of await fragment.fieldFiles()) {
    const size = onDisk.get(name) ?? null
    if ((size ?? 0) < listed_size) damaged.push({ name, listed_size, size })
  }
  return damaged
}

/** An error for the first damaged file, with the number of others. */
export function damagedFault(
  { folder }: Fragment,
  [{ name, listed_size, size }, ...more]: readonly DamagedFile[],
): InspectError {
  const others = more.length === 0 ? '' : ` (and ${more.length} more files of the fragment)`
  const wanted = `the file ${name}, which the metadata lists with ${listed_size} bytes`
  return size === null
    ? new InspectError('MISSING_FILE', `expected ${wanted}; found no such file${others}`, { file: folder.path })
    : new InspectError('TRUNCATED', `expected ${wanted}; found ${size} bytes${others}`, {
        file: `${folder.path}/${name}`,
      })
}
