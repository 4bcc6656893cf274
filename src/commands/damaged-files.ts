import { InspectError } from '../base/errors.ts'
import type { DamagedFile } from '../documents/common.ts'
import type { FieldFile, Fragment } from '../store/fragment.ts'

/** Those of the data files that readers fail on. @param onDisk sizes of existing files, by name */
export function damagedFiles(files: readonly FieldFile[], onDisk: ReadonlyMap<string, number>): DamagedFile[] {
  const damaged: DamagedFile[] = []
  for (const { name, size: listed_size } of files) {
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
  const [code, found] =
    size === null ? (['MISSING_FILE', 'no such file'] as const) : (['TRUNCATED', `${size} bytes`] as const)
  const message = `expected the file ${name}, which the metadata lists with ${listed_size} bytes; found ${found}${others}`
  return new InspectError(code, message, { file: size === null ? folder.path : `${folder.path}/${name}` })
}
