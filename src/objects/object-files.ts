import { atOnce, inOrder } from '../base/in-order.ts'
import type { Folder } from '../storage/source.ts'
import { filesBelow } from '../storage/walk.ts'
import { METADATA_FOLDER } from './array.ts'
import { entrySize } from './file-sizes.ts'
import { GROUP_DETAILS_FOLDER, objectType } from './group.ts'

/** Files, counted. */
export interface FilesSum {
  file_num: number
  /** Bytes of all of them. */
  size: number
}

/** Which files are counted. */
interface Counted {
  /** Whether to enter a folder, by its path and name. By default all are. */
  enter?: (path: string, name: string) => boolean
  /** Whether a file counts, by its name. By default all do. */
  counts?: (file: string) => boolean
  /** Called with the path of each folder that is too deep to enter. */
  leaveOut?: (path: string) => void
}

/** Number and bytes of the files below a folder. */
export async function filesSum(top: Folder, { enter = all, counts = all, leaveOut }: Counted = {}): Promise<FilesSum> {
  let [file_num, size] = [0, 0]
  const sizes = inOrder(filesBelow(top, enter, leaveOut), atOnce(top), async ({ folder, entry }) =>
    counts(entry.name) ? entrySize(folder, entry) : undefined,
  )
  for await (const one of sizes) {
    if (one === undefined) continue
    file_num++
    size += one
  }
  return { file_num, size }
}

function all(): boolean {
  return true
}

/**
 * The files of an array, without those of arrays and groups in its folder, which old groups allow.
 * @param leftOut paths of folders in the array whose files do not count
 */
export async function arrayFiles(
  folder: Folder,
  leftOut: ReadonlySet<string> = new Set(),
  leaveOut?: Counted['leaveOut'],
): Promise<FilesSum> {
  const others = new Set(leftOut)
  for (const { name, kind } of await folder.list())
    if (kind === 'folder' && !name.startsWith('__') && objectType(await folder.folder(name).list())) others.add(name)
  return filesSum(folder, { enter: (path) => !others.has(path), ...(leaveOut && { leaveOut }) })
}

/** The files of a group itself: those in its folder, and in its own folders. */
export async function groupFiles(folder: Folder): Promise<FilesSum> {
  await folder.storage.listAhead?.(folder.path)
  return filesSum(folder, { enter: (path) => path.split('/', 1).some((name) => OWN.has(name)) })
}

const OWN: ReadonlySet<string> = new Set([GROUP_DETAILS_FOLDER, METADATA_FOLDER])
