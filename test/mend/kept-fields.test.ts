import { rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { fileOf, planFolder, planOf } from '../helpers/plan.ts'

const { copyOf } = planFolder()

// As TileDB 2.30 reads the copies.
describe('a plan drops no cells of which every field is whole', () => {
  test('the times of cells: nothing is run, unless the replaced fragments are there', async () => {
    const alone = copyOf('22/deletes_consolidated', 'times')
    rmSync(`${fileOf(`${alone}/__fragments`, /^__10_20_/)}/dt.tdb`)
    expect((await planOf(alone)).plans).toMatchObject([
      { outcome: 'copy', lost: ['the times of the cells, or of their deletion; no field of a cell'], loses: [] },
    ])
    const replacing = copyOf('22/vacuum_left', 'replacing')
    rmSync(`${fileOf(`${replacing}/__fragments`, /^__10_30_/)}/t.tdb`)
    expect((await planOf(replacing)).plans).toMatchObject([
      { lost: ['nothing: the fragments that it replaced are still there'] },
    ])
  })

  test('the index of conditions: nothing is done', async () => {
    const path = copyOf('22/deletes_consolidated', 'index')
    rmSync(`${fileOf(`${path}/__fragments`, /^__10_20_/)}/dci.tdb`)
    expect((await planOf(path)).plans).toMatchObject([{ outcome: 'leave', loses: [] }])
  })
})

test('a damaged delete condition whose marks the consolidated fragment holds: no cell comes back', async () => {
  for (const [time, loses] of [
    [25, []],
    // A cell has one mark: that of this condition may be gone where the later one deleted the cell.
    [15, ['the deletion: the cells that it deleted are read again']],
  ] as const) {
    const path = copyOf('22/deletes_consolidated', `condition-${time}`)
    truncateSync(fileOf(`${path}/__commits`, new RegExp(`^__${time}_.*del$`)), 20)
    expect((await planOf(path)).plans).toMatchObject([{ loses }])
  }
})
