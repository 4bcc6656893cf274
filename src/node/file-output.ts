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
import { ClosedPipe, InspectError } from '../base/errors.ts'
import { systemError } from './file.ts'
import { onInterrupt } from './interrupted.ts'

/** A file that appears whole or not at all. */
export interface FileOutput {
  /** Pipes and devices are not: they have what was written already. */
  readonly isWhole: boolean
  /** The bytes are the caller's again once this has returned, or its promise is kept. */
  write(data: string | Uint8Array): Promise<void> | void
  /** Gives the file its name, in place of one that had it. */
  commit(): void
  /** Leaves everything as it was. Nothing behind {@link commit}. */
  discard(): void
}

/** Up to this many bytes stay in memory: the file of a short result is made once all of it is there. Until then no signal is listened for. */
const HELD = 2 ** 20

/**
 * Opens a file to write to: a file of another name beside it, until {@link FileOutput.commit}. Links are followed, modes
 * kept. What is no regular file (a pipe, a device, a terminal) is written to as it is.
 * @throws InspectError USAGE for a folder; NOT_FOUND, NO_PERMISSION, IO
 */
export async function openFileOutput(path: string): Promise<FileOutput> {
  const place = guarded(path, () => outputPlace(path))
  return place.through ? openThrough(path) : new WholeFile(path, place)
}

/** Where a path to write to leads. */
export interface OutputPlace {
  /** Behind all links. */
  path: string
  /** What is there now. */
  status: Stats | undefined
  /** Whether it is no file that another one could take the place of. */
  through: boolean
}

/** Links that are followed in a row, as Linux does. */
const MOST_LINKS = 40

/** @throws what the system says where a folder of the path is missing */
export function outputPlace(path: string): OutputPlace {
  let at = inRealFolder(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    // descriptors: what they lead to is open already
    if (/^\/(?:proc|dev\/fd)\//.test(at)) return { path: at, status: undefined, through: true }
    const status = lstatSync(at, { throwIfNoEntry: false })
    if (!status?.isSymbolicLink()) {
      if (status?.isDirectory())
        throw new InspectError('USAGE', 'expected a file to write to, found a folder', { file: path })
      return { path: at, status, through: status !== undefined && !status.isFile() }
    }
    const link = readlinkSync(at)
    at = inRealFolder(link.startsWith('/') ? link : `${at.slice(0, at.lastIndexOf('/'))}/${link}`)
  }
  throw new InspectError('IO', 'too many links lead from one to another', { file: path })
}

/** The path with the folder it lies in as the system resolves that. */
function inRealFolder(path: string): string {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  const folder = slash < 0 ? '.' : path.slice(0, slash + 1)
  if (name === '' || name === '.' || name === '..')
    throw new InspectError('USAGE', 'expected a file to write to, found a folder', { file: path })
  const real = realpathSync.native(folder)
  return `${real === '/' ? '' : real}/${name}`
}

class WholeFile implements FileOutput {
  readonly isWhole = true
  private readonly shown: string
  private readonly place: OutputPlace
  private readonly temporary: string
  private held: Uint8Array[] = []
  private heldBytes = 0
  private descriptor: number | undefined
  private forget: (() => void) | undefined
  private finished = false

  constructor(shown: string, place: OutputPlace) {
    this.shown = shown
    this.place = place
    const slash = place.path.lastIndexOf('/')
    const folder = place.path.slice(0, slash) || '/'
    guarded(shown, () => {
      if (place.status) accessSync(place.path, constants.W_OK)
      accessSync(folder, constants.W_OK | constants.X_OK)
    })
    // short enough for every name that the file itself may have
    this.temporary = `${place.path.slice(0, slash)}/.${place.path.slice(slash + 1).slice(0, 40)}.${unique()}`
  }

  write(data: string | Uint8Array): Promise<void> | void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    if (this.descriptor === undefined && this.heldBytes + bytes.length <= HELD) {
      this.held.push(typeof data === 'string' ? bytes : bytes.slice())
      this.heldBytes += bytes.length
      return
    }
    const descriptor = this.started()
    return writeWhole(descriptor, bytes).catch((error: unknown) => {
      throw systemError(error, this.shown, 'write')
    })
  }

  commit(): void {
    const { path, status } = this.place
    try {
      const descriptor = this.started()
      guarded(this.shown, () => {
        if (status) keepOwner(descriptor, status)
        this.close()
        replace(this.temporary, path)
      })
      this.finished = true
      this.forget?.()
    } finally {
      this.discard()
    }
  }

  discard(): void {
    if (this.finished) return
    this.finished = true
    this.held = []
    this.close()
    if (this.forget) removeQuietly(this.temporary)
    this.forget?.()
  }

  private close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
  }

  /** Makes the file, with what was held back. */
  private started(): number {
    if (this.descriptor !== undefined) return this.descriptor
    return guarded(this.shown, () => {
      this.forget = onInterrupt(() => removeQuietly(this.temporary))
      const descriptor = openSync(this.temporary, 'wx')
      this.descriptor = descriptor
      for (const piece of this.held) for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at)
      this.held = []
      return descriptor
    })
  }
}

/** What another user may do with the file stays as it was. */
function keepOwner(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch {
    // only the superuser may give files away
  }
  fchmodSync(descriptor, mode & 0o7777)
}

/** Gives a file the name of another. One that is mounted by itself, as into a container, can only be written over. */
function replace(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
    copyFileSync(from, to)
    unlinkSync(from)
  }
}

let count = 0

/** Of this process and no other one that runs. */
function unique(): string {
  return `${process.pid.toString(36)}-${Date.now().toString(36)}-${count++}.part`
}

function removeQuietly(path: string): void {
  rmSync(path, { force: true, recursive: true })
}

/** A pipe or device, written to as results come. */
function openThrough(path: string): Promise<FileOutput> {
  return new Promise((resolve, reject) => {
    open(path, 'w', (error, descriptor) => {
      if (error) {
        reject(systemError(error, path, 'write'))
        return
      }
      const close = once(() => closeSync(descriptor))
      resolve({
        isWhole: false,
        write: (data) =>
          writeWhole(descriptor, typeof data === 'string' ? Buffer.from(data) : data).catch((error: unknown) => {
            throw isClosedPipe(error) ? new ClosedPipe() : systemError(error, path, 'write')
          }),
        commit: close,
        discard: close,
      })
    })
  })
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

async function writeWhole(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writePart(descriptor, bytes, at)
}

/** @returns bytes written */
function writePart(descriptor: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, from, bytes.length - from, null, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw systemError(error, path, 'write')
  }
}

/** Writes files into a folder, made if it is not there: all of them or none. Each is given in parts. */
export async function writeFiles(
  folder: string,
  files: readonly [name: string, parts: readonly Uint8Array[]][],
): Promise<void> {
  const status = guarded(folder, () => statSync(folder, { throwIfNoEntry: false }))
  if (status && !status.isDirectory())
    throw new InspectError('USAGE', 'expected a folder to write into, found a file', { file: folder })
  const made = guarded(folder, () => mkdirSync(folder, { recursive: true }))
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
