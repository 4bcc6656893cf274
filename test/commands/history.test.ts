import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const V22 = `${FIXTURES}/22`
const folder = temporaryFolder()

async function documents(...args: string[]): Promise<Json[]> {
  const { code, stderr, documents } = await runJson(['history', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return documents
}

function milliseconds(time: Json | undefined): Json | undefined {
  return typeof time === 'string' ? Date.parse(time) : time
}

/** Each version of a cell: the times of its fragment, its own in milliseconds, its first value, its state, and what hid it. */
async function versions(name: string, cell: string, ...args: string[]) {
  const [document] = await documents(`${V22}/${name}`, '--cell', cell, ...args)
  return items(get(document, 'versions')).map((version) => {
    const by = get(version, 'by')
    return [
      ...items(get(version, 'timestamp_range')),
      milliseconds(get(version, 'written')),
      Object.values(get(version, 'values') as object)[0],
      get(version, 'state'),
      by === null ? null : (get(by, 'condition') ?? milliseconds(get(by, 'time')) ?? get(by, 'kind')),
    ]
  })
}

describe('sparse cells', () => {
  test('a newer version, then a delete condition', async () => {
    expect(await versions('deletes', 'x=15,y=15')).toEqual([
      [10, 10, 10, 22, 'overwritten', 20],
      [20, 20, 20, 41, 'deleted', '(a >= 40 and a <= 60) or s == "oak"'],
    ])
    expect(await versions('deletes', 'x=15,y=15', '--as-of', '24')).toEqual([
      [10, 10, 10, 22, 'overwritten', 20],
      [20, 20, 20, 41, 'current', null],
    ])
    expect(await versions('deletes', 'x=15,y=15', '--as-of', '19')).toEqual([
      [10, 10, 10, 22, 'current', null],
      [20, 20, 20, 41, 'later', null],
    ])
    expect(await versions('deletes', 'x=15,y=15', '--between', '15..22')).toEqual([
      [10, 10, 10, 22, 'earlier', null],
      [20, 20, 20, 41, 'current', null],
    ])
  })

  test('in a consolidated fragment, each cell has its own time, and a deleted one the time of its deletion', async () => {
    expect(await versions('deletes_consolidated', 'x=16,y=17')).toEqual([
      [10, 20, 10, 25, 'deleted', 'a < 30'],
      [10, 20, 20, 99, 'deleted', 'a > 80'],
    ])
    expect(await versions('deletes_consolidated', 'x=16,y=17', '--as-of', '14')).toEqual([
      [10, 20, 10, 25, 'current', null],
      [10, 20, 20, 99, 'later', null],
    ])
    expect(await versions('deletes_consolidated', 'x=16,y=17', '--as-of', '20')).toEqual([
      [10, 20, 10, 25, 'deleted', 'a < 30'],
      [10, 20, 20, 99, 'current', null],
    ])
  })

  test('a delete names its commit file', async () => {
    const [document] = await documents(`${V22}/deletes_consolidated`, '--cell', 'x=16,y=17')
    const [{ by }] = items(get(document, 'versions')) as unknown as { by: Json }[]
    expect(by).toEqual({
      kind: 'delete',
      name: '__15_15_5a8049ae045591975376a754a193f620_22',
      file: '__commits/__15_15_5a8049ae045591975376a754a193f620_22.del',
      time: '1970-01-01T00:00:00.015Z',
      condition: 'a < 30',
    })
  })

  test('originals of consolidated cells are hidden, until the consolidation is later than the read', async () => {
    expect(await versions('vacuum_left', 'x=3,y=16')).toEqual([
      [10, 10, 10, 30, 'hidden', 'vacuum'],
      [10, 30, 10, 30, 'overwritten', 20],
      [20, 20, 20, 75, 'hidden', 'vacuum'],
      [10, 30, 20, 75, 'current', null],
    ])
  })

  test('where duplicates are allowed, a read gives several versions', async () => {
    const found = await versions('duplicates', 'x=1,y=2')
    expect(found.length).toBe(7)
    expect(new Set(found.map(([, , , , state]) => state))).toEqual(new Set(['current']))
  })

  test('an attribute that was added later has its fill value, and is named', async () => {
    const [document] = await documents(`${V22}/evolved_sparse`, '--cell', 'x=12')
    const [old, now] = items(get(document, 'versions'))
    expect([get(old, 'state'), get(old, 'values'), get(old, 'filled')]).toEqual([
      'overwritten',
      { a: 76, b: null },
      ['b'],
    ])
    expect([get(now, 'state'), get(now, 'values'), get(now, 'filled')]).toEqual([
      'current',
      { a: 415, b: 'Škoda' },
      undefined,
    ])
  })

  test('fragments without a commit, and one that cannot be read', async () => {
    const { code, documents } = await runJson(['history', 'examples/damaged/failed_write', '--cell', 'x=3,y=16'])
    expect(code).toBe(0)
    const [document] = documents
    expect(items(get(document, 'versions')).map((version) => get(version, 'state'))).toEqual(['current', 'uncommitted'])
    expect(items(get(document, 'not_examined')).map((one) => get(one, 'code'))).toEqual(['NOT_FOUND'])
  })
})

test('--labels shows the values of enumerations', async () => {
  const shown = async (...options: string[]): Promise<Json | undefined> => {
    const [document] = await documents(`${V22}/enumerations`, '--cell', 'd=0', ...options)
    return get(items(get(document, 'versions'))[0], 'values')
  }
  expect(await shown()).toEqual({ tree: 2, place: 2, size: 1, ratio: 1, plain: -27 })
  expect(await shown('--labels')).toEqual({ tree: 'aspen', place: 'oak', size: 20, ratio: 1.5, plain: -27 })
})

test.each([[], ['--raw']])('history and read --provenance write a time in the same form: %j', async (...raw) => {
  const array = `${V22}/sparse_consolidated`
  const { text } = await run(['read', array, '--provenance', '--format', 'ndjson', '--limit', '1', ...raw])
  const [cell] = text.trim().split('\n')
  const { x, y, __written: written } = JSON.parse(cell)
  const [document] = await documents(array, '--cell', `x=${x},y=${y}`, ...raw)
  const current = items(get(document, 'versions')).find((one) => get(one, 'state') === 'current') as Json
  expect(get(current, 'written')).toEqual(written)
  expect(typeof written).toBe(raw.length > 0 ? 'number' : 'string')
  if (raw.length > 0) return
  // As JavaScript and others write UTC: without the zone, they take it for the time of this place.
  expect(new Date(written).toISOString()).toBe(written)
  for (const format of ['csv', 'json', 'table'])
    expect((await run(['read', array, '--provenance', '--format', format, '--limit', '1'])).text).toContain(written)
})

describe('dense cells', () => {
  test('consolidation, before and after its time', async () => {
    const now = await versions('dense_vacuum_left', 'y=1,x=2')
    expect(now.map(([from, to, written, , state]) => [from, to, written, state])).toEqual([
      [10, 10, 10, 'hidden'],
      [20, 20, 20, 'hidden'],
      [10, 20, 20, 'current'],
    ])
    const before = await versions('dense_vacuum_left', 'y=1,x=2', '--as-of', '15')
    expect(before.map(([from, to, , , state]) => [from, to, state])).toEqual([
      [10, 10, 'current'],
      [10, 20, 'later'],
      [20, 20, 'later'],
    ])
  })

  describe('when consolidated cells were written', () => {
    const made = async (name: string, ...options: string[]): Promise<string> => {
      const array = `${folder}/${name}`
      for (const [i, rows] of [
        [
          { x: 0, a: 1 },
          { x: 1, a: 2 },
        ],
        [
          { x: 1, a: 3 },
          { x: 2, a: 4 },
        ],
        [{ x: 5, a: 6 }],
      ].entries())
        writeFileSync(`${array}.${i}`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const data = [0, 1, 2].flatMap((i) => ['--data', `${array}.${i}`, '--timestamp', `${10 + 10 * i}`])
      const shape = ['--dense', '--dim', 'x:INT32:0..9:10', '--attr', 'a:INT32', ...data]
      const { code } = await run(['write-sample', array, ...shape, '--consolidate', 'fragments', ...options])
      expect(code).toBe(0)
      return array
    }
    const current = async (array: string): Promise<(Json | undefined)[][]> =>
      (await documents(array, '--range', 'x=..', '--raw')).map((cell) => {
        const found = items(get(cell, 'versions')).find((one) => get(one, 'state') === 'current')
        return [get(found as Json, 'written'), get(found as Json, 'never_written') ?? null]
      })
    const provenance = async (array: string): Promise<[Json[], string]> => {
      const { text, stderr } = await run(['read', array, '--provenance', '--format', 'ndjson', '--raw'])
      const rows = text.trim().split('\n')
      return [rows.map((row) => get(JSON.parse(row) as Json, '__written')) as Json[], stderr]
    }

    test('the fragments that were replaced know it, and what none of them has was never written', async () => {
      const array = await made('originals')
      expect(await current(array)).toEqual([
        [10, null],
        [20, null],
        [20, null],
        [null, 'yes'],
        [null, 'yes'],
        [30, null],
      ])
      const [times, note] = await provenance(array)
      expect(times).toEqual([10, 20, 20, null, null, 30])
      expect(note).toMatch(
        /^note: __written: null where consolidation put fill values into __10_30_\w+: no write gave these cells\n$/,
      )
    })

    test('without them, it is between two times, and fill values may be no writes', async () => {
      const array = await made('vacuumed', '--vacuum', 'fragments')
      expect(await current(array)).toEqual([
        [null, null],
        [null, null],
        [null, null],
        [null, 'maybe'],
        [null, 'maybe'],
        [null, null],
      ])
      const [times, note] = await provenance(array)
      expect(times).toEqual([null, null, null, null, null, null])
      expect(note).toMatch(
        /kept only the first and last time of all: 10 to 30; cells with fill values may never have been written\n$/,
      )
      const { text } = await run(['history', array, '--cell', 'x=3'])
      expect(text).toMatch(/between 10 and 30 +current .* fill value: written, or put there by consolidation\n/)
    })

    test('one of them is gone, though the vacuum file is there: it may have been the newest', async () => {
      const array = await made('partly')
      const [first] = fragmentNames(array)
      rmSync(`${array}/__fragments/${first}`, { recursive: true })
      expect((await current(array)).map(([written]) => written)).toEqual([null, null, null, null, null, null])
    })

    test('consolidated twice', async () => {
      const array = await made('twice')
      writeFileSync(`${array}.3`, '{"x":5,"a":7}\n{"x":6,"a":8}\n')
      for (const args of [
        ['--append', '--data', `${array}.3`, '--timestamp', '40'],
        ['--append', '--consolidate', 'fragments'],
      ])
        expect((await run(['write-sample', array, ...args])).code).toBe(0)
      expect((await current(array)).map(([written]) => written)).toEqual([10, 20, 20, null, null, 40, 40])
    })

    test('vacuum files that name each other end, and tell no time', async () => {
      const array = `${folder}/circle`
      const options = ['--dense', '--cells', '120', '--fragments', '12']
      expect((await run(['write-sample', array, ...options])).code).toBe(0)
      const names = fragmentNames(array).map((name) => {
        const consolidated = name.replace(/^__\d+_\d+_/, '__1_99_')
        renameSync(`${array}/__fragments/${name}`, `${array}/__fragments/${consolidated}`)
        renameSync(`${array}/__commits/${name}.wrt`, `${array}/__commits/${consolidated}.wrt`)
        return consolidated
      })
      for (const name of names) {
        const others = names.filter((other) => other !== name).map((other) => `/__fragments/${other}\n`)
        writeFileSync(`${array}/__commits/${name}.vac`, others.join(''))
      }
      const [document] = await documents(array, '--cell', 'row=1,col=1', '--quiet')
      expect(items(get(document, 'versions')).map((one) => get(one, 'written'))).toContain(null)
    })

    test('sparse fragments of versions without times of their cells', async () => {
      const [document] = await documents(`${FIXTURES}/4/sparse_consolidated`, '--cell', 'x=0,y=2')
      expect(items(get(document, 'versions')).map((one) => get(one, 'written'))).toEqual([null])
    })
  })

  test('a cell that was never written has no versions; a read gives fill values', async () => {
    const [document] = await documents(`${V22}/dense_vacuum_left`, '--cell', 'y=1,x=7')
    expect([get(document, 'versions'), get(document, 'fill_values')]).toEqual([[], { a: -2147483648, n: null }])
    const { text } = await run(['history', `${V22}/dense_vacuum_left`, '--cell', 'y=1,x=7'])
    expect(text).toContain('y=1, x=7: no fragment on disk has it\n')
    expect(text).toContain('a read gives fill values: a=-2147483648, n=null')
  })

  test('a cell that a consolidation may have purged is not said to be never written', async () => {
    const call = ['history', `${V22}/deletes_purged`, '--cell', 'x=15,y=15']
    const { text } = await run(call)
    expect(text).toMatch(
      /: no fragment on disk has it\na read gives no such cell\nit may have been written, deleted, and left out by the consolidation into __\w+\n$/,
    )
    const { text: outside } = await run(['history', `${V22}/sparse_basic`, '--cell', 'x=3,y=-17'])
    expect(outside).not.toContain('consolidation')
  })

  test('the last fragment that has the cell wins; attributes are those of the newest schema', async () => {
    const [document] = await documents(`${V22}/evolved_dense`, '--cell', 'y=1,x=1')
    const found = items(get(document, 'versions'))
    expect(found.map((version) => get(version, 'state'))).toEqual(['overwritten', 'overwritten', 'current'])
    const { documents: read } = await runJson(['schema', `${V22}/evolved_dense`])
    const names = items(get(read[0], 'attributes')).map((attribute) => get(attribute, 'name'))
    for (const version of found) expect(Object.keys(get(version, 'values') as object)).toEqual(names)
  })
})

describe('the current versions are the cells of a read', () => {
  // The other one has more cells than --range takes.
  const arrays = fixtureFolders().filter(({ kind, name }) => kind === 'array' && !name.endsWith('/big_tile'))
  test.each(turnOfFamilies(arrays, 12, versionOf).map(({ name, ...rest }) => [name, rest] as const))(
    '%s',
    async (_, { path, key }) => {
      const options = ['--format', 'ndjson', '--quiet', ...(key === undefined ? [] : ['--key', key])]
      const { documents } = await runJson(['schema', path, ...options.slice(3)])
      const [dimension] = items(get(documents[0], 'dimensions'))
      const found = await run(['history', path, '--range', `${get(dimension, 'name')}=..`, ...options])
      const current = lines(found.text).filter((version) => Object.is(version.state, 'current'))
      const read = lines((await run(['read', path, ...options])).text).map((cell) => JSON.stringify(cell))
      const shown = current.map(({ cell, values }) => JSON.stringify({ ...cell, ...values }))
      // Of dense arrays, a read also gives cells that were never written.
      expect(found.code).toBe(0)
      if (get(documents[0], 'array_type') === 'sparse') expect(shown.sort()).toEqual(read.sort())
      else expect(read).toEqual(expect.arrayContaining(shown))
    },
  )
})

function lines(text: string): Record<string, object>[] {
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

describe('several cells', () => {
  test('those with versions, in row-major order, a document each', async () => {
    const found = await documents(`${V22}/deletes`, '--range', 'x=1..5')
    const cells = found.map((document) => get(document, 'cell') as { x: number; y: number })
    expect(cells.length).toBeGreaterThan(2)
    expect([...cells].sort((a, b) => a.x - b.x || a.y - b.y)).toEqual(cells)
  })

  test('lines of NDJSON name the cell', async () => {
    const { text } = await run(['history', `${V22}/deletes`, '--range', 'x=1..5', '--format', 'ndjson'])
    for (const line of text.trimEnd().split('\n')) expect(Object.keys(JSON.parse(line))[0]).toBe('cell')
  })

  test('no more than 1,000', async () => {
    const array = `${folder}/many`
    await run(['write-sample', array, '--sparse', '--cells', '1500'])
    const { documents } = await runJson(['schema', array])
    const [dimension] = items(get(documents[0], 'dimensions'))
    const { code, stderr } = await run(['history', array, '--range', `${get(dimension, 'name')}=..`])
    expect([code, stderr]).toEqual([
      2,
      'error: expected a range with versions of up to 1000 cells, found more: give a smaller one\n',
    ])
  })

  test('none', async () => {
    const { code, text, stderr } = await run(['history', `${V22}/deletes`, '--range', 'x=0'])
    expect([code, text]).toEqual([0, ''])
    expect(stderr).toContain('no fragment holds a cell in this range')
  })
})

test('a space behind the comma of --cell', async () => {
  expect(await versions('deletes', 'x=15, y=15')).toEqual(await versions('deletes', 'x=15,y=15'))
})

describe('wrong calls', () => {
  const array = `${V22}/deletes`
  test.each([
    [[array], 'history expects --cell or --range, found neither'],
    [[array, '--cell', 'x=1,y=1', '--range', 'x=1'], 'history expects --cell or --range, found both'],
    [[array, '--cell', 'x=1'], '--cell expects a value for each dimension, found none for y: "x=1"'],
    [
      [array, '--cell', 'x=1,y=1', '--cell', 'x=2'],
      '--cell expects one value for each dimension, found another: "x=2"',
    ],
    [[array, '--cell', 'x=1..3,y=1'], '--cell expects one value for x, found a range (--range takes ranges)'],
    [[array, '--cell', 'x=1,y=77'], '--cell expects y in its domain, 0 to 19, found "y=77"'],
    [[array, '--cell', 'x=1,y=2', '--field', 'b'], '--field expects a field'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await run(['history', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

test('a fragment whose commit an ignore file takes back', async () => {
  const array = `${folder}/ignored`
  cpSync(`${V22}/commits_consolidated`, array, { recursive: true })
  const { documents: read } = await runJson(['commits', array])
  const [line] = items(get(read[0], 'commits')).filter((row) => String(get(row, 'entry')).endsWith('.wrt'))
  const name = `${get(line, 'refers_to')}`
  rmSync(`${array}/__commits/${name}.wrt`, { force: true })
  const file = '__commits/__1_99_0123456789abcdef0123456789abcdef_22.ign'
  writeFileSync(`${array}/${file}`, `${get(line, 'entry')}\n`)
  const [dimension] = items(get((await runJson(['schema', array])).documents[0], 'dimensions'))
  const found = await documents(array, '--range', `${get(dimension, 'name')}=..`)
  const own = found.flatMap((cell) => items(get(cell, 'versions'))).filter((one) => get(one, 'fragment') === name)
  expect(own.length).toBeGreaterThan(0)
  for (const { state, by } of own as unknown as { state: string; by: Json }[])
    expect({ state, by }).toEqual({ state: 'hidden', by: { kind: 'ignore', file } })
})

test('a version that another of the same time hides: the table names the rule, which is needed for ties alone', async () => {
  const [array, data] = [`${folder}/tie`, `${folder}/tie.ndjson`]
  for (const [a, time, ...options] of [
    ['1', '10', '--dim', 'x:INT32:0..9:10', '--attr', 'a:INT32'],
    ['2', '20', '--append'],
    ['3', '20', '--append'],
  ]) {
    writeFileSync(data, `{"x":1,"a":${a}}\n`)
    const { code } = await run(['write-sample', array, '--data', data, '--timestamp', time, ...options])
    expect(code).toBe(0)
  }
  const { text } = await run(['history', array, '--cell', 'x=1'])
  const [first, second] = text.split('\n').filter((line) => line.includes('overwritten'))
  expect(first).toMatch(/ by __20_20_\w+, written at 20$/)
  expect(second).toMatch(
    / by __20_20_\w+, also written at 20: if the times are equal, TileDB takes the last fragment, usually by name$/,
  )
})

test('a delete takes nulls, whatever it compares them with: the line says so', async () => {
  const [array, rows] = [`${folder}/nulls`, `${folder}/nulls.ndjson`]
  writeFileSync(rows, '{"x":1,"temp":null,"b":1}\n{"x":2,"temp":20,"b":1}\n{"x":3,"temp":10,"b":1}\n')
  const fields = ['--sparse', '--dim', 'x:INT32:0..99:10', '--attr', 'temp:FLOAT64?', '--attr', 'b:INT32']
  const written = await run(['write-sample', array, ...fields, '--data', rows, '--delete', 'temp > 14'])
  expect([written.stderr, written.code]).toEqual(['', 0])
  const said = 'temp: null, which TileDB deletes as if it met this'
  const seen = ['1', '2', '3'].map(async (x) => {
    const [version] = items(get((await documents(array, '--cell', `x=${x}`))[0], 'versions'))
    const { text } = await run(['history', array, '--cell', `x=${x}`])
    return [get(version, 'state'), (get(version, 'by') as { nulls?: Json } | null)?.nulls, text.includes(said)]
  })
  expect(await Promise.all(seen)).toEqual([
    ['deleted', ['temp'], true],
    ['deleted', undefined, false],
    ['current', undefined, false],
  ])
})
