import type { Io } from './io.ts'

/**
 * Delete conditions that consolidation has applied to the fragment's cells: paths of their commit files, relative to
 * the array, such as `__commits/<name>.del`. The indexes in `dci.tdb` refer to this list. Since version 16.
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
