import { describe, expect, test } from '@jest/globals'
import { UUID } from '../../src/damage/damage.ts'
import { type ConditionNode, type ConditionValue, deleteCondition } from '../../src/format/delete-condition.ts'
import type { AnyIo } from '../../src/format/io.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const CONDITION = /__15_15_.*\.del$/

/** `a` is an INT32, `s` a STRING_ASCII. */
async function withCondition(change: (only: ConditionValue) => ConditionNode): Promise<EditedArray> {
  const array = new EditedArray('22/deletes')
  await array.rewrite(array.find(CONDITION), deleteCondition, (only: ConditionNode) => {
    if (only.node !== 'value') throw new TypeError('another fixture')
    return change(only)
  })
  return array
}

async function codesOf(change: (only: ConditionValue) => ConditionNode): Promise<string[]> {
  const array = await withCondition(change)
  const { findings } = await check(array.storage(), EDITED)
  return findings.map(({ code }) => code).filter((code) => code.startsWith('DELETE_CONDITION'))
}

/** Measured with TileDB 2.30: it reads the array or fails. */
describe('a delete condition that TileDB refuses', () => {
  const twice =
    (op: 'AND' | 'OR' | 'NOT', count: number) =>
    (only: ConditionValue): ConditionNode => ({
      node: 'expression',
      op,
      children: Array.from({ length: count }, () => only),
    })
  test.each<[string, (only: ConditionValue) => ConditionNode, string[]]>([
    ['as it was written', (only) => only, []],
    ['AND of two', twice('AND', 2), []],
    ['OR of three', twice('OR', 3), []],
    ['AND of none', twice('AND', 0), ['DELETE_CONDITION_OPERANDS']],
    ['OR of one', twice('OR', 1), ['DELETE_CONDITION_OPERANDS']],
    ['NOT', twice('NOT', 2), ['DELETE_CONDITION_OPERANDS']],
    ['a value too short', (only) => ({ ...only, value: only.value.slice(1) }), ['DELETE_CONDITION_VALUE']],
    ['a value too long', (only) => ({ ...only, value: new Uint8Array(16) }), ['DELETE_CONDITION_VALUE']],
    ['no value', (only) => ({ ...only, value: new Uint8Array(0) }), ['DELETE_CONDITION_VALUE']],
    [
      'one deep inside',
      (only) => ({
        node: 'expression',
        op: 'AND',
        children: [only, { node: 'expression', op: 'OR', children: [only, { ...only, value: new Uint8Array(3) }] }],
      }),
      ['DELETE_CONDITION_VALUE'],
    ],
    [
      'a set of whole members',
      (only) => ({ ...only, op: 'IN', value: new Uint8Array(8), offsets: Float64Array.of(0, 4) }),
      [],
    ],
    [
      'a set whose last member is short',
      (only) => ({ ...only, op: 'IN', value: new Uint8Array(7), offsets: Float64Array.of(0, 4) }),
      ['DELETE_CONDITION_VALUE'],
    ],
    [
      'a set without members',
      (only) => ({ ...only, op: 'IN', value: new Uint8Array(0), offsets: new Float64Array(0) }),
      ['DELETE_CONDITION_VALUE'],
    ],
    [
      'a set of text whose members have no bytes',
      (only) => ({ ...only, field: 's', op: 'IN', value: new Uint8Array(0), offsets: Float64Array.of(0, 0) }),
      ['DELETE_CONDITION_VALUE'],
    ],
    [
      'a set of text that begins after its first byte, and ends with an empty member',
      (only) => ({ ...only, field: 's', op: 'IN', value: new Uint8Array(8), offsets: Float64Array.of(1, 4, 4, 8) }),
      [],
    ],
    [
      'a set of text whose offsets fall',
      (only) => ({ ...only, field: 's', op: 'NOT_IN', value: new Uint8Array(8), offsets: Float64Array.of(4, 0) }),
      ['DELETE_CONDITION_UNREADABLE'],
    ],
    [
      'a set of text whose offsets pass the end',
      (only) => ({ ...only, field: 's', op: 'IN', value: new Uint8Array(8), offsets: Float64Array.of(0, 9) }),
      ['DELETE_CONDITION_UNREADABLE'],
    ],
    ['text of any length', (only) => ({ ...only, field: 's', value: new Uint8Array(5) }), []],
  ])('%s', async (_, change, codes) => {
    expect(await codesOf(change)).toEqual(codes)
    const { code } = await run(['read', EDITED], { storage: (await withCondition(change)).storage() })
    expect(code).toBe(codes.length === 0 ? 0 : 1)
  })
})

/** Measured with TileDB 2.30: "Invalid Enumeration version". */
test('an enumeration of an unknown version is an error, as TileDB does not load it', async () => {
  const array = new EditedArray('22/enumerations')
  const path = array.matching(/__enumerations/)[0]
  const { payload } = await openGenericTile(array.get(path), array.newContext(), { file: path, offset: 0 })
  const content = payload.slice()
  content[0] = 1
  const rest = (io: AnyIo): { content: Uint8Array } => ({ content: io.rest('content', 'all bytes') })
  array.files.set(path, await array.genericTile({ content }, rest))
  const { code, text } = await run(['check', EDITED], { storage: array.storage() })
  expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining('expected enumeration version 0, found 1') })
})

/** Measured with TileDB 2.30. `tree` is a UINT8 with an enumeration. */
describe('a delete condition with values of an enumeration in place of their indexes', () => {
  test.each([
    ['a value of 3 bytes is refused', 'EQ', [1, 2, 3], undefined, ['DELETE_CONDITION_VALUE'], 1],
    ['a test for null is refused, as the field is not nullable', 'EQ', [], undefined, ['DELETE_CONDITION_VALUE'], 1],
    ['members of 2 bytes are in no cell', 'IN', [1, 2, 3, 4], [0, 2], [], 0],
    ['an index is compared', 'EQ', [1], undefined, [], 0],
  ] as const)('%s', async (_, op, bytes, starts, codes, exitCode) => {
    const array = new EditedArray('22/enumerations')
    const offsets = starts && Float64Array.from(starts)
    const node: ConditionNode = { node: 'value', op, field: 'tree', value: Uint8Array.from(bytes), offsets }
    array.add(`__commits/__99_99_${UUID}_22.del`, await array.genericTile(node, deleteCondition))
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.map((one) => one.code)).toEqual(codes)
    expect((await run(['read', EDITED], { storage: array.storage() })).code).toBe(exitCode)
  })
})

describe('read refuses a set of a delete condition that TileDB refuses', () => {
  test.each([
    ['offsets that fall', 's', 8, [4, 0], /expected member 1 to begin at 4 or later, found 0/],
    ['offsets that pass the end', 's', 8, [0, 9], /expected member 1 to begin at 8 or before, found 9/],
    ['no offsets', 's', 8, [], /expected members with bytes to compare with "s", found none/],
    ['no bytes', 's', 0, [0], /expected members with bytes to compare with "s", found none/],
    [
      'a member of 8 bytes for 4',
      'a',
      12,
      [0, 4],
      /expected members of 4 bytes to compare with a, found 8 bytes in member 1: TileDB cannot read the array either/,
    ],
  ])('%s', async (_, field, length, starts, message) => {
    const array = await withCondition((only) => ({
      ...only,
      op: 'IN',
      field,
      value: new Uint8Array(length),
      offsets: Float64Array.from(starts),
    }))
    const { code, stderr } = await run(['read', EDITED], { storage: array.storage() })
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })
})

describe('a BOOL of 2', () => {
  test.each([
    ['json', /"bool":\s*2\b/],
    ['ndjson', /"bool":\s*2\b/],
    ['csv', /(?:^|,)2(?:,|$)/m],
  ])('is shown as it is stored by decode --raw: %s', async (format, shown) => {
    const array = new EditedArray('22/type_numbers_sparse')
    await array.editTile('bool', 'data', 0, (data) => {
      data[0] = 2
    })
    const { text, code } = await run(['decode', array.fragmentPath(), '--raw', '--field', 'bool', '--format', format], {
      storage: array.storage(),
    })
    expect(code).toBe(0)
    expect(text).toMatch(shown)
  })
})

describe('a .con file that lists its commits many times', () => {
  const COPIES = 200
  const repeated = (): EditedArray => {
    const array = new EditedArray('22/commits_consolidated')
    const file = array.find(/\.con$/)
    const once = array.get(file)
    const gone = new TextEncoder().encode(`__commits/__5_5_${'0'.repeat(32)}_22.wrt\n`)
    for (let i = 0; i < COPIES; i++) {
      array.append(file, once)
      array.append(file, gone)
    }
    return array
  }

  test('is checked once for each commit', async () => {
    const { findings } = await check(repeated().storage(), EDITED)
    const counted = new Map<string, number>()
    for (const { code } of findings) counted.set(code, (counted.get(code) ?? 0) + 1)
    expect([...counted].sort()).toEqual([
      ['COMMIT_DANGLING', 1],
      ['COMMIT_DUPLICATE', 5],
      ['DELETE_CONDITION_FILE', 1],
    ])
  })

  test('has a row for each line in commits, with the condition of each', async () => {
    const array = repeated()
    const { text } = await run(['commits', EDITED, '--format', 'csv'], { storage: array.storage() })
    const conditions = text.split('\n').filter((line) => line.includes('.del'))
    expect(conditions.length).toBe(COPIES + 1)
    const told = conditions.map((line) => line.replace(/,\d+,/, ',,'))
    expect(new Set(told).size).toBe(1)
  })
})
