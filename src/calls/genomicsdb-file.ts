import { GENOMICSDB_SCHEMA_FILE } from '../format/genomicsdb/array-schema.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'
import type { Folder } from '../storage/source.ts'

/**
 * The file that commands about one file take: the target itself, the schema of an array, or the book-keeping of a fragment. Undefined for
 * a workspace.
 */
export function fileOfTarget(target: GenomicsdbTarget): { folder: Folder; name: string } | undefined {
  switch (target.kind) {
    case 'workspace':
      return undefined
    case 'array':
      return { folder: target.array, name: GENOMICSDB_SCHEMA_FILE }
    case 'fragment':
      return { folder: target.fragment, name: BOOK_KEEPING_FILE }
    case 'file':
      return target
  }
}
