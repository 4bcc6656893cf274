import { groupDetails } from '../format/group-details.ts'
import { UUID } from './damage.ts'
import type { SampleRecipe } from './sample-files.ts'
import { setKeys } from './soma-sample.ts'

/*
 * A small image of BioImaging: a group with one level.
 */

const LEVEL = 'l_0.tdb'

export const IMAGE: SampleRecipe = {
  options: {
    dense: true,
    dim: ['Y:UINT16:0..9:10', 'X:UINT16:0..7:8'],
    attr: ['intensity:UINT8'],
    cells: '80',
    fragments: '1',
  },
  below: `${LEVEL}/`,
  async prepare(array) {
    const member = { version: 2, type: 'array' as const, relative: true, uri: LEVEL, name: LEVEL, deleted: false }
    array.add('__tiledb_group.tdb')
    array.add(`__group/__10_10_${UUID}_2`, await array.genericTile({ version: 2, members: [member] }, groupDetails))
    const levels = JSON.stringify([{ level: 0, name: LEVEL, axes: 'YX', shape: [10, 8] }])
    await setKeys(array, '', { dataset_type: 'bioimg', fmt_version: '2', axes: 'YX', levels, valid: 'true' }, 10)
  },
}
