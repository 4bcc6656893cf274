import { expect, test } from '@jest/globals'
import { globalOrder } from '../../src/cells/cell-order.ts'
import { planSample } from '../../src/write/sample.ts'

const CELLS = 300_000

// Between two pauses no signal is handled: Ctrl-C has to wait.
test('cells of a sample are made and sorted with pauses, whatever their number', async () => {
  let pauses = 0
  const pause = (): undefined => {
    pauses++
  }
  const options = { sparse: true, cells: String(CELLS), fragments: '1' }
  const { array } = planSample(options, { style: { raw: false }, pause })
  const { schema } = array
  const { dimensions } = schema.domain
  for await (const { columns } of array.fragments) {
    // Several in each column; before, there were pauses only between columns.
    expect(pauses).toBeGreaterThan((schema.attributes.length + dimensions.length) * 3)
    pauses = 0
    const unsorted = dimensions.flatMap(({ name }) => {
      const column = columns.get(name)
      return column ? [{ ...column, data: column.data.toReversed() }] : []
    })
    expect(await globalOrder(schema, unsorted, CELLS, pause)).toHaveLength(CELLS)
    expect(pauses).toBeGreaterThan(2)
  }
})
