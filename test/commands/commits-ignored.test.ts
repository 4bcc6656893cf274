import { cpSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const IGNORED = `${FIXTURES}/22/commits_ignored`
const copy = `${temporaryFolder()}/array`
const vacuum = `${temporaryFolder()}/array`
const late = `${temporaryFolder()}/array`

/** What the lines of the consolidated commits file do, and what they name. */
async function effects(array: string): Promise<(Json | undefined)[][]> {
  const { documents } = await runJson(['commits', array])
  const rows = items(get(documents[0], 'commits'))
  return rows
    .filter((row) => String(get(row, 'file')).endsWith('.con') && get(row, 'entry') !== null)
    .map((row) => [get(row, 'exists'), get(row, 'effect')])
}

test('a commit that an ignore file takes back is hidden once its fragment is gone, others are dangling', async () => {
  const hidden = [false, 'hidden']
  expect(await effects(IGNORED)).toEqual([hidden, hidden, [true, 'visible']])
  cpSync(IGNORED, copy, { recursive: true })
  rmSync(`${copy}/__fragments`, { recursive: true })
  // The third has a commit file of its own as well.
  expect(await effects(copy)).toEqual([hidden, hidden, [false, 'dangling']])
  for (const name of readdirSync(`${copy}/__commits`)) if (name.endsWith('.ign')) rmSync(`${copy}/__commits/${name}`)
  const dangling = [false, 'dangling']
  expect(await effects(copy)).toEqual([dangling, dangling, dangling])
})

test('the footnote names the kind of file that hides', async () => {
  const byIgnore = 'hidden: an ignore file takes this commit back'
  const byVacuum = 'hidden: a vacuum file lists the fragment, and no other fragment replaces it: do not vacuum'
  const notes = async (array: string) =>
    (await run(['commits', array])).text.split('\n').filter((line) => line.startsWith('hidden: '))
  expect(await notes(IGNORED)).toEqual([byIgnore])
  cpSync(`${FIXTURES}/22/vacuum_left`, vacuum, { recursive: true })
  rmSync(`${vacuum}/__fragments/__10_30_32ef0f2d841e4284eb2d65bafd915a38_22`, { recursive: true })
  expect(await notes(vacuum)).toEqual([byVacuum])
})

test('a consolidated fragment that ends in the future is unlisted, as ls calls it', async () => {
  const name = '__10_30_32ef0f2d841e4284eb2d65bafd915a38_22'
  const later = name.replace('30', '9999999999999')
  cpSync(`${FIXTURES}/22/vacuum_left`, late, { recursive: true })
  renameSync(`${late}/__fragments/${name}`, `${late}/__fragments/${later}`)
  renameSync(`${late}/__commits/${name}.wrt`, `${late}/__commits/${later}.wrt`)
  rmSync(`${late}/__commits/${name}.vac`)
  const of = async (command: string, list: string, key: string) => {
    const { documents } = await runJson([command, late])
    const row = items(get(documents[0], list)).find((one) => get(one, key) === later)
    return get(row, command === 'ls' ? 'state' : 'effect')
  }
  expect(await of('ls', 'fragments', 'name')).toBe('unlisted')
  expect(await of('commits', 'commits', 'refers_to')).toBe('unlisted')
})
