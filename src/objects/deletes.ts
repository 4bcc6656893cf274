import { withPlace } from '../base/errors.ts'
import { nameOf } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { type ConditionNode, deleteCondition, requireMembers } from '../format/delete-condition.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { withSource } from '../storage/source.ts'
import type { InspectArray } from './array.ts'
import { commitKind, stem } from './commits.ts'
import { readGenericTile, readStored } from './generic-tile.ts'
import { isWithin } from './visibility.ts'

/** Since this version sparse arrays have delete conditions, and consolidated fragments keep the times of the deletions. @see tiledb/sm/misc/constants.cc */
export const DELETES_SINCE = 16

/** A delete condition, and where it is stored. */
export interface DeletePlace {
  /** Name of the commit, without suffix. */
  name: string
  /** Path of the `.del` or `.con` file, relative to the array. */
  path: string
  /** First time in the name, in milliseconds. */
  time: bigint
  /** Last time in the name. Readers at earlier times leave the condition out. */
  end: bigint
  /** Place of the generic tile in a `.con` file, in bytes. A `.del` file is one tile. */
  tile: { offset: number; length: number } | undefined
}

/**
 * The delete conditions that TileDB applies between the times of the array's context, oldest first: those of `.del` files
 * and those in `.con` files, even if a line of an `.ign` file names them.
 * @see ArrayDirectory::load_consolidated_commit_uris, load_commits_dir_uris_v12_or_higher; measured with TileDB 2.30
 */
export async function deletePlaces(array: InspectArray): Promise<DeletePlace[]> {
  return (await allDeletePlaces(array)).filter(({ time, end }) => isWithin([time, end], array.cx))
}

/** The delete conditions that TileDB does not apply yet at the time of the array's context, oldest first. */
export async function laterDeletePlaces(array: InspectArray): Promise<DeletePlace[]> {
  return (await allDeletePlaces(array)).filter(({ end }) => end > array.cx.now)
}

/** All delete conditions of an array, oldest first, whether or not TileDB applies them at the time of its context. */
export async function allDeletePlaces(array: InspectArray): Promise<DeletePlace[]> {
  const found = new Map<string, DeletePlace>()
  const add = (text: string, path: string, tile: DeletePlace['tile']): void => {
    const name = stem(nameOf(text))
    const [time, end] = nameFacts(name)?.timestamp_range ?? [0n, 0n]
    if (!found.has(name)) found.set(name, { name, path, time, end, tile })
  }
  for (const file of (await array.commits()).files) {
    if (file.kind === 'delete') add(file.path, file.path, undefined)
    for (const { text, tile } of file.entries) if (tile && commitKind(text) === 'delete') add(text, file.path, tile)
  }
  return [...found.values()].sort((a, b) => rising(a.time, b.time))
}

/** Reads a delete condition: it holds for the cells that stay. @throws InspectError also if TileDB refuses the condition */
export function readDelete(array: InspectArray, { path, tile }: DeletePlace): Promise<ConditionNode> {
  return withSource(array.folder.file(path), async (source) => {
    const bytes = tile ? await source.read(tile.offset, tile.length) : await readStored(source, array.cx)
    const place = { file: source.name, offset: tile?.offset ?? 0 }
    const condition = await readGenericTile(bytes, deleteCondition, array.cx, place)
    withPlace({ file: source.name }, () => requireMembers(condition))
    return condition
  })
}
