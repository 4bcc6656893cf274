import { describe, expect, test } from '@jest/globals'
import { batchRows, columnValue } from '../../src/cells/rows.ts'
import { encodeText } from '../../src/format/text.ts'
import type { InspectArray } from '../../src/objects/array.ts'
import { cellHistories } from '../../src/read/history.ts'
import { openAt } from '../../src/read/opening.ts'
import { type ReadQuery, readColumns } from '../../src/read/query.ts'
import { readSparse } from '../../src/read/sparse.ts'
import { EditedArray } from '../helpers/edit-array.ts'
import { openEdited } from '../helpers/open-edited.ts'

/** Some programs write with nanoseconds in place of milliseconds. Above 2^53, numbers round them to multiples of 256. */
const LATER = 1_714_557_600_000_000_001n

/** The fixture with all of its times moved. */
async function movedTo(later: bigint): Promise<InspectArray> {
  const edited = new EditedArray('removed/consolidated')
  const moved = (text: string): string =>
    text.replace(/(__fragments|__commits)\/__(\d+)_(\d+)_/g, (_, folder, ...times: string[]) => {
      const [first, last] = times.slice(0, 2).map((time) => BigInt(time) + later)
      return `${folder}/__${first}_${last}_`
    })
  const path = edited.fragmentPath('__10_20_')
  const { tile_num } = await (await edited.fragment(path)).info()
  for (let tile = 0; tile < tile_num; tile++)
    await edited.editTile(
      '__timestamps',
      'data',
      tile,
      (data) => new Uint8Array(new BigUint64Array(data.buffer).map((time) => time + later).buffer),
      path,
    )
  for (const [file, bytes] of [...edited.files]) {
    edited.files.delete(file)
    edited.files.set(moved(file), file.endsWith('.vac') ? encodeText(moved(Buffer.from(bytes).toString())) : bytes)
  }
  return openEdited(edited)
}

/** The cells that a read gives, with their times as they were before these were moved. */
async function cellsAt(later: bigint, time: bigint, order: ReadQuery['order']): Promise<object[]> {
  const opened = await openAt(await movedTo(later), { to: time + later })
  const query: ReadQuery = { order, ranges: new Map(), provenance: true }
  const columns = readColumns(opened.schema, query)
  const values = columns.map((column) => columnValue(column, { raw: true }))
  const cells: object[] = []
  for await (const batch of readSparse(opened, query))
    for (const row of batchRows(batch, columns, values))
      cells.push({ ...row, __written: BigInt(row.__written as bigint) - later })
  return cells
}

describe('times that numbers cannot hold exactly', () => {
  test.each([10n, 15n, 19n, 20n, 30n])('decide like other times which cells a read as of %d returns', async (time) => {
    for (const order of ['global', 'row-major'] as const) {
      const cells = await cellsAt(0n, time, order)
      expect(cells.length).toBeGreaterThan(0)
      expect(await cellsAt(LATER, time, order)).toEqual(cells)
    }
  })

  test('order the versions of cells, and are shown', async () => {
    const versions = async (later: bigint) => {
      const opened = await openAt(await movedTo(later), { to: 15n + later })
      const histories = await cellHistories(opened, { ranges: new Map(), most: 1000 })
      return histories.map((one) =>
        one.versions.map(({ written, state, tile, cell }) => [(written ?? 0n) - later, state, tile, cell]),
      )
    }
    expect(await versions(LATER)).toEqual(await versions(0n))
  })
})
