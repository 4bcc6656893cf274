import { usage } from '../base/errors.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import type { ValueStyle } from '../format/value.ts'
import { Folder, type Storage } from '../source/source.ts'
import type { InspectArray } from '../store/array.ts'
import { type ReadContext, readContext } from '../store/generic-tile.ts'
import { openTarget } from '../store/target.ts'
import type { ArrayFile } from '../write/array-writer.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import type { RowInput } from '../write/ndjson-cells.ts'

/** A folder that steps change. */
export interface StepFolder {
  /** Shows the folder with all that was written so far. */
  readonly storage: Storage
  /** Its path there. */
  readonly root: string
  /** @param path relative to the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Removes a file or folder. @throws InspectError USAGE if it was there before the steps began */
  remove(path: string): void
}

/** What steps need besides what they say. */
export interface StepContext {
  folder: StepFolder
  writing: WriteContext
  style: ValueStyle
  /** 32 hex digits for each file that needs them. */
  uuid: () => string
  /** URI of the folder when all steps are done: formats before 19 store it. */
  uri: string
  /** The rows of a file that a step names. */
  rows(file: string): RowInput
  /** Says something that is not a fault. */
  note(text: string): void
}

/** The last time that TileDB's names can have: everything that is there counts. */
const END_OF_TIME = 2n ** 63n - 1n

/** The times of steps: each comes a millisecond after the one before, unless it says another time. */
export class Clock {
  private last: bigint

  constructor(last: bigint) {
    this.last = last
  }

  /** Milliseconds since 1970. @throws InspectError USAGE if there is no later one */
  next(given: bigint | undefined): bigint {
    this.last = given ?? this.last + 1n
    if (this.last > LAST_TIME) throw usage(`expected a time for this step, found none after ${LAST_TIME}`)
    return this.last
  }
}

/** An array or group in the folder that steps change. */
export class Place {
  readonly cx: StepContext
  /** Path in the folder; empty for the folder itself. */
  readonly path: string

  constructor(cx: StepContext, path: string) {
    this.cx = cx
    this.path = path
  }

  get uri(): string {
    return this.path === '' ? this.cx.uri : `${this.cx.uri}/${this.path}`
  }

  /** What is there now, read anew. */
  get folder(): Folder {
    const { storage, root } = this.cx.folder
    return new Folder(storage, this.path === '' ? root : `${root}/${this.path}`)
  }

  /** A context to read it as if all times were past. */
  get context(): ReadContext {
    const { codecs, key } = this.cx.writing
    return { ...readContext(codecs, key), now: END_OF_TIME }
  }

  /** @throws InspectError USAGE if no array is there */
  async array(): Promise<InspectArray> {
    if (await this.isThere()) {
      const { storage, path } = this.folder
      const target = await openTarget(storage, path, this.context)
      if (target.type === 'array') return target.array
    }
    throw usage(`expected an array at ${JSON.stringify(this.path)} for this step, found none: create it first`)
  }

  async isThere(): Promise<boolean> {
    const { storage, path } = this.folder
    if ((await storage.kind(path)) === undefined) return false
    return (await storage.list(path)).length > 0
  }

  write({ path, bytes }: ArrayFile): Promise<void> {
    return this.cx.folder.write(this.inside(path), bytes)
  }

  /** Writes an empty file, or one of text. */
  writeText(path: string, text = ''): Promise<void> {
    return this.write({ path, bytes: new TextEncoder().encode(text) })
  }

  remove(path: string): void {
    this.cx.folder.remove(this.inside(path))
  }

  private inside(path: string): string {
    return this.path === '' ? path : `${this.path}/${path}`
  }
}
