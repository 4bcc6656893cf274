import type { Item } from '../check/finding.ts'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine } from '../documents/group.ts'
import type { Layer, LayerMember, Look } from '../layers/layer.ts'
import { recognise } from '../layers/layers.ts'
import { Part, type SeenCells } from '../layers/part.ts'
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
  private readonly layer: Layer
  private readonly top: Part
  private readonly look: Look

  constructor(layer: Layer, top: Part, look: Look) {
    this.layer = layer
    this.top = top
    this.look = look
  }

  /** Adds a member, groups before their own members. */
  add(member: DatasetMember, seen: SeenCells): void {
    const part = this.top.add(member)
    if (part) part.seen = seen
  }

  /** What the layer says of all that was added. */
  async describe(seen: SeenCells = {}): Promise<Described> {
    this.top.seen = seen
    const {
      layer: name,
      title,
      type,
      version,
      is_version_known,
      facts,
      tables,
      members,
    } = await this.layer.describe(this.top, this.look)
    const layer = { name, title, type, version, version_known: is_version_known, facts, tables }
    return { layer, members }
  }

  /** What is wrong between the parts that were added, without reading cells. */
  async items(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this.layer.check(this.top, 'structure')) items.push(item)
    return items
  }
}

/**
 * The layer of a target. Undefined if it has none that is known. Reads the key-value metadata of the target, and no more.
 * @param look how closely the layer looks, once all members are known
 */
export async function layeredTarget(target: Target, look: Look = {}): Promise<LayeredTarget | undefined> {
  const top = new Part(target)
  const layer = await recognise(top)
  return layer && new LayeredTarget(layer, top, look)
}

/** Adds to a line what the layer says of its member. */
export function withLayer<Line extends GroupLine>(line: Line, member: LayerMember | undefined): Line {
  return member ? { ...line, layer_type: member.type, layer_facts: member.facts } : line
}
