import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FORMATS, type Format } from '../../src/cli/formats.ts'
import { localFiles } from '../../src/node/file.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const PLACES = 'examples/arrays/places'
const WEATHER = 'examples/arrays/weather'
const EVOLVED = `${FIXTURES}/22/evolved_sparse`
const VACUUM = `${FIXTURES}/22/vacuum_left`

const lines = (text: string): string[] => text.split('\r\n').slice(0, -1)

test('CSV of several fragments has one header, and rows say whose they are', async () => {
  const { code, text } = await run(['tiles', VACUUM, '--format', 'csv'])
  const [header, ...rows] = lines(text)
  expect(code).toBe(0)
  expect(header).toBe('fragment,tile,cell_num,mbr,fields')
  expect(rows.some((row) => row.startsWith('fragment,'))).toBe(false)
  expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(4)
})

test.each([
  [['ls', PLACES, WEATHER], 'name', 2],
  [['footer', VACUUM], 'kind', 4],
  [['commits', PLACES, WEATHER], 'path', 2],
  [['decode', `${PLACES}/__17`, `${PLACES}/__17`, '--limit', '2'], '__fragment', 4],
])('CSV of %j has one header', async (args, first, rows) => {
  const { code, text } = await run([...args, '--format', 'csv'])
  expect(code).toBe(0)
  expect(lines(text)[0].split(',')[0]).toBe(first)
  expect(lines(text)).toHaveLength(rows + 1)
})

test('CSV of ls has the same columns for one target and for several', async () => {
  const header = async (...targets: readonly string[]) =>
    lines((await run(['ls', ...targets, '--format', 'csv'])).text)[0]
  expect(await header(PLACES, WEATHER)).toBe(await header(PLACES))
})

test('CSV of targets with other columns is refused', async () => {
  const { code, stderr } = await run(['decode', `${PLACES}/__17`, `${WEATHER}/__17`, '--limit', '2', '--format', 'csv'])
  expect(code).toBe(2)
  expect(stderr).toBe(
    'error: expected targets with the same columns, found other columns: give one target at a time, or --format ndjson\n',
  )
})

const EMPTY = `${FIXTURES}/22/empty_sparse`
const DAMAGED = `${PLACES}/../../damaged/places`

test.each([
  [
    ['ls', EMPTY],
    ['ls', PLACES],
  ],
  [
    ['ls', '--names', EMPTY],
    ['ls', '--names', PLACES],
  ],
  [
    ['commits', EMPTY],
    ['commits', PLACES],
  ],
  [
    ['check', EMPTY],
    ['check', DAMAGED],
  ],
  [
    ['verify-checksums', EMPTY],
    ['verify-checksums', DAMAGED],
  ],
  [
    ['diff', PLACES, PLACES],
    ['diff', PLACES, WEATHER],
  ],
  [
    ['tiles', `${PLACES}/__17`, '--range', 'lat=90'],
    ['tiles', `${PLACES}/__17`],
  ],
  [
    ['at', `${PLACES}/__17`, '--cell', 'lat=90,lon=0'],
    ['at', `${PLACES}/__17`, '--cell', 'lat=-34.6,lon=-58.38'],
  ],
])('CSV without rows has the header of one with rows: %j', async (without, some) => {
  const [{ text }, other] = [await run([...without, '--format', 'csv']), await run([...some, '--format', 'csv'])]
  expect(lines(other.text).length).toBeGreaterThan(1)
  expect(lines(text)).toEqual(lines(other.text).slice(0, 1))
})

const folder = temporaryFolder()

test('CSV of a group without members has the header of one with members', async () => {
  const group = `${folder}/group`
  mkdirSync(`${group}/__group`, { recursive: true })
  writeFileSync(`${group}/__tiledb_group.tdb`, '')
  const [none, some] = [
    await run(['ls', group, '--format', 'csv']),
    await run(['ls', `${FIXTURES}/22/group`, '--format', 'csv']),
  ]
  expect(lines(none.text)).toEqual(lines(some.text).slice(0, 1))
})

test('CSV of all fragments has the columns of each', async () => {
  const { code, text } = await run(['decode', '--all-fragments', EVOLVED, '--format', 'csv'])
  expect(code).toBe(0)
  expect(lines(text)[0]).toBe('__fragment,x,a,b')
  const [first, last] = [lines(text)[1], lines(text).at(-1)]
  expect(first?.split(',')).toHaveLength(4)
  expect(first).toMatch(/,$/)
  expect(last).toMatch(/[^,]$/)
})

test('NDJSON of several targets says whose the rows are', async () => {
  const { text } = await run(['commits', PLACES, WEATHER, '--format', 'ndjson'])
  const rows = text.split('\n').slice(0, -1)
  expect(rows.map((row) => JSON.parse(row).path)).toEqual([PLACES, WEATHER])
  const one = await run(['commits', PLACES, '--format', 'ndjson'])
  expect(Object.keys(JSON.parse(one.text))).not.toContain('path')
})

test('the arguments of a command that takes one target are not several', async () => {
  const args = ['at', `${PLACES}/__17`, '--cell', 'lat=-34.6,lon=-58.38', '--format', 'ndjson']
  expect(Object.keys(JSON.parse((await run(args)).text))[0]).not.toBe('path')
})

test('notes name their target if there are several, and what concerns all is said once', async () => {
  const array = `${FIXTURES}/labels/wanting`
  const [name] = fragmentNames(array)
  const fragment = `${array}/__fragments/${name}`
  const one = await run(['decode', '--labels', fragment])
  expect(one.stderr).toMatch(/^note: v: 2 cells have no label /)
  const both = await run(['decode', '--labels', fragment, fragment])
  const note = one.stderr.replace('note: ', `note: ${fragment}: `)
  expect(both.stderr).toBe(note + note)
  expect((await run(['tiles', EMPTY, EMPTY])).stderr).toBe(`note: ${EMPTY} has no fragments\n`.repeat(2))

  const large = `${FIXTURES}/22/filter_bitshuffle`
  const rounded = await run(['schema', large, large, '--json'])
  expect(rounded.stderr.match(/^note: integers beyond 2\^53/gm)).toHaveLength(1)
})

test('why answers for each of several paths, and says which', async () => {
  const paths = [`${PLACES}/__schema`, `${WEATHER}/__schema`]
  const { code, text } = await run(['why', ...paths])
  expect(code).toBe(0)
  expect(Array.from(text.matchAll(/^path +(.+)$/gm), ([, path]) => path)).toEqual(paths)
})

test('a target that fails to open while another is still being opened ends nothing', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  const kind = async (path: string) => {
    if (path.endsWith(PLACES)) await new Promise((resolve) => setTimeout(resolve, 100))
    return localFiles.kind(path)
  }
  const { code, text, stderr } = await run(['stats', PLACES, `${folder}/none`], { storage: { ...localFiles, kind } })
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
  expect(code).toBe(3)
  expect(text).toMatch(/places/)
  expect(stderr).toBe(`error: ${folder}/none: no such file or folder\n`)
})

/** Formats that have a place for any rows, or other columns in each. */
const ANY_ROWS: readonly Format[] = ['table', 'json', 'ndjson', 'parquet', 'arrow']

test.each((Object.keys(FORMATS) as Format[]).filter((name) => 'write' in FORMATS[name] && !ANY_ROWS.includes(name)))(
  '%s of targets with other columns is refused',
  async (format) => {
    const { code, stderr } = await run(['read', PLACES, WEATHER, '--limit', '1', '--format', format])
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected targets with the same columns')])
  },
)
