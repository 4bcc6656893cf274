import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { lastPathPart } from '../../src/base/paths.ts'
import type { PlanLine } from '../../src/documents/plan.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { BEFORE, BY_PROGRAM, codesOf, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { copyOf, folder, mendAndUndo, runSteps } = planFolder()

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
      for (const name of fragmentNames(path)) renameSync(`${path}/__fragments/${name}`, `${path}/${name}`)
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
    for (const name of fragmentNames(path))
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
    const [name] = fragmentNames(path)
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
    // Its filters are other ones, too: a finding of its own.
    expect(plans.find(({ findings }) => findings[0]?.code === 'CELL_VALIDITY')).toMatchObject({
      outcome: 'leave',
      steps: [{ text: expect.stringMatching(/the schema of the array has other attributes now$/) }],
    })
  })

  test('the copy of the footer of a damaged fragment is moved out with it', async () => {
    const path = copyOf('22/fragment_metadata_consolidated', 'copies')
    const metadata = `${fileOf(`${path}/__fragments`, /^__10_/)}/__fragment_metadata.tdb`
    writeFileSync(metadata, readFileSync(metadata).subarray(0, 50))
    if (BY_PROGRAM.length === 0) expect(await mendAndUndo(path)).toEqual([])
  })
})

describe('a copy of a fragment beside it', () => {
  const COPY = 'a copy of a fragment'
  const copied = (name: string, isCommitted: boolean): readonly [array: string, copy: string] => {
    const path = copyOf('22/duplicates', name)
    const fragment = fileOf(`${path}/__fragments`, /^__10_/)
    cpSync(fragment, `${fragment} copy`, { recursive: true })
    const mark = fragment.replace('__fragments', '__commits')
    if (isCommitted) cpSync(`${mark}.wrt`, `${mark} copy.wrt`)
    return [path, `${fragment} copy`]
  }

  test.each([true, false])('is moved out, as nothing is lost; committed: %s', async (isCommitted) => {
    const [path] = copied(`${COPY} ${isCommitted}`, isCommitted)
    const before = await run(['read', `${FIXTURES}/22/duplicates`, '--format', 'ndjson'])
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: [expect.stringMatching(/^nothing: /)] })
    expect(await mendAndUndo(path)).toEqual([])
    runSteps(stepsOf(plans))
    expect((await run(['read', path, '--format', 'ndjson'])).text).toBe(before.text)
  })

  test('may be deleted, unless one byte differs', async () => {
    const [path, copy] = copied(`${COPY} to delete`, false)
    expect((await run(['why', copy, '--json'])).text).toContain('"delete": "yes"')
    const file = fileOf(copy, /^a0\.tdb$/)
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] ^= 1
    writeFileSync(file, bytes)
    expect((await run(['why', copy, '--json'])).text).toContain('"delete": "no"')
    expect(await codesOf(path)).toContain('FRAGMENT_NAME_INVALID')
  })

  test('a commit of a name that TileDB gives no fragment claims no folder', async () => {
    const [path] = copied(`${COPY} and an odd commit`, false)
    writeFileSync(`${path}/__commits/copy of x.wrt`, '')
    const { plans } = await planOf(path)
    expect(plans.flatMap(({ lost }) => lost)).toEqual(plans.map(() => expect.stringMatching(/^nothing: /)))
    expect(await mendAndUndo(path)).toEqual([])
  })
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
    const file = `${firstFragment(path)}/a1.tdb`
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
