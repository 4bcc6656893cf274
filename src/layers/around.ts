import { faultOf, InspectError, unlessFault } from '../base/errors.ts'
import { memberName } from '../objects/dataset.ts'
import { type Member, memberPath } from '../objects/group.ts'
import { type ArrayTarget, type GroupTarget, openTarget } from '../objects/target.ts'
import { GroupOfArrays } from './by-arrays.ts'
import type { ArrayWords, Layer, LayerName } from './layer.ts'
import { type LayerRow, layersOfArray, recognise } from './layers.ts'
import { DatasetPart } from './part.ts'

/*
 * Where an array is in a dataset, found from the array up. Other members are opened only if the arrays of a group must tell whether it is
 * a dataset, and if they are few.
 */

/** An array as a part of a dataset of a layer. */
export interface ArrayPlace {
  layer: LayerName
  /** The dataset; undefined if the array stands alone. */
  dataset: GroupTarget | undefined
  /** Names from the dataset down. */
  names: readonly string[]
  words: ArrayWords
}

/** A group around an array. */
interface Around {
  group: GroupTarget
  /** Names from the group down to the array. */
  names: readonly string[]
}

/**
 * What an array is in the words of a layer. Undefined if it belongs to none that is known: then nothing was read but the array's own
 * key-value metadata and schema. The dataset is one of which an overview says so, too; none is named if that takes too many reads.
 */
export async function placeOfArray({ array, path }: ArrayTarget): Promise<ArrayPlace | undefined> {
  const target: ArrayTarget = { type: 'array', path, array: array.quietly() }
  const groups = new GroupsAround(target)
  for await (const row of layersOfArray(new DatasetPart(target))) {
    const layer = await row.load()
    const top = await (row.isOfArrays ? datasetOfArrays(layer, groups) : datasetOf(row, layer, groups))
    const part = new DatasetPart(target, top?.names ?? [])
    // One that may be a part, but that lies in no dataset, is none.
    if (!top && !(await row.recognises(part))) continue
    const words = await layer.words?.(part, top ? new DatasetPart(top.group) : part)
    if (words) return { layer: row.name, dataset: top?.group, names: part.names, words: await ofFields(part, words) }
  }
  return undefined
}

/** The outermost of the groups around an array, without a gap, that say that they are of a layer. */
async function datasetOf(row: LayerRow, layer: Layer, groups: GroupsAround): Promise<Around | undefined> {
  let top: Around | undefined
  for await (const around of groups.all()) {
    const part = new DatasetPart(around.group)
    const isOne = await row.recognises(part)
    if (!isOne && top) break
    if (!isOne) continue
    top = around
    if (await layer.isWhole?.(part)) break
  }
  return top
}

/** The outermost group that says that it is of a layer, or else the innermost whose arrays say so. */
async function datasetOfArrays(layer: Layer, groups: GroupsAround): Promise<Around | undefined> {
  let top: Around | undefined
  const silent: Around[] = []
  for await (const around of groups.all()) {
    // It is no dataset of arrays, and no member of a group.
    if (around.group.isPlain) break
    const found = await recognise(new DatasetPart(around.group))
    if (found === layer) top = around
    if (!found) silent.push(around)
  }
  if (top) return top
  for (const around of silent) if ((await layerByArrays(around.group)) === layer) return around
  return undefined
}

/** Most members that are opened to know whether a group is a dataset; each is several requests over a network. */
const MAX_OPENED = 100
const MAX_OPENED_FAR = 16

/** The layer of which the arrays of a group say that the group is a dataset. Undefined if there are too many members to ask. */
async function layerByArrays({ group }: GroupTarget): Promise<Layer | undefined> {
  const { folder, cx } = group
  const members: Member[] = []
  for await (const member of group.quietly().eachMember()) {
    members.push(member)
    if (members.length > (folder.isRemote ? MAX_OPENED_FAR : MAX_OPENED)) return undefined
  }
  const arrays = new GroupOfArrays()
  for (const member of members) {
    const path = memberPath(folder.path, member)
    const target = path === undefined ? undefined : await openTarget(folder.storage, path, cx).catch(unlessFault)
    await arrays.add(new DatasetPart(target, [memberName(member)]))
    if (!arrays.mayBeDataset) return undefined
  }
  return arrays.layer()
}

/** Words without those of fields that the array does not have. */
async function ofFields(part: DatasetPart, { fields = {}, ...words }: ArrayWords): Promise<ArrayWords> {
  const schema = await part.schema()
  const names = [...(schema?.domain.dimensions ?? []), ...(schema?.attributes ?? [])].map(({ name }) => name)
  const known = names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]] as const] : []))
  return { ...words, fields: Object.fromEntries(known) }
}

/** Most folders above an array that are looked at. */
const MAX_LEVELS_ABOVE = 8
/** Groups in a row that do not list what is below them, after which no more are looked for. */
const MAX_STRANGERS = 2

/** The groups around an array, the innermost first. Each is opened once, and only if it is asked for. */
class GroupsAround {
  private readonly found: Around[] = []
  private readonly target: ArrayTarget
  private rest: AsyncGenerator<Around> | undefined

  constructor(target: ArrayTarget) {
    this.target = target
  }

  async *all(): AsyncGenerator<Around> {
    this.rest ??= this.look()
    yield* this.found
    for (;;) {
      const { done, value } = await this.rest.next()
      if (done) return
      this.found.push(value)
      yield value
    }
  }

  private async *look(): AsyncGenerator<Around> {
    const { folder, cx } = this.target.array
    let below: { path: string; names: readonly string[] } = { path: folder.path, names: [] }
    let strangers = 0
    let at = folder.parent()
    for (let up = 0; at && up < MAX_LEVELS_ABOVE && strangers < MAX_STRANGERS; up++) {
      const opened = await openTarget(at.storage, at.path, cx).catch(faultOf)
      const group = opened instanceof InspectError || opened.type !== 'group' ? undefined : opened
      const name = group && (await nameIn(group, below.path))
      if (group && name !== undefined) {
        below = { path: at.path, names: [name, ...below.names] }
        strangers = 0
        yield { group, names: below.names }
      } else strangers++
      at = at.parent()
    }
  }
}

/** The name by which a group lists what is at a path; undefined if it does not. */
async function nameIn({ group, isPlain }: GroupTarget, path: string): Promise<string | undefined> {
  const { folder } = group
  // All that lies in a plain folder is its member. There may be much else in it.
  if (isPlain) return path.slice(folder.path.length + 1)
  try {
    for await (const member of group.quietly().eachMember())
      if (memberPath(folder.path, member) === path) return memberName(member)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
  }
  return undefined
}
