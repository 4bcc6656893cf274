import type { Item } from '../check/finding.ts'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine } from '../documents/group.ts'
import { GroupOfArrays } from '../layers/by-arrays.ts'
import { overviewItems } from '../layers/check.ts'
import type { Layer, LayerMember, Look } from '../layers/layer.ts'
import { recognise } from '../layers/layers.ts'
import { DatasetPart, type SeenCells } from '../layers/part.ts'
import type { DatasetMember } from '../objects/dataset.ts'
import type { Target } from '../objects/target.ts'

/** What a layer says of a target. */
export interface Described {
  layer: LayerPart
  /** By the path of names of the member. */
  members: ReadonlyMap<string, LayerMember>
}

/** A target that belongs to a layer, while its members are met. */
export class LayeredTarget {
  private layer: Layer | undefined
  private readonly top: DatasetPart
  private readonly look: Look
  /** The arrays of a group that says nothing itself, until it is known what they say. */
  private arrays: GroupOfArrays | undefined

  constructor(layer: Layer | undefined, top: DatasetPart, look: Look) {
    this.layer = layer
    this.top = top
    this.look = look
    this.arrays = layer ? undefined : new GroupOfArrays()
  }

  /** Whether the members are to be kept until {@link describe} knows them all. */
  get mayDescribe(): boolean {
    return this.layer !== undefined || this.arrays?.mayBeDataset === true
  }

  /** Adds a member, groups before their own members. */
  async add(member: DatasetMember, seen: SeenCells): Promise<void> {
    if (!this.mayDescribe) return
    const part = this.top.add(member)
    if (!part) return
    part.seen = seen
    if (part.names.length === 1) await this.arrays?.add(part)
  }

  /** The layer, once all members are added. Undefined if the target belongs to none. */
  private async settled(): Promise<Layer | undefined> {
    const { arrays } = this
    this.arrays = undefined
    if (arrays?.mayBeDataset) this.layer = await arrays.layer()
    return this.layer
  }

  /** What the layer says of all that was added. Undefined without a layer. */
  async describe(seen: SeenCells = {}): Promise<Described | undefined> {
    const known = await this.settled()
    if (!known) return undefined
    this.top.seen = seen
    const {
      layer: name,
      title,
      type,
      version,
      is_version_known,
      facts,
      tables,
      pictures = [],
      members,
    } = await known.describe(this.top, this.look)
    const layer = {
      ...{ name, title, type, version, version_known: is_version_known, facts, tables },
      pictures: pictures.length > 0 ? pictures : undefined,
    }
    return { layer, members }
  }

  /** What is wrong between the parts that were added, without reading cells. */
  async items(): Promise<Item[]> {
    const items: Item[] = []
    const layer = await this.settled()
    if (!layer) return items
    for await (const item of overviewItems(layer, this.top)) items.push(item)
    return items
  }
}

/**
 * The layer of a target. Undefined if it has none that is known. Reads the key-value metadata of the target, and no more; whether a group
 * without attributes has one is known when its members are.
 * @param look how closely the layer looks, once all members are known
 */
export async function layeredTarget(target: Target, look: Look = {}): Promise<LayeredTarget | undefined> {
  const top = new DatasetPart(target)
  const layer = await recognise(top)
  const isList = target.type === 'group' && !target.isPlain
  return layer || isList ? new LayeredTarget(layer, top, look) : undefined
}

/** Adds to a line what the layer says of its member. */
export function withLayer<Line extends GroupLine>(line: Line, member: LayerMember | undefined): Line {
  return member ? { ...line, layer_type: member.type, layer_facts: member.facts } : line
}
