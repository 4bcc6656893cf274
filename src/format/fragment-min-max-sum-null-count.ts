import { type AnyIo, type Io, lengthAndBytes } from './io.ts'

/**
 * Statistics of one slot over the whole fragment. `min` and `max` are empty if the slot has none. An empty minimum may also be
 * the empty string.
 */
export type SlotStatistics = ReturnType<typeof slotStatistics>
function slotStatistics(io: AnyIo) {
  return {
    min: lengthAndBytes(io, 'min', 'uint64', 'lowest value', 'bytes: 0 if there is none, or if it is an empty string'),
    max: lengthAndBytes(io, 'max', 'uint64', 'highest value'),
    sum: io.bytes('sum', 8, '8 bytes as in the sums of tiles'),
    null_count: io.size('null_count', 'cells: that are null'),
  }
}

/**
 * Minimum, maximum, sum and null count of every slot. Since version 12 (upstream's page says 11).
 *
 * @see format_spec/fragment.md, "Fragment Min Max Sum Null Count"
 */
export function fragmentMinMaxSumNullCount(slotNames: readonly string[]) {
  const slots = slotNames.map(() => slotStatistics)
  return (io: Io<SlotStatistics[]>): SlotStatistics[] => io.tuple(slots, slotNames)
}
