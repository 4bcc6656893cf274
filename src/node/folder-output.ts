import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InspectError } from '../base/errors.ts'
import { absolutePath } from './current-folder.ts'
import { guarded, systemCode, systemError } from './file.ts'
import { removeQuietly, temporaryBeside } from './file-output.ts'
import { onInterrupt } from './interrupted.ts'

/** A folder that appears with all its files at once, or not at all. */
export interface FolderOutput {
  /** @param path relative to the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Gives the folder its name. @throws InspectError EXISTS if the name has been taken since */
  commit(): void
  /** Removes what was written; does nothing after {@link commit}. */
  discard(): void
}

/**
 * Opens a folder for writing. Until {@link FolderOutput.commit}, its files are in a folder of another name beside it.
 * @param refuse throws if the place must not be written to
 * @throws InspectError EXISTS if anything is at `path`; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFolderOutput(path: string, refuse: (path: string) => Promise<void>): Promise<FolderOutput> {
  const target = absolutePath(path)
  refuseExisting(target, path)
  await refuse(path)
  const partial = temporaryBeside(target)
  guarded(dirname(target), () => mkdirSync(partial), 'write')
  const forget = onInterrupt(() => removeQuietly(partial))
  let finished = false
  const finish = (): void => {
    finished = true
    forget()
  }
  return {
    async write(file, bytes) {
      const full = join(partial, file)
      const place = join(path, file)
      guarded(place, () => mkdirSync(dirname(full), { recursive: true }), 'write')
      guarded(place, () => writeFileSync(full, bytes, { flag: 'wx' }), 'write')
      // Signals are handled between two files.
      await new Promise(setImmediate)
    },
    commit() {
      refuseExisting(target, path)
      try {
        renameSync(partial, target)
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(systemCode(error)))) throw exists(path)
        throw systemError(error, path, 'write')
      }
      finish()
    },
    discard() {
      if (!finished) removeQuietly(partial)
      finish()
    },
  }
}

function refuseExisting(target: string, path: string): void {
  try {
    lstatSync(target)
  } catch (error) {
    const ours = systemError(error, path)
    if (ours instanceof InspectError && ours.code === 'NOT_FOUND') return
    throw ours
  }
  throw exists(path)
}

function exists(path: string): InspectError {
  const message = 'expected a path where nothing is yet, found something there: nothing is ever overwritten'
  return new InspectError('EXISTS', message, { file: path })
}
