import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { fragmentLoss } from '../../src/mend/tile-loss.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, fixtureFolders } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { BY_PROGRAM, codesOf, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { copyOf, folder, mendAndUndo, runSteps } = planFolder()

test('without any schema only a copy helps: fragments have no findings or steps of their own', async () => {
  const path = copyOf('22/vacuum_left', 'schemaless')
  rmSync(`${path}/__schema`, { recursive: true })
  expect(await codesOf(path)).toEqual(['ARRAY_NO_SCHEMA'])
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ findings: [{ code: 'ARRAY_NO_SCHEMA' }], finding_num: 1, outcome: 'copy' }])
  expect(stepsOf(plans).filter(({ command }) => command !== undefined)).toEqual([])
  // TileDB opens the array with a schema that the same code made, under the name that the fragments name.
  expect(plans[0].instead).toEqual([
    { text: expect.stringMatching(/make an empty array .*__schema\/__\d+_\d+_[0-9a-f]{32}; /) },
  ])
})

test.each([
  ['ENUMERATION_MISSING', /^put .*\/__schema\/__enumerations\/__\w+ back from a copy of the array$/],
  ['LABEL_MISSING', /^put .*\/__labels\/l1 back from a copy of the array$/],
] as const)('of %s, the plan names the file that is missing, not the schema that names it', async (code, expected) => {
  const path = `${folder}/missing-of-${code}`
  await run(['write-sample', path, '--damage', code])
  const { plans } = await planOf(path)
  const plan = plans.find(({ findings }) => findings.some((one) => one.code === code))
  expect(plan?.steps).toEqual([{ text: expect.stringMatching(expected) }])
})

test('a missing enumeration that was extended: an older file has its first values', async () => {
  const path = copyOf('labels/dropped', 'extended-missing')
  rmSync(fileOf(`${path}/__schema/__enumerations`, /^__2f21/))
  const { plans } = await planOf(path)
  const plan = plans.find(({ findings }) => findings.some(({ code }) => code === 'ENUMERATION_MISSING'))
  expect(plan?.not_lost).toEqual([
    expect.stringMatching(/^the first 2 values, .*__enumerations\/__00000001\S* has them$/),
  ])
  const { text } = await run(['schema', '--all', path])
  expect(text).toContain('2  20           the file of enumeration e is missing')
  expect(text).not.toContain('dropped enumeration')
})

test('the schema of a fragment is lost, and no other one fits its files: it comes back from a copy, or the fragment goes', async () => {
  const path = copyOf('22/evolved_sparse', 'lost-schema')
  const schema = fileOf(`${path}/__schema`, /172_26c9/)
  rmSync(schema)
  const { plans } = await planOf(path)
  const plan = plans.find(({ findings }) => findings.some(({ code }) => code === 'SCHEMA_MISSING'))
  expect(plan).toMatchObject({ outcome: 'copy', lost: ['its schema: no other one fits its files'] })
  expect(plan?.steps[0]).toEqual({ text: `put ${schema} back from a copy of the array` })
  runSteps(plan?.instead ?? [])
  expect(await codesOf(path)).toEqual([])
})

test.each([
  ['a:FLOAT32', 'none'],
  ['a:INT32', 'ZSTD'],
])(
  'the schema of a fragment is lost, and its metadata contradicts the other one: %s, %s',
  async (attribute, filters) => {
    const path = `${folder}/a schema of ${attribute}`
    const dimension = ['--dim', 'x:INT32:0..99:10', '--seed', '2']
    const of = (one: string, how: string): string[] => [
      ...dimension,
      '--attr',
      one,
      '--filters',
      how,
      '--fragments',
      '1',
    ]
    await run(['write-sample', path, ...of('a:INT32', 'none'), '--timestamp', '10'])
    await run(['write-sample', `${path}.other`, ...of(attribute, filters), '--timestamp', '20'])
    for (const part of ['__fragments', '__commits'])
      cpSync(
        fileOf(`${path}.other/${part}`, /^__20_/),
        `${path}/${part}/${fileOf(`${path}.other/${part}`, /^__20_/)
          .split('/')
          .at(-1)}`,
        { recursive: true },
      )
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'copy', lost: ['its schema: no other one fits its files'] }])
    const { code, stderr } = await run(['recover', path, '--to', `${path}.new`])
    expect([code, stderr]).toEqual([3, expect.stringMatching(/no other schema fits its cells \([A-Z_]+\)/)])
  },
)

test('the schema of a fragment is lost, but another one fits its files: a copy of the lost one may be better', async () => {
  const path = `${folder}/other-schema`
  await run(['write-sample', path, '--damage', 'SCHEMA_MISSING'])
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ outcome: 'mends' }])
  expect(plans[0].instead[0].text).toMatch(/^put .*\/__schema\/__1_1_\w+ back, if a copy of the array has it$/)
})

test('cells that recover drops because the metadata contradicts them are counted as lost', async () => {
  const path = `${folder}/zeros`
  const fields = ['--dim', 'i:INT32:0..99:10', '--attr', 'a:INT64', '--attr', 'b:INT64', '--filters', 'none']
  await run(['write-sample', path, '--dense', ...fields, '--cells', '100', '--fragments', '1'])
  const file = `${fileOf(`${path}/__fragments`, /^__/)}/a0.tdb`
  // Tiles of 100 bytes: tile 3 loses half of its values, the others their chunks.
  writeFileSync(file, readFileSync(file).fill(0, 350))
  const { plans } = await planOf(path)
  expect(plans[0].not_lost).toEqual(['30 other cells of this fragment, 0 other fragments'])
  // Only `--level cells` finds that tile 3 is damaged.
  const checked = await run(['check', path, '--plan', '--json'])
  expect(get(items(get(parseJson(checked.text), 'plans'))[0], 'not_lost')).toEqual(plans[0].not_lost)
  const to = `${folder}/zeros.new`
  const { text } = await run(['recover', path, '--to', to, '--drop-damaged', '--json'])
  expect(JSON.parse(text)).toMatchObject({ cells_lost: 70 })
})

test('an array that was copied into another one is moved out of it', async () => {
  const path = `${folder}/copied-into`
  await run(['write-sample', path])
  cpSync(path, `${path}-inner`, { recursive: true })
  renameSync(`${path}-inner`, `${path}/inner`)
  expect(await codesOf(path)).toEqual(['ARRAY_UNKNOWN_ENTRY'])
  expect(await mendAndUndo(path)).toEqual([])
})

test('the tiles of a fragment together have all its cells: padding of dense tiles does not count', async () => {
  let padded = 0
  for (const { path, kind, key, name } of fixtureFolders()) {
    if (kind !== 'array' || key !== undefined || !name.startsWith('22/')) continue
    const array = new InspectArray(new Folder(localFiles, path), contextFor({ key }))
    for (const { path: one, committed } of await array.fragments()) {
      if (!committed) continue
      const fragment = array.fragment(one)
      const info = await fragment.info()
      const tiles = new Set(Array.from({ length: info.tile_num }, (_, tile) => tile))
      const loss = await fragmentLoss(fragment, new Map([[info.slots[0].name, tiles]]))
      expect([name, loss?.cells]).toEqual([name, Number(loss?.all)])
      if (info.tile_num * info.cells_per_tile > Number(loss?.all)) padded += Number(info.dense)
      await fragment.close()
    }
  }
  expect(padded).toBeGreaterThan(0)
})

test('a consolidated fragment that lost cells gives way to those that it replaced', async () => {
  const path = `${folder}/replaced are there`
  cpSync(`${FIXTURES}/22/vacuum_left`, path, { recursive: true })
  const before = (await run(['read', path, '--format', 'ndjson'])).text
  const name = fragmentNames(path).find((one) => one.startsWith('__10_30_'))
  truncateSync(`${path}/__fragments/${name}/t.tdb`, 3)
  const { plans } = await planOf(path)
  expect(plans.map(({ outcome, lost }) => [outcome, lost])).toEqual([
    ['mends', ['nothing: the fragments that it replaced are still there']],
  ])
  runSteps(stepsOf(plans).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
  expect(await codesOf(path)).toEqual([])
  expect((await run(['read', path, '--format', 'ndjson'])).text).toBe(before)
})

test('cells are not written again in a format in which they would have the same fault', async () => {
  const { plans } = await planOf(`${FIXTURES}/unreadable/19_one_filter_type`)
  expect(plans).toMatchObject([{ outcome: 'leave', finding_num: 5 }])
  expect(plans[0].steps).toEqual([
    { text: expect.stringMatching(/the same fault: write the cells that decode shows into a new array$/) },
  ])
})

test('a consolidated fragment without a whole tile gives way to those that it replaced', async () => {
  const path = `${folder}/replaced are there too`
  cpSync(`${FIXTURES}/unreadable/7_consolidated_without_cells`, path, { recursive: true })
  const { plans } = await planOf(path)
  expect(plans.map(({ outcome, lost }) => [outcome, lost])).toEqual([
    ['mends', ['nothing: the fragments that it replaced are still there']],
  ])
  runSteps(stepsOf(plans).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
  expect(await codesOf(path)).toEqual([])
  expect((await run(['read', path, '--format', 'ndjson'])).text.trim().split('\n').length).toBe(2)
})

test('if nothing tells the box of a dense fragment, recover and the plan ask for it', async () => {
  const path = `${folder}/without a box`
  cpSync(`${FIXTURES}/22/dense_basic`, path, { recursive: true })
  const newer = fragmentNames(path).find((name) => name.startsWith('__20_20_'))
  rmSync(`${path}/__fragments/${newer}/__fragment_metadata.tdb`)
  const { plans } = await planOf(path)
  expect(plans[0]).toMatchObject({ outcome: 'copy', back: [] })
  expect(plans[0].lost).toContain('where its cells are: nothing tells the box that they fill')
  const [recover, swap] = plans[0].instead
  expect(recover.command).toMatch(/ --domain \w+=LO\.\.HI --domain \w+=LO\.\.HI$/)
  if (BY_PROGRAM.length > 0) return
  const [{ nonempty_domain }] = JSON.parse(
    (await run(['ls', `${FIXTURES}/22/dense_basic`, '--json'])).text,
  ).fragments.filter(({ name }: { name: string }) => name === newer)
  let d = 0
  const command = recover.command?.replaceAll('LO..HI', () => nonempty_domain[d++].join('..')) ?? ''
  runSteps([{ command }, swap])
  // Of the other fragment, as TileDB counts these nulls.
  expect(await codesOf(path)).toEqual(['TILE_NULL_COUNT'])
})

test('a step says that recover ends with exit code 1 if it leaves errors', async () => {
  const path = `${folder}/errors that stay`
  cpSync(`${FIXTURES}/22/sparse_consolidated`, path, { recursive: true })
  const [name] = fragmentNames(path)
  const now = name.replace(/^__\d+_\d+/, '__1_2')
  renameSync(`${path}/__fragments/${name}`, `${path}/__fragments/${now}`)
  renameSync(`${path}/__commits/${name}.wrt`, `${path}/__commits/${now}.wrt`)
  const file = `${path}/__fragments/${now}/__fragment_metadata.tdb`
  const bytes = readFileSync(file)
  const { text } = await run(['footer', `${path}/__fragments/${now}`, '--json'])
  bytes[(JSON.parse(text) as { rtree_offset: number }).rtree_offset + 60] ^= 1
  writeFileSync(file, bytes)
  expect(new Set(await codesOf(path))).toEqual(new Set(['SECTION_UNREADABLE', 'CELL_TIMESTAMP']))
  const { plans } = await planOf(path)
  expect(stepsOf(plans)[0]).toMatchObject({
    command: expect.stringContaining('tiledb-inspect recover '),
    text: 'ends with exit code 1, because it does not mend all errors',
  })
  if (BY_PROGRAM.length === 0) expect(new Set(await mendAndUndo(path))).toEqual(new Set(['CELL_TIMESTAMP']))
})

test('of tiles in many places the first are named, and their number', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/rtree_levels`), contextFor({ key: undefined }))
  const [{ path }] = await array.fragments()
  const fragment = array.fragment(path)
  const lossOf = async (...tiles: number[]) => (await fragmentLoss(fragment, new Map([['x', new Set(tiles)]])))?.lost
  const { tile_num } = await fragment.info()
  expect(await lossOf(0, 1, 2, 4, 6, 8)).toMatchObject([
    { of: expect.stringContaining(`(tiles 0..2, 4, 6, 8 of ${tile_num}`) },
  ])
  expect(await lossOf(0, 1, 3, 5, 7, 9)).toMatchObject([
    { of: expect.stringContaining(`(6 of ${tile_num} tiles: 0..1, 3, 5 and others,`) },
  ])
  await fragment.close()
})

test('the plan of an encrypted array names the key in each call, and no other fields where there are none', async () => {
  const path = `${folder}/encrypted`
  const key = ['--key', '0123456789abcdef0123456789abcdef']
  const fields = ['--dim', 'i:INT32:0..99:10', '--attr', 'a:INT64', '--cells', '100', '--fragments', '1']
  await run(['write-sample', path, '--dense', ...fields, ...key])
  const file = `${fileOf(`${path}/__fragments`, /^__/)}/a0.tdb`
  const bytes = readFileSync(file)
  bytes[bytes.length - 1] ^= 1
  writeFileSync(file, bytes)
  const { plans } = await planOf(path, ...key)
  expect(plans).toMatchObject([{ loses: [] }])
  const calls = stepsOf(plans).flatMap(({ command }) => (command?.startsWith('tiledb-inspect') ? command : []))
  expect(calls).toEqual([
    expect.stringMatching(/^tiledb-inspect recover --key-file KEY .* --drop-damaged$/),
    expect.stringMatching(/^tiledb-inspect check --key-file KEY --level cells /),
  ])
})
