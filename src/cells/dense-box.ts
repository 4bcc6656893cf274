import { element } from '../base/element.ts'
import { badValue, type InspectError } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'
import { valueLanes } from './cell-order.ts'
import type { ColumnData } from './column.ts'

/**
 * The bounding box of dense cells, and the permutation that puts them in row-major order. The permutation is undefined if the
 * cells are already in this order.
 *
 * @param columns columns of the coordinates first, with `count` cells each
 * @param file name of the cells in errors
 * @throws InspectError BAD_VALUE unless the cells fill the box, with one cell per place
 */
export function denseBox(
  schema: ArraySchema,
  columns: readonly ColumnData[],
  count: number,
  file: string,
): { domain: NDRange; order: Int32Array | undefined } {
  const { dimensions } = schema.domain
  if (count === 0) throw badValue({ expected: 'at least one cell for a dense fragment', found: 'none' }, { file })
  const axes = dimensions.map(({ type }, d) => axisOf(element(columns, d).data, type, count))
  const volume = axes.reduce((product, { length }) => product * length, 1)
  if (volume !== count) {
    const box = axes.map(({ length }) => length).join(' × ')
    throw badValue(
      { expected: `every cell of the box that dense cells span (${box} = ${volume})`, found: count },
      { file },
    )
  }
  const order = new Int32Array(count)
  const taken = new Uint8Array(count)
  let sorted = true
  for (let cell = 0; cell < count; cell++) {
    let place = 0
    for (const { length, positions } of axes) place = place * length + (positions[cell] ?? 0)
    if (taken[place]) throw twice(schema, columns, cell, file)
    taken[place] = 1
    order[place] = cell
    sorted &&= place === cell
  }
  return { domain: axes.map(({ min, max }) => ({ min, max })), order: sorted ? undefined : order }
}

function twice({ domain }: ArraySchema, columns: readonly ColumnData[], cell: number, file: string): InspectError {
  const at = domain.dimensions.map(({ name, type }, d) => {
    const size = datatypeSize(type)
    return `${name}=${integerOf(type, element(columns, d).data.subarray(cell * size, (cell + 1) * size))}`
  })
  return badValue({ expected: 'each coordinate once in a dense array', found: `${at.join(', ')} twice` }, { file })
}

/** The cells of a box along one dimension. */
interface Axis {
  min: Uint8Array
  max: Uint8Array
  length: number
  /** Position of each cell along the axis. */
  positions: Float64Array
}

/** Positions above 2^53 are approximate, but no box is that large. */
function axisOf(data: Uint8Array, type: Datatype, count: number): Axis {
  const size = datatypeSize(type)
  const lanes = valueLanes(type, data, count)
  const low = element(lanes, lanes.length - 1)
  const high = lanes.length > 1 ? element(lanes, 0) : new Uint32Array(count)
  let [least, most] = [0, 0]
  /** How far one value is above another. */
  const above = (one: number, other: number): number =>
    ((high[one] ?? 0) - (high[other] ?? 0)) * 2 ** 32 + ((low[one] ?? 0) - (low[other] ?? 0))
  for (let i = 1; i < count; i++) {
    if (above(i, least) < 0) least = i
    else if (above(i, most) > 0) most = i
  }
  const position = (i: number): number => above(i, least)
  const cell = (i: number): Uint8Array => data.slice(i * size, (i + 1) * size)
  const positions = Float64Array.from({ length: count }, (_, i) => position(i))
  return { min: cell(least), max: cell(most), length: position(most) + 1, positions }
}
