import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** A query, and what numpy says of the cells that TileDB reads. */
interface Recorded {
  from: number
  to: number
  ranges: ([number, number] | null)[] | null
  cells: number
  wanted?: number
  hidden?: number
  deletes?: Record<string, number> | null
  coordinates?: number
  repeated?: number
  fields: Record<string, { min?: string; max?: string; sum?: string; nulls: number; nans?: number }>
}

const RECORDED: Record<string, Recorded[]> = JSON.parse(readFileSync(`${FIXTURES}/read-stats.json`, 'utf8'))
const CASES = Object.entries(RECORDED).flatMap(([name, all]) =>
  all.map((one) => [`${name} ${one.ranges ? JSON.stringify(one.ranges) : ''} at ${one.to}`, name, one] as const),
)
const folder = temporaryFolder()

async function readStats(...args: string[]): Promise<Json> {
  const { documents, code } = await runJson(['stats', '--read', ...args])
  expect(code).toBe(0)
  return documents[0]
}

function fieldNamed(document: Json, name: string): Json {
  const found = items(get(document, 'fields')).find((field) => get(field, 'name') === name)
  expect(found).toBeDefined()
  return found as Json
}

async function dimensionNames(path: string): Promise<string[]> {
  const { documents } = await runJson(['schema', path])
  return items(get(documents[0], 'dimensions')).map((one) => String(get(one, 'name')))
}

/** A value of a raw document as numpy's text: bytes as hexadecimal digits, integers exact. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (typeof value === 'object' && value !== null)
    return Buffer.from(String(get(value, 'base64')), 'base64').toString('hex')
  return String(value)
}

/** A float of Python; 0 and -0 are one. */
function floatOf(text: string): number {
  return text === 'nan' ? Number.NaN : Number(text.replace('inf', 'Infinity'))
}

describe('stats --read says what numpy says of the cells that TileDB reads', () => {
  test.each(CASES)('%s', async (_, name, recorded) => {
    const path = `${FIXTURES}/${name}`
    const names = await dimensionNames(path)
    const ranges = (recorded.ranges ?? []).flatMap((range, d) =>
      range ? ['--range', `${names[d]}=${range[0]}..${range[1]}`] : [],
    )
    const between = ['--between', `${recorded.from}..${recorded.to}`]
    const document = await readStats(path, ...ranges, ...between, '--raw')
    expect(get(document, 'cell_num')).toBe(recorded.cells)
    const { wanted, hidden, coordinates, repeated, deletes } = recorded
    if (wanted !== undefined)
      expect(get(document, 'dense_cells')).toMatchObject({
        wanted_cell_num: wanted,
        unwritten_cell_num: wanted - recorded.cells,
      })
    if (hidden !== undefined) expect(get(document, 'overwritten_cell_num')).toBe(hidden)
    if (coordinates !== undefined)
      expect(get(document, 'duplicates')).toMatchObject({ coordinate_num: coordinates, cell_num: repeated })
    if (deletes) {
      const found = items(get(document, 'deletes')).map((one) => [
        String(get(one, 'file')).replace(/^__commits\/(.*)\.del$/, '$1'),
        get(one, 'cell_num'),
      ])
      expect(Object.fromEntries(found)).toEqual(deletes)
    }
    for (const [field, { min, max, sum, nulls, nans }] of Object.entries(recorded.fields)) {
      const found = fieldNamed(document, field)
      expect([field, get(found, 'null_count')]).toEqual([field, nulls])
      if (nans !== undefined) expect([field, get(found, 'nan_cell_num')]).toEqual([field, nans])
      if (min !== undefined && max !== undefined) {
        const isFloat = String(get(found, 'type')).startsWith('FLOAT')
        const same = (shown: Json | undefined, text: string): void =>
          isFloat
            ? expect([field, Math.fround(Number(shown)) + 0]).toEqual([field, Math.fround(floatOf(text)) + 0])
            : expect([field, textOf(shown).toLowerCase()]).toEqual([
                field,
                text.toLowerCase().replace('false', '0').replace('true', '1'),
              ])
        same(get(found, 'min'), min)
        same(get(found, 'max'), max)
      }
      const own = get(found, 'sum')
      if (sum === undefined || own === null) continue
      if (nans === undefined) expect([field, String(own)]).toEqual([field, sum])
      else {
        const wanted = floatOf(sum)
        const isNear = Math.abs(Number(own) - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
        expect([field, isNear || Object.is(Number(own), wanted) || own]).toEqual([field, true])
      }
    }
  })
})

/** An array of one dimension `x`, and these cells. */
async function written(name: string, cells: object[], ...options: string[]): Promise<string> {
  const [path, data] = [`${folder}/${name}`, `${folder}/${name}.ndjson`]
  writeFileSync(data, cells.map((cell) => `${JSON.stringify(cell)}\n`).join(''))
  expect((await run(['write-sample', path, '--data', data, ...options])).code).toBe(0)
  return path
}

describe('stats --read', () => {
  test('names the coordinates that several cells have, those with most cells first', async () => {
    const cells = [5, 1, 5, 3, 3, 5, 2].map((x, a) => ({ x, a }))
    const options = ['--dim', 'x:INT32:0..9:10', '--attr', 'a:INT32', '--duplicates']
    const path = await written('repeated', cells, ...options)
    const most = [
      { coordinates: { x: 5 }, cell_num: 3 },
      { coordinates: { x: 3 }, cell_num: 2 },
    ]
    expect(get(await readStats(path), 'duplicates')).toEqual({ coordinate_num: 2, cell_num: 5, most })
    expect(get(await readStats(path, '--where', 'a > 2'), 'duplicates')).toMatchObject({
      coordinate_num: 1,
      cell_num: 2,
    })
    const { text } = await run(['stats', '--read', path], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toContain('2 coordinates have more than one cell, 5 in all')
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('gives the mean, and the lengths of texts without nulls', async () => {
    const cells = ['one', 'three', '', 'grüße'].map((s, x) => ({ x, s, a: 2 ** x }))
    const options = ['--dim', 'x:INT32:0..9:10', '--attr', 's:STRING_UTF8:var', '--attr', 'a:INT64']
    const document = await readStats(await written('lengths', cells, ...options))
    expect(fieldNamed(document, 's')).toMatchObject({ mean: null, lengths: { min: 0, max: 7, mean: 15 / 4 } })
    expect(fieldNamed(document, 'a')).toMatchObject({ sum: 15, mean: 3.75 })
    expect(get(fieldNamed(document, 'a'), 'lengths')).toBeUndefined()
  })

  test('shows the fields that are named before delete conditions, and those before dimensions', async () => {
    const sections = async (...options: string[]): Promise<string[]> => {
      const { text } = await run(['stats', '--read', `${FIXTURES}/22/deletes`, ...options])
      return text.match(/^(?:fields|delete conditions|x|a)\b/gm) ?? []
    }
    expect(await sections()).toEqual(['delete conditions', 'fields', 'x', 'a'])
    expect(await sections('--field', 'a')).toEqual(['fields', 'a', 'x', 'delete conditions'])
  })

  test('says of consolidated dense arrays that stored fill values count', async () => {
    const shown = async (name: string): Promise<string> =>
      (await run(['stats', '--read', `${FIXTURES}/22/${name}`])).text
    const fields = ['--field', 'a']
    expect((await run(['stats', '--read', `${FIXTURES}/22/dense_consolidated`, ...fields])).text).toContain(
      'stored (consolidation stores fill values of gaps, too)\n',
    )
    expect(await shown('dense_basic')).toMatch(/^cells .* written$/m)
  })

  test('counts stored fill values of a dense array, in gaps that consolidation filled', async () => {
    const options = ['--dense', '--dim', 'x:INT32:0..9:10', '--attr', 'a:FLOAT64', '--attr', 's:STRING_ASCII:var']
    const cells = (from: number) => [0, 1].map((i) => ({ x: from + i, a: from + i, s: 'one' }))
    const path = await written('gaps', cells(0), ...options, '--timestamp', '10')
    const data = `${folder}/gaps2.ndjson`
    writeFileSync(
      data,
      cells(6)
        .map((cell) => `${JSON.stringify(cell)}\n`)
        .join(''),
    )
    expect((await run(['write-sample', path, '--append', '--data', data, '--timestamp', '20'])).code).toBe(0)
    const boxes = [
      { ranges: { x: [2, 5] }, cell_num: 4 },
      { ranges: { x: [8, 9] }, cell_num: 2 },
    ]
    expect(get(await readStats(path), 'dense_cells')).toMatchObject({ fill_cell_num: null, unwritten_boxes: boxes })
    expect((await run(['write-sample', path, '--append', '--consolidate', 'fragments'])).code).toBe(0)
    const after = await readStats(path)
    expect([get(after, 'cell_num'), get(after, 'dense_cells')]).toMatchObject([
      8,
      { fill_cell_num: 4, unwritten_boxes: boxes.slice(1) },
    ])
    const { text } = await run(['stats', '--read', path])
    expect(text).toContain('8 stored, 4 of them equal to the fill value')
    expect(text).toContain(
      'sums and means count the 4 cells of fill values that consolidation may have stored in gaps\n',
    )
    expect(text).toMatch(/ 1\.\.3 bytes, mean 2$/m)
    expect((await run([path])).text).toMatch(/^reader sees +10 cells of the domain, at most 8 written: x 0\.\.7$/m)
  })

  test('names the first unwritten boxes, in row-major order', async () => {
    const array = `${FIXTURES}/dense_reads/cube`
    const dense = get(await readStats(array), 'dense_cells')
    const boxes = items(get(dense, 'unwritten_boxes'))
    expect(boxes).toHaveLength(5)
    const { documents } = await runJson(['read', array, '--provenance'])
    const cells = items(get(documents[0], 'cells')).filter((cell) => get(cell, '__fragment') === null)
    expect(cells).toHaveLength(Number(get(dense, 'unwritten_cell_num')))
    const inside = (cell: Json, box: Json): boolean =>
      Object.entries(get(box, 'ranges') as Record<string, number[]>).every(
        ([name, [low, high]]) => Number(get(cell, name)) >= low && Number(get(cell, name)) <= high,
      )
    for (const box of boxes)
      expect(cells.filter((cell) => inside(cell, box))).toHaveLength(Number(get(box, 'cell_num')))
    const named = cells.filter((cell) => boxes.some((box) => inside(cell, box)))
    expect((await run(['stats', '--read', array])).text).toContain(`… and ${cells.length - named.length} more cells\n`)
    expect(get(get(await readStats(array, '--where', 'a > 110'), 'dense_cells'), 'unwritten_boxes')).toBe(null)
  })

  test('counts zeros of both signs and NaN as one place each', async () => {
    const path = `${FIXTURES}/22/two_zeros`
    const document = await readStats(path)
    expect(get(document, 'allows_duplicates')).toBe(false)
    expect(get(document, 'duplicates')).toBeUndefined()
    expect(get(document, 'overwritten_cell_num')).toBe(0)
  })

  test('counts the used values of an enumeration, and lists the others', async () => {
    const field = fieldNamed(await readStats(`${FIXTURES}/22/enumerations`, '--field', 'tree'), 'tree')
    const { documents } = await runJson(['read', `${FIXTURES}/22/enumerations`, '--labels'])
    const counts = new Map<Json | undefined, number>()
    for (const cell of items(get(documents[0], 'cells')))
      counts.set(get(cell, 'tree'), (counts.get(get(cell, 'tree')) ?? 0) + 1)
    const used = items(get(get(field, 'enumeration_use'), 'used'))
    expect(new Map(used.map((one) => [get(one, 'value'), get(one, 'cell_num')]))).toEqual(counts)
    expect(get(get(field, 'enumeration_use'), 'unused')).toEqual(['birch'])
    expect(get(field, 'sum')).toBe(null)
    const { text } = await run(['stats', '--read', `${FIXTURES}/22/enumerations`])
    expect(text).toContain('never used: "birch"')
  })

  test('counts indexes without a value', async () => {
    const array = `${FIXTURES}/labels/wanting`
    const enumerations = items(get(await readStats(array), 'fields')).flatMap(
      (field) => get(field, 'enumeration_use') ?? [],
    )
    expect(enumerations.some((one) => Number(get(one, 'missing_cell_num')) > 0)).toBe(true)
  })

  test('tells unwritten cells of a range from those of the domain, and leaves out what does not meet a condition', async () => {
    const array = `${FIXTURES}/dense_reads/cube`
    const whole = await readStats(array)
    const { documents } = await runJson(['read', array, '--provenance'])
    const cells = items(get(documents[0], 'cells')).filter((cell) => get(cell, '__fragment') !== null)
    expect(get(whole, 'cell_num')).toBe(cells.length)
    const limited = await readStats(array, '--where', 'a > 110')
    const met = cells.filter((cell) => Number(get(cell, 'a')) > 110)
    expect(met.length).toBeGreaterThan(0)
    expect(get(limited, 'cell_num')).toBe(met.length)
    expect(get(fieldNamed(limited, 'a'), 'min')).toBe(Math.min(...met.map((cell) => Number(get(cell, 'a')))))
    expect(get(get(limited, 'dense_cells'), 'unwritten_cell_num')).toBe(null)
    expect(get(limited, 'overwritten_cell_num')).toBe(null)
  })

  test('reads only what was written of a huge domain', async () => {
    const options = ['--dense', '--dim', 'x:INT64:0..99999999999999:10', '--attr', 'a:INT32']
    const path = await written('huge', [{ x: 5, a: 1 }], ...options)
    const data = `${folder}/far.ndjson`
    writeFileSync(data, '{"x":99999999999990,"a":2}\n')
    const appended = await run(['write-sample', path, '--append', '--data', data])
    expect([appended.code, appended.stderr]).toEqual([0, ''])
    const document = await readStats(path)
    expect(get(document, 'cell_num')).toBe(2)
    expect(get(document, 'dense_cells')).toMatchObject({ unwritten_cell_num: 99_999_999_999_998 })
  })

  test('says that a sum is beyond 64 bits, and gives it exactly', async () => {
    const cells = [1, 2, 3].map((x) => ({ x, a: '9223372036854775807' }))
    const path = await written('overflow', cells, '--dim', 'x:INT32:0..9:10', '--attr', 'a:INT64')
    const { stdout } = await runJson(['stats', '--read', path])
    expect(new TextDecoder().decode(stdout)).toContain('"sum": 27670116110564327421')
    expect(get(fieldNamed(await readStats(path), 'a'), 'sum_overflows')).toBe(true)
  })

  test('counts deletions that a consolidated fragment stores, though the files of their conditions are gone', async () => {
    const array = `${FIXTURES}/22/deletes_consolidated`
    const copy = `${folder}/lost-conditions`
    cpSync(array, copy, { recursive: true, filter: (from) => !from.endsWith('.del') })
    const counts = items(get(await readStats(array), 'deletes')).map((one) => [get(one, 'time'), get(one, 'cell_num')])
    expect(counts).toEqual([
      ['1970-01-01T00:00:00.015Z', 2],
      ['1970-01-01T00:00:00.025Z', 5],
    ])
    const lost = items(get(await readStats(copy), 'deletes'))
    expect(lost.map((one) => [get(one, 'time'), get(one, 'cell_num')])).toEqual(counts)
    expect(lost.map((one) => get(one, 'condition'))).toEqual([null, null])
    expect((await run(['stats', '--read', copy])).text).toContain('unknown: its file is gone')
  })

  test('counts what each delete took from readers at its time, also cells that were written again', async () => {
    const options = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', '--timestamp', '10']
    const cells = Array.from({ length: 20 }, (_, x) => ({ x, a: x }))
    const path = await written('written-again', cells, ...options)
    expect((await run(['write-sample', path, '--append', '--delete', 'a < 10', '--timestamp', '20'])).code).toBe(0)
    const data = `${folder}/again.ndjson`
    writeFileSync(data, [3, 4, 5].map((x) => `${JSON.stringify({ x, a: 50 })}\n`).join(''))
    expect((await run(['write-sample', path, '--append', '--data', data, '--timestamp', '30'])).code).toBe(0)
    expect((await run(['write-sample', path, '--append', '--delete', 'a == 50', '--timestamp', '40'])).code).toBe(0)
    const counts = async (...args: string[]): Promise<unknown> =>
      items(get(await readStats(path, ...args), 'deletes')).map((one) => [
        get(one, 'cell_num'),
        get(one, 'removed_cell_num'),
      ])
    const cellNum = async (time: number): Promise<number> =>
      Number(get(await readStats(path, '--as-of', String(time)), 'cell_num'))
    expect([await cellNum(19), await cellNum(20), await cellNum(39), await cellNum(40)]).toEqual([20, 10, 13, 10])
    expect(await counts()).toEqual([
      [7, 10],
      [3, 3],
    ])
    expect(await counts('--range', 'x=4..6')).toEqual([
      [1, 3],
      [2, 2],
    ])
    const { text } = await run(['stats', '--read', path])
    expect(text).toContain('13 removed cells are still in the files: read --as-of 19 shows those of the first delete')
    expect(text).toMatch(/^20 +10 +3 +a < 10 /m)
    expect(text).toContain('purge_deleted_cells')
    // The new fragment has none of them, the files of the old ones do.
    const steps = `${folder}/purge.json`
    writeFileSync(steps, JSON.stringify([{ step: 'consolidate', purge: true }]))
    const purged = await run(['write-sample', path, '--append', '--steps', steps])
    expect([purged.code, purged.stderr]).toEqual([0, ''])
    expect(await counts()).toEqual([
      [0, null],
      [0, null],
    ])
    expect(await readStats(path)).toMatchObject({ purge_way: null, advice: [] })
    const after = (await run(['stats', '--read', path])).text
    expect(after).toMatch(/^20 +not known +- +a < 10 /m)
    expect(after).toContain('not known: a consolidation left out deleted cells, which are gone')
    expect(get(await readStats(path), 'to_vacuum_num')).toBe(2)
    expect((await run(['stats', '--read', path])).text).toMatch(
      /^to vacuum +2 older fragments: .*\n(.*\n)+the files that readers open hold no removed cell any more; .*\ntiledb\.vacuum/m,
    )
  })

  test('a purge of one part of the array leaves a delete that took nothing of it known', async () => {
    const purged = items(get(await readStats(`${FIXTURES}/22/deletes_purged`), 'deletes'))
    expect(purged.map((one) => [get(one, 'removed_cell_num'), get(one, 'purged')])).toEqual([[null, true]])
    const marked = items(get(await readStats(`${FIXTURES}/22/deletes_consolidated`), 'deletes'))
    expect(marked.map((one) => get(one, 'purged'))).toEqual([false, false])
  })

  test('names a new array where only one fragment holds deleted cells: TileDB consolidates no single one', async () => {
    const path = `${FIXTURES}/22/deletes_consolidated`
    const stats = await readStats(path)
    const advice = items(get(stats, 'advice'))
    expect(get(stats, 'purge_way')).toBe('copy')
    expect(advice[1]).toMatch(/^tiledb\.Array\.create\(".*deletes_consolidated\.new", /)
    expect((await run(['stats', '--read', path])).text).toContain('TileDB consolidates no single fragment')
    const inSeveral = await readStats(`${FIXTURES}/22/deletes`)
    expect(get(inSeveral, 'purge_way')).toBe('consolidation')
    const several = items(get(inSeveral, 'advice'))
    expect(several[0]).toContain('purge_deleted_cells')
    // A consolidation takes fragments of all times, and not only those of the read.
    expect(get(await readStats(`${FIXTURES}/22/deletes`, '--as-of', '15'), 'advice')).toEqual(several)
  })

  test('refuses its options without --read', async () => {
    const { code, stderr } = await run(['stats', `${FIXTURES}/22/duplicates`, '--range', 'x=1'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--range expects --read')])
    expect((await run(['stats', '--read', '--all', `${FIXTURES}/22/duplicates`])).code).toBe(2)
  })
})

test('a sparse fragment of which newer ones hide each cell is named, with its bytes', async () => {
  const array = `${folder}/overwritten`
  const rows = [
    [1, 5],
    [5, 6, 9],
    [1, 3],
  ]
  const data = rows.flatMap((xs, i) => {
    const file = `${folder}/cells${i}.ndjson`
    writeFileSync(file, xs.map((x) => JSON.stringify({ x, a: i })).join('\n'))
    return ['--data', file]
  })
  const made = await run(['write-sample', array, '--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', ...data])
  expect(made.code).toBe(0)
  const [oldest] = items(get((await runJson(['ls', array])).documents[0], 'fragments'))
  const found = [{ name: get(oldest, 'name'), size: get(oldest, 'size') }]
  expect(get(await readStats(array), 'overwritten_fragments')).toEqual(found)
  expect((await run(['stats', '--read', array])).text).toMatch(
    /^wholly +1 fragment of which a reader sees no cell, .*: __/m,
  )
  expect(get(await readStats(array, '--range', 'x=0..9'), 'overwritten_fragments')).toBeUndefined()
  // Each fragment has cells that are the newest.
  expect(get(await readStats(`${FIXTURES}/22/deletes`), 'overwritten_fragments')).toEqual([])
})
