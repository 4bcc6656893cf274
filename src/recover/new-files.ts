import type { Prose } from '../base/prose.ts'
import type { Folder } from '../storage/source.ts'
import { copiedFile, type RecoveredFile } from './fragment.ts'

/** A file or folder that is not written to the new array. */
export interface LeftOut {
  /** Path in the array. */
  path: string
  why: Prose
  /** Whether readers miss it, or its cells are nowhere else. */
  isLoss: boolean
}

/** The files to write besides fragments, and what is left out. */
export class NewFiles {
  readonly files: RecoveredFile[] = []
  readonly leftOut: LeftOut[] = []

  copy(folder: Folder, path: string): void {
    this.files.push(copiedFile(folder, path))
  }

  leaveOut(path: string, why: string, isLoss = false): void {
    this.leftOut.push({ path, why, isLoss })
  }
}
