import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { fixtureFolders } from '../helpers/fixtures.ts'
import { BY_PROGRAM, codesOf, content, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'
import { SEED, tries } from '../helpers/turn.ts'

const { folder, runSteps } = planFolder()
const PATHS = fixtureFolders()
  .filter(({ kind, key, path }) => kind === 'array' && key === undefined && existsSync(`${path}/__fragments`))
  .map(({ path }) => path)
  .filter((path) => readdirSync(`${path}/__fragments`).length > 1)

/** Lines of the cells of the fragments that readers see, or of all. */
async function cellsOf(array: string, withHidden = false): Promise<Set<string>> {
  const lines = new Set<string>()
  if (!existsSync(`${array}/__fragments`)) return lines
  const commits = existsSync(`${array}/__commits`) ? readdirSync(`${array}/__commits`) : []
  const lists = commits.filter((name) => name.endsWith('.vac'))
  const hidden = lists.map((name) => readFileSync(`${array}/__commits/${name}`, 'utf8')).join()
  for (const name of readdirSync(`${array}/__fragments`)) {
    if (!withHidden && hidden.includes(name)) continue
    const { text } = await run(['decode', `${array}/__fragments/${name}`, '--format', 'ndjson'])
    for (const line of text.split('\n')) lines.add(line)
  }
  return lines
}

/** A copy of an array in which a file of two fragments is exchanged, or two files of one; undefined if both are the same. */
function exchanged(random: Random, path: string, name: string) {
  const array = `${folder}/${name}`
  cpSync(path, array, { recursive: true })
  const names = readdirSync(`${array}/__fragments`)
  const one = random.pick(names)
  const isOfOne = random.below(2) === 0
  const other = isOfOne ? one : random.pick(names.filter((each) => each !== one))
  const files = readdirSync(`${array}/__fragments/${one}`)
  const dataFiles = files.filter((name) => name !== '__fragment_metadata.tdb')
  const file = random.pick(isOfOne ? dataFiles : files)
  const here = `${array}/__fragments/${one}/${file}`
  const there = `${array}/__fragments/${other}/${isOfOne ? random.pick(dataFiles) : file}`
  if (!existsSync(there) || readFileSync(here).equals(readFileSync(there))) return undefined
  renameSync(here, `${folder}/between`)
  renameSync(there, here)
  renameSync(`${folder}/between`, there)
  return { array, names: [one, other], file }
}

test('no cell that was never written comes out of exchanged files unseen', async () => {
  const random = new Random(SEED)
  let found = 0
  for (let i = 0; i < tries(4, 12, 400); i++) {
    const path = random.pick(PATHS)
    const made = exchanged(random, path, `${i}`)
    if (!made) continue
    const { array, names, file } = made
    const what = { path, names, file }
    const before = await codesOf(path)
    // Without statistics, nothing tells that files of equal sizes were exchanged.
    if ((await codesOf(array)).join() === before.join()) continue
    found++
    const written = await cellsOf(path, true)
    for (const option of [[], ['--drop-damaged']]) {
      const to = `${array}.new${option.length}`
      const { code, text, stderr } = await run(['recover', array, '--to', to, ...option])
      const isNamed = names.some((name) => `${text}${stderr}`.includes(name))
      const strange = existsSync(to) ? [...(await cellsOf(to))].filter((line) => !written.has(line)) : []
      if (strange.length > 0)
        expect({ ...what, option, code, isNamed }).toEqual({ ...what, option, code: 1, isNamed: true })
      else expect({ ...what, option, isRefused: code > 3 }).toEqual({ ...what, option, isRefused: false })
    }
    const { plans } = await planOf(array)
    if (!plans.every(({ outcome }) => outcome === 'mends' || outcome === 'leave')) continue
    runSteps(stepsOf(plans))
    const strange = [...(await cellsOf(array))].filter((line) => !written.has(line))
    expect({ ...what, strange }).toEqual({ ...what, strange: [] })
  }
  expect(found).toBeGreaterThan(0)
})

test.each([
  ['fields of one fragment', 'a0.tdb', 0, 'a1.tdb', 'NONE'],
  ['one field of two fragments', 'a0.tdb', 1, 'a0.tdb', 'NONE'],
  ['dimensions of one fragment', 'd0.tdb', 0, 'd1.tdb', 'NONE'],
  ['fields of one fragment, of other sizes', 'a0.tdb', 0, 'a1.tdb', 'ZSTD'],
  ['metadata of two fragments', '__fragment_metadata.tdb', 1, '__fragment_metadata.tdb', 'NONE'],
])('%s are exchanged back', async (what, file, other, otherFile, filters) => {
  const path = `${folder}/${what}`
  const fields = [
    ...['x', 'y'].flatMap((x) => ['--dim', `${x}:INT32:0..999:10`]),
    ...['a', 'b'].flatMap((a) => ['--attr', `${a}:INT32`]),
  ]
  const options = ['--cells', '60', '--capacity', '10', '--filters', filters, '--coords-filters', filters]
  expect((await run(['write-sample', path, ...fields, ...options, '--quiet'])).stderr).toBe('')
  const names = readdirSync(`${path}/__fragments`)
  const [here, there] = [`${path}/__fragments/${names[0]}/${file}`, `${path}/__fragments/${names[other]}/${otherFile}`]
  const before = content(path)
  renameSync(here, `${folder}/between`)
  renameSync(there, here)
  renameSync(`${folder}/between`, there)
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ outcome: 'mends', lost: [expect.stringMatching(/^nothing/)] }])
  runSteps(stepsOf(plans))
  expect(content(path)).toEqual(before)
})

test("metadata that is a copy of another fragment's is made anew from the data files", async () => {
  const path = `${folder}/copied metadata`
  const fields = ['--dim', 'x:INT32:0..999:10', '--attr', 'a:INT32', '--attr', 's:STRING_ASCII:var']
  await run([
    'write-sample',
    path,
    ...fields,
    '--cells',
    '31',
    '--capacity',
    '5',
    '--fragments',
    '1',
    '--timestamp',
    '10',
  ])
  const cells = `${path}.ndjson`
  writeFileSync(cells, [1, 2, 3, 4, 5, 6, 7].map((x) => `{"x":${x},"a":${x},"s":"text ${x}"}\n`).join(''))
  await run(['write-sample', path, '--append', '--timestamp', '20', '--data', cells])
  const [one, other] = readdirSync(`${path}/__fragments`).map((name) => `${path}/__fragments/${name}`)
  const before = await cellsOf(path)
  cpSync(`${one}/__fragment_metadata.tdb`, `${other}/__fragment_metadata.tdb`)
  const { text } = await run(['recover', other, '--to', `${path}.other`])
  expect(text).toContain('RECOVERED: all 7 cells')
  const { plans } = await planOf(path)
  expect(plans.flatMap(({ lost }) => lost)[0]).toMatch(/^nothing of its cells: the metadata is a copy of another/)
  if (BY_PROGRAM.length > 0) return
  runSteps(stepsOf(plans))
  expect(await codesOf(path)).toEqual([])
  expect(await cellsOf(path)).toEqual(before)
})
