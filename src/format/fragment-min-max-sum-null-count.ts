import type { Describe, Io } from './io.ts'

/** Statistics of one slot over the whole fragment. */
export interface SlotStatistics {
  /** Empty if the field has no minimum. A minimum that is the empty string looks the same. */
  min: Uint8Array
  max: Uint8Array
  /** 8 bytes: int64, uint64 or float64, depending on the field's type. */
  sum: Uint8Array
  null_count: number
}

function slotStatistics(io: Io<SlotStatistics>): SlotStatistics {
  const minLength = io.derive(
    'min_length',
    'uint64',
    (s) => s.min.length,
    'bytes: 0: there is none, or an empty string',
  )
  const min = io.bytes('min', minLength, 'lowest value')
  const maxLength = io.derive('max_length', 'uint64', (s) => s.max.length, 'bytes')
  const max = io.bytes('max', maxLength, 'highest value')
  return {
    min,
    max,
    sum: io.bytes('sum', 8, '8 bytes as in the sums of tiles'),
    null_count: io.size('null_count', 'cells: that are null'),
  }
}

/**
 * Minimum, maximum, sum and null count of every slot. Since version 12 (upstream's page says 11).
 *
 * @see format_spec/fragment.md, "Fragment Min Max Sum Null Count"
 */
export function fragmentMinMaxSumNullCount(slotNames: readonly string[]): Describe<SlotStatistics[]> {
  const slots = slotNames.map(() => slotStatistics)
  return (io) => io.tuple(slots, slotNames)
}
