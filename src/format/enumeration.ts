import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import type { Io } from './io.ts'

/**
 * An enumeration: the values that the cells of an attribute index. It is the content of a generic tile in
 * `__schema/__enumerations/`. Schemas refer to such files since version 20.
 *
 * @see format_spec/enumeration.md, which lacks the two names
 */
export interface Enumeration {
  /** Version of this structure: 0. */
  version: number
  name: string
  /** Name of the file itself. */
  path_name: string
  type: Datatype
  cell_val_num: CellValNum
  ordered: boolean
  /** All values, one after another. */
  data: Uint8Array
  /** Start of each value in `data`, in bytes; undefined unless var-sized. */
  offsets: Float64Array | undefined
}

export function enumerationFile(io: Io<Enumeration>): Enumeration {
  const version = io.u32('version', 'of this structure: 0')
  const name = io.string('name', 'uint32', 'name of the enumeration')
  const path_name = io.string('path_name', 'uint32', 'the file’s own name')
  const type = io.coded('type', 'uint8', datatypeCoding, 'of the values')
  const cell_val_num = io.coded('cell_val_num', 'uint32', cellValNumCoding, 'of the values; all bits set: var-sized')
  const ordered = io.flag('ordered', 'whether the order of the values means something')
  const dataLength = io.derive('data_length', 'uint64', (e) => e.data.length, 'bytes')
  const data = io.bytes('data', dataLength, 'all values')
  let offsets: Float64Array | undefined
  if (cell_val_num === 'var') {
    const offsetsLength = io.derive(
      'offsets_length',
      'uint64',
      (e) => (e.offsets?.length ?? 0) * 8,
      'bytes: of var-sized values',
    )
    io.require(offsetsLength % 8 === 0, 'offsets_length', () => `expected a multiple of 8, found ${offsetsLength}`)
    offsets = io.sizes('offsets', offsetsLength / 8, 'start of each value; of var-sized values')
  }
  return { version, name, path_name, type, cell_val_num, ordered, data, offsets }
}

/** An enumeration's entry in a schema: its name and its file in `__schema/__enumerations/`. */
export interface EnumerationEntry {
  name: string
  path_name: string
}

export function enumerationEntry(io: Io<EnumerationEntry>): EnumerationEntry {
  return {
    name: io.string('name', 'uint32', 'in no particular order'),
    path_name: io.string('path_name', 'uint32', 'file in `__schema/__enumerations`'),
  }
}
