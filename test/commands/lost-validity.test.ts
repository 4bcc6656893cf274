import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { KnownNulls } from '../../src/cells/known-nulls.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, fixtureFolders } from '../helpers/fixtures.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { codesOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run, runJson } from '../helpers/run.ts'

const { folder, copyOf, mendAndUndo } = planFolder()
const PLACES = fileURLToPath(new URL('../../examples/arrays/places', import.meta.url))

function copyOfPlaces(name: string): { path: string; fragment: string } {
  const path = `${folder}/${name}`
  cpSync(PLACES, path, { recursive: true })
  return { path, fragment: firstFragment(path) }
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const decoded = async (path: string, ...options: string[]) => {
  const { code, text, stderr } = await run(['decode', path, '--format', 'ndjson', ...options])
  return { code, stderr, cells: linesOf(text) }
}

/** A field of places, the file of its validity, the tiles whose cells are all valid, and its nulls in the others. */
const FIELDS = [
  ['population', 'a1_validity.tdb', [3], 12, 32],
  ['founded', 'a2_validity.tdb', [0], 14, 32],
] as const

describe.each(FIELDS)('a lost validity file of %s', (field, file, proven, nulls, unknown) => {
  const { path, fragment } = copyOfPlaces(`no validity of ${field}`)
  rmSync(`${fragment}/${file}`)

  test('decode shows the values, and says of how many nobody knows which are null', async () => {
    const before = (await decoded(firstFragment(PLACES))).cells
    const { code, cells, stderr } = await decoded(fragment)
    expect(code).toBe(1)
    expect(stderr).toContain(`nothing tells which of them are null (nulls by the statistics: ${nulls})`)
    expect(before.filter((cell) => cell[field] === null)).toHaveLength(nulls)
    for (const [i, cell] of before.entries())
      if (cell[field] === null) expect(typeof cells[i][field]).not.toBe('undefined')
      else expect(cells[i]).toEqual(cell)
    const { documents } = await runJson(['decode', fragment])
    expect(documents[0]).toMatchObject({
      unknown_nulls: [{ field, cell_num: unknown, null_count: nulls }],
      errors: [{ code: 'MISSING_FILE' }],
    })
  })

  test('in tiles without nulls nothing is unknown', async () => {
    const tiles = ['--tiles', `${proven[0]}..${proven[0]}`]
    const { code, cells, stderr } = await decoded(fragment, ...tiles)
    expect([code, cells]).toEqual([0, (await decoded(firstFragment(PLACES), ...tiles)).cells])
    expect(stderr).toContain('the statistics tell that all cells of a tile are null, or none')
    expect((await decoded(fragment, '--keep-going')).cells).toEqual(cells)
  })

  test('the plan says that only the nulls are lost, and keeps the values; recover keeps the tiles without nulls', async () => {
    const [{ lost, loses, keep, not_lost }] = (await planOf(path)).plans
    expect(lost).toEqual([
      expect.stringMatching(
        new RegExp(`^which cells of ${field} are null, of ${unknown} cells .*; nulls by the statistics: ${nulls}$`),
      ),
    ])
    expect(loses).toEqual([`the values of ${unknown} cells`])
    expect(not_lost).toEqual(['8 other cells of this fragment, 0 other fragments'])
    expect(keep[0]).toEqual({
      command: expect.stringMatching(new RegExp(`--field ${field} .*--format ndjson > .*\\.ndjson'$`)),
      text: `ends with exit code 1: nothing tells which values of ${field} are null`,
    })
    const to = `${folder}/kept of ${field}`
    expect((await run(['recover', path, '--to', to])).code).toBe(3)
    const { text } = await run(['recover', path, '--to', to, '--drop-damaged', '--json'])
    expect(JSON.parse(text)).toMatchObject({ cells_lost: unknown })
    expect(await codesOf(to)).toEqual([])
    expect((await decoded(firstFragment(to))).cells).toEqual(
      (await decoded(firstFragment(PLACES), '--tiles', `${proven[0]}..${proven[0]}`)).cells,
    )
  })

  test('read fails there, as TileDB does', async () => {
    expect((await run(['read', path, '--format', 'ndjson'])).code).toBe(1)
  })
})

describe('if the statistics tell the validity of all lost cells', () => {
  const before = `${FIXTURES}/22/all_null_first_tile_char`

  test.each([
    ['missing', (file: string) => rmSync(file)],
    ['cut', (file: string) => truncateSync(file, readFileSync(file).length - 1)],
    ['overwritten', (file: string) => writeFileSync(file, readFileSync(file).fill(0xff))],
  ])('nothing is lost: %s', async (how, harm) => {
    const path = copyOf('22/all_null_first_tile_char', how)
    harm(`${firstFragment(path)}/a0_validity.tdb`)
    const cells = await decoded(firstFragment(path))
    expect(cells).toMatchObject({ code: 0, cells: (await decoded(firstFragment(before))).cells })
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([
      { outcome: 'mends', lost: ['nothing: the statistics tell which cells are null'], loses: [], keep: [] },
    ])
    expect(stepsOf(plans)[0].command).not.toContain('--drop-damaged')
    const to = `${folder}/mended ${how}`
    expect((await run(['recover', path, '--to', to])).code).toBe(0)
    expect((await run(['read', to])).text.split('\n').slice(1)).toEqual(
      (await run(['read', before])).text.split('\n').slice(1),
    )
    const [one] = fragmentNames(before)
    for (const name of readdirSync(`${before}/__fragments/${one}`))
      if (name.endsWith('.tdb') && !name.startsWith('__'))
        expect(readFileSync(`${to}/__fragments/${one}/${name}`)).toEqual(
          readFileSync(`${before}/__fragments/${one}/${name}`),
        )
    expect(await codesOf(to)).toEqual([])
  })

  test('what statistics prove is so, in every fixture', async () => {
    let proofs = 0
    for (const { path, kind, key } of fixtureFolders()) {
      if (kind !== 'array') continue
      const array = new InspectArray(new Folder(localFiles, path), contextFor({ key }))
      for (const { path: one } of await array.fragments()) {
        const fragment = array.fragment(one)
        const { slots } = await fragment.info()
        const nulls = new KnownNulls(fragment)
        const cells = await FragmentCells.open(fragment)
        for await (const { tile, rows, cell_num, columns } of cells.batches())
          for (const [i, column] of cells.columns.entries()) {
            if (!column.nullable) continue
            const slot = slots.findIndex(({ name }) => name === column.name)
            const proven = await nulls.proven(slot, tile)
            if (proven === undefined) continue
            proofs++
            const all = rows ?? Array.from({ length: cell_num }, (_, cell) => cell)
            const found = new Set([...all].map((cell) => Math.min(1, columns[i]?.validity?.[cell] ?? -1)))
            expect([path, tile, column.name, ...found]).toEqual([path, tile, column.name, proven])
          }
        await cells.close()
        await fragment.close()
      }
    }
    expect(proofs).toBeGreaterThan(40)
  })
})

test('dense tiles whose nulls are known stay, those whose nulls are not go', async () => {
  const path = copyOf('22/dense_basic', 'dense')
  for (const name of fragmentNames(path)) rmSync(`${path}/__fragments/${name}/a3_validity.tdb`)
  const { plans } = await planOf(path)
  expect(plans.flatMap(({ lost }) => lost).join()).toMatch(
    /^which cells of n are null, of \d+ cells \(tiles 0\.\.5 of 9/,
  )
  const to = `${folder}/dense.new`
  await run(['recover', path, '--to', to, '--drop-damaged'])
  expect(await codesOf(to)).toEqual([])
})

test('a lost file of offsets or values loses the cells, whatever its validity', async () => {
  for (const [file, field] of [
    ['a0.tdb', 'name'],
    ['d0.tdb', 'lat'],
  ] as const) {
    const { path, fragment } = copyOfPlaces(`no ${file}`)
    rmSync(`${fragment}/${file}`)
    expect((await planOf(path)).plans[0].lost[0]).toMatch(new RegExp(`^${field} of 40 cells `))
  }
  const { path, fragment } = copyOfPlaces('neither values nor validity')
  rmSync(`${fragment}/a1.tdb`)
  rmSync(`${fragment}/a1_validity.tdb`)
  const { plans } = await planOf(path)
  expect(plans.flatMap(({ lost }) => lost)).toEqual([expect.stringMatching(/^population of 40 cells /)])
  expect((await decoded(fragment)).cells.some((cell) => 'population' in cell)).toBe(false)
})

test('the steps of the plan mend', async () => {
  const { path, fragment } = copyOfPlaces('mended')
  rmSync(`${fragment}/a1_validity.tdb`)
  expect(await mendAndUndo(path)).toEqual([])
})
