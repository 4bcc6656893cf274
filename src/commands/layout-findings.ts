import type { StatsFinding, StatsSizes } from '../documents/stats.ts'
import { ratioOf } from '../store/file-sizes.ts'
import type { SizeTally } from './size-tally.ts'

/** Advice is given only if it concerns, or can save, this many bytes. A small array is fine in any layout. */
export const WORTH_BYTES = 1024 * 1024
/** A field may grow by less than this ratio under its filters without advice. */
const LARGER_BY = 0.05
/** Outside these limits, a tile's unfiltered size over all fields is worth a note: TileDB reads and caches whole tiles. */
const SMALL_TILE = 4096
const LARGE_TILE = 256 * 1024 * 1024
/** Metadata is usually far below this share of the data. */
const MUCH_METADATA = 0.1

/** The totals of fragments that advice depends on. */
export interface LayoutTotals {
  tally: SizeTally
  tile_num: number
  cell_num: number
  metadata_size: number
}

/** Advice on the layout of cells; none if the array is too small to matter. */
export function layoutFindings({ tally, tile_num, cell_num, metadata_size }: LayoutTotals): StatsFinding[] {
  const { data } = tally
  const found: StatsFinding[] = []
  const note = (code: StatsFinding['code'], bytes: number, message: string): void => {
    found.push({ code, severity: 'note', message, bytes })
  }
  const stored = data.size + metadata_size
  if (tile_num > 1) {
    const perTile = data.unfiltered_size / tile_num
    const cells = Math.round(cell_num / tile_num)
    const of = `a tile has ${cells} cells, ${Math.round(perTile)} bytes unfiltered in all its fields`
    if (perTile < SMALL_TILE && stored >= WORTH_BYTES)
      note('TILES_SMALL', stored, `tiles are small: ${of}; a larger capacity or extent means fewer of them`)
    if (perTile > LARGE_TILE) note('TILES_LARGE', perTile, `tiles are large: ${of}; TileDB reads whole tiles`)
  }
  if (metadata_size >= WORTH_BYTES && metadata_size > MUCH_METADATA * data.size) {
    const share = ratioOf(metadata_size, Math.max(1, data.size))
    const much = `metadata has ${share} times the bytes of the data: many tiles or fragments for so few bytes`
    note('METADATA_LARGE', metadata_size, much)
  }
  for (const { name, files } of tally.fields.values()) {
    const { size, unfiltered_size } = filtered(files.values())
    const more = size - unfiltered_size
    if (more < WORTH_BYTES || more < LARGER_BY * unfiltered_size) continue
    const larger = `${JSON.stringify(name)} is larger stored than unfiltered, ${size} bytes for ${unfiltered_size}`
    note('STORED_LARGER', more, `${larger}: other filters, or larger tiles and chunks, may be better`)
  }
  return found
}

/** StatsSizes of the files that have filters. */
function filtered(files: Iterable<StatsSizes & { filters: readonly { filters: readonly unknown[] }[] }>): StatsSizes {
  const sum: StatsSizes = { size: 0, unfiltered_size: 0 }
  for (const { size, unfiltered_size, filters } of files) {
    if (!filters.some((one) => one.filters.length > 0)) continue
    sum.size += size
    sum.unfiltered_size += unfiltered_size
  }
  return sum
}
