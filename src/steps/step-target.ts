import { usage } from '../base/errors.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import type { ValueStyle } from '../format/value.ts'
import type { InspectArray } from '../objects/array.ts'
import { type ReadContext, readContext } from '../objects/read-context.ts'
import { openTarget } from '../objects/target.ts'
import { Folder, type Storage } from '../storage/source.ts'
import type { ArrayFile } from '../write/array-writer.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import type { RowInput } from '../write/ndjson-cells.ts'
import type { OnRead } from './cells.ts'

/** A folder that steps change. */
export interface StepFolder {
  /** Storage that shows the folder with all changes so far. */
  readonly storage: Storage
  /** Path of the folder in the storage. */
  readonly root: string
  /** @param path path in the folder, with `/` */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Removes a file or folder. @throws InspectError USAGE if it was there before the steps began */
  remove(path: string): void
}

/** What steps need besides their own keys. */
export interface StepContext {
  folder: StepFolder
  writing: WriteContext
  style: ValueStyle
  /** Returns 32 new hex digits for the name of a file. */
  uuid: () => string
  /** URI of the folder after all steps. Formats before 19 store it. */
  uri: string
  /** Returns the rows of a file that a step names. */
  rows(file: string): RowInput
  /** Called with a message that is not an error. */
  note(text: string): void
  /** Called with the number of steps that are done. */
  onStep(done: number): void
  /** Tells how far a consolidation has read. */
  onRead?: OnRead
}

/** The last time that a name of TileDB can have. An array opened at this time has everything. */
const END_OF_TIME = 2n ** 63n - 1n

/** The times of steps: each step is a millisecond after the one before, unless it gives a time. */
export class Clock {
  private last: bigint

  constructor(last: bigint) {
    this.last = last
  }

  /** Returns the time of the next step in milliseconds since 1970. @throws InspectError USAGE if it would be too late for a name */
  next(given: bigint | undefined): bigint {
    this.last = given ?? this.last + 1n
    if (this.last > LAST_TIME) throw usage({ expected: 'a time for this step', found: `none after ${LAST_TIME}` })
    return this.last
  }
}

/** An array or group in the folder that steps change. */
export class StepTarget {
  readonly cx: StepContext
  /** Path in the folder of {@link cx}; empty for the folder itself. */
  readonly path: string

  constructor(cx: StepContext, path: string) {
    this.cx = cx
    this.path = path
  }

  get uri(): string {
    return this.path === '' ? this.cx.uri : `${this.cx.uri}/${this.path}`
  }

  /** The array or group as it is now, read anew. */
  get folder(): Folder {
    const { storage, root } = this.cx.folder
    return new Folder(storage, this.path === '' ? root : `${root}/${this.path}`)
  }

  /** A context that reads what has future times, too. */
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
    throw usage({ expected: `an array at ${JSON.stringify(this.path)} for this step`, found: 'none: create it first' })
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
