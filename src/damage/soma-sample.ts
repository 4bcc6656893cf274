import { arrayMetadata } from '../format/array-metadata.ts'
import { groupDetails } from '../format/group-details.ts'
import type { SampleOptions } from '../write/sample.ts'
import { text } from './bytes.ts'
import { UUID } from './damage.ts'
import type { EditableArray } from './editable-array.ts'
import { filesOf, type SampleRecipe } from './sample-files.ts'

/*
 * A small experiment of SOMA: four observations, three variables, and a layer with a cell of each.
 */

const FRAME: SampleOptions = { dim: ['obs_id:STRING_ASCII'], attr: ['soma_joinid:INT64'], capacity: '4' }
const LAYER: SampleOptions = {
  dim: ['soma_dim_0:INT64:0..99:10', 'soma_dim_1:INT64:0..99:10'],
  attr: ['soma_data:FLOAT32'],
  capacity: '4',
}

function rows(...values: readonly object[]): string {
  return values.map((row) => `${JSON.stringify(row)}\n`).join('')
}

function frame(...names: readonly string[]): string {
  return rows(...names.map((obs_id, soma_joinid) => ({ obs_id, soma_joinid })))
}

interface SomaArray {
  type: string
  options: SampleOptions
  cells: string
}

/** By the path of its folder. */
const ARRAYS: Readonly<Record<string, SomaArray>> = {
  'obs/': { type: 'SOMADataFrame', options: FRAME, cells: frame('a', 'b', 'c', 'd') },
  'ms/RNA/var/': { type: 'SOMADataFrame', options: FRAME, cells: frame('g', 'h', 'i') },
  'ms/RNA/X/data/': {
    type: 'SOMASparseNDArray',
    options: LAYER,
    cells: rows(
      ...[
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 0],
      ].map(([soma_dim_0, soma_dim_1]) => ({ soma_dim_0, soma_dim_1, soma_data: 1 })),
    ),
  },
}

/** Members of each group, by the path of its folder. */
const GROUPS: Readonly<Record<string, { type: string; arrays?: readonly string[]; groups?: readonly string[] }>> = {
  '': { type: 'SOMAExperiment', arrays: ['obs'], groups: ['ms'] },
  'ms/': { type: 'SOMACollection', groups: ['RNA'] },
  'ms/RNA/': { type: 'SOMAMeasurement', arrays: ['var'], groups: ['X'] },
  'ms/RNA/X/': { type: 'SOMACollection', arrays: ['data'] },
}

const OBS = 'obs/'

export const SOMA: SampleRecipe = {
  options: FRAME,
  cells: ARRAYS[OBS].cells,
  below: OBS,
  async prepare(array) {
    for (const [path, { type }] of Object.entries(ARRAYS)) {
      if (path !== OBS) await addFiles(array, path, ARRAYS[path].cells)
      await setTexts(array, path, { soma_object_type: type, soma_encoding_version: '1' }, 10)
    }
    for (const [i, [path, { type, arrays = [], groups = [] }]] of Object.entries(GROUPS).entries()) {
      const member = { version: 2, relative: true, deleted: false }
      const members = [
        ...arrays.map((name) => ({ ...member, type: 'array' as const, uri: name, name })),
        ...groups.map((name) => ({ ...member, type: 'group' as const, uri: name, name })),
      ]
      array.add(`${path}__tiledb_group.tdb`)
      // A group is known by the name of its list.
      array.add(
        `${path}__group/__10_10_${i}${UUID.slice(1)}_2`,
        await array.genericTile({ version: 2, members }, groupDetails),
      )
      await setTexts(array, path, { soma_object_type: type, soma_encoding_version: '1' }, 10)
    }
  },
}

/** Time of a second write, in milliseconds: later than that of the first, which the seed gives. */
const LATER = 1_760_000_000_000n

/** Adds an array of the sample, or a second fragment of it with other cells. */
async function addFiles(array: EditableArray, path: string, cells: string, times?: readonly bigint[]): Promise<void> {
  const { options } = ARRAYS[path]
  const files = await filesOf({ options, cells }, '', array.newContext().codecs, times)
  for (const [name, content] of files)
    if (!times || /\/__(?:fragments|commits|schema)\//.test(name)) array.add(`${path}${name.slice(1)}`, content)
}

/** Writes more cells to an array of the sample. */
export function writeCells(array: EditableArray, path: string, cells: string): Promise<void> {
  return addFiles(array, path, cells, [LATER])
}

/** Sets keys of the metadata of a part of the sample. */
export async function setTexts(
  array: EditableArray,
  path: string,
  values: Readonly<Record<string, string>>,
  time = 20,
): Promise<void> {
  const entries = Object.entries(values).map(([key, one]) => {
    const value = text(one)
    return { key, deleted: false, type: 'STRING_UTF8' as const, value_num: value.length, value }
  })
  array.add(`${path}__meta/__${time}_${time}_${UUID}`, await array.genericTile({ entries }, arrayMetadata))
}
