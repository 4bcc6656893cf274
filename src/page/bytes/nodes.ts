import type { Part, Space } from '../../anatomy/part.ts'
import { elementPart } from '../../anatomy/path.ts'
import { asInspectError, type InspectError } from '../../base/errors.ts'
import { lastNotAfter } from '../../base/last-not-after.ts'

/**
 * The parts of a file as a tree that is opened step by step. The parts are those that `dump` prints. A node keeps what it opened, so
 * the spaces below filters stay the same objects. Long lists are split into groups, so only the visible part of a list of a
 * million tiles costs memory.
 */

/** Upper limit on the nodes below one node. Longer lists are split into groups, whose size is a power of this. */
const MOST = 100

/** Size in bytes above which a tile is read only when the user asks for it, not on the way to a byte. */
export const LARGE = 64 * 2 ** 20

/** Upper limit in bytes on the opened tiles that are kept, stored or unfiltered. */
const TILES_KEPT = 128 * 2 ** 20

/** Estimated size in bytes of the nodes of an opened tile. */
const NODES = 16 * 1024

/** Positions or offsets from `from` to before `to`. */
export interface NodeRange {
  from: number
  to: number
}

export class Node {
  readonly part: Part
  readonly parent: Node | undefined
  readonly level: number
  /** Number of the node, for its id and its colour. */
  readonly number: number
  /** The positions in the part's list that a group stands for; undefined if the node is no group. */
  readonly group: NodeRange | undefined
  isOpen = false
  /** The nodes inside; undefined until the node was opened. */
  kids: readonly Node[] | undefined
  error: InspectError | undefined
  private readonly lists: Lists
  private opening: Promise<void> | undefined

  constructor(part: Part, lists: Lists, parent?: Node, group?: NodeRange) {
    this.part = part
    this.lists = lists
    this.parent = parent
    this.level = parent ? parent.level + 1 : 1
    this.number = lists.nodeNum++
    this.group = group
  }

  get space(): Space {
    return this.part.space
  }

  /** Whether something may be inside. */
  get canOpen(): boolean {
    return this.group !== undefined || this.part.elements !== undefined || this.part.children !== undefined
  }

  /** First and end offset in the space. */
  get from(): number {
    return this.part.offset
  }

  get to(): number {
    return this.part.offset + this.part.length
  }

  /** Opens the node and keeps what is inside. Does not throw: an error is kept, and shown with the node. */
  async open(): Promise<readonly Node[]> {
    this.isOpen = true
    this.opening ??= this.load()
    await this.opening
    return this.kids ?? []
  }

  /** Closes the node, and forgets what was inside. */
  close(): void {
    this.isOpen = false
    this.kids = undefined
    this.opening = undefined
    this.error = undefined
    if (!this.group) this.lists.closed(this)
  }

  private async load(): Promise<void> {
    try {
      const list = await this.lists.of(this.part)
      const { from, to } = this.group ?? { from: 0, to: list.count }
      let size = 1
      while ((to - from) / size > MOST) size *= MOST
      const kids: Node[] = []
      for (let at = from; at < to; at += size)
        kids.push(
          size === 1
            ? new Node(await list.at(at), this.lists, this)
            : new Node(this.part, this.lists, this, { from: at, to: Math.min(to, at + size) }),
        )
      this.kids = kids
      if (this.part.type === 'tile' && !this.group) this.lists.opened(this)
    } catch (error) {
      this.error = asInspectError(error)
      this.kids = []
    }
  }

  /** The node of an element or child. @param index its position in the part's list */
  async kid(index: number): Promise<Node | undefined> {
    let node: Node = this
    while (true) {
      const kids: readonly Node[] = await node.open()
      const holder = kids.find(({ group }) => group && index >= group.from && index < group.to)
      if (!holder) return kids[index - (node.group?.from ?? 0)]
      node = holder
    }
  }

  /** Position of the child that holds a byte of the part's space; -1 if there is none. */
  async find(offset: number): Promise<number> {
    return (await this.lists.of(this.part)).find(offset)
  }

  /** The path from the file to this node. Groups have no step of their own. */
  get steps(): readonly string[] {
    const above = this.parent?.steps ?? []
    return this.parent === undefined || this.group ? above : [...above, this.part.name]
  }

  /** The highest node of the space: the file, or the output of a filter. */
  get top(): Node {
    let node: Node = this
    while (node.parent && node.parent.space === this.space) node = node.parent
    return node
  }
}

/** The elements or children of a part, each made when it is asked for. */
interface List {
  count: number
  at(index: number): Part | Promise<Part>
  find(offset: number): number
}

/** The lists of all parts of a file. All groups of a part share its list. */
class Lists {
  /** Number of nodes made so far. */
  nodeNum = 0
  private readonly lists = new WeakMap<Part, Promise<List>>()
  /** Opened tiles with their bytes in memory, in the order of opening. */
  private readonly tiles = new Map<Node, number>()

  of(part: Part): Promise<List> {
    const found = this.lists.get(part)
    if (found) return found
    const list = listOf(part)
    this.lists.set(part, list)
    return list
  }

  /** Notes that a tile was opened. Closes the tiles that were opened first until the others fit into {@link TILES_KEPT}. */
  opened(tile: Node): void {
    this.tiles.set(tile, tileBytes(tile.part) + NODES)
    let sum = 0
    for (const bytes of this.tiles.values()) sum += bytes
    for (const [first, bytes] of this.tiles) {
      if (sum <= TILES_KEPT || first === tile) return
      sum -= bytes
      first.close()
    }
  }

  closed(node: Node): void {
    this.lists.delete(node.part)
    this.tiles.delete(node)
  }
}

async function listOf(part: Part): Promise<List> {
  const { elements } = part
  if (elements)
    return {
      count: elements.count,
      at: (index) => elementPart(part, index),
      find: (offset) => lastNotAfter(elements.count, elements.start, offset),
    }
  return (await part.children?.()) ?? { count: 0, at: () => part, find: () => -1 }
}

export function rootNode(part: Part): Node {
  return new Node(part, new Lists())
}

/** Whether opening the part reads more than {@link LARGE} bytes. */
export function isLarge(part: Part): boolean {
  return (part.type === 'tile' || part.type === 'generic tile') && tileBytes(part) > LARGE
}

/** Size of a tile in bytes, stored or unfiltered, whichever is more. */
function tileBytes({ length, claimedSize }: Part): number {
  return Math.max(length, claimedSize ?? 0)
}

/** The smallest node that holds a byte of the space of `top`. Opens the nodes above it, but no large tile. */
export async function nodeAt(top: Node, offset: number): Promise<Node> {
  let node = top
  while (node.canOpen && !(isLarge(node.part) && !node.isOpen)) {
    const index = await node.find(offset)
    const kid = index < 0 ? undefined : await node.kid(index)
    if (!kid || kid.space !== top.space || offset < kid.from || offset >= kid.to) break
    node = kid
  }
  return node
}

/** The node at a path below `root`, or the last one that exists on the way. */
export async function nodeOfSteps(root: Node, steps: readonly string[]): Promise<Node> {
  let node = root
  for (const step of steps) {
    const index = /^\d+$/.test(step) ? Number(step) : -1
    let next = index >= 0 ? await node.kid(index) : undefined
    if (next?.part.name !== step) next = (await node.open()).find(({ part, group }) => !group && part.name === step)
    if (!next) break
    node = next
  }
  return node
}

/** The rows of the tree: the root, and everything inside open nodes. */
export function rowsOf(root: Node): readonly Node[] {
  const rows: Node[] = []
  const add = (node: Node): void => {
    rows.push(node)
    if (node.isOpen) for (const kid of node.kids ?? []) add(kid)
  }
  add(root)
  return rows
}

/** The smallest node of the space that holds a byte, among those that exist already. */
export function openNodeAt(top: Node, offset: number): Node {
  let node = top
  while (node.kids) {
    const kid: Node | undefined = node.kids.find((one) => one.space === top.space && covers(one, offset))
    if (!kid) break
    node = kid
  }
  return node
}

/** Whether a node holds a byte. A group holds it if one of its existing nodes does. */
function covers(node: Node, offset: number): boolean {
  if (!node.group) return offset >= node.from && offset < node.to
  return node.kids?.some((kid) => covers(kid, offset)) ?? false
}
