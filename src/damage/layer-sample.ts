import { arrayMetadata, type MetadataEntry } from '../format/array-metadata.ts'
import { groupDetails } from '../format/group-details.ts'
import type { SampleOptions } from '../write/sample.ts'
import { textBytes, u32Bytes } from './bytes.ts'
import { UUID } from './damage.ts'
import type { EditableArray } from './editable-array.ts'
import { filesOf, type SampleRecipe } from './sample-files.ts'

/*
 * Small datasets of layers: groups and arrays, and the keys that say what they are.
 */

/** Values of keys. A number is a UINT32. */
export type Keys = Readonly<Record<string, string | number>>

export interface SampleArray {
  options: SampleOptions
  /** NDJSON. */
  cells: string
  keys?: Keys
}

export interface SampleGroup {
  /** Names of its members. */
  arrays?: readonly string[]
  groups?: readonly string[]
  keys?: Keys
}

/** A dataset, by the paths of its folders, which end in `/`. */
export interface LayerSample {
  arrays: Readonly<Record<string, SampleArray>>
  groups: Readonly<Record<string, SampleGroup>>
}

/** Cells as NDJSON. */
export function rows(...values: readonly object[]): string {
  return values.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** How to make a dataset. */
export function layerRecipe({ arrays, groups }: LayerSample): SampleRecipe {
  const [[first, { options, cells }]] = Object.entries(arrays)
  return {
    options,
    cells,
    below: first,
    async prepare(array) {
      for (const [path, one] of Object.entries(arrays)) {
        if (path !== first) await addFiles(array, path, one)
        if (one.keys) await setKeys(array, path, one.keys, 10)
      }
      for (const [i, [path, group]] of Object.entries(groups).entries()) await addGroup(array, path, group, i)
    },
  }
}

async function addGroup(
  array: EditableArray,
  path: string,
  { arrays = [], groups = [], keys }: SampleGroup,
  number: number,
): Promise<void> {
  const member = { version: 2, relative: true, deleted: false }
  const members = [
    ...arrays.map((name) => ({ ...member, type: 'array' as const, uri: name, name })),
    ...groups.map((name) => ({ ...member, type: 'group' as const, uri: name, name })),
  ]
  array.add(`${path}__tiledb_group.tdb`)
  // A group is known by the name of its list.
  array.add(
    `${path}__group/__10_10_${number}${UUID.slice(1)}_2`,
    await array.genericTile({ version: 2, members }, groupDetails),
  )
  if (keys) await setKeys(array, path, keys, 10)
}

/** Time of a second write, in milliseconds: later than that of the first, which the seed gives. */
const LATER = 1_760_000_000_000n

/** Adds an array of the sample, or a second fragment of it with other cells. */
async function addFiles(
  array: EditableArray,
  path: string,
  { options, cells }: SampleArray,
  times?: readonly bigint[],
): Promise<void> {
  const files = await filesOf({ options, cells }, '', array.newContext().codecs, times)
  for (const [name, content] of files)
    if (!times || /\/__(?:fragments|commits|schema)\//.test(name)) array.add(`${path}${name.slice(1)}`, content)
}

/** Writes more cells to an array of a sample. @param cells NDJSON */
export function addCells(array: EditableArray, { arrays }: LayerSample, path: string, cells: string): Promise<void> {
  return addFiles(array, path, { ...arrays[path], cells }, [LATER])
}

/** Sets keys of the metadata of a part of a sample. */
export function setKeys(array: EditableArray, path: string, keys: Keys, time = 20): Promise<void> {
  const entries = Object.entries(keys).map(([key, one]): MetadataEntry => {
    if (typeof one === 'number') return { key, deleted: false, type: 'UINT32', value_num: 1, value: u32Bytes(one) }
    const value = textBytes(one)
    return { key, deleted: false, type: 'STRING_UTF8', value_num: value.length, value }
  })
  return addKeys(array, path, entries, time)
}

/** Removes a key from the metadata of a part of a sample. */
export function removeKey(array: EditableArray, key: string, path = ''): Promise<void> {
  return addKeys(array, path, [{ key, deleted: true, type: undefined, value_num: undefined, value: undefined }], 20)
}

async function addKeys(
  array: EditableArray,
  path: string,
  entries: readonly MetadataEntry[],
  time: number,
): Promise<void> {
  array.add(
    `${path}__meta/__${time}_${time}_${UUID}`,
    await array.genericTile({ entries: [...entries] }, arrayMetadata),
  )
}
