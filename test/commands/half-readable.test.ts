import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

function copied(name: string, as: string): string {
  const copy = `${folder}/${as}`
  cpSync(`${FIXTURES}/22/${name}`, copy, { recursive: true })
  return copy
}

describe('a fragment outside of its array', () => {
  const array = copied('sparse_basic', 'around')
  const [name] = fragmentNames(array)
  const alone = `${folder}/${name}`
  cpSync(`${array}/__fragments/${name}`, alone, { recursive: true })

  test.each(['overview', 'ls'])('%s names the releases of the version in its name', async (command) => {
    const { documents } = await runJson([command, alone])
    expect(documents[0]).toMatchObject({ format_version: 22, written_by: '2.25 to 2.30' })
    const { text } = await run([command, alone])
    expect(text).toContain('written by TileDB 2.25 to 2.30')
  })

  test('a name without version is no proof of one', async () => {
    const old = `${FIXTURES}/4/${readdirSync(`${FIXTURES}/4`).find((one) => one.startsWith('sparse'))}`
    const fragment = readdirSync(old).find((one) => /^__\d+_\d+_/.test(one)) ?? ''
    cpSync(`${old}/${fragment}`, `${folder}/${fragment}`, { recursive: true })
    truncateSync(`${folder}/${fragment}/__fragment_metadata.tdb`, 7)
    const { documents } = await runJson(['ls', `${folder}/${fragment}`])
    expect(documents[0]).toMatchObject({ format_version: null })
  })

  test.each([
    [['schema', alone], 2, 'schema expects an array, a fragment inside its array, a group or a schema file'],
    [['decode', alone], 3, 'expected the fragment inside its array'],
    [['recover', alone, '--to', `${folder}/to`], 3, 'expected the fragment inside its array'],
  ])('%j', async (args, exit, message) => {
    const { code, stderr } = await run(args)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
  })
})

describe('consolidated fragment metadata', () => {
  const array = copied('fragment_metadata_consolidated', 'meta')
  const [name] = readdirSync(`${array}/__fragment_meta`)
  const file = `${array}/__fragment_meta/${name}`

  test('outside of its array has no schema: exit 3', async () => {
    cpSync(file, `${folder}/${name}`)
    const { code, stderr } = await run(['footer', `${folder}/${name}`])
    expect([code, stderr]).toEqual([3, expect.stringContaining('found no array around it')])
  })

  test('cut short is one error of commits, in its row, too', async () => {
    truncateSync(file, 100)
    const { code, documents, stderr } = await runJson(['commits', array])
    const rows = items(get(documents[0], 'commits')).filter((row) => get(row, 'kind') === 'footer')
    expect(code).toBe(1)
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
    expect(rows).toMatchObject([{ entry: null, error: { code: 'TRUNCATED' } }])
  })
})

test('of a fragment with damaged metadata nobody knows which delete conditions it has processed', async () => {
  const array = copied('deletes', 'deletes')
  const [name] = fragmentNames(array)
  const before = items(get((await runJson(['commits', array])).documents[0], 'commits'))
  expect(JSON.stringify(before.map((row) => get(row, 'not_processed_by')))).toContain(name)
  truncateSync(`${array}/__fragments/${name}/__fragment_metadata.tdb`, 3000)
  const { code, documents } = await runJson(['commits', array])
  const rows = items(get(documents[0], 'commits')).filter((row) => get(row, 'kind') === 'delete')
  expect(code).toBe(1)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    expect(items(get(row, 'processed_by'))).not.toContain(name)
    expect(items(get(row, 'not_processed_by'))).not.toContain(name)
  }
})

describe('decode of an array with a damaged tile', () => {
  const array = copied('vacuum_left', 'cut')
  const shown = async (...args: string[]) => runJson(['decode', '--all-fragments', array, ...args])

  test('shows the cells of the other fragments, and names the file of the others', async () => {
    const whole = items(get((await shown()).documents[0], 'cells'))
    const name = String(get(whole[0], '__fragment'))
    truncateSync(`${array}/__fragments/${name}/d0.tdb`, 5)
    const { code, documents, stderr } = await shown()
    expect(code).toBe(1)
    for (const line of stderr.trimEnd().split('\n')) expect(line).toContain(`/${name}/d0.tdb: `)
    expect(items(get(documents[0], 'cells')).filter((row) => get(row, '__fragment') !== name)).toEqual(
      whole.filter((row) => get(row, '__fragment') !== name),
    )
    expect(get(documents[0], 'errors')).not.toEqual([])
  })

  test('with a range finds no cell whose coordinates cannot be read', async () => {
    const name = fragmentNames(array).find((one) => readdirSync(`${array}/__fragments/${one}`).length > 1)
    const fragment = `${folder}/range/__fragments/${name}`
    cpSync(array, `${folder}/range`, { recursive: true })
    rmSync(`${fragment}/d0.tdb`)
    const { code, documents } = await runJson(['decode', fragment, '--keep-going', '--range', 'x=0..9'])
    expect([code, get(documents[0], 'cells')]).toEqual([1, []])
  })
})

describe('diff', () => {
  const array = copied('vacuum_left', 'left')
  const names = fragmentNames(array)
  const name = names.find((one) => readdirSync(`${array}/__fragments/${one}`).length > 1) ?? ''

  test('of cells that cannot be read on either side is no equality', async () => {
    truncateSync(`${array}/__fragments/${name}/d0.tdb`, 5)
    cpSync(array, `${folder}/right`, { recursive: true })
    const { code, documents } = await runJson(['diff', '--cells', array, `${folder}/right`])
    expect([code, documents[0]]).toMatchObject([
      1,
      { equal: false, not_compared: [`fragments.${name}.cells`], differences: [] },
    ])
    const { text } = await run(['diff', '--cells', array, `${folder}/right`])
    expect(text).toContain(`not compared: fragments.${name}.cells\nno difference in what could be compared\n`)
  })

  test.each([[[]], [['--cells']]])('of fragments that cannot be read is none, either: %j', async (options) => {
    truncateSync(`${array}/__fragments/${name}/__fragment_metadata.tdb`, 3000)
    cpSync(array, `${folder}/right`, { recursive: true })
    const { code, documents } = await runJson(['diff', ...options, array, `${folder}/right`])
    expect([code, documents[0]]).toMatchObject([
      1,
      { equal: false, not_compared: [`fragments.${name}`], differences: [] },
    ])
  })
})

describe('verify-checksums of an encrypted array', () => {
  const array = `${FIXTURES}/22/encrypted`
  test.each([
    [[], 'KEY_NEEDED'],
    [['--key', 'no key of any array but 32 bytes'], 'WRONG_KEY'],
  ])('says that it compared nothing: %j', async (key, why) => {
    for (const target of [array, firstFragment(array)]) {
      const { code, text } = await run(['verify-checksums', target, ...key])
      expect([code, text]).toEqual([3, expect.stringContaining('NOT FULLY EXAMINED: no checksum could be compared; ')])
      const { documents } = await runJson(['verify-checksums', target, ...key])
      const not_examined: unknown = expect.arrayContaining([expect.objectContaining({ code: why })])
      expect(documents).toMatchObject([{ verdict: 'not-examined', checksum_num: 0, not_examined }])
    }
  })
})

test('explain does not count the bytes of a section behind the footer', async () => {
  const array = `${folder}/behind`
  await run(['write-sample', array, '--damage', 'SECTION_OFFSET'])
  const { code, stderr } = await run(['explain', array])
  expect([code, stderr]).toEqual([1, expect.stringContaining('expected a section before the footer at ')])
})

test.each(['dump', 'footer'])('%s --hex has no bytes behind the end of the file', async (command) => {
  const array = `${FIXTURES}/22/sparse_basic`
  const fragment = firstFragment(array)
  const { code, stderr } = await run([command, '--hex', '--at', '999999..', fragment])
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--at expects bytes below \d+, the file's size, found 999999\.\./),
  ])
})

test('the tiles of a dense fragment are drawn in their boxes', async () => {
  const array = `${FIXTURES}/22/dense_basic`
  const { documents } = await runJson(['tiles', array])
  const tiles = documents.reduce((sum: number, one) => sum + items(get(one, 'tiles')).length, 0)
  const { text } = await run(['rtree', '--svg', '-', array])
  expect(text).toContain(`: ${tiles} boxes of 2 fragments</text>`)
  expect(text.match(/<title>/g)).toHaveLength(tiles)
})

test('tiles shows those before one whose offset is too low, and then says so', async () => {
  const array = `${folder}/order`
  await run(['write-sample', array, '--damage', 'TILE_OFFSETS_ORDER'])
  const { code, text, stderr } = await run(['tiles', '--field', 'a', '--json', array])
  expect([code, text]).toEqual([1, expect.stringContaining('"size": 187,')])
  const fault = /expected tile \d+ to end after its start \d+/
  expect(stderr).toMatch(fault)
  for (const format of ['ndjson', 'csv', 'tsv']) {
    const ran = await run(['tiles', '--field', 'a', '--format', format, array])
    expect([ran.code, ran.text, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/"size"+:187,/),
      expect.stringMatching(fault),
    ])
  }
})

test('recover says that it had no need of a box', async () => {
  const { code, stderr } = await run([
    'recover',
    `${FIXTURES}/22/sparse_basic`,
    '--to',
    `${folder}/boxless`,
    '--domain',
    'x=1..2',
  ])
  expect([code, stderr]).toEqual([0, 'note: --domain is not used: no dense fragment lacks its box\n'])
})

test('recover of an array that lost all commits says that it makes an empty one', async () => {
  const array = copied('sparse_basic', 'uncommitted')
  for (const name of readdirSync(`${array}/__commits`)) rmSync(`${array}/__commits/${name}`)
  const { stderr } = await run(['recover', array, '--to', `${folder}/recovered`])
  expect(stderr).toBe(`note: TileDB finds no cell in ${array}: check --plan says why, and what to do\n`)
})

describe('metadata --hex', () => {
  test('of an array: every file of its key-value metadata', async () => {
    const array = `${FIXTURES}/22/metadata`
    const files = readdirSync(`${array}/__meta`)
    const { code, documents } = await runJson(['metadata', '--hex', array])
    expect(code).toBe(0)
    expect(documents.map((one) => basename(String(get(one, 'path')))).sort()).toEqual(files.sort())
  })

  test('of an array without any: a note', async () => {
    const array = `${FIXTURES}/22/empty_sparse`
    const { code, text, stderr } = await run(['metadata', '--hex', array])
    expect([code, text, stderr]).toEqual([0, '', `note: ${array} has no key-value metadata\n`])
  })
})

test('a target that is written with . or .. is shown so', async () => {
  mkdirSync(`${folder}/inside`)
  const array = copied('sparse_basic', 'inside/array')
  for (const path of [`${array}/.`, `${array}/../array`, `${array}/./`]) {
    const { documents } = await runJson(['ls', path])
    expect(get(documents[0], 'path')).toBe(path)
  }
})

test('text that a cell is looked for by may hold commas, and need not be there', async () => {
  const array = `${FIXTURES}/22/string_dim`
  const { documents } = await runJson(['history', array, '--cell', 'k=nowhere, not even here,z=2'])
  expect(documents[0]).toMatchObject({ cell: { k: 'nowhere, not even here', z: 2 }, versions: [] })
})
