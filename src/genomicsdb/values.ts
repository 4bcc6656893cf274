import { badValue } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { decodeText } from '../format/text.ts'
import { u64 } from '../format/u32.ts'
import { cellReader } from '../format/value.ts'
import type { CallField } from './call-fields.ts'
import { LIST_SEPARATOR } from './calls.ts'

/*
 * Lists in the fields of calls. VCF has lists with elements that are missing: they are null.
 */

/** An element of a list: null if it is missing. */
export type ListElement = number | bigint | string | null
/** A list, or a list of lists. */
export type ListValue = readonly (ListElement | readonly ListElement[])[]

/** Returns the list in a cell; null for a cell that has none. */
export type ListOf = (data: ColumnData, cell: number) => ListValue | null

/** The function that returns the lists of a field. Undefined if its cells are no lists. */
export function listsOf({ form, stored, item }: CallField): ListOf | undefined {
  switch (form) {
    case 'numbers':
      return numberLists(stored.type, stored.cell_val_num)
    case 'alleles':
      return there((bytes) => decodeText(bytes).split(LIST_SEPARATOR).map(alleleName))
    case 'filters':
      return there((bytes) => decodeText(bytes).split(LIST_SEPARATOR))
    case 'nested':
      return there((bytes) => nestedLists(bytes, item))
    default:
      return undefined
  }
}

/** GenomicsDB stores `<NON_REF>` as one character. */
function alleleName(allele: string): string {
  return allele === '&' ? '<NON_REF>' : allele
}

function there(list: (bytes: Uint8Array) => ListValue): ListOf {
  return ({ data, starts, validity }, cell) =>
    validity?.[cell] === 0 ? null : list(data.subarray(starts?.[cell] ?? 0, starts?.[cell + 1] ?? 0))
}

function numberLists(type: Datatype, cell_val_num: number | 'var'): ListOf {
  const elements = elementReader(type)
  const size = cell_val_num === 'var' ? 0 : cell_val_num * datatypeSize(type)
  return ({ data, starts, validity }, cell) => {
    if (validity?.[cell] === 0) return null
    return elements(
      data,
      starts ? (starts[cell] ?? 0) : cell * size,
      starts ? (starts[cell + 1] ?? 0) : (cell + 1) * size,
    )
  }
}

/** Reads numbers back to back. The smallest integer, and NaN, stand for elements that are missing. */
function elementReader(type: Datatype): (data: Uint8Array, from: number, to: number) => ListElement[] {
  const size = datatypeSize(type)
  const read = cellReader(type, 1, { raw: false })
  const isFloat = datatypeKind(type) === 'float'
  const least = size === 8 ? -(2n ** 63n) : -(2 ** (8 * size - 1))
  return (data, from, to) => {
    const list: ListElement[] = []
    for (let at = from; at + size <= to; at += size) {
      const value = read(data, at, at + size) as number | bigint
      const isMissing = isFloat ? Number.isNaN(value) : value === least
      list.push(isMissing ? null : value)
    }
    return list
  }
}

const WORD = 8

/**
 * The lists in a nested field: those of an allele-specific annotation, one for each allele. The cell holds the number of bytes of all
 * values, the values, the number of lists, and the start of each list in the values, with their end last; all numbers are uint64.
 *
 * @throws InspectError BAD_VALUE if the numbers contradict each other
 * @see GenomicsDB, src/main/cpp/include/vcf/genomicsdb_multid_vector_field.h
 */
export function nestedLists(bytes: Uint8Array, item: Datatype): (readonly ListElement[])[] {
  const wrong = (expected: string, found: string | number): Error => badValue({ expected, found })
  if (bytes.length < 2 * WORD) throw wrong(`${2 * WORD} bytes or more of a nested list`, bytes.length)
  const size = u64(bytes, 0)
  if (size > bytes.length - 2 * WORD) throw wrong(`at most ${bytes.length - 2 * WORD} bytes of values`, size)
  const count = u64(bytes, WORD + size)
  const wanted = 2 * WORD + size + (count + 1) * WORD
  if (wanted !== bytes.length) throw wrong(`${count} lists in ${wanted} bytes`, `${bytes.length} bytes`)
  const data = bytes.subarray(WORD, WORD + size)
  const offsets = Array.from({ length: count + 1 }, (_, i) => u64(bytes, 2 * WORD + size + i * WORD))
  const isText = datatypeKind(item) === 'text'
  const elements = isText ? undefined : elementReader(item)
  const elementSize = isText ? 1 : datatypeSize(item)
  if (offsets[0] !== 0) throw wrong('a first list from byte 0 of the values on', offsets[0] ?? 'none')
  return offsets.slice(1).map((to, i) => {
    const from = offsets[i] ?? 0
    if (from > to || to > size) throw wrong(`a list within the ${size} bytes of values`, `one from ${from} to ${to}`)
    if ((to - from) % elementSize !== 0) throw wrong(`elements of ${elementSize} bytes in a list`, `${to - from} bytes`)
    return elements ? elements(data, from, to) : [decodeText(data.subarray(from, to))]
  })
}
