import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { CellBatch } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { columnValue } from '../../src/cells/rows.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { toJson } from '../../src/rows/json.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, type Json } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn, turn } from '../helpers/turn.ts'
import { filePaths, unlisted } from './anatomy.ts'

const NAMES = [
  '1/sparse_2d_row',
  '2/dense_basic',
  '4/sparse_basic',
  '12/string_filters',
  '22/dense_basic',
  '22/dense_3d_col_row',
  '22/encrypted',
  '22/filter_chunks',
  '22/filter_none',
  '22/hilbert',
  '22/sparse_basic',
  '22/string_dims_2d',
  '22/type_multi_value',
  '22/type_nullable',
]
const BYTES_A_FILE = 4
const FLIPS = Array.from({ length: 12 }, (_, i) => i)

const folders = fixtureFolders().filter(({ name }) => NAMES.includes(name))

function keyOption({ key }: FixtureFolder): string[] {
  return key === undefined ? [] : ['--key', key]
}

/** The cells of a fragment by tile, as `decode` shows them. */
async function cellsOf(
  folder: FixtureFolder,
  path: string,
): Promise<(tile: number, cell: number) => { [field: string]: string }> {
  const array = new InspectArray(new Folder(localFiles, folder.path), contextFor(folder))
  const fragment = array.fragment(path.slice(folder.path.length + 1))
  const cells = await FragmentCells.open(fragment)
  const batches: CellBatch[] = []
  for await (const batch of cells.batches()) batches.push(batch)
  await cells.close()
  await fragment.close()
  const values = cells.columns.map((column) => columnValue(column, { raw: false }))
  return (tile, cell) =>
    Object.fromEntries(
      cells.columns.map(({ name }, i) => {
        const data = batches[tile].columns[i]
        return [name, data ? toJson(values[i](data, cell), { int64: 'number', indent: false }) : '']
      }),
    )
}

/** What notices a flip of this bit, according to `at`. */
function detectorsOf(document: Json | undefined, bit: number): Json[] {
  const bits = get(document, 'detected_by_bit')
  const found = Array.isArray(bits) ? bits[bit] : undefined
  if (!Array.isArray(found)) throw new Error('expected a list for each bit')
  return found
}

function compact(value: Json | undefined): string {
  return value === undefined ? 'undefined' : typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

describe('at tells the cell that a byte feeds, and --cell the byte', () => {
  test('there is every fixture that is named here', () => {
    expect(folders.map(({ name }) => name).sort()).toEqual([...NAMES].sort())
  })

  for (const folder of turn(folders, 8)) {
    test(folder.name, async () => {
      const random = new Random(folder.name.length * 7919)
      let exact = 0
      let ranges = 0
      const files = filePaths(folder.path).filter((path) => /\/(?!__)[^/]*\.tdb$|__coords\.tdb$/.test(path))
      for (const path of files) {
        const size = readFileSync(path).length
        if (size === 0 || path.endsWith('__array_schema.tdb')) continue
        const fragment = path.slice(0, path.lastIndexOf('/'))
        const decoded = await cellsOf(folder, fragment)
        for (let i = 0; i < BYTES_A_FILE; i++) {
          const offset = random.below(size)
          const { code, documents } = await runJson(['at', '--no-flips', path, String(offset), ...keyOption(folder)])
          expect([path, offset, code]).toEqual([path, offset, 0])
          const document = documents[0]
          const cells = get(document, 'cells')
          const chain = [get(document, 'chain')].flat()
          for (const link of chain) {
            const from = Number(get(link, 'offset'))
            expect(from <= offset && offset < from + Number(get(link, 'length'))).toBe(true)
          }
          if (cells === undefined) continue
          const tile = Number(get(cells, 'tile'))
          const from = Number(get(cells, 'from'))
          const to = Number(get(cells, 'to'))
          ranges++
          if (from !== to || get(cells, 'coordinates') === undefined) continue
          const cell = decoded(tile, from)
          const coordinates = get(cells, 'coordinates')
          for (const [name, value] of Object.entries(coordinates ?? {}))
            expect([name, compact(value)]).toEqual([name, cell[name]])
          const field = get(cells, 'field')
          if (get(cells, 'value') !== undefined) expect(compact(get(cells, 'value'))).toBe(cell[String(field)])
          if (get(cells, 'padding') === true) continue
          const wanted = Object.entries(coordinates ?? {}).map(
            ([name, value]) => `${name}=${typeof value === 'string' ? JSON.stringify(value) : compact(value)}`,
          )
          const back = await runJson([
            'at',
            fragment,
            ...wanted.flatMap((one) => ['--cell', one]),
            ...keyOption(folder),
          ])
          const places = [get(back.documents[0], 'cells')].flat().flatMap((one) => [get(one, 'places')].flat())
          const name = path.slice(path.lastIndexOf('/') + 1)
          const mine = places.filter(
            (place) => get(place, 'file') === name && get(place, 'tile') === tile && get(place, 'position') === from,
          )
          expect(mine.length).toBeGreaterThan(0)
          const leaf = chain.at(-1)
          const hit = mine.some((place) => {
            const start = Number(get(place, 'offset'))
            return start <= offset && offset < start + Number(get(place, 'length'))
          })
          const inCell = get(leaf, 'value') !== undefined && /^\d+$/.test(String(get(leaf, 'name')))
          if (inCell && mine.every((place) => get(place, 'cell_only') === true)) {
            expect([path, offset, hit]).toEqual([path, offset, true])
            exact++
          }
        }
      }
      expect(ranges).toBeGreaterThan(0)
      if (folder.name === '22/filter_none') expect(exact).toBeGreaterThan(10)
    })
  }
})

describe('at --cell', () => {
  for (const folder of turn(folders, 8)) {
    test(`finds the bytes of a cell in every file of ${folder.name}`, async () => {
      const files = filePaths(folder.path).filter((path) => /\/(?!__)[^/]*\.tdb$|__coords\.tdb$/.test(path))
      const path = files.find((one) => !one.endsWith('__array_schema.tdb')) ?? ''
      const fragment = path.slice(0, path.lastIndexOf('/'))
      const cell = (await cellsOf(folder, fragment))(0, 1)
      const schema = (await runJson(['schema', folder.path, ...keyOption(folder)])).documents[0]
      const names = [get(schema, 'dimensions')].flat().map((dimension) => String(get(dimension, 'name')))
      const wanted = names.flatMap((name) => ['--cell', `${name}=${cell[name]}`])
      const { code, documents } = await runJson(['at', fragment, ...wanted, ...keyOption(folder)])
      expect(code).toBe(0)
      const found = [get(documents[0], 'cells')].flat()
      expect(found.map((one) => [get(one, 'tile'), get(one, 'position')])).toContainEqual([0, 1])
      const places = found.flatMap((one) => [get(one, 'places')].flat()).filter((one) => get(one, 'position') === 1)
      const inFragment = files
        .filter((file) => file.startsWith(`${fragment}/`))
        .map((file) => file.slice(fragment.length + 1))
      // If the var tiles hold the offsets, the offsets file has no bytes of cells.
      const withPlace = new Set(places.map((place) => String(get(place, 'file'))))
      for (const file of inFragment)
        expect([file, withPlace.has(file) || withPlace.has(file.replace('.tdb', '_var.tdb'))]).toEqual([file, true])
      for (const place of places) {
        // An empty cell has no bytes.
        if (get(place, 'length') === 0 || get(place, 'content_length') === 0) continue
        const at = await runJson([
          'at',
          '--no-flips',
          `${fragment}/${get(place, 'file')}`,
          String(get(place, 'offset')),
          ...keyOption(folder),
        ])
        const fed = get(at.documents[0], 'cells')
        const range = [Number(get(fed, 'from')) <= 1, Number(get(fed, 'to')) >= 1]
        expect([get(place, 'file'), get(fed, 'tile'), ...range]).toEqual([get(place, 'file'), 0, true, true])
      }
    })
  }
})

describe('what notices a flip', () => {
  const temporary = temporaryFolder()

  test.each(['22/filter_sha256', '22/filter_md5', '22/encrypted', '22/filter_none'])(
    'is what verify-checksums finds in %s',
    async (name) => {
      const folder = fixtureFolders().find((one) => one.name === name)
      if (!folder) throw new Error(`there is no fixture ${name}`)
      const random = new Random(name.length)
      const files = filePaths(folder.path).filter((path) => /\/(?!__)[^/]*\.tdb$/.test(path))
      const copy = `${temporary}/${name.replace('/', '-')}`
      cpSync(folder.path, copy, { recursive: true })
      const tried = shortTurn(FLIPS, 8)
      for (const i of FLIPS) {
        const path = files[random.below(files.length)].replace(folder.path, copy)
        const bytes = readFileSync(path)
        const offset = random.below(bytes.length)
        const bit = random.below(8)
        if (!tried.includes(i)) continue
        const { documents } = await runJson(['at', path, String(offset), ...keyOption(folder)])
        const detectors = detectorsOf(documents[0], bit)
        const checksum = detectors.find((one) => /^(?:CHECKSUM|AES)/.test(String(one)))
        const flipped = Uint8Array.from(bytes)
        flipped[offset] ^= 1 << bit
        writeFileSync(path, flipped)
        const { code, text } = await run(['verify-checksums', copy, '--json', ...keyOption(folder)])
        writeFileSync(path, bytes)
        if (checksum !== undefined) {
          expect([path, offset, code]).toEqual([path, offset, 1])
          expect(text).toContain(`"filter": "${checksum}"`)
        } else if (
          name === '22/filter_none' &&
          !detectors.some((one) => /num|length|chunks|data|extra/.test(String(one)))
        ) {
          expect([path, offset, code]).toEqual([path, offset, 0])
        }
      }
    },
  )
})

const damaged = temporaryFolder()

describe('in a tile that is damaged already nobody knows what would notice a flip', () => {
  /** A copy of a fixture with some bytes of a file destroyed. @returns that file */
  function damage(name: string, file: string, from: number, to: number): string {
    const path = `${damaged}/${name}-${file}-${from}`
    cpSync(`${FIXTURES}/${name}`, path, { recursive: true })
    const found = filePaths(path).find((one) => one.endsWith(`/${file}`)) ?? ''
    const bytes = readFileSync(found)
    bytes.fill(0xff, from, to)
    writeFileSync(found, bytes)
    return found
  }
  const notKnown = (part: string) => ({
    detected_by: null,
    not_tried: expect.stringContaining(`${part} is damaged already: `),
  })

  test('at the fault and beside it; in other tiles they do', async () => {
    // The unfiltered length of the first chunk's part. Its filtered length and its frame follow.
    const file = damage('22/filter_chunks', 'a0.tdb', 30, 32)
    for (const options of [{}, { storage: unlisted }]) {
      const at = async (offset: number) => (await runJson(['at', file, String(offset)], options)).documents[0]
      for (const offset of [35, 60, 100]) expect(await at(offset)).toMatchObject(notKnown('this tile'))
      expect(await at(200)).not.toHaveProperty('not_tried')
    }
  })

  test('nor in values without their offsets', async () => {
    const file = damage('22/filter_chunks', 'a2.tdb', 20, 60)
    const { documents } = await runJson(['at', file.replace(/a2.tdb$/, 'a2_var.tdb'), '100'], { storage: unlisted })
    expect(documents[0]).toMatchObject(notKnown('this tile'))
  })

  test('nor in a schema', async () => {
    const path = `${FIXTURES}/22/filter_chunks/__schema`
    const [name] = readdirSync(path).filter((one) => one.startsWith('__1'))
    const file = damage('22/filter_chunks', name, 100, 104)
    const { documents } = await runJson(['at', file, '200'])
    expect(documents[0]).toMatchObject(notKnown('this part of the file'))
  })

  test('without the coordinates the values of a tile are examined as before', async () => {
    const file = damage('22/filter_chunks', 'd0.tdb', 20, 60)
    const { documents } = await runJson(['at', file.replace(/d0.tdb$/, 'a0.tdb'), '100'], { storage: unlisted })
    expect(documents[0]).toMatchObject({ detected_in: 'tile' })
    expect(documents[0]).not.toHaveProperty('not_tried')
  })
})
