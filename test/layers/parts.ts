import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UUID } from '../../src/damage/damage.ts'
import { EditableArray } from '../../src/damage/editable-array.ts'
import { filesOf } from '../../src/damage/sample-files.ts'
import { setKeys } from '../../src/damage/soma-sample.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { wholePart } from '../../src/layers/check.ts'
import type { DatasetPart } from '../../src/layers/part.ts'
import { nodeCodecs, writingCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { SampleOptions } from '../../src/write/sample.ts'

/** An array of a dataset. */
export interface ArraySpec {
  options: SampleOptions
  /** NDJSON of the cells; undefined to generate them. */
  cells?: string
  keys?: Readonly<Record<string, string | number>>
}

/** A group of a dataset: members by name. */
export interface GroupSpec {
  members: Readonly<Record<string, ArraySpec | GroupSpec>>
  keys?: Readonly<Record<string, string | number>>
  /** Whether it is a folder without a list. */
  isPlain?: boolean
  /** Members that the list has not. */
  unlisted?: readonly string[]
}

export const ROOT = '/dataset'

/** Makes a dataset in memory. */
export async function dataset(spec: ArraySpec | GroupSpec): Promise<EditableArray> {
  const array = new EditableArray(ROOT, new Map(), () => readContext(nodeCodecs, undefined))
  await add(array, '', spec)
  return array
}

async function add(array: EditableArray, path: string, spec: ArraySpec | GroupSpec): Promise<void> {
  if ('options' in spec) {
    for (const [name, content] of await filesOf(spec, '', writingCodecs)) array.add(`${path}${name.slice(1)}`, content)
  } else {
    const { members, isPlain, unlisted = [] } = spec
    for (const [name, one] of Object.entries(members)) await add(array, `${path}${name}/`, one)
    if (!isPlain) {
      const listed = Object.entries(members).filter(([name]) => !unlisted.includes(name))
      const details = listed.map(([name, one]) => ({
        version: 2,
        type: 'options' in one ? ('array' as const) : ('group' as const),
        relative: true,
        uri: name,
        name,
        deleted: false,
      }))
      array.add(`${path}__tiledb_group.tdb`)
      // A group is known by the name of its list.
      const list = `${path}__group/__10_10_${array.matching(/__group/).length}${UUID.slice(1)}_2`
      array.add(list, await array.genericTile({ version: 2, members: details }, groupDetails))
    }
  }
  if (spec.keys) await setKeys(array, path, spec.keys, 10)
}

/** A dataset as its layer sees it. */
export async function partOf(spec: ArraySpec | GroupSpec): Promise<DatasetPart> {
  const array = await dataset(spec)
  return wholePart(await openTarget(array.storage(), ROOT, array.newContext()))
}

/** Writes a dataset that was made in memory. */
export function writeFiles({ root, files }: EditableArray, folder: string): void {
  for (const [path, content] of files) {
    const file = folder + path.slice(root.length)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
