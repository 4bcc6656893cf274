import { describe, expect, test } from '@jest/globals'
import type { ColumnType } from '../../src/cells/column.ts'
import { ValueCounts } from '../../src/cells/value-counts.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { ROOT } from '../helpers/sessions.ts'

const WEATHER = `${ROOT}examples/arrays/weather`
const PLACES = `${ROOT}examples/arrays/places`
const PERCENTS = { p1: 1, p5: 5, p25: 25, median: 50, p75: 75, p95: 95, p99: 99 }

async function valuesOf(path: string, ...args: string[]): Promise<Map<string, Json>> {
  const { documents } = await runJson(['stats', '--read', '--values', path, ...args])
  return new Map(
    items(get(documents[0], 'fields')).flatMap((field) => {
      const values = get(field, 'values')
      return values === undefined ? [] : [[String(get(field, 'name')), values] as const]
    }),
  )
}

/** The values that `read` gives for a field, without nulls and NaN. */
async function cellsOf(path: string, name: string, ...args: string[]): Promise<Json[]> {
  const { documents } = await runJson(['read', path, ...args])
  return items(get(documents[0], 'cells')).flatMap((cell) => {
    const value = get(cell, name) ?? null
    return value === null || value === 'NaN' ? [] : [value]
  })
}

function compared(a: Json, b: Json): number {
  if (a === b) return 0
  return (a as number) < (b as number) ? -1 : 1
}

/** What is expected of values, computed in the plainest way. */
function expected(cells: readonly Json[], isOrdered: boolean): Json {
  const counts = new Map<Json, number>()
  for (const value of cells) counts.set(value, (counts.get(value) ?? 0) + 1)
  const frequent = [...counts].sort(([a, x], [b, y]) => y - x || compared(a, b)).slice(0, 10)
  const sorted = cells.toSorted(compared)
  const at = (percent: number): Json => sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1]
  return {
    distinct_num: counts.size,
    frequent: frequent.map(([value, cell_num]) => ({ value, cell_num })),
    percentiles: isOrdered ? Object.fromEntries(Object.entries(PERCENTS).map(([name, p]) => [name, at(p)])) : null,
  }
}

describe('stats --read --values', () => {
  test.each([
    [WEATHER, 'rain_mm', true, []],
    [WEATHER, 'rain_mm', true, ['--range', 'day=7..40']],
    [PLACES, 'population', true, []],
    [PLACES, 'lat', true, ['--where', 'lat > 40']],
    [PLACES, 'name', false, []],
    [`${FIXTURES}/22/deletes`, 'a', true, []],
  ] as const)('%s: %s as a reader sees it', async (path, name, isOrdered, args) => {
    const cells = await cellsOf(path, name, ...args)
    expect(cells.length).toBeGreaterThan(5)
    const found = await valuesOf(path, '--field', name, ...args)
    expect([...found.keys()]).toEqual([name])
    expect(found.get(name)).toEqual(expected(cells, isOrdered))
  })

  test('integers of 8 bytes and dates are exact; without --field all fields are counted', async () => {
    const path = `${FIXTURES}/22/type_numbers_dense`
    const found = await valuesOf(path)
    const all = items(get((await runJson(['stats', '--read', path])).documents[0], 'fields'))
    expect([...found.keys()]).toEqual(all.map((field) => get(field, 'name')))
    for (const name of ['int64', 'uint64']) expect(found.get(name)).toEqual(expected(await cellsOf(path, name), true))
  })

  test('an enumeration gives its labels', async () => {
    const found = await valuesOf(`${FIXTURES}/22/enumerations`, '--field', 'tree')
    const cells = await cellsOf(`${FIXTURES}/22/enumerations`, 'tree', '--labels')
    const { distinct_num } = expected(cells, false) as { distinct_num: number }
    expect(found.get('tree')).toMatchObject({ distinct_num, percentiles: null })
    for (const one of items(get(found.get('tree'), 'frequent')))
      expect(cells.filter((label) => label === get(one, 'value')).length).toBe(get(one, 'cell_num'))
  })

  test('what does not fit names the option that raises the bound; percentiles stay as long as they fit', async () => {
    const call = ['--field', 'lat', '--memory', '48K']
    const { text } = await run(['stats', '--read', '--values', PLACES, ...call])
    expect(text).toMatch(/^values of lat: more than \d+ distinct$/m)
    expect(text).toMatch(/--memory raises the bound/)
    const whole = (await valuesOf(PLACES, '--field', 'lat')).get('lat')
    const found = (await valuesOf(PLACES, ...call)).get('lat')
    expect(found).toMatchObject({ distinct_num: null, frequent: [], percentiles: get(whole, 'percentiles') })
  })

  test.each([
    ['INT32', Int32Array.from({ length: 9000 }, (_, i) => (i * 7919) % 9000)],
    ['FLOAT64', Float64Array.from({ length: 9000 }, (_, i) => ((i * 7919) % 9000) / 8)],
    ['INT64', BigInt64Array.from({ length: 9000 }, (_, i) => BigInt((i * 7919) % 9000) - 2n ** 60n)],
  ] as const)('%s: more values than memory holds are sorted, or given up', (type, values) => {
    const column: ColumnType = { name: 'a', kind: 'attribute', type, cell_val_num: 1, nullable: false }
    const data = { data: new Uint8Array(values.buffer), starts: undefined, validity: undefined }
    const counted = (most: number): ValueCounts => {
      const counts = new ValueCounts(column, most)
      for (const from of [0, 4500])
        counts.add(data, { length: 4500, at: Uint32Array.from({ length: 4500 }, (_, i) => from + i) })
      return counts
    }
    const whole = counted(2 ** 30)
    const sorted = counted(150_000)
    expect([whole.distinct, whole.moreThan]).toEqual([9000, undefined])
    expect([sorted.distinct, sorted.moreThan]).toEqual([undefined, Math.floor(150_000 / 128)])
    const percents = [1, 50, 99]
    expect(sorted.percentiles(percents)).toEqual(whole.percentiles(percents))
    expect(whole.percentiles(percents)).toHaveLength(3)
    expect(counted(100_000).percentiles(percents)).toBeUndefined()
  })

  test('it is refused without --read', async () => {
    expect(await run(['stats', '--values', PLACES])).toMatchObject({ code: 2 })
  })

  test.each(['distinct', 'median', 'percentile', 'quantile', 'unique', 'histogram', 'count', 'group'])(
    'help %s finds it',
    async (word) => {
      expect((await run(['help', ...word.split(' ')])).text).toContain('stats --read --values')
    },
  )
})
