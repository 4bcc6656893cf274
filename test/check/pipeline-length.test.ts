import { expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { u32Bytes } from '../../src/damage/bytes.ts'
import { GENERIC_TILE_FIXED_BYTES } from '../../src/format/generic-tile.ts'
import { u32 as u32At } from '../../src/format/u32.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

// TileDB 2.30 reads such schemas and delete conditions: the same cells.
test.each([/\/__schema\/__\d/, /\.del$/])(
  'bytes after the filters of a generic tile are skipped: %s',
  async (pattern) => {
    const array = new EditedArray('22/deletes')
    const before = await run(['read', EDITED], { storage: array.storage() })
    const [path] = array.matching(pattern)
    const content = array.get(path)
    const length = u32At(content, GENERIC_TILE_FIXED_BYTES - 4)
    const end = GENERIC_TILE_FIXED_BYTES + length
    const more = new Uint8Array(300).fill(7)
    const head = concat([content.subarray(0, GENERIC_TILE_FIXED_BYTES - 4), u32Bytes(length + more.length)])
    array.files.set(path, concat([head, content.subarray(GENERIC_TILE_FIXED_BYTES, end), more, content.subarray(end)]))
    expect(await run(['read', EDITED], { storage: array.storage() })).toEqual(before)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.map(({ severity, code, field, found }) => [severity, code, field, found])).toEqual([
      ['warning', 'GENERIC_TILE_HEADER', 'filter_pipeline_length', '300 more bytes'],
    ])
  },
)
