import { shortSize } from '../base/sizes.ts'
import { type FilterUse, useOf } from '../filters/registry.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import type { AdviceFacts, FileFacts } from './facts.ts'
import { type AdvisedFinding, advise } from './finding.ts'
import type { AdviceLine } from './line.ts'
import { rewriteLines } from './lines.ts'

/** What sizes in footers tell of filters. Nothing here reads tiles, so that an overview need not load the code for it. */

/** The filter that is advised where none compresses. */
export const TRIAL_FILTER = { name: 'ZSTD', level: 3 } as const

/** Whether a filter is a general compressor, which belongs at the end of a pipeline. */
export function isGeneral({ name }: FilterConfig): boolean {
  return useOf(name).does === 'compress'
}

/** Whether a filter makes data smaller by itself. Filters after it find no patterns any more. */
export function compresses({ name }: FilterConfig): boolean {
  const shrinking: readonly FilterUse['does'][] = ['compress', 'shrink', 'shrink and arrange']
  return shrinking.includes(useOf(name).does)
}

/** Lower limits on what filters add to a field: as a part of it, and in bytes. */
const MIN_GROWTH_SHARE = 0.05
const MIN_GROWTH_BYTES = 16 * 1024

/** Filters add some bytes to any tile. If tiles have fewer bytes than this, the tiles are too small, which is another finding. */
const MIN_TILE_BYTES = 1024

/** Finds fields that their filters make larger. */
export function* growingFields({ opened, files, scale, stored_bytes }: AdviceFacts): Generator<AdvisedFinding> {
  for (const file of files) {
    if (file.filters.length === 0 || file.unfiltered_bytes < MIN_TILE_BYTES * file.tile_num) continue
    const hasGeneral = file.filters.some(isGeneral)
    const [stored, unfiltered] = [file.stored_bytes * scale, file.unfiltered_bytes * scale]
    const more = stored - unfiltered
    if (more < MIN_GROWTH_BYTES || more < MIN_GROWTH_SHARE * unfiltered) continue
    yield advise('STORED_LARGER', {
      field: file.field,
      message: `${titleOf(file)}: ${filtersAsText(file.filters)} turns ${shortSize(Math.round(unfiltered))} into ${shortSize(Math.round(stored))}`,
      effect: { seconds: rounded(objectStoreSeconds(0, more)), bytes: Math.round(more), share: more / stored_bytes },
      advice: withFilters(opened, [file], hasGeneral ? [] : [TRIAL_FILTER]),
    })
  }
}

/** Names a file by its field, as in `offsets of "a"`. */
export function titleOf({ field, role }: FileFacts): string {
  const what = role === 'offsets' || role === 'validity' ? `${role} of ` : ''
  return `${what}${JSON.stringify(field)}`
}

export function filtersAsText(filters: readonly FilterConfig[]): string {
  return filters.map(({ name, level }) => (level === undefined || level < 0 ? name : `${name}(${level})`)).join(', ')
}

/**
 * The calls that write the fields of files again with other filters. Filters of offsets and validity belong to the whole array. In
 * formats before 5 a single file has the coordinates of all dimensions.
 */
export function withFilters(
  opened: AdviceFacts['opened'],
  files: readonly FileFacts[],
  filters: readonly FilterConfig[],
): AdviceLine[] {
  const has = (wanted: FileFacts['role']): boolean => files.some(({ role }) => role === wanted)
  const fields = files.flatMap(({ field, role, slot, fragment: { info } }) => {
    if (role === 'offsets' || role === 'validity') return []
    return info.slots[slot].kind === 'coords' ? opened.schema.domain.dimensions.map(({ name }) => name) : [field]
  })
  return rewriteLines(opened, { filters: { fields, filters, offsets: has('offsets'), validity: has('validity') } })
}
