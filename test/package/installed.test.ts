import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('where the packages are not installed', () => {
  const folder = temporaryFolder()
  test('scripts that need them ask first', () => {
    const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
    expect([scripts.prebuild, scripts.prewheel]).toEqual(['node tools/installed.mjs', 'node tools/installed.mjs'])
    expect(scripts.executable).toMatch(/^npm run build && /)
  })

  test('it says so in one line, and nothing where they are', () => {
    copyFileSync(`${ROOT}tools/installed.mjs`, `${folder}/installed.mjs`)
    const said = (cwd: string) => spawnSync(execPath, [`${cwd}/installed.mjs`], { encoding: 'utf8' })
    expect(said(folder)).toMatchObject({
      status: 1,
      stderr: 'error: the packages that this needs are not installed: run npm install first\n',
    })
    expect(said(`${ROOT}tools`)).toMatchObject({ status: 0, stderr: '' })
  })
})
