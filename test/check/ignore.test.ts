import { cpSync, mkdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const DATASET = `${folder}/dataset`
/** An error, in two tiles or one. */
const DAMAGED = `${DATASET}/damaged`
/** A warning. */
const ODD = `${DATASET}/odd`

beforeAll(async () => {
  cpSync(`${FIXTURES}/22/sparse_basic`, `${DATASET}/whole`, { recursive: true })
  for (const [path, kind] of [
    [DAMAGED, 'TILE_SUM'],
    [ODD, 'RTREE_FANOUT'],
  ])
    await run(['write-sample', path, '--damage', kind])
})

async function documentOf(args: readonly string[]): Promise<Json> {
  const [document = null] = (await runJson(args)).documents
  return document
}

async function findingsOf(args: readonly string[]): Promise<Json[]> {
  return items(get(await documentOf(args), 'findings'))
}

async function codesOf(args: readonly string[]): Promise<string[]> {
  return (await findingsOf(args)).map((one) => String(get(one, 'code')))
}

describe('check --ignore', () => {
  test('findings are not listed, do not fail, and are counted by the name that took them', async () => {
    const all = ['check', '--level', 'cells', DAMAGED]
    const num = (await codesOf(all)).filter((code) => code === 'TILE_SUM').length
    expect(num).toBeGreaterThan(0)
    expect(await run(all)).toMatchObject({ code: 1 })
    const { code, text } = await run([...all, '--ignore', 'TILE_SUM'])
    expect(code).toBe(0)
    expect(text).not.toMatch(/error|expected/)
    expect(text.trimEnd().split('\n').at(-1)).toBe(`ignored: ${num} TILE_SUM`)
    const document = await documentOf([...all, '--ignore', 'TILE_SUM'])
    expect(document).toMatchObject({ ok: true, findings: [], ignored: { TILE_SUM: num }, finding_num: { error: 0 } })
    expect(await documentOf(all)).not.toHaveProperty('ignored')
  })

  test('it takes several names; one that finds nothing is counted as 0', async () => {
    const ignore = ['--ignore', 'FILE_MISSING,RTREE_FANOUT', '--ignore', 'SCHEMA_CAPACITY']
    const { code, text } = await run(['check', '--fail-on', 'note', ODD, ...ignore])
    expect(text).toMatch(/\nignored: 0 FILE_MISSING, 1 RTREE_FANOUT, 0 SCHEMA_CAPACITY\n$/)
    expect(code).toBe(0)
  })

  test('another code still fails', async () => {
    const { code, text } = await run(['check', '--level', 'cells', DAMAGED, '--ignore', 'TILE_MIN_MAX'])
    expect(text).toMatch(/error TILE_SUM/)
    expect(code).toBe(1)
  })

  test('a variant is taken alone, and by the name of its code', async () => {
    const path = `${folder}/unknown`
    await run(['write-sample', path, '--damage', 'ARRAY_UNKNOWN_ENTRY'])
    const call = ['check', '--fail-on', 'note', path, '--ignore']
    expect(await run([...call, 'ARRAY_UNKNOWN_ENTRY.masking'])).toMatchObject({ code: 1 })
    expect(await run([...call, 'ARRAY_UNKNOWN_ENTRY'])).toMatchObject({ code: 0 })
    const known = [
      'check',
      '--level',
      'cells',
      '--fail-on',
      'note',
      `${FIXTURES}/22/null_count_blob_dense_padding`,
      '--ignore',
    ]
    const found = await findingsOf(known.slice(0, -1))
    const names = [...new Set(found.map((one) => `${get(one, 'code')}.${get(one, 'variant')}`))]
    expect(names.length).toBeGreaterThan(0)
    expect(await run([...known, names.join(',')])).toMatchObject({ code: 0 })
  })

  test.each([
    ['FILE_MISING', 'did you mean "FILE_MISSING"?'],
    ['FRAGMENT_UNCOMMITTED.replacd', 'did you mean "FRAGMENT_UNCOMMITTED.replaced"?'],
    ['', 'found ""'],
    ['toString', 'expects a code of check'],
  ])('%j is refused', async (name, said) => {
    const { code, stderr } = await run(['check', '--ignore', name, ODD])
    expect(stderr).toContain(said)
    expect(code).toBe(2)
  })

  test('a plan has no step for them', async () => {
    const call = ['check', '--plan', '--level', 'cells', DAMAGED]
    expect(items(get(await documentOf(call), 'plans'))).not.toEqual([])
    const plan = await documentOf([...call, '--ignore', 'TILE_SUM'])
    expect(plan).toMatchObject({ ok: true, plans: [], advice: [], ignored: { TILE_SUM: expect.any(Number) } })
    expect((await run([...call, '--ignore', 'TILE_SUM'])).text).toMatch(/\nignored: \d+ TILE_SUM\n$/)
  })

  test('the members of a folder: with --recursive by member and in all, and without it', async () => {
    const call = ['check', '--level', 'cells', '--fail-on', 'warning', DATASET, '--ignore', 'TILE_SUM,RTREE_FANOUT']
    expect(await run(call)).toMatchObject({ code: 0 })
    const swept = [...call, '--recursive']
    expect(await run(swept.slice(0, -3).concat('--recursive'))).toMatchObject({ code: 1 })
    const { code, text } = await run(swept)
    expect(code).toBe(0)
    expect(text).toMatch(/^ignored: \d+ TILE_SUM, 1 RTREE_FANOUT$/m)
    const document = await documentOf(swept)
    expect(document).toMatchObject({ ok: true, ignored: { RTREE_FANOUT: 1 }, totals: { finding_num: { error: 0 } } })
    const odd = items(get(document, 'members')).find((one) => get(one, 'name') === 'odd')
    expect(odd).toMatchObject({ check: { ok: true, findings: [], ignored: { TILE_SUM: 0, RTREE_FANOUT: 1 } } })
  })

  test('a file of --resume that was made with other names is refused', async () => {
    const resume = ['--recursive', '--resume', `${folder}/resume`, DATASET]
    await run(['check', ...resume, '--ignore', 'RTREE_FANOUT'])
    const again = await run(['check', ...resume, '--ignore', 'RTREE_FANOUT'])
    expect(again.text).toMatch(/^ignored: 1 RTREE_FANOUT$/m)
    expect(await run(['check', ...resume])).toMatchObject({ code: 2 })
  })

  test.each(['sarif', 'junit', 'github'])('the report %s leaves them out', async (format) => {
    const call = ['check', '--format', format, ODD]
    expect((await run(call)).text).toContain('RTREE_FANOUT')
    expect((await run([...call, '--ignore', 'RTREE_FANOUT'])).text).not.toContain('RTREE_FANOUT')
  })

  test('the workspaces of GenomicsDB have it, too', async () => {
    const path = `${folder}/workspace`
    await run(['write-sample', path, '--damage', 'GENOMICSDB_MAP'])
    const call = ['check', '--fail-on', 'note', path]
    const codes = [...new Set(await codesOf(call))]
    expect(codes).toContain('GENOMICSDB_MAP')
    expect(await run(call)).toMatchObject({ code: 1 })
    expect(await run([...call, '--ignore', codes.join(',')])).toMatchObject({ code: 0 })
  })

  test('the shell completes codes', async () => {
    const { text } = await run(['completion', 'words', 'check', '--ignore', 'RTREE_F'])
    expect(text).toBe('RTREE_FANOUT\n')
  })
})

test('a missing member counts in a sweep as without --recursive', async () => {
  const path = `${folder}/above/lost`
  mkdirSync(`${folder}/above`)
  await run(['write-sample', path, '--damage', 'GROUP_MEMBER_MISSING'])
  const call = ['check', '--fail-on', 'warning', '--recursive', `${folder}/above`]
  expect(await run(call)).toMatchObject({ code: 1 })
  const { code, text } = await run([...call, '--ignore', 'GROUP_MEMBER_MISSING'])
  expect(text).toMatch(/^ignored: 1 GROUP_MEMBER_MISSING$/m)
  expect(code).toBe(0)
})
