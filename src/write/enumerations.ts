import { concat, startsOf } from '../base/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Enumeration } from '../format/enumeration.ts'

/** An enumeration with these values. @param uuid 32 hex digits for the name of its file */
export function newEnumeration(
  head: Pick<Enumeration, 'name' | 'type' | 'cell_val_num' | 'ordered'>,
  values: readonly Uint8Array[],
  uuid: string,
): Enumeration {
  const offsets = head.cell_val_num === 'var' ? startsOf(values) : undefined
  return { version: 0, path_name: `__${uuid}_0`, ...head, data: concat(values), offsets }
}

/** The values of an enumeration made by {@link newEnumeration}. */
export function enumerationCells({ data, offsets, type, cell_val_num }: Enumeration): Uint8Array[] {
  if (offsets) return Array.from(offsets, (start, i) => data.subarray(start, offsets[i + 1] ?? data.length))
  const size = datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
  return Array.from({ length: Math.floor(data.length / size) }, (_, i) => data.subarray(i * size, (i + 1) * size))
}
