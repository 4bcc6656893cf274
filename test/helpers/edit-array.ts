import { EditableArray } from '../../src/damage/editable-array.ts'
import { filesBelow } from './files-below.ts'
import { contextFor, FIXTURES, fixtureFolders } from './fixtures.ts'

/** Where an edited array lies in memory. */
export const EDITED = '/array'

const known = new Map<string, { files: ReadonlyMap<string, Uint8Array>; key: string | undefined }>()

/** Files and key of a fixture, read once. */
function fixture(name: string): { files: ReadonlyMap<string, Uint8Array>; key: string | undefined } {
  if (known.size === 0)
    for (const { name, path, key } of fixtureFolders()) known.set(name, { files: filesBelow(path, EDITED), key })
  // What TileDB cannot read, or not by its ranges, has nothing expected beside it.
  if (/^(unreadable|nan)\//.test(name)) return { files: filesBelow(`${FIXTURES}/${name}`, EDITED), key: undefined }
  const found = known.get(name)
  if (!found) throw new Error(`no fixture ${name}`)
  return found
}

/** A fixture in memory that tests damage on purpose. */
export class EditedArray extends EditableArray {
  readonly key: string | undefined

  constructor(name: string) {
    const { files, key } = fixture(name)
    super(EDITED, files, () => contextFor({ key }))
    this.key = key
  }
}
