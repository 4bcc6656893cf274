import { InspectError } from '../base/errors.ts'
import { aboutOf, type Unit } from '../format/about.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { type Describe, trace } from '../format/io.ts'
import type { Span } from '../format/span.ts'
import { type CellValue, cellReader, type ValueStyle } from '../format/value.ts'
import { type Children, childList, type Elements, lazyChildren, type Part, type Space, unreadable } from './part.ts'

/** The type of bytes in a structure, where only the schema knows it. */
export interface ValueType {
  type: Datatype
  cell_val_num: CellValNum
  /** Several cells back to back; true even if there is only one. */
  many?: boolean | undefined
  /** Start of each cell in the bytes, and the end of the last, for cells that differ in length. */
  starts?: Float64Array | undefined
}

/** Names from the root of a structure down to a field. */
export type Path = readonly string[]

/** How the spans of a structure become parts. */
export interface Reading {
  space: Space
  /** The bytes that were traced. `base` is the offset of the first. */
  bytes: Uint8Array
  base: number
  style: ValueStyle
  typeOf?: ((path: Path) => ValueType | undefined) | undefined
  /** Names for the elements of a list. */
  namesOf?: ((path: Path) => readonly string[] | undefined) | undefined
  /** Called last for each part: adds verdicts, or children to a leaf. */
  refine?: ((part: Part, path: Path) => Part) | undefined
}

/**
 * The part for a structure that fills `bytes`, read by its description. If reading fails, the remaining bytes are one part
 * that carries the fault.
 */
export function tracedPart<T>(
  name: string,
  describe: Describe<T>,
  reading: Reading,
  file: string,
  valueKnown?: (value: T) => Pick<Reading, 'typeOf' | 'namesOf' | 'refine'>,
): Part {
  const { space, bytes, base } = reading
  const traced = trace(bytes, describe, name, {
    file,
    space: space.name,
    offset: base,
    mostElements: space.mostElements,
  })
  const more = traced.value === undefined ? {} : valueKnown?.(traced.value)
  return wholePart(traced.root, base + bytes.length, traced.error, { ...reading, ...more }, file)
}

function wholePart(root: Span, end: number, error: InspectError | undefined, reading: Reading, file: string): Part {
  const left = end - root.offset - root.length
  const fault =
    error ??
    (left > 0
      ? new InspectError('TRAILING_BYTES', `expected the end, found ${left} more bytes`, {
          file,
          space: reading.space.name,
          offset: root.offset + root.length,
        })
      : undefined)
  const part = partOf(root, reading, [])
  if (!fault) return part
  const inside = part.children
  return {
    ...part,
    length: end - root.offset,
    verdict: 'invalid',
    async children() {
      const known = await inside?.()
      const rest = unreadable(reading.space, root.offset + root.length, left, fault)
      return known ? appended(known, [rest]) : childList([rest])
    },
  }
}

/** The children, followed by more. */
export function appended(children: Children, more: readonly Part[]): Children {
  return {
    count: children.count + more.length,
    at: (index) => (index < children.count ? children.at(index) : more[index - children.count]),
    find(offset) {
      const found = children.find(offset)
      if (found >= 0) return found
      const [first] = more
      const at = more.findIndex(
        (part) => part.space === first.space && offset >= part.offset && offset < part.offset + part.length,
      )
      return at < 0 ? -1 : children.count + at
    },
  }
}

/** Makes a part of a span and of everything below it. */
export function partOf(span: Span, reading: Reading, path: Path): Part {
  const { name, type, offset, length } = span
  const { unit, meaning: description } = aboutOf(span.about)
  const part: Part = { name, type, space: reading.space, offset, length, description }
  if (span.bounds) {
    part.unit = unit
    part.verdict = 'valid'
  }
  const { elements, children } = span
  if (elements) {
    const start = (index: number): number =>
      index < elements.count ? elements.at(index).offset : span.offset + span.length
    part.children = async () =>
      lazyChildren(elements.count, start, (index) => labelled(elements.at(index), reading, [...path, String(index)]))
  } else if (children) {
    part.children = async () => childList(children.map((child) => labelled(child, reading, [...path, child.name])))
  } else leaf(part, span, reading, path, unit)
  return reading.refine?.(part, path) ?? part
}

/** Labels the elements of a list with the name that they contain. */
function labelled(span: Span, reading: Reading, path: Path): Part {
  const part = partOf(span, reading, path)
  if (!/^\d+$/.test(span.name)) return part
  for (const field of span.children ?? []) {
    if (!NAME_FIELDS.has(field.name) || typeof field.value !== 'string') continue
    part.label = field.value
    part.keys = [[field.value]]
  }
  return part
}

const NAME_FIELDS = new Set(['name', 'key', 'fragment_name', 'field'])

function leaf(part: Part, span: Span, reading: Reading, path: Path, unit: Unit | undefined): void {
  const { value } = span
  if (value instanceof Float64Array) {
    part.unit = unit
    part.elements = {
      count: value.length,
      start: (index) => span.offset + index * 8,
      value: (index) => value[index],
      names: reading.namesOf?.(path),
    }
  } else if (value instanceof Uint8Array) {
    const valueType = reading.typeOf?.(path)
    if (!valueType || !typed(part, value, valueType, reading.style)) part.value = value
  } else if (isPlain(value)) {
    part.value = value
    if (typeof value !== 'string' && typeof value !== 'boolean') part.unit = unit
    if (span.type.includes(':') || span.type === 'bool') part.stored = storedNumber(span, reading)
  } else if (span.type !== 'list') part.verdict = 'invalid'
}

function isPlain(value: unknown): value is number | bigint | string | boolean {
  return (
    typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string' || typeof value === 'boolean'
  )
}

function storedNumber(span: Span, { bytes, base }: Reading): number {
  let value = 0
  for (let i = span.length - 1; i >= 0; i--) value = value * 256 + bytes[span.offset - base + i]
  return value
}

/** Gives a run of bytes the values of its type. @returns false if the bytes are not a whole number of values */
export function typed(part: Part, bytes: Uint8Array, valueType: ValueType, style: ValueStyle): boolean {
  const { type, cell_val_num, starts } = valueType
  const name = cell_val_num === 1 ? type : `${type}[${cell_val_num}]`
  if (starts) {
    const read = cellReader(type, cell_val_num, style)
    part.type = name
    part.elements = elementsOf(
      part.offset,
      starts.length - 1,
      (i) => starts[i],
      (i) => read(bytes, starts[i], starts[i + 1]),
    )
    return true
  }
  const stride = cell_val_num === 'var' ? bytes.length : datatypeSize(type) * cell_val_num
  if (cell_val_num === 'var' ? bytes.length % datatypeSize(type) !== 0 : bytes.length % stride !== 0) return false
  part.type = name
  if (bytes.length === 0 && cell_val_num !== 'var') return true
  const read = cellReader(type, cell_val_num, style)
  if (bytes.length === stride && !valueType.many) part.value = read(bytes, 0, bytes.length)
  else
    part.elements = elementsOf(
      part.offset,
      bytes.length / stride,
      (i) => i * stride,
      (i) => read(bytes, i * stride, (i + 1) * stride),
    )
  return true
}

function elementsOf(
  offset: number,
  count: number,
  start: (index: number) => number,
  value: (index: number) => CellValue,
): Elements {
  return { count, start: (index) => offset + start(index), value }
}
