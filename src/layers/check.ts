import type { AcrossCheck } from '../check/across.ts'
import type { Items, Level } from '../check/finding.ts'
import { type DatasetMember, walkDataset } from '../objects/dataset.ts'
import { openTarget, type Target } from '../objects/target.ts'
import type { Layer } from './layer.ts'
import { recognise } from './layers.ts'
import { Part } from './part.ts'

/** A dataset of a layer, and where it was met. */
interface Met {
  layer: Layer
  target: Target
  names: readonly string[]
}

/** Checks the datasets of layers in a target: the target itself, or else those in it. They are opened one after the other. */
export async function beginLayers(target: Target, level: Level): Promise<AcrossCheck> {
  const found: Met[] = []
  const layer = await recognise(new Part(target))
  if (layer) found.push({ layer, target, names: [] })
  return {
    async met(member) {
      const last = found.at(-1)
      if (!member.target || member.again || (last && isBelow(member, last))) return
      const inside = await recognise(new Part(member.target))
      if (inside) found.push({ layer: inside, target: member.target, names: member.names })
    },
    async *items(): Items {
      for (const { layer, target: one } of found.splice(0)) yield* layer.check(await wholePart(one), level)
    },
  }
}

function isBelow({ names }: DatasetMember, { names: above }: Met): boolean {
  return above.every((name, i) => names[i] === name)
}

/** Finds the datasets of layers among the members of a walk that looks at several at once. A group comes before its members. */
export class LayerRoots {
  /** Whether a member belongs to a dataset that was recognised, by its names. */
  private readonly inside = new Map<string, Promise<boolean>>()

  /** What is wrong between the parts of a member, if it is a dataset of a layer. Nothing for parts of one. */
  async *items({ names, target, again }: DatasetMember, level: Level): Items {
    if (!target || again) return
    const above = this.inside.get(keyOf(names.slice(0, -1)))
    const layer = (async () => ((await above) ? undefined : recognise(new Part(target))))()
    if (target.type === 'group')
      this.inside.set(
        keyOf(names),
        layer.then(async (found) => found !== undefined || (await above) === true),
      )
    const found = await layer
    if (found) yield* found.check(await wholePart(target), level)
  }
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names)
}

/** A target with all its members, opened anew. */
export async function wholePart(target: Target): Promise<Part> {
  const top = new Part(target)
  if (target.type !== 'group') return top
  const { folder, cx } = target.group
  const fresh = { ...cx, keyProven: false, encrypted: false, onFault: () => {} }
  for await (const member of walkDataset(target, (path) => openTarget(folder.storage, path, fresh))) top.add(member)
  return top
}
