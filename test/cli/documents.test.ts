import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, parseJson, parseJsonDocuments } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/sparse_basic`
const OTHER = `${FIXTURES}/22/dense_basic`

const folder = temporaryFolder()

const COMMANDS: readonly (readonly [string, string])[] = [
  ['ls', ARRAY],
  ['ls', firstFragment(ARRAY)],
  ['ls', `${FIXTURES}/22/group`],
  ['schema', ARRAY],
  ['footer', firstFragment(ARRAY)],
  ['rtree', firstFragment(ARRAY)],
  ['tiles', firstFragment(ARRAY)],
  ['stats', ARRAY],
  ['metadata', firstFragment(ARRAY)],
  ['metadata', `${FIXTURES}/22/metadata`],
  ['commits', `${FIXTURES}/22/commits_consolidated`],
  ['decode', firstFragment(ARRAY)],
  ['verify-checksums', ARRAY],
]

describe('every JSON document', () => {
  test.each(COMMANDS)('of %s %s begins with kind, path and schema_version', async (command, target) => {
    const { code, documents } = await runJson([command, target])
    expect(code).toBe(0)
    expect(documents).toHaveLength(1)
    expect(Object.keys(documents[0] ?? {}).slice(0, 3)).toEqual(['kind', 'path', 'schema_version'])
    expect(get(documents[0], 'path')).toBe(target)
    expect(get(documents[0], 'schema_version')).toBe(1)
  })

  test.each(COMMANDS)(
    'of %s %s holds the same values with --format ndjson, or its list line by line',
    async (command, target) => {
      const [document] = (await runJson([command, target])).documents
      const { code, text } = await run([command, '--format', 'ndjson', target])
      expect(code).toBe(0)
      const lines = text.split('\n').slice(0, -1).map(parseJson)
      const lists = Object.values(document ?? {}).filter(Array.isArray)
      expect([[document], ...lists]).toContainEqual(lines)
    },
  )

  test('is one for a group: its own metadata, and that of each member below it', async () => {
    const group = `${FIXTURES}/22/group`
    const { code, documents } = await runJson(['metadata', group])
    expect(code).toBe(0)
    expect(documents.map((document) => [get(document, 'kind'), get(document, 'path')])).toEqual([['metadata', group]])
    const members = [get((await runJson(['ls', group])).documents[0], 'members')].flat()
    const paths = [get(documents[0], 'members')].flat().map((member) => String(get(member, 'path')))
    expect(paths.sort()).toEqual(members.map((member) => `${group}/${String(get(member, 'uri'))}`).sort())
  })

  test('is one for each target, in the order given', async () => {
    const { code, documents } = await runJson(['schema', ARRAY, OTHER, ARRAY])
    expect(code).toBe(0)
    expect(documents.map((document) => get(document, 'path'))).toEqual([ARRAY, OTHER, ARRAY])
  })

  test('is one for each fragment of an array, in the order of their timestamps', async () => {
    const array = `${FIXTURES}/22/vacuum_left`
    const { documents } = await runJson(['footer', array])
    const paths = documents.map((document) => get(document, 'path'))
    expect(paths.length).toBeGreaterThan(1)
    const listed = get((await runJson(['ls', array])).documents[0], 'fragments')
    expect(paths).toEqual([listed].flat().map((fragment) => get(fragment, 'path')))
  })

  test('of the targets behind one that is not there is printed all the same', async () => {
    const { code, documents } = await runJson(['schema', `${folder}/nowhere`, ARRAY])
    expect(code).toBe(3)
    expect(documents.map((document) => get(document, 'path') ?? get(get(document, 'error'), 'file'))).toEqual([
      `${folder}/nowhere`,
      ARRAY,
    ])
  })
})

describe('a target', () => {
  test('may end in a slash', async () => {
    const { code, documents } = await runJson(['schema', `${ARRAY}/`])
    expect(code).toBe(0)
    expect(get(documents[0], 'path')).toBe(`${ARRAY}/`)
  })

  test('may be a file:// URL, and is shown as it was given', async () => {
    const url = pathToFileURL(ARRAY).href
    const { code, documents } = await runJson(['footer', url])
    expect(code).toBe(0)
    expect(String(get(documents[0], 'path'))).toMatch(`${url}/__fragments/`)
  })

  test('may be a file inside a fragment', async () => {
    const { code, documents } = await runJson(['footer', `${firstFragment(ARRAY)}/__fragment_metadata.tdb`])
    expect(code).toBe(0)
    expect(get(documents[0], 'kind')).toBe('footer')
  })

  test('may be given relative to the current folder', async () => {
    const { relative } = await import('node:path')
    const { cwd } = await import('node:process')
    const path = relative(cwd(), ARRAY)
    const { code, documents } = await runJson(['schema', path])
    expect(code).toBe(0)
    expect(get(documents[0], 'path')).toBe(path)
  })

  test('given relative to the current folder names files so, in errors inside documents, too', async () => {
    const { documents } = await runJson(['ls', 'examples/damaged/failed_write'])
    const errors = [get(documents[0], 'fragments')].flat().map((fragment) => get(fragment, 'error'))
    expect(errors.flatMap((error) => get(error, 'file') ?? [])).toEqual([
      expect.stringMatching(/^examples\/damaged\/failed_write\/__fragments\/.*\/__fragment_metadata\.tdb$/),
    ])
  })
})

describe('-o', () => {
  test('takes the format from the name, and nothing goes to stdout', async () => {
    const file = `${folder}/out.json`
    const ran = await run(['schema', ARRAY, '--quiet', '-o', file])
    expect(ran).toMatchObject({ code: 0, text: '', stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe((await run(['schema', '--json', ARRAY])).text)
  })

  test('of several targets holds all documents', async () => {
    const file = `${folder}/two.json`
    await run(['schema', ARRAY, OTHER, '--output', file])
    expect(parseJsonDocuments(readFileSync(file, 'utf8'))).toHaveLength(2)
  })

  test.each(['ndjson', 'csv'])('writes %s as --format does', async (format) => {
    const file = `${folder}/cells.${format}`
    await run(['decode', firstFragment(ARRAY), '-o', file])
    expect(readFileSync(file, 'utf8')).toBe((await run(['decode', '--format', format, firstFragment(ARRAY)])).text)
  })

  test('gives way to --format', async () => {
    const file = `${folder}/cells.txt`
    await run(['decode', '--format', 'ndjson', firstFragment(ARRAY), '-o', file])
    expect(readFileSync(file, 'utf8')).toMatch(/^\{.*\}\n/)
  })

  test('into a folder that is not there fails: exit 3', async () => {
    const ran = await run(['schema', ARRAY, '-o', `${folder}/no/out.json`])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('no/out.json')
  })
})

describe('integers beyond 2^53', () => {
  const WIDE = `${FIXTURES}/22/type_numbers_sparse`

  test('have all their digits, and raise one note that names the option', async () => {
    const ran = await run(['schema', '--json', WIDE])
    expect(ran.text).toContain('-9223372036854775808')
    expect(ran.stderr).toMatch(/^note: .*--int64 string\n$/)
    expect((await run(['schema', '--json', '--quiet', WIDE])).stderr).toBe('')
  })

  test('are strings with --int64 string, as all 64-bit values are', async () => {
    const ran = await run(['schema', '--json', '--int64', 'string', WIDE])
    expect(ran.text).toContain('"-9223372036854775808"')
    expect(ran.stderr).toBe('')
  })
})

describe('help', () => {
  test('goes to stdout: exit 0', async () => {
    for (const args of [['--help'], ['ls', '--help'], ['help', 'ls'], ['help']]) {
      const ran = await run(args)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(ran.text).toContain('Usage: tiledb-inspect')
    }
    expect((await run(['--version'])).text).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
