import { describe, expect, test } from '@jest/globals'
import { conditionText } from '../../src/calls/condition-text.ts'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import type { Attribute } from '../../src/format/attribute.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import type { ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import type { Enumeration } from '../../src/format/enumeration.ts'
import { bytesOf } from '../../src/format/value.ts'
import { NEGATED, negated } from '../../src/read/condition.ts'
import { parseWhere } from '../../src/read/where.ts'
import { bytes, textBytes, u32Bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { failure } from '../helpers/failure.ts'
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

function enumeration(type: Datatype, ordered: boolean, labels: readonly unknown[]): Enumeration {
  const cell_val_num = type === 'STRING_UTF8' ? 'var' : 1
  const raw = labels.map((label) => bytesOf(type, cell_val_num, label))
  const offsets = Float64Array.from(raw, (_, i) => bytes(...raw.slice(0, i)).length)
  return {
    version: 0,
    name: '',
    path_name: '',
    type,
    cell_val_num,
    ordered,
    data: bytes(...raw),
    offsets: cell_val_num === 'var' ? offsets : undefined,
  }
}

const generated = anySchema(22, new Random(2))
const [dimension] = generated.domain.dimensions
const SCHEMA: ArraySchema = {
  ...generated,
  domain: {
    ...generated.domain,
    dimensions: [{ ...dimension, name: 'x', type: 'INT32', cell_val_num: 1 }],
  },
  attributes: [
    attribute('a', 'INT32'),
    attribute('b', 'INT64'),
    attribute('u', 'UINT64'),
    attribute('f', 'FLOAT32'),
    attribute('g', 'FLOAT64'),
    attribute('s', 'STRING_UTF8', 'var'),
    attribute('fixed', 'STRING_ASCII', 3),
    attribute('yes', 'BOOL'),
    attribute('day', 'DATETIME_DAY'),
    attribute('blob', 'BLOB', 'var'),
    attribute('pair', 'INT32', 2),
    attribute('tree', 'UINT8', 1, 'trees'),
    attribute('size', 'INT16', 1, 'sizes'),
    attribute('count', 'INT8', 1, 'counts'),
    attribute('name with "space"', 'INT32'),
    attribute('orig.ident', 'INT32'),
    attribute('None', 'INT32'),
    attribute('größe', 'INT32'),
    attribute('', 'INT32'),
  ],
}

const ENUMERATIONS = new Map([
  ['tree', enumeration('STRING_UTF8', false, ['oak', 'ash', ''])],
  ['size', enumeration('STRING_UTF8', true, ['small', 'large'])],
  ['count', enumeration('INT32', true, [10, 20, 300])],
])

const LABELS = new Map<string, readonly (string | number)[]>([
  ['tree', ['oak', 'ash', '']],
  ['size', ['small', 'large']],
  ['count', [10, 20, 300]],
])

const parse = (where: string): ConditionNode => parseWhere(where, SCHEMA, ENUMERATIONS)

const is = (field: string, op: ComparisonOp, value: Uint8Array): ConditionNode => ({
  node: 'value',
  op,
  field,
  value,
  offsets: undefined,
})

const within = (field: string, op: 'IN' | 'NOT_IN', value: Uint8Array, offsets: number[]): ConditionNode => ({
  node: 'value',
  op,
  field,
  value,
  offsets: Float64Array.from(offsets),
})

const all = (...children: ConditionNode[]): ConditionNode => ({ node: 'expression', op: 'AND', children })
const any = (...children: ConditionNode[]): ConditionNode => ({ node: 'expression', op: 'OR', children })

const A1 = is('a', 'EQ', u32Bytes(1))
const A2 = is('a', 'EQ', u32Bytes(2))
const A3 = is('a', 'EQ', u32Bytes(3))
const NONE = new Uint8Array(0)

test.each<[string, ConditionNode]>([
  ['a < 7', is('a', 'LT', u32Bytes(7))],
  ['a <= 7', is('a', 'LE', u32Bytes(7))],
  ['a > 7', is('a', 'GT', u32Bytes(7))],
  ['a >= 7', is('a', 'GE', u32Bytes(7))],
  ['a == 7', is('a', 'EQ', u32Bytes(7))],
  ['a != 7', is('a', 'NE', u32Bytes(7))],
  ['7 < a', is('a', 'GT', u32Bytes(7))],
  ['7 >= a', is('a', 'LE', u32Bytes(7))],
  ['7 == a', is('a', 'EQ', u32Bytes(7))],
  ['a<-7', is('a', 'LT', u32Bytes(-7))],
  ['a == - -7', is('a', 'EQ', u32Bytes(7))],
  ['a == +7', is('a', 'EQ', u32Bytes(7))],
  ['(a) == (7)', is('a', 'EQ', u32Bytes(7))],
  ['((a == 7))', is('a', 'EQ', u32Bytes(7))],
  ['1 < a < 5', all(is('a', 'GT', u32Bytes(1)), is('a', 'LT', u32Bytes(5)))],
])('%s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['a == 1 and a == 2 and a == 3', all(A1, A2, A3)],
  ['a == 1 or a == 2 and a == 3', any(A1, all(A2, A3))],
  ['(a == 1 or a == 2) and a == 3', all(any(A1, A2), A3)],
  ['(a == 1) | (a == 2) and (a == 3)', all(any(A1, A2), A3)],
  ['(a == 1) | (a == 2) & (a == 3)', any(A1, all(A2, A3))],
  ['(a == 1 and a == 2) and a == 3', all(A1, A2, A3)],
  ['a == 1 and (a == 2 and a == 3)', all(A1, A2, A3)],
  ['1 < a < 5 and a == 3', all(is('a', 'GT', u32Bytes(1)), is('a', 'LT', u32Bytes(5)), A3)],
  ['not a == 1', is('a', 'NE', u32Bytes(1))],
  ['not not a == 1', A1],
  ['not a == 1 and a == 2', all(is('a', 'NE', u32Bytes(1)), A2)],
  ['not (a < 1 and a in [2])', any(is('a', 'GE', u32Bytes(1)), within('a', 'NOT_IN', u32Bytes(2), [0]))],
  ['not (a == 1) | (a == 2)', all(is('a', 'NE', u32Bytes(1)), is('a', 'NE', u32Bytes(2)))],
])('as in Python: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['a in [1, 2]', within('a', 'IN', bytes(u32Bytes(1), u32Bytes(2)), [0, 4])],
  ['a not in [1]', within('a', 'NOT_IN', u32Bytes(1), [0])],
  ['attr("a") in [val(1), 2,]', within('a', 'IN', bytes(u32Bytes(1), u32Bytes(2)), [0, 4])],
  ['s in ["yew", \'\', "larch"]', within('s', 'IN', textBytes('yewlarch'), [0, 3, 3])],
  ['fixed in ["abc"]', within('fixed', 'IN', textBytes('abc'), [0])],
])('sets: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['attr("name with \\"space\\"") == 1', is('name with "space"', 'EQ', u32Bytes(1))],
  ["attr('orig.ident') == 1", is('orig.ident', 'EQ', u32Bytes(1))],
  ['attr("None") == 1', is('None', 'EQ', u32Bytes(1))],
  ['attr("") == 1', is('', 'EQ', u32Bytes(1))],
  ['größe == 1', is('größe', 'EQ', u32Bytes(1))],
  ['dim("x") == val(-1)', is('x', 'EQ', u32Bytes(-1))],
  ['x == 1', is('x', 'EQ', u32Bytes(1))],
])('fields: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['b == 9007199254740993', is('b', 'EQ', u64Bytes(9007199254740993n))],
  ['b == -9223372036854775808', is('b', 'EQ', u64Bytes(-(2n ** 63n)))],
  ['u == 18446744073709551615', is('u', 'EQ', u64Bytes(2n ** 64n - 1n))],
  ['b == 1_000', is('b', 'EQ', u64Bytes(1000))],
  ['b == 0xff', is('b', 'EQ', u64Bytes(255))],
  ['b == 5.0', is('b', 'EQ', u64Bytes(5))],
  ['a == 1e3', is('a', 'EQ', u32Bytes(1000))],
  ['a == True', is('a', 'EQ', u32Bytes(1))],
  ['f == 0.1', is('f', 'EQ', bytesOf('FLOAT32', 1, 0.1))],
  ['f == .5', is('f', 'EQ', bytesOf('FLOAT32', 1, 0.5))],
  ['g == -1.5e-3', is('g', 'EQ', bytesOf('FLOAT64', 1, -1.5e-3))],
  ['g == -0.0', is('g', 'EQ', bytesOf('FLOAT64', 1, -0))],
  ['g == 3', is('g', 'EQ', bytesOf('FLOAT64', 1, 3))],
  ['g < "Infinity"', is('g', 'LT', bytesOf('FLOAT64', 1, Number.POSITIVE_INFINITY))],
  ['g != "NaN"', is('g', 'NE', bytesOf('FLOAT64', 1, Number.NaN))],
  ['yes == True', is('yes', 'EQ', Uint8Array.of(1))],
  ['yes == false', is('yes', 'EQ', Uint8Array.of(0))],
  ['yes == 1', is('yes', 'EQ', Uint8Array.of(1))],
  ['day == 19753', is('day', 'EQ', u64Bytes(19753))],
  ['day < "1970-01-02"', is('day', 'LT', u64Bytes(1))],
  ['s == "\\"\\u00e9\\x41\\n\\101\\q\\U0001F600\\ud83d\\ude00"', is('s', 'EQ', textBytes('"éA\nA\\q😀😀'))],
  ["s == 'don\\'t'", is('s', 'EQ', textBytes("don't"))],
  ['s == "a and (b"', is('s', 'EQ', textBytes('a and (b'))],
  ['s == ""', is('s', 'EQ', NONE)],
  ['s == b"\\xff\\x00"', is('s', 'EQ', Uint8Array.of(255, 0))],
  ['s == {"base64": "/wA="}', is('s', 'EQ', Uint8Array.of(255, 0))],
  ['fixed > "ab"', is('fixed', 'GT', textBytes('ab'))],
])('values: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['a == None', is('a', 'EQ', NONE)],
  ['a != null', is('a', 'NE', NONE)],
  ['None == a', is('a', 'EQ', NONE)],
  ['not a == None', is('a', 'NE', NONE)],
  ['s == None', { ...is('s', 'EQ', NONE), null_test: true } as ConditionNode],
  ['blob != None', is('blob', 'NE', NONE)],
  ['tree == None', is('tree', 'EQ', NONE)],
])('tests for null: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

test.each<[string, ConditionNode]>([
  ['tree == "ash"', is('tree', 'EQ', Uint8Array.of(1))],
  ['tree != ""', is('tree', 'NE', Uint8Array.of(2))],
  ['tree == "elm"', is('tree', 'ALWAYS_FALSE', NONE)],
  ['tree != "elm"', is('tree', 'ALWAYS_TRUE', NONE)],
  ['not tree == "elm"', is('tree', 'ALWAYS_TRUE', NONE)],
  ['tree in ["elm", "", "oak"]', within('tree', 'IN', Uint8Array.of(2, 0), [0, 1])],
  ['tree not in ["elm"]', within('tree', 'NOT_IN', NONE, [])],
  ['size >= "large"', is('size', 'GE', Uint8Array.of(1, 0))],
  ['size < "huge"', is('size', 'ALWAYS_FALSE', NONE)],
  ['not size < "huge"', is('size', 'ALWAYS_FALSE', NONE)],
  ['count == 300', is('count', 'EQ', Uint8Array.of(2))],
])('labels: %s', (where, want) => {
  expect(parse(where)).toEqual(want)
})

describe('errors are usage errors, and tell what is wrong and where', () => {
  test.each([
    ['', 'expected a field, a value or a bracket at its end'],
    ['a', 'expected a comparison, found only the field "a" at character 1'],
    ['a between 1 and 2', 'expected ==, !=, <, <=, >, >= or in, found "between" at character 3'],
    ['a == 1 or s like "x%"', 'expected ==, !=, <, <=, >, >= or in, found "like" at character 13'],
    ['a > 2024-05-05', 'expected and, or, or the end, found "-"; dates are written in quotes, at character 9'],
    ['a == 1 and 5', 'expected a comparison, found only a value at character 12'],
    ['a = 5', 'expected ==, found "=" at character 3'],
    ['a > > 5', 'expected a field, a value or a bracket, found ">" at character 5'],
    ['a constructor 5', 'expected ==, !=, <, <=, >, >= or in, found "constructor" at character 3'],
    ['a == 0x_', 'expected and, or, or the end, found "x_" at character 7'],
    ['(a > 1) == 2', '& and | bind more tightly: (a > 1) & (b < 2), or a > 1 and b < 2, at character 12'],
    ['a > 1 & b < 2', 'expected a comparison, found only a value; beside &, comparisons need brackets'],
    ['(a == 1 5)', 'expected ), found "5" at character 9'],
    ['a is None', 'expected == or !=, as in a == null, found "is" at character 3'],
    ['a == 1 a == 2', 'expected and, or, or the end, found "a" at character 8'],
    ['a == 1)', 'expected and, or, or the end, found ")" at character 7'],
    ['(a == 1', 'found no closing bracket for the one at character 1'],
    ['s == "abc', 'found no closing quote for the one at character 6'],
    ['tre == 1', 'found "tre"; did you mean "tree"? at character 1'],
    ['s == yew', 'expected a value, found the name "yew"; text is written in quotes, at character 6'],
    ['zzzz == 1', 'expected a field (x, a, b, '],
    ['s == a', 'expected a value, found the name "a"; text is written in quotes, at character 6'],
    ['1 == 2', 'expected a field on one side of a comparison at character 1'],
    ['a > 1 & a < 3', 'expected a comparison, found only a value; beside &, comparisons need brackets'],
    ['a == [1]', 'expected one value; a list comes after in or not in, at character 6'],
    ['a in 1', 'expected a list, such as [1, 2], at character 6'],
    ['a in []', 'expected a value in the list at character 7'],
    ['a in [b]', 'expected a value, found "b" at character 7'],
    ['a in [1 2]', 'expected , or ], found "2" at character 9'],
    ['1 < a in [1]', 'a list cannot be part of a chain of comparisons at character 7'],
    ['orig.ident == 1', 'a name with a dot is written as attr("orig.…"), at character 1'],
    ['var("a") == 1', 'expected attr("name"), dim("name") or val(value), found "var(\\"a\\")" at character 1'],
    ['dim("a") == 1', '"a" is an attribute, not a dimension, at character 1'],
    ['attr("x") == 1', '"x" is a dimension, not an attribute, at character 1'],
    ['a == 5.5', 'expected an integer from -2147483648 to 2147483647 for INT32, found 5.5 at character 6'],
    ['a == 2147483648', 'found 2147483648 at character 6'],
    ['u == -1', 'for UINT64, found -1 at character 6'],
    ['a == "1"', 'expected a number for INT32, found text at character 6'],
    ['s == 5', 'expected text or {"base64": …} for STRING_UTF8, found 5 at character 6'],
    ['day == "soon"', '"soon" at character 8'],
    ['fixed in ["ab"]', 'expected 3 bytes in a member, found 2 at character 11'],
    ['a < None', 'None goes only with == and != at character 5'],
    ['a in [None]', 'None goes only with == and != at character 7'],
    ['blob == {"base64": "AA=="}', 'conditions cannot compare "blob", whose cells hold any number of BLOB'],
    ['pair == 1', 'conditions cannot compare "pair", whose cells hold 2 INT32'],
    ['tree < "oak"', 'the labels of "tree" have no order: only ==, != and in compare them, at character 1'],
    ['tree == 1', 'expected text or {"base64": …} for STRING_UTF8, found 1 at character 9'],
    ['s == b"é"', 'expected bytes: ASCII characters, and escapes up to \\xff, at character 6'],
    ['s == {"base64": "!"}', 'expected base64 at character 17'],
    ['- a == 1', 'expected a number after "-" at character 1'],
    ['a == "x" # no', 'expected and, or, or the end, found "#" at character 10'],
    [`${'('.repeat(300)}a`, 'expected at most 200 brackets inside each other'],
    [`${'not '.repeat(100_000)}a`, 'expected at most 200 brackets inside each other'],
    [`a == ${'-'.repeat(100_000)}1`, 'expected at most 200 brackets inside each other'],
  ])('%p', (where, message) => {
    const { code, message: found } = failure(() => parse(where))
    expect(found).toContain(message)
    expect(code).toBe('USAGE')
  })
})

test('errors show a part of a long text', () => {
  const error = failure(() => parse(`${'a == 1 and '.repeat(20)}a = 2${' or a == 3'.repeat(20)}`))
  const shown = /"…[^…]{115,125}…": expected ==, found "=" at character 223$/.source
  expect(error.message).toMatch(new RegExp(`^condition ${shown}`))
  expect(error.commandLine).toMatch(new RegExp(`^--where ${shown}`))
})

describe('a condition reads back from its text', () => {
  const value = (type: Datatype, one: unknown): Uint8Array => bytesOf(type, type === 'STRING_UTF8' ? 'var' : 1, one)
  const values: [string, Uint8Array][] = [
    ['a', u32Bytes(-5)],
    ['b', u64Bytes(2n ** 53n + 1n)],
    ['u', u64Bytes(2n ** 64n - 1n)],
    ['f', value('FLOAT32', 0.1)],
    ['f', value('FLOAT32', 3e-40)],
    ['g', value('FLOAT64', -0)],
    ['g', value('FLOAT64', Number.NaN)],
    ['g', value('FLOAT64', Number.NEGATIVE_INFINITY)],
    ['s', textBytes('"\\ \u202e é 😀 \n')],
    ['s', Uint8Array.of(255, 254)],
    ['s', NONE],
    ['fixed', textBytes('ab')],
    ['yes', Uint8Array.of(1)],
    ['day', u64Bytes(19753)],
    ['day', u64Bytes(-1)],
    ['tree', Uint8Array.of(1)],
    ['size', Uint8Array.of(1, 0)],
    ['count', Uint8Array.of(2)],
    ['name with "space"', u32Bytes(1)],
    ['None', u32Bytes(1)],
    ['', u32Bytes(1)],
    ['x', u32Bytes(7)],
    ['a', NONE],
  ]
  const leaves = values.flatMap(([field, raw]) => {
    const ops: ComparisonOp[] =
      raw.length === 0 || field === 'tree' ? ['EQ', 'NE'] : ['LT', 'LE', 'GT', 'GE', 'EQ', 'NE']
    return ops.map((op) => is(field, op, raw))
  })
  const trees: ConditionNode[] = [
    within('s', 'IN', textBytes('yewlarch'), [0, 3]),
    within('tree', 'NOT_IN', Uint8Array.of(2, 0), [0, 1]),
    { ...is('s', 'NE', NONE), null_test: true } as ConditionNode,
    any(A1, all(A2, A3, any(A1, A2))),
    all(any(A1, A2), any(all(A2, A1), A3)),
  ]

  // The text says what a delete deletes, and the stored condition what stays: hence the `not`.
  test.each([{ raw: false }, { raw: true }])('with %p', (style) => {
    for (const node of [...leaves, ...trees]) {
      const shown = conditionText(node, { schema: SCHEMA, labels: LABELS, style })
      expect({ shown, parsed: parse(`not (${shown})`) }).toEqual({ shown, parsed: node })
    }
  })

  test.each<[string, ComparisonOp]>([
    ['tree in ["elm"]', 'ALWAYS_TRUE'],
    ['tree not in ["elm"]', 'ALWAYS_FALSE'],
    ['s in [""]', 'NE'],
    ['s not in ["", ""]', 'EQ'],
  ])('a delete of %s stores no set: TileDB would refuse to read it', (where, op) => {
    expect(negated(parse(where))).toMatchObject({ op, value: NONE, offsets: undefined })
  })

  test('and every comparison has its negation', () => {
    for (const node of leaves) {
      const shown = conditionText(node, { schema: SCHEMA, labels: LABELS, style: { raw: false } })
      expect(parse(shown)).toEqual({ ...node, op: node.node === 'value' ? NEGATED[node.op] : node.op })
    }
  })
})
