import { genomicsdbTilePart, openGenomicsdbAnatomy } from '../anatomy/genomicsdb.ts'
import { fileSpace } from '../anatomy/part.ts'
import { inconsistent } from '../base/errors.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import { fragmentFolders } from '../genomicsdb/array.ts'
import type { OpenColumnFile } from '../genomicsdb/column-file.ts'
import { type GenomicsdbTarget, openGenomicsdbTarget } from '../genomicsdb/target.ts'
import type { Folder } from '../storage/source.ts'
import type { CommandContext } from './command.ts'
import { arrayOf, notForGenomicsdb } from './genomicsdb.ts'
import { hexOutcome, shownFile } from './hex.ts'
import type { HexOptions } from './hex-options.ts'
import type { Outcome } from './outcome.ts'
import { orFailure } from './walkers.ts'

/** A file of GenomicsDB by its name. */
export async function genomicsdbFile(
  cx: CommandContext,
  folder: Folder,
  name: string,
): Promise<GenomicsdbTarget & { kind: 'file' }> {
  const file = `${folder.path}/${name}`
  const target = await openGenomicsdbTarget(cx.storage, file)
  if (target?.kind === 'file') return target
  throw inconsistent({ expected: `the file ${name}`, found: 'no such file' }, { file })
}

/** Shows a file of GenomicsDB, or the field that `options.path` names. */
export async function* genomicsdbFileOutcome(
  cx: CommandContext,
  folder: Folder,
  name: string,
  options: HexOptions & { tree?: boolean; path?: string },
): AsyncGenerator<Outcome> {
  yield* shownFile(cx, await openGenomicsdbAnatomy(await genomicsdbFile(cx, folder, name), cx), options)
}

/** Shows the files of the book-keeping of a fragment, or of every marked fragment of an array. */
export async function* genomicsdbBookKeepings(
  cx: CommandContext,
  call: string,
  target: GenomicsdbTarget,
  options: HexOptions,
): AsyncGenerator<Outcome> {
  const array = await arrayOf(cx, call, target)
  const one = 'fragment' in target ? target.fragment : undefined
  if (!one && target.kind === 'file') throw notForGenomicsdb(call, target)
  const all = one ? [one] : (await fragmentFolders(array)).flatMap(({ isMarked, folder }) => (isMarked ? folder : []))
  for (const folder of all) yield* orFailure(genomicsdbFileOutcome(cx, folder, BOOK_KEEPING_FILE, options))
}

/** Shows a tile of a file: as stored, and its content. @param files as for {@link genomicsdbTilePart} */
export async function genomicsdbTileHex(
  cx: CommandContext,
  files: readonly OpenColumnFile[],
  tile: number,
  options: HexOptions,
): Promise<Outcome> {
  const [{ source, fragment }] = files as [OpenColumnFile]
  const space = await fileSpace(source, cx)
  return hexOutcome(
    cx,
    `tile ${tile} of ${fragment.tile_num}`,
    space,
    [genomicsdbTilePart(files, space, tile)],
    options,
  )
}
