import { describe, expect, test } from '@jest/globals'
import { SCHEMA, UUID } from '../../src/damage/damage.ts'
import { nameFacts } from '../../src/format/timestamped-name.ts'
import { openTarget } from '../../src/objects/target.ts'
import { formatCount } from '../../src/render/units.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { check } from './findings.ts'

const AHEAD = '__9999999999999_9999999999999_'
const FIRST = '0'.repeat(32)
const LAST = 'f'.repeat(32)

/** The attributes of the opened schema, in an array that has only two schemas, with the given names. */
async function withSchemas(older: string, newer: string): Promise<string[]> {
  const array = new EditedArray('22/evolved_sparse')
  const [a, b] = array.matching(SCHEMA).sort()
  const contents = [array.get(a), array.get(b)]
  array.removeAll(/\/(?:__schema|__fragments|__commits)\//)
  array.add(`__schema/${older}`, contents[0])
  array.add(`__schema/${newer}`, contents[1])
  const { schema } = await (await openEdited(array)).newestSchema()
  return schema.attributes.map(({ name }) => name)
}

describe('the schema of an array is the one that TileDB 2.30 opens it with', () => {
  test.each([
    ['of one time, the last by name', `__5_5_${FIRST}`, `__5_5_${LAST}`, ['a', 'b']],
    ['of one time, the last by name, the other way round', `__5_5_${LAST}`, `__5_5_${FIRST}`, ['a']],
    ['by name and not by time', `__9_9_${UUID}`, `__10_10_${UUID}`, ['a']],
    ['by name and not by time, the other way round', `__10_10_${UUID}`, `__9_9_${UUID}`, ['a', 'b']],
    ['by name and not by its last time', `__5_5_${UUID}`, `__3_8_${UUID}`, ['a']],
    ['of any name', `__5_5_${UUID}`, 'a_b', ['a', 'b']],
    ['of any name, the other way round', 'a_b', `__5_5_${UUID}`, ['a']],
    ['with a letter more', `__5_5_${UUID}`, `__5_5_${UUID}x`, ['a', 'b']],
    ['all ahead: the first', AHEAD + FIRST, AHEAD + LAST, ['a']],
    ['one ahead', `__5_5_${UUID}`, AHEAD + UUID, ['a']],
    ['one that ends ahead', `__5_5_${UUID}`, `__5_9999999999999_${UUID}`, ['a']],
  ])('%s', async (_, older, newer, attributes) => {
    expect(await withSchemas(older, newer)).toEqual(attributes)
  })

  test('what is no schema is none, whatever its name', async () => {
    const array = new EditedArray('22/evolved_sparse')
    array.add('__schema/z_z', [1, 2, 3])
    expect((await (await openEdited(array)).newestSchema()).schema.attributes).toHaveLength(2)
  })
})

describe('what stands in __group and __meta counts, whatever its name', () => {
  async function membersAs(name: (old: string) => string): Promise<unknown[]> {
    const group = new EditedArray('22/group')
    const details = group.find(/^\/__group\//)
    group.move(details, `${EDITED}/__group/${name(details.slice(`${EDITED}/__group/`.length))}`)
    const target = await openTarget(group.storage(), EDITED, contextFor({ key: undefined }))
    if (target.type !== 'group') throw new TypeError(`expected a group, found ${target.type}`)
    return (await target.group.members()).map(({ uri }) => uri).sort()
  }

  test.each<[string, (old: string) => string]>([
    ['a letter more', (old) => `${old}x`],
    ['a suffix', (old) => `${old}.x`],
    ['no version', (old) => old.replace(/_2$/, '')],
    ['a short id', () => '__5_5_abc_2'],
    ['times with signs', () => `__+1_+2_${UUID}_2`],
    ['no times', () => 'a_b'],
  ])('members: %s', async (_, name) => {
    expect(await membersAs(name)).toEqual(['arr1', 'arr2', 'sub'])
  })

  test('members: none in a list, and none ahead', async () => {
    expect(await membersAs((old) => `${old}.vac`)).toEqual([])
    expect(await membersAs(() => `${AHEAD + UUID}_2`)).toEqual([])
  })

  test('metadata: the later by its first time, then by name', async () => {
    const keys = async (first: string, second: string): Promise<unknown> => {
      const array = new EditedArray('22/metadata')
      const [older, newer] = array.matching(/\/__meta\/__\d/).sort()
      array.move(older, `${EDITED}/__meta/${first}`)
      array.move(newer, `${EDITED}/__meta/${second}`)
      return (await (await openEdited(array)).metadata()).get('changed')?.value_num
    }
    const asWritten = await keys(`__10_10_${UUID}`, `__20_20_${UUID}`)
    expect(await keys(`__5_10_${UUID}`, `__5_9_${UUID}`)).toBe(asWritten)
    expect(await keys('a_b', `__20_20_${UUID}`)).toBe(asWritten)
    expect(await keys(`__10_10_${UUID}`, `__+20_20_abc_2`)).toBe(asWritten)
    expect(await keys(`__5_9_${UUID}`, `__5_10_${UUID}`)).not.toBe(asWritten)
  })
})

test('a fragment that a .vac file lists twice is told once', async () => {
  const array = new EditedArray('22/sparse_basic')
  const line = `${array.fragmentPath().slice(EDITED.length)}\n`
  array.add(`__commits/__1_99_${UUID}_22.vac`, new TextEncoder().encode(line + line))
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  expect(findings.filter(({ code }) => code === 'VACUUM_HIDES_CELLS')).toHaveLength(1)
})

test('counts beyond 2^53 have all their digits', () => {
  expect(formatCount(2 ** 66)).toBe(formatCount(2n ** 66n))
})

/** Measured with TileDB 2.30, for fragments and for key-value metadata. */
test.each([
  ['-1', -1n],
  [`-${2n ** 63n - 1n}`, 1n - 2n ** 63n],
  [`-${2n ** 63n}`, -(2n ** 63n)],
  [`-${10n ** 20n}`, -(2n ** 63n)],
  [`${2n ** 63n}`, 2n ** 63n - 1n],
  ['99999999999999999999', 2n ** 63n - 1n],
])('a time of %s is that of the nearest long', (text, time) => {
  const stamp = BigInt.asUintN(64, time)
  expect(nameFacts(`__${text}_${text}_${UUID}_22`)?.timestamp_range).toEqual([stamp, stamp])
  expect(nameFacts(`__a_${text}`)?.timestamp_range).toEqual([stamp, stamp])
})

/** Reads a number as C++ reads a uint32 from a stream. */
test.each([
  ['22', 22],
  ['-5', 2 ** 32 - 5],
  ['-4294967290', 6],
  ['-4294967296', 2 ** 32 - 1],
  ['4294967296', 2 ** 32 - 1],
  ['x', 0],
])('a version of %s is %i', (text, version) => {
  expect(nameFacts(`__1_1_${UUID}_${text}`)?.format_version).toBe(version)
})

test('a name without an underscore says nothing', () => {
  expect([nameFacts('ab'), nameFacts('ab.c_d')]).toEqual([undefined, undefined])
})
