import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { ROOT } from '../helpers/corpus.ts'

const FOLDER = `${ROOT}/test/docs/prose`

test('npm run lint finds every decision on text for people, and nothing else', () => {
  const { status, stderr } = spawnSync(process.execPath, [`${ROOT}/tools/prose.mjs`, FOLDER], { encoding: 'utf8' })
  const found = Array.from(stderr.matchAll(/^src\/(\w+\.ts):(\d+): /gm), ([, file, line]) => `${file}:${line}`)
  const lines = readFileSync(`${FOLDER}/src/decides.ts`, 'utf8').split('\n')
  const wanted = lines.flatMap((text, i) => (text.endsWith('// found') ? `decides.ts:${i + 1}` : []))
  expect(found.sort()).toEqual(wanted.sort())
  expect(status).toBe(1)
})
