import { cpSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const DELETES = `${FIXTURES}/22/deletes`
const late = `${temporaryFolder()}/array`
cpSync(DELETES, late, { recursive: true })
const VACUUM_LEFT = `${FIXTURES}/22/vacuum_left`

async function document(...args: string[]) {
  const { code, stderr, documents } = await runJson([...args, '--quiet'])
  expect([code, stderr, documents.length]).toEqual([0, '', 1])
  return documents[0]
}

async function states(...args: string[]): Promise<string[]> {
  const fragments = get(await document('ls', ...args), 'fragments')
  return (fragments as { name: string; state: string }[]).map(({ name, state }) => `${name.slice(2, 7)} ${state}`)
}

describe('how times are written', () => {
  const DAY = 1714521600000
  test.each([
    [
      ['--as-of', '15'],
      [0, 15],
    ],
    [
      ['--as-of', '2024-05-01'],
      [0, DAY],
    ],
    [
      ['--as-of', '2024-05-01T00:00'],
      [0, DAY],
    ],
    [
      ['--as-of', '2024-05-01T00:00:01.250Z'],
      [0, DAY + 1250],
    ],
    [
      ['--as-of', '2024-05-01 00:00:01Z'],
      [0, DAY + 1000],
    ],
    [
      ['--between', '10..2024-05-01'],
      [10, DAY],
    ],
    [
      ['--between', '..20'],
      [0, 20],
    ],
    [
      ['--between', '20..20'],
      [20, 20],
    ],
  ])('%j', async (options, as_of) => {
    expect(get(await document('metadata', DELETES, ...options), 'as_of')).toEqual(as_of)
  })

  test('of a number that looks like a year it is said that it is none', async () => {
    const { stderr } = await run(['metadata', DELETES, '--between', '..2024'])
    expect(stderr).toBe('note: --between: 2024 are milliseconds since 1970; the year begins at 2024-01-01\n')
    expect((await run(['metadata', DELETES, '--as-of', '15'])).stderr).toBe('')
  })

  test('a group that has its members later', async () => {
    const { stderr } = await run(['schema', `${FIXTURES}/22/group`, '--as-of', '1'])
    expect(stderr).toMatch(/group has no members at that time\n$/)
  })

  test('an open end is now', async () => {
    const as_of = get(await document('metadata', DELETES, '--between', '20..'), 'as_of')
    expect(as_of).toEqual([20, Number(process.env.TILEDB_INSPECT_NOW)])
  })

  test('any time that TileDB opens an array at; the largest number is now', async () => {
    const as_of = async (...options: string[]) => get(await document('metadata', DELETES, ...options), 'as_of')
    expect(await as_of('--as-of', '9223372036854775808')).toEqual([0, 9223372036854775808n])
    expect(await as_of('--as-of', '18446744073709551614')).toEqual([0, 18446744073709551614n])
    expect(await as_of('--as-of', '18446744073709551615')).toEqual([0, Number(process.env.TILEDB_INSPECT_NOW)])
    const between = '9223372036854775808..18446744073709551614'
    expect(await as_of('--between', between)).toEqual([9223372036854775808n, 18446744073709551614n])
  })

  test.each([
    [['--as-of', '1x'], /--as-of expects milliseconds since 1970 or a date in UTC, .*, found "1x"/],
    [['--as-of', '2024-02-30'], /found "2024-02-30"/],
    [['--as-of', '2024-05-01T00:00:00+02:00'], /in UTC/],
    [['--as-of', '-5'], /found "-5"/],
    [['--as-of', '1969-12-31'], /found "1969-12-31"/],
    [['--as-of', '18446744073709551616'], /found "18446744073709551616"/],
    [['--between', '10'], /--between expects T1..T2, found "10"/],
    [['--between', '..'], /--between expects T1..T2, found ".."; T1.. and ..T2 have one end/],
    [['--between', '1..2..3'], /--between expects T1..T2/],
    [['--between', '5..3'], /T1 up to T2, found "5..3"/],
    [['--between', '1..2', '--as-of', '3'], /expected --as-of or --between, found both/],
  ])('%j is wrong usage', async (options, message) => {
    const { code, text, stderr } = await run(['ls', DELETES, ...options])
    expect([code, text]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})

describe('ls', () => {
  test.each([
    [
      ['--as-of', '9'],
      ['10_10 future', '20_20 future'],
    ],
    [
      ['--as-of', '10'],
      ['10_10 live', '20_20 future'],
    ],
    [
      ['--as-of', '20'],
      ['10_10 live', '20_20 live'],
    ],
    [
      ['--between', '11..20'],
      ['10_10 past', '20_20 live'],
    ],
  ])('%j: states of fragments', async (options, expected) => {
    expect(await states(DELETES, ...options)).toEqual(expected)
  })

  test.each([
    [[], ['10_10 to-vacuum', '10_30 live', '20_20 to-vacuum', '30_30 to-vacuum']],
    [
      ['--as-of', '20'],
      ['10_10 to-vacuum', '10_30 unlisted', '20_20 to-vacuum', '30_30 future'],
    ],
    [
      ['--between', '20..40'],
      ['10_10 past', '10_30 unlisted', '20_20 to-vacuum', '30_30 to-vacuum'],
    ],
    [
      ['--as-of', '9'],
      ['10_10 future', '10_30 future', '20_20 future', '30_30 future'],
    ],
  ])('%j: of a consolidated sparse fragment a part is enough', async (options, expected) => {
    expect(await states(VACUUM_LEFT, ...options)).toEqual(expected)
  })

  test.each([
    [
      ['--as-of', '19'],
      ['10_10 live', '10_20 future', '20_20 future'],
    ],
    [
      ['--between', '11..20'],
      ['10_10 past', '10_20 past', '20_20 live'],
    ],
    [
      ['--as-of', '20'],
      ['10_10 to-vacuum', '10_20 live', '20_20 to-vacuum'],
    ],
  ])('%j: a dense one is read as a whole or not at all', async (options, expected) => {
    expect(await states(`${FIXTURES}/22/dense_vacuum_left`, ...options)).toEqual(expected)
  })

  test('sums and the number of delete conditions are those of the time', async () => {
    const at = async (...options: string[]) => {
      const found = await document('ls', DELETES, ...options)
      return [get(found, 'delete_condition_num'), get(get(found, 'read'), 'fragment_num')]
    }
    expect(await at()).toEqual([2, 2])
    expect(await at('--as-of', '20')).toEqual([1, 2])
    expect(await at('--between', '16..20')).toEqual([0, 1])
  })

  test('--names lists those that are read then', async () => {
    const { text } = await run(['ls', '--names', '--as-of', '15', DELETES])
    expect(text).toMatch(/^__10_10_\w+\n$/)
    const { text: ranged } = await run(['ls', '--names', '--between', '11..', '--range', 'x=0..19', DELETES])
    expect(ranged).toMatch(/^__20_20_\w+\n$/)
  })

  test('--names without a time reads no commit file', async () => {
    const storage = new CountedStorage(localFiles)
    const { text } = await run(['ls', '--names', VACUUM_LEFT], { storage })
    expect([text.split('\n').length - 1, storage.of('.vac').read_num]).toEqual([4, 0])
    await run(['ls', '--names', '--as-of', '40', VACUUM_LEFT], { storage })
    expect(storage.of('.vac').read_num).toBe(1)
  })

  test('of a fragment, its state then', async () => {
    const found = await document('ls', `${DELETES}/__20`, '--as-of', '15')
    expect([get(found, 'state'), get(found, 'as_of')]).toEqual(['future', [0, 15]])
    const { text } = await run(['ls', `${DELETES}/__20`, '--as-of', '15'])
    expect(text).toMatch(/, as opened at 15\n/)
    expect(text).toContain('future: its timestamps end later')
  })

  test('of a group, its members then', async () => {
    const group = `${FIXTURES}/22/group`
    expect(get(await document('ls', group, '--as-of', '5'), 'members')).toEqual([])
    expect(get(await document('ls', group), 'members')).not.toEqual([])
  })

  test('the table says what the states mean then', async () => {
    const { text } = await run(['ls', VACUUM_LEFT, '--between', '11..20'])
    expect(text).toContain('as opened between 11 and 20')
    expect(text).toContain('unlisted (1): TileDB reads those of its cells that were written between these times')
    expect(text).toContain('past (1): not read by TileDB; its timestamps begin before the times')
    expect(text).toContain('future (1): not read by TileDB; its timestamps end later')
  })
})

test('stats counts the fragments that are read then', async () => {
  const found = await document('stats', DELETES, '--as-of', '15')
  expect([get(found, 'as_of'), get(found, 'fragment_num'), get(found, 'unread_fragment_num')]).toEqual([[0, 15], 1, 1])
})

test('metadata has the values of the time', async () => {
  const changed = async (...options: string[]) => {
    const metadata = get(await document('metadata', `${FIXTURES}/22/metadata`, ...options), 'metadata')
    return [get(get(metadata, 'changed'), 'value'), get(metadata, 'gone') !== undefined]
  }
  expect(await changed('--as-of', '15')).toEqual(['old', true])
  expect(await changed('--as-of', '20')).toEqual(['new and longer', false])
  const later = get(await document('metadata', `${FIXTURES}/22/metadata`, '--between', '11..20'), 'metadata')
  expect(Object.keys(later as object)).not.toContain('ascii')
})

test('schema is the newest up to the end, or the first', async () => {
  const evolved = `${FIXTURES}/22/evolved_sparse`
  const number = async (...options: string[]) =>
    /^schema (\d+)\/(\d+)/.exec((await run(['schema', evolved, ...options])).text)?.slice(1)
  const times = get(await document('ls', evolved), 'schemas') as { timestamp_range: [number, number] }[]
  const second = times[1].timestamp_range[0]
  expect(await number()).toEqual(['2', '2'])
  expect(await number('--as-of', String(second))).toEqual(['2', '2'])
  expect(await number('--as-of', String(second - 1))).toEqual(['1', '2'])
  expect(await number('--as-of', '5')).toEqual(['1', '2'])
  expect(await number('--between', `${second + 1}..`)).toEqual(['2', '2'])
})

test.each(['tiles', 'rtree'])('%s has the fragments that are read then', async (name) => {
  const names = async (...args: string[]): Promise<string[]> => {
    const { code, documents } = await runJson([name, ...args, VACUUM_LEFT, '--quiet'])
    expect(code).toBe(0)
    return documents.map((one) => String(get(one, 'path')).split('/').at(-1) ?? '').sort()
  }
  const listed = async (...args: string[]): Promise<string[]> => {
    const { text } = await run(['ls', '--names', ...args, VACUUM_LEFT])
    return text.trimEnd().split('\n')
  }
  for (const times of [[], ['--as-of', '20'], ['--between', '0..'], ['--between', '11..20']])
    expect([times, await names(...times)]).toEqual([times, (await listed(...times)).sort()])
  expect((await names('--as-of', '20')).length).toBeLessThan((await names()).length)
  const none = await runJson([name, '--as-of', '2', VACUUM_LEFT])
  expect(none.stderr).toBe(`note: ${VACUUM_LEFT} has no fragments at that time\n`)
  expect(none.documents[0]).toMatchObject({ kind: 'empty', message: `${VACUUM_LEFT} has no fragments at that time` })
})

describe('where times would say nothing they are wrong usage', () => {
  test.each([
    ['schema', '--all', DELETES],
    ['schema', `${DELETES}/__10`],
    ['stats', '--all', DELETES],
    ['stats', `${DELETES}/__10`],
    ['metadata', `${DELETES}/__10`],
    ['tiles', `${DELETES}/__10`],
    ['rtree', `${DELETES}/__10`],
  ])('%s %s', async (...args) => {
    const { code, stderr } = await run([...args, '--as-of', '15'])
    expect(code).toBe(2)
    expect(stderr).toContain('is the same at all times')
  })
})

test('a time in seconds, before every fragment, gets a note', async () => {
  const { stderr } = await run(['ls', 'examples/arrays/weather', '--as-of', '1795132800'])
  expect(stderr).toBe(
    'note: times are milliseconds; 1795132800 is 1970-01-21, and the first fragment is from 2024-05-01T10:00:00Z (1714557600000)\n',
  )
  expect((await run(['ls', 'examples/arrays/weather', '--as-of', '1795132800000'])).stderr).toBe('')
  expect((await run(['ls', 'test/fixtures/22/deletes', '--as-of', '5000'])).stderr).toBe('')
})

test('ls lists fragments by the numbers in their names, beyond 2^63 too', async () => {
  const names = ['9223372036854775807', '9223372036854775813', '18446744073709551614']
  for (const time of [...names].reverse()) {
    const name = `__${time}_${time}_${'0'.repeat(32)}_22`
    cpSync(firstFragment(DELETES), `${late}/__fragments/${name}`, {
      recursive: true,
    })
    writeFileSync(`${late}/__commits/${name}.wrt`, '')
  }
  const listed = get(await document('ls', late), 'fragments') as { name: string }[]
  expect(listed.slice(-3).map(({ name }) => name.split('_')[2])).toEqual(names)
  const times = items(get(await document('ls', late), 'fragments')).map((one) =>
    JSON.stringify(get(one, 'timestamp_range')?.toString()),
  )
  const commits = items(get(await document('commits', late), 'commits')).map((one) =>
    JSON.stringify(get(one, 'timestamp_range')?.toString()),
  )
  expect(commits).toEqual(expect.arrayContaining(times.slice(-3)))
  const { text } = await run(['ls', late, '--names'])
  expect(text.match(/__\d{19,}/g)?.map((name) => name.slice(2))).toEqual(names)
  const shown = await run(['ls', late, '--names', '--as-of', '18446744073709551614'])
  expect(shown.text.match(/__\d{19,}/g)?.map((name) => name.slice(2))).toEqual(names)
})
