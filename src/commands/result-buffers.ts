import type { CountedCells } from '../advice/values.ts'
import { unlessFault } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import type { ExplainResultField, ExplainResultSize } from '../documents/explain.ts'
import { type TileCost, tileCost } from '../explain/cost.ts'
import { type ExplainQuery, eachTileOnce, type TileRead } from '../explain/plan.ts'
import { datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { fixedSize } from '../format/range.ts'
import { hull, integerEnd, intersection, intervalsOf } from '../read/dense-windows.ts'
import { openedCells } from '../read/domain-cells.ts'
import { type OpenedArray, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'

/** Bytes of an offset in TileDB's result buffers, unless `sm.var_offsets.bitsize` is 32. */
const OFFSET_BYTES = 8

/**
 * What the tiles hold of which a result is made. That does not depend on how often a reader reads them, for want of memory.
 * @param cost that of all reads
 */
export async function heldTiles(opened: OpenedArray, reads: readonly TileRead[], cost: TileCost): Promise<TileCost> {
  const once = eachTileOnce(reads)
  return once === reads ? cost : tileCost(opened, once)
}

/**
 * The bytes that a query needs in each result buffer if it is submitted once, and in all of them together. The var-sized values
 * of a dense array, or without counted cells, are those of all tiles that are read.
 *
 * @param cost what the tiles hold: see {@link heldTiles}
 * @param counted the cells of a sparse read, if they were counted; then var-sized values are read and counted, too
 */
export async function resultBuffers(
  request: ExplainQuery,
  cost: TileCost,
  counted: CountedCells | undefined,
): Promise<{ result: ExplainResultField[]; result_size: ExplainResultSize }> {
  const { schema } = request.opened
  const isDense = schema.array_type === 'dense'
  const cells =
    counted?.cells ?? (isDense ? denseCells(request) : cost.fields.reduce((most, one) => Math.max(most, one.cells), 0))
  const varBytes = counted && (await countedBytes(request).catch(unlessFault))
  const isExact = isDense || counted !== undefined
  const result = buffersOf(request, cost, { cells, varBytes, isExact })
  const isAttribute = ({ name }: ExplainResultField): boolean => schema.attributes.some((one) => one.name === name)
  const bytes = bytesOf(result)
  const whole = isDense && request.query.ranges.size === 0 ? Number(openedCells(schema)) : undefined
  const ofWhole = whole === undefined ? [] : buffersOf(request, cost, { cells: whole, varBytes: undefined, isExact })
  return {
    result,
    result_size: {
      cell_num: cells,
      bytes,
      coordinate_bytes: bytes - bytesOf(result.filter(isAttribute)),
      certainty: result.some(({ certainty }) => certainty === 'at most') ? 'at most' : 'exact',
      whole_cell_num: whole ?? null,
      whole_bytes: whole === undefined ? null : bytesOf(ofWhole.filter(isAttribute)),
    },
  }
}

/** Bytes of all buffers of some fields. */
function bytesOf(fields: readonly ExplainResultField[]): number {
  return sum(
    fields,
    ({ data_bytes, offsets_bytes, validity_bytes }) => data_bytes + (offsets_bytes ?? 0) + (validity_bytes ?? 0),
  )
}

interface CellsOfResult {
  cells: number
  /** Counted bytes of var-sized values. */
  varBytes: ReadonlyMap<string, number> | undefined
  /** Whether the number of cells is exact. */
  isExact: boolean
}

function buffersOf(
  { opened: { schema }, query }: ExplainQuery,
  cost: TileCost,
  { cells, varBytes, isExact }: CellsOfResult,
): ExplainResultField[] {
  const isDense = schema.array_type === 'dense'
  return readColumns(schema, { ...query, provenance: false }).map((column): ExplainResultField => {
    const { name } = column
    const attribute = schema.attributes.find((one) => one.name === name)
    const size = fixedSize(column)
    const read = cost.fields.find((one) => one.name === name)
    // Cells without a stored value have the fill value: unwritten dense cells, and cells of fields that were added later.
    const filled = (isDense ? cells : Math.max(0, cells - (read?.cells ?? 0))) * (attribute?.fill_value?.length ?? 1)
    const most = (read?.parts.find(({ role }) => role === 'var')?.cell_bytes ?? 0) + filled
    const known = size === undefined ? varBytes?.get(name) : cells * size
    return {
      name,
      data_bytes: known ?? most,
      offsets_bytes: size === undefined ? cells * OFFSET_BYTES : null,
      validity_bytes: attribute?.nullable ? cells : null,
      certainty: known !== undefined && isExact ? 'exact' : 'at most',
    }
  })
}

/**
 * Number of cells of a dense read. Along a dimension with ranges: the cells of the ranges that lie in the domain. Along other
 * dimensions, and at open ends: the cells of the box around the fragments. Cells in two ranges count twice, because TileDB
 * returns them twice.
 * @param written whether only cells of that box count
 */
export function denseCells(
  { opened: { schema, fragments }, query: { ranges } }: ExplainQuery,
  written = false,
): number {
  const { dimensions } = schema.domain
  const boxes = fragments.flatMap(({ info }) =>
    info.nonempty_domain ? [intervalsOf(info.nonempty_domain, dimensions)] : [],
  )
  // Bigints, because nanoseconds since 1970 are beyond 2^53.
  const cells = dimensions.reduce((product, { type, domain }, d) => {
    const size = datatypeSize(type)
    const all = { low: integerOf(type, domain.subarray(0, size)), high: integerOf(type, domain.subarray(size)) }
    const box = hull(boxes.map((one) => one[d]))
    const wantedRanges = ranges.get(d) ?? (box ? [box] : [])
    const side = wantedRanges.reduce((count, range) => {
      const { low, high } = box ?? all
      const wanted = { low: integerEnd(range.low) ?? low, high: integerEnd(range.high) ?? high }
      const part = intersection(wanted, (written && box) || all)
      return part ? count + part.high - part.low + 1n : count
    }, 0n)
    return product * side
  }, 1n)
  return Number(cells)
}

/** Bytes of the var-sized values in the result, by field. Reads them. */
async function countedBytes({ opened, query }: ExplainQuery): Promise<Map<string, number>> {
  const { schema } = opened
  const isVar = (name: string): boolean =>
    schema.attributes.some((one) => one.name === name && one.cell_val_num === 'var')
  const names = readColumns(schema, { ...query, provenance: false }).map(({ name }) => name)
  const wanted = { ...query, fields: names.filter(isVar), provenance: false }
  const columns = readColumns(schema, wanted)
  const bytes = new Map<string, number>(
    columns.flatMap((column) => (fixedSize(column) === undefined ? [[column.name, 0] as const] : [])),
  )
  if (bytes.size === 0) return bytes
  for await (const { rows, cell_num, columns: data } of readMerged(opened, wanted)) {
    for (const [c, { name }] of columns.entries()) {
      const { starts } = data[c] ?? {}
      const known = bytes.get(name)
      if (!starts || known === undefined) continue
      const sum = rows
        ? rows.reduce((all, row) => all + Number(starts[row + 1] - starts[row]), 0)
        : starts[cell_num] - starts[0]
      bytes.set(name, known + sum)
    }
  }
  return bytes
}
