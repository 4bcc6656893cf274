import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { beforeAll, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { spawned } from '../helpers/spawned.ts'
import { shortTurn } from '../helpers/turn.ts'

const folder = temporaryFolder()
const array = `${folder}/array`
/** What is left in a place is named whatever array is recovered to it. */
const small = `${folder}/small`

beforeAll(async () => {
  await run(['write-sample', array, '--cells', '40000', '--fragments', '100', '--capacity', '500'])
  await run(['write-sample', small, '--cells', '100', '--fragments', '1'])
  for (const one of [array, small])
    for (const name of fragmentNames(one)) rmSync(`${one}/__fragments/${name}/__fragment_metadata.tdb`)
})

for (const signal of shortTurn(['SIGINT', 'SIGTERM', 'SIGKILL'] as const, 3)) {
  test(`${signal}: nothing that looks whole is left`, async () => {
    const place = `${folder}/${signal}`
    mkdirSync(place)
    const { child, ended } = spawned(['recover', array, '--to', `${place}/new`])
    // As soon as files are being written.
    while (child.exitCode === null) {
      const [hidden] = readdirSync(place)
      if (hidden !== undefined && readdirSync(`${place}/${hidden}`).length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(child.exitCode).toBeNull()
    child.kill(signal)
    expect(await ended).toEqual([null, signal])
    // Nobody can clean up behind SIGKILL: what is left has another name, and no schema.
    const left = readdirSync(place)
    expect(left.filter((name) => !name.startsWith('.new.'))).toEqual([])
    if (signal !== 'SIGKILL') expect(left).toEqual([])
    for (const name of left) expect(readdirSync(`${place}/${name}`)).toEqual(['__fragments'])
    // The next run names it.
    const { stderr } = await run(['recover', small, '--to', `${place}/new`])
    const named = left.map(
      (name) => `note: ${place}/${name} was left by a run that was killed. Nothing reads it, and it can be removed\n`,
    )
    expect(stderr).toBe(named.join(''))
  })
}

test('after SIGKILL during the check of the output, what is left is no array', async () => {
  const place = `${folder}/read back`
  mkdirSync(place)
  const { child, ended } = spawned(['recover', array, '--to', `${place}/new`])
  const entries = (): string[] => readdirSync(place).flatMap((hidden) => readdirSync(`${place}/${hidden}`))
  // Commits are written last.
  while (child.exitCode === null && !entries().includes('__commits'))
    await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await ended
  expect(entries().sort()).toEqual(['__commits', '__fragments', '__meta', '__schema.part'])
  const [left] = readdirSync(place)
  expect((await run(['read', `${place}/${left}`, '--limit', '1'])).code).not.toBe(0)
})
