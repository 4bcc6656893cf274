import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from './helpers/folders.ts'

/** What the gate draws (test/helpers/gate-turn.mjs): commits in a row run everything, and GATE=all, which sets no turn, does so at once. */

const folder = temporaryFolder()
const HELPER = join(import.meta.dirname, 'helpers/gate-turn.mjs')
// Both are JavaScript without types, because the configuration of Jest imports them.
const { drawn, hasTurn, turnOfCommit } = await import(HELPER)
const { LONG, longOf, SHARE_OF_GATE } = await import(join(import.meta.dirname, 'helpers/long.mjs'))

const longInGate = (turn: number | null): string[] => longOf(0, { args: [], env: { TESTS_OF_GATE: '1' }, turn })

test('three turns run each long test file once; two releases of Node run two thirds of them', () => {
  const turns = [7, 8, 9].map(longInGate)
  expect(turns.flat().sort()).toEqual([...LONG].sort())
  // .ci/run gives the second release of Node the next turn.
  expect(new Set([...longInGate(7), ...longInGate(8)]).size).toBe(longInGate(7).length + longInGate(8).length)
  expect(longInGate(7 + SHARE_OF_GATE)).toEqual(longInGate(7))
})

test('each turn reads arrays of the corpus', () => {
  for (const turn of [0, 1, 2])
    expect(longInGate(turn).filter((name) => name.startsWith('golden/corpus'))).not.toEqual([])
})

test('without a turn, all run; so do all files that are named', () => {
  expect(longInGate(null)).toEqual(LONG)
  expect(longOf(0, { args: ['test/mend'], env: { TESTS_OF_GATE: '1' }, turn: 1 })).toEqual(LONG)
  expect(longOf(0, { args: [], env: { TEST_ALL: '1' }, turn: 1 })).toEqual(LONG)
  expect([0, 1, 2, 3].every((place) => hasTurn(place, 2, null))).toBe(true)
})

test.each([1, 2, 3, 5])('turns share the cases of a list: one in %d each', (share) => {
  const cases = [...'abcdefghijk']
  const turns = [...Array(share).keys()].map((i) => drawn(cases, share, 40 + i))
  expect(turns.flat().sort()).toEqual(cases)
  const lengths = turns.map(({ length }) => length)
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
})

test('.ci/run gets the parts of a turn, and hears what is left to others', () => {
  const parts = ['write', 'random', 's3']
  const said = (turn: string): string =>
    execFileSync(process.execPath, [HELPER, '2', ...parts], {
      encoding: 'utf8',
      env: { GATE_TURN: turn },
      stdio: 'pipe',
    })
  expect([said('4'), said('5'), said('')]).toEqual(['write,s3\n', 'random\n', 'write,random,s3\n'])
})

test('commits in a row have turns in a row; without the earlier commits, the hash chooses', () => {
  expect(turnOfCommit(folder)).toBeUndefined()
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '-q', 'whole')
  const whole = join(folder, 'whole')
  const turns = ['first', 'second', 'third'].map((message) => {
    git('-C', whole, 'commit', '-q', '--allow-empty', '-m', message)
    return turnOfCommit(whole)
  })
  expect(turns).toEqual([1, 2, 3])
  git('clone', '-q', '--depth', '1', `file://${whole}`, 'last')
  expect(turnOfCommit(join(folder, 'last'))).toBe(
    Number.parseInt(git('-C', whole, 'rev-parse', 'HEAD').slice(0, 6), 16),
  )
})
