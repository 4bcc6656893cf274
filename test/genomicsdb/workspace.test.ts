import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { tableFromIPC } from '@uwdata/flechette'
import type { PlanDocument } from '../../src/documents/plan.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { arraysOf, unpackWorkspace, WORKSPACES } from '../helpers/genomicsdb.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { backOf, content, planFolder, stepsOf } from '../helpers/plan.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const { runSteps } = planFolder()
let copies = 0

/** A copy of a workspace that tests may change. */
function copyOf(name: string): string {
  return unpackWorkspace(name, `${folder}/${copies++}`)
}

const sound = unpackWorkspace('303', `${folder}/sound`)

interface Samples {
  callsets: { sample_name: string; row_idx: string }[]
}

function fragmentsOf(array: string): string[] {
  const time = (name: string): number => Number(name.slice(name.lastIndexOf('_') + 1))
  return readdirSync(array)
    .filter((name) => name.startsWith('__') && !name.includes('.'))
    .sort((a, b) => time(a) - time(b))
}

async function jsonOf(...args: string[]): Promise<Json | undefined> {
  return (await runJson(args)).documents[0]
}

describe('sound workspaces', () => {
  test.each(WORKSPACES)('%s has nothing above a note, at every level', async (name) => {
    for (const level of ['structure', 'chunks', 'cells']) {
      const { code } = await run(['check', '--level', level, '--fail-on', 'warning', unpackWorkspace(name, folder)])
      expect({ level, code }).toEqual({ level, code: 0 })
    }
  })

  test('--jobs is said to change nothing', async () => {
    expect((await run(['check', '--jobs', '2', sound])).stderr).toContain('--jobs changes nothing')
    expect((await run(['check', sound])).stderr).toBe('')
  })

  test('the overview says what is in one', async () => {
    const { documents, code } = await runJson([sound])
    expect(code).toBe(0)
    expect(documents[0]).toMatchObject({
      ...{ kind: 'genomicsdb-overview', target: 'workspace', sample_num: 6, contig_num: 2, interval_num: 3 },
      ...{ fragment_num: 18, unread_num: 0, call_num: 184, schema_versions: [2], most_fragments: 6, ok: true },
      import: { state: 'complete', signs: [], new_fragments: [], new_fragment_num: 0 },
      samples: ['S000', 'S002', 'S003', 'S004', 'S001', 'S005'],
    })
    expect((await run([sound])).text).toContain('complete')
  })

  test('ls has intervals, samples and fragments', async () => {
    expect(items(get(await jsonOf('ls', sound), 'intervals'))).toMatchObject([
      { name: '1$647$1633', contig: '1', start: 647, end: 1633, fragment_num: 6, batch_num: 6 },
      { name: '1$2116$2323', fragment_num: 6 },
      { name: 'HLA-A*01:01$1052$2166', contig: 'HLA-A*01:01', fragment_num: 6 },
    ])
    const samples = items(get(await jsonOf('ls', '--samples', sound), 'samples'))
    expect(samples).toMatchObject([{ name: 'S000', row: 0, interval_num: 3, call_num: 30 }, {}, {}, {}, {}, {}])
    expect(samples.map((one) => get(one, 'call_num')).reduce((sum, one) => Number(sum) + Number(one), 0)).toBe(184)
    const fragments = items(get(await jsonOf('ls', `${sound}/1$2116$2323`), 'fragments'))
    expect(fragments).toMatchObject([{ state: 'read', cell_num: 2, row_range: [0, 0] }, {}, {}, {}, {}, {}])
    const sorted = await jsonOf('ls', '--sort', 'cells', '--limit', '1', sound)
    expect(sorted).toMatchObject({ intervals: [{ name: 'HLA-A*01:01$1052$2166' }], interval_num: 3 })
  })

  test('overview and ls of a fragment have its state, its cells, and its files', async () => {
    const array = `${sound}/1$2116$2323`
    const [first = ''] = fragmentsOf(array)
    const path = `${array}/${first}`
    const fragment = await jsonOf(path)
    expect(fragment).toMatchObject({
      ...{ kind: 'genomicsdb-fragment', name: first, state: 'read', cell_num: 2, tile_num: 1, row_range: [0, 0] },
      ...{ array, ok: true, findings: [] },
    })
    const files = items(get(fragment, 'files'))
    const onDisk = readdirSync(path).sort()
    expect(files.map((file) => get(file, 'name'))).toEqual(onDisk)
    expect(files.map((file) => get(file, 'size'))).toEqual(onDisk.map((name) => statSync(`${path}/${name}`).size))
    expect(files).toContainEqual({ name: 'ALT_var.tdb', field: 'ALT', holds: 'var', size: expect.any(Number) })
    expect(get(await jsonOf('ls', path), 'files')).toEqual(get(fragment, 'files'))
    const { text } = await run([path])
    expect(text).toMatch(/state +read: it has its mark/)
    expect((await run(['ls', '--samples', path])).stderr).toContain(
      'ls --samples does not take a fragment of GenomicsDB',
    )
  })

  test('stats says what fills it', async () => {
    const stats = await jsonOf('stats', sound)
    expect(stats).toMatchObject({ call_num: 184, interval_num: 3, fragment_num: 18 })
    expect(items(get(stats, 'fields')).map((one) => get(one, 'name'))).toContain('AS_RAW_MQ')
  })

  test('verify-checksums says that there are none', async () => {
    const { documents, code, stderr } = await runJson(['verify-checksums', sound])
    expect({ code, verdict: get(documents[0], 'verdict') }).toEqual({ code: 0, verdict: 'nothing-to-verify' })
    expect(stderr).toContain('no checksums')
    expect((await run(['verify-checksums', '--require-checksums', sound])).code).toBe(1)
  })

  test.each([
    [['explain', sound], 'explain does not take a workspace of GenomicsDB'],
    [['history', '--cell', 'x=1', sound], 'history does not take a workspace of GenomicsDB'],
    [['decode', sound], 'decode does not take a workspace of GenomicsDB'],
    [['read', '--where', 'DP > 3', sound], 'read --where does not take a workspace of GenomicsDB'],
    [['recover', `${sound}/1$647$1633`, '--to', `${folder}/no`], 'recover does not take an array of GenomicsDB'],
  ])('%j is refused in one line', async (args, message) => {
    const { code, stderr } = await run(args)
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 })
    expect(stderr).toContain(message)
  })
})

describe('read', () => {
  const FIRST = 'read --range 1:651 --range sample=S002'.split(' ')

  test('has values as a user of GATK knows them', async () => {
    const { documents } = await runJson([...FIRST, sound])
    expect(items(get(documents[0], 'calls'))).toEqual([
      expect.objectContaining({
        ...{ sample: 'S002', contig: '1', pos: 651, end: 651, REF: 'A', ALT: ['C', '*', '<NON_REF>'], GT: '2/0' },
        ...{ FILTER: ['PASS'], DB: true, ID: null, QUAL: null, HITS: [0, 2, 2], DP: 30000, DP_FORMAT: 2 },
        AS_QUALapprox: [[385], [null], [null], [314]],
      }),
    ])
    expect(get(documents[0], 'call_num')).toBe(1)
  })

  test.each([
    ['a contig', ['--range', 'HLA-A*01:01'], 'contig', ['HLA-A*01:01']],
    ['a sample', ['--range', 'sample=S001'], 'sample', ['S001']],
    ['two samples', ['--range', 'sample=S001', '--range', 'sample=S005'], 'sample', ['S001', 'S005']],
  ])('of %s', async (_, args, key, values) => {
    const calls = items(get(await jsonOf('read', ...args, sound), 'calls'))
    expect([...new Set(calls.map((call) => String(get(call, key))))].sort()).toEqual(values)
  })

  test('counts calls', async () => {
    expect((await run([...FIRST, '--field', 'GT', sound])).text).toMatch(/^1 call$/m)
    expect((await run(['read', '--limit', '2', sound])).text).toContain('the first 2 calls')
  })

  test('finds calls that begin before a range', async () => {
    const calls = items(get(await jsonOf('read', '--range', '1:2,300-2,310', '--field', 'GT', sound), 'calls'))
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) {
      expect(Number(get(call, 'pos'))).toBeLessThanOrEqual(2310)
      expect(Number(get(call, 'end'))).toBeGreaterThanOrEqual(2300)
      expect(Object.keys(call as object)).toEqual(['sample', 'contig', 'pos', 'end', 'GT'])
    }
  })

  test.each([
    ['--range', '2:5', '--range expects CONTIG'],
    ['--range', 'sample=S01', 'did you mean "S001"?'],
    ['--range', '1:9-3', 'FROM from 1 on, up to TO'],
    ['--field', 'DEPTH', '--field expects a field'],
  ])('%s %s is refused', async (option, value, message) => {
    const { code, stderr } = await run(['read', option, value, sound])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('has the same calls in every format', async () => {
    const calls = items(get(await jsonOf('read', sound), 'calls'))
    const lines = (await run(['read', '--format', 'ndjson', sound])).text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(calls)
    const csv = (await run(['read', '--format', 'csv', sound])).text.trim().split('\r\n')
    expect(csv.length).toBe(calls.length + 1)
    expect(csv[3]).toContain('"[""C"",""*"",""<NON_REF>""]"')
    const arrow = tableFromIPC((await run(['read', '--format', 'arrow', sound])).stdout, { useBigInt: false })
    const listed = (_: string, one: unknown) =>
      one instanceof Int32Array || one instanceof Float32Array ? [...one] : one
    const rows = arrow.toArray().map((row) => JSON.parse(JSON.stringify(row, listed)))
    expect(rows.length).toBe(calls.length)
    const float = (_: string, one: unknown) => (typeof one === 'number' ? Math.fround(one) : one)
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value), float)
    expect(plain(rows)).toEqual(plain(calls))
    const limited = tableFromIPC((await run(['read', '--limit', '5', '--format', 'arrow', sound])).stdout)
    expect(limited.numRows).toBe(5)
  })

  test('of an array alone says that samples have no names', async () => {
    const alone = `${folder}/alone`
    cpSync(`${sound}/1$2116$2323`, alone, { recursive: true })
    const { documents, stderr, code } = await runJson(['read', '--limit', '1', '--provenance', alone])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('no workspace around') })
    expect(items(get(documents[0], 'calls'))).toMatchObject([{ sample: null, contig: null, __row: 4, __column: 1853 }])
  })

  test('stops at a damaged fragment; with --keep-going it leaves it out', async () => {
    const path = copyOf('301')
    const [array = ''] = arraysOf(path)
    const [fragment] = fragmentsOf(array)
    rmSync(`${array}/${fragment}/REF.tdb`)
    expect(await run(['read', path])).toMatchObject({ code: 1, stderr: expect.stringContaining('REF.tdb') })
    const { documents, code } = await runJson(['read', '--keep-going', path])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'calls')).length).toBeGreaterThan(0)
    expect(items(get(documents[0], 'errors')).length).toBe(1)
  })

  test('the newest of equal cells counts', async () => {
    const path = copyOf('304')
    const [array = ''] = arraysOf(path)
    const [fragment = ''] = fragmentsOf(array)
    const before = await jsonOf('read', array)
    cpSync(`${array}/${fragment}`, `${array}/${fragment.replace(/_\d+$/, '_1')}`, { recursive: true })
    expect(await jsonOf('read', array)).toEqual(before)
  })
})

describe('an import that died', () => {
  /** The workspace before the third import, and the same with what that import left. */
  function died(): { before: string; after: string } {
    const [before, after] = [copyOf('303'), copyOf('303')]
    const names = new Set<string>()
    for (const array of arraysOf(before)) {
      const all = fragmentsOf(array)
      for (const name of all.slice(4)) rmSync(`${array}/${name}`, { recursive: true })
      for (const name of all.slice(0, 4)) names.add(name)
      const meta = `${array}/genomicsdb_meta_dir`
      for (const name of readdirSync(meta)) {
        const { max_valid_row_idx_in_array: row = 0 } = JSON.parse(readFileSync(`${meta}/${name}`, 'utf8'))
        if (row > 3) rmSync(`${meta}/${name}`)
      }
    }
    const map: Samples = JSON.parse(readFileSync(`${before}/callset.json`, 'utf8'))
    map.callsets = map.callsets.filter((one) => Number(one.row_idx) < 4)
    for (const path of [before, after]) writeFileSync(`${path}/callset.json`, JSON.stringify(map))
    writeFileSync(`${after}/callset.json.fragmentlist`, [...names].join('\n'))
    const [array = ''] = arraysOf(after)
    const last = fragmentsOf(array).at(-1) ?? ''
    renameSync(`${array}/${last}`, `${array}/.${last}`)
    for (const name of ['__tiledb_fragment.tdb', '__book_keeping.tdb.gz']) rmSync(`${array}/.${last}/${name}`)
    return { before, after }
  }

  test('the plan goes back to the state before, byte for byte, and undoes itself', async () => {
    const { before, after } = died()
    const { documents, code } = await runJson([after])
    expect(code).toBe(1)
    expect(documents[0]).toMatchObject({
      import: { signs: ['list', 'folder'], new_fragment_num: 5 },
      findings: [{ code: 'GENOMICSDB_IMPORT', severity: 'error', finding_num: 5 }, { variant: 'leftOver' }],
    })
    const found = content(after)
    const plan = (await jsonOf('check', '--plan', after)) as unknown as PlanDocument
    expect(plan.plans.map(({ outcome }) => outcome)).toEqual(['mends'])
    runSteps(stepsOf(plan.plans))
    expect(content(after)).toEqual(content(before))
    expect((await run(['check', '--fail-on', 'warning', after])).code).toBe(0)
    runSteps(backOf(plan.plans))
    expect(content(after)).toEqual(found)
  })

  test('recover copies the workspace without it', async () => {
    const { before, after } = died()
    const to = `${folder}/recovered`
    const { documents, code } = await runJson(['recover', after, '--to', to])
    expect(documents[0]).toMatchObject({ is_loss: false, remaining: [], cells_lost: 0 })
    expect(code).toBe(0)
    expect(content(to)).toEqual(content(before))
  })

  test('is running if something changed in the last hour, and died if not', async () => {
    const { after } = died()
    const stateAt = async (hours: number): Promise<unknown> => {
      const env = { TILEDB_INSPECT_NOW: String(Date.now() + hours * 3_600_000) }
      const before = process.env.TILEDB_INSPECT_NOW
      process.env.TILEDB_INSPECT_NOW = env.TILEDB_INSPECT_NOW
      const { documents } = await runJson([after], { env })
      process.env.TILEDB_INSPECT_NOW = before
      return get(get(documents[0], 'import'), 'state')
    }
    expect([await stateAt(0), await stateAt(2)]).toEqual(['running', 'died'])
  })
})

describe('damage', () => {
  test('what is unknown is null, and is said: never zero', async () => {
    const workspace = copyOf('303')
    const array = `${workspace}/1$2116$2323`
    const [first = ''] = fragmentsOf(array)
    rmSync(`${array}/${first}/REF_var.tdb`)
    writeFileSync(`${array}/${first}/__book_keeping.tdb.gz`, 'no gzip stream')
    expect(await jsonOf(workspace)).toMatchObject({ cell_num: null, tile_num: null, call_num: null, fragment_num: 18 })
    const lines = items(get(await jsonOf('ls', workspace), 'intervals'))
    expect(lines).toMatchObject([{}, { cell_num: null, tile_num: null }, {}])
    expect(Number(get(lines[0], 'cell_num'))).toBeGreaterThan(0)
    const { text } = await run([workspace])
    expect(text).toMatch(/calls +an unknown number of calls/)
    expect(text).toMatch(/cells +unknown: not every fragment can be read/)
    const fragment = await jsonOf(`${array}/${first}`)
    expect(fragment).toMatchObject({ state: 'read', cell_num: null, row_range: null, ok: false })
    expect(get(fragment, 'files')).toContainEqual({ name: 'REF_var.tdb', field: 'REF', holds: 'var', size: null })
  })

  test('the overview tells a sample that callset.json lost, by the boxes of fragments', async () => {
    const workspace = copyOf('303')
    const { callsets }: Samples = JSON.parse(readFileSync(`${workspace}/callset.json`, 'utf8'))
    const left = callsets.filter(({ row_idx }) => Number(row_idx) !== 5)
    writeFileSync(`${workspace}/callset.json`, JSON.stringify({ callsets: left }))
    const { documents, code } = await runJson([workspace])
    expect(code).toBe(1)
    expect(get(documents[0], 'findings')).toMatchObject([{ code: 'GENOMICSDB_SAMPLE', severity: 'error' }])
  })

  test('a plan says of an error that no command mends what else can be done', async () => {
    const workspace = copyOf('303')
    rmSync(`${workspace}/vcfheader.vcf`)
    const { text } = await run(['check', '--plan', workspace])
    expect(text).toContain('put such a file in its place: nothing else mends it')
    expect(text).not.toContain('nothing to do')
  })

  test('recover leaves out a damaged fragment, and says so', async () => {
    const path = copyOf('301')
    const [array = ''] = arraysOf(path)
    const [fragment = ''] = fragmentsOf(array)
    rmSync(`${array}/${fragment}/DP_FORMAT.tdb`)
    const to = `${folder}/whole`
    const { documents, code } = await runJson(['recover', path, '--to', to])
    expect(code).toBe(1)
    const lost = items(get(documents[0], 'fragments')).filter((one) => get(one, 'outcome') === 'lost')
    expect(lost).toMatchObject([{ name: fragment, codes: ['GENOMICSDB_DATA_FILE'] }])
    expect(documents[0]).toMatchObject({ is_loss: true, remaining: [] })
    expect((await run(['check', '--fail-on', 'error', to])).code).toBe(0)
  })

  test('a workspace that lost its mark is still one', async () => {
    const path = copyOf('305')
    rmSync(`${path}/__tiledb_workspace.tdb`)
    const { documents, code } = await runJson(['check', path])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'findings'))).toContainEqual(
      expect.objectContaining({ code: 'GENOMICSDB_FILE_MISSING', file: `${path}/__tiledb_workspace.tdb` }),
    )
  })

  test('maps with numbers as numbers, and objects in place of lists, are read', async () => {
    const path = copyOf('303')
    const map: Samples = JSON.parse(readFileSync(`${path}/callset.json`, 'utf8'))
    const callsets = Object.fromEntries(
      map.callsets.map(({ sample_name, row_idx }) => [sample_name, { row_idx: Number(row_idx), idx_in_file: 0 }]),
    )
    writeFileSync(`${path}/callset.json`, JSON.stringify({ callsets }))
    expect(get(await jsonOf('read', path), 'calls')).toEqual(get(await jsonOf('read', sound), 'calls'))
  })

  test.each([
    ['{', 'a JSON object'],
    ['[]', 'a JSON object'],
    ['{}', 'a list or an object'],
    ['{"callsets":[{"sample_name":"a","row_idx":"-1"}]}', 'a whole number'],
    ['{"callsets":[5, {"row_idx":"0"}]}', 'an object'],
  ])('a callset.json of %s is a finding', async (text, expected) => {
    const path = copyOf('306')
    writeFileSync(`${path}/callset.json`, text)
    const { documents, code } = await runJson(['check', path])
    expect(code).toBe(1)
    const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'code') === 'GENOMICSDB_MAP')
    expect(found.map((one) => get(one, 'expected'))).toContain(expected)
  })
})
