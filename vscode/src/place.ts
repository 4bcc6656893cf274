import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/** What an array or a group has in its folder: one of these. */
const MARKS = ['__schema', '__array_schema.tdb', '__group', '__tiledb_group.tdb']
/** Most folders between a file and its array: `__fragments`, and the fragment; or `__schema` and `__enumerations`. */
const DEEPEST = 4

/** What the page shows for a file. */
export interface ShownFile {
  /** Path of the array or group that the file belongs to; of the file itself if there is none. */
  target: string
  /** The link of the page to the file. Undefined if the file is the target. */
  link: string | undefined
}

/** Finds the array or group that a file belongs to. */
export function placeOf(file: string): ShownFile {
  let folder = dirname(file)
  for (let up = 0; up < DEEPEST && basename(folder) !== ''; up++, folder = dirname(folder))
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) {
      const path = relative(folder, file).split(sep).join('/')
      return { target: folder, link: `#${new URLSearchParams({ v: 'files', p: path })}` }
    }
  return { target: file, link: undefined }
}
