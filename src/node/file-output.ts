import { Buffer } from 'node:buffer'
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs'
import process from 'node:process'
import { promisify } from 'node:util'
import { attempt, ClosedPipe, InspectError, usage } from '../base/errors.ts'
import { folderOf, nameOf } from '../base/paths.ts'
import { decodeText } from '../format/text.ts'
import { absolutePath } from './current-folder.ts'
import { MAX_AT_ONCE, systemCode, systemError, systemPath, withSystemErrors } from './file.ts'
import { onInterrupt } from './interrupted.ts'

/** A file that appears whole or not at all. */
export interface FileOutput {
  /** Whether {@link discard} leaves nothing behind. Pipes and devices keep what was written. */
  readonly isWhole: boolean
  /** Writes bytes. The caller may reuse them once this has returned, or its promise is resolved. */
  write(data: string | Uint8Array): Promise<void> | void
  /** Gives the file its name, replacing any file of that name. */
  commit(): void
  /** Leaves everything as it was. Does nothing after {@link commit}. */
  discard(): void
}

/** Up to this many bytes stay in memory until the result is complete. Until then there is no file, and no signal handler. */
const MAX_HELD = 2 ** 20

/**
 * Opens a file for writing. Until {@link FileOutput.commit}, the bytes go to a file with another name beside it. Links are
 * followed and modes kept. A pipe, a device or a terminal is written to directly.
 * @throws InspectError USAGE for a folder; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFileOutput(path: string): Promise<FileOutput> {
  const place = writing(path, () => outputPlace(path))
  return place.isDirect ? openDirect(path) : openWhole(path, place)
}

/** Where an output path leads. */
interface OutputPlace {
  /** The path with all links resolved. */
  path: string
  /** Status of what is there now. */
  status: Stats | undefined
  /** Whether it must be written to directly, because it is not a file that can be replaced. */
  isDirect: boolean
}

/** Upper limit on the links that are followed in a row, as in Linux. */
const MAX_LINKS = 40

/** Finds out where an output path leads. @throws the system's error if a folder of the path is missing */
export function outputPlace(path: string): OutputPlace {
  let at = inRealFolder(path)
  for (let links = 0; links < MAX_LINKS; links++) {
    // The target of a descriptor is already open.
    if (/^\/(?:proc|dev\/fd)\//.test(at)) return { path: at, status: undefined, isDirect: true }
    const status = lstatSync(systemPath(at), { throwIfNoEntry: false })
    if (!status?.isSymbolicLink()) {
      if (status?.isDirectory()) throw usage({ expected: 'a file to write to', found: 'a folder' }, { file: path })
      return { path: at, status, isDirect: status !== undefined && !status.isFile() }
    }
    const link = decodeText(readlinkSync(systemPath(at), 'buffer'))
    at = inRealFolder(link.startsWith('/') ? link : `${folderOf(at)}/${link}`)
  }
  throw new InspectError('IO', 'too many links lead from one to another', { file: path })
}

/** The path, with all links in its folder resolved. */
function inRealFolder(path: string): string {
  const name = nameOf(path)
  const folder = path.slice(0, path.length - name.length) || '.'
  if (name === '' || name === '.' || name === '..')
    throw usage({ expected: 'a file to write to', found: 'a folder' }, { file: path })
  const real = decodeText(realpathSync.native(systemPath(folder), 'buffer'))
  return `${real === '/' ? '' : real}/${name}`
}

/** @param shown the path as the user wrote it */
function openWhole(shown: string, { path, status }: OutputPlace): FileOutput {
  writing(shown, () => {
    if (status) accessSync(systemPath(path), constants.W_OK)
    accessSync(systemPath(folderOf(path) || '/'), constants.W_OK | constants.X_OK)
  })
  const temporary = temporaryBeside(path)
  let held: Uint8Array[] = []
  let heldBytes = 0
  let descriptor: number | undefined
  /** Stops removing the file when a signal ends the program. */
  let forget: (() => void) | undefined
  let finished = false
  /** The descriptor of the file, which is created with the held bytes at the first call. */
  const createdFile = (): number => {
    if (descriptor !== undefined) return descriptor
    forget = onInterrupt(() => removeQuietly(temporary))
    const opened = writing(shown, () => openSync(systemPath(temporary), 'wx'))
    descriptor = opened
    writing(shown, () => {
      for (const piece of held) writeWholeSync(opened, piece)
    })
    held = []
    return opened
  }
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const discard = (): void => {
    if (finished) return
    finished = true
    held = []
    close()
    if (forget) removeQuietly(temporary)
    forget?.()
  }
  return {
    isWhole: true,
    write(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      if (descriptor === undefined && heldBytes + bytes.length <= MAX_HELD) {
        held.push(typeof data === 'string' ? bytes : bytes.slice())
        heldBytes += bytes.length
        return
      }
      return writeWhole(createdFile(), bytes).catch((error: unknown) => {
        throw systemError(error, shown, 'write')
      })
    },
    commit() {
      try {
        const whole = createdFile()
        writing(shown, () => {
          if (status) keepOwner(whole, status)
          close()
          replace(temporary, path)
        })
        finished = true
        forget?.()
      } finally {
        discard()
      }
    },
    discard,
  }
}

/** Gives a file the owner and the mode of the file that it replaces. */
function keepOwner(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch {
    // Only the superuser may give files away.
  }
  fchmodSync(descriptor, mode & 0o7777)
}

/** Replaces a file by another. A file that is a mount point, as in a container, can only be overwritten. */
function replace(from: string, to: string): void {
  try {
    renameSync(systemPath(from), systemPath(to))
  } catch (error) {
    if (systemCode(error) !== 'EBUSY') throw error
    copyFileSync(systemPath(from), systemPath(to))
    unlinkSync(systemPath(from))
  }
}

let count = 0

/** Characters of a name that the name of its temporary file begins with: few enough for every file system. */
const MAX_OF_NAME = 40
/** The end of the name of a temporary file. The first part is the number of the process. */
const UNIQUE = /^([0-9a-z]+)-[0-9a-z]+-\d+\.part$/

/** A hidden path beside a path, unique among all running processes. */
export function temporaryBeside(path: string): string {
  const unique = `${process.pid.toString(36)}-${Date.now().toString(36)}-${count++}.part`
  return `${folderOf(path)}/.${nameOf(path).slice(0, MAX_OF_NAME)}.${unique}`
}

/**
 * What runs that were killed have left beside a path: SIGKILL, or a machine that lost its power, leaves no time to remove it. The name
 * has the number of the process that wrote it, and is left alone while there is such a process.
 */
function leftBeside(path: string): string[] {
  const target = absolutePath(path)
  const start = `.${nameOf(target).slice(0, MAX_OF_NAME)}.`
  const folder = folderOf(target)
  const names = attempt(() => readdirSync(systemPath(folder || '/'), 'buffer').map(decodeText)) ?? []
  return names
    .filter((name) => {
      const unique = name.startsWith(start) ? UNIQUE.exec(name.slice(start.length)) : null
      return unique !== null && !isRunning(Number.parseInt(unique[1], 36))
    })
    .map((name) => `${folder}/${name}`)
}

/** Names what killed runs have left beside a path. */
export function noteLeftBeside(path: string, note: (text: string) => void): void {
  for (const left of leftBeside(path))
    note(`${left} was left by a run that was killed. Nothing reads it, and it can be removed`)
}

/** Whether there is a process with this number. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It may belong to somebody else.
    return systemCode(error) === 'EPERM'
  }
}

/** Removes a file or folder. Ignores errors: this is called after an error that matters more. */
export function removeQuietly(path: string): void {
  try {
    rmSync(systemPath(path), { force: true, recursive: true })
  } catch {
    // It stays.
  }
}

/** Opens a pipe or device, to which results are written at once. */
async function openDirect(path: string): Promise<FileOutput> {
  // Not synchronous, because a pipe opens only when somebody reads it.
  const descriptor = await promisify(open)(systemPath(path), 'w').catch((error: unknown) => {
    throw systemError(error, path, 'write')
  })
  const close = once(() => closeSync(descriptor))
  return {
    isWhole: false,
    write: (data) =>
      writeWhole(descriptor, typeof data === 'string' ? Buffer.from(data) : data).catch((error: unknown) => {
        throw systemCode(error) === 'EPIPE' ? new ClosedPipe() : systemError(error, path, 'write')
      }),
    commit: close,
    discard: close,
  }
}

/** Runs `work` at the first call only. */
function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}

/** Writes all bytes. A single call may write only a part, as on a disk that is nearly full, where the next call fails. */
export function writeWholeSync(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, Math.min(bytes.length - at, MAX_AT_ONCE))
}

/** {@link writeWholeSync}, done asynchronously. */
async function writeWhole(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(bytes.length - at, MAX_AT_ONCE)
    at += (await promisify(write)(descriptor, bytes, at, length, null)).bytesWritten
  }
}

/** Runs `work`, which writes, and turns errors of the system into InspectErrors. */
export const writing = <T>(path: string, work: () => T): T => withSystemErrors(path, work, 'write')

/** Writes files, given in parts, into a folder: all of them or none. Creates the folder if needed. */
export async function writeFiles(
  folder: string,
  files: readonly [name: string, parts: readonly Uint8Array[]][],
): Promise<void> {
  const status = writing(folder, () => statSync(systemPath(folder), { throwIfNoEntry: false }))
  if (status && !status.isDirectory())
    throw usage({ expected: 'a folder to write into', found: 'a file' }, { file: folder })
  const made = writing(folder, () => mkdirSync(systemPath(folder), { recursive: true }))
  const forget = made === undefined ? undefined : onInterrupt(() => removeQuietly(made))
  const outputs: FileOutput[] = []
  try {
    for (const [name, parts] of files) {
      const output = await openFileOutput(`${folder}/${name}`)
      outputs.push(output)
      for (const part of parts) await output.write(part)
    }
    for (const output of outputs) output.commit()
  } catch (error) {
    for (const output of outputs) output.discard()
    if (made !== undefined) removeQuietly(made)
    throw error
  } finally {
    forget?.()
  }
}
