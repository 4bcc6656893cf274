import { EditableArray } from '../../src/damage/editable-array.ts'
import { filesBelow } from './files-below.ts'
import { contextFor, FIXTURES, fixtureKey } from './fixtures.ts'

/** Where an edited array lies in memory. */
export const EDITED = '/array'

interface Fixture {
  files: ReadonlyMap<string, Uint8Array>
  key: string | undefined
}

const known = new Map<string, Fixture>()

/** Files and key of a fixture, read once, when it is asked for. */
function fixture(name: string): Fixture {
  let found = known.get(name)
  if (!found) {
    found = { files: filesBelow(`${FIXTURES}/${name}`, EDITED), key: fixtureKey(name) }
    known.set(name, found)
  }
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
