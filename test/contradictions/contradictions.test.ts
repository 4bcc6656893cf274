import { rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { shortTurn } from '../helpers/turn.ts'
import { asked } from './answers.ts'
import { ARRAYS, damagedArray } from './arrays.ts'
import { RULES } from './rules.ts'

const folder = temporaryFolder()

/**
 * What is known of an array stands once, so all commands must say the same of it. A failure names the array, what was damaged in it, the rule,
 * and what each command said. An array by its number is the same in each run with the same TEST_DRAW.
 */
test('asked the same of damaged arrays, no two commands contradict', async () => {
  const contradictions: string[] = []
  for (const number of shortTurn(ARRAYS, 40)) {
    const damaged = await damagedArray(number, folder)
    const place = `${folder}/recovered`
    const answers = await asked(damaged, place)
    for (const path of [place, `${place}.lost.ndjson`]) rmSync(path, { recursive: true, force: true })
    for (const [rule, broken] of Object.entries(RULES))
      for (const said of broken(answers)) contradictions.push(`${damaged.name}\n  ${rule}\n  ${said}`)
  }
  expect(contradictions).toEqual([])
})
