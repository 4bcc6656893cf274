import { describe, expect, test } from '@jest/globals'
import { conditionText } from '../../src/calls/condition-text.ts'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import type { Attribute } from '../../src/format/attribute.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import type { ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import { bytes, textBytes, u32Bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { anySchema } from '../helpers/generate.ts'
import { Random } from '../helpers/random.ts'

function attribute(name: string, type: Datatype, cell_val_num: CellValNum = 1, enumeration = ''): Attribute {
  return {
    name,
    type,
    cell_val_num,
    enumeration,
    filters: { max_chunk_size: 0, filters: [] },
    fill_value: undefined,
    nullable: true,
    fill_value_validity: false,
    order: 'unordered',
  }
}

const SCHEMA: ArraySchema = {
  ...anySchema(22, new Random(2)),
  attributes: [
    attribute('a', 'INT32'),
    attribute('s', 'STRING_ASCII', 'var'),
    attribute('day', 'DATETIME_DAY'),
    attribute('tree', 'UINT8', 1, 'trees'),
  ],
}

const is = (field: string, op: ComparisonOp, value: Uint8Array, offsets?: number[]): ConditionNode => ({
  node: 'value',
  op,
  field,
  value,
  offsets: offsets && Float64Array.from(offsets),
})

const LABELS = new Map([['tree', ['oak', 'ash']]])

const shown = (node: ConditionNode, raw = false): string =>
  conditionText(node, { schema: SCHEMA, labels: LABELS, style: { raw } })

describe('a stored condition, which says what stays, is shown as the user wrote it', () => {
  test.each([
    ['GE', 'a < 7'],
    ['GT', 'a <= 7'],
    ['LE', 'a > 7'],
    ['LT', 'a >= 7'],
    ['NE', 'a == 7'],
    ['EQ', 'a != 7'],
  ] as const)('%s becomes %s', (op, want) => {
    expect(shown(is('a', op, u32Bytes(7)))).toBe(want)
  })

  test('OR becomes AND, with brackets where they are needed', () => {
    const low = is('a', 'LE', u32Bytes(1))
    const high = is('a', 'GE', u32Bytes(9))
    const or: ConditionNode = { node: 'expression', op: 'OR', children: [low, high] }
    expect(shown(or)).toBe('a > 1 and a < 9')
    const both = shown({ node: 'expression', op: 'AND', children: [or, is('s', 'NE', textBytes('yew'))] })
    expect(both).toBe('(a > 1 and a < 9) or s == "yew"')
  })

  test('NOT is undone', () => {
    expect(shown({ node: 'expression', op: 'NOT', children: [is('a', 'EQ', u32Bytes(3))] })).toBe('a == 3')
  })

  test('sets are lists', () => {
    expect(shown(is('a', 'NOT_IN', bytes(u32Bytes(1), u32Bytes(2)), [0, 4]))).toBe('a in [1, 2]')
    expect(shown(is('s', 'IN', textBytes('yewlarch'), [0, 3]))).toBe('s not in ["yew", "larch"]')
  })

  test('values are shown by their type, and raw with --raw', () => {
    expect(shown(is('day', 'NE', u64Bytes(0)))).toBe('day == "1970-01-01"')
    expect(shown(is('day', 'NE', u64Bytes(0)), true)).toBe('day == 0')
    expect(shown(is('s', 'NE', textBytes('yew')), true)).toBe('s == {"base64":"eWV3"}')
  })

  test('a test for null is one; an empty string is none', () => {
    expect(shown(is('a', 'NE', new Uint8Array(0)))).toBe('a == null')
    expect(shown(is('s', 'NE', new Uint8Array(0)))).toBe('s == ""')
  })

  test('values of an enumerated attribute are its labels', () => {
    expect(shown(is('tree', 'NE', Uint8Array.of(1)))).toBe('tree == "ash"')
    expect(shown(is('tree', 'NE', Uint8Array.of(7)))).toBe('tree == 7')
  })

  test('fields that the schema lacks have their bytes shown', () => {
    expect(shown(is('gone', 'NE', bytes([1, 2, 3])))).toBe('gone == {"base64":"AQID"}')
  })

  test('always and never are words', () => {
    expect(shown(is('', 'ALWAYS_FALSE', new Uint8Array(0)))).toBe('true')
    expect(shown(is('', 'ALWAYS_TRUE', new Uint8Array(0)))).toBe('false')
  })
})
