import { lastNotAfter, type Part, type Space } from '../../anatomy/part.ts'
import { elementPart } from '../../anatomy/path.ts'
import { asInspectError, type InspectError } from '../../base/errors.ts'

/**
 * The parts of a file as a tree that is opened step by step: the same parts as `dump` prints. Each node keeps what it opened, so that
 * the spaces below filters stay the same ones. Long lists stand in groups, so that a list of a million tiles costs what is seen of it.
 */

/** Nodes below one node. Longer lists are split into groups of a power of this. */
const MOST = 100

/** Reading a tile of more bytes than this takes long: it is read when asked for, not on the way to a byte. */
export const LARGE = 64 * 2 ** 20

/** In bytes. Opened tiles are kept up to this: each has its bytes, and what its filters made of them. */
const TILES_KEPT = 128 * 2 ** 20

/** In bytes: about what the nodes of an opened tile take beside its bytes. */
const NODES = 16 * 1024

export class Node {
  readonly part: Part
  readonly parent: Node | undefined
  readonly level: number
  /** For ids, and to tell neighbours apart by colour. */
  readonly number: number
  /** Of a group: the positions in the list that it stands for. */
  readonly group: { from: number; to: number } | undefined
  isOpen = false
  /** Undefined until it was opened. */
  kids: readonly Node[] | undefined
  error: InspectError | undefined
  private readonly lists: Lists
  private opening: Promise<void> | undefined

  constructor(part: Part, lists: Lists, parent?: Node, group?: { from: number; to: number }) {
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

  /** Bytes in its space, one past the last. */
  get from(): number {
    return this.part.offset
  }

  get to(): number {
    return this.part.offset + this.part.length
  }

  /** Opens it and remembers what is inside. An error is kept, and shown with the node. */
  async open(): Promise<readonly Node[]> {
    this.isOpen = true
    this.opening ??= this.load()
    await this.opening
    return this.kids ?? []
  }

  /** Closes it, and forgets what was inside. */
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

  /** The node of an element or child by its position in the part's list. */
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

  /** Names from the file down to here, as a path: groups have none. */
  get steps(): readonly string[] {
    const above = this.parent?.steps ?? []
    return this.parent === undefined || this.group ? above : [...above, this.part.name]
  }

  /** The highest node of its space: the file, or what came out of a filter. */
  get top(): Node {
    let node: Node = this
    while (node.parent && node.parent.space === this.space) node = node.parent
    return node
  }
}

/** What is inside a part: elements or children, each made when asked for. */
interface List {
  count: number
  at(index: number): Part | Promise<Part>
  find(offset: number): number
}

/** The lists of parts: each is made once for all groups of it. */
class Lists {
  nodeNum = 0
  private readonly made = new WeakMap<Part, Promise<List>>()
  /** Opened tiles with their bytes, the first opened first. */
  private readonly tiles = new Map<Node, number>()

  of(part: Part): Promise<List> {
    const found = this.made.get(part)
    if (found) return found
    const made = listOf(part)
    this.made.set(part, made)
    return made
  }

  /** Closes the tiles that were opened first, if all together are too large. */
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
    this.made.delete(node.part)
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

/** Whether opening the part reads a lot. */
export function isLarge(part: Part): boolean {
  return (part.type === 'tile' || part.type === 'generic tile') && tileBytes(part) > LARGE
}

/** Of a tile: its stored bytes, or what its filters make of them, whichever is more. */
function tileBytes({ length, unfolds }: Part): number {
  return Math.max(length, unfolds ?? 0)
}

/** The smallest node that holds a byte of the space of `top`. What is on the way is opened, but no large tile. */
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

/** The node with these names below `root`, or the last one on the way. */
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

/** The rows of the tree: open nodes with what is inside, from the top. */
export function rowsOf(root: Node): readonly Node[] {
  const rows: Node[] = []
  const add = (node: Node): void => {
    rows.push(node)
    if (node.isOpen) for (const kid of node.kids ?? []) add(kid)
  }
  add(root)
  return rows
}

/** Among what is open already: the smallest node of the space that holds a byte. */
export function openNodeAt(top: Node, offset: number): Node {
  let node = top
  while (node.kids) {
    const kid: Node | undefined = node.kids.find((one) => one.space === top.space && covers(one, offset))
    if (!kid) break
    node = kid
  }
  return node
}

/** Whether the node, or the group, holds a byte. A group is found by its first open node. */
function covers(node: Node, offset: number): boolean {
  if (!node.group) return offset >= node.from && offset < node.to
  return node.kids?.some((kid) => covers(kid, offset)) ?? false
}
