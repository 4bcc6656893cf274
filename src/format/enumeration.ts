import { badValue, InspectError } from '../base/errors.ts'
import { cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding, datatypeSize } from './datatype.ts'
import { type AnyIo, lengthAndBytes, lengthAndSizes } from './io.ts'

/**
 * An enumeration: a list of values. Cells of an attribute hold indexes into it. It is the content of a generic tile in
 * `__schema/__enumerations/`. Schemas refer to such files since version 20.
 *
 * @see format_spec/enumeration.md, which lacks `name` and `path_name`
 */
export type Enumeration = ReturnType<typeof enumerationFile>

export function enumerationFile(io: AnyIo) {
  const version = io.u32('version', 'version of this structure: 0')
  if (version !== 0)
    throw new InspectError(
      'UNSUPPORTED_VERSION',
      { expected: 'enumeration version 0', found: version },
      {
        field: 'version',
      },
    )
  const file = {
    version,
    name: io.string('name', 'uint32', 'name of the enumeration'),
    path_name: io.string('path_name', 'uint32', 'name of this file'),
    type: io.coded('type', 'uint8', datatypeCoding, 'type of the values'),
    cell_val_num: io.coded('cell_val_num', 'uint32', cellValNumCoding, 'elements of a value; all bits set: var-sized'),
    ordered: io.flag('ordered', 'whether the order of the values has a meaning'),
    data: lengthAndBytes(io, 'data', 'uint64', 'all values'),
  }
  const isVar = file.cell_val_num === 'var'
  const offsetsMeaning = 'start of each value; absent for fixed-sized values'
  return {
    ...file,
    offsets: isVar
      ? lengthAndSizes(io, 'offsets', offsetsMeaning, 'bytes: of `offsets`; absent for fixed-sized values')
      : undefined,
  }
}

/**
 * Checks that the offsets never fall and lie within the data. Otherwise nobody knows where values begin.
 * @throws InspectError BAD_VALUE
 */
export function checkOffsets({ data, offsets = new Float64Array(0) }: Enumeration): void {
  for (const [i, start] of offsets.entries()) {
    const end = offsets[i + 1] ?? data.length
    if (start > end || end > data.length) {
      const found = Math.max(start, end)
      throw badValue({ expected: `an offset of at most ${data.length}`, found }, { field: `offsets.${i}` })
    }
  }
}

/** An enumeration's entry in a schema: its name and its file in `__schema/__enumerations/`. */
export type EnumerationEntry = ReturnType<typeof enumerationEntry>

export function enumerationEntry(io: AnyIo) {
  return {
    name: io.string('name', 'uint32', 'name of the enumeration; entries are in no particular order'),
    path_name: io.string('path_name', 'uint32', 'file in `__schema/__enumerations`'),
  }
}

/**
 * Returns the type in which the values of an enumeration are shown: its own, or BLOB if a value is not a whole number of
 * elements. TileDB does not check this. MariaDB's engine labels INT64 attributes with text, and stores the text as INT64.
 */
export function enumerationValueType(enumeration: Enumeration, values: readonly Uint8Array[]): Datatype {
  const { type, cell_val_num } = enumeration
  const size = datatypeSize(type)
  return cell_val_num === 'var' && values.some(({ length }) => length % size !== 0) ? 'BLOB' : type
}

/** Number of values of an enumeration. */
export function enumerationValueNum({ data, offsets, type, cell_val_num }: Enumeration): number {
  return cell_val_num === 'var' ? (offsets?.length ?? 0) : Math.floor(data.length / (datatypeSize(type) * cell_val_num))
}

/** Cuts the data of an enumeration into its raw values. */
export function enumerationValues({ data, offsets, type, cell_val_num }: Enumeration): Uint8Array[] {
  if (cell_val_num !== 'var') {
    const size = datatypeSize(type) * cell_val_num
    return Array.from({ length: Math.floor(data.length / size) }, (_, i) => data.subarray(i * size, (i + 1) * size))
  }
  return Array.from(offsets ?? [], (start, i) => data.subarray(start, offsets?.[i + 1] ?? data.length))
}
