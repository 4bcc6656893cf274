import { describe, expect, test } from '@jest/globals'
import { fieldFileBase } from '../../src/format/field-files.ts'

const attribute = (name: string, index = 0): Parameters<typeof fieldFileBase>[1] => ({
  name,
  kind: 'attribute',
  index,
  phantom: false,
})

describe('files of fields', () => {
  test('have the name of the field up to version 7', () => {
    for (let version = 1; version < 8; version++) expect(fieldFileBase(version, attribute('a b/c%d'))).toBe('a b/c%d')
  })

  test('have codes for some characters in version 8, four of them those of others', () => {
    expect(fieldFileBase(8, attribute('!"#$%&\'()*+,/:;=?@[]'))).toBe(
      '%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D',
    )
    expect(fieldFileBase(8, attribute('<>\\|'))).toBe('%20%2D%30%3C')
    expect(fieldFileBase(8, attribute('a-b_c.d e^`{}~äß'))).toBe('a-b_c.d e^`{}~äß')
  })

  test('are counted since version 9', () => {
    expect(fieldFileBase(9, attribute('anything', 12))).toBe('a12')
    expect(fieldFileBase(22, { name: 'x', kind: 'dimension', index: 3, phantom: false })).toBe('d3')
  })

  test('of coordinates are one up to version 4, and none of the phantom slot since', () => {
    expect(fieldFileBase(4, { name: '__coords', kind: 'coords', index: 0, phantom: false })).toBe('__coords')
    expect(fieldFileBase(5, { name: '__coords', kind: 'coords', index: 0, phantom: true })).toBeUndefined()
  })

  test('of timestamps and deletes have fixed names', () => {
    const names = (['timestamps', 'delete_timestamps', 'delete_condition_index'] as const).map((kind) =>
      fieldFileBase(22, { name: '', kind, index: 0, phantom: false }),
    )
    expect(names).toEqual(['t', 'dt', 'dci'])
  })
})
