import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { chdir, cwd, env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FINDING_CODES, type FindingCode } from '../../src/check/codes.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import type { PlanDocument, PlanFinding, PlanLine, PlanStep } from '../../src/documents/plan.ts'
import { lastPathPart } from '../../src/format/commit-files.ts'
import { type Way, wayOfCode } from '../../src/mend/mending.ts'
import { fragmentLoss } from '../../src/mend/tile-loss.ts'
import { localStorage } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, fixtureFolders } from '../helpers/fixtures.ts'
import { filesBelow, temporaryFolder } from '../helpers/folders.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const folder = temporaryFolder()
const server = await serveFolder(folder, { index: true })
const CODES = Object.keys(FINDING_CODES) as FindingCode[]
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Ways whose steps need the built program. */
const BY_PROGRAM: readonly Way[] = existsSync(`${ROOT}dist/cli`) ? [] : ['recover', 'statistics', 'drop', 'rewrite']
/** Ways whose steps need TileDB: test/tiledb/plan.py runs those. Ways without steps. */
const NOT_RUN: readonly Way[] = ['members', 'schema', 'copy', 'leave', ...BY_PROGRAM]
/** Damage that only a copy mends although others of its code can be mended; that which needs Python. */
const ONLY_COPY: readonly FindingCode[] = ['SCHEMA_UNREADABLE', 'COORDINATE_DUPLICATE', 'SCHEMA_FILTER_OPTIONS']
const MENDED = CODES.filter((code) => !NOT_RUN.includes(wayOfCode(code)) && !ONLY_COPY.includes(code))
// Its schema is written anew without a change, which needs no Python.
if (BY_PROGRAM.length === 0) MENDED.push('GENERIC_TILE_HEADER')

async function planOf(path: string, ...options: readonly string[]): Promise<PlanDocument> {
  const { text } = await run(['check', '--plan', '--level', 'cells', '--all', '--json', path, ...options])
  return JSON.parse(text)
}

async function codesOf(path: string): Promise<string[]> {
  const { text } = await run(['check', '--level', 'cells', '--all', '--json', path])
  return (JSON.parse(text) as { findings: { code: string }[] }).findings.map(({ code }) => code)
}

/** Where a shell finds the program by its name. */
const bin = `${folder}/bin`
mkdirSync(bin)
writeFileSync(`${bin}/tiledb-inspect`, `#!/bin/sh\nexec "${execPath}" "${ROOT}bin/tiledb-inspect.js" "$@"\n`, {
  mode: 0o755,
})

/** Runs the commands of steps as they are printed. The program ends with 1 if cells are lost. */
function runSteps(steps: readonly PlanStep[]): void {
  for (const { command } of steps) {
    if (command === undefined) continue
    const { status, stderr } = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      env: { ...env, PATH: `${bin}:${env.PATH}` },
    })
    expect({ command, stderr: status === 1 ? '' : stderr }).toEqual({ command, stderr: '' })
    expect(status).toBeLessThanOrEqual(command.includes('tiledb-inspect') ? 1 : 0)
  }
}

const stepsOf = (plans: readonly Pick<PlanLine, 'steps'>[]): PlanStep[] => plans.flatMap(({ steps }) => steps)
const backOf = (plans: readonly PlanLine[]): PlanStep[] => [...plans].reverse().flatMap(({ back }) => back)

/** Every file with its bytes. */
function content(path: string): [string, string][] {
  return [...filesBelow(path, '')].map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')])
}

/** The steps of all plans are run, then undone. @returns what check says in between */
async function mendAndUndo(path: string): Promise<string[]> {
  const before = content(path)
  const { plans } = await planOf(path)
  runSteps(stepsOf(plans))
  const found = await codesOf(path)
  runSteps(backOf(plans))
  expect(content(path)).toEqual(before)
  return found
}

/** What check finds in 22/commits_consolidated itself: TileDB vacuumed the file of its delete condition. */
const BEFORE = ['DELETE_CONDITION_FILE']

describe('the printed steps mend the damage, and the back steps undo them byte for byte', () => {
  test.each(shortTurn(MENDED, 12, 4))('%s', async (code) => {
    const path = `${folder}/it's a ${code}`
    await run(['write-sample', path, '--damage', code])
    expect(await codesOf(path)).toContain(code)
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('are all codes that a shell can mend', () => {
    expect(MENDED.length).toBeGreaterThanOrEqual(BY_PROGRAM.length > 0 ? 33 : 78)
  })
})

describe('every code', () => {
  test.each(shortTurn(CODES, 20, 2))('%s has a plan that says what is lost', async (code) => {
    const path = `${folder}/plan of ${code}`
    await run(['write-sample', path, '--damage', code])
    const { plans, finding_num } = await planOf(path)
    const total = plans.reduce((sum, plan) => sum + plan.finding_num, 0)
    expect(total).toBe(finding_num.error + finding_num.warning + finding_num.note)
    const plan = plans.find(({ findings }) => findings.some((one) => one.code === code))
    expect(plan?.lost.join('')).not.toBe('')
    if (plan?.outcome === 'mends' || plan?.outcome === 'loses') expect(plan.steps).not.toEqual([])
    if (plan?.outcome === 'mends') expect(plan.lost.filter((text) => !text.startsWith('nothing'))).toEqual([])
  })

  test('has a damage', () => {
    expect(Object.keys(DAMAGES).sort()).toEqual([...CODES].sort())
  })
})

/** A copy of a fixture that tests damage in another way than write-sample does. */
function copyOf(fixture: string, name: string): string {
  const path = `${folder}/${name}`
  cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
  return path
}

const fileOf = (path: string, part: RegExp): string => {
  const found = readdirSync(path).find((name) => part.test(name))
  if (found === undefined) throw new TypeError(`nothing in ${path} matches ${part}`)
  return `${path}/${found}`
}

describe('damage that write-sample does not make', () => {
  test('consolidated commits name a fragment that is gone', async () => {
    const path = copyOf('22/commits_consolidated', 'line')
    rmSync(fileOf(`${path}/__fragments`, /^__10_10_/), { recursive: true })
    expect(await codesOf(path)).toContain('COMMIT_DANGLING')
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({
      outcome: 'loses',
      lost: [expect.stringMatching(/^all cells of the fragment __10_/)],
    })
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })

  test('an interrupted vacuum removed one fragment, but not another', async () => {
    const path = copyOf('22/vacuum_left', 'vacuum')
    rmSync(fileOf(`${path}/__fragments`, /^__10_10_/), { recursive: true })
    rmSync(fileOf(`${path}/__commits`, /^__10_10_.*wrt$/))
    expect(await codesOf(path)).toEqual(['VACUUM_DANGLING'])
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('an interrupted vacuum removed a fragment, but not its commit: the consolidated fragment has its cells', async () => {
    const path = copyOf('22/vacuum_left', 'vacuum-commit')
    rmSync(fileOf(`${path}/__fragments`, /^__10_10_/), { recursive: true })
    expect((await codesOf(path)).sort()).toEqual(['COMMIT_DANGLING', 'VACUUM_DANGLING'])
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: [expect.stringMatching(/^nothing/)], never: [] })
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('the metadata of a fragment that waits for vacuum is cut off', async () => {
    const path = copyOf('22/vacuum_left', 'hidden')
    const file = `${fileOf(`${path}/__fragments`, /^__10_10_/)}/__fragment_metadata.tdb`
    writeFileSync(file, readFileSync(file).subarray(0, 50))
    // A sparse array of format 22: TileDB reads the fragment at no time.
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends', loses: [] }])
    expect(plans[0].lost).toContainEqual(expect.stringMatching(/readers skip this one at all times$/))
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('the commits of all fragments are gone, with their folder', async () => {
    const path = copyOf('22/duplicates', 'nothing')
    rmSync(`${path}/__commits`, { recursive: true })
    expect(await codesOf(path)).toContain('ARRAY_READS_EMPTY')
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('an old fragment without its mark', async () => {
    const path = copyOf('10/sparse_basic', 'mark')
    rmSync(fileOf(path, /\.ok$/))
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('one fragment of several has a name in nanoseconds', async () => {
    const path = copyOf('22/duplicates', 'nanoseconds')
    const old = fileOf(`${path}/__fragments`, /^__30_30_/).replace(/.*\//, '')
    const far = old.replace(/^__\d+_\d+/, '__1700000000000000000_1700000000000000000')
    renameSync(`${path}/__fragments/${old}`, `${path}/__fragments/${far}`)
    renameSync(`${path}/__commits/${old}.wrt`, `${path}/__commits/${far}.wrt`)
    expect(await codesOf(path)).toEqual(['FRAGMENT_FUTURE'])
    expect((await planOf(path)).plans[0].steps[0].command).toMatch(/__1700000000000_1700000000000_[^/]*$/)
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('a failed write is moved out after a warning about its writer; committing its whole cells is offered', async () => {
    const path = copyOf('22/duplicates', 'failed')
    const mark = fileOf(`${path}/__commits`, /^__/)
    rmSync(mark)
    const { plans } = await planOf(path)
    expect(plans).toHaveLength(1)
    expect(plans[0].steps[0].text).toMatch(/no writer/)
    expect(plans[0].instead).toMatchObject([{ command: expect.stringMatching(/^: > .*\.wrt$/) }])
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('several plans of one array work in succession', async () => {
    const path = copyOf('22/commits_consolidated', 'several')
    writeFileSync(`${path}/notes.txt`, 'x')
    writeFileSync(fileOf(`${path}/__commits`, /\.con$/), 'notes\n', { flag: 'a' })
    mkdirSync(`${path}/__fragments/__5_5_0123456789abcdef0123456789abcdef_22`)
    writeFileSync(`${path}/__fragments/__5_5_0123456789abcdef0123456789abcdef_22/a0.tdb`, 'x')
    expect(new Set(await codesOf(path))).toEqual(
      new Set(['ARRAY_UNKNOWN_ENTRY', 'COMMIT_UNREADABLE', 'FRAGMENT_UNCOMMITTED', 'FRAGMENT_NO_METADATA', ...BEFORE]),
    )
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })
})

/** Gives a fragment, its commit and all lines that name it another name. */
function renameAll(path: string, old: string, name: string): void {
  for (const folder of ['__fragments', '__commits'])
    for (const file of readdirSync(`${path}/${folder}`)) {
      const at = `${path}/${folder}/${file}`
      if (folder === '__commits') writeFileSync(at, readFileSync(at, 'latin1').replaceAll(old, name), 'latin1')
      if (file.startsWith(old)) renameSync(at, `${path}/${folder}/${name}${file.slice(old.length)}`)
    }
}

const nameOf = (path: string, part: RegExp): string => lastPathPart(fileOf(`${path}/__fragments`, part))

describe('names and places of several fragments', () => {
  test.each([true, false])(
    'all fragments lie in the folder of old fragments, and their own folder is gone; with commits: %s',
    async (commits) => {
      const path = copyOf('22/duplicates', `astray ${commits}`)
      for (const name of readdirSync(`${path}/__fragments`))
        renameSync(`${path}/__fragments/${name}`, `${path}/${name}`)
      rmSync(`${path}/__fragments`, { recursive: true })
      if (!commits) rmSync(`${path}/__commits`, { recursive: true })
      // Each folder is made once.
      const made = stepsOf((await planOf(path)).plans).filter(({ command }) => command?.startsWith('mkdir '))
      expect(made.length).toBe(commits ? 1 : 2)
      expect(await mendAndUndo(path)).toEqual([])
    },
  )

  test.each([
    ['a later time first', (name: string) => name.replace(/^__20_20_/, '__25_20_')],
    ['microseconds', (name: string) => name.replace(/^__20_20_/, '__1700000000000000_1700000000000000_')],
  ])('%s, in consolidated commits: the line goes, and a mark takes its place', async (what, changed) => {
    const path = copyOf('22/commits_consolidated', `consolidated ${what}`)
    const name = nameOf(path, /^__20_20_/)
    renameAll(path, name, changed(name))
    expect((await codesOf(path)).length).toBeGreaterThan(BEFORE.length)
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })

  test('a fragment in a vacuum list is not read again', async () => {
    const path = copyOf('22/vacuum_left', 'listed')
    const name = nameOf(path, /^__20_20_/)
    renameAll(path, name, name.replace(/^__20_20_/, '__25_20_'))
    expect(await codesOf(path)).toContain('FRAGMENT_TIMESTAMPS')
    const before = await run(['read', copyOf('22/vacuum_left', 'listed whole'), '--format', 'ndjson'])
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome }) => outcome)).toEqual(['mends'])
    runSteps(stepsOf(plans))
    expect(await codesOf(path)).toEqual([])
    expect((await run(['read', path, '--format', 'ndjson'])).text).toBe(before.text)
  })

  /** Gives all fragments other times in their names. */
  const retimed = (path: string, times: (time: bigint) => bigint): void => {
    for (const name of readdirSync(`${path}/__fragments`))
      renameAll(
        path,
        name,
        name.replace(/^__(\d+)_(\d+)_/, (_, a, b) => `__${times(BigInt(a))}_${times(BigInt(b))}_`),
      )
  }

  test('consolidated fragments in microseconds: those that they replaced get names in milliseconds', async () => {
    for (const fixture of ['22/vacuum_left', '22/dense_vacuum_left']) {
      const path = copyOf(fixture, `microseconds of ${lastPathPart(fixture)}`)
      const before = await run(['read', path, '--format', 'ndjson'])
      retimed(path, (time) => 1_700_000_000_000_000n + time * 1000n)
      const { plans } = await planOf(path)
      expect(plans.map(({ outcome }) => outcome)).toEqual(['mends'])
      expect(await mendAndUndo(path)).toEqual([])
      runSteps(stepsOf(plans))
      expect((await run(['read', path, '--format', 'ndjson'])).text).toBe(before.text)
    }
  })

  test('fragments that were consolidated twice give way to those that were written', async () => {
    const path = `${folder}/consolidated twice`
    const write = (x: number) => ({ step: 'write', cells: [{ x, a: x }], time: 1_700_000_000_000_000 + 1000 * x })
    const schema = { dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }] }
    const attributes = [{ name: 'a', type: 'INT32' }]
    const consolidate = { step: 'consolidate' }
    const steps = [
      { step: 'create', schema: { array_type: 'sparse', ...schema, attributes }, time: 1 },
      ...[write(0), write(1), consolidate, write(2), write(3), consolidate],
    ]
    writeFileSync(`${path}.json`, JSON.stringify({ steps }))
    expect((await run(['write-sample', path, '--steps', `${path}.json`])).stderr).toBe('')
    expect(await codesOf(path)).toContain('FRAGMENT_FUTURE')
    expect(await mendAndUndo(path)).toEqual([])
    runSteps(stepsOf((await planOf(path)).plans))
    const { text } = await run(['read', path, '--format', 'ndjson', '--as-of', '1700000000001'])
    expect(text).toBe('{"x":0,"a":0}\n{"x":1,"a":1}\n')
  })

  test('times that are too late for microseconds: the names stay', async () => {
    const path = copyOf('22/vacuum_left', 'listed in the future')
    retimed(path, (time) => 9_000_000_000_000n + time)
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome }) => outcome)).toEqual(plans.map(() => 'leave'))
    expect(stepsOf(plans)).toContainEqual({ text: expect.stringMatching(/^it keeps its name: \S+\.vac lists it/) })
    expect(stepsOf(plans)).toContainEqual({ text: expect.stringMatching(/^open the array at that time, /) })
  })

  /** An array with cells that have times of their own, a millisecond, or so many units, apart. */
  const timed = async (name: string, from: number, step: number): Promise<string> => {
    const path = `${folder}/${name}`
    const cells = [0, 1, 1, 2].map((x, i) => `{"x":${x},"a":${i},"__timestamps":${from + step * i}}\n`)
    writeFileSync(`${path}.ndjson`, cells.join(''))
    const fields = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32']
    await run(['write-sample', path, ...fields, '--data', `${path}.ndjson`])
    return path
  }

  test('cells with times of their own in microseconds are written again', async () => {
    if (BY_PROGRAM.length > 0) return
    const path = await timed('cells in microseconds', 1_700_000_000_000_000, 1000)
    expect(await codesOf(path)).toEqual(['FRAGMENT_FUTURE', 'ARRAY_READS_EMPTY'])
    expect(await mendAndUndo(path)).toEqual([])
    runSteps(stepsOf((await planOf(path)).plans))
    const { text } = await run(['decode', path, '--all-fragments', '--format', 'ndjson'])
    expect([...text.matchAll(/"__timestamps":(\d+)/g)].map(([, time]) => Number(time)).sort()).toEqual(
      [0, 1, 2, 3].map((i) => 1_700_000_000_000 + i),
    )
  })

  test('cells with times of their own in milliseconds: only the name is changed', async () => {
    const path = await timed('name in microseconds', 1_700_000_000_000, 1)
    retimed(path, (time) => time * 1000n)
    const { plans } = await planOf(path)
    expect(stepsOf(plans)[0].command).toMatch(/^mv .*\/__1700000000000_1700000000003_[0-9a-f]+_22.$/)
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('cells with times of their own that no unit explains: the name stays', async () => {
    const path = await timed('times of no unit', 10, 1)
    retimed(path, (time) => 1_700_000_000_000_000n + time)
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome }) => outcome)).toEqual(plans.map(() => 'leave'))
  })

  test('swapped times in a name are swapped back, whatever the times of the cells', async () => {
    const path = copyOf('22/sparse_consolidated', 'changed places')
    const [name] = readdirSync(`${path}/__fragments`)
    renameAll(path, name, name.replace(/^__(\d+)_(\d+)_/, '__$2_$1_'))
    expect(await codesOf(path)).toEqual(['FRAGMENT_TIMESTAMPS', 'COMMIT_NAME_INVALID'])
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('a consolidated fragment has lost its commit, while another fragment is read', async () => {
    const path = copyOf('22/vacuum_left', 'replacement')
    const whole = nameOf(path, /^__10_(?!10_)/)
    const cells = `${folder}/replacement.ndjson`
    writeFileSync(cells, (await run(['read', path, '--format', 'ndjson', '--raw'])).text)
    expect(await run(['write-sample', path, '--append', '--timestamp', '90', '--data', cells])).toMatchObject({
      code: 0,
    })
    rmSync(`${path}/__commits/${whole}.wrt`)
    expect(await codesOf(path)).toContain('VACUUM_HIDES_CELLS')
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends' }])
    expect(plans[0].never).toEqual([expect.stringMatching(/^run tiledb\.vacuum\(.*\) before these steps: /)])
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('an unfinished write with damaged metadata is moved out as a whole', async () => {
    const path = copyOf('22/duplicates', 'unfinished')
    const name = nameOf(path, /^__10_/)
    rmSync(`${path}/__commits/${name}.wrt`)
    writeFileSync(`${path}/__fragments/${name}/__fragment_metadata.tdb`, 'x')
    expect((await planOf(path)).plans).toHaveLength(1)
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('a file that is no schema is moved out, whatever else is damaged; one that a fragment may need stays', async () => {
    const path = copyOf('22/duplicates', 'draft')
    writeFileSync(`${path}/__schema/draft`, 'x')
    const metadata = `${fileOf(`${path}/__fragments`, /^__10_/)}/__fragment_metadata.tdb`
    writeFileSync(metadata, readFileSync(metadata).subarray(0, 50))
    const of = async (code: string): Promise<PlanLine | undefined> =>
      (await planOf(path)).plans.find(({ findings }) => findings[0].code === code)
    expect(await of('SCHEMA_NAME_INVALID')).toMatchObject({ outcome: 'mends' })
    cpSync(fileOf(`${path}/__schema`, /^__\d/), `${path}/__schema/__1_1_copy`)
    rmSync(`${path}/__schema/draft`)
    expect(await of('SCHEMA_NAME_INVALID')).toMatchObject({
      outcome: 'leave',
      lost: [expect.stringMatching(/^nothing: 1 of \d+ fragments need it as their schema, or may need it$/)],
    })
  })

  test('cells are not written again with a schema of other attributes', async () => {
    const path = `${folder}/other attributes`
    await run(['write-sample', path, '--damage', 'CELL_VALIDITY'])
    const other = `${folder}/other schema`
    const dimensions = ['--dim', 'x:INT32:0..99:10', '--dim', 'y:INT32:-50..49:25']
    await run(['write-sample', other, ...dimensions, '--attr', 'n:INT32:nullable', '--cells', '0'])
    cpSync(fileOf(`${other}/__schema`, /^__\d/), `${path}/__schema/__9_9_0123456789abcdef0123456789abcdef`)
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([
      {
        outcome: 'leave',
        steps: [{ text: expect.stringMatching(/the schema of the array has other attributes now$/) }],
      },
    ])
  })

  test('the copy of the footer of a damaged fragment is moved out with it', async () => {
    const path = copyOf('22/fragment_metadata_consolidated', 'copies')
    const metadata = `${fileOf(`${path}/__fragments`, /^__10_/)}/__fragment_metadata.tdb`
    writeFileSync(metadata, readFileSync(metadata).subarray(0, 50))
    if (BY_PROGRAM.length === 0) expect(await mendAndUndo(path)).toEqual([])
  })
})

describe('damaged tiles', () => {
  test('the plan says which cells are lost, where they lie, and what it drops with them', async () => {
    const path = `${folder}/tiles`
    await run(['write-sample', path, '--damage', 'CHECKSUM_MISMATCH'])
    const { plans } = await planOf(path)
    expect(plans).toHaveLength(1)
    const [{ lost, not_lost, loses, keep, steps, back, never, outcome }] = plans
    expect(outcome).toBe('loses')
    expect(lost).toEqual([expect.stringMatching(/^a of 5 cells \(tile 5 of 6, x 90\.\.98, y -47\.\.-7\)$/)])
    expect(not_lost).toEqual(['40 other cells of this fragment, 0 other fragments'])
    expect(loses).toEqual(['the other fields of 5 cells'])
    expect(keep[0].command).toMatch(/^tiledb-inspect decode .* --tiles 5\.\.5 --field s .*-o .*\.kept-5\.ndjson$/)
    expect(steps[0].command).toMatch(
      /^mkdir -p \S+tiles\.aside\/__fragments && tiledb-inspect recover \S+tiles\/__fragments\/(\S+) --to \S+tiles\.\1\.new --drop-damaged$/,
    )
    expect(steps[1].command).toMatch(/^test -d (\S+)\.new && test ! -e \S+ && mv (\S+) \S+ && mv \1\.new \2$/)
    expect(back[0].command).toMatch(/^test -d (\S+) && mv (\S+) \S+\.new && mv \1 \2$/)
    expect(never[0]).toMatch(/^delete the fragment without these steps: a commit names it/)
    const { text } = await run(['check', '--plan', '--level', 'cells', path], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toMatch(
      /^ {2}also lost the other fields of 5 cells\n {12}`keep` saves the values of these cells in a file: run it first\n {2}keep {6}0 {2}/m,
    )
  })

  test('if a delete condition reads a lost field, reads of all fields fail', async () => {
    const path = copyOf('22/deletes', 'deletes')
    const fragment = `${path}/__fragments/${readdirSync(`${path}/__fragments`)[0]}`
    rmSync(`${fragment}/a0.tdb`)
    rmSync(`${fragment}/a1.tdb`)
    const { plans } = await planOf(path)
    const fails = 'reads of all fields fail there, too: the delete condition'
    expect(plans.flatMap((plan) => plan.lost)).toEqual([
      `a of 12 cells (tiles 0..1 of 2, x 1..17, y 2..19); ${fails} \`a < 20\` reads a`,
      `s of 12 cells (tiles 0..1 of 2, x 1..17, y 2..19); ${fails} \`(a >= 40 and a <= 60) or s == "oak"\` reads s`,
    ])
  })

  test('of a wrong header of a tile, the plan does not say that no reader needs the file', async () => {
    const path = `${folder}/header`
    await run(['write-sample', path, '--damage', 'GENERIC_TILE_HEADER'])
    expect((await planOf(path)).plans[0].lost).toEqual([
      'nothing: readers need this file, but not the part of it that is wrong',
    ])
  })

  test('values whose coordinates are lost are not kept: nothing tells where they belong', async () => {
    const path = copyOf('22/deletes', 'no coordinates')
    const fragment = `${path}/__fragments/${readdirSync(`${path}/__fragments`)[0]}`
    truncateSync(`${fragment}/d0.tdb`, statSync(`${fragment}/d0.tdb`).size - 1)
    const lostPlaces = (cells: number): string =>
      `where ${cells} cells were: without x, nothing tells where their other values belong`
    const one = await planOf(path)
    expect(one.plans.map(({ keep }) => keep)).toEqual([[]])
    expect(one.plans[0].lost).toContain(lostPlaces(6))
    // The other tile still has its coordinates.
    rmSync(`${fragment}/a1.tdb`)
    const two = await planOf(path)
    expect(two.plans[0].lost).toContain(lostPlaces(6))
    const [{ command = '' }, ...more] = two.plans[0].keep
    expect([command, more]).toEqual([expect.stringMatching(/ --tiles 0\.\.0 --field a --field y -o /), []])
    rmSync(`${fragment}/d0.tdb`)
    const all = await planOf(path)
    expect(all.plans.map(({ keep }) => keep)).toEqual([[]])
    expect(all.plans[0].lost).toContain(lostPlaces(12))
  })

  test('a file that is cut short loses the tiles after the cut', async () => {
    const path = `${folder}/short`
    await run(['write-sample', path, '--damage', 'FILE_SHORT'])
    const { plans } = await planOf(path, '--level', 'structure')
    expect(plans[0].lost).toEqual([expect.stringMatching(/^p of 5 cells \(tile 5 of 6, /)])
  })

  describe('older values that readers see again after cells are dropped', () => {
    /** An array of which each write has one cell at each of the coordinates; a value of the one at time 2000 is damaged. */
    async function written(
      name: string,
      writes: Readonly<Record<number, readonly number[]>>,
      options: readonly string[] = [],
    ): Promise<PlanDocument> {
      const path = `${folder}/older ${name}`
      const data = `${folder}/older.ndjson`
      const fields = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT64', '--filters', 'CHECKSUM_MD5', '--capacity', '2']
      for (const [time, cells] of Object.entries(writes)) {
        writeFileSync(
          data,
          cells
            .map((x) => `${JSON.stringify({ x, a: Number(time), ...(options.includes('b:INT8') && { b: 1 }) })}\n`)
            .join(''),
        )
        const how = existsSync(path) ? ['--append'] : [...fields, ...options]
        await run(['write-sample', path, ...how, '--data', data, '--timestamp', time])
      }
      const file = `${fileOf(`${path}/__fragments`, /^__2000_2000_/)}/a0.tdb`
      const bytes = readFileSync(file)
      bytes[bytes.length - 1] ^= 1
      writeFileSync(file, bytes)
      return planOf(path)
    }

    test('are counted by the boxes of fragments', async () => {
      // Tile 1, of 60 and 61, is damaged.
      const { plans, path } = await written('counted', {
        1000: [0, 99],
        1500: [61, 62],
        1600: [1, 2],
        2000: [1, 2, 60, 61],
        3000: [60, 61],
      })
      expect(plans.map(({ lost }) => lost)).toEqual([['a of 2 cells (tile 1 of 2, x 60..61)']])
      expect(plans[0].brings_back).toEqual([
        '2 older fragments overlap the box of these cells: where they hold the same cells, readers see their older values again',
      ])
      const { text } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
      expect(text).toContain('\n  returns   2 older fragments overlap the box of these cells: where they hold\n')
    })

    test('are found by the boxes of dense tiles, too', async () => {
      const data = [...Array(20).keys()]
      const { plans } = await written('dense box', { 2000: data }, ['--dense'])
      expect(plans.map(({ lost }) => lost)).toEqual([['a of 10 cells (tile 1 of 2, x 10..19)']])
      expect(plans[0].keep).toEqual([])
      const more = await written('dense fields', { 2000: data }, ['--dense', '--attr', 'b:INT8'])
      expect(more.plans[0].keep.map(({ command }) => command)).toEqual([
        expect.stringMatching(/^tiledb-inspect decode .* --tiles 1\.\.1 --field b --field x -o .*\.kept-1\.ndjson'?$/),
      ])
    })

    test('do not exist if no older fragment overlaps, or if the array allows duplicates', async () => {
      const apart = await written('apart', { 1000: [1, 59], 2000: [1, 2, 60, 61], 3000: [60, 61] })
      expect(apart.plans.map(({ brings_back }) => brings_back)).toEqual([[]])
      const all = await written('all', { 1000: [60, 61], 2000: [60, 61] }, ['--duplicates'])
      expect(all.plans.map(({ outcome, brings_back }) => [outcome, brings_back])).toEqual([['loses', []]])
    })

    test('are those of dense fragments, too', async () => {
      const cells = Array.from({ length: 20 }, (_, x) => x)
      const dense = await written('dense', { 1000: cells, 2000: cells }, ['--dense'])
      expect(dense.plans.map(({ lost, brings_back }) => [lost.length, brings_back])).toEqual([
        [
          1,
          [expect.stringMatching(/^1 older fragment overlaps the box of these cells: where it holds the same cells, /)],
        ],
      ])
    })

    test('may exist if a whole fragment is gone', async () => {
      const path = copyOf('22/commits_consolidated', 'gone')
      rmSync(fileOf(`${path}/__fragments`, /^__20_20_/), { recursive: true })
      expect((await planOf(path)).plans[0].brings_back).toEqual([
        '1 older fragment may hold the same cells: there readers see its older values again',
      ])
    })
  })

  test('files of a fragment whose metadata is misread are not moved', async () => {
    const path = `${folder}/misread`
    await run(['write-sample', path, '--damage', 'FOOTER_DENSE'])
    const { plans } = await planOf(path)
    // check takes the coordinates for files of no field.
    expect(await codesOf(path)).toContain('FILE_UNLISTED')
    expect(stepsOf(plans).filter(({ command }) => command?.includes('d0.tdb'))).toEqual([])
  })

  test('the plan says what it assumes about a schema', async () => {
    const path = `${folder}/capacity`
    await run(['write-sample', path, '--damage', 'SCHEMA_CAPACITY'])
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([
      { outcome: 'loses', loses: ['what was meant: the usual capacity of 10,000 is assumed'] },
    ])
    expect(plans[0].steps[1].command).toMatch(/^python3 -c 'import json, sys; [^\n]*; d\["capacity"\] = 10000; [^\n]*$/)
  })

  test('findings that may follow from a wrong schema are mended after the schema', async () => {
    const path = `${folder}/schema`
    await run(['write-sample', path, '--damage', 'SCHEMA_DOMAIN'])
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, findings[0].code])).toEqual([
      ['loses', 'SCHEMA_DOMAIN'],
      ['copy', 'NONEMPTY_DOMAIN'],
    ])
    expect(plans[1].steps[0].text).toMatch(/^mend the schema first/)
  })

  test('known faults of TileDB that are notes are left alone', async () => {
    const { plans } = await planOf(`${FIXTURES}/unreadable/22_tail_lost_bit_width_double_delta`)
    expect(plans).toMatchObject([{ outcome: 'leave', steps: [] }])
    expect(plans[0].lost).toEqual([expect.stringMatching(/^nothing that a copy of the array would have/)])
  })

  const UNREADABLE = ['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5']
  test.each(UNREADABLE)('tiles that decode can read, but TileDB cannot, are written again: %s', async (name) => {
    const path = copyOf(`unreadable/${name}`, name)
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends' }])
    if (BY_PROGRAM.length === 0) expect(await mendAndUndo(path)).toEqual([])
  })
})

describe('cells and statistics that disagree', () => {
  /** A value of an attribute without filters is changed. */
  function changed(name: string): string {
    const path = copyOf('22/filter_none', name)
    const file = fileOf(fileOf(`${path}/__fragments`, /^__/), /^a0\.tdb$/)
    const bytes = readFileSync(file)
    bytes[bytes.length - 4] ^= 1
    writeFileSync(file, bytes)
    return path
  }

  test('changed cells are restored from a copy; without one, their tiles can be left out', async () => {
    const path = changed('flipped')
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, ...findings.map(({ code }) => code)])).toEqual([
      ['copy', 'TILE_MIN_MAX', 'TILE_SUM'],
    ])
    const [{ lost, steps, instead, never }] = plans
    expect(lost).toEqual([expect.stringMatching(/^cells: some were changed after they were written; /)])
    expect(steps[0]).toEqual({ text: expect.stringMatching(/^put \S+ back from a copy \(backup\) of the array/) })
    expect(steps.filter(({ command }) => command?.includes('recover'))).toEqual([])
    expect(instead[0]).toEqual({
      command: expect.stringMatching(/tiledb-inspect recover \S+ --to \S+\.new --drop-damaged$/),
      text: 'without a copy: leaves out the tiles whose cells contradict the metadata',
    })
    expect(never).toContainEqual(expect.stringMatching(/ends with exit code 1, and check still finds them$/))
    const { text } = await run(['check', '--plan', '--level', 'cells', path])
    expect(text.trimEnd().split('\n').at(-1)).toBe('NOT OK: 2 findings: 2 only from a copy. Nothing was run.')
    if (BY_PROGRAM.length > 0) return
    runSteps(instead)
    expect(await codesOf(path)).toEqual([])
  })

  test('each plan for one of two changed fragments moves out their consolidated metadata', async () => {
    const path = `${folder}/two flipped`
    const one = ['--attr', 'a:INT32', '--filters', 'none', '--cells', '40', '--consolidate', 'fragment_meta']
    await run(['write-sample', path, ...one])
    const fragments = readdirSync(`${path}/__fragments`)
    expect(fragments.length).toBe(2)
    for (const name of fragments) {
      const file = `${path}/__fragments/${name}/a0.tdb`
      const bytes = readFileSync(file)
      bytes[bytes.length - 4] ^= 1
      writeFileSync(file, bytes)
    }
    const { plans } = await planOf(path)
    expect(plans.map(({ not_lost }) => not_lost)).toEqual([['1 other fragment'], ['1 other fragment']])
    expect(plans.map(({ instead }) => instead.filter(({ command }) => command?.includes('.meta')).length)).toEqual([
      1, 1,
    ])
    if (BY_PROGRAM.length > 0) return
    runSteps(plans.flatMap(({ instead }) => instead))
    expect(await codesOf(path)).toEqual([])
  })

  test('steps against other faults of a fragment do not accept its changed cells', async () => {
    const path = changed('flipped and torn')
    const file = fileOf(fileOf(`${path}/__fragments`, /^__/), /^a0\.tdb$/)
    writeFileSync(`${file.slice(0, -'a0.tdb'.length)}stray`, 'x')
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, ...findings.map(({ code }) => code)])).toEqual([
      ['mends', 'FILE_UNLISTED'],
      ['copy', 'TILE_MIN_MAX', 'TILE_SUM'],
    ])
    runSteps(stepsOf(plans.slice(0, 1)).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
    expect(await codesOf(path)).toEqual(['TILE_MIN_MAX', 'TILE_SUM'])
  })

  test('nothing is lost if only the metadata can be wrong', async () => {
    const path = `${folder}/a wrong sum`
    await run(['write-sample', path, '--damage', 'TILE_SUM'])
    expect((await planOf(path)).plans).toMatchObject([
      { outcome: 'mends', lost: ['nothing: only the metadata is wrong'] },
    ])
  })

  test('something may be lost if nothing tells whether cells or metadata are wrong', async () => {
    const path = `${folder}/a wrong sum of the fragment`
    await run(['write-sample', path, '--damage', 'FRAGMENT_SUM'])
    expect((await planOf(path)).plans).toMatchObject([
      { outcome: 'loses', lost: [expect.stringMatching(/^perhaps cells: .* nobody can tell which$/)] },
    ])
  })
})

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
    const array = new InspectArray(new Folder(localStorage, path), contextFor({ key }))
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
  const name = readdirSync(`${path}/__fragments`).find((one) => one.startsWith('__10_30_'))
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
  const newer = readdirSync(`${path}/__fragments`).find((name) => name.startsWith('__20_20_'))
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
  const [name] = readdirSync(`${path}/__fragments`)
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
  const array = new InspectArray(
    new Folder(localStorage, `${FIXTURES}/22/rtree_levels`),
    contextFor({ key: undefined }),
  )
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

describe('the printed plan', () => {
  test('a healthy array', async () => {
    const { text, code } = await run(['check', '--plan', `${FIXTURES}/22/sparse_basic`])
    expect(code).toBe(0)
    expect(text).toMatch(
      /\nnot checked: cells \(--level cells\); uncommitted .*\(--all\)\nOK: no findings in what was checked\n$/,
    )
    const whole = await run(['check', '--plan', '--level', 'cells', '--all', `${FIXTURES}/22/duplicates`])
    expect(whole.text).toMatch(
      /\nnot checked: values that no checksum and no statistic covers\nOK: no findings in what was checked\n$/,
    )
  })

  test('the verdict is the last line, and agrees with the exit code', async () => {
    const path = `${folder}/screen`
    await run(['write-sample', path, '--damage', 'FRAGMENT_NO_METADATA'])
    const { text, code } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
    expect(code).toBe(1)
    expect(text.trimEnd().split('\n').at(-1)).toBe('NOT OK: 1 finding: 1 mended without loss. Nothing was run.')
    expect(text).toMatch(
      /^ {2}mend {6}1 {2}mkdir -p (?:\\\n {17})?\S+ && \\\n {15}tiledb-inspect recover \\\n {17}\S+ \\\n {17}--to \S+\.new$/m,
    )
  })

  test('notes alone are no failure', async () => {
    const path = `${folder}/note`
    await run(['write-sample', path, '--damage', 'ARRAY_UNKNOWN_ENTRY'])
    expect(await run(['check', '--plan', path])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/\nOK: 1 finding/),
    })
  })

  test('lines have at most 80 columns, unless a single word of a command is longer', async () => {
    const path = `${folder}/wide`
    await run(['write-sample', path, '--damage', 'COMMIT_DANGLING'])
    const { text } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
    const long = text.split('\n').filter((line) => line.length > 80)
    expect(long.length).toBeGreaterThan(0)
    for (const line of long) expect(line).toMatch(/^ {17}\S+( \\| && \\)?$/)
  })

  test.each(['COMMIT_DANGLING', 'FILE_LONG', 'COMMIT_NOT_EMPTY'])(
    '%s: the printed lines work when pasted',
    async (code) => {
      const path = `${folder}/it's "$(touch lines)" of ${code}`
      await run(['write-sample', path, '--damage', code])
      const before = content(path)
      const { text } = await run(['check', '--plan', path, '--all'], { columns: 80, env: { NO_COLOR: '1' } })
      runSteps(printed(text, 'mend'))
      expect(await codesOf(path)).toEqual([])
      runSteps(printed(text, 'back'))
      expect(content(path)).toEqual(before)
      expect(existsSync('lines')).toBe(false)
    },
  )
})

/** The steps of a plan on a screen: the lines behind their numbers, as they stand. */
function printed(text: string, name: string): PlanStep[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`  ${name} `))
  const rest = lines.slice(first + 1).findIndex((line) => !line.startsWith('            '))
  const steps: string[] = []
  for (const line of lines.slice(first, first + 1 + rest)) {
    if (/^\d/.test(line.slice(12))) steps.push(line.slice(15))
    else steps.push(`${steps.pop()}\n${line.slice(15)}`)
  }
  expect(steps).not.toEqual([])
  return steps.map((command) => ({ command }))
}

describe('advice', () => {
  const many = `${folder}/it's "many"  # notes`
  beforeAll(async () => {
    await run(['write-sample', many, '--cells', '3000', '--fragments', '30'])
  })

  test('the lines of explain become steps, with a copy first, the way back, and what they lose', async () => {
    const { advice, plans, ok } = await planOf(many)
    expect([ok, plans]).toEqual([true, []])
    const explained = JSON.parse((await run(['explain', many, '--json'])).text) as { findings: PlanFinding[] }
    const codes = (findings: readonly { code: string }[]): string[] => findings.map(({ code }) => code).sort()
    expect(codes(advice.flatMap(({ findings }) => findings))).toEqual(codes(explained.findings))
    const [plan] = advice
    expect(plan.findings.map(({ code }) => code)).toContain('FRAGMENTS_MANY')
    expect(plan).toMatchObject({
      outcome: 'mends',
      loses: [],
      never: [expect.stringMatching(/^run tiledb\.vacuum before/)],
    })
    const commands = stepsOf([plan]).map(({ command }) => command ?? '')
    expect(commands).toEqual([
      expect.stringMatching(/^python3 -c 'import tiledb; tiledb\.consolidate\(.*many.*\)'$/),
      expect.stringMatching(/^python3 -c 'import tiledb; tiledb\.vacuum\(.*many.*\)'$/),
    ])
    expect(plan.steps[1].text).toBe('removes the old fragments; reads as of a time in the past stay the same')
    // What would be changed is there twice, and comes back.
    const before = content(many)
    runSteps(plan.keep)
    writeFileSync(`${many}/changed`, '')
    runSteps(plan.back)
    expect(content(many)).toEqual(before)
  })

  test('a new array takes the place of the old one', async () => {
    const path = `${folder}/small`
    await run(['write-sample', path, '--cells', '12000', '--capacity', '5'])
    const { advice } = await planOf(path, '--level', 'structure')
    const plan = advice.find(({ findings }) => findings[0].code === 'TILES_SMALL')
    expect(plan).toMatchObject({
      outcome: 'loses',
      loses: [expect.stringMatching(/^earlier states: the new array has only what a reader sees now/)],
      never: [expect.stringMatching(/^delete the old array before/)],
    })
    const { text } = await run(['check', '--plan', path, '--level', 'structure'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    })
    expect(text).toMatch(/\nwarning TILES_SMALL\n/)
    expect(text).toMatch(
      /\n {2}mend {6}1 {2}python3 -c \\\n {17}'import sys, numpy as np, tiledb; exec\("\\n"\.join\(sys\.argv\[1:\]\)\)' \\\n {17}'(s|a) /,
    )
    expect(text).toMatch(/\nOK: no findings in what was checked; \d causes? of slow reads\. Nothing was run\.\n$/)
  })

  test('an encrypted array has lines to adapt, because TileDB-Py has no key', async () => {
    const path = `${folder}/secret`
    const key = ['--key', '0123456789abcdeF0123456789abcdeF']
    await run(['write-sample', path, '--cells', '1500', '--fragments', '30', ...key])
    const { advice } = await planOf(path, '--level', 'structure', ...key)
    expect(advice[0]).toMatchObject({ outcome: 'leave', steps: [], back: [] })
    expect(advice[0].instead.map(({ command, text }) => command ?? text)).toEqual([
      expect.stringContaining('key'),
      expect.stringMatching(/^tiledb\.consolidate\(/),
      expect.stringMatching(/: tiledb\.vacuum\(/),
    ])
  })

  test('is given only after errors are mended; on a server it is for a copy', async () => {
    const damaged = `${folder}/many damaged`
    cpSync(many, damaged, { recursive: true })
    rmSync(`${fileOf(`${damaged}/__fragments`, /^__/)}/__fragment_metadata.tdb`)
    const { plans, advice } = await planOf(damaged)
    expect([plans.length, advice]).toEqual([1, []])
    renameSync(many, `${folder}/many`)
    const remote = await planOf(`${server.url}/many`)
    expect(remote.advice[0].steps[1]).toMatchObject({ command: 'tiledb-inspect check --plan many' })
  })
})

test('TileDB removes a missing member of a group, after the list of members was copied', async () => {
  const path = `${folder}/group`
  await run(['write-sample', path, '--damage', 'GROUP_MEMBER_MISSING'])
  const { plans } = await planOf(path)
  expect(plans).toHaveLength(1)
  expect(plans[0].steps.map(({ command }) => command)).toEqual([
    expect.stringMatching(/^mkdir -p .*group\.aside && cp -a .*__group /),
    expect.stringMatching(/^python3 -c 'import sys, tiledb; .*remove\(sys\.argv\[2\]\)' .*group first$/),
  ])
})

describe('names that begin with a dash are names', () => {
  test('names of fields, and years of five digits after those of four', async () => {
    const path = `${folder}/dashes`
    const years = ['9001', '9990', '10020', '9995', '11000', '11001', '11002']
    const lines = years.map((year) => `{"-x":"${year}","-a":1,"b":2}\n`)
    writeFileSync(`${path}.ndjson`, lines.join(''))
    const fields = ['--dim', '-x:DATETIME_YEAR:9000..12000:3000', '--attr', '-a:INT32', '--attr', 'b:INT32']
    const how = ['--filters', 'CHECKSUM_MD5', '--capacity', '4', '--data', `${path}.ndjson`]
    expect((await run(['write-sample', path, ...fields, ...how])).code).toBe(0)
    const file = `${path}/__fragments/${readdirSync(`${path}/__fragments`)[0]}/a1.tdb`
    const bytes = readFileSync(file)
    bytes[40] ^= 1
    writeFileSync(file, bytes)
    const { plans } = await planOf(path)
    expect(plans.map(({ lost }) => lost)).toEqual([['b of 4 cells (tile 0 of 2, -x 9001..10020)']])
    expect(plans[0].keep).toMatchObject([{ command: expect.stringContaining(' --field -a --field -x ') }])
    if (BY_PROGRAM.length > 0) return
    runSteps(plans[0].keep)
    expect(readFileSync(fileOf(folder, /^dashes\.kept/), 'utf8')).toContain('{"-x":"9001","-a":1}')
  })

  test('names of members of a group', async () => {
    const path = `${folder}/dashed group`
    const steps = [{ step: 'group', add: [{ uri: '-d', type: 'array' }] }]
    writeFileSync(`${path}.json`, JSON.stringify({ steps }))
    expect((await run(['write-sample', path, '--steps', `${path}.json`])).code).toBe(0)
    const { plans } = await planOf(path)
    expect(stepsOf(plans)).toContainEqual({ command: expect.stringMatching(/remove\(.* -d$/) })
  })

  test('a list of members of a far future is read at its time', async () => {
    const path = `${folder}/far group`
    await run(['write-sample', path, '--damage', 'GROUP_DETAILS_FUTURE'])
    const [name] = readdirSync(`${path}/__group`)
    renameSync(
      `${path}/__group/${name}`,
      `${path}/__group/${name.replace(/^__\d+_\d+/, '__9000000000000_9000000000000')}`,
    )
    const text = 'open the group at that time, with sm.group.timestamp_end=9000000000000, or wait'
    expect(stepsOf((await planOf(path)).plans)).toEqual([{ text }])
  })
})

describe('paths', () => {
  test('are relative as in the call, and full if the target is the current folder', async () => {
    await run(['write-sample', `${folder}/here`, '--damage', 'FILE_LONG'])
    const before = cwd()
    try {
      chdir(folder)
      const given = await planOf('here/')
      expect(given.plans[0].steps[0].command).toMatch(/^mkdir -p here\.aside\/\S+ && mv here\/\S+ here\.aside\/\S+ && /)
      expect(await mendAndUndo('here')).toEqual([])
      chdir('here')
      const { plans } = await planOf('.')
      expect(plans[0].steps[0].command).toContain(`${cwd()}.aside2/__fragments`)
      expect(await mendAndUndo('.')).toEqual([])
    } finally {
      chdir(before)
    }
  })

  test('a fragment outside any array has no steps', async () => {
    const path = copyOf('22/duplicates', 'around')
    const name = lastPathPart(fileOf(`${path}/__fragments`, /^__10_/))
    cpSync(`${path}/__fragments/${name}`, `${folder}/${name}`, { recursive: true })
    rmSync(`${folder}/${name}/__fragment_metadata.tdb`)
    expect((await planOf(`${folder}/${name}`)).plans).toMatchObject([
      {
        outcome: 'leave',
        finding_num: 1,
        steps: [{ text: expect.stringMatching(/^put the fragment back into its array/) }],
      },
    ])
  })

  test('the plan for an array on a server is to mend a copy', async () => {
    await run(['write-sample', `${folder}/remote`, '--damage', 'COMMIT_DANGLING'])
    const { plans } = await planOf(`${server.url}/remote`)
    const dangling = plans.find(({ findings }) => findings[0].code === 'COMMIT_DANGLING')
    expect(dangling?.steps).toMatchObject([
      { text: expect.stringMatching(/^download http:\S+\/remote as the folder remote/) },
      { command: 'tiledb-inspect check --plan remote' },
      { text: expect.stringMatching(/^when check finds nothing in the copy/) },
    ])
    expect(dangling?.back).toEqual([])
  })
})
