import type { AcrossCheck } from '../check/across.ts'
import type { Items, Level } from '../check/finding.ts'
import { type DatasetMember, memberName, walkDataset } from '../objects/dataset.ts'
import { openTarget, type Target } from '../objects/target.ts'
import type { Layer } from './layer.ts'
import { recognise, recogniseRow } from './layers.ts'
import { Part } from './part.ts'

/** A dataset of a layer, and where it was met. */
interface Met {
  layer: Layer
  target: Target
  names: readonly string[]
  /** Whether it is a group that only its arrays say is one: then it has no groups. */
  isOfArrays: boolean
}

/** Checks the datasets of layers in a target: the target itself, or else those in it. They are opened one after the other. */
export async function beginLayers(target: Target, level: Level): Promise<AcrossCheck> {
  const found: Met[] = []
  /** Groups that arrays belong to, which need not be met one after the other. */
  const groups = new Set<string>()
  const top = await recogniseRow(new Part(target))
  if (top) found.push({ layer: top.layer, target, names: [], isOfArrays: false })
  return {
    async met(member) {
      const last = found.at(-1)
      if (!member.target || member.again || (last && isBelow(member, last))) return
      const above = member.names.slice(0, -1)
      const group = JSON.stringify(above)
      if (member.target.type === 'array' && groups.has(group)) return
      const inside = await recogniseRow(new Part(member.target))
      if (!inside) return
      const { layer } = inside
      const isOfArrays = inside.isOfArrays && member.target.type === 'array'
      if (!isOfArrays) {
        found.push({ layer, target: member.target, names: member.names, isOfArrays })
        return
      }
      groups.add(group)
      const around: Target =
        above.length === 0 ? target : { type: 'group', path: member.group.folder.path, group: member.group }
      found.push({ layer, target: around, names: above, isOfArrays })
    },
    isPassing(member) {
      const dataset = found.findLast((one) => isBelow(member, one))
      return dataset?.layer.isPassing?.(memberName(member.member)) ?? false
    },
    async *items(): Items {
      for (const { layer, target: one, isOfArrays } of found.splice(0))
        yield* layer.check(await wholePart(one, isOfArrays ? 1 : undefined), level)
    },
  }
}

function isBelow({ names }: DatasetMember, { names: above, isOfArrays }: Met): boolean {
  return above.every((name, i) => names[i] === name) && (!isOfArrays || names.length === above.length + 1)
}

/** Finds the datasets of layers among the members of a walk that looks at several at once. A group comes before its members. */
export class LayerRoots {
  /** The layer that a group belongs to, by its names. */
  private readonly layers = new Map<string, Promise<Layer | undefined>>()
  /** Groups that their arrays say are datasets, and that were checked. */
  private readonly groups = new Set<string>()

  /** What is wrong between the parts of a member, if it is a dataset of a layer. Nothing for parts of one. */
  async *items(member: DatasetMember, level: Level): Items {
    const { names, target, again, group } = member
    if (!target || again) return
    const around = this.layers.get(keyOf(names.slice(0, -1)))
    const own = (async () => ((await around) ? undefined : recogniseRow(new Part(target))))()
    if (target.type === 'group')
      this.layers.set(
        keyOf(names),
        own.then(async (found) => found?.layer ?? (await around)),
      )
    const found = await own
    if (!found) return
    if (!found.isOfArrays || target.type === 'group') {
      yield* found.layer.check(await wholePart(target), level)
      return
    }
    const key = keyOf(names.slice(0, -1))
    if (this.groups.has(key)) return
    this.groups.add(key)
    yield* found.layer.check(await wholePart({ type: 'group', path: group.folder.path, group }, 1), level)
  }
}

/** Whether the layer of the group that lists a member says that it was there for a while only. */
export async function isPassing({ state, member, group }: DatasetMember): Promise<boolean> {
  if (state !== 'missing') return false
  const layer = await recognise(new Part({ type: 'group', path: group.folder.path, group }))
  return layer?.isPassing?.(memberName(member)) ?? false
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names)
}

/** A target with all its members, opened anew. @param depth number of levels of members */
export async function wholePart(target: Target, depth?: number): Promise<Part> {
  const top = new Part(target)
  if (target.type !== 'group') return top
  const { folder, cx } = target.group
  const fresh = { ...cx, keyProven: false, encrypted: false, onFault: () => {} }
  for await (const member of walkDataset(target, (path) => openTarget(folder.storage, path, fresh), depth))
    top.add(member)
  return top
}
