import { parseFragmentName } from '../format/timestamped-name.ts'
import { stem } from '../store/commits.ts'

/**
 * Whether TileDB takes times from a name; where it cannot, it fails. It asks for an underscore, and for stamps that do not fall,
 * nothing else.
 * @param name of a file or folder, with its suffix
 * @see tiledb/sm/fragment/fragment_identifier.cc
 */
export function hasTimes(name: string): boolean {
  const base = stem(name)
  if (!base.includes('_')) return false
  const [first, last] = parseFragmentName(base)?.timestamp_range ?? [0n, 0n]
  return first <= last
}

/** Whether TileDB makes something of a line of a `.vac` file; where it cannot, it fails. */
export function isVacuumPath(line: string): boolean {
  return line.includes('/') || line.includes('__fragments') || line.includes('__meta')
}
