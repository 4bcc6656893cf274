import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { commandLineText, hasCode } from '../../src/base/errors.ts'
import { rising } from '../../src/base/rising.ts'
import { CellGroups } from '../../src/cells/cell-groups.ts'
import type { ColumnType } from '../../src/cells/column.ts'
import { type DatetimeType, formatDatetime, truncation } from '../../src/format/datetime.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { ROOT } from '../helpers/sessions.ts'

const WEATHER = `${ROOT}examples/arrays/weather`
const PLACES = `${ROOT}examples/arrays/places`
const folder = temporaryFolder()

async function statsOf(...args: string[]): Promise<Json> {
  const { documents, code } = await runJson(['stats', '--read', ...args])
  expect(code).toBe(0)
  return documents[0]
}

async function cellsOf(...args: string[]): Promise<Json[]> {
  const { documents } = await runJson(['read', ...args])
  return items(get(documents[0], 'cells'))
}

function sumOf(rows: readonly Json[], key: string): number {
  return rows.reduce((sum: number, row) => sum + Number(get(row, key)), 0)
}

function countsOf(values: readonly Json[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  return counts
}

describe('stats --read --fragments', () => {
  test.each([
    ['22/deletes'],
    ['22/deletes_consolidated'],
    ['22/deletes_purged'],
    ['22/sparse_basic'],
    ['22/sparse_consolidated'],
    ['22/duplicates'],
    ['22/hilbert'],
    ['22/evolved_sparse'],
    ['22/dense_basic'],
    ['22/dense_consolidated'],
    ['22/evolved_dense'],
    ['22/deletes', '--range', 'x=0..12'],
    ['22/dense_basic', '--range', 'y=2..4'],
    ['22/deletes', '--as-of', '20'],
  ])('%s: the cells of read --provenance, and the sums of the document', async (name, ...args) => {
    const path = `${FIXTURES}/${name}`
    const document = await statsOf('--fragments', path, ...args)
    const fragments = items(get(document, 'fragments'))
    const cells = await cellsOf('--provenance', path, ...args)
    const owners = cells.map((cell) => get(cell, '__fragment') ?? null).filter((owner) => owner !== null)
    const seen = fragments.filter((one) => Number(get(one, 'cell_num')) > 0)
    expect(new Map(seen.map((one) => [String(get(one, 'name')), get(one, 'cell_num')]))).toEqual(countsOf(owners))
    expect(sumOf(fragments, 'cell_num')).toBe(get(document, 'cell_num'))
    expect(sumOf(fragments, 'overwritten_cell_num')).toBe(get(document, 'overwritten_cell_num'))
    expect(sumOf(fragments, 'deleted_cell_num')).toBe(sumOf(items(get(document, 'deletes')), 'cell_num'))
    for (const one of fragments) {
      const parts = ['cell_num', 'overwritten_cell_num', 'deleted_cell_num'].map((key) => Number(get(one, key)))
      expect(get(one, 'written_cell_num')).toBe(parts.reduce((sum, part) => sum + part))
    }
    const plain = await statsOf(path, ...args)
    expect(get(document, 'overwritten_fragments')).toEqual(get(plain, 'overwritten_fragments'))
  })

  test('with --where only cells that meet it count, and the others are unknown', async () => {
    const path = `${FIXTURES}/22/deletes`
    const document = await statsOf('--fragments', path, '--where', 'a > 50')
    const fragments = items(get(document, 'fragments'))
    expect(sumOf(fragments, 'cell_num')).toBe((await cellsOf(path, '--where', 'a > 50')).length)
    expect(fragments.map((one) => get(one, 'written_cell_num'))).toEqual(fragments.map(() => null))
  })

  test('a terminal shows the twenty with the most cells, and the sums of all', async () => {
    const [path, data] = [`${folder}/many`, `${folder}/many.json`]
    const schema = { dimensions: [{ name: 'x', type: 'INT32', domain: [0, 9999], tile_extent: 10 }] }
    const attributes = [{ name: 'a', type: 'INT32' }]
    const writes = Array.from({ length: 25 }, (_, i) => ({
      step: 'write',
      cells: Array.from({ length: i + 1 }, (_, x) => ({ x: 100 * i + x, a: i })),
      time: 1000 + i,
    }))
    const create = { step: 'create', schema: { array_type: 'sparse', ...schema, attributes }, time: 1 }
    writeFileSync(data, JSON.stringify({ steps: [create, ...writes] }))
    const made = await run(['write-sample', path, '--steps', data])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { text } = await run(['stats', '--read', '--fragments', path], { columns: 120 })
    expect(text).toMatch(/the 20 with the most cells/)
    expect(text).toMatch(/all 25 [ │]+325 [ │]+325 [ │]+0 [ │]+0 /)
    expect(text).toMatch(/5 more/)
    const { text: full } = await run(['stats', '--read', '--fragments', '--full', path], { columns: 120 })
    expect(full.match(/__10\d\d_/g)).toHaveLength(25)
  })
})

describe('stats --read --by', () => {
  /** Statistics of the cells of each value, computed in the plainest way. */
  function expected(cells: readonly Json[], by: (cell: Json) => Json, field: string): Json[] {
    const groups = new Map<Json, number[]>()
    const counts = new Map<Json, number>()
    for (const cell of cells) {
      const [key, value] = [by(cell), get(cell, field) ?? null]
      counts.set(key, (counts.get(key) ?? 0) + 1)
      groups.set(key, [...(groups.get(key) ?? []), ...(value === null ? [] : [Number(value)])])
    }
    const sorted = [...groups].sort(([a], [b]) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null)
      return (a as number) < (b as number) ? -1 : 1
    })
    return sorted.map(([value, all]) => {
      const sum = all.reduce((total, one) => total + one, 0)
      const cell_num = counts.get(value) ?? 0
      return {
        value,
        cell_num,
        null_count: cell_num - all.length,
        min: all.length > 0 ? Math.min(...all) : null,
        max: all.length > 0 ? Math.max(...all) : null,
        sum,
        mean: all.length > 0 ? sum / all.length : null,
      }
    })
  }

  async function grouped(...args: string[]): Promise<Json[]> {
    return items(get(await statsOf(...args), 'groups')).map((group) => {
      const [field] = items(get(group, 'fields'))
      const of = (key: string): Json => get(field, key) as Json
      const keys = ['null_count', 'min', 'max', 'sum', 'mean']
      return {
        value: get(group, 'value') as Json,
        cell_num: get(group, 'cell_num') as Json,
        ...Object.fromEntries(keys.map((key) => [key, of(key)])),
      }
    })
  }

  const WRITTEN = ['--range', 'day=1..121']

  test.each(['sky', 'station', 'day', 'temperature'])('%s of weather', async (name) => {
    const cells = await cellsOf('--labels', WEATHER, ...WRITTEN)
    const by = (cell: Json): Json => {
      const value = get(cell, name) ?? null
      return value === 'NaN' ? null : value
    }
    const found = await grouped('--by', name, '--field', 'rain_mm', WEATHER, ...WRITTEN)
    expect(found).toEqual(expected(cells, by, 'rain_mm'))
  })

  test('with --where, and values that are text', async () => {
    const where = ['--where', 'population > 100000']
    const cells = await cellsOf('--labels', PLACES, ...where)
    const found = await grouped('--by', 'name', '--field', 'population', PLACES, ...where)
    expect(found).toEqual(expected(cells, (cell) => get(cell, 'name') as Json, 'population'))
  })

  test('dates by month, with NaT last', async () => {
    const path = `${FIXTURES}/22/type_datetimes`
    const { documents } = await runJson(['schema', path])
    const days = items(get(documents[0], 'attributes')).find((one) => get(one, 'type') === 'DATETIME_DAY')
    const name = String(get(days, 'name'))
    const cells = await cellsOf(path)
    const counts = countsOf(
      cells.map((cell) => (get(cell, name) === 'NaT' ? null : String(get(cell, name)).replace(/-\d\d$/, ''))),
    )
    const groups = items(get(await statsOf('--by', `${name}:month`, path), 'groups'))
    expect(new Map(groups.map((one) => [String(get(one, 'value')), get(one, 'cell_num')]))).toEqual(counts)
    if (counts.has('null')) expect(get(groups.at(-1), 'value')).toBe(null)
  })

  test('units of dates without a cell, between the first and the last', async () => {
    const path = `${FIXTURES}/22/type_datetimes`
    const { documents } = await runJson(['schema', path])
    const days = items(get(documents[0], 'attributes')).find((one) => get(one, 'type') === 'DATETIME_DAY')
    const name = String(get(days, 'name'))
    const there = (await cellsOf(path)).map((cell) => String(get(cell, name))).filter((day) => day !== 'NaT')
    const months = [...new Set(there.map((day) => day.slice(0, -3)))]
    const count = (month: string): bigint => BigInt(month.slice(0, -3)) * 12n + BigInt(month.slice(-2))
    const counts = months.map(count).sort(rising)
    const empty = (counts.at(-1) ?? 0n) - (counts[0] ?? 0n) + 1n - BigInt(counts.length)
    const by = get(await statsOf('--by', `${name}:month`, path), 'by')
    expect(empty).toBeGreaterThan(0n)
    expect(BigInt(Number(get(by, 'empty_unit_num')))).toBe(BigInt(Number(empty)))
    for (const gap of items(get(by, 'gaps'))) {
      const [first, last] = [count(String(get(gap, 'first'))), count(String(get(gap, 'last')))]
      expect(Number(last - first + 1n)).toBe(Number(get(gap, 'unit_num')))
      expect([counts.includes(first - 1n), counts.includes(last + 1n)]).toEqual([true, true])
      expect(counts.filter((one) => one >= first && one <= last)).toEqual([])
    }
    const { text } = await run(['stats', '--read', '--by', `${name}:month`, path])
    expect(text).toMatch(/no cells in [\d,]+ months? between the first and the last: the longest gaps: /)
  })

  test.each([
    [['--by', 'nothing', WEATHER], /--by expects a field/],
    [['--by', 'station:hour', WEATHER], /dates in units of at most a hour/],
    [['--by', 'station:week', WEATHER], /FIELD:UNIT/],
    [['--by', 'station', '--fragments', WEATHER], /one of --fragments, --by and --values/],
  ] as const)('%j is refused', async (args, message) => {
    const { code, stderr } = await run(['stats', '--read', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('more groups than memory holds are an error that says what to do', () => {
    const column: ColumnType = { name: 'a', kind: 'attribute', type: 'INT32', cell_val_num: 1, nullable: false }
    const data = new Uint8Array(Int32Array.of(1, 2, 1, 3).buffer)
    const groups = new CellGroups(column, () => [], 2)
    let found: unknown
    try {
      for (const _ of groups.split({ data, starts: undefined, validity: undefined }, { length: 4, at: undefined }));
    } catch (error) {
      found = error
    }
    expect(hasCode(found, 'TOO_LARGE') && commandLineText(found)).toMatch(/at most 2 groups.*x\.parquet.*docs\/sql\.md/)
  })
})

describe('truncation of dates', () => {
  const TYPES = ['YEAR', 'MONTH', 'DAY', 'HR', 'MIN', 'SEC', 'MS', 'US', 'NS', 'PS', 'FS', 'AS'].map(
    (unit) => `DATETIME_${unit}` as DatetimeType,
  )

  test('gives the beginning of the text of the finer date', () => {
    for (const [f, from] of TYPES.entries())
      for (const [t, to] of TYPES.slice(0, 6).entries()) {
        const truncate = truncation(from, to)
        expect([from, to, truncate === undefined]).toEqual([from, to, t > f])
        for (const count of [0n, 1n, -1n, 59n, 719n, -720n, 54_787n, -123_456_789n, 987_654_321_987n])
          if (truncate) expect(formatDatetime(from, count)).toMatch(formatDatetime(to, truncate(count)))
      }
  })

  test('weeks lie in the month in which they begin', () => {
    expect(truncation('DATETIME_WEEK', 'DATETIME_DAY')).toBeUndefined()
    const month = truncation('DATETIME_WEEK', 'DATETIME_MONTH')
    expect(month && formatDatetime('DATETIME_MONTH', month(2n))).toBe('1970-01')
  })
})

describe('stats --read --values of var-sized fields', () => {
  test.each([
    [PLACES, 'name'],
    [`${FIXTURES}/22/deletes`, 's'],
  ] as const)('%s: a histogram of the lengths of %s', async (path, name) => {
    const document = await statsOf('--values', '--field', name, path)
    const field = items(get(document, 'fields')).find((one) => get(one, 'name') === name)
    const buckets = items(get(get(field, 'lengths'), 'histogram'))
    const lengths = (await cellsOf(path)).map((cell) => Buffer.byteLength(String(get(cell, name))))
    const inside = (bucket: Json): number =>
      lengths.filter((one) => one >= Number(get(bucket, 'from')) && one <= Number(get(bucket, 'to'))).length
    expect(buckets.map((bucket) => get(bucket, 'cell_num'))).toEqual(buckets.map(inside))
    expect(sumOf(buckets, 'cell_num')).toBe(lengths.length)
    const { text } = await run(['stats', '--read', '--values', '--field', name, path])
    expect(text).toMatch(`lengths of ${name}, in bytes`)
  })
})

test.each([
  ['visible', '--fragments'],
  ['group by', '--by'],
  ['hourly mean', '--by'],
])('help %s finds %s', async (words, option) => {
  expect((await run(['help', ...words.split(' ')])).text).toContain(`stats --read ${option} `)
})
