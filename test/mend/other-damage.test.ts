import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { BEFORE, codesOf, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'

const { copyOf, mendAndUndo, runSteps } = planFolder()

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

  test('the file of a delete condition that consolidated commits hold, too', async () => {
    const path = copyOf('22/commits_consolidated', 'condition')
    const list = readFileSync(fileOf(`${path}/__commits`, /con$/), 'latin1')
    const [file] = /__commits\/.*\.del/.exec(list) ?? []
    writeFileSync(`${path}/${file}`, 'cut')
    expect(await codesOf(path)).toEqual(['DELETE_CONDITION_UNREADABLE'])
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends', loses: [], never: ['consolidate commits before these steps'] }])
    expect(await mendAndUndo(path)).toEqual([])
  })

  test.each([
    ['at the end of a line', 58],
    ['in a line', 20],
  ])('consolidated commits were cut off %s: their fragments are committed again', async (_, cut) => {
    const path = copyOf('22/commits_consolidated', `cut-${cut}`)
    const list = fileOf(`${path}/__commits`, /con$/)
    writeFileSync(list, readFileSync(list).subarray(0, -cut))
    expect(await codesOf(path)).toContain('COMMIT_UNREADABLE')
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({
      severity: 'error',
      outcome: 'mends',
      findings: [{ code: 'COMMIT_UNREADABLE' }, { code: 'FRAGMENT_UNCOMMITTED' }],
      steps: [{ command: expect.stringMatching(/^test ! -e .* : > \S*__commits\/__30_30_\S*\.wrt$/s) }],
      never: [expect.stringMatching(/^vacuum or delete the fragments/)],
    })
    expect(plans.every(({ outcome, severity }) => outcome === 'mends' || severity !== 'error')).toBe(true)
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })

  test('consolidated commits lost the line of a fragment that is half written: nothing commits it', async () => {
    const path = copyOf('22/commits_consolidated', 'cut-half')
    const list = fileOf(`${path}/__commits`, /con$/)
    writeFileSync(list, readFileSync(list).subarray(0, -58))
    rmSync(`${fileOf(`${path}/__fragments`, /^__30_30_/)}/a0.tdb`)
    const { plans } = await planOf(path)
    expect(plans.flatMap(({ steps }) => steps.map(({ command }) => command)).join()).not.toContain('.wrt')
  })

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, -20)],
    ['changed', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/_22\n/, '_23\n'), 'latin1')],
  ])('a line of a vacuum file was %s: it is written as it was', async (_, change) => {
    const path = copyOf('22/vacuum_left', 'vacuum-line')
    const list = fileOf(`${path}/__commits`, /vac$/)
    const before = readFileSync(list)
    writeFileSync(list, change(before))
    expect(await codesOf(path)).toEqual(['VACUUM_DANGLING'])
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends', lost: [expect.stringMatching(/^nothing/)] }])
    expect(await mendAndUndo(path)).toEqual([])
    runSteps(stepsOf(plans))
    expect(readFileSync(list)).toEqual(before)
  })

  test('a vacuum file whose line was cut off and whose fragment is lost is left as it is', async () => {
    const path = copyOf('22/vacuum_left', 'vacuum-line-lost')
    const list = fileOf(`${path}/__commits`, /vac$/)
    writeFileSync(list, readFileSync(list).subarray(0, -20))
    rmSync(`${fileOf(`${path}/__fragments`, /^__10_30_/)}/a0.tdb`)
    const { plans } = await planOf(path)
    expect(plans.flatMap(({ steps }) => steps.map(({ command }) => command)).join()).not.toContain('printf')
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
