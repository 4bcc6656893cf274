import { readdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { arrayOfCalls, openGenomicsdbArray } from '../../src/genomicsdb/array.ts'
import { callColumns } from '../../src/genomicsdb/calls.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { Folder } from '../../src/storage/source.ts'
import { failure } from '../helpers/failure.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { arraysOf, openFragments, unpackWorkspace } from '../helpers/genomicsdb.ts'
import { run } from '../helpers/run.ts'

/** Files of GenomicsDB that somebody made on purpose. */
const folder = temporaryFolder()
let copies = 0
const copyOf = (name: string): string => unpackWorkspace(name, `${folder}/${copies++}`)

/** The path of the first file of a name that is not empty. */
function fileIn(workspace: string, name: string): string {
  for (const array of arraysOf(workspace))
    for (const fragment of readdirSync(array))
      if (fragment.startsWith('__') && !fragment.includes('.')) {
        const path = `${array}/${fragment}/${name}`
        if (statSync(path).size > 0) return path
      }
  throw new Error(`no ${name}`)
}

describe('a file that was emptied', () => {
  test.each(['DP.tdb', 'END.tdb', '__coords.tdb'])('%s is an error of its tile', async (name) => {
    const workspace = copyOf('301')
    const file = fileIn(workspace, name)
    truncateSync(file, 0)
    const { code, text } = await run(['check', workspace, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(text).findings).toContainEqual(expect.objectContaining({ severity: 'error', file }))
  })
})

test('a schema that was cut is said to end', async () => {
  const workspace = copyOf('301')
  const file = `${arraysOf(workspace)[0]}/__array_schema.tdb`
  truncateSync(file, statSync(file).size - 1)
  const { code, text } = await run(['check', workspace])
  expect(code).toBe(1)
  expect(text).toMatch(/__array_schema\.tdb.*\n +expected \d+ elements, found data that ends after \d+ bytes\n/)
})

describe('a schema of other cells', () => {
  test.each([
    ['dense', (schema: { dense: boolean }) => Object.assign(schema, { dense: true })],
    ['cell_order', (schema: { cell_order: string }) => Object.assign(schema, { cell_order: 'row-major' })],
  ])('%s is refused by readers of calls', async (field, change) => {
    const array = await openGenomicsdbArray(
      new Folder(localFiles, arraysOf(copyOf('301'))[0] ?? ''),
      readContext(nodeCodecs),
    )
    expect(arrayOfCalls(array)).toBe(array)
    change(array.schema)
    expect(failure(() => arrayOfCalls(array))).toMatchObject({ code: 'INCONSISTENT', at: { field } })
  })

  test('dimensions and END of other types are refused, too', async () => {
    const array = await openGenomicsdbArray(
      new Folder(localFiles, arraysOf(copyOf('301'))[0] ?? ''),
      readContext(nodeCodecs),
    )
    const dimensions = array.dimensions.map((one) => ({ ...one, type: 'INT32' as const }))
    expect(failure(() => arrayOfCalls({ ...array, dimensions }))).toMatchObject({ at: { field: 'dimensions' } })
    const fields = array.fields.filter(({ name }) => name !== 'END')
    expect(failure(() => arrayOfCalls({ ...array, fields }))).toMatchObject({ at: { field: 'attributes.END' } })
  })
})

test('a file larger than memory is refused, and not read', async () => {
  for (const name of ['__array_schema.tdb', 'book']) {
    const workspace = copyOf('301')
    const [array = ''] = arraysOf(workspace)
    const file = name === 'book' ? fileIn(workspace, '__book_keeping.tdb.gz') : `${array}/${name}`
    truncateSync(file, 400_000_000)
    const { code, stderr } = await run(['ls', workspace, '--memory', '64M'])
    expect(code).toBe(3)
    expect(stderr).toContain('--memory')
  }
})

test('a field with the name of a column beside the fields has another one', () => {
  const stored = { name: 'sample', type: 'INT32' as const, cell_val_num: 1 as const }
  const field = { stored: { ...stored, compression: 'NONE' as const, level: -1, offsets: undefined } }
  const columns = callColumns({ fields: [{ ...field, index: 0, form: 'numbers' } as never] })
  expect(columns.map(({ name }) => name)).toEqual(['sample', 'contig', 'pos', 'end', 'sample_FIELD'])
})

test('a workspace that was renamed is read', async () => {
  const workspace = copyOf('302')
  renameSync(workspace, `${workspace}-new`)
  expect((await run(['check', `${workspace}-new`])).code).toBe(0)
})

describe('numbers of 2^53 or more', () => {
  const HUGE = 2n ** 62n

  test('in boxes are told with their file, and the other files are checked', async () => {
    const workspace = copyOf('301')
    const file = fileIn(workspace, '__book_keeping.tdb.gz')
    const content = gunzipSync(readFileSync(file))
    const domain = Number(content.readBigUInt64LE(0))
    const mbrs = 8 + domain + 8
    content.writeBigUInt64LE(HUGE, mbrs)
    writeFileSync(file, gzipSync(content))
    truncateSync(file.replace(/[^/]*$/, 'QUAL.tdb'), 1)
    const { code, text } = await run(['check', '--json', workspace])
    expect(code).toBe(1)
    const errors = JSON.parse(text).findings.filter(({ severity }: { severity: string }) => severity === 'error')
    expect(errors.map(({ code, file }: { code: string; file: string }) => [code, file.replace(/.*[/]/, '')])).toEqual([
      ['GENOMICSDB_BOOK_KEEPING', '__book_keeping.tdb.gz'],
      ['GENOMICSDB_TILE', 'QUAL.tdb'],
    ])
    expect((await run(['read', workspace])).stderr).toContain(
      '__book_keeping.tdb.gz: field mbrs: expected a number below',
    )
  })

  test.each([
    ['END', 1],
    ['__coords', 2],
  ])('in %s are told with their file and tile', async (name, width) => {
    const workspace = copyOf('302')
    const file = fileIn(workspace, `${name}.tdb`)
    const fragment = file.slice(0, file.lastIndexOf('/'))
    const [opened] = (await openFragments(fragment.slice(0, fragment.lastIndexOf('/')))).filter(
      ({ folder }) => folder.path === fragment,
    )
    if (!opened) throw new Error('no fragment')
    const cells = opened.tile_num === 1 ? opened.cell_num : opened.array.schema.capacity
    const index = opened.array.fields.findIndex((field) => field.name === name)
    const [, second = statSync(file).size] = opened.book.tile_offsets[index]?.values ?? []
    const tile = deflateSync(Buffer.from(new BigUint64Array(cells * width).fill(HUGE).buffer))
    expect(tile.length).toBeLessThanOrEqual(second)
    const bytes = readFileSync(file)
    bytes.set(tile)
    writeFileSync(file, bytes)
    const { code, text } = await run(['check', '--json', workspace])
    expect(code).toBe(1)
    expect(JSON.parse(text).findings).toContainEqual(
      expect.objectContaining({ code: 'GENOMICSDB_INTERVAL', file, field: name, tile: 0, severity: 'error' }),
    )
  })
})

test('a small book-keeping that gives very much is refused, and takes little memory', async () => {
  const workspace = copyOf('301')
  const file = fileIn(workspace, '__book_keeping.tdb.gz')
  writeFileSync(file, gzipSync(Buffer.alloc(2 ** 23), { level: 9 }))
  const small = await run(['ls', workspace, '--memory', '64M'])
  expect(small.stderr).toMatch(/__book_keeping\.tdb\.gz: expected a gzip stream of at most \d+ bytes .*--memory/)
  expect(small.code).toBe(3)
  expect((await run(['ls', workspace])).stderr).not.toContain('--memory')
})
