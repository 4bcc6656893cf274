import type { AnyIo } from './io.ts'

/**
 * Delete conditions that consolidation has applied to the fragment's cells. They are paths of commit files, relative to
 * the array, such as `__commits/<name>.del`. The indexes in `dci.tdb` refer to this list. Since version 16.
 *
 * @see format_spec/fragment.md, "Processed Conditions"
 */
export type ProcessedConditions = ReturnType<typeof processedConditions>
export function processedConditions(io: AnyIo) {
  const count = io.derive('condition_num', 'uint64', (p) => p.conditions.length, 'conditions')
  const about = 'path of a delete commit that was applied to the cells'
  return { conditions: io.strings('conditions', count, 'uint64', about) }
}
