import { describe, expect, test } from '@jest/globals'
import { allRows } from '../../src/cells/column.ts'
import { changedCell } from '../../src/check/changed-cell.ts'

const CELLS = 50

/** A tile of cells from 100 to 149, its statistics as they are stored, and the cells after changes. */
function tile(change: (values: Int32Array) => void): Parameters<typeof changedCell> {
  const values = Int32Array.from({ length: CELLS }, (_, i) => 100 + ((i * 7) % CELLS))
  const stored = {
    min: bytes(Int32Array.of(Math.min(...values))),
    max: bytes(Int32Array.of(Math.max(...values))),
    sum: bytes(BigInt64Array.of(BigInt(values.reduce((a, b) => a + b)))),
  }
  change(values)
  const column = { data: bytes(values), starts: undefined, validity: undefined }
  return ['INT32', { column, counted: allRows(CELLS) }, stored, 0]
}

function bytes(array: Int32Array | BigInt64Array | Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer)
}

describe('the one cell that was changed', () => {
  test('the only cell outside of minimum and maximum', () => {
    const found = changedCell(
      ...tile((values) => {
        values[3] += 1 << 20
      }),
    )
    expect(found).toEqual({ cell: 3, was: 121n, isExact: true })
  })

  test('the cell that was the minimum', () => {
    const found = changedCell(
      ...tile((values) => {
        values[0] += 16
      }),
    )
    // Another cell is 116, too: either may have been the minimum.
    expect(found).toBeUndefined()
    const alone = changedCell(
      ...tile((values) => {
        values[values.indexOf(116)] = 117
        values[0] = 116
      }),
    )
    // Two cells were changed: no single one explains the sum.
    expect(alone).toBeUndefined()
  })

  test('no single cell explains two changes', () => {
    const found = changedCell(
      ...tile((values) => {
        values[3] += 1 << 20
        values[4] += 1 << 21
      }),
    )
    expect(found).toBeUndefined()
    const inside = changedCell(
      ...tile((values) => {
        values[3] += 1 << 20
        values[4] -= 90
      }),
    )
    expect(inside).toBeUndefined()
  })

  test('floats of four bytes are found to the last digit, in spite of the order of addition', () => {
    const values = Float32Array.from({ length: CELLS }, (_, i) => Math.fround(1.1 + i / 7))
    const sum = values.reduce((a, b) => a + b, 0)
    const was = values[20]
    const stored = {
      min: bytes(Float32Array.of(values[0])),
      max: bytes(Float32Array.of(values[CELLS - 1])),
      sum: bytes(Float64Array.of(sum)),
    }
    const low = changedCell('FLOAT32', floats(values.with(20, 1e-38)), stored, 1e-12)
    expect(low).toEqual({ cell: 20, was, isExact: true })
    // The value of the minimum is known from the metadata.
    const least = changedCell('FLOAT32', floats(values.with(0, 4.25)), stored, 1e-12)
    expect(least).toEqual({ cell: 0, was: values[0], isExact: true })
    const rough = changedCell('FLOAT32', floats(values.with(20, 1e-38)), stored, 1e-3)
    expect(rough).toMatchObject({ cell: 20, isExact: false })
  })
})

function floats(values: Float32Array): Parameters<typeof changedCell>[1] {
  return { column: { data: bytes(values), starts: undefined, validity: undefined }, counted: allRows(values.length) }
}
