import { InspectError, orError } from '../base/errors.ts'
import { checkOneFragment } from '../check/genomicsdb/workspace.ts'
import { newRun } from '../check/run.ts'
import type { OfSeveral } from '../documents/common.ts'
import type { GenomicsdbArrayLine } from '../documents/genomicsdb-array.ts'
import type { GenomicsdbFragmentDocument, GenomicsdbFragmentLine } from '../documents/genomicsdb-fragment.ts'
import { BOOK_KEEPING_FILE, FRAGMENT_MARK } from '../format/genomicsdb/names.ts'
import { fragmentFolder, type GenomicsdbArray, type GenomicsdbFragmentFolder } from '../genomicsdb/array.ts'
import { type ColumnFile, columnFileSize } from '../genomicsdb/column-file.ts'
import { type FolderFacts, filesByName, folderFacts } from '../genomicsdb/facts.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'
import { Interval } from '../genomicsdb/workspace.ts'
import type { CommandContext } from './command.ts'
import { documentHead, errorResult } from './document-parts.ts'
import { genomicsdbNext } from './genomicsdb.ts'
import { judgement } from './overview-parts.ts'

/** What is known of a fragment: the document of its overview, and of its listing. */
export async function genomicsdbFragment(
  cx: CommandContext,
  { path, ...target }: GenomicsdbTarget & { kind: 'fragment' },
): Promise<GenomicsdbFragmentDocument> {
  const interval = new Interval(target.array, cx.reading)
  const array = await orError(() => interval.array())
  const folder = await fragmentFolder(target.fragment)
  const files = filesByName(array)
  const facts = await folderFacts(array, files, folder)
  const run = newRun('structure', true)
  const items = []
  for await (const item of checkOneFragment(run, interval, target.fragment)) items.push(item)
  const { error, ...line } = fragmentLine(cx, facts)
  return {
    ...documentHead('genomicsdb-fragment', cx.shownPath(path)),
    ...line,
    array: cx.shownPath(target.array.path),
    files: await filesOf(array, files, folder),
    ...judgement(cx, items),
    not_checked: ['data'],
    next: genomicsdbNext(cx, path, [
      ['its book-keeping', 'footer'],
      ['its boxes', 'rtree'],
      ['first cells', 'decode', '--limit 10'],
      ['every tile', 'check'],
    ]),
    error,
  }
}

/** A fragment as a listing shows it. */
export function fragmentLine(cx: CommandContext, facts: FolderFacts): Omit<GenomicsdbArrayLine, keyof OfSeveral> {
  const { name, state, time, size, tile_num, cell_num, rows, columns, fault } = facts
  return {
    name,
    state,
    timestamp: time ?? null,
    cell_num: cell_num ?? null,
    tile_num: tile_num ?? null,
    row_range: rows ?? null,
    column_range: columns ?? null,
    size,
    error: fault && errorResult(cx, fault),
  }
}

async function filesOf(
  array: GenomicsdbArray | InspectError,
  files: ReadonlyMap<string, ColumnFile>,
  folder: GenomicsdbFragmentFolder,
): Promise<GenomicsdbFragmentLine[]> {
  const own = new Map(files)
  const there: GenomicsdbFragmentLine[] = []
  for (const { name, kind } of folder.entries) {
    if (kind !== 'file') continue
    const file = own.get(name)
    own.delete(name)
    const size = (await columnFileSize(folder, name)) ?? null
    there.push({ name, field: file?.field.name ?? null, holds: file?.role ?? holdsOf(name), size })
  }
  const gone = [...own.values()].map(({ name, field, role }) => ({ name, field: field.name, holds: role, size: null }))
  const names = new Set(there.map(({ name }) => name))
  const needed = array instanceof InspectError ? [] : [FRAGMENT_MARK, BOOK_KEEPING_FILE]
  const others = needed.filter((name) => !names.has(name))
  return [...there, ...others.map((name) => ({ name, field: null, holds: holdsOf(name), size: null })), ...gone]
}

function holdsOf(name: string): GenomicsdbFragmentLine['holds'] {
  if (name === FRAGMENT_MARK) return 'mark'
  return name === BOOK_KEEPING_FILE ? 'book-keeping' : 'other'
}
