import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InspectError } from '../base/errors.ts'
import { absolutePath } from './current-folder.ts'
import { systemError } from './file.ts'
import { onInterrupt } from './interrupted.ts'

/** A folder that appears with all its files at once, or not at all. */
export interface FolderOutput {
  /** @param path relative to the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Gives the folder its name. @throws InspectError EXISTS if the name has been taken since */
  commit(): Promise<void>
  /** Removes what was written; does nothing after {@link commit}. */
  discard(): Promise<void>
}

/**
 * Opens a folder for writing. Until {@link FolderOutput.commit}, its files are in a folder of another name beside it.
 * @param refuse throws if the place must not be written to
 * @throws InspectError EXISTS if anything is at `path`; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFolderOutput(path: string, refuse: (path: string) => Promise<void>): Promise<FolderOutput> {
  const target = absolutePath(path)
  await refuseExisting(target, path)
  await refuse(path)
  const parent = dirname(target)
  const name = join(parent, `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  let partial: string | undefined
  /** The write in progress. It could create the folder again after its removal. */
  let writing: Promise<unknown> = Promise.resolve()
  const forget = onInterrupt(async () => {
    await writing.catch(() => {})
    rmSync(name, { recursive: true, force: true })
  })
  try {
    writing = mkdir(name)
    await writing
    partial = name
  } catch (error) {
    forget()
    throw systemError(error, parent, 'write')
  }
  const folders = new Set<string>()
  return {
    async write(file, bytes) {
      if (partial === undefined) throw new TypeError('the folder is finished')
      const full = join(partial, file)
      try {
        const folder = dirname(full)
        if (!folders.has(folder)) {
          writing = mkdir(folder, { recursive: true })
          await writing
        }
        folders.add(folder)
        writing = writeFile(full, bytes, { flag: 'wx' })
        await writing
      } catch (error) {
        throw systemError(error, join(path, file), 'write')
      }
    },
    async commit() {
      if (partial === undefined) throw new TypeError('the folder is finished')
      await refuseExisting(target, path)
      try {
        writing = rename(partial, target)
        await writing
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw exists(path)
        throw systemError(error, path, 'write')
      }
      partial = undefined
      forget()
    },
    async discard() {
      if (partial !== undefined) await rm(partial, { recursive: true, force: true })
      partial = undefined
      forget()
    },
  }
}

async function refuseExisting(target: string, path: string): Promise<void> {
  try {
    await lstat(target)
  } catch (error) {
    const ours = systemError(error, path)
    if (ours instanceof InspectError && ours.code === 'NOT_FOUND') return
    throw ours
  }
  throw exists(path)
}

function exists(path: string): InspectError {
  return new InspectError(
    'EXISTS',
    'expected a path where nothing is yet, found something there: nothing is ever overwritten',
    { file: path },
  )
}
