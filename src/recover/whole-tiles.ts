import { fastestFirst } from '../cells/dense-coordinates.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf } from '../format/value.ts'
import type { MetadataFacts } from './facts.ts'
import { all, type TileSelection } from './rebuild.ts'

/**
 * The tiles of new fragments that together hold all but the unreadable tiles. A sparse fragment becomes one with fewer tiles. A dense
 * fragment must fill a box, so it becomes several fragments, whose boxes leave out the unreadable tiles.
 */
export function selectionsWithout(facts: MetadataFacts, unread: ReadonlySet<number>): TileSelection[] {
  const { tileNum, domain } = facts
  if (domain) return boxesWithout(facts, domain, unread)
  const tiles = all(tileNum).filter((tile) => !unread.has(tile))
  return tiles.length === 0 ? [] : [{ tiles, domain: undefined }]
}

function boxesWithout(
  { schema, tileNum }: MetadataFacts,
  domain: NDRange,
  unread: ReadonlySet<number>,
): TileSelection[] {
  const { axes } = denseTileGrid(schema, domain)
  const order = fastestFirst(schema.tile_order, axes.length)
  const taken = new Uint8Array(tileNum)
  for (const tile of unread) taken[tile] = 1
  const steps = axes.map(() => 1)
  let step = 1
  for (const d of order) {
    steps[d] = step
    step *= axes[d].tile_num
  }
  const found: TileSelection[] = []
  for (let first = 0; first < tileNum; first++) {
    if (taken[first]) continue
    const tiles = [first]
    const from = axes.map(({ tile_num }, d) => Math.floor(first / steps[d]) % tile_num)
    const counts = axes.map(() => 1)
    // The box grows along one axis after the other, as long as all new tiles are free.
    for (const d of order) {
      const slice = [...tiles]
      while (from[d] + counts[d] < axes[d].tile_num) {
        const more = slice.map((tile) => tile + counts[d] * steps[d])
        if (more.some((tile) => taken[tile])) break
        for (const tile of more) tiles.push(tile)
        counts[d]++
      }
    }
    for (const tile of tiles) taken[tile] = 1
    const box = axes.map(({ type, domainLow, firstTile, extent, low, high }, d) => {
      const start = domainLow + (firstTile + BigInt(from[d])) * extent
      const end = start + BigInt(counts[d]) * extent - 1n
      const bytes = (value: bigint): Uint8Array => bytesOf(type, 1, value, { raw: true })
      return { min: bytes(start < low ? low : start), max: bytes(end > high ? high : end) }
    })
    found.push({ tiles: tiles.sort((a, b) => a - b), domain: box })
  }
  return found
}
