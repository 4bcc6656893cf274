import { useOf } from '../filters/registry.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'

/** Estimated seconds on one core to undo a pipeline. @param bytes unfiltered */
export function unfilterSeconds(filters: readonly FilterConfig[], bytes: number): number {
  return filters.reduce((seconds, { name }) => seconds + bytes / (useOf(name).rate * 1e6), 0)
}
