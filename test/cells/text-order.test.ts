import { expect, test } from '@jest/globals'
import { layoutLanes } from '../../src/cells/cell-order.ts'
import { sortedPositions } from '../../src/cells/sorted-positions.ts'
import type { Dimension } from '../../src/format/dimension.ts'
import { Random } from '../helpers/random.ts'

const dimension = { name: 'x', type: 'STRING_ASCII', cell_val_num: 'var' } as Dimension

const random = new Random(1)

/** Texts of few different bytes, so that many are equal, and many begin alike. */
function texts(count: number, start: string, shortest: number, longest: number): Buffer[] {
  const bytes = [0, 1, 0x61, 0x62, 0x7f, 0x80, 0xff]
  return Array.from({ length: count }, () => {
    const length = shortest + random.below(longest - shortest + 1)
    return Buffer.concat([Buffer.from(start), Uint8Array.from({ length }, () => random.pick(bytes))])
  })
}

function sorted(cells: readonly Buffer[]): { lanes: Uint32Array[]; order: Int32Array } {
  const starts = new Float64Array(cells.length + 1)
  for (const [i, { length }] of cells.entries()) starts[i + 1] = starts[i] + length
  const column = { data: new Uint8Array(Buffer.concat(cells)), starts, validity: undefined }
  const lanes = layoutLanes([dimension], [column], cells.length, false)
  return { lanes, order: sortedPositions(lanes, cells.length) }
}

test.each([
  ['short', '', 0, 5],
  ['of one length', '', 4, 4],
  ['of one length that is no multiple of a lane', 'key-', 5, 5],
  ['with a common start', 'a common start of many bytes ', 0, 12],
  ['long', 'start', 0, 40],
  ['empty', '', 0, 0],
] as const)('texts sort by unsigned bytes: %s', (_, start, shortest, longest) => {
  const cells = texts(3000, start, shortest, longest)
  const { lanes, order } = sorted(cells)
  const expected = Array.from(cells.keys()).sort((a, b) => Buffer.compare(cells[a], cells[b]) || a - b)
  expect([...order]).toEqual(expected)
  // Equal texts, and only these, have equal keys.
  const key = (i: number): string => lanes.map((lane) => lane[i]).join()
  for (let i = 1; i < order.length; i++)
    expect(key(order[i]) === key(order[i - 1])).toBe(cells[order[i]].equals(cells[order[i - 1]]))
})

test('no texts have no order', () => {
  expect(sorted([]).order).toHaveLength(0)
})
