import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { attempt, usage } from '../base/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../base/json-text.ts'
import { LineCutter } from '../base/line-cutter.ts'
import { absolutePath } from './current-folder.ts'
import { systemPath, withSystemErrors } from './file.ts'

/*
 * The file of `--resume`: lines of JSON. The first says what was asked for, each other line is a member that is done. Each line is written at
 * once, so that a program that is ended at any moment leaves whole lines and at most a part of one.
 */

/** Bytes that are read at a time. */
const PIECE = 1 << 20
/** The lines are made safe against a loss of power at most this often, in milliseconds. */
const SYNC_EVERY = 1000

/** Where the line of a member is in the file. */
interface Place {
  at: number
  length: number
  state_id: string
}

export class ResumeFile {
  private readonly file: number
  private readonly path: string
  private readonly places = new Map<string, Place>()
  private synced = Date.now()
  private end = 0

  /**
   * Opens a file, or makes it.
   * @param head what is asked for now
   * @throws InspectError USAGE if the file has another head, or is no such file
   */
  constructor(path: string, head: JsonObject) {
    this.path = path
    this.file = withSystemErrors(path, () => openSync(systemPath(absolutePath(path)), 'a+'))
    try {
      this.read(head)
    } catch (error) {
      closeSync(this.file)
      throw error
    }
  }

  /** Number of members that are noted. */
  get size(): number {
    return this.places.size
  }

  /** The line of a member, if it is noted in this state. */
  known(name: string, state_id: string): JsonObject | undefined {
    const place = this.places.get(name)
    if (place?.state_id !== state_id) return undefined
    const bytes = new Uint8Array(place.length)
    withSystemErrors(this.path, () => readSync(this.file, bytes, 0, place.length, place.at))
    const line = parseJson(new TextDecoder().decode(bytes))
    return isJsonObject(line) ? line : undefined
  }

  has(name: string): boolean {
    return this.places.has(name)
  }

  /** Notes a member. @param line JSON in one line */
  add(line: string): void {
    withSystemErrors(
      this.path,
      () => {
        writeSync(this.file, `${line}\n`)
        if (Date.now() - this.synced < SYNC_EVERY) return
        fdatasyncSync(this.file)
        this.synced = Date.now()
      },
      'write',
    )
  }

  close(): void {
    withSystemErrors(
      this.path,
      () => {
        fdatasyncSync(this.file)
        closeSync(this.file)
      },
      'write',
    )
  }

  private read(head: JsonObject): void {
    let number = 0
    for (const { at, bytes } of this.lines()) {
      number++
      const line = attempt(() => parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
      if (!isJsonObject(line)) throw this.notOurs(`line ${number} that is no JSON object`)
      if (number === 1) this.compare(head, line)
      else if (typeof line.name === 'string' && typeof line.state_id === 'string')
        this.places.set(line.name, { at, length: bytes.length, state_id: line.state_id })
    }
    this.cut(head)
    if (number === 0) this.add(JSON.stringify(head))
  }

  /** Cuts off what is left of a line that was being written when the program was ended. */
  private cut(head: JsonObject): void {
    const size = withSystemErrors(this.path, () => fstatSync(this.file).size)
    if (size <= this.end) return
    if (this.end === 0) {
      const first = new Uint8Array(Math.min(size, PIECE))
      withSystemErrors(this.path, () => readSync(this.file, first, 0, first.length, 0))
      if (!JSON.stringify(head).startsWith(new TextDecoder().decode(first))) throw this.notOurs('another file')
    }
    withSystemErrors(this.path, () => ftruncateSync(this.file, this.end), 'write')
  }

  /** The whole lines of the file. Memory holds one piece of it, and one line, at a time. */
  private *lines(): Generator<{ at: number; bytes: Uint8Array }> {
    const piece = new Uint8Array(PIECE)
    const cutter = new LineCutter()
    for (let from = 0; ; ) {
      const count = withSystemErrors(this.path, () => readSync(this.file, piece, 0, PIECE, from))
      if (count === 0) return
      from += count
      for (const bytes of cutter.lines(piece.subarray(0, count))) {
        yield { at: this.end, bytes }
        this.end += bytes.length + 1
      }
      if (cutter.isTooLong) throw this.notOurs('a line that is too long')
    }
  }

  private compare(asked: JsonObject, found: JsonObject): void {
    if (found.kind !== asked.kind || found.sweep === undefined) throw this.notOurs('another file')
    for (const key of new Set([...Object.keys(asked), ...Object.keys(found)])) {
      const [a, b] = [asked[key], found[key]].map((value) => JSON.stringify(value) ?? 'none')
      if (a !== b)
        throw usage({ expected: `--resume of a sweep with ${key} ${a}`, found: `one with ${b}` }, { file: this.path })
    }
  }

  private notOurs(found: string): Error {
    return usage({ expected: '--resume a file of an earlier sweep, or a new one', found }, { file: this.path })
  }
}

/** A short text that differs with a long one. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
