import { expect, test } from '@jest/globals'
import { arrayInMemory } from '../../src/advice/in-memory.ts'
import { changedSchema } from '../../src/advice/remedies.ts'
import { localFiles } from '../../src/node/file.ts'
import { storedCellNum } from '../../src/objects/fragment.ts'
import { openTarget } from '../../src/objects/target.ts'
import { openAt } from '../../src/read/opening.ts'
import { cellsToRewrite } from '../../src/steps/cells.ts'
import { contextFor, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const arrays = fixtureFolders().filter(
  ({ path, kind, key }) => kind === 'array' && !key && !path.includes('unreadable'),
)

test.each(turnOfFamilies(arrays, 8, versionOf).map(({ path }) => path))(
  'the cells of %s fit into an array of the newest format',
  async (path) => {
    const target = await openTarget(localFiles, path, contextFor({ key: undefined }))
    if (target.type !== 'array') throw new TypeError('expected an array')
    const opened = await openAt(target.array)
    if (opened.schema.array_type === 'dense' || opened.fragments.length === 0) return
    const cells = await cellsToRewrite(opened)
    if (cells.cell_num === 0) return
    const { fragments } = await arrayInMemory(
      changedSchema(opened.schema, { capacity: 3 }),
      [cells],
      target.array.cx.codecs,
    )
    expect(fragments.map(({ info }) => storedCellNum(info))).toEqual([cells.cell_num])
    expect(fragments[0].info.cells_per_tile).toBe(3)
  },
)
