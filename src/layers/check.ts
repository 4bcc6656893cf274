import { InspectError, orError } from '../base/errors.ts'
import { nameOf } from '../base/paths.ts'
import type { AcrossCheck, LostAs } from '../check/across.ts'
import { fromError, type Item, type Items, type Level } from '../check/finding.ts'
import { type DatasetMember, memberName, namesKey, walkDataset } from '../objects/dataset.ts'
import { openTarget, type Target } from '../objects/target.ts'
import type { Layer } from './layer.ts'
import { recognise, recogniseRow } from './layers.ts'
import { DatasetPart } from './part.ts'

/** A dataset of a layer. */
interface Dataset {
  layer: Layer
  target: Target
  /** Number of levels of members; undefined for all. It is 1 if only the arrays of a group say that it is a dataset. */
  depth: number | undefined
}

/** Checks the datasets of layers in a target: the target itself, or else those in it. They are opened one after the other. */
export async function beginLayers(target: Target, level: Level): Promise<AcrossCheck> {
  const found: Dataset[] = []
  const roots = new LayerRoots()
  const layer = await roots.begin(target)
  if (layer) found.push({ layer, target, depth: undefined })
  return {
    async met(member) {
      const root = await roots.rootAt(member)
      if (root) found.push(root)
    },
    lostAs,
    async *items(): Items {
      for (const dataset of found.splice(0)) yield* checkDataset(dataset, level)
    },
  }
}

async function* checkDataset({ layer, target, depth }: Dataset, level: Level): Items {
  const top = await wholePart(target, depth)
  for await (const item of layer.check(top, level)) if (!causeOf(item, top)) yield item
}

/** The part whose unreadable file is the cause of a finding. Another check reports that file, and each cause is told once. */
function causeOf(item: Item, top: DatasetPart): DatasetPart | undefined {
  if ('notExamined' in item || (item.code !== 'LAYER_METADATA' && item.code !== 'LAYER_MEMBER')) return undefined
  const part = [...top.all()].find((one) => one.file === item.file)
  return (item.code === 'LAYER_METADATA' ? part?.metadataFault : part?.isLost) ? part : undefined
}

/**
 * What is wrong between the parts of a dataset, without reading cells. Where key-value metadata cannot be read, that is told instead of
 * what follows from it: nobody else reads it in an overview.
 */
export async function* overviewItems(layer: Layer, top: DatasetPart): Items {
  const told = new Set<DatasetPart>()
  for await (const item of layer.check(top, 'structure')) {
    const cause = causeOf(item, top)
    if (!cause) yield item
    // A member that cannot be opened is the finding of its group.
    else if (cause.metadataFault && !told.has(cause))
      yield fromError(cause.metadataFault, 'METADATA_UNREADABLE', { file: cause.file })
    if (cause) told.add(cause)
  }
}

/**
 * Finds the datasets of layers among the members of a walk. A group comes before its members; several members may be looked at at once.
 */
export class LayerRoots {
  /** The layer that a group belongs to, by its names. */
  private readonly layers = new Map<string, Promise<Layer | undefined>>()
  /** Groups that were found to be datasets, because their arrays say so. */
  private readonly groups = new Set<string>()

  /** The layer of the target of the walk itself. */
  begin(target: Target): Promise<Layer | undefined> {
    const layer = recognise(new DatasetPart(target))
    this.layers.set(namesKey([]), layer)
    return layer
  }

  /** The dataset that begins at a member. Undefined for parts of one. */
  async rootAt({ names, target, again, group }: DatasetMember): Promise<Dataset | undefined> {
    if (!target || again) return undefined
    const above = namesKey(names.slice(0, -1))
    if (target.type === 'array' && this.groups.has(above)) return undefined
    const around = this.layers.get(above)
    const own = (async () => ((await around) ? undefined : recogniseRow(new DatasetPart(target))))()
    if (target.type === 'group')
      this.layers.set(
        namesKey(names),
        own.then(async (found) => found?.layer ?? (await around)),
      )
    const found = await own
    if (!found) return undefined
    const { layer, isOfArrays } = found
    if (!isOfArrays || target.type === 'group') return { layer, target, depth: undefined }
    if (this.groups.has(above)) return undefined
    this.groups.add(above)
    return { layer, target: { type: 'group', path: group.folder.path, group }, depth: 1 }
  }

  /** What is wrong between the parts of a member, if a dataset of a layer begins there. */
  async *items(member: DatasetMember, level: Level): Items {
    const root = await this.rootAt(member)
    if (root) yield* checkDataset(root, level)
  }
}

/** What the layer of the group that lists a member says of it. Undefined if the member is there. */
export async function lostAs({ state, member, group }: DatasetMember): Promise<LostAs | undefined> {
  if (state !== 'missing') return undefined
  const part = new DatasetPart({ type: 'group', path: group.folder.path, group })
  const layer = await recognise(part)
  if (layer) return layer.lostAs?.(memberName(member), part)
  const { folder, cx } = group
  const parent = folder.parent()
  const above = parent && (await orError(() => openTarget(parent.storage, parent.path, cx)))
  if (!above || above instanceof InspectError) return undefined
  return (await recognise(new DatasetPart(above)))?.lostBelow?.(`${nameOf(folder.path)}/${memberName(member)}`)
}

/** A target with all its members, opened anew. @param depth number of levels of members */
export async function wholePart(target: Target, depth?: number): Promise<DatasetPart> {
  const top = new DatasetPart(target)
  if (target.type !== 'group') return top
  const { folder, cx } = target.group
  const fresh = { ...cx, keyProven: false, encrypted: false, onFault: () => {} }
  for await (const member of walkDataset(target, (path) => openTarget(folder.storage, path, fresh), depth))
    top.add(member)
  return top
}
