import { withEnd } from '../cells/elements.ts'
import type { ArrayMetadata } from '../format/array-metadata.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { ConditionNode, UpdateCondition } from '../format/delete-condition.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { RangeType } from '../format/range.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { u64s } from '../format/u32.ts'
import { sumType } from '../format/value.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import type { FieldPath, StructureFacts, ValueType } from './spans.ts'

/** Types of the raw bytes in each structure. They come from the schema, as the structures do not store them. */

type TypeOf = NonNullable<StructureFacts['typeOf']>
type NamedType = RangeType & { name: string }

/** The type of an end of a range, whose path ends in `<dimension>, min|max`. */
function rangeType(dimensions: readonly NamedType[], path: FieldPath): ValueType | undefined {
  const end = path.at(-1)
  if (end !== 'min' && end !== 'max') return undefined
  const dimension = dimensions.find(({ name }) => name === path.at(-2))
  return dimension && { type: dimension.type, cell_val_num: dimension.cell_val_num }
}

export function ndRangeTypes(dimensions: readonly NamedType[]): TypeOf {
  return (path) => rangeType(dimensions, path)
}

export function schemaTypes(schema: ArraySchema): TypeOf {
  const { dimensions } = schema.domain
  return (path) => {
    const [list, at, field] = path
    if (list === 'attributes' && field === 'fill_value') {
      const { type, cell_val_num } = schema.attributes[Number(at)]
      return { type, cell_val_num }
    }
    if (list === 'current_domain') return rangeType(dimensions, path)
    if (list !== 'domain' || at !== 'dimensions') return undefined
    const { type } = dimensions[Number(field)]
    if (path[3] === 'domain') return { type, cell_val_num: 1, many: true }
    return path[3] === 'tile_extent' ? { type, cell_val_num: 1 } : undefined
  }
}

export function v1Types(schema: ArraySchema): TypeOf {
  const { dimensions } = schema.domain
  return (path) =>
    path[0] === 'bounding_coords'
      ? { type: dimensions[0].type, cell_val_num: 1, many: true }
      : rangeType(dimensions, path)
}

/** Types in a list of minima or maxima of tiles. */
export function minMaxTypes(slot: Slot, { fixed, variable }: TileMinMax): TypeOf {
  const { type, cell_val_num } = slot
  return ([field]) => {
    if (slot.kind === 'coords') return undefined
    if (cell_val_num !== 'var') return field === 'fixed' ? { type, cell_val_num, many: true } : undefined
    if (field === 'fixed') return { type: 'UINT64', cell_val_num: 1, many: true }
    const starts = fixed.length > 0 && fixed.length % 8 === 0 ? cellStarts(fixed, variable.length) : undefined
    return cellsAt(starts, { type, cell_val_num })
  }
}

/** Stored starts of cells (uint64, in bytes), and the end of the last; undefined if they fall or pass the end. */
export function cellStarts(bytes: Uint8Array, end: number): Float64Array | undefined {
  return rising(u64s(bytes, end))
}

function rising(starts: Float64Array): Float64Array | undefined {
  return starts.every((start, i) => i === 0 || start >= starts[i - 1]) ? starts : undefined
}

/** The type of cells that cover their bytes; undefined if their starts are unknown, or the first is not 0. */
function cellsAt(starts: Float64Array | undefined, type: ValueType): ValueType | undefined {
  return starts?.[0] === 0 ? { ...type, starts } : undefined
}

export function sumTypes(slot: Slot): TypeOf {
  const type = sumType(slot.type)
  return () => ({ type, cell_val_num: 1, many: true })
}

export function statisticsTypes(info: Pick<FragmentInfo, 'slots'>): TypeOf {
  return ([name, field]) => {
    const slot = info.slots.find((one) => one.name === name)
    if (!slot || slot.kind === 'coords') return undefined
    const { type, cell_val_num } = slot
    return field === 'sum' ? { type: sumType(type), cell_val_num: 1 } : { type, cell_val_num }
  }
}

export function metadataTypes({ entries }: ArrayMetadata): TypeOf {
  return ([, index, field]) => {
    const { type, value_num } = entries[Number(index)]
    if (field !== 'value' || type === undefined || value_num === undefined) return undefined
    return { type, cell_val_num: value_num === 1 ? 1 : 'var' }
  }
}

export function enumerationTypes({ type, cell_val_num, data, offsets }: Enumeration): TypeOf {
  return ([field]) => {
    if (field !== 'data') return undefined
    if (!offsets) return { type, cell_val_num, many: true }
    return cellsAt(rising(withEnd(offsets, data.length)), { type, cell_val_num })
  }
}

/** @param schema schema of the array; without it the values of conditions stay plain bytes */
export function conditionTypes(schema: ArraySchema | undefined, root: ConditionNode): TypeOf {
  return (path) => {
    if (path.at(-1) !== 'value') return undefined
    let node = root
    for (const step of path) {
      if (/^\d+$/.test(step) && node.node === 'expression') node = node.children[Number(step)]
    }
    if (node.node !== 'value') return undefined
    const field = fieldType(schema, node.field)
    if (!field || !node.offsets) return field
    return cellsAt(rising(withEnd(node.offsets, node.value.length)), field)
  }
}

export function updateTypes(schema: ArraySchema | undefined, { condition, values }: UpdateCondition): TypeOf {
  const inCondition = conditionTypes(schema, condition)
  return (path) => {
    if (path[0] === 'condition') return inCondition(path.slice(1))
    return path[2] === 'value' ? fieldType(schema, values[Number(path[1])].field) : undefined
  }
}

function fieldType(schema: ArraySchema | undefined, name: string): ValueType | undefined {
  const field =
    schema?.attributes.find((attribute) => attribute.name === name) ??
    schema?.domain.dimensions.find((dimension) => dimension.name === name)
  return field && { type: field.type, cell_val_num: field.cell_val_num }
}
