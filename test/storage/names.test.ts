import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { localFiles } from '../../src/node/file.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const folder = temporaryFolder()

/** Latin-1 names, as in old archives. Not every file system accepts them. */
function odd(path: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')])
}
const array = `${folder}/places`
cpSync(`${ROOT}examples/arrays/places`, array, { recursive: true })
const fragment = firstFragment(array)
function made(): boolean {
  try {
    writeFileSync(odd(fragment, 'caf\xe9.tdb'), 'bytes')
    writeFileSync(odd(array, 'stray\xff.txt'), 'bytes')
    mkdirSync(odd(`${array}/__fragments`, '__bad\xfe'))
    writeFileSync(odd(`${array}/__commits`, 'x\xff.wrt'), '')
    return true
  } catch {
    return false
  }
}
const there = made() ? test : test.skip

describe('names that are not UTF-8', () => {
  there('lead back to their files', async () => {
    const entries = await localFiles.list(fragment)
    expect(entries.map(({ name }) => name)).toContain('caf\udce9.tdb')
    const source = localFiles.open(`${fragment}/caf\udce9.tdb`)
    expect(await source.size()).toBe(5)
    expect(Buffer.from(await source.read(0, 5)).toString()).toBe('bytes')
    await source.close()
    expect(await localFiles.kind(`${array}/__fragments/__bad\udcfe`)).toBe('folder')
  })

  const commands = ['ls', 'stats', 'check', 'commits', 'schema', 'footer', 'metadata', 'verify-checksums', 'tiles']
  there.each(commands)('are none to stop %s, nor half characters in what it prints', async (command) => {
    for (const path of [array, fragment]) {
      if (command === 'commits' && path === fragment) continue
      const ran = await run([command, path, '--json'])
      // The commit that is no text names no fragment that is there.
      const isTold = path === array && ['check', 'ls', 'stats', 'commits'].includes(command)
      expect(ran.code).toBe(isTold ? 1 : 0)
      expect(ran.text).not.toMatch(/[^\\]\\ud[c-f]/i)
      expect(ran.text).not.toContain('\ufffd')
      const table = await run([command, path])
      expect(table.text + table.stderr).not.toMatch(/\ufffd|\p{Surrogate}|fault of/u)
    }
  })

  there('are bytes in JSON, as cells that are not valid text', async () => {
    const { text } = await run(['ls', fragment, '--json'])
    const names = JSON.parse(text).files.map(({ name }: { name: unknown }) => name)
    expect(names).toContainEqual({ base64: Buffer.from('caf\xe9.tdb', 'latin1').toString('base64') })
  })

  there('are what the schemas of the documents say', async () => {
    const ajv = new Ajv2020({ strict: false })
    for (const file of readdirSync(`${ROOT}schemas`))
      ajv.addSchema(JSON.parse(readFileSync(`${ROOT}schemas/${file}`, 'utf8')), file)
    for (const args of [
      ['ls', fragment],
      ['ls', array],
      ['commits', array],
      ['check', array],
      ['stats', array],
    ]) {
      const { text } = await run([...args, '--json'])
      const document = JSON.parse(text)
      ajv.validate(`${document.kind}.json`, document)
      expect(ajv.errors ?? []).toEqual([])
    }
  })

  there('stand escaped in errors', async () => {
    const { stderr } = await run(['schema', array, `${array}/__fragments/__bad\udcfe`])
    expect(stderr).toContain('__bad\\udcfe')
  })
})

describe('a current folder that was removed', () => {
  const built = existsSync(`${ROOT}dist/cli`) && process.platform !== 'win32' ? test : test.skip
  const within = (...args: string[]) => {
    const gone = `${folder}/gone`
    mkdirSync(gone)
    const call = 'cd "$0" && rmdir "$0" && "$@"'
    const { status, stdout, stderr } = spawnSync('sh', ['-c', call, gone, execPath, BIN, ...args], { encoding: 'utf8' })
    rmSync(gone, { recursive: true, force: true })
    return { status, stdout, stderr }
  }

  built('keeps nobody from absolute paths', () => {
    const { status, stdout } = within('ls', `${ROOT}examples/arrays/places`, '-o', `${folder}/out.json`)
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(within('check', '--json', `${ROOT}examples/arrays/places`).status).toBe(0)
    expect(within('write-sample', `${folder}/sample`).status).toBe(0)
    expect(within('--help').status).toBe(0)
  })

  built.each([
    ['ls', 'places'],
    ['write-sample', 'sample'],
    ['write-sample', 'sample', '--damage', 'ARRAY_NO_SCHEMA'],
    ['rtree', `${ROOT}examples/arrays/places`, '--svg', 'x.svg'],
    ['tile', `${ROOT}examples/arrays/places/__17`, 'lat', '0', '--stages', 'x'],
  ])('is told: %s %s %s', (...args) => {
    const { status, stderr } = within(...args)
    expect(status).toBeGreaterThan(1)
    expect(stderr).toMatch(/^error: .*\n$/)
    expect(stderr).not.toContain('fault of')
  })
})
