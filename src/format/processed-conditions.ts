import type { Io } from './io.ts'

/**
 * Delete conditions that consolidation has applied to the fragment's cells, as paths of their commit files relative to
 * the array: `__commits/<name>.del`. Delete condition indexes in `dci.tdb` count in this list. Since version 16.
 *
 * @see format_spec/fragment.md, "Processed Conditions"
 */
export interface ProcessedConditions {
  conditions: string[]
}

export function processedConditions(io: Io<ProcessedConditions>): ProcessedConditions {
  const count = io.derive('condition_num', 'uint64', (p) => p.conditions.length, 'conditions')
  return {
    conditions: io.strings('conditions', count, 'uint64', 'path of a delete commit that the cells have been through'),
  }
}
