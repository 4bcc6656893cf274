import { describe, expect, test } from '@jest/globals'
import { encodeText } from '../../src/format/text.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const UUID = '0'.repeat(32)
const GROUP = '22/group'

const LINES = encodeText('nonsense\n')

/**
 * Names of files, their bytes (undefined for those of a file that belongs there), and the code of the error if TileDB 2.30 fails to open
 * the array or the group, or to read its metadata.
 */
type Cases = readonly [name: string, bytes: Uint8Array | undefined, code: string | undefined][]

const OF_ARRAYS: Cases = [
  [`__9_2_${UUID}`, undefined, 'METADATA_NAME_INVALID'],
  [`__-1_5_${UUID}`, undefined, 'METADATA_NAME_INVALID'],
  ['x.vac', new Uint8Array(), 'METADATA_NAME_INVALID'],
  ['foo', new Uint8Array(), 'METADATA_NAME_INVALID'],
  [`__5_5_${UUID}`, new Uint8Array(), 'METADATA_UNREADABLE'],
  [`__1_1_${UUID}.vac`, LINES, 'METADATA_UNREADABLE'],
  [`__1_1_${UUID}.vac`, new Uint8Array(), undefined],
  [`__5_5_${UUID}_22.tmp`, undefined, undefined],
]

const OF_GROUPS: Cases = [
  ...OF_ARRAYS.filter(([, bytes]) => bytes !== LINES),
  // TileDB passes over what such a file of a group lists.
  [`__1_1_${UUID}.vac`, LINES, undefined],
]

const OF_LISTS: Cases = [
  [`__9_2_${UUID}_2`, undefined, 'METADATA_NAME_INVALID'],
  ['x.vac', new Uint8Array(), 'METADATA_NAME_INVALID'],
  ['foo', new Uint8Array(), 'METADATA_NAME_INVALID'],
  [`__1_1_${UUID}.vac`, LINES, undefined],
  [`__5_5_${UUID}_2.tmp`, undefined, undefined],
]

function withEntry(fixture: string, folder: string, name: string, bytes: Uint8Array | undefined): EditedArray {
  const array = new EditedArray(fixture)
  array.add(`${folder}/${name}`, bytes ?? array.get(array.first(new RegExp(`${folder}/__\\d+_\\d+_[^/.]*$`))))
  return array
}

async function expectSaid(array: EditedArray, commands: readonly string[][], code: string | undefined): Promise<void> {
  const storage = array.storage()
  for (const command of commands) {
    const { code: exit, stderr } = await run([...command, EDITED, '--quiet'], { storage })
    expect([command, exit, stderr]).toEqual([command, code === undefined ? 0 : 1, exit === 0 ? '' : stderr])
    expect(stderr.match(/^error: /gm)?.length ?? 0).toBeLessThanOrEqual(1)
  }
  const { documents } = await runJson(['check', EDITED], { storage })
  const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'severity') === 'error')
  expect(found.map((one) => get(one, 'code'))).toEqual(code === undefined ? [] : [code])
}

describe('entries of __meta', () => {
  test.each(OF_ARRAYS)('of an array: %s', async (name, bytes, code) => {
    const array = withEntry('22/metadata', '__meta', name, bytes)
    await expectSaid(array, [['metadata'], ['explain'], []], code)
  })

  test.each(OF_GROUPS)('of a group: %s', async (name, bytes, code) => {
    await expectSaid(withEntry(GROUP, '__meta', name, bytes), [['metadata'], ['ls'], []], code)
  })
})

test.each(OF_LISTS)('entries of __group: %s', async (name, bytes, code) => {
  const commands = [['metadata'], ['ls'], ['schema'], ['commits'], ['stats'], []]
  await expectSaid(withEntry(GROUP, '__group', name, bytes), commands, code)
})
