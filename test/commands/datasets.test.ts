import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type GroupMember, groupDetails } from '../../src/format/group-details.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const ARRAY = `${FIXTURES}/22/sparse_basic`

type Listed = Pick<GroupMember, 'uri'> & Partial<GroupMember>

/** Makes a group that lists these members, which need not be there. */
async function group(path: string, members: readonly Listed[]): Promise<string> {
  const full = `${folder}/${path}`
  mkdirSync(`${full}/__group`, { recursive: true })
  writeFileSync(`${full}/__tiledb_group.tdb`, '')
  const list = members.map(
    (one): GroupMember => ({ version: 2, type: 'array', relative: true, name: undefined, deleted: false, ...one }),
  )
  const bytes = genericTileBytes({ version: 2, members: list }, groupDetails)
  const uuid = Buffer.from(path).toString('hex').padEnd(32, '0').slice(-32)
  writeFileSync(`${full}/__group/__1_1_${uuid}_2`, bytes)
  return full
}

function array(path: string): string {
  const full = `${folder}/${path}`
  cpSync(ARRAY, full, { recursive: true })
  return full
}

async function members(path: string, ...options: string[]): Promise<Json[]> {
  const { documents } = await runJson(['ls', path, '--depth', 'all', ...options])
  const walk = (lines: Json | undefined, above: string): Json[] =>
    items(lines).flatMap((line) => {
      const name = `${above}${String(get(line, 'name') ?? get(line, 'uri'))}`
      return [{ name, line }, ...walk(get(line, 'members'), `${name}/`)]
    })
  return walk(get(documents[0], 'members'), '')
}

function facts(found: readonly Json[], ...keys: string[]): Json[] {
  return found.map((one) => [
    get(one, 'name') ?? null,
    ...keys.map((key) => get(get(one, 'line') ?? null, key) ?? null),
  ])
}

function bytesBelow(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.reduce((all, one) => all + (one.isFile() ? statSync(join(one.parentPath, one.name)).size : 0), 0)
}

async function codes(path: string): Promise<Json[]> {
  const { documents } = await runJson(['check', path])
  return items(get(documents[0], 'findings')).map((one) => [get(one, 'code') ?? null, get(one, 'field') ?? null])
}

describe('where members are read from', () => {
  test('inside, elsewhere, by a link, nowhere; each line says so', async () => {
    array('one/data/in')
    array('one/other/out')
    const path = await group('one/data', [
      { uri: 'in', name: 'a' },
      { uri: `file://${folder}/one/other/out`, name: 'b', relative: false },
      { uri: 'link', name: 'c' },
      { uri: 'gone', name: 'd' },
      { uri: `file://${folder}/one/gone`, name: 'e', relative: false },
      { uri: '../other/out', name: 'f' },
    ])
    symlinkSync('../other/out', `${path}/link`)
    const out = `${folder}/one/other/out`
    expect(facts(await members(path), 'state', 'place', 'resolved', 'again')).toEqual([
      ['a', 'present', 'inside', `${path}/in`, null],
      ['b', 'present', 'elsewhere', out, null],
      ['c', 'present', 'linked', `${path}/link`, 'b'],
      ['d', 'missing', 'nowhere', null, null],
      ['e', 'missing', 'nowhere', null, null],
      ['f', 'present', 'elsewhere', out, 'b'],
    ])
    expect(await codes(path)).toEqual([
      ['GROUP_MEMBER_ELSEWHERE', 'members.b'],
      ['GROUP_MEMBER_TWICE', 'members.c'],
      ['GROUP_MEMBER_ELSEWHERE', 'members.c'],
      ['GROUP_MEMBER_MISSING', 'members.d'],
      ['GROUP_MEMBER_MISSING', 'members.e'],
      ['GROUP_MEMBER_TWICE', 'members.f'],
      ['GROUP_MEMBER_ELSEWHERE', 'members.f'],
    ])
    const { text } = await run(['ls', path])
    expect(text).toContain('link (a link)')
    expect(text).toContain('the same as b')
    expect(text).toContain('2 arrays: 2 fragments')
  })

  test('what a member elsewhere lists is elsewhere, too', async () => {
    array('two/orig/sub/x')
    await group('two/orig/sub', [{ uri: 'x', name: 'x' }])
    const path = await group('two/copy', [
      { uri: `file://${folder}/two/orig/sub`, name: 'sub', type: 'group', relative: false },
    ])
    expect(facts(await members(path), 'place')).toEqual([
      ['sub', 'elsewhere'],
      ['sub/x', 'elsewhere'],
    ])
    expect(await codes(path)).toEqual([
      ['GROUP_MEMBER_ELSEWHERE', 'members.sub'],
      ['GROUP_MEMBER_ELSEWHERE', 'members.x'],
    ])
  })

  test('a plan adds the copy inside, or copies what is only elsewhere', async () => {
    array('three/orig/a')
    array('three/shared')
    array('three/copy/a')
    const path = await group('three/copy', [
      { uri: `file://${folder}/three/orig/a`, name: 'a', relative: false },
      { uri: `file://${folder}/three/shared`, name: 's', relative: false },
    ])
    const { documents } = await runJson(['check', '--plan', path])
    const steps = items(get(documents[0], 'plans')).flatMap((plan) => items(get(plan, 'steps')))
    const commands = steps.map((step) => String(get(step, 'command'))).join('\n')
    expect(commands).toMatch(/add\(.*relative=True\)' \S+ a a$/m)
    expect(commands).toContain(`cp -a ${folder}/three/shared ${path}/s`)
    rmSync(`${folder}/three/orig`, { recursive: true })
    const moved = await runJson(['check', '--plan', path])
    const [plan] = items(get(moved.documents[0], 'plans'))
    expect(get(plan, 'outcome')).toBe('mends')
    expect(get(plan, 'lost')).toEqual([])
  })
})

describe('sums', () => {
  test('equal the files to the byte, an array counts once, and the order can be chosen', async () => {
    array('sums/small')
    cpSync(`${FIXTURES}/22/dense_basic`, `${folder}/sums/sub/dense`, { recursive: true })
    await group('sums/sub', [{ uri: 'dense', name: 'dense' }])
    const path = await group('sums', [
      { uri: 'small', name: 'b' },
      { uri: 'sub', name: 'a', type: 'group' },
      { uri: 'small', name: 'c' },
    ])
    const { documents } = await runJson(['ls', path])
    const totals = get(documents[0], 'totals') ?? null
    expect(get(totals, 'size')).toBe(bytesBelow(path))
    expect([get(totals, 'array_num'), get(totals, 'group_num')]).toEqual([2, 1])
    const stats = await runJson(['stats', path])
    expect(stats.documents.length).toBe(1)
    expect(get(stats.documents[0], 'size')).toBe(bytesBelow(path))
    expect(get(stats.documents[0], 'fragment_num')).toBe(get(totals, 'fragment_num'))
    expect((await runJson(['stats', path, '--full'])).documents.length).toBe(3)
    const names = async (...options: string[]): Promise<Json[]> =>
      items(get((await runJson(['ls', path, ...options])).documents[0], 'members')).map(
        (one) => get(one, 'name') ?? null,
      )
    expect(await names()).toEqual(['b', 'a', 'c'])
    expect(await names('--sort', 'name')).toEqual(['a', 'b', 'c'])
    expect(await names('--sort', 'name', '--reverse', '--limit', '2')).toEqual(['c', 'b'])
    const sizes = items(get(documents[0], 'members')).map((one) => Number(get(one, 'size') ?? 0))
    expect(await names('--sort', 'size')).toEqual(sizes[0] > sizes[1] ? ['b', 'a', 'c'] : ['a', 'b', 'c'])
    const overview = await runJson([path])
    expect(get(overview.documents[0], 'totals')).toEqual(totals)
  })

  test('fragments can be sorted, too', async () => {
    const { documents } = await runJson(['ls', ARRAY, '--sort', 'written', '--limit', '1'])
    const [newest, ...more] = items(get(documents[0], 'fragments'))
    const all = items(get((await runJson(['ls', ARRAY])).documents[0], 'fragments'))
    const times = all.map((one) => Number(items(get(one, 'timestamp_range'))[1]))
    expect(more).toEqual([])
    expect(Number(items(get(newest, 'timestamp_range'))[1])).toBe(Math.max(...times))
    expect((await run(['ls', ARRAY, '--sort', 'fragments'])).code).toBe(2)
    const fragment = firstFragment(ARRAY)
    const files = items(get((await runJson(['ls', fragment])).documents[0], 'files'))
    const largest = (await runJson(['ls', fragment, '--sort', 'size', '--limit', '1'])).documents[0]
    expect(items(get(largest, 'files')).map((one) => get(one, 'size'))).toEqual([
      Math.max(...files.map((one) => Number(get(one, 'size')))),
    ])
    expect((await run(['ls', fragment, '--sort', 'written'])).code).toBe(2)
  })
})

describe('recover --relocate', () => {
  test('makes members relative, and takes the copy that lies inside', async () => {
    array('rel/orig/ms/x')
    array('rel/orig/obs')
    array('rel/ref')
    await group('rel/orig/ms', [{ uri: `file://${folder}/rel/orig/ms/x`, name: 'X', relative: false }])
    await group('rel/orig', [
      { uri: `file://${folder}/rel/orig/ms`, name: 'ms', type: 'group', relative: false },
      { uri: 'obs', name: 'obs' },
      { uri: `file://${folder}/rel/ref`, name: 'ref', relative: false },
      { uri: 'obs', name: 'again' },
      { uri: 'gone', name: 'gone' },
    ])
    renameSync(`${folder}/rel/orig`, `${folder}/rel/moved`)
    const to = `${folder}/rel/new`
    const { code, documents } = await runJson([
      'recover',
      '--relocate',
      '--with-members',
      `${folder}/rel/moved`,
      '--to',
      to,
    ])
    expect(code).toBe(1)
    expect(
      items(get(documents[0], 'members')).map((one) => ['member', 'to', 'state'].map((key) => get(one, key) ?? null)),
    ).toEqual([
      ['ms', 'ms', 'written'],
      ['ms/X', 'ms/x', 'copied'],
      ['obs', 'obs', 'copied'],
      ['ref', 'ref', 'copied'],
      ['again', 'obs', 'copied'],
      ['gone', 'gone', 'gone'],
    ])
    expect(await codes(to)).toEqual([['GROUP_MEMBER_TWICE', 'members.again']])
    expect(facts(await members(to), 'place', 'relative', 'state')).toEqual([
      ['ms', 'inside', true, 'present'],
      ['ms/X', 'inside', true, 'present'],
      ['obs', 'inside', true, 'present'],
      ['ref', 'inside', true, 'present'],
      ['again', 'inside', true, 'present'],
    ])
    expect((await run(['diff', '--cells', `${to}/ms/x`, ARRAY])).code).toBe(0)
  })

  test('without the members it says what is still to be copied', async () => {
    array('bare/group/a')
    const path = await group('bare/group', [{ uri: 'a', name: 'a' }])
    const { code, text } = await run(['recover', '--relocate', path, '--to', `${folder}/bare/new`])
    expect(code).toBe(0)
    expect(text).toContain(`cp -a ${path}/a ${folder}/bare/new/a`)
    expect((await run(['recover', ARRAY, '--with-members', '--to', `${folder}/bare/no`])).code).toBe(2)
  })
})

describe('a plain folder', () => {
  test('has the arrays and groups in it as members, and with --recursive those further down', async () => {
    array('plain/a')
    array('plain/deep/er/b')
    array('plain/g/x')
    await group('plain/g', [{ uri: 'x', name: 'x' }])
    writeFileSync(`${folder}/plain/notes.txt`, 'no part of it')
    const path = `${folder}/plain`
    const listed = async (...options: string[]): Promise<Json[]> => facts(await members(path, ...options), 'implicit')
    expect(await listed()).toEqual([
      ['a', true],
      ['g', true],
      ['g/x', false],
    ])
    expect(await listed('--recursive')).toEqual([
      ['a', true],
      ['deep/er/b', true],
      ['g', true],
      ['g/x', false],
    ])
    const { documents } = await runJson(['ls', path, '--recursive'])
    expect([get(documents[0], 'kind'), get(get(documents[0], 'totals'), 'array_num')]).toEqual(['dataset', 3])
    expect(await codes(path)).toEqual([])
    const checked = await runJson(['check', '--recursive', path])
    expect(get(get(checked.documents[0], 'counts'), 'fragment_num')).toBe(3)
    expect((await run(['ls', '--recursive', ARRAY])).code).toBe(2)
  })

  test('with nothing but folders shows what is further down at once', async () => {
    array('levels/one/a')
    const { documents } = await runJson(['ls', `${folder}/levels`])
    expect(items(get(documents[0], 'members')).map((one) => get(one, 'uri'))).toEqual(['one/a'])
  })

  test('is no member of a group, and --names looks into nothing', async () => {
    array('named/f/a')
    const path = await group('named', [{ uri: 'f', name: 'f', type: 'group' }])
    expect(facts(await members(path), 'state')).toEqual([['f', 'missing']])
    const { documents } = await runJson(['ls', '--names', `${folder}/named/f`])
    expect(get(documents[0], 'totals')).toBeUndefined()
    expect(facts(await members(`${folder}/named/f`, '--names'), 'cell_num', 'size')).toEqual([['a', null, null]])
  })
})

describe('a group that is listed twice', () => {
  test('has its members below each of its names, and counts once', async () => {
    array('twice/sub/x')
    await group('twice/sub', [{ uri: 'x', name: 'x' }])
    const path = await group('twice', [
      { uri: 'sub', name: 'a', type: 'group' },
      { uri: 'sub', name: 'b', type: 'group' },
    ])
    expect(facts(await members(path), 'again')).toEqual([
      ['a', null],
      ['a/x', null],
      ['b', 'a'],
      ['b/x', 'a/x'],
    ])
    const { documents } = await runJson(['ls', path])
    expect(get(documents[0], 'totals')).toMatchObject({ array_num: 1, group_num: 1, size: bytesBelow(path) })
    expect(get((await runJson(['stats', path])).documents[0], 'size')).toBe(bytesBelow(path))
    expect(await codes(path)).toEqual([['GROUP_MEMBER_TWICE', 'members.b']])
  })
})

describe('an array in the folder of a group that is no member', () => {
  test('is said by check --all and the overview; what a copy means by its absolute paths is not', async () => {
    for (const name of ['in', 'out', 'moved']) array(`unlisted/${name}`)
    array('unlisted/sub/left')
    await group('unlisted/sub', [])
    const path = await group('unlisted', [
      { uri: 'in', name: 'a' },
      { uri: 'file:///gone/moved', name: 'm', relative: false },
      { uri: 'sub', name: 'sub', type: 'group' },
    ])
    expect(JSON.stringify(await codes(path))).not.toContain('GROUP_OBJECT_UNLISTED')
    const { documents } = await runJson(['check', '--all', path])
    const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'code') === 'GROUP_OBJECT_UNLISTED')
    expect(found.map((one) => [get(one, 'severity'), get(one, 'file')])).toEqual([
      ['note', `${path}/out`],
      ['note', `${path}/sub/left`],
    ])
    const overview = await runJson([path])
    expect(get(overview.documents[0], 'unlisted')).toEqual([`${path}/out`, `${path}/sub/left`])
    expect((await run([path])).text).toMatch(/^not listed +out, sub\/left/m)
  })

  test('of plain folders and groups without a list, everything is a member', async () => {
    array('plain/x')
    array('plain/deep/y')
    expect(await codes(`${folder}/plain`)).toEqual([])
    expect(JSON.stringify(await codes(`${FIXTURES}/groups/old`))).not.toContain('GROUP_')
  })
})

test('the overview says what to do where members are read from elsewhere', async () => {
  array('next/other/x')
  const path = await group('next/data', [{ uri: `file://${folder}/next/other/x`, name: 'x', relative: false }])
  const { text } = await run([path])
  expect(text).toContain(`check ${path} --plan`)
  expect(text).toContain(`recover ${path} --relocate --with-members --to data.new`)
  expect((await run(['recover', path, '--relocate', '--with-members', '--to', `${folder}/next/data.new`])).code).toBe(0)
  expect((await run([`${folder}/next/data.new`])).text).not.toContain('--relocate')
})

test('of groups that contain each other, it suggests only what works', async () => {
  array('round/x')
  const path = await group('round/below', [
    { uri: `file://${folder}/round`, name: 'up', type: 'group', relative: false },
  ])
  await group('round', [
    { uri: 'below', name: 'below', type: 'group' },
    { uri: 'x', name: 'x' },
  ])
  const { documents } = await runJson([path])
  const codes = items(get(documents[0], 'findings')).map((one) => get(one, 'code'))
  expect(codes).toEqual(['GROUP_MEMBER_ELSEWHERE', 'GROUP_CYCLE'])
  const refused = await run(['recover', path, '--relocate', '--with-members', '--to', `${folder}/round.new`])
  expect(refused.code).toBe(3)
  expect((await run([path])).text).not.toContain('--relocate')
  // A copy of a folder into itself fails, and a member beside its list needs none.
  const { text } = await run(['check', path, '--plan'])
  expect(text).toContain('.remove(')
  expect(text).not.toMatch(/cp -a \S+\/round(?:\/x)? /)
})

test('check counts all files of groups, with the one that marks a group', async () => {
  array('counted/sub/x')
  await group('counted/sub', [{ uri: 'x', name: 'x' }])
  const path = await group('counted', [{ uri: 'sub', name: 'sub', type: 'group' }])
  const { documents } = await runJson(['check', path])
  const total = get(get((await runJson(['ls', path])).documents[0], 'totals'), 'file_num')
  expect(get(get(documents[0], 'counts'), 'file_num')).toBe(total)
})

test('an array in the folder of another, as old groups allow, counts once in stats, too', async () => {
  const old = `${FIXTURES}/groups/old`
  expect(existsSync(`${old}/a/inner`)).toBe(true)
  const sums = get((await runJson(['ls', old])).documents[0], 'totals')
  const stats = (await runJson(['stats', old])).documents[0]
  expect([get(sums, 'size'), get(stats, 'size')]).toEqual([bytesBelow(old), bytesBelow(old)])
})

test('sums say when the arrays were last written, and in which format versions', async () => {
  const path = `${folder}/written`
  mkdirSync(path)
  for (const [name, from] of [
    ['old', '9/sparse_basic'],
    ['new', '22/deletes'],
  ])
    cpSync(`${FIXTURES}/${from}`, `${path}/${name}`, { recursive: true })
  const totals = get((await runJson(['ls', path])).documents[0], 'totals') ?? null
  const lines = items(get((await runJson(['ls', path])).documents[0], 'members'))
  const times = lines.map((line) => items(get(line, 'timestamp_range')).map(Number))
  expect(get(totals, 'timestamp_range')).toEqual([
    Math.min(...times.map(([first]) => first)),
    Math.max(...times.map(([, last]) => last)),
  ])
  expect(get(totals, 'format_versions')).toEqual([9, 22])
  expect((await run([path])).text).toMatch(/^last written .*; format 9, 22; first 10$/m)
})
