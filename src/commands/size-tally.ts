import { Distribution } from '../base/distribution.ts'
import { filterResult } from '../calls/values.ts'
import type { FilterDescription } from '../documents/common.ts'
import type { StatsSection, StatsSizes } from '../documents/stats.ts'
import type { FileRole } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { ratioOf } from '../objects/file-sizes.ts'
import type { MetadataSection } from '../objects/metadata-sections.ts'
import { filtersText } from '../render/views/wording.ts'

/** What is counted of one data file. */
export interface TalliedFile extends StatsSizes {
  field: string
  role: FileRole
  filters: readonly FilterConfig[]
}

interface TalliedFilters extends StatsSizes {
  filters: readonly FilterDescription[]
  file_num: number
}

export interface TalliedRole extends StatsSizes {
  role: FileRole
  tiles: Distribution
}

interface TalliedField extends StatsSizes {
  name: string
  files: Map<string, TalliedRole & { filters: TalliedFilters[] }>
}

/** Sums of bytes over one or more fragments: by field, role, filters and section. */
export class SizeTally {
  readonly fields = new Map<string, TalliedField>()
  readonly roles = new Map<string, TalliedRole>()
  readonly filters = new Map<string, TalliedFilters>()
  readonly sections: StatsSection[] = []
  readonly tiles = new Distribution()
  readonly data: StatsSizes = { size: 0, unfiltered_size: 0 }

  /** {@link sections} by their names and fields. */
  private readonly sectionsOf = new Map<string, Map<string | null, StatsSection>>()
  /** Filters as they are shown. The fragments of a schema share the lists. */
  private readonly shownFilters = new Map<readonly FilterConfig[], { shown: FilterDescription[]; text: string }>()

  /** Adds a data file. @param tiles stored bytes of its tiles */
  addFile(file: TalliedFile, tiles: Distribution): void {
    const { field, role, filters } = file
    const none = { size: 0, unfiltered_size: 0 }
    const newRole = (): TalliedRole => ({ role, ...none, tiles: new Distribution() })
    const ofField = entry(this.fields, field, () => ({ name: field, ...none, files: new Map() }))
    const inField = entry(ofField.files, role, () => ({ ...newRole(), filters: [] }))
    const ofRole = entry(this.roles, role, newRole)
    const { shown, text } = entry(this.shownFilters, filters, () => {
      const descriptions = filters.map(filterResult)
      return { shown: descriptions, text: filtersText(descriptions) }
    })
    const ofFilters = entry(this.filters, text, () => ({ filters: shown, file_num: 0, ...none }))
    ofFilters.file_num++
    if (!inField.filters.includes(ofFilters)) inField.filters.push(ofFilters)
    for (const sizes of [ofField, inField, ofRole, ofFilters, this.data]) {
      sizes.size += file.size
      sizes.unfiltered_size += file.unfiltered_size
    }
    for (const distribution of [inField.tiles, ofRole.tiles, this.tiles]) distribution.addAll(tiles)
  }

  addSection({ name, offset, size, unfiltered_size, memory_size }: MetadataSection, field: string | null): void {
    const named = entry(this.sectionsOf, name, () => new Map())
    const known = named.get(field)
    if (!known) {
      const section = { name, field, offset, size, unfiltered_size, memory_size }
      named.set(field, section)
      this.sections.push(section)
    } else {
      // The sections of several fragments are at several places.
      known.offset = undefined
      known.size += size
      known.unfiltered_size += unfiltered_size
      known.memory_size += memory_size
    }
  }
}

/** The value of a key. If the map lacks it, `make` makes it. */
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

/** A ratio; null if there is nothing to divide by. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : ratioOf(part, whole)
}
