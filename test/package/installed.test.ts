import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
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

describe('where the sources that are generated are not there', () => {
  const folder = temporaryFolder()
  test('scripts that run the sources make them first', () => {
    const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
    for (const name of ['test', 'lint', 'docs:schemas', 'docs:tables', 'docs:sessions', 'docs:pictures'])
      expect([name, scripts[`pre${name}`]]).toEqual([name, 'node tools/prepared.mjs'])
  })

  test('those that are missing are made, and those that are newer than their sources are kept', () => {
    for (const name of ['package-lock.json', 'tools', 'src/filters/kernels', 'src/rows/kernels'])
      cpSync(`${ROOT}${name}`, `${folder}/${name}`, { recursive: true, preserveTimestamps: true })
    cpSync(`${ROOT}src/filters/codecs/zstd.ts`, `${folder}/src/filters/codecs/zstd.ts`)
    symlinkSync(`${ROOT}node_modules`, `${folder}/node_modules`)
    const kernels = ['src/filters/kernels/binary.js', 'src/rows/kernels/binary.js']
    const times = () => kernels.map((file) => statSync(`${folder}/${file}`).mtimeMs)
    const before = times()
    const { status, stderr } = spawnSync(execPath, ['tools/prepared.mjs'], { cwd: folder, encoding: 'utf8' })
    expect({ status, stderr, times: times() }).toEqual({ status: 0, stderr: '', times: before })
    const made = readdirSync(`${folder}/src/filters/codecs`).filter((name) => name.endsWith('.wasm.js'))
    expect(made).toEqual(['bzip2.wasm.js', 'webp.wasm.js', 'zstd.wasm.js'])
    for (const name of made)
      expect(readFileSync(`${folder}/src/filters/codecs/${name}`, 'utf8')).toBe(
        readFileSync(`${ROOT}src/filters/codecs/${name}`, 'utf8'),
      )
  })
})
