import { randomBytes } from 'node:crypto'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { InspectError } from '../errors.ts'
import { systemError } from './file.ts'

/** A folder that appears with all its files at once, or not at all. */
export interface FolderOutput {
  /** @param path relative to the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Gives the folder its name. @throws InspectError EXISTS where something took that name meanwhile */
  commit(): Promise<void>
  /** Removes what was written; nothing where {@link commit} was called. */
  discard(): Promise<void>
}

/**
 * Opens a folder to write into: until {@link FolderOutput.commit} its files are in a folder of another name beside it.
 * @throws InspectError EXISTS where anything stands at `path`; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFolderOutput(path: string): Promise<FolderOutput> {
  const target = resolve(path)
  await refuseExisting(target, path)
  const parent = dirname(target)
  let partial: string | undefined
  try {
    const name = join(parent, `.${basename(target)}.${randomBytes(6).toString('hex')}`)
    await mkdir(name)
    partial = name
  } catch (error) {
    throw systemError(error, parent, 'write')
  }
  const folders = new Set<string>()
  return {
    async write(file, bytes) {
      if (partial === undefined) throw new TypeError('the folder is finished')
      const full = join(partial, file)
      try {
        const folder = dirname(full)
        if (!folders.has(folder)) await mkdir(folder, { recursive: true })
        folders.add(folder)
        await writeFile(full, bytes, { flag: 'wx' })
      } catch (error) {
        throw systemError(error, join(path, file), 'write')
      }
    },
    async commit() {
      if (partial === undefined) throw new TypeError('the folder is finished')
      await refuseExisting(target, path)
      try {
        await rename(partial, target)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw exists(path)
        throw systemError(error, path, 'write')
      }
      partial = undefined
    },
    async discard() {
      if (partial !== undefined) await rm(partial, { recursive: true, force: true })
      partial = undefined
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
