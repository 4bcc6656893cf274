import { expect, test } from '@jest/globals'
import { type Bounds, rowsInside } from '../../src/cells/bounds.ts'

const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 32n - 1n, 2n ** 62n, 2n ** 63n - 1n, 5n * 2n ** 32n + 7n]

test.each(['INT64', 'UINT64'] as const)('cells of %s in a range are those that comparing each value gives', (type) => {
  const signed = type === 'INT64'
  const near = EDGES.flatMap((edge) => [edge - 1n, edge, edge + 1n, -edge])
  const wrap = (value: bigint): bigint => (signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value))
  const values = [...new Set(near.map(wrap))]
  const data = new Uint8Array(new BigUint64Array(values.map((value) => BigInt.asUintN(64, value))).buffer)
  const column = { data, starts: undefined, validity: undefined }
  const ends = [undefined, ...values]
  for (const low of ends) {
    for (const high of ends) {
      for (const below of [undefined, values[3], values[values.length - 1]]) {
        const range: Bounds = { low, high, below }
        const inside = (value: bigint): boolean =>
          (low === undefined || value >= low) &&
          (high === undefined || value <= high) &&
          (below === undefined || value < below)
        const expected = values.flatMap((value, i) => (inside(value) ? [i] : []))
        const rows = rowsInside([{ type, cell_val_num: 1 }], [column], values.length, new Map([[0, [range]]]))
        if (String(rows ?? [...values.keys()]) !== String(expected))
          throw new Error(`${low} ${high} ${below}: ${rows}, expected ${expected}`)
      }
    }
  }
  expect(values.length).toBeGreaterThan(20)
})
