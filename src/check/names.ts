import type { ArraySchema } from '../format/array-schema.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { CommitKind } from '../objects/commits.ts'
import type { VariantOf } from './codes.ts'

/** Whether TileDB can read timestamps from the name of a file or folder. If not, it fails. @param name with its suffix */
export function hasTimes(name: string): boolean {
  const [first, last] = nameFacts(name)?.timestamp_range ?? [1n, 0n]
  return first <= last
}

/** Whether TileDB accepts a line of a `.vac` file. If not, it fails. */
export function isVacuumPath(line: string): boolean {
  return line.includes('/') || line.includes('__fragments') || line.includes('__meta')
}

/** How TileDB treats a folder with the name of a commit file. @param commit kind of the commit file */
export function folderVariant(
  commit: CommitKind | undefined,
  schema?: ArraySchema,
): VariantOf<'COMMIT_NAME_INVALID'> | undefined {
  if (commit === 'write') return 'folder'
  // Reads of dense arrays ignore delete conditions.
  if ((commit === 'delete' || commit === 'update') && schema?.array_type === 'dense') return undefined
  return commit && 'fatalFolder'
}
