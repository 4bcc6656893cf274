import { InspectError } from '../base/errors.ts'
import { atOnce } from '../base/in-order.ts'
import type { Describe } from '../format/io.ts'
import { isTimedName, nameFacts } from '../format/timestamped-name.ts'
import { type Entry, type Folder, readAll } from '../source/source.ts'
import { type ReadContext, readGenericTile } from './generic-tile.ts'
import { readUndamaged } from './readable.ts'

/**
 * Reads the files of `__meta` or `__group` that count now, in the order in which TileDB applies them: by their first
 * timestamp, then by name. TileDB reads every file there except `.vac` files, whatever its name. A file of an unusual
 * name that cannot be read is skipped here; `check` reports it. Other damaged files are reported to the context: see
 * {@link readUndamaged}.
 *
 * @param entries entries of the folder
 * @param gone names of vacuumed files, which do not count
 * @see tiledb/sm/array/array_directory.cc: load_array_meta_uris; tiledb/sm/group/group_directory.cc; measured with TileDB 2.30
 */
export async function* timedFiles<T>(
  inside: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  describe: Describe<T>,
  gone: ReadonlySet<string> = new Set(),
): AsyncGenerator<T> {
  const found: { name: string; first: bigint }[] = []
  for (const { name, kind } of entries) {
    const [first, last] = nameFacts(name)?.timestamp_range ?? [1n, 0n]
    if (kind !== 'folder' && !name.endsWith('.vac') && !gone.has(name) && first <= last && last <= cx.now)
      found.push({ name, first })
  }
  found.sort((a, b) => (a.first !== b.first ? (a.first < b.first ? -1 : 1) : a.name < b.name ? -1 : 1))
  const read = async (name: string): Promise<T> => {
    const source = inside.file(name)
    try {
      return await readGenericTile(await readAll(source), describe, cx, { file: source.name, offset: 0 })
    } finally {
      await source.close()
    }
  }
  const files: { name: string; value?: Promise<T> }[] = []
  for (const { name } of found) {
    if (isTimedName(name)) files.push({ name })
    else {
      try {
        files.push({ name, value: Promise.resolve(await read(name)) })
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
      }
    }
  }
  yield* readUndamaged(files, atOnce(inside), cx, ({ name, value }) => value ?? read(name))
}
