import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { hasCode, InspectError } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import { absolutePath } from './current-folder.ts'
import { systemCode, systemError, systemPath } from './file.ts'
import { removeQuietly, temporaryBeside, writeWholeSync, writing } from './file-output.ts'
import { onInterrupt } from './interrupted.ts'

/** A new folder, or new files in a folder. They appear all at once, or not at all. */
export interface FolderOutput {
  /** Folder with the files until {@link commit}. */
  readonly partial: string
  /** Writes a file. @param path path of the file relative to the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Writes a file that need not fit in memory. */
  writeParts(path: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** Removes a file or folder that was written. */
  remove(path: string): void
  /** Renames a file or folder that was written. */
  rename(file: string, to: string): void
  /** Puts the files into their place. @throws InspectError EXISTS if something is there by now */
  commit(): void
  /** Removes what was written. Does nothing after {@link commit}. */
  discard(): void
}

/**
 * Opens a new folder for writing. Until {@link FolderOutput.commit}, its files are in a folder with another name beside it.
 * @param refuse called with the path; throws if nothing may be written there
 * @throws InspectError EXISTS if anything is at `path`; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFolderOutput(path: string, refuse: (path: string) => Promise<void>): Promise<FolderOutput> {
  const target = absolutePath(path)
  refuseExisting(target, path)
  await refuse(path)
  return openPartial(target, path, (partial) => {
    refuseExisting(target, path)
    try {
      renameSync(systemPath(partial), systemPath(target))
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(systemCode(error)))) throw exists(path)
      throw systemError(error, path, 'write')
    }
  })
}

/**
 * Opens an existing folder for adding files. {@link FolderOutput.commit} moves them into the folder. If a file cannot be moved,
 * those before it are removed again. Existing files are never changed.
 * @param rank order in which files are moved: a higher rank is moved later
 */
export function openFolderAddition(path: string, rank: (file: string) => number): FolderOutput {
  const target = absolutePath(path)
  return openPartial(target, path, (partial) => {
    const entries = readdirSync(partial, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    const files = entries.filter((one) => one.isFile()).map((one) => join(relative(partial, one.parentPath), one.name))
    files.sort((one, other) => rank(one) - rank(other) || rising(one, other))
    const made: string[] = []
    try {
      // Synchronous, so that a signal finds all files or none.
      for (const file of files) {
        const full = join(target, file)
        refuseExisting(full, join(path, file))
        writing(full, () => {
          const first = mkdirSync(systemPath(dirname(full)), { recursive: true })
          if (first !== undefined) made.push(first)
          renameSync(systemPath(join(partial, file)), systemPath(full))
        })
        made.push(full)
      }
    } catch (error) {
      for (const one of made.reverse()) removeQuietly(one)
      throw error
    }
    removeQuietly(partial)
  })
}

/** Opens a folder beside `target`, which `commit` moves into its place. @param path target as the user wrote it */
function openPartial(target: string, path: string, commit: (partial: string) => void): FolderOutput {
  const partial = temporaryBeside(target)
  writing(dirname(target), () => mkdirSync(systemPath(partial)))
  const forget = onInterrupt(() => removeQuietly(partial))
  let finished = false
  const finish = (): void => {
    finished = true
    forget()
  }
  /**
   * Makes the folders of a file. Returns its path, and its later path for errors.
   * @throws InspectError IO if the file would not be in the folder: names come from listings, also those of a server
   */
  const placeOf = (file: string): { full: string; place: string } => {
    const [full, place] = [join(partial, file), join(path, file)]
    if (!full.startsWith(join(partial, sep)))
      throw new InspectError(
        'IO',
        { expected: 'a name inside the folder', found: 'one that leads out of it' },
        { file: place },
      )
    writing(place, () => mkdirSync(systemPath(dirname(full)), { recursive: true }))
    return { full, place }
  }
  return {
    partial,
    async write(file, bytes) {
      const { full, place } = placeOf(file)
      writing(place, () => writeFileSync(systemPath(full), bytes, { flag: 'wx' }))
      // Signals are handled between two files.
      await new Promise(setImmediate)
    },
    async writeParts(file, parts) {
      const { full, place } = placeOf(file)
      const descriptor = writing(place, () => openSync(systemPath(full), 'wx'))
      try {
        for await (const part of parts) {
          writing(place, () => writeWholeSync(descriptor, part))
          await new Promise(setImmediate)
        }
      } finally {
        closeSync(descriptor)
      }
    },
    remove(file) {
      writing(join(path, file), () => rmSync(systemPath(join(partial, file)), { recursive: true }))
    },
    rename(file, to) {
      writing(join(path, to), () => renameSync(systemPath(join(partial, file)), systemPath(join(partial, to))))
    },
    commit() {
      commit(partial)
      finish()
    },
    discard() {
      if (!finished) removeQuietly(partial)
      finish()
    },
  }
}

/** @throws InspectError EXISTS if anything is at `target` */
function refuseExisting(target: string, path: string): void {
  try {
    lstatSync(systemPath(target))
  } catch (error) {
    const fault = systemError(error, path)
    if (hasCode(fault, 'NOT_FOUND')) return
    throw fault
  }
  throw exists(path)
}

function exists(path: string): InspectError {
  const fault = { expected: 'a path where nothing is yet', found: 'something there: nothing is ever overwritten' }
  return new InspectError('EXISTS', fault, { file: path })
}
