import { NO_BYTES } from '../base/bytes.ts'
import { ValueColumn } from '../cells/column-rows.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { u64s } from '../format/u32.ts'
import { sumType, type ValueStyle } from '../format/value.ts'

export const NO_VALUES: TileMinMax = { fixed: NO_BYTES, variable: NO_BYTES }

/** Bytes of one minimum or maximum; undefined for var-sized slots. */
export function minMaxCellSize(slot: Slot): number | undefined {
  return slot.varSized ? undefined : slot.cellSize
}

/** The minima or maxima of a slot, by tile; undefined if the bytes are not whole values. */
export function minMaxValues(slot: Slot, { fixed, variable }: TileMinMax, style: ValueStyle): ValueColumn | undefined {
  if (slot.phantom) return undefined
  const { type, cell_val_num } = slot
  if (cell_val_num === 'var') {
    const starts = u64s(fixed, variable.length)
    return ValueColumn.of(type, 'var', { data: variable, starts, length: starts.length - 1 }, style)
  }
  const length = fixed.length / slot.cellSize
  return Number.isInteger(length) ? ValueColumn.of(type, cell_val_num, { data: fixed, length }, style) : undefined
}

/** The sums of a field, by tile. */
export function sumValues(type: Datatype, data: Uint8Array): ValueColumn<bigint | number> {
  const length = Math.floor(data.length / 8)
  return ValueColumn.of(sumType(type), 1, { data, length }, { raw: false }) as ValueColumn<bigint | number>
}
