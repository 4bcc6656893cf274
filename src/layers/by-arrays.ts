import { integerBounds } from '../format/integer-bounds.ts'
import type { Layer } from './layer.ts'
import { recogniseRow } from './layers.ts'
import type { DatasetPart } from './part.ts'

/*
 * A group that says nothing itself is a dataset if its arrays say so. Their schemas tell whether it is worth asking them: an overview has
 * read those, and of a group that is no dataset no metadata of members is read.
 */

/** Most members of a group without attributes that wait until it is known whether it is a dataset. */
const MAX_MEMBERS = 1000
/** Most arrays that are asked. Not each has attributes. */
const MAX_ASKED = 8

/** The arrays of a group, as they are met. */
export class GroupOfArrays {
  private readonly arrays: DatasetPart[] = []
  private isOther = false

  /** Whether all arrays so far may be variables with named dimensions: dense ones with dimensions of integers. */
  get mayBeDataset(): boolean {
    return !this.isOther
  }

  /** Adds a member of the group itself. */
  async add(part: DatasetPart): Promise<void> {
    if (!part.array || this.isOther) return
    const schema = await part.schema()
    this.arrays.push(part)
    const isVariable = schema?.array_type === 'dense' && schema.domain.dimensions.every((one) => integerBounds(one))
    if ((schema && !isVariable) || this.arrays.length > MAX_MEMBERS) {
      this.isOther = true
      this.arrays.length = 0
    }
  }

  /** The layer whose dataset the group is. Undefined if no array has the coordinates of another one's dimension, or if none says so. */
  async layer(): Promise<Layer | undefined> {
    const asked = await this.variables()
    for (const part of asked.slice(0, MAX_ASKED)) {
      const found = await recogniseRow(part)
      if (found?.isOfArrays) return found.layer
    }
    return undefined
  }

  /** The arrays with the coordinates of a dimension, and those with that dimension. */
  private async variables(): Promise<DatasetPart[]> {
    const dimensions = new Map<DatasetPart, string[]>()
    for (const part of this.arrays)
      dimensions.set(part, (await part.schema())?.domain.dimensions.map(({ name }) => name) ?? [])
    const isCoordinate = ([part, names]: [DatasetPart, string[]]): boolean =>
      names.length === 1 && part.names.at(-1)?.replace(/\.(?:data|index)$/, '') === names[0]
    const lines = [...dimensions]
    const along = new Set(lines.filter(isCoordinate).flatMap(([, names]) => names))
    const others = lines.filter((line) => !isCoordinate(line) && line[1].some((name) => along.has(name)))
    return others.length === 0 ? [] : [...others, ...lines.filter(isCoordinate)].map(([part]) => part)
  }
}
