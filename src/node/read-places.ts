import { type BigIntStats, readdirSync, realpathSync, statSync } from 'node:fs'
import { attempt, usage } from '../base/errors.ts'
import { folderOf, nameOf } from '../base/paths.ts'
import { absolutePath } from './current-folder.ts'
import { outputPlace } from './file-output.ts'

/** Names that mark an array or a fragment. Nothing may be written there. */
const MARKS = ['__fragments', '__schema', '__array_schema.tdb', '__fragment_metadata.tdb']
/** Names that mark a group. Other files may be written beside its members. */
const GROUP_MARKS = ['__group', '__tiledb_group.tdb']
/** Names that mean something to TileDB in an array or group. It does not open a group with foreign files in these folders. */
const RESERVED: ReadonlySet<string> = new Set([
  ...MARKS,
  ...GROUP_MARKS,
  '__meta',
  '__commits',
  '__fragment_meta',
  '__labels',
  '__enumerations',
  '__lock.tdb',
])
/** Number of folders between a file of a fragment and the folder of the array. */
const FOLDERS_UP = 3

/**
 * Refuses to write over or into the files and folders that a run reads.
 * @param path path of a file or folder to write
 * @param option option or command that named the path
 * @param read paths of the files and folders that are read, which need not exist
 * @param shown turns a path into what the user wrote
 * @throws InspectError USAGE if the path lies inside what is read, inside any array or among a group's own files; also if a
 * link joins it to what is read
 */
export function refuseReadPlaces(
  path: string,
  option: string,
  read: readonly string[],
  shown: (path: string) => string,
): void {
  const found = placeAround(path, read)
  if (found === undefined) return
  throw usage(
    found === ''
      ? `${option} expects a file other than those that are read; nothing was written`
      : `${option} expects a place outside of what is read, of every array and of a group's own files, found one in ${shown(found)}; nothing was written`,
    { file: path },
  )
}

/** The folder around a path that must not be written to; '' if the path itself is read. */
function placeAround(path: string, read: readonly string[]): string | undefined {
  const outputs = new Set([absolutePath(path), realOutput(path)])
  for (const one of read) {
    const full = absolutePath(one)
    for (const root of [full, realPath(full) ?? full]) {
      if (outputs.has(root)) return ''
      for (const output of outputs) if (output.startsWith(root === '/' ? '/' : `${root}/`)) return one
    }
  }
  // Paths may differ for the same folder if case does not matter, or if it is mounted twice.
  const roots = new Map(read.map((one) => [identityOf(one), one]))
  for (const output of outputs) {
    for (const folder of foldersAround(output)) {
      const id = identityOf(folder)
      if (id === undefined) continue
      const one = roots.get(id)
      if (one !== undefined) return one
      if (holdsAny(folder, MARKS)) return folder
    }
    for (const at of foldersAround(output)) if (isOfGroup(at)) return at
  }
  const status = statOf(path)
  return status?.isFile() ? linkTo(status, read) : undefined
}

/** The read path that contains an existing file under another name; '' if the file itself is read. */
function linkTo(status: BigIntStats, read: readonly string[]): string | undefined {
  const wanted = identity(status)
  const seen = new Set<string>()
  for (const one of read) {
    const root = arrayAround(one)
    const found = statOf(root)
    if (identity(found) === wanted) return ''
    if (found?.isDirectory() && holdsLink(root, wanted, status.nlink > 1n, seen)) return one
  }
  return undefined
}

/** The path of an output, with all links resolved. */
function realOutput(path: string): string {
  const place = attempt(() => outputPlace(path))
  if (place) return place.path
  // It is a folder, or its folder does not exist yet.
  const full = absolutePath(path)
  for (const folder of foldersAround(full)) {
    const real = realPath(folder)
    if (real !== undefined) return (real === '/' ? '' : real) + full.slice(folder.length)
  }
  return full
}

function realPath(path: string): string | undefined {
  return attempt(() => realpathSync.native(path))
}

function statOf(path: string): BigIntStats | undefined {
  return attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
}

function identity(status: BigIntStats | undefined): string | undefined {
  return status && `${status.dev} ${status.ino}`
}

function identityOf(path: string): string | undefined {
  return identity(statOf(path))
}

/** The path itself and every folder around it, the innermost first. */
function* foldersAround(path: string): Generator<string> {
  for (let at = path; at !== ''; at = folderOf(at)) yield at
}

/** Whether a path names a group's own file or folder, whether it exists or not. */
function isOfGroup(path: string): boolean {
  return RESERVED.has(nameOf(path)) && holdsAny(folderOf(path), GROUP_MARKS)
}

function holdsAny(folder: string, names: readonly string[]): boolean {
  return names.some((name) => statOf(`${folder}/${name}`) !== undefined)
}

/** The array that has a file or fragment; otherwise the path itself. */
function arrayAround(path: string): string {
  const real = realPath(path) ?? absolutePath(path)
  let outermost = real
  let up = 0
  for (const folder of foldersAround(real)) {
    if (holdsAny(folder, MARKS)) outermost = folder
    if (up++ === FOLDERS_UP) break
  }
  return outermost
}

/** Whether a link in a folder leads to a file. @param hard whether the file has hard links, too */
function holdsLink(folder: string, wanted: string | undefined, hard: boolean, seen: Set<string>): boolean {
  const id = identityOf(folder) ?? folder
  if (seen.has(id)) return false
  seen.add(id)
  for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (holdsLink(path, wanted, hard, seen)) return true
    } else if (hard || entry.isSymbolicLink()) {
      const status = statOf(path)
      if (identity(status) === wanted) return true
      if (status?.isDirectory() && holdsLink(path, wanted, hard, seen)) return true
    }
  }
  return false
}
