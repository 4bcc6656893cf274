import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { globMatcher } from '../../src/base/glob.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const ARRAY = `${FIXTURES}/22/sparse_basic`

function array(path: string, from = ARRAY): string {
  const full = `${folder}/${path}`
  cpSync(from, full, { recursive: true })
  return full
}

function fragmentsOf(path: string): string[] {
  return fragmentNames(path).map((name) => `${path}/__fragments/${name}`)
}

/** Removes the commits of all fragments. */
function uncommit(path: string): void {
  for (const name of readdirSync(`${path}/__commits`)) rmSync(`${path}/__commits/${name}`)
}

async function lines(...args: string[]): Promise<Json[]> {
  const { text } = await run([...args, '--format', 'ndjson', '--quiet'])
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function names(found: readonly Json[]): Json[] {
  return found.flatMap((one) => (get(one, 'kind') === 'member' ? [get(one, 'name') ?? null] : []))
}

describe('patterns of --exclude', () => {
  test.each([
    ['tmp', ['tmp', 'a/tmp'], ['tmp2', 'tmp/a']],
    ['run-*', ['run-1', 'a/run-'], ['a/run', 'run-1/b']],
    ['a/*', ['a/b'], ['a', 'a/b/c', 'x/a/b']],
    ['/a', ['a'], ['x/a']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a/c']],
    ['**/x/y', ['x/y', 'a/b/x/y'], ['xx/y']],
    ['[ab]?', ['ax', 'c/b1'], ['a', 'cx', 'a/']],
    ['[!ab]', ['c'], ['a', 'cc']],
    ['a.b+(c)', ['a.b+(c)'], ['aXb+(c)', 'a.bb(c)']],
  ])('%s', (pattern, meets, others) => {
    const matches = globMatcher(pattern)
    expect([meets.filter((path) => !matches(path)), others.filter((path) => matches(path))]).toEqual([[], []])
  })

  test.each([
    ['[z-a]', [], ['z', 'a', 'm']],
    ['[a-c-]', ['b', '-'], ['d']],
    ['a/**/**/b', ['a/b', 'a/c/d/b'], ['a/cb', 'ab']],
    ['x**', ['x', 'xyz'], ['y']],
    ['\u{1f600}?', ['\u{1f600}\u{1f601}'], ['\u{1f600}']],
  ])('%s, which is unusual', (pattern, meets, others) => {
    const matches = globMatcher(pattern)
    expect([meets.filter((path) => !matches(path)), others.filter((path) => matches(path))]).toEqual([[], []])
  })

  test('of many stars takes no longer than others', () => {
    const began = Date.now()
    expect(globMatcher(`${'*a'.repeat(60)}b`)('a'.repeat(250))).toBe(false)
    expect(globMatcher(`${'**/a'.repeat(60)}/b`)('a/'.repeat(250))).toBe(false)
    expect(Date.now() - began).toBeLessThan(2000)
  })
})

describe('a sweep', () => {
  test('has a line for each array and group, as it is done, then the totals; a fault is a line', async () => {
    const root = `${folder}/lines`
    array('lines/a')
    array('lines/deep/er/b')
    array('lines/bad')
    writeFileSync(`${root}/bad/__schema/${readdirSync(`${root}/bad/__schema`)[0]}`, 'no schema')
    cpSync(`${FIXTURES}/22/group`, `${root}/g`, { recursive: true })
    for (const command of ['ls', 'check', 'stats']) {
      const found = await lines(command, '--recursive', root)
      const members = found.slice(0, -1)
      expect(names(members)).toEqual(['a', 'bad', 'deep/er/b', 'g', ...names(members).slice(4)])
      expect(names(members)).toContain('g/nested')
      const summary = found.at(-1) ?? null
      expect([get(summary, 'kind'), get(summary, 'sweep'), get(summary, 'member_num')]).toEqual([
        'dataset',
        command,
        members.length,
      ])
      const bad = members.find((one) => get(one, 'name') === 'bad') ?? null
      expect(
        get(get(bad, 'error') ?? get(bad, 'finding_num') ?? null, 'code') ??
          get(get(bad, 'finding_num') ?? null, 'error'),
      ).toBeTruthy()
      expect(get(items(get(summary, 'worst'))[0] ?? null, 'name')).toBe('bad')
      const { code, stderr } = await run([command, '--recursive', root])
      expect([code, stderr]).toEqual([1, ''])
    }
    const { documents, code } = await runJson(['ls', '--recursive', root])
    expect([code, names(items(get(documents[0], 'members')))]).toEqual([
      1,
      names(await lines('ls', '--recursive', root)),
    ])
    rmSync(`${root}/bad`, { recursive: true })
    expect((await run(['check', '--recursive', root])).code).toBe(0)
  })

  test('visits what lies in the folder of a group without being a member, and says so', async () => {
    const root = `${folder}/no-member`
    cpSync(`${FIXTURES}/22/group`, `${root}/g`, { recursive: true })
    array('no-member/g/left')
    array('no-member/g/nested/plain/deep')
    const [fragment] = fragmentsOf(`${root}/g/left`)
    truncateSync(`${fragment}/a0.tdb`, 1)
    const { documents } = await runJson(['ls', `${root}/g`, '--depth', 'all'])
    const walkedNum = JSON.stringify(documents).split('"resolved"').length - 1
    for (const command of ['ls', 'check', 'stats', 'verify-checksums']) {
      const { text, code } = await run([command, '--recursive', root])
      expect([text.includes('g/left'), code]).toEqual([true, 1])
    }
    const found = (await lines('check', '--recursive', root)).filter((one) => get(one, 'kind') === 'member')
    const left = found.filter((one) => get(one, 'not_listed') === true)
    expect([names(left).sort(), found.length]).toEqual([['g/left', 'g/nested/plain/deep'], 1 + walkedNum + 2])
    expect(get(get(left.find((one) => get(one, 'name') === 'g/left') ?? null, 'finding_num') ?? null, 'error')).toBe(1)
    const { text } = await run(['ls', '--recursive', root])
    expect(text).toMatch(/ g\/left .*its group does not name it$/m)
    expect(text).not.toMatch(/ g\/nested .*its group does not name it$/m)
    expect((await run(['ls', '--recursive', root, '--format', 'csv'])).code).toBe(1)
    const without = await lines('ls', '--recursive', root, '--exclude', 'left', '--exclude', 'g/nested/plain')
    expect(get(get(without.at(-1), 'not_entered') ?? null, 'excluded_num')).toBe(2)
    expect(names(without)).toHaveLength(1 + walkedNum)
    // Those who ask for one group alone get its members.
    expect((await run(['check', `${root}/g`])).text).not.toContain('left')
  })

  test('leaves out what --exclude names, and says how much', async () => {
    array('left/a')
    array('left/tmp/b')
    array('left/runs/run-1/c')
    array('left/runs/run-2/c')
    const root = `${folder}/left`
    const found = await lines('ls', '--recursive', root, '--exclude', 'tmp', '--exclude', 'runs/*-2')
    expect(names(found)).toEqual(['a', 'runs/run-1/c'])
    expect(get(get(found.at(-1), 'not_entered') ?? null, 'excluded_num')).toBe(2)
    expect((await run(['ls', root, '--exclude', 'tmp'])).code).toBe(2)
    expect(names(await lines('check', '--recursive', root, '--exclude', 'runs', '--shard', '2/2'))).toEqual(['tmp/b'])
  })

  test('enters links that lead in a circle once, goes no deeper than --depth, and says both', async () => {
    array('circle/a/b/c/d')
    const root = `${folder}/circle`
    symlinkSync('..', `${root}/a/up`)
    const { text, stderr } = await run(['ls', '--recursive', root])
    expect(text).toContain('1 array')
    expect(stderr).toMatch(/1 folder is entered once/)
    const shallow = await run(['ls', '--recursive', '--depth', '2', root])
    expect(shallow.text).toContain('no members')
    expect(shallow.stderr).toMatch(/deeper than 2 levels is left out, in a\/b: --depth goes deeper/)
  })

  test('with --jobs gives the same lines in the same order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) array(`jobs/${name}`)
    const root = `${folder}/jobs`
    expect(await lines('ls', '--recursive', '--jobs', '3', root)).toEqual(await lines('ls', '--recursive', root))
    expect((await run(['ls', '--recursive', '--jobs', '0', root])).code).toBe(2)
  })

  test('puts the worst first: damage, then the multiple of the limit', async () => {
    const root = `${folder}/worst`
    array('worst/fine')
    const [written] = fragmentsOf(array('worst/failed'))
    for (const uuid of ['1', '2'])
      cpSync(written, written.replace(/[0-9a-f]{32}/, uuid.repeat(32)), { recursive: true })
    const broken = array('worst/broken')
    rmSync(`${fragmentsOf(broken)[0]}/d0.tdb`)
    array('worst/many', `${FIXTURES}/22/dense_basic`)
    const found = await lines('ls', '--recursive', root)
    const worst = items(get(found.at(-1), 'worst')).map((one) =>
      ['name', 'measure', 'value'].map((key) => get(one, key)),
    )
    expect(worst).toEqual([
      ['broken', 'damage', 1],
      ['failed', 'uncommitted', 2],
    ])
    const { text } = await run(['ls', '--recursive', root])
    expect(text).toMatch(
      /what needs attention\nmember +attention for +how much +times the limit\nbroken +damage +1 error\nfailed +uncommitted/,
    )
  })

  test('says what the size of a group is', async () => {
    const root = `${folder}/grouped`
    array('grouped/group', `${FIXTURES}/22/group`)
    const { text } = await run(['ls', '--recursive', root])
    expect(text).toMatch(/^the size of a group is that of its own files, without its members$/m)
  })

  test('counts what is not read alike in all commands: an array without its key, too', async () => {
    array('keys/plain')
    array('keys/secret', `${FIXTURES}/22/encrypted`)
    for (const command of ['ls', 'check', 'stats']) {
      const { text } = await run([command, '--recursive', `${folder}/keys`, '--quiet'])
      expect({ command, text }).toEqual({ command, text: expect.stringMatching(/, 1 member not read$/m) })
    }
    expect((await run(['ls', '--recursive', `${folder}/keys`])).text).toMatch(/ secret {2}not read: /)
  })

  test('says of cells that later ones may hide that there are at most so many', async () => {
    array('bounds/one', `${FIXTURES}/22/sparse_consolidated`)
    const { text } = await run(['ls', '--recursive', `${folder}/bounds`])
    expect(text).toMatch(/^sparse +≤ \d+ /m)
    expect((await run(['ls', '--depth', 'all', `${folder}/bounds`])).text).toMatch(/ ≤ \d+ /)
  })

  test('names the only code of a member on a narrow terminal, too', async () => {
    const name = 'narrow/a-member-with-a-name-of-some-length'
    const [fragment] = fragmentsOf(array(name))
    truncateSync(`${fragment}/__fragment_metadata.tdb`, 3000)
    const { text } = await run(['check', '--recursive', `${folder}/narrow`], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toMatch(/^NOT OK .* a-m\S*…\S* {2}FOOTER_UNREADABLE$/m)
    expect(text.split('\n').every((line) => line.length <= 80 || line.includes('/narrow'))).toBe(true)
  })

  test('is sorted and cut if that is asked for, and an unknown order is refused before anything is read', async () => {
    const root = `${folder}/sorted`
    for (const name of ['b', 'a', 'c']) array(`sorted/${name}`)
    expect(names(await lines('ls', '--recursive', '--sort', 'name', '--reverse', '--limit', '2', root))).toEqual([
      'c',
      'b',
    ])
    // The order is refused though the fragments could not be read.
    const [fragment] = fragmentsOf(`${root}/a`)
    writeFileSync(`${fragment}/__fragment_metadata.tdb`, '')
    const refused = await run(['ls', `${root}/a`, '--sort', 'fragments'])
    expect([refused.code, refused.text]).toEqual([2, ''])
    expect(refused.stderr).toMatch(
      /^error: expected --sort name, size, cells, written for this list, found fragments\n$/,
    )
    expect((await run(['ls', `${root}/nowhere`, '--sort', 'colour'])).stderr).toMatch(/--sort/)
  })

  test('names can be sorted by name, and by nothing else', async () => {
    const path = array('named', `${FIXTURES}/22/dense_vacuum_left`)
    const listed = async (...args: string[]): Promise<string[]> =>
      (await run(['ls', '--names', ...args, path])).text.trim().split('\n')
    const all = await listed('--sort', 'name')
    expect(all.length).toBeGreaterThan(1)
    expect(all).toEqual(all.toSorted())
    expect(await listed('--sort', 'name', '--reverse', '--limit', '1')).toEqual(all.slice(-1))
    expect((await run(['ls', '--names', '--sort', 'size', path])).code).toBe(2)
    const group = `${folder}/named-group`
    for (const name of ['x', 'y']) array(`named-group/${name}`)
    const members = items(
      get((await runJson(['ls', '--names', '--sort', 'name', '--reverse', group])).documents[0], 'members'),
    )
    expect(members.map((one) => get(one, 'uri'))).toEqual(['y', 'x'])
    expect((await run(['ls', '--names', '--sort', 'size', group])).code).toBe(2)
  })

  test('a line of check lists ten findings, and says how many more there are', async () => {
    const broken = array('places/broken', `${FIXTURES}/22/dense_vacuum_left`)
    for (const fragment of fragmentsOf(broken)) {
      for (const name of readdirSync(fragment)) if (!name.startsWith('__')) rmSync(`${fragment}/${name}`)
      for (let i = 0; i < 12; i++) writeFileSync(`${fragment}/stray${i}.tdb`, 'x')
    }
    const [line] = await lines('check', '--recursive', `${folder}/places`)
    const check = get(line, 'check') ?? null
    const all = Object.values((get(line, 'finding_num') ?? {}) as object).reduce((sum, one) => sum + Number(one), 0)
    expect(items(get(check, 'findings'))).toHaveLength(10)
    expect(get(check, 'more_num')).toBe(all - 10)
    expect(all).toBeGreaterThan(10)
  })
})

describe('--resume', () => {
  const settled = (found: readonly Json[]): Json[] =>
    found.map((one) => ({ ...(one as object), state_id: null, resumed_num: null }))

  test('goes on: what is noted is not read again, what changed is, a torn line is cut', async () => {
    const root = `${folder}/resumed`
    for (const name of ['a', 'b', 'c']) array(`resumed/${name}`)
    const file = `${folder}/resumed.ndjson`
    const whole = await lines('check', '--recursive', root)
    const first = await lines('check', '--recursive', '--resume', file, root)
    expect(settled(first)).toEqual(settled(whole))
    const [head, a, b, ...rest] = readFileSync(file, 'utf8').split('\n')
    expect(rest).toHaveLength(2)
    // The line of a says something else, to be told from what is read; that of b is torn.
    const marked = a.replace('"sparse"', '"dense"')
    writeFileSync(file, `${head}\n${marked}\n${b.slice(0, 40)}`)
    const again = await lines('check', '--recursive', '--resume', file, root)
    expect(again.slice(0, 3).map((one) => get(one, 'array_type'))).toEqual(['dense', 'sparse', 'sparse'])
    expect(get(again.at(-1), 'resumed_num')).toBe(1)
    expect(get(again.at(-1), 'totals')).toEqual(get(whole.at(-1), 'totals'))
    expect(get(again.at(-1), 'counts')).toEqual(get(whole.at(-1), 'counts'))
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4)
    uncommit(`${root}/a`)
    const changed = await lines('check', '--recursive', '--resume', file, root)
    expect(changed.slice(0, 3).map((one) => get(one, 'array_type'))).toEqual(['sparse', 'sparse', 'sparse'])
    expect(get(changed.at(-1), 'resumed_num')).toBe(2)
    expect(items(get(changed.at(-1), 'worst')).map((one) => get(one, 'name'))).toEqual(['a'])
  })

  test('refuses the file of another sweep, and any other file, which stays as it is', async () => {
    const root = `${folder}/other`
    array('other/a')
    const file = `${folder}/other.ndjson`
    await run(['ls', '--recursive', '--resume', file, root])
    for (const [args, words] of [
      [['check', '--recursive', root], /expected --resume of a sweep with sweep "check", found one with "ls"/],
      [['ls', '--recursive', '--exclude', 'x', root], /with exclude \["x"\], found one with \[\]/],
      [['ls', '--recursive', array('elsewhere/b').replace(/.b$/, '')], /with path ".*", found one with ".*other"/],
    ] as const) {
      const { code, stderr } = await run([...args, '--resume', file])
      expect(code).toBe(2)
      expect(stderr).toMatch(words)
    }
    for (const text of ['notes', 'notes\n', '{"a":1}\n', '{"kind":"dataset"}\n']) {
      writeFileSync(file, text)
      const { code, stderr } = await run(['ls', '--recursive', '--resume', file, root])
      expect([code, readFileSync(file, 'utf8')]).toEqual([2, text])
      expect(stderr).toMatch(/expected --resume a file of an earlier sweep, or a new one/)
    }
    expect((await run(['ls', '--recursive', '--resume', `${root}/a/file`, root])).code).toBe(2)
    expect(existsSync(`${root}/a/file`)).toBe(false)
  })

  test('a file that ends within its first line begins anew', async () => {
    const root = `${folder}/torn`
    array('torn/a')
    const file = `${folder}/torn.ndjson`
    await run(['ls', '--recursive', '--resume', file, root])
    const [head] = readFileSync(file, 'utf8').split('\n')
    truncateSync(file, head.length - 3)
    expect((await run(['ls', '--recursive', '--resume', file, root])).code).toBe(0)
    expect(readFileSync(file, 'utf8').startsWith(`${head}\n{`)).toBe(true)
    appendFileSync(file, '\0\0\0\0')
    expect((await run(['ls', '--recursive', '--resume', file, root])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('\0')
  })
})

describe('diff of two saved sweeps', () => {
  test('shows what is new, gone and grown, and findings that came and went', async () => {
    const root = `${folder}/grown`
    for (const name of ['same', 'gone', 'more', 'mended']) array(`grown/${name}`)
    const [lost] = readdirSync(fragmentsOf(`${root}/mended`)[0]).filter((name) => name.startsWith('d0'))
    const file = `${fragmentsOf(`${root}/mended`)[0]}/${lost}`
    const bytes = readFileSync(file)
    rmSync(file)
    const [before, after] = [`${folder}/before.ndjson`, `${folder}/after.ndjson`]
    await run(['ls', '--recursive', root, '-o', before])
    writeFileSync(file, bytes)
    rmSync(`${root}/gone`, { recursive: true })
    array('grown/new', `${FIXTURES}/22/dense_basic`)
    writeFileSync(`${fragmentsOf(`${root}/more`)[0]}/stray`, 'x'.repeat(7))
    await run(['ls', '--recursive', '--resume', after, root])
    const { documents, code } = await runJson(['diff', before, after])
    expect(code).toBe(1)
    const [document] = documents
    expect(
      ['kind', 'equal', 'member_num', 'other_member_num', 'new_num', 'gone_num'].map((key) => get(document, key)),
    ).toEqual(['sweep-diff', false, 4, 4, 1, 1])
    const changes = items(get(document, 'changes'))
    expect(changes.map((one) => ['name', 'change', 'codes_new', 'codes_gone'].map((key) => get(one, key)))).toEqual([
      ['new', 'new', [], []],
      ['mended', 'grown', [], ['FILE_MISSING']],
      ['more', 'grown', ['FILE_UNLISTED'], []],
      ['gone', 'gone', [], []],
    ])
    expect(get(changes[2], 'grown_size')).toBe(7)
    expect(get(changes[0], 'grown_fragment_num')).toBe(2)
    const { text } = await run(['diff', before, after])
    expect(text).toMatch(/^mended +grown .* - FILE_MISSING$/m)
    expect(text).toMatch(/1 new, 1 gone, 2 others not the same/)
    expect((await run(['diff', before, before])).text).toContain('the same members')
    expect((await run(['diff', before, before])).code).toBe(0)
    writeFileSync(after, `${readFileSync(before, 'utf8')}nothing\n`)
    expect((await run(['diff', before, after])).stderr).toMatch(/expected a saved sweep, NDJSON, found another line 6/)
  })
})

describe('a saved sweep that someone made', () => {
  const head = '{"kind":"dataset","sweep":"ls"}\n'

  test('may have values of any kind', async () => {
    const [a, b] = [`${folder}/odd-a.ndjson`, `${folder}/odd-b.ndjson`]
    const odd = { toString: 1, valueOf: 1 }
    const line = {
      kind: 'member',
      name: '__proto__',
      size: odd,
      codes: [odd, [odd]],
      cell_num: odd,
      error: { code: odd },
    }
    writeFileSync(a, `${head}${JSON.stringify(line)}\n{"kind":"member","name":"n","size":1e999,"cell_num":1.5}\n`)
    writeFileSync(b, `${head}{"kind":"member","name":"n","cell_num":"${'9'.repeat(100_000)}"}\n`)
    const { documents, code } = await runJson(['diff', a, b])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'changes')).map((one) => [get(one, 'name'), get(one, 'change')])).toEqual([
      ['__proto__', 'gone'],
    ])
  })

  test('may note lines that lack what is summed: the members are done again', async () => {
    const file = `${folder}/changed.ndjson`
    const root = `${folder}/changed`
    array('changed/a')
    const whole = await lines('check', '--recursive', '--resume', file, root)
    for (const change of [{ check: {} }, { hurts: 5 }, { hurts: [null] }]) {
      const [first, line] = readFileSync(file, 'utf8').split('\n')
      writeFileSync(file, `${first}\n${JSON.stringify({ ...JSON.parse(line), ...change })}\n`)
      expect(await lines('check', '--recursive', '--resume', file, root)).toEqual(whole)
    }
  })

  test('with a line that is too long is refused, and stays as it is', async () => {
    const file = `${folder}/long.ndjson`
    const root = `${folder}/long`
    array('long/a')
    writeFileSync(file, `${head}{"kind":"member","name":"${'x'.repeat(36 << 20)}`)
    for (const call of [
      ['diff', file, file],
      ['ls', '--recursive', '--resume', file, root],
    ])
      expect((await run(call)).code).toBe(2)
    const empty = `${folder}/no-lines.ndjson`
    writeFileSync(empty, 'x'.repeat(36 << 20))
    expect((await run(['ls', '--recursive', '--resume', empty, root])).code).toBe(2)
    expect(readFileSync(empty)).toHaveLength(36 << 20)
  })
})
