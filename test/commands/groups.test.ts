import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { groupDetails } from '../../src/format/group-details.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { get, items, type Json, parseJson } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const GROUPS = `${FIXTURES}/groups`
const OLD = `${GROUPS}/old`

function walked(members: Json | undefined, above: string): Json[] {
  return items(members).flatMap((member) => {
    const at = `${above}/${String(get(member, 'uri'))}`
    const inside = get(member, 'members')
    return [[at, get(member, 'type') ?? null], ...(inside === undefined ? [] : walked(inside, at))]
  })
}

function copyOf(name: string, as: string): string {
  const copy = `${folder}/${as}`
  cpSync(`${GROUPS}/${name}`, copy, { recursive: true })
  return copy
}

describe('groups of releases before TileDB 2.8', () => {
  test("members are what TileDB's walk finds", async () => {
    const found: Json[] = []
    for (const name of ['old', 'other']) {
      const { documents } = await runJson(['ls', '--depth', 'all', `${GROUPS}/${name}`])
      found.push(...walked(get(documents[0], 'members'), name))
      expect(items(get(documents[0], 'members')).map((member) => get(member, 'implicit'))).toEqual([true, true, true])
    }
    expect(found).toEqual(items(get(parseJson(readFileSync(`${GROUPS}/expected.json`, 'utf8')), 'walk')))
  })

  test('ls shows one level, and marks them', async () => {
    const { text } = await run(['ls', OLD])
    expect(text).toContain('\nall are implicit: no list of members names them')
    // A column that says the same of each member says nothing.
    expect(text).not.toContain('reads from')
    expect(text).toContain('sub')
    expect(text).not.toContain('empty')
    expect((await run(['ls', '--depth', '2', OLD])).text).toContain('  empty')
    expect((await run(['ls', '--depth', '0', OLD])).code).toBe(2)
  })

  test('check and verify-checksums look at every array', async () => {
    const checked = (await runJson(['check', '--level', 'cells', OLD])).documents[0]
    expect(get(get(checked, 'counts'), 'fragment_num')).toBe(3)
    expect(get(get(checked, 'counts'), 'cell_num')).toBe(6)
    const { code, documents } = await runJson(['verify-checksums', '--require-checksums', OLD])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'unprotected_files')).length).toBe(3)
    expect(get(documents[0], 'verdict')).toBe('partly')
  })

  test('damage below one is found', async () => {
    const copy = copyOf('old', 'damaged')
    const { documents } = await runJson(['ls', `${copy}/sub/b`])
    const path = String(get(items(get(documents[0], 'fragments'))[0], 'path'))
    writeFileSync(`${path}/a0.tdb`, '')
    expect((await run(['check', copy])).code).toBe(1)
  })

  test('metadata gives one document: that of the group, and below it those of its members', async () => {
    const { code, documents } = await runJson(['metadata', OLD])
    expect({ code, length: documents.length }).toEqual({ code: 0, length: 1 })
    expect(get(documents[0], 'path')).toBe(OLD)
    expect(items(get(documents[0], 'members')).map((member) => get(member, 'path'))).toContain(`${OLD}/sub/b`)
    expect(items(get(documents[0], 'members')).length).toBe(5)
  })

  test('metadata of a group is that of arrays and groups, whatever lies where a member should be', async () => {
    const copy = copyOf('invalid', 'fragment-as-member')
    cpSync(`${OLD}/sub/b/__10_10_29096e54339a4532a874649cfb1780e9_10`, `${copy}/fragment`, { recursive: true })
    rmSync(`${copy}/a`, { recursive: true })
    renameSync(`${copy}/fragment`, `${copy}/a`)
    const { code, documents, stderr } = await runJson(['metadata', copy])
    expect(code).toBe(2)
    expect(stderr).toContain('metadata expects an array or a group, found a fragment')
    expect(items(get(documents[0], 'members')).map((member) => get(member, 'path'))).toEqual([`${copy}/later`])
  })

  test('schema, stats and commits give a document for each array', async () => {
    for (const [command, kinds] of [
      ['schema', 3],
      ['stats', 1],
      ['commits', 3],
    ] as const) {
      const { code, documents } = await runJson([command, OLD])
      expect({ command, code, length: documents.length }).toEqual({ command, code: 0, length: kinds })
    }
    const [all, ...each] = (await runJson(['stats', OLD, '--full'])).documents
    expect([get(all, 'array_num'), each.length]).toEqual([3, 3])
    const sizes = each.reduce<number>((sum, one) => sum + Number(get(one, 'data_size')), 0)
    expect(get(all, 'data_size')).toBe(sizes)
    const { text } = await run(['commits', OLD, '--format', 'ndjson'])
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => get(parseJson(line), 'path')),
    ).toEqual([`${OLD}/a`, `${OLD}/a/inner`, `${OLD}/sub/b`])
  })

  test('stats names what TileDB does not read and no vacuum removes', async () => {
    const group = copyOf('old', 'uncommitted')
    const [fragment] = readdirSync(`${group}/a`).filter((name) => name.startsWith('__') && name.endsWith('.ok'))
    rmSync(`${group}/a/${fragment}`)
    const { text } = await run(['stats', group])
    expect(text).toMatch(/^cells +\d+ in \d+ fragments?$/m)
    expect(text).toMatch(
      /^unread, kept by vacuum +.* of fragments: tiledb-inspect why PATH says which may be deleted$/m,
    )
  })

  test('footer, rtree and tiles give a document for each fragment of each array', async () => {
    for (const command of ['footer', 'rtree', 'tiles']) {
      const { code, documents } = await runJson([command, OLD])
      expect({ command, code }).toEqual({ command, code: 0 })
      const arrays = documents.map((document) => String(get(document, 'path')).replace(/\/__[^/]*.*/, ''))
      expect(arrays).toEqual([`${OLD}/a`, `${OLD}/a/inner`, `${OLD}/sub/b`])
    }
    expect((await run(['footer', OLD, '--hex'])).code).toBe(0)
  })

  test('a group whose members are all missing, or that has none, gives JSON a document all the same', async () => {
    const copy = `${folder}/bare`
    cpSync(`${FIXTURES}/22/group`, copy, { recursive: true })
    for (const member of ['arr1', 'arr2', 'sub']) rmSync(`${copy}/${member}`, { recursive: true })
    const commands = ['schema', 'footer', 'rtree', 'tiles', 'commits']
    for (const command of commands) {
      const { code, documents, stderr } = await runJson([command, copy])
      expect({ command, code }).toEqual({ command, code: 3 })
      expect(documents).toEqual([
        { error: { code: 'NOT_FOUND', message: expect.stringContaining('is missing'), file: expect.any(String) } },
      ])
      expect(stderr.trimEnd().split('\n').length).toBe(3)
      const output = `${folder}/bare-${command}.json`
      const written = await run([command, copy, '-o', output])
      expect(get(get(parseJson(written.text), 'error'), 'code')).toBe('NOT_FOUND')
      expect(existsSync(output)).toBe(false)
    }
    const empty = `${folder}/none`
    mkdirSync(empty)
    writeFileSync(`${empty}/__tiledb_group.tdb`, '')
    for (const command of commands) {
      const { code, documents } = await runJson([command, empty])
      expect({ command, code, documents }).toEqual({
        ...{ command, code: 0 },
        documents: [{ kind: 'empty', path: empty, schema_version: 1, message: `${empty} has no members` }],
      })
      expect((await run([command, empty, '--format', 'ndjson'])).text).toBe('')
    }
    const array = `${FIXTURES}/22/empty_sparse`
    expect((await runJson(['footer', array])).documents).toEqual([
      { kind: 'empty', path: array, schema_version: 1, message: `${array} has no fragments` },
    ])
  })

  test('a group without members says so', async () => {
    const empty = `${folder}/empty`
    mkdirSync(empty)
    writeFileSync(`${empty}/__tiledb_group.tdb`, '')
    for (const command of ['check', 'verify-checksums', 'schema', 'stats', 'commits'])
      expect((await run([command, empty])).stderr).toContain('has no members')
  })

  test('links that lead round in circles end', async () => {
    const copy = copyOf('old', 'circle')
    symlinkSync('..', `${copy}/sub/up`)
    symlinkSync('.', `${copy}/sub/here`)
    const { documents } = await runJson(['ls', '--depth', 'all', copy])
    const sub = items(get(documents[0], 'members')).find((member) => get(member, 'uri') === 'sub')
    expect(items(get(sub, 'members')).map((member) => [get(member, 'uri'), get(member, 'state')])).toEqual([
      ['b', 'present'],
      ['empty', 'present'],
      ['here', 'cycle'],
      ['up', 'cycle'],
    ])
    expect(get((await runJson(['stats', copy])).documents[0], 'array_num')).toBe(3)
    const checked = (await runJson(['check', copy])).documents[0]
    expect(get(get(checked, 'counts'), 'fragment_num')).toBe(3)
  })
})

describe('diff of groups', () => {
  test('descends to the cells', async () => {
    const { code, documents } = await runJson(['diff', OLD, `${GROUPS}/other`, '--cells'])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'differences')).map((one) => get(one, 'path'))).toEqual([
      'members.a.fragments[0].cells[2].a',
    ])
    expect((await run(['diff', OLD, OLD, '--cells'])).code).toBe(0)
    // People read the member by its names.
    const { text } = await run(['diff', OLD, `${GROUPS}/other`, '--cells'])
    expect(text).toMatch(/^a: fragments\[0\]\.cells\[2\]\.a /m)
  })

  test('a member that only one has is a difference, and one that cannot be read is no equality', async () => {
    const copy = copyOf('old', 'less')
    rmSync(`${copy}/sub/b`, { recursive: true })
    const less = (await runJson(['diff', OLD, copy])).documents[0]
    expect(get(less, 'differences')).toMatchObject([{ path: 'members.sub.members.b', a: 'array', b: null }])
    expect((await run(['diff', OLD, copy])).text).toMatch(/^sub\/b +"array" +-$/m)
    rmSync(`${copy}/sub`, { recursive: true })
    mkdirSync(`${copy}/sub/__group`, { recursive: true })
    writeFileSync(`${copy}/sub/__group/__1_1_0123456789abcdef0123456789abcdef_2`, '')
    const { code, documents } = await runJson(['diff', copy, copy])
    expect(code).not.toBe(0)
    expect(get(documents[0], 'equal')).toBe(false)
    expect(get(documents[0], 'not_compared')).toEqual(['members.sub'])
  })
})

test('diff of groups with a member of another type names it once', async () => {
  const [left, right] = [`${folder}/with-group`, `${folder}/with-array`]
  const inside = { [left]: `${FIXTURES}/22/group`, [right]: `${FIXTURES}/22/sparse_basic` }
  for (const [group, member] of Object.entries(inside)) {
    mkdirSync(`${group}/__group`, { recursive: true })
    cpSync(member, `${group}/m`, { recursive: true })
    const type = group === left ? ('group' as const) : ('array' as const)
    const members = [{ version: 2, type, relative: true, name: 'm', deleted: false, uri: 'm' }]
    const bytes = genericTileBytes({ version: 2, members }, groupDetails)
    writeFileSync(`${group}/__group/__1_1_0123456789abcdef0123456789abcdef_2`, bytes)
  }
  const { code, documents } = await runJson(['diff', left, right])
  expect([code, get(documents[0], 'differences')]).toEqual([1, [{ path: 'members.m.type', a: 'group', b: 'array' }]])
})

describe('diff of groups whose members have no name', () => {
  /** A group of arrays that are not there. */
  function groupOf(as: string, uris: readonly string[]): string {
    mkdirSync(`${folder}/${as}/__group`, { recursive: true })
    const member = { version: 2, type: 'array' as const, relative: false, name: undefined, deleted: false }
    const members = uris.map((uri) => ({ ...member, uri }))
    const bytes = genericTileBytes({ version: 2, members }, groupDetails)
    writeFileSync(`${folder}/${as}/__group/__1_1_0123456789abcdef0123456789abcdef_2`, bytes)
    return `${folder}/${as}`
  }

  test('several members whose URIs end alike count, each', async () => {
    const uris = ['x', 'y'].map((above) => `${folder}/${above}/a.b`)
    const [one, both] = [groupOf('ends-one', uris.slice(1)), groupOf('ends-both', uris)]
    expect((await run(['diff', both, both])).code).toBe(0)
    for (const [left, right, sides] of [
      [one, both, { a: null, b: 'array' }],
      [both, one, { a: 'array', b: null }],
    ] as const) {
      const { code, documents } = await runJson(['diff', left, right])
      expect(code).toBe(1)
      expect(get(documents[0], 'differences')).toEqual([{ path: 'members."a.b"', ...sides }])
    }
  })
})

describe('members that were not there when they were added', () => {
  const group = `${GROUPS}/invalid`

  test('are shown as invalid, as TileDB shows them', async () => {
    const { code, documents } = await runJson(['ls', group])
    expect(code).toBe(0)
    const members = items(get(documents[0], 'members')).map((member) =>
      ['name', 'type', 'state', 'found'].map((key) => get(member, key)),
    )
    expect(members.sort()).toEqual([
      ['a', 'array', 'present', undefined],
      ['later', 'invalid', 'present', 'array'],
      ['never', 'invalid', 'missing', undefined],
    ])
  })

  test('are missing in the table, if there is still nothing', async () => {
    const { text } = await run(['ls', group])
    expect(text).toMatch(/^never +missing .* missing, also when it was added$/m)
    expect(text).toMatch(/^later +sparse .* now an array$/m)
  })

  test('do not keep the others from being examined', async () => {
    const { code, documents } = await runJson(['check', group])
    expect(code).toBe(0)
    expect(get(get(documents[0], 'counts'), 'fragment_num')).toBe(2)
    expect(
      items(get(documents[0], 'findings'))
        .map((one) => get(one, 'code'))
        .sort(),
    ).toEqual(['GROUP_MEMBER_MISSING', 'GROUP_MEMBER_TYPE'])
    const schema = await runJson(['schema', group])
    expect(schema.code).toBe(3)
    expect(schema.documents.length).toBe(2)
    expect(schema.stderr).toContain('never')
  })
})

describe('one damaged file of several', () => {
  const STAMP = '1795261514264_1795261514264_'
  const damaged = (at: string, as: string, content: Uint8Array): string => {
    const copy = `${folder}/${as}`
    cpSync(`${FIXTURES}/22/group`, copy, { recursive: true })
    writeFileSync(`${copy}/${at}`, content)
    return copy
  }
  // Of version 2: no member is taken back by it.
  const details = `__group/__${STAMP}${'a'.repeat(32)}_2`
  const meta = `__meta/__${STAMP}${'b'.repeat(32)}`

  test('the members of the other details files are shown, checked and gone through, and the damage is told', async () => {
    const copy = damaged(details, 'details', new Uint8Array(20))
    const whole = `${FIXTURES}/22/group`
    const { code, documents, stderr } = await runJson(['ls', copy])
    expect(code).toBe(1)
    expect(stderr.split('\n').filter((line) => line.includes(details)).length).toBe(1)
    const names = (document: Json | undefined): Json[] =>
      items(get(document, 'members')).map((member) => get(member, 'uri') ?? null)
    expect(names(documents[0])).toEqual(names((await runJson(['ls', whole])).documents[0]))
    expect(names(documents[0]).length).toBeGreaterThan(0)
    const checked = (await runJson(['check', copy])).documents[0]
    expect(get(checked, 'counts')).toMatchObject({
      fragment_num: get(get((await runJson(['check', whole])).documents[0], 'counts'), 'fragment_num') ?? null,
    })
    expect(items(get(checked, 'findings')).map((one) => get(one, 'code'))).toEqual(['GROUP_DETAILS_UNREADABLE'])
    const verified = await runJson(['verify-checksums', copy])
    expect(verified.code).toBe(1)
    expect(JSON.stringify(verified.documents[0])).toContain(details)
    const schemas = await runJson(['schema', copy])
    expect(schemas.code).toBe(1)
    expect(schemas.documents.length).toBe((await runJson(['schema', whole])).documents.length)
  })

  test('no group whose details are damaged is equal to another', async () => {
    const copy = damaged(details, 'unequal', new Uint8Array(20))
    const { code, documents } = await runJson(['diff', copy, copy])
    expect(code).not.toBe(0)
    expect(get(documents[0], 'equal')).not.toBe(true)
  })

  test('the metadata of the other files is shown', async () => {
    const copy = damaged(meta, 'metadata', new Uint8Array(20))
    const { code, documents, stderr } = await runJson(['metadata', copy])
    expect(code).toBe(1)
    expect(stderr).toContain(meta)
    const whole = (await runJson(['metadata', `${FIXTURES}/22/group`])).documents[0]
    expect(get(documents[0], 'metadata')).toEqual(get(whole, 'metadata') ?? null)
    expect(Object.keys(get(whole, 'metadata') as object).length).toBeGreaterThan(0)
  })

  test('where none can be read, that is the error', async () => {
    const only = '__group/__1795261514262_1795261514262_3c1d4fee7e056d61f1111e92125cb335_2'
    const copy = damaged(only, 'none', new Uint8Array(20))
    const { code, documents, stderr } = await runJson(['ls', copy])
    expect({ code, members: get(documents[0], 'members') }).toEqual({ code: 1, members: undefined })
    expect(stderr).toContain(only)
  })
})

test('ls says which members have absolute URIs, and whether these lie in the folder of the group', async () => {
  const copy = `${folder}/absolute`
  cpSync(`${FIXTURES}/22/group`, copy, { recursive: true })
  const [list] = readdirSync(`${copy}/__group`)
  const member = (name: string, uri: string, relative: boolean) =>
    ({ version: 2, type: 'array', relative, uri, name, deleted: false }) as const
  const members = [
    member('near', `${copy}/arr1`, false),
    member('far', resolve(`${FIXTURES}/22/dense_basic`), false),
    member('own', 'arr2', true),
  ]
  writeFileSync(`${copy}/__group/${list}`, genericTileBytes({ version: 2, members }, groupDetails))
  const { text } = await run(['ls', copy])
  expect(text).toContain('\nabsolute URIs: far; they stay where they are if the group is moved or copied\n')
  expect(text).toContain("\nabsolute URIs: near; they lie in the group's folder, but only relative URIs move with it\n")
  expect((await run(['ls', `${FIXTURES}/22/group`])).text).not.toContain('absolute')
})
