import { describe, expect, test } from '@jest/globals'
import type { ColumnData } from '../../src/cells/column.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import type { CombinationOp, ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import { bytesOf } from '../../src/format/value.ts'
import { type ConditionColumn, conditionFields, type FieldBounds, mayMeet, meets } from '../../src/read/condition.ts'
import { bytes, textBytes, u32Bytes } from '../helpers/build-bytes.ts'

const NONE = new Uint8Array(0)

const is = (field: string, op: ComparisonOp, value: Uint8Array): ConditionNode => ({
  node: 'value',
  op,
  field,
  value,
  offsets: undefined,
})

function within(field: string, op: 'IN' | 'NOT_IN', members: readonly Uint8Array[]): ConditionNode {
  const offsets = Float64Array.from(members, (_, i) => bytes(...members.slice(0, i)).length)
  return { node: 'value', op, field, value: bytes(...members), offsets }
}

const of = (op: CombinationOp, ...children: ConditionNode[]): ConditionNode => ({ node: 'expression', op, children })

/** A column of cells; null for null. */
function column(type: Datatype, cell_val_num: CellValNum, cells: readonly unknown[]): ConditionColumn {
  const nullable = cells.includes(null)
  const empty = cell_val_num === 'var' ? NONE : new Uint8Array(datatypeSize(type) * cell_val_num)
  const raw = cells.map((cell) => (cell === null ? empty : bytesOf(type, cell_val_num, cell)))
  const starts = new Float64Array(cells.length + 1)
  for (const [i, { length }] of raw.entries()) starts[i + 1] = starts[i] + length
  const data: ColumnData = {
    data: bytes(...raw),
    starts: cell_val_num === 'var' ? starts : undefined,
    validity: nullable ? Uint8Array.from(cells, (cell) => Number(cell !== null)) : undefined,
  }
  return { type: { type, cell_val_num, nullable }, data }
}

/** Positions of the cells of `a` that meet a condition. */
function met(node: ConditionNode, cells: ConditionColumn, cellNum: number): number[] {
  return [...meets(node, new Map([['a', cells]]), cellNum)].flatMap((one, i) => (one === 1 ? [i] : []))
}

const OPS = ['LT', 'LE', 'GT', 'GE', 'EQ', 'NE'] as const

/** Which of six cells, the second and third equal to the value, meet each op. The last one is unordered. */
const ORDERED = { LT: [0], LE: [0, 1, 2], GT: [3], GE: [1, 2, 3], EQ: [1, 2], NE: [0, 3] }

describe('each type compares as its own values do', () => {
  const low = 2n ** 53n
  test.each([
    ['INT8', [-128, 5, 5, 127]],
    ['UINT8', [5, 200, 200, 255]],
    ['INT16', [-32768, -1, -1, 32767]],
    ['UINT16', [1, 40000, 40000, 65535]],
    ['INT32', [-(2 ** 31), -1, -1, 2 ** 31 - 1]],
    ['UINT32', [1, 2 ** 31, 2 ** 31, 2 ** 32 - 1]],
    ['INT64', [-(2n ** 63n), -1n, -1n, 2n ** 63n - 1n]],
    ['INT64', [low, low + 1n, low + 1n, low + 2n]],
    ['INT64', [-(2n ** 32n) - 1n, -(2n ** 32n), -(2n ** 32n), -1n]],
    ['UINT64', [2n ** 63n - 1n, 2n ** 63n, 2n ** 63n, 2n ** 64n - 1n]],
    ['FLOAT32', [Number.NEGATIVE_INFINITY, 0, -0, 1e30]],
    ['FLOAT64', [-1e300, 0, -0, Number.POSITIVE_INFINITY]],
    ['DATETIME_DAY', ['1969-12-31', '1970-01-01', '1970-01-01', '2020-02-02']],
    ['TIME_SEC', [-5n, 7n, 7n, 9n]],
    ['BOOL', [false, true, true]],
  ] as const)('%s', (type, cells) => {
    const value = bytesOf(type, 1, cells[1])
    for (const op of OPS) {
      const expected = ORDERED[op].filter((i) => i < cells.length)
      expect(met(is('a', op, value), column(type, 1, cells), cells.length)).toEqual(expected)
    }
  })

  test('NaN is neither less nor equal nor greater, but it is not equal', () => {
    const cells = column('FLOAT64', 1, [Number.NaN, 1])
    const results = OPS.map((op) => met(is('a', op, bytesOf('FLOAT64', 1, 1)), cells, 2))
    expect(results).toEqual([[], [1], [], [1], [1], [0]])
    expect(met(is('a', 'NE', bytesOf('FLOAT64', 1, Number.NaN)), cells, 2)).toEqual([0, 1])
    expect(met(is('a', 'EQ', bytesOf('FLOAT64', 1, Number.NaN)), cells, 2)).toEqual([])
  })

  test.each(['STRING_ASCII', 'STRING_UTF8', 'CHAR'] as const)(
    'var-sized %s compares unsigned bytes, then lengths',
    (type) => {
      const cells = column(type, 'var', ['', 'ab', 'abc', 'b', 'é'])
      const results = OPS.map((op) => met(is('a', op, textBytes('abc')), cells, 5))
      expect(results).toEqual([[0, 1], [0, 1, 2], [3, 4], [2, 3, 4], [2], [0, 1, 3, 4]])
      expect(met(is('a', 'EQ', NONE), cells, 5)).toEqual([0])
    },
  )

  test('fixed-sized text compares whole cells; a value may have another length', () => {
    const cells = column('STRING_ASCII', 3, ['abc', 'abd', 'ab\0'])
    expect(met(is('a', 'GT', textBytes('abc')), cells, 3)).toEqual([1])
    expect(met(is('a', 'EQ', textBytes('ab')), cells, 3)).toEqual([])
    expect(met(is('a', 'GT', textBytes('ab')), cells, 3)).toEqual([0, 1, 2])
  })

  test('only the first character of fixed-sized CHAR is compared, as a signed byte', () => {
    const cells = column('CHAR', 2, ['ab', 'ax', 'ba', { base64: '/wA=' }])
    expect(met(is('a', 'EQ', textBytes('aq')), cells, 4)).toEqual([0, 1])
    expect(met(is('a', 'LT', textBytes('b')), cells, 4)).toEqual([0, 1, 3])
    expect(met(is('a', 'LT', NONE), cells, 4)).toEqual([3])
    expect(met(within('a', 'IN', [textBytes('ax')]), cells, 4)).toEqual([1])
  })

  test('cells at any address are compared', () => {
    const { type, data } = column('INT64', 1, [1n, 2n, 3n])
    const moved = bytes([9], data.data).subarray(1)
    expect(met(is('a', 'GE', bytesOf('INT64', 1, 2n)), { type, data: { ...data, data: moved } }, 3)).toEqual([1, 2])
  })

  test.each([
    ['BLOB', 1, 'conditions cannot compare "a", which is BLOB'],
    ['STRING_UTF16', 'var', 'conditions cannot compare "a", whose cells hold any number of STRING_UTF16'],
    ['INT32', 'var', 'conditions cannot compare "a", whose cells hold any number of INT32'],
    ['INT32', 2, 'conditions cannot compare "a", whose cells hold 2 INT32'],
  ] as const)('%s with %s values a cell is refused, as by TileDB', (type, cell_val_num, message) => {
    const cells: ConditionColumn = {
      type: { type, cell_val_num, nullable: false },
      data: { data: new Uint8Array(8), starts: undefined, validity: undefined },
    }
    const value = datatypeKind(type) === 'text' ? textBytes('ab') : u32Bytes(1)
    expect(() => met(is('a', 'LT', value), cells, 1)).toThrow(message)
  })

  test('a value of another size is refused', () => {
    const cells = column('INT32', 1, [1])
    expect(() => met(is('a', 'LT', bytes([1])), cells, 1)).toThrow('expected 4 bytes to compare with "a" (INT32)')
  })
})

describe('nulls', () => {
  const cells = column('INT32', 1, [null, 1, 2, null])

  test('meet neither a comparison nor its negation', () => {
    expect(met(is('a', 'GE', u32Bytes(0)), cells, 4)).toEqual([1, 2])
    expect(met(is('a', 'NE', u32Bytes(1)), cells, 4)).toEqual([2])
    expect(met(within('a', 'NOT_IN', [u32Bytes(1)]), cells, 4)).toEqual([2])
    expect(met(of('NOT', is('a', 'GE', u32Bytes(2))), cells, 4)).toEqual([1])
    expect(met(is('a', 'ALWAYS_TRUE', NONE), cells, 4)).toEqual([1, 2])
  })

  test('are tested for with an empty value', () => {
    expect(met(is('a', 'EQ', NONE), cells, 4)).toEqual([0, 3])
    expect(met(is('a', 'NE', NONE), cells, 4)).toEqual([1, 2])
    expect(met(of('NOT', is('a', 'NE', NONE)), cells, 4)).toEqual([0, 3])
    expect(met(is('a', 'EQ', NONE), column('INT32', 1, [0]), 1)).toEqual([])
    expect(met(is('a', 'NE', NONE), column('INT32', 1, [0]), 1)).toEqual([0])
  })

  test('in text, an empty value is the empty text, unless it is marked', () => {
    const words = column('STRING_UTF8', 'var', [null, '', 'x'])
    const marked = (op: ComparisonOp): ConditionNode =>
      ({ ...is('a', op, NONE), node: 'value', null_test: true }) as ConditionNode
    expect(met(is('a', 'EQ', NONE), words, 3)).toEqual([1])
    expect(met(is('a', 'NE', NONE), words, 3)).toEqual([2])
    expect(met(marked('EQ'), words, 3)).toEqual([0])
    expect(met(marked('NE'), words, 3)).toEqual([1, 2])
  })
})

describe('sets', () => {
  test('compare bytes: zeros differ, and NaN is a member', () => {
    const cells = column('FLOAT64', 1, [0, -0, Number.NaN, 1])
    const set = [0, Number.NaN].map((value) => bytesOf('FLOAT64', 1, value))
    expect(met(within('a', 'IN', set), cells, 4)).toEqual([0, 2])
    expect(met(within('a', 'NOT_IN', set), cells, 4)).toEqual([1, 3])
  })

  test('hold any text, the empty one too', () => {
    const cells = column('STRING_ASCII', 'var', ['', 'a', 'ab', 'b', 'ba'])
    expect(met(within('a', 'IN', [textBytes('ab'), NONE, textBytes('ba'), textBytes('ab')]), cells, 5)).toEqual([
      0, 2, 4,
    ])
    expect(met(within('a', 'NOT_IN', [NONE, textBytes('b')]), cells, 5)).toEqual([1, 2, 4])
  })

  test('may be empty or large', () => {
    const cells = column(
      'INT64',
      1,
      Array.from({ length: 1000 }, (_, i) => BigInt(i) * 4294967296n),
    )
    expect(met(within('a', 'IN', []), cells, 1000)).toEqual([])
    expect(met(within('a', 'NOT_IN', []), cells, 1000)).toHaveLength(1000)
    const even = Array.from({ length: 500 }, (_, i) => bytesOf('INT64', 1, BigInt(2 * i) * 4294967296n))
    expect(met(within('a', 'IN', even), cells, 1000)).toEqual(Array.from({ length: 500 }, (_, i) => 2 * i))
  })
})

describe('AND, OR and NOT', () => {
  const columns = new Map([
    ['a', column('INT32', 1, [0, 1, 2, 3])],
    ['b', column('INT32', 1, [0, 0, 1, 1])],
  ])
  const all = (node: ConditionNode): number[] => [...meets(node, columns, 4)]
  const above = is('a', 'GE', u32Bytes(1))
  const one = is('b', 'EQ', u32Bytes(1))

  test('combine cell by cell', () => {
    expect(all(of('AND', above, is('b', 'EQ', u32Bytes(0))))).toEqual([0, 1, 0, 0])
    expect(all(of('OR', is('a', 'EQ', u32Bytes(0)), one))).toEqual([1, 0, 1, 1])
    expect(all(of('NOT', of('AND', above, one)))).toEqual([1, 1, 0, 0])
    expect(all(of('NOT', of('OR', is('a', 'EQ', u32Bytes(0)), one)))).toEqual([0, 1, 0, 0])
    expect(all(of('NOT', of('NOT', one)))).toEqual([0, 0, 1, 1])
    expect(all(is('a', 'ALWAYS_FALSE', NONE))).toEqual([0, 0, 0, 0])
    expect(all(of('NOT', is('a', 'ALWAYS_FALSE', NONE)))).toEqual([1, 1, 1, 1])
  })

  test('a missing field meets nothing, and an OR ignores what came before it', () => {
    const lacking = is('gone', 'NE', u32Bytes(1))
    expect(all(lacking)).toEqual([0, 0, 0, 0])
    expect(all(of('NOT', lacking))).toEqual([0, 0, 0, 0])
    expect(all(is('gone', 'EQ', NONE))).toEqual([0, 0, 0, 0])
    expect(all(of('AND', one, lacking))).toEqual([0, 0, 0, 0])
    expect(all(of('OR', lacking, one))).toEqual([0, 0, 1, 1])
    expect(all(of('OR', one, lacking))).toEqual([0, 0, 0, 0])
    expect(all(of('OR', one, lacking, is('a', 'EQ', u32Bytes(0))))).toEqual([1, 0, 0, 0])
    expect(all(of('OR', one, of('AND', above, lacking)))).toEqual([0, 0, 1, 1])
  })

  test('name their fields', () => {
    expect([...conditionFields(of('AND', above, of('NOT', of('OR', one, above))))]).toEqual(['a', 'b'])
  })
})

describe('bounds of a tile exclude a condition only if no cell can meet it', () => {
  const bounds = (type: Datatype, min: unknown, max: unknown, more: Partial<FieldBounds> = {}): FieldBounds => {
    const count = datatypeKind(type) === 'text' ? 'var' : 1
    return { type, cell_val_num: count, min: bytesOf(type, count, min), max: bytesOf(type, count, max), ...more }
  }
  const may = (node: ConditionNode, known: FieldBounds | undefined): boolean =>
    mayMeet(node, (field) => (field === 'a' ? known : undefined))

  test.each([
    ['INT32', -5, 5, -6, -5, 5, 6],
    ['UINT64', 2n ** 63n, 2n ** 63n + 2n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 63n + 2n, 2n ** 63n + 3n],
    ['INT64', -(2n ** 53n), 2n ** 53n, -(2n ** 53n) - 1n, -(2n ** 53n), 2n ** 53n, 2n ** 53n + 1n],
    ['FLOAT64', -0.5, 0.5, -0.75, -0.5, 0.5, 0.75],
    ['STRING_ASCII', 'b', 'd', 'azz', 'b', 'd', 'da'],
    ['DATETIME_DAY', 1n, 9n, 0n, 1n, 9n, 10n],
  ] as const)('%s from %s to %s', (type, min, max, below, lowest, highest, above) => {
    const known = bounds(type, min, max)
    const results = [below, lowest, highest, above].map((value) => {
      const raw = bytesOf(type, datatypeKind(type) === 'text' ? 'var' : 1, value)
      const names = OPS.filter((op) => may(is('a', op, raw), known))
      return [...names, ...(may(within('a', 'IN', [raw]), known) ? ['IN'] : [])].join(' ')
    })
    expect(results).toEqual(['GT GE NE', 'LE GT GE EQ NE IN', 'LT LE GE EQ NE IN', 'LT LE NE'])
  })

  test('a tile of one value meets no NE of it, unless it may hold NaN', () => {
    expect(may(is('a', 'NE', u32Bytes(3)), bounds('INT32', 3, 3))).toBe(false)
    expect(may(is('a', 'NE', bytesOf('FLOAT32', 1, 3)), bounds('FLOAT32', 3, 3))).toBe(true)
    expect(may(is('a', 'LT', bytesOf('FLOAT32', 1, 3)), bounds('FLOAT32', Number.NaN, Number.NaN))).toBe(true)
    expect(may(is('a', 'NE', bytesOf('FLOAT32', 1, Number.NaN)), bounds('FLOAT32', 3, 3))).toBe(true)
  })

  test('nulls decide tests for null, and tiles of nulls meet nothing else', () => {
    const some = bounds('INT32', 1, 2, { nulls: 1, cells: 3 })
    const none = bounds('INT32', 1, 2, { nulls: 0, cells: 3 })
    const only = bounds('INT32', 0, 0, { nulls: 3, cells: 3 })
    const tests = [some, none, only].map((known) => [may(is('a', 'EQ', NONE), known), may(is('a', 'NE', NONE), known)])
    expect(tests).toEqual([
      [true, true],
      [false, true],
      [true, false],
    ])
    expect(may(is('a', 'EQ', u32Bytes(0)), only)).toBe(false)
    expect(may(is('a', 'ALWAYS_TRUE', NONE), only)).toBe(false)
    expect(may(within('a', 'NOT_IN', [u32Bytes(9)]), only)).toBe(false)
    expect(may(is('a', 'EQ', NONE), bounds('INT32', 1, 2))).toBe(true)
  })

  test('combine like cells, NOT included', () => {
    const known = bounds('INT32', 1, 5)
    const no = is('a', 'GT', u32Bytes(5))
    const yes = is('a', 'LT', u32Bytes(5))
    const other = is('b', 'EQ', u32Bytes(1))
    expect(may(of('AND', yes, no), known)).toBe(false)
    expect(may(of('AND', yes, other), known)).toBe(true)
    expect(may(of('OR', no, no), known)).toBe(false)
    expect(may(of('OR', no, other), known)).toBe(true)
    expect(may(of('NOT', is('a', 'LE', u32Bytes(5))), known)).toBe(false)
    expect(may(of('NOT', of('AND', is('a', 'LE', u32Bytes(5)), is('a', 'GE', u32Bytes(1)))), known)).toBe(false)
    expect(may(no, undefined)).toBe(true)
  })
})
