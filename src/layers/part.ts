import { InspectError, orError } from '../base/errors.ts'
import type { Int64 } from '../base/quantities.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type CellValue, cellValue } from '../format/value.ts'
import type { FragmentEntry, InspectArray, WrittenMetadata } from '../objects/array.ts'
import type { DatasetMember } from '../objects/dataset.ts'
import type { InspectGroup } from '../objects/group.ts'
import type { Target } from '../objects/target.ts'

/** What an overview of a member knows of its cells. */
export interface SeenCells {
  /** Number of cells that a reader sees; null if it is not known. */
  cell_num?: Int64 | null | undefined
  /** Box around the cells: `[lo, hi]` of each dimension; null if there are none, or if they are unknown. */
  nonempty_domain?: readonly (readonly [CellValue, CellValue])[] | null | undefined
}

/** How keys begin in whose values TileDB-Py keeps arrays of numpy. */
const NUMPY = '__np_flat_'

/** A dataset, or a member of one, with its own members. */
export class DatasetPart {
  /** Names from the dataset down. Empty for the dataset itself. */
  readonly names: readonly string[]
  /** The member that it is; undefined for the dataset itself. */
  readonly member: DatasetMember | undefined
  /** What is there; undefined if nothing is, or nothing that can be opened. */
  readonly target: Target | undefined
  /** Its members, by their names, in the order of the list. */
  readonly parts = new Map<string, DatasetPart>()
  /** What an overview knows of its cells, if there was one. */
  seen: SeenCells = {}
  /** Why its key-value metadata could not be read. The check of the array or group reports it. */
  metadataFault: InspectError | undefined
  private read: Promise<Map<string, WrittenMetadata>> | undefined

  constructor(target: Target | undefined, names: readonly string[] = [], member?: DatasetMember) {
    this.target = target
    this.names = names
    this.member = member
  }

  /** The path of names from the dataset down. Empty for the dataset itself. */
  get path(): string {
    return this.names.join('/')
  }

  get array(): InspectArray | undefined {
    return this.target?.type === 'array' ? this.target.array : undefined
  }

  get group(): InspectGroup | undefined {
    return this.target?.type === 'group' ? this.target.group : undefined
  }

  /** The folder, for the place of a finding; without one, the path or the name by which it is listed. */
  get file(): string {
    return this.target?.path ?? this.member?.path ?? this.names.at(-1) ?? ''
  }

  /** Whether it is listed and cannot be opened, which is the finding of its group. */
  get isLost(): boolean {
    return this.member?.error !== undefined
  }

  /** Whether a part below, or a group on the way to it, {@link isLost}. @param path names with `/` between them */
  lacks(path: string): boolean {
    const names = path.split('/')
    return names.some((_, i) => this.find(names.slice(0, i + 1))?.isLost)
  }

  /** Adds a member of this dataset below the group that lists it. Groups come before their own members. */
  add(member: DatasetMember): DatasetPart | undefined {
    const above = this.find(member.names.slice(this.names.length, -1))
    if (!above) return undefined
    const part = new DatasetPart(member.again ? undefined : member.target, member.names, member)
    above.parts.set(member.names[member.names.length - 1] ?? '', part)
    return part
  }

  /** The part at a path of names below this one. */
  find(names: readonly string[]): DatasetPart | undefined {
    let part: DatasetPart | undefined = this
    for (const name of names) part = part?.parts.get(name)
    return part
  }

  /** This part and all below, each before its members. */
  *all(): Generator<DatasetPart> {
    yield this
    for (const part of this.parts.values()) yield* part.all()
  }

  /** The key-value metadata. Empty if it cannot be read, which is the finding of another check. */
  metadata(): Promise<Map<string, WrittenMetadata>> {
    this.read ??= this.readMetadata()
    return this.read
  }

  private async readMetadata(): Promise<Map<string, WrittenMetadata>> {
    const { target } = this
    if (target?.type !== 'array' && (target?.type !== 'group' || target.isPlain)) return new Map()
    const read = await orError(() => (target.type === 'array' ? target.array : target.group).metadata())
    if (read instanceof InspectError) {
      this.metadataFault = read
      return new Map()
    }
    // TileDB-Py gives the keys of numpy arrays a prefix, which it hides from its users.
    const all = new Map(read)
    for (const [key, value] of read)
      if (key.startsWith(NUMPY) && !read.has(key.slice(NUMPY.length))) all.set(key.slice(NUMPY.length), value)
    return all
  }

  /** The value of a key; undefined if there is none. Numbers of 64 bits are bigint. */
  async value(key: string): Promise<CellValue | undefined> {
    const { type, value_num, value } = (await this.metadata()).get(key) ?? {}
    if (type === undefined || value_num === undefined || value === undefined) return undefined
    const one = await orError(async () => cellValue(type, value_num === 1 ? 1 : 'var', value, { raw: false }))
    return one instanceof InspectError ? undefined : one
  }

  /** The value of a key if it is one number. */
  async number(key: string): Promise<number | undefined> {
    const value = await this.value(key)
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined
  }

  /** The value of a key if it is text, whatever kind of text its type is. */
  async text(key: string): Promise<string | undefined> {
    const { value } = (await this.metadata()).get(key) ?? {}
    return value && new TextDecoder().decode(value)
  }

  /** The names in a plain folder. Empty for a group or an array, which says in its metadata what it is. */
  async namesInFolder(): Promise<ReadonlySet<string>> {
    const { target } = this
    if (target?.type !== 'group' || !target.isPlain) return new Set()
    const entries = await orError(() => target.group.folder.list())
    return new Set(entries instanceof InspectError ? [] : entries.map(({ name }) => name))
  }

  /** The fragments of an array. None if its folder cannot be listed, which is the finding of another check. */
  async fragments(): Promise<readonly FragmentEntry[]> {
    const { array } = this
    const entries = array && (await orError(() => array.fragments()))
    return entries === undefined || entries instanceof InspectError ? [] : entries
  }

  /** The newest schema of an array; undefined if there is none that can be read. */
  async schema(): Promise<ArraySchema | undefined> {
    const { array } = this
    const read = array && (await orError(() => array.newestSchema()))
    return read === undefined || read instanceof InspectError ? undefined : read.schema
  }
}
