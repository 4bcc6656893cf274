import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { codesOf, content, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { folder, copyOf, runSteps } = planFolder()

describe('a data file under another name', () => {
  test.each(['A0.tdb', 'old copy.tdb'])('%s is renamed, and why keeps it', async (name) => {
    const path = copyOf('22/sparse_basic', `named ${name}`)
    const before = content(path)
    const fragment = fileOf(`${path}/__fragments`, /^__/)
    renameSync(`${fragment}/a0.tdb`, `${fragment}/${name}`)
    const why = await run(['why', `${fragment}/${name}`])
    expect(why.text).toMatch(/by its size the missing file a0\.tdb/)
    expect(why.text).toMatch(/delete it\? {3}NO/)
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({
      outcome: 'mends',
      lost: ['nothing: the file is there, under another name'],
      findings: [{ code: 'FILE_MISSING' }, { code: 'FILE_UNLISTED', variant: 'missing' }],
    })
    expect(plans.slice(1).every(({ outcome }) => outcome === 'leave')).toBe(true)
    runSteps(stepsOf(plans))
    expect(content(path)).toEqual(before)
  })

  test('a file of another size is none, and is not taken for one', async () => {
    const path = copyOf('22/sparse_basic', 'other size')
    const fragment = fileOf(`${path}/__fragments`, /^__/)
    renameSync(`${fragment}/__fragment_metadata.tdb`, `${fragment}/a0.tdb.old`)
    const { findings } = JSON.parse((await run(['check', '--json', path])).text)
    expect(findings).not.toContainEqual(expect.objectContaining({ variant: 'missing' }))
  })
})

test('a footer in consolidated fragment metadata is not taken for that of recovered metadata', async () => {
  const path = `${folder}/footer`
  await run(['write-sample', path, '--damage', 'CONSOLIDATED_METADATA_DIFFERS'])
  const fragment = fileOf(`${path}/__fragments`, /^__30_30_/)
  rmSync(`${fragment}/__fragment_metadata.tdb`)
  expect(await run(['recover', fragment, '--to', `${folder}/footer.new`])).toMatchObject({ code: 0 })
  const { plans } = await planOf(path)
  const steps = stepsOf(plans).map(({ command }) => command)
  // The copy stays until the fragment has metadata of its own again.
  expect(steps.find((command) => command?.includes('.meta'))).toMatch(/^test -e \S*aside\S*\/__30_30_\S* && mkdir/)
})

describe('a delete condition whose marks the fragments hold', () => {
  /** A sample whose fragments were consolidated after a delete. */
  async function marked(name: string): Promise<string> {
    const path = `${folder}/${name}`
    const write = ['write-sample', path, '--cells', '40']
    await run([...write, '--delete', 'id > 10', '--consolidate', 'fragments', '--vacuum', 'fragments'])
    return path
  }

  test('without it TileDB crashes in a consolidation: check and explain say so', async () => {
    const path = copyOf('removed/deleted', 'marks')
    expect(await codesOf(path)).not.toContain('PROCESSED_CONDITION_NAME')
    expect((await run(['explain', path])).text).toMatch(/^tiledb\.consolidate merges/m)
    for (const [name] of content(path)) if (name.endsWith('.del')) rmSync(`${path}${name}`)
    expect(await codesOf(path)).toContain('PROCESSED_CONDITION_NAME')
    const { text } = await run(['explain', path])
    expect(text).toMatch(/^do not run tiledb\.consolidate without sm\.consolidation\.purge_deleted_cells=true/m)
    expect(text).not.toMatch(/^tiledb\.consolidate merges/m)
  })

  test('a plan to take it away says so', async () => {
    const path = await marked('marks-cut')
    const file = fileOf(`${path}/__commits`, /\.del$/)
    writeFileSync(file, readFileSync(file).subarray(0, -9))
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({
      outcome: 'loses',
      lost: [expect.stringMatching(/^nothing that a reader sees/)],
      loses: [expect.stringMatching(/TileDB \S+ crashes when it merges a fragment with marks$/)],
      never: [expect.stringMatching(/purge_deleted_cells=true/)],
    })
  })
})
