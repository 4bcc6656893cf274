import { InspectError } from '../base/errors.ts'
import { aboutOf, type ValueUnit } from '../format/about.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { type Describe, trace } from '../format/io.ts'
import type { Span } from '../format/span.ts'
import { cellReader } from '../format/value.ts'
import { appended, childList, lazyChildren, type Part, type Space, unreadable } from './part.ts'

/** The type of bytes whose type only the schema knows. */
export interface ValueType {
  type: Datatype
  cell_val_num: CellValNum
  /** Whether the bytes are a list of cells, even if it has only one. */
  many?: boolean | undefined
  /** Starts of cells that differ in length, in bytes, and the end of the last. */
  starts?: Float64Array | undefined
}

/** Names from the root of a structure down to a field. */
export type FieldPath = readonly string[]

/** Facts about a structure that its description does not have. */
export interface StructureFacts {
  typeOf?: ((path: FieldPath) => ValueType | undefined) | undefined
  /** Returns names for the elements of a list. */
  namesOf?: ((path: FieldPath) => readonly string[] | undefined) | undefined
  /** Called with each finished part. Adds verdicts, or children to a leaf. */
  refine?: ((part: Part, path: FieldPath) => Part) | undefined
}

/** What turns the spans of a structure into parts. */
export interface Reading extends StructureFacts {
  space: Space
  /** The bytes that were traced. */
  bytes: Uint8Array
  /** Offset of the first of them. */
  base: number
}

/**
 * Makes the part of a structure that fills `bytes`. If it cannot be read, the remaining bytes become one part with the fault.
 * @param known called with the value, if it can be read
 */
export function tracedPart<T>(
  name: string,
  describe: Describe<T>,
  { space, bytes, base }: Pick<Reading, 'space' | 'bytes' | 'base'>,
  known?: (value: T) => StructureFacts,
): Part {
  const { file, name: spaceName, mostElements } = space
  const { value, root, error } = trace(bytes, describe, name, { file, space: spaceName, offset: base, mostElements })
  const part = partOf(root, { space, bytes, base, ...(value !== undefined && known?.(value)) }, [])
  const end = root.offset + root.length
  const left = base + bytes.length - end
  if (!error && left === 0) return part
  const trailing = { expected: 'the end', found: `${left} more bytes` }
  const fault = error ?? new InspectError('TRAILING_BYTES', trailing, { file, space: spaceName, offset: end })
  const rest = unreadable(space, end, left, fault)
  return {
    ...part,
    length: part.length + left,
    verdict: 'invalid',
    async children() {
      const inside = await part.children?.()
      return inside ? appended(inside, rest) : childList([rest])
    },
  }
}

/** Makes a part of a span and of everything below it. */
export function partOf(span: Span, reading: Reading, path: FieldPath): Part {
  const { name, type, offset, length, elements, children } = span
  const { unit, meaning: description } = aboutOf(span.about)
  const part: Part = { name, type, space: reading.space, offset, length, description }
  if (span.bounds) {
    part.unit = unit
    part.verdict = 'valid'
  }
  if (elements) {
    const { count, at } = elements
    const start = (index: number): number => (index < count ? at(index).offset : offset + length)
    part.children = async () =>
      lazyChildren(count, start, (index) => labelled(at(index), reading, [...path, String(index)]))
  } else if (children) {
    part.children = async () => childList(children.map((child) => labelled(child, reading, [...path, child.name])))
  } else leaf(part, span, reading, path, unit)
  return reading.refine?.(part, path) ?? part
}

/** {@link partOf} for a child. If it is an element of a list, it is labelled with the name that it contains. */
function labelled(span: Span, reading: Reading, path: FieldPath): Part {
  const part = partOf(span, reading, path)
  if (!/^\d+$/.test(span.name)) return part
  for (const { name, value } of span.children ?? []) {
    if (!NAME_FIELDS.has(name) || typeof value !== 'string') continue
    part.label = value
    part.keys = [[value]]
  }
  return part
}

const NAME_FIELDS = new Set(['name', 'key', 'fragment_name', 'field'])

/** Gives a part without children its value or elements. */
function leaf(part: Part, span: Span, reading: Reading, path: FieldPath, unit: ValueUnit | undefined): void {
  const { value, type, offset } = span
  if (value instanceof Float64Array) {
    part.unit = unit
    part.elements = {
      count: value.length,
      start: (index) => offset + index * 8,
      value: (index) => value[index],
      names: reading.namesOf?.(path),
    }
  } else if (value instanceof Uint8Array) {
    const valueType = reading.typeOf?.(path)
    if (!valueType || !typed(part, value, valueType)) part.value = value
  } else if (typeof value === 'string' || typeof value === 'boolean') part.value = value
  else if (typeof value === 'number' || typeof value === 'bigint') {
    part.value = value
    part.unit = unit
  } else if (type !== 'list') part.verdict = 'invalid'
  if (part.value !== undefined && (type.includes(':') || type === 'bool')) part.stored = storedNumber(span, reading)
}

function storedNumber({ offset, length }: Span, { bytes, base }: Reading): number {
  return bytes.subarray(offset - base, offset - base + length).reduceRight((value, byte) => value * 256 + byte, 0)
}

/** Gives a part the values of its type. @returns false if the bytes are not a whole number of values */
export function typed(part: Part, bytes: Uint8Array, { type, cell_val_num, many, starts }: ValueType): boolean {
  const size = datatypeSize(type)
  const stride = cell_val_num === 'var' ? bytes.length : size * cell_val_num
  if (!starts && bytes.length % (cell_val_num === 'var' ? size : stride) !== 0) return false
  part.type = cell_val_num === 1 ? type : `${type}[${cell_val_num}]`
  if (!starts && bytes.length === 0 && cell_val_num !== 'var') return true
  const read = cellReader(type, cell_val_num, part.space.style)
  if (!starts && !many && bytes.length === stride) {
    part.value = read(bytes, 0, stride)
    return true
  }
  const start = (index: number): number => (starts ? starts[index] : index * stride)
  part.elements = {
    count: starts ? starts.length - 1 : bytes.length / stride,
    start: (index) => part.offset + start(index),
    value: (index) => read(bytes, start(index), start(index + 1)),
  }
  return true
}
