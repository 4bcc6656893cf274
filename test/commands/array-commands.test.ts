import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn, turnOfFamilies } from '../helpers/turn.ts'

const folder = temporaryFolder()
let copies = 0

/** A copy of a fixture, to be changed. */
function copyOf(fixture: string): string {
  const path = `${folder}/${copies++}`
  cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
  return path
}

async function document(...args: string[]): Promise<Json> {
  const { documents, code, stderr } = await runJson(args)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return documents[0] ?? null
}

const column = (rows: Json | undefined, key: string): unknown[] => items(rows).map((row) => get(row, key))

describe('ls of an array', () => {
  test('says of each fragment in a word what it is, and which file hides it', async () => {
    const fragments = get(await document('ls', `${FIXTURES}/22/vacuum_left`), 'fragments')
    const vac = '__commits/__10_30_32ef0f2d841e4284eb2d65bafd915a38_22.vac'
    expect(column(fragments, 'state')).toEqual(['to-vacuum', 'live', 'to-vacuum', 'to-vacuum'])
    expect(column(fragments, 'hidden_by')).toEqual([vac, null, vac, vac])
    expect(column(fragments, 'consolidated')).toEqual([false, true, false, false])
    expect(column(fragments, 'overlap_num')).toEqual([null, 0, null, null])
  })

  test.each([
    ['22/sparse_basic', 0],
    ['22/deletes', 2],
    ['22/deletes_purged', 1],
    ['22/commits_consolidated', 1],
  ])('counts delete conditions, in files and in lists, each once: %s', async (fixture, count) => {
    expect(get(await document('ls', `${FIXTURES}/${fixture}`), 'delete_condition_num')).toBe(count)
    const said = (await run(['ls', `${FIXTURES}/${fixture}`])).text.includes('delete condition')
    expect(said).toBe(count > 0)
  })

  test('--names with --range names what a listing with that range holds', async () => {
    const array = `${FIXTURES}/22/sparse_consolidated`
    const all = column(get(await document('ls', array), 'fragments'), 'name')
    const dimension = String(get(items(get(await document('schema', array), 'dimensions'))[0], 'name'))
    const ranges = [`${dimension}=1..1`, `${dimension}=1..3`, `${dimension}=-1000..1000`]
    for (const range of ranges) {
      const listed = column(get(await document('ls', array, '--range', range), 'fragments'), 'name')
      expect(column(get(await document('ls', '--names', array, '--range', range), 'fragments'), 'name')).toEqual(listed)
    }
    const none = await document('ls', '--names', array, '--range', `${dimension}=-1000..-999`)
    expect({ all: all.length > 0, none: get(none, 'fragments') }).toEqual({ all: true, none: [] })
  })

  test('calls a fragment without commit so, and one whose commit was taken back', async () => {
    const array = copyOf('22/vacuum_left')
    const commits = `${array}/__commits`
    const [first, , , second] = fragmentNames(array)
    for (const name of readdirSync(commits)) if (!name.includes(second)) rmSync(`${commits}/${name}`)
    const con = `__10_30_${'a'.repeat(32)}_22`
    writeFileSync(`${commits}/${con}.con`, `__commits/${first}.wrt\n`)
    writeFileSync(`${commits}/${con}.ign`, `__commits/${first}.wrt\n`)
    const fragments = get(await document('ls', array), 'fragments')
    expect(column(fragments, 'state')).toEqual(['ignored', 'uncommitted', 'uncommitted', 'live'])
    expect(column(fragments, 'hidden_by')).toEqual([`__commits/${con}.ign`, null, null, null])
    const { text } = await run(['ls', array])
    expect(text).toContain('uncommitted (2): not read by TileDB; no commit names it')
  })

  test('counts the fragments of each schema of an evolved array, and shows which is which', async () => {
    const array = `${FIXTURES}/22/evolved_dense`
    const found = await document('ls', array)
    const schemas = column(get(found, 'schemas'), 'name')
    const written = column(get(found, 'fragments'), 'array_schema_name')
    expect(column(get(found, 'schemas'), 'fragment_num')).toEqual(
      schemas.map((name) => written.filter((one) => one === name).length),
    )
    const { text } = await run(['ls', array])
    for (const name of written) expect(text).toContain(` ${schemas.indexOf(name) + 1}/${schemas.length} `)
  })

  test('gives the ratio where the footer tells the unfiltered bytes, and null where values differ in length', async () => {
    const [plain, varSized] = items(get(await document('ls', `${FIXTURES}/22/evolved_sparse`), 'fragments'))
    // 20 cells of an INT32 dimension and an INT32 attribute
    expect(get(plain, 'unfiltered_size')).toBe(160)
    expect(get(plain, 'ratio')).toBe(Math.round((160 / Number(get(plain, 'data_size'))) * 1e4) / 1e4)
    expect([get(varSized, 'unfiltered_size'), get(varSized, 'ratio')]).toEqual([null, null])
  })

  test('says which releases write and read the format', async () => {
    const found = await document('ls', `${FIXTURES}/5/sparse_basic`)
    expect([get(found, 'written_by'), get(found, 'read_by')]).toEqual(['2.0', '2.0 and later'])
    const unreleased = await document('ls', `${FIXTURES}/23/${readdirSync(`${FIXTURES}/23`)[0]}`)
    expect([get(unreleased, 'written_by'), get(unreleased, 'read_by')]).toEqual([null, null])
  })

  test('reads footers and commit files, and nothing else of any fragment', async () => {
    const found: string[] = []
    const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')
    for (const { path, key } of turnOfFamilies(arrays, 4, versionOf)) {
      const storage = new CountedStorage(localFiles)
      await run(['ls', path], { storage, env: key === undefined ? {} : { TILEDB_INSPECT_KEY: key } })
      const reads = new Map<string, number>()
      for (const read of storage.reads) reads.set(read.path, (reads.get(read.path) ?? 0) + 1)
      for (const [file, times] of reads) {
        if (/\/(a|d|t|dt|dci)\d*(_var|_validity)?\.tdb$/.test(file)) found.push(`data file: ${file}`)
        if (file.endsWith('__fragment_metadata.tdb') && times > 3) found.push(`${times} reads: ${file}`)
      }
    }
    expect(found).toEqual([])
  })
})

describe('commits', () => {
  test('lists the footers of a consolidated fragment metadata file', async () => {
    const rows = items(get(await document('commits', `${FIXTURES}/22/fragment_metadata_consolidated`), 'commits'))
    const meta = rows.filter((row) => String(get(row, 'file')).endsWith('.meta'))
    expect(meta.map((row) => [get(row, 'kind'), get(row, 'exists'), get(row, 'effect')])).toEqual([
      ['fragment-metadata', null, 'lists'],
      ['footer', true, 'lists'],
      ['footer', true, 'lists'],
      ['footer', true, 'lists'],
    ])
    expect(get(meta[0], 'entry_num')).toBe(3)
  })

  test('says which fragments have processed a delete condition, and to which it is applied when read', async () => {
    const done = items(get(await document('commits', `${FIXTURES}/22/deletes_consolidated`), 'commits'))
    const name = '__10_20_66a21c8f1a533b3140d0429563e617b3_22'
    expect(
      done
        .filter((row) => get(row, 'kind') === 'delete')
        .map((row) => [get(row, 'condition'), get(row, 'processed_by'), get(row, 'not_processed_by')]),
    ).toEqual([
      ['a < 30', [name], []],
      ['a > 80', [name], []],
    ])
    // written at 10 and 20; deletes at 15 and 25 concern what was there before
    const open = items(get(await document('commits', `${FIXTURES}/22/deletes`), 'commits'))
    expect(
      open
        .filter((row) => get(row, 'kind') === 'delete')
        .map((row) => items(get(row, 'not_processed_by')).map((one) => String(one).slice(0, 5))),
    ).toEqual([['__10_'], ['__10_', '__20_']])
  })

  test('finds a vacuum file whose consolidated fragment is not there', async () => {
    const array = copyOf('22/vacuum_left')
    rmSync(`${array}/__fragments/__10_30_32ef0f2d841e4284eb2d65bafd915a38_22`, { recursive: true })
    const { documents, code, stderr } = await runJson(['commits', array])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the fragment that a commit names') })
    const rows = items(get(documents[0], 'commits'))
    const effects = rows.map((row) => [
      String(get(row, 'file')).slice(-4),
      get(row, 'entry') === null,
      get(row, 'effect'),
    ])
    expect(effects).toContainEqual(['.vac', true, 'orphan'])
    expect(effects).toContainEqual(['.wrt', true, 'dangling'])
    // Nothing holds the cells of the three fragments anew.
    expect(effects.filter(([, , effect]) => effect === 'hidden')).toHaveLength(6)
    expect(effects.filter(([, , effect]) => effect === 'to-vacuum')).toEqual([])
  })

  test('finds an ignore entry that takes nothing back', async () => {
    const array = copyOf('22/commits_ignored')
    const [con] = readdirSync(`${array}/__commits`).filter((name) => name.endsWith('.con'))
    rmSync(`${array}/__commits/${con}`)
    const rows = items(get(await document('commits', array), 'commits'))
    const ignored = rows.filter((row) => get(row, 'kind') === 'ignore' && get(row, 'entry') !== null)
    expect(ignored.map((row) => get(row, 'effect'))).toEqual(['dangling', 'dangling'])
  })

  test('reads each fragment once, however many delete conditions there are', async () => {
    const storage = new CountedStorage(localFiles)
    await run(['commits', `${FIXTURES}/22/deletes`], { storage })
    const names = new Set(
      storage.reads.filter(({ path }) => path.endsWith('__fragment_metadata.tdb')).map(({ path }) => path),
    )
    for (const name of names) expect(storage.of(name).read_num).toBeLessThanOrEqual(3)
    expect(names.size).toBe(2)
  })
})

describe('diff', () => {
  test('finds an array equal to its copy, cells included', async () => {
    const { code, documents } = await runJson(['diff', '--cells', `${FIXTURES}/22/deletes`, copyOf('22/deletes')])
    expect(code).toBe(0)
    expect(get(documents[0], 'equal')).toBe(true)
    expect(get(documents[0], 'differences')).toEqual([])
    expect(Number(get(documents[0], 'cell_num'))).toBeGreaterThan(0)
  })

  test('finds the one byte that was changed, only when cells are compared', async () => {
    const original = `${FIXTURES}/22/filter_none`
    const copy = copyOf('22/filter_none')
    const fragment = firstFragment(copy)
    const file = `${fragment}/a0.tdb`
    const bytes = readFileSync(file)
    // behind the count of chunks and the chunk's three lengths
    bytes[20] ^= 1
    writeFileSync(file, bytes)
    expect((await runJson(['diff', original, copy])).code).toBe(0)
    const { code, documents } = await runJson(['diff', '--cells', original, copy])
    expect(code).toBe(1)
    const differences = items(get(documents[0], 'differences'))
    expect(differences).toHaveLength(1)
    expect(String(get(differences[0], 'path'))).toMatch(/\.cells\[0\]\.i8$/)
  })

  test('names what differs between schemas, files and fragments', async () => {
    const [a, b] = ['sparse_2d_row_row', 'sparse_2d_row_col'].map((name) => `${FIXTURES}/22/${name}`)
    const { code, documents, stderr } = await runJson(['diff', a, b])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const found = items(get(documents[0], 'differences'))
    expect(found).toContainEqual({ path: 'schema.tile_order', a: 'row-major', b: 'col-major' })
    const fragments = await Promise.all(
      [a, b].map(async (path) => items(get(await document('ls', path), 'fragments'))[0]),
    )
    expect(found).toContainEqual({
      path: 'fragments[0].size',
      a: get(fragments[0], 'size'),
      b: get(fragments[1], 'size'),
    })
  })

  test('tells a fragment that only one array has', async () => {
    const copy = copyOf('22/deletes')
    const [first, second] = fragmentNames(copy)
    rmSync(`${copy}/__fragments/${second}`, { recursive: true })
    rmSync(`${copy}/__commits/${second}.wrt`)
    const { code, documents } = await runJson(['diff', `${FIXTURES}/22/deletes`, copy])
    expect(code).toBe(1)
    expect(first).not.toBe(second)
    expect(get(documents[0], 'differences')).toContainEqual({ path: `fragments.${second}`, a: second, b: null })
    // keys of the listing that are known behind its fragments are compared, too
    const places = items(get(documents[0], 'differences')).map((one) => get(one, 'path'))
    expect(places).toEqual(expect.arrayContaining(['array.total_size', 'array.overlap_pair_num']))
  })

  test('leaves names and timestamps out unless they are asked for', async () => {
    const copy = copyOf('22/sparse_basic')
    const schema = readdirSync(`${copy}/__schema`).find((name) => name.startsWith('__1')) ?? ''
    const file = `${copy}/__schema/${schema}`
    const paths = [`${FIXTURES}/22/sparse_basic/__schema/${schema}`, file]
    expect((await run(['diff', ...paths])).code).toBe(0)
    const [a, b] = ['13', '14'].map((version) => `${FIXTURES}/${version}/sparse_basic`)
    const plain = items(get((await runJson(['diff', a, b])).documents[0], 'differences'))
    const named = items(get((await runJson(['diff', '--names', a, b])).documents[0], 'differences'))
    expect(plain.some((one) => String(get(one, 'path')).endsWith('.name'))).toBe(false)
    expect(named.some((one) => String(get(one, 'path')).endsWith('.name'))).toBe(true)
  })

  test('takes a dimension without filters for one with those of coordinates', async () => {
    const [bare, own, other] = [[], ['--field-filters', 'd0=ZSTD'], ['--field-filters', 'd0=GZIP']].map((more, i) => {
      const path = `${folder}/dimension-filters-${i}`
      return { path, args: ['write-sample', path, '--dim', 'd0:INT32:0..99:10', '--coords-filters', 'ZSTD', ...more] }
    })
    for (const { args } of [bare, own, other]) expect((await run(args)).code).toBe(0)
    const found = async (path: string): Promise<unknown[]> => {
      const { documents } = await runJson(['diff', bare.path, path])
      return column(get(documents[0], 'differences'), 'path').filter((one) => String(one).startsWith('schema'))
    }
    expect(await found(own.path)).toEqual([])
    expect(await found(other.path)).toEqual(['schema.dimensions.d0.filters.filters'])
  })

  // Keys of documents that diff leaves out. What users name so is compared as any other.
  const LEFT_OUT = [
    ...['kind', 'path', 'schema_version', 'written_by', 'read_by', 'ratio', 'read', 'unread'],
    ...['name', 'timestamp_range', 'array_schema_name', 'hidden_by', 'uri'],
  ]
  const NAMES = shortTurn(LEFT_OUT, 4)

  /** Writes two samples, each with its own options or cells. */
  async function samples(common: string[], [a, b]: readonly [string[], string[]]): Promise<[string, string]> {
    const paths: [string, string] = [`${folder}/${copies++}`, `${folder}/${copies++}`]
    for (const [i, own] of [a, b].entries()) {
      const { code, stderr } = await run(['write-sample', paths[i], ...common, ...own])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    }
    return paths
  }

  async function placesOf(...args: string[]): Promise<unknown[]> {
    const { code, documents } = await runJson(['diff', ...args])
    expect({ code, equal: get(documents[0], 'equal') }).toEqual({ code: 1, equal: false })
    return column(get(documents[0], 'differences'), 'path')
  }

  test.each(NAMES)('compares fields, enumerations and metadata keys that are named %s', async (key) => {
    const cells = ['--cells', '10', '--fragments', '1']
    const dim = ['--dim', 'x:INT32:1..100:10', ...cells]
    const values = await samples(
      [...dim, '--attr', `v:INT8:enum=${key}`],
      [
        ['--enum', `${key}:STRING_ASCII=a,b`, '--metadata', `${key}=1`],
        ['--enum', `${key}:STRING_ASCII=a,c`, '--metadata', `${key}=2`],
      ],
    )
    expect(await placesOf(...values)).toEqual([`schema.enumerations.${key}.values[1]`, `metadata.${key}.value`])
    expect(await placesOf('--names', ...values)).toContain(`metadata.${key}.value`)

    const types = await samples(dim, [
      ['--attr', 'v:INT8', '--attr', `${key}:INT32`],
      ['--attr', 'v:INT8', '--attr', `${key}:INT64`],
    ])
    expect(await placesOf(...types)).toContain(`schema.attributes.${key}.type`)

    const dropped = await samples(dim, [
      ['--attr', 'v:INT8', '--attr', `${key}:INT32`],
      ['--attr', 'v:INT8'],
    ])
    expect(await placesOf(...dropped)).toContain(`schema.attributes.${key}`)

    const extents = await samples(
      ['--attr', 'v:INT8', ...cells],
      [
        ['--dim', `${key}:INT32:1..100:10`],
        ['--dim', `${key}:INT32:1..100:20`],
      ],
    )
    expect(await placesOf(...extents)).toContain(`schema.dimensions.${key}.tile_extent`)

    const fragments = values.map((array) => firstFragment(array))
    expect(await placesOf(...fragments)).toContain(`schema.enumerations.${key}.values[1]`)
  })

  test.each(NAMES)('compares the statistics and the cells of a field that is named %s', async (key) => {
    const data = [1, 2].map((value) => {
      const file = `${folder}/${copies++}.ndjson`
      writeFileSync(file, `${JSON.stringify({ x: 5, [key]: value })}\n`)
      return file
    })
    const arrays = await samples(
      ['--dim', 'x:INT32:1..100:10', '--attr', `${key}:INT32`],
      [
        ['--data', data[0]],
        ['--data', data[1]],
      ],
    )
    expect((await run(['diff', ...arrays])).code).toBe(0)
    const places = await placesOf('--cells', ...arrays)
    expect(places).toHaveLength(1)
    expect(places[0]).toMatch(new RegExp(`\\.cells\\[0\\]\\.${key}$`))
    const fragments = arrays.map((array) => firstFragment(array))
    expect(await placesOf(...fragments)).toEqual(
      expect.arrayContaining([`metadata.fields.${key}.min`, `metadata.fields.${key}.tile_maxs[0]`]),
    )
  })

  test('wants two targets of a kind', async () => {
    const array = `${FIXTURES}/22/sparse_basic`
    const fragment = firstFragment(array)
    const { code, stderr } = await run(['diff', array, fragment])
    expect(code).toBe(2)
    expect(stderr).toContain('diff expects two targets of a kind, found array and fragment')
    expect((await run(['diff', array])).code).toBe(2)
    expect((await run(['diff', array, `${folder}/nowhere`])).code).toBe(3)
  })
})

describe('stats', () => {
  test('tries every target, and shows two side by side', async () => {
    const [a, b] = ['filter_none', 'filter_zstd'].map((name) => `${FIXTURES}/22/${name}`)
    const { text, code } = await run(['stats', a, b])
    expect(code).toBe(0)
    expect(text.startsWith('a and b compared\n')).toBe(true)
    expect((await runJson(['stats', a, b])).documents.map((one) => get(one, 'path'))).toEqual([a, b])
    const { text: one, code: missing, stderr } = await run(['stats', `${folder}/nowhere`, b])
    expect([missing, stderr.startsWith('error: ')]).toEqual([3, true])
    expect(one.startsWith(b)).toBe(true)
  })

  test('counts bytes that no fragment has, and those that TileDB does not list', async () => {
    const path = `${FIXTURES}/22/vacuum_left`
    const found = await document('stats', path)
    const size = (at: string): number =>
      readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((bytes, entry) => bytes + statSync(`${entry.parentPath}/${entry.name}`).size, 0)
    const sizes = ['size', 'unread_size', 'other_size'].map((key) => Number(get(found, key)))
    expect(sizes.reduce((a, b) => a + b)).toBe(size(path))
    expect(get(found, 'unread_fragment_num')).toBe(3)
    expect(Number(get(await document('stats', '--all', path), 'size'))).toBe(sizes[0] + sizes[1])
  })

  test('goes on after a damaged fragment, and lists it', async () => {
    const array = copyOf('22/deletes')
    const [first] = fragmentNames(array)
    const file = `${array}/__fragments/${first}/__fragment_metadata.tdb`
    writeFileSync(file, readFileSync(file).subarray(0, 100))
    const { code, documents } = await runJson(['stats', array])
    expect(code).toBe(1)
    expect(get(documents[0], 'fragment_num')).toBe(1)
    expect(column(get(documents[0], 'not_examined'), 'name')).toEqual([first])
  })

  test('says in the table what could not be examined, and counts its size as ls does', async () => {
    const array = copyOf('22/deletes')
    const files = fragmentNames(array).map((name) => `${array}/__fragments/${name}/__fragment_metadata.tdb`)
    truncateSync(files[0], 100)
    const { text } = await run(['stats', array])
    expect(text).toMatch(/^(.*: )?sparse array, 2 fragments \(1 unreadable\), /m)
    expect(text).toMatch(/^unreadable +1 fragment, only counted in the size on disk$/m)
    const both = await run(['stats', array, `${FIXTURES}/22/deletes`])
    expect(both.text).toMatch(/^fragments, unreadable +1 +0 /m)

    truncateSync(files[1], 100)
    const [stats] = (await runJson(['stats', array])).documents
    const [ls] = (await runJson(['ls', array])).documents
    expect(get(stats, 'fragment_num')).toBe(0)
    expect(items(get(stats, 'not_examined'))).toHaveLength(2)
    expect(Number(get(stats, 'size'))).toBeGreaterThan(200)
    expect(get(stats, 'size')).toBe(get(get(ls, 'read'), 'size'))
    const none = await run(['stats', array])
    expect(none.text).toMatch(/^(.*: )?sparse array, 2 fragments \(2 unreadable\), .*\nunreadable +2 fragments, /m)
    expect(none.text).not.toMatch(/^cells/m)
    const whole = await run(['stats', `${FIXTURES}/22/deletes`])
    expect(whole.text).not.toMatch(/unreadable|not examined/)
  })

  test('shows histograms, and no note where little is at stake', async () => {
    const { text } = await run(['stats', `${FIXTURES}/22/rtree_levels`])
    expect(text).toMatch(/^stored size of the [\d,]+ tiles of all files: /m)
    expect(text).toMatch(/^cells a tile: /m)
    expect(text).not.toMatch(/^note/m)
  })
})

describe('tiles', () => {
  test('are those that a range touches, as rtree says', async () => {
    const path = 'examples/arrays/places/__1714'
    const range = ['--range', 'lat=0..10', '--range', 'lon=-80..0']
    const tiles = column(get(await document('tiles', path, ...range), 'tiles'), 'tile')
    expect(tiles).toEqual(column(get(await document('rtree', path, ...range), 'tiles'), 'tile'))
    expect(tiles).toEqual([4])
  })

  test('of a dense fragment are those whose part of the non-empty domain the range touches', async () => {
    const found = await document(
      'tiles',
      'examples/arrays/weather/__1714',
      '--range',
      'station=4',
      '--range',
      'day=30..32',
    )
    const rows = items(get(found, 'tiles'))
    expect(rows.map((row) => get(row, 'tile_domain'))).toEqual([
      [
        [3, 5],
        [1, 31],
      ],
      [
        [3, 5],
        [32, 62],
      ],
    ])
  })

  test.each([
    ['places', 'population > 10000000'],
    ['places', 'population < 500000 or lat > 55'],
    ['weather', 'rain_mm > 40'],
    ['weather', 'rain_mm > 38 and day < 90'],
  ])('of %s that may have %s are all that have such cells, and fewer than all', async (name, condition) => {
    const path = `examples/arrays/${name}/__1714`
    const where = ['--where', condition]
    const tiles = column(get(await document('tiles', path, ...where), 'tiles'), 'tile')
    // Sorted, a read leaves out the cells of a dense array that do not meet the condition.
    const sorted = ['--sort-by', condition.split(' ')[0] ?? '', '--limit', '10000', '--provenance']
    const cells = items(get(await document('read', path.replace(/\/__.*/, ''), ...where, ...sorted), 'cells'))
    const met = cells.filter((cell) => String(get(cell, '__fragment')).startsWith('__1714'))
    expect(met.length).toBeGreaterThan(0)
    expect(tiles).toEqual(expect.arrayContaining([...new Set(column(met, '__tile'))]))
    expect(tiles.length).toBeLessThan(name === 'places' ? 5 : 8)
  })

  test('of one field, in a range of numbers', async () => {
    const rows = items(
      get(await document('tiles', 'examples/arrays/weather', '--tiles', '2..3', '--field', 'rain_mm'), 'tiles'),
    )
    expect(column(rows, 'tile')).toEqual([2, 3])
    const [field] = items(get(rows[0], 'fields'))
    expect(items(get(rows[0], 'fields'))).toHaveLength(1)
    expect([get(field, 'name'), get(field, 'offset'), get(field, 'min'), get(field, 'max')]).toEqual([
      'rain_mm',
      260,
      0,
      42,
    ])
    expect([get(field, 'sum'), get(field, 'null_count'), get(field, 'validity_offset')]).toEqual([417, 4, 126])
  })
})

test.each([
  ['deletes_consolidated', 'marked', 0],
  ['deletes_purged', 'purged', 1],
])('commits of %s says which fragments hold deleted cells: %s', async (name, effect, purged) => {
  const array = `${FIXTURES}/22/${name}`
  const { documents } = await runJson(['commits', array])
  const [deletes] = [get(documents[0], 'commits')].flat().filter((one) => get(one as Json, 'kind') === 'delete')
  expect(get(deletes as Json, 'processed_by')).toHaveLength(1)
  expect(get(deletes as Json, 'purged_by')).toHaveLength(purged)
  expect((await run(['commits', array])).text).toMatch(new RegExp(`^  __10_20_\\w+ +delete +- +${effect} `, 'm'))
})

describe('rtree --svg', () => {
  test('- is stdout', async () => {
    const file = `${folder}/same.svg`
    const array = `${FIXTURES}/22/sparse_basic`
    expect((await run(['rtree', array, '--svg', file])).code).toBe(0)
    const { code, text } = await run(['rtree', array, '--svg', '-'])
    expect([code, text]).toEqual([0, readFileSync(file, 'utf8')])
  })

  test('draws each tile of each visible fragment once, across and up as asked', async () => {
    const file = `${folder}/boxes.svg`
    const { code, documents } = await runJson([
      'rtree',
      'examples/arrays/places',
      '--svg',
      file,
      '--dimension',
      'lon',
      '--dimension',
      'lat',
    ])
    expect(code).toBe(0)
    expect(get(documents[0], 'box_num')).toBe(5)
    const svg = readFileSync(file, 'utf8')
    expect(svg.match(/<title>/g)).toHaveLength(5)
    // lon -78.47 of -157.86..174.76 over 840 from 90; lat -0.18 of -37.81..69.65 over 560 down from 610
    const x = 90 + ((-78.47 + 157.86) / (174.76 + 157.86)) * 840
    const y = 610 - ((-0.18 + 37.81) / (69.65 + 37.81)) * 560
    expect(svg).toContain(`<rect x="${Number(x.toFixed(2))}" y="${Number(y.toFixed(2))}" `)
    expect(svg).toContain('tile 0: lat -34.93..-0.18, lon -78.47..138.6</title>')
  })

  test('leaves hidden fragments out, and places strings by their order', async () => {
    const file = `${folder}/vacuum.svg`
    await run(['rtree', `${FIXTURES}/22/vacuum_left`, '--svg', file])
    expect(readFileSync(file, 'utf8').match(/<title>/g)).toHaveLength(4)
    const { code } = await run(['rtree', `${FIXTURES}/22/string_dims_2d`, '--svg', file])
    expect(code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('NaN')
  })

  test('wants one target and two dimensions', async () => {
    const array = 'examples/arrays/places'
    expect((await run(['rtree', array, array, '--svg', `${folder}/x.svg`])).code).toBe(2)
    expect((await run(['rtree', array, '--svg', `${folder}/x.svg`, '--dimension', 'lat'])).code).toBe(2)
    const { stderr } = await run([
      'rtree',
      array,
      '--svg',
      `${folder}/x.svg`,
      '--dimension',
      'lat',
      '--dimension',
      'lno',
    ])
    expect(stderr).toContain('did you mean "lon"?')
  })
})

describe('tables fit the terminal', () => {
  const COMMANDS = [
    ['ls', `${FIXTURES}/22/vacuum_left`],
    ['ls', `${FIXTURES}/22/evolved_dense`],
    ['ls', 'examples/arrays/places/__1714'],
    ['commits', `${FIXTURES}/22/deletes`],
    ['tiles', 'examples/arrays/places'],
    ['tiles', 'examples/arrays/weather'],
    ['stats', 'examples/arrays/weather'],
    ['stats', 'examples/arrays/places', 'examples/arrays/weather'],
    ['diff', 'examples/arrays/places', 'examples/arrays/weather'],
  ]

  test.each(COMMANDS)('%s %s', async (...args) => {
    for (const columns of [60, 80, 120]) {
      const { text } = await run(
        args.filter((arg) => arg !== undefined),
        { columns, env: { NO_COLOR: '1' } },
      )
      expect(text).not.toContain('\x1b')
      const wide = text.split('\n').filter((line) => line.length > columns && /^[│┌└├]/.test(line))
      expect({ columns, wide }).toEqual({ columns, wide: [] })
    }
    const pipe = await run(args.filter((arg) => arg !== undefined))
    expect(pipe.text).not.toMatch(/[│┌└├█\x1b]/)
  })

  test('colour is there on a terminal, and where it is forced', async () => {
    const args = ['stats', 'examples/arrays/weather']
    expect((await run(args, { columns: 80 })).text).toContain('\x1b[')
    expect((await run(args, { env: { FORCE_COLOR: '1' } })).text).toContain('\x1b[')
    expect((await run([...args, '--color', 'never'], { columns: 80 })).text).not.toContain('\x1b[')
  })
})
