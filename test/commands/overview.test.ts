import { cpSync, linkSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { describe, expect, test } from '@jest/globals'
import type { OverviewDocument, OverviewFinding } from '../../src/documents/overview.ts'
import { overviewTable } from '../../src/render/views/overview.ts'
import { onDiskAndOn } from '../helpers/both.ts'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { type FolderServer, serveFolder } from '../helpers/http-server.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { type Ran, run, runJson } from '../helpers/run.ts'
import { words } from '../helpers/sessions.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { sink } from '../render/sink.ts'

const MAX_LINES = 24
const WIDTH = 80
const NO_COLOR = { NO_COLOR: '1' }
const folder = temporaryFolder()

/** Paths as a person types them: short, and relative. */
const SCREENS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['a sparse array', 'examples/arrays/places'],
  ['a dense array', 'examples/arrays/weather'],
  ['a damaged array', 'examples/damaged/places'],
  ['an array with failed writes', 'examples/damaged/failed_write'],
  ['fragments that wait for vacuum', 'test/fixtures/22/vacuum_left'],
  ['an earlier time', 'test/fixtures/22/vacuum_left', '--as-of', '20'],
  ['delete conditions', 'test/fixtures/22/deletes'],
  ['two schemas', 'test/fixtures/22/evolved_sparse'],
  ['no cells', 'test/fixtures/22/empty_sparse'],
  ['no key', 'test/fixtures/22/encrypted'],
  ['format 1', 'test/fixtures/1/dense_2d_row_row'],
  ['format 8', 'test/fixtures/8/sparse_basic'],
  ['a group', 'test/fixtures/22/group'],
  ['a group of an old release', 'test/fixtures/groups/old'],
  ['a group whose members are gone', 'test/fixtures/groups/invalid'],
  ['a fragment', 'examples/arrays/places/__17'],
  ['a damaged fragment', 'examples/damaged/places/__17'],
  ['a fragment that waits for vacuum', 'test/fixtures/22/vacuum_left/__30_30'],
  ['a data file', 'examples/arrays/places/__17/a0.tdb'],
  ['a data file that was cut', 'examples/damaged/places/__17/a2.tdb'],
  ['a commit file', 'examples/arrays/places/__commits'],
]

/** The file of the last case: its name is that of the fragment. */
function argsOf(args: readonly string[]): string[] {
  return args.map((arg) => (arg.endsWith('/__commits') ? `${arg}/${readdirSync(arg)[0]}` : arg))
}

const VERDICTS = [/^OK in what was looked at; findings: /, /^NOT OK: \d/, /^$/, /^NOT FULLY EXAMINED$/]

function expectScreen({ text, code }: Ran, what: string): void {
  const lines = text.trimEnd().split('\n')
  expect({ what, lines: lines.length, isOne: lines.length <= MAX_LINES }).toMatchObject({ isOne: true })
  // A command is never broken, so that it can be copied; paths and names of fragments are as long as they are.
  const wide = lines.filter((line) => line.length > WIDTH && !line.includes('tiledb-inspect ') && !line.includes('/__'))
  expect({ what, wide }).toEqual({ what, wide: [] })
  expect({ what, verdict: lines.at(-1) }).toEqual({ what, verdict: expect.stringMatching(VERDICTS[code]) })
}

describe('one screen', () => {
  test.each(SCREENS)('%s', async (name, ...args) => {
    const ran = await run(argsOf(args), { env: NO_COLOR })
    expectScreen(ran, name)
    expect(`exit code ${ran.code}\n${ran.text}${ran.stderr}`).toMatchSnapshot()
    expect(ran.stderr).toBe('')
    const onTerminal = await run(argsOf(args), { columns: WIDTH, env: NO_COLOR })
    expect(onTerminal.text).toBe(ran.text)
  })
})

const some = turnOfFamilies(fixtureFolders(), 16, versionOf)

/** TileDB's own doing: a vacuum removed the file of a delete condition that its next consolidation of commits needs. */
const WARNED = /\/commits_consolidated$/

describe('what TileDB wrote is right, and its screen is quiet', () => {
  test.each(some.map((one) => [one.name, one] as const))('%s', async (name, { path, key }) => {
    const ran = await run([path, ...(key === undefined ? [] : ['--key', key])], { columns: WIDTH, env: NO_COLOR })
    expectScreen(ran, name)
    expect({ code: ran.code, last: ran.text.trimEnd().split('\n').at(-1) }).toEqual({
      code: 0,
      last: `OK in what was looked at; findings: ${WARNED.test(name) ? '1 warning' : 'none'}`,
    })
  })
})

test('of an empty group it leaves nothing unlooked at', async () => {
  const path = `${folder}/empty-group`
  mkdirSync(`${path}/__group`, { recursive: true })
  writeFileSync(`${path}/__tiledb_group.tdb`, '')
  const { text } = await run([path])
  expect(text).toContain('group, no members\n')
  expect(text).not.toContain('not checked')
})

test('fragments that overlap give a dense array no more cells than its box has', async () => {
  // Fragments of 102 and of 108 cells in all.
  for (const [array, cell_num] of [
    ['dense_basic', 70],
    ['evolved_dense', 36],
  ] as const)
    expect((await runJson([`${FIXTURES}/22/${array}`])).documents).toMatchObject([{ cell_num, certainty: 'at most' }])
})

describe('it says what ls and read say', () => {
  const arrays = some.filter(({ kind }) => kind === 'array')
  test.each(arrays.map((one) => [one.name, one] as const))('%s', async (_, { path, key }) => {
    const keyed = key === undefined ? [] : ['--key', key]
    const [document] = (await runJson([path, ...keyed])).documents
    const [listing] = (await runJson(['ls', path, ...keyed])).documents
    for (const name of ['array_type', 'format_version', 'encryption', 'fragment_num', 'written_by'])
      expect([name, get(document, name)]).toEqual([name, get(listing, name)])
    expect(get(document, 'size')).toBe(get(listing, 'total_size'))
    const most = get(get(listing, 'read'), 'cells_in_domain')
    if (get(document, 'array_type') === 'dense') expect(get(document, 'cell_num')).toBeLessThanOrEqual(Number(most))
    else expect(get(document, 'cell_num')).toBe(most)
    if (get(document, 'array_type') !== 'sparse') return
    const [cells] = (await runJson(['read', path, ...keyed])).documents
    const read = Number(get(cells, 'cell_num'))
    if (get(document, 'certainty') === 'exact') expect(get(document, 'cell_num')).toBe(read)
    else expect(read).toBeLessThanOrEqual(Number(get(document, 'cell_num')))
  })
})

describe('the commands to go on with work as they are printed', () => {
  const targets = SCREENS.filter(([name]) => !/key|gone|damaged|cut/.test(name))
  test.each(targets)('%s', async (_, ...args) => {
    const { documents } = await runJson(argsOf(args))
    for (const command of commandsOf(documents[0])) {
      expect(command.startsWith('tiledb-inspect ')).toBe(true)
      const { code, stderr } = await run(words(command).slice(1))
      expect({ command, code, stderr }).toMatchObject({
        command,
        code: 0,
        stderr: expect.not.stringContaining('error'),
      })
    }
  })

  test('paths are quoted where a shell needs it', async () => {
    const odd = `${folder}/it's an (old) array`
    cpSync('examples/arrays/places', odd, { recursive: true })
    const { documents } = await runJson([odd])
    const [first] = commandsOf(documents[0])
    expect(first).toBe(`tiledb-inspect read '${folder}/it'\\''s an (old) array' --limit 10`)
  })
})

function commandsOf(document: Json): string[] {
  const next = get(document, 'next')
  return Array.isArray(next) ? next.map((one) => String(get(one, 'command'))) : []
}

describe('a word that is no command', () => {
  test('is a target if it leads to something', async () => {
    const before = cwd()
    mkdirSync(`${folder}/here`)
    cpSync('examples/arrays/places', `${folder}/here/sales`, { recursive: true })
    cpSync('examples/arrays/places', `${folder}/here/ls`, { recursive: true })
    cpSync('examples/arrays/places', `${folder}/here/-n`, { recursive: true })
    chdir(`${folder}/here`)
    try {
      for (const args of [['sales'], ['./ls'], ['--json', 'sales'], ['sales', '--format', 'json'], ['overview', 'ls']])
        expect({ args, ...(await run(args)) }).toMatchObject({ code: 0, stderr: '' })
      expect((await run(['./-n'])).text).toContain('tiledb-inspect read ./-n --limit 10\n')
      expect((await run(['--between', '..20', 'sales'])).text).toContain(', as opened')
      const both = await run(['sales', './ls'])
      expect(both.text.match(/^OK /gm)).toHaveLength(2)
      expect(await run(['lss'])).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean ls?') })
      expect(await run(['ls'])).toMatchObject({ code: 2 })
    } finally {
      chdir(before)
    }
  })

  test('commands to go on with keep the time that was asked for', async () => {
    const { documents } = await runJson(['examples/arrays/weather', '--as-of', '2030-01-01'])
    const next = items(get(documents[0], 'next')).map((one) => String(get(one, 'command')))
    expect(next).toContain('tiledb-inspect explain examples/arrays/weather --as-of 2030-01-01')
  })

  test.each([
    [['info'], 2, 'schema, ls and stats tell'],
    [['salse'], 2, 'unknown command or no such file or folder: salse'],
    [['examples/nowhere'], 3, 'no such file or folder'],
    [['docs'], 3, 'expected a TileDB array, group or fragment'],
    [['examples/arrays/places', '--nonsense'], 2, "unknown option '--nonsense'"],
    [['examples/arrays/places/__17/a0.tdb', '--as-of', '20'], 2, 'have no effect here'],
  ])('%j', async (args, code, message) => {
    expect(await run(args)).toMatchObject({ code, text: '', stderr: expect.stringContaining(message) })
  })
})

describe('damage', () => {
  const BASE = '22/sparse_2d_row_row'
  const [name] = fragmentNames(`${FIXTURES}/${BASE}`)

  async function damaged(what: string, damage: (array: string) => void): Promise<Json> {
    const array = `${folder}/${what}`
    cpSync(`${FIXTURES}/${BASE}`, array, { recursive: true })
    damage(array)
    const ran = await run([array])
    expectScreen(ran, what)
    const { documents, code } = await runJson([array])
    expect(code).toBe(ran.code)
    expect(get(documents[0], 'ok')).toBe(code !== 1)
    return documents[0]
  }

  const codes = (document: Json): unknown[] => {
    const findings = get(document, 'findings')
    return Array.isArray(findings) ? findings.map((one) => get(one, 'code')) : []
  }

  test.each([
    [
      'a fragment that is gone',
      'COMMIT_DANGLING',
      (a: string) => rmSync(`${a}/__fragments/${name}`, { recursive: true }),
    ],
    ['commits that are gone', 'ARRAY_READS_EMPTY', (a: string) => rmSync(`${a}/__commits/${name}.wrt`)],
    ['schemas that are gone', 'ARRAY_NO_SCHEMA', (a: string) => rmSync(`${a}/__schema`, { recursive: true })],
    [
      'a footer that was cut',
      'FOOTER_UNREADABLE',
      (a: string) => truncateSync(`${a}/__fragments/${name}/__fragment_metadata.tdb`, 3000),
    ],
    ['a stray commit', 'COMMIT_NAME_INVALID', (a: string) => writeFileSync(`${a}/__commits/notes`, '')],
    [
      'a schema that was cut',
      'SCHEMA_UNREADABLE',
      (a: string) => {
        const [schema] = readdirSync(`${a}/__schema`).filter((one) => one !== '__enumerations')
        truncateSync(`${a}/__schema/${schema}`, 100)
      },
    ],
  ])('%s: %s', async (what, code, damage) => {
    expect(codes(await damaged(what.replaceAll(' ', '-'), damage))).toContain(code)
  })

  test('an older schema that was cut is no damage of the fragments that were written with it', async () => {
    const array = `${folder}/evolved`
    const dimensions = [{ name: 'x', type: 'INT32', domain: [0, 9] }]
    const schema = { array_type: 'sparse', dimensions, attributes: [{ name: 'a', type: 'INT32' }] }
    const steps = [
      { step: 'create', schema, time: 10 },
      { step: 'write', cells: [{ x: 1, a: 1 }], time: 11 },
      { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT32' }], time: 12 },
    ]
    writeFileSync(`${array}.json`, JSON.stringify({ steps }))
    await run(['write-sample', array, '--steps', `${array}.json`])
    const [older] = readdirSync(`${array}/__schema`).filter((one) => one.startsWith('__10_'))
    truncateSync(`${array}/__schema/${older}`, 100)
    const { documents } = await runJson([array])
    expect(codes(documents[0])).toEqual(['SCHEMA_UNREADABLE'])
    expect(codes((await runJson(['check', array])).documents[0])).toEqual(['SCHEMA_UNREADABLE'])
  })

  test('of many kinds: the worst three, each once', async () => {
    const document = await damaged('all', (array) => {
      for (const file of ['a0.tdb', 'd0.tdb', 'd1.tdb']) rmSync(`${array}/__fragments/${name}/${file}`)
      writeFileSync(`${array}/__fragments/${name}/strange`, '')
      writeFileSync(`${array}/__commits/notes`, '')
    })
    expect(codes(document)).toHaveLength(3)
    // A file of coordinates that is gone means more than another.
    expect(get(document, 'findings')).toEqual(
      expect.arrayContaining(
        [1, 2].map((finding_num) => expect.objectContaining({ code: 'FILE_MISSING', finding_num, severity: 'error' })),
      ),
    )
    expect(codes(document)[0]).toBe('FILE_MISSING')
  })
})

test('of more than 500 fragments the newest are looked at, and it says so; they are slow', async () => {
  const array = `${folder}/many`
  const base = `${FIXTURES}/22/duplicates`
  cpSync(base, array, { recursive: true })
  const [name] = fragmentNames(base)
  for (let i = 1; i <= 500; i++) {
    const copy = name.replace(/^__\d+_\d+_/, `__${1000 + i}_${1000 + i}_`)
    mkdirSync(`${array}/__fragments/${copy}`)
    for (const file of readdirSync(`${base}/__fragments/${name}`))
      linkSync(`${array}/__fragments/${name}/${file}`, `${array}/__fragments/${copy}/${file}`)
    writeFileSync(`${array}/__commits/${copy}.wrt`, '')
  }
  const ran = await run([array])
  expectScreen(ran, 'many')
  expect(ran.text).toMatch(/ cells, estimated; at least /)
  expect(ran.text).toContain('not checked  2 fragments, except for names and commits;')
  const { documents } = await runJson([array])
  expect(documents[0]).toMatchObject({
    fragment_num: 502,
    examined_num: 500,
    cell_num: 25_100,
    certainty: 'estimated',
    nonempty_domain_certainty: 'at least',
    tile_num_certainty: 'at least',
    size_certainty: 'at least',
    ok: true,
  })
  const [many] = [get(documents[0], 'findings')].flat()
  expect(many).toMatchObject({
    code: 'FRAGMENTS_MANY',
    severity: 'warning',
    advice: expect.arrayContaining([expect.stringContaining(`tiledb.consolidate("${array}"`)]),
  })
  expect(commandsOf(documents[0])[0]).toBe(`tiledb-inspect explain ${array}`)
  expect(ran.text).toMatch(/^tiledb\.consolidate\(/m)
})

test('of a remedy of several lines, the first of which does nothing alone, it shows the command that shows them all', async () => {
  const { documents } = await runJson(['examples/arrays/weather'])
  const finding = {
    ...{ severity: 'warning', code: 'TILES_LARGE', finding_num: 1, file: '', message: 'tiles of 30 MiB', meaning: '' },
    advice: ['s = tiledb.ArraySchema.load("weather")', 'tiledb.Array.create(…)', 'with …'],
  }
  const out = sink(WIDTH)
  const call = 'tiledb-inspect explain examples/arrays/weather'
  const calls = new Map([
    [finding as OverviewFinding, { code: call, note: 'shows the 3 lines that rewrite the array' }],
  ])
  const document = { ...(documents[0] as unknown as OverviewDocument), findings: [finding as OverviewFinding] }
  await overviewTable(document, calls, out)
  expect(out.text()).toContain(`\n  tiles of 30 MiB\n# shows the 3 lines that rewrite the array\n${call}\n`)
})

test('a remedy that makes a new array is shown as the command that shows its lines', async () => {
  const array = `${folder}/small-tiles`
  const options = '--sparse --dim x:INT32:0..9999999 --attr a:INT32 --cells 20000 --capacity 10 --fragments 1'
  expect((await run(['write-sample', array, ...options.split(' ')])).code).toBe(0)
  const { text } = await run([array], { columns: 1000, env: { NO_COLOR: '1' } })
  expect(text).toContain(`\ntiledb-inspect explain ${array}  # shows the 3 lines that rewrite the array\n`)
})

const server = await serveFolder(FIXTURES, { index: true })
const bare = await serveFolder(FIXTURES)

const FRAGMENT = `22/sparse_basic/__fragments/${fragmentNames(`${FIXTURES}/22/sparse_basic`)[0]}`

describe('over a network', () => {
  const arrays = some.filter(({ kind, key }) => kind === 'array' && key === undefined)
  test.each(arrays.filter((_, i) => i % 4 === 0).map(({ name }) => name))('%s', async (name) => {
    const { local, remote } = await onDiskAndOn(server.url, [], name)
    expect(remote).toEqual(local)
    await expectNoMoreThanLs(server, name)
  })

  test.each(['22/group', FRAGMENT])('%s', (name) => expectNoMoreThanLs(server, name))

  test('of a server that lists nothing: a fragment, and a file of one', async () => {
    await expectNoMoreThanLs(bare, FRAGMENT)
    for (const name of [FRAGMENT, `${FRAGMENT}/a0.tdb`]) {
      const ran = await run([`${bare.url}/${name}`])
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expectScreen(ran, name)
    }
  })
})

/**
 * Requests for an overview are those of a listing at most; those for schemas and delete conditions, as TileDB refuses some; and those for the
 * key-value metadata of the target, which tell whether it belongs to a layer.
 */
async function expectNoMoreThanLs(on: FolderServer, name: string): Promise<void> {
  const requests = async (command: string): Promise<number> => {
    on.reset()
    expect((await run([command, `${on.url}/${name}`])).code).toBe(0)
    return on.requests.filter(({ path }) => !/\/__(?:schema|commits|meta)\//.test(path)).length
  }
  const [overview, ls] = [await requests('overview'), await requests('ls')]
  expect(overview).toBeLessThanOrEqual(ls)
}

test('names dimension labels and the Hilbert order beside the dimensions', async () => {
  expect((await run([`${FIXTURES}/22/hilbert`])).text).toMatch(/^dimensions .*; Hilbert order$/m)
  const { text } = await run([`${FIXTURES}/22/dimension_labels`])
  expect(text).toMatch(/^dimensions .*; labels? \w+ of \w+/m)
  expect((await run([`${FIXTURES}/22/sparse_basic`])).text).not.toMatch(/^dimensions .*(Hilbert|label)/m)
})
