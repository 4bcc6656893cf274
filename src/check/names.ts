import type { ArraySchema } from '../format/array-schema.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { CommitKind } from '../store/commits.ts'
import { MEANINGS, type Meaning } from './codes.ts'

/**
 * Whether TileDB takes times from a name; where it cannot, it fails.
 * @param name of a file or folder, with its suffix
 */
export function hasTimes(name: string): boolean {
  const [first, last] = nameFacts(name)?.timestamp_range ?? [1n, 0n]
  return first <= last
}

/** Whether TileDB makes something of a line of a `.vac` file; where it cannot, it fails. */
export function isVacuumPath(line: string): boolean {
  return line.includes('/') || line.includes('__fragments') || line.includes('__meta')
}

/** What TileDB makes of a folder with the name of a commit file. @param commit what a file of the name would be */
export function whatFolderMeans(commit: CommitKind | undefined, schema?: ArraySchema): Meaning | undefined {
  if (commit === 'write') return MEANINGS.COMMIT_NAME_INVALID.folder
  // Reads of dense arrays look at no conditions.
  if ((commit === 'delete' || commit === 'update') && schema?.array_type === 'dense') return undefined
  return commit && MEANINGS.COMMIT_NAME_INVALID.fatalFolder
}
