import { get, items, type Json, shown } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import type { ExpectedFragment, ExpectedSchema } from './expected.ts'

/**
 * The program prints dense cells as they are stored: tiles in tile order, and cells in cell order. The expected cells are in row-major
 * order over the non-empty domain.
 * @returns the rows in row-major order; undefined if they are not the cells of the domain in stored order
 */
export function compareDenseOrder(
  rows: readonly Json[],
  schema: ExpectedSchema,
  want: ExpectedFragment,
  found: Differences,
): Json[] | undefined {
  const axes = schema.dims.map(({ name, domain, tile }, d) => {
    const [low, high] = items(want.nonempty_domain?.[d]).map(whole)
    const [domainLow, domainHigh] = items(domain ?? []).map(whole)
    return { name, low, high, domainLow, extent: tile === null ? domainHigh - domainLow + 1n : whole(tile) }
  })
  const count = axes.reduce((cells, { low, high }) => cells * (high - low + 1n), 1n)
  found.equal(rows.length, Number(count), `number of dense cells of ${want.name}`)
  const rowMajor = new Array<Json | undefined>(rows.length).fill(undefined)
  let before: bigint[] | undefined
  for (const row of rows) {
    const coordinates = axes.map(({ name }) => whole(get(row, name)))
    const isInside = axes.every(({ low, high }, d) => coordinates[d] >= low && coordinates[d] <= high)
    const at = Number(axes.reduce((index, { low, high }, d) => index * (high - low + 1n) + coordinates[d] - low, 0n))
    if (!isInside || at >= rows.length || rowMajor[at] !== undefined) {
      found.add(`${want.name}: coordinates ${shown(coordinates)} are outside of the domain, or come twice`)
      return undefined
    }
    rowMajor[at] = row
    const tiles = axes.map(({ domainLow, extent }, d) => (coordinates[d] - domainLow) / extent)
    const place = [...inOrder(schema.tile_order, tiles), ...inOrder(schema.cell_order, coordinates)]
    if (before && !follows(before, place)) {
      found.add(`${want.name}: dense cells are not in stored order at ${shown(coordinates)}`)
      return undefined
    }
    before = place
  }
  return rowMajor.map((row) => row ?? null)
}

/** A whole number of the JSON; -1 if it is none, which is never inside. */
function whole(value: Json | undefined): bigint {
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : -1n
}

function inOrder(order: string, values: readonly bigint[]): bigint[] {
  return order === 'col-major' ? values.toReversed() : [...values]
}

function follows(before: readonly bigint[], after: readonly bigint[]): boolean {
  const at = after.findIndex((value, i) => value !== before[i])
  return at >= 0 && after[at] > before[at]
}
