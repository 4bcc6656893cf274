import { cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { localFiles } from '../../src/node/file.ts'
import type { Storage } from '../../src/storage/source.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
let copies = 0

/** Copies a fixture into the temporary folder, so that a test can damage it. */
function copy(fixture: string): string {
  const path = `${folder}/${++copies}`
  cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
  return path
}

const fragmentsOf = (array: string): string[] => fragmentNames(array).map((n) => `${array}/__fragments/${n}`)

async function codes(commands: readonly (readonly string[])[]): Promise<Record<string, number>> {
  const out: Record<string, number> = {}
  for (const args of commands) out[args[0]] = (await run(args)).code
  return out
}

describe('1 is damage, 3 is what could not be looked at', () => {
  test('a data file that is gone', async () => {
    const array = copy('22/sparse_basic')
    const [fragment] = fragmentsOf(array)
    rmSync(`${fragment}/a2.tdb`)
    expect(
      await codes([
        ['ls', fragment],
        ['check', array],
        ['decode', fragment],
        ['tile', fragment, 'f', '0'],
        ['verify-checksums', array],
      ]),
    ).toEqual({ ls: 1, check: 1, decode: 1, tile: 1, 'verify-checksums': 1 })
  })

  test('a committed fragment without its metadata', async () => {
    const array = copy('22/sparse_basic')
    const [fragment] = fragmentsOf(array)
    rmSync(`${fragment}/__fragment_metadata.tdb`)
    expect(
      await codes([
        ['ls', array],
        ['footer', fragment],
        ['rtree', fragment],
        ['metadata', fragment],
        ['decode', fragment],
        ['check', fragment],
        ['verify-checksums', array],
      ]),
    ).toEqual({ ls: 1, footer: 1, rtree: 1, metadata: 1, decode: 1, check: 1, 'verify-checksums': 1 })
    expect((await run(['footer', `${fragment}/nobody`])).code).toBe(3)
    expect((await run(['footer', `${fragment}x`])).code).toBe(3)
  })

  test.each(['__schema', '__schema/*'])('an array less %s', async (what) => {
    const array = copy('22/sparse_basic')
    for (const name of readdirSync(`${array}/__schema`)) rmSync(`${array}/__schema/${name}`)
    if (!what.endsWith('*')) rmSync(`${array}/__schema`, { recursive: true })
    const [fragment] = fragmentsOf(array)
    expect(
      await codes([
        ['ls', array],
        ['schema', array],
        ['check', array],
        ['footer', fragment],
        ['verify-checksums', array],
      ]),
    ).toEqual({ ls: 1, schema: 1, check: 1, footer: 1, 'verify-checksums': 1 })
  })
})

describe('ls', () => {
  test('says how many fragments are committed and gone', async () => {
    const array = copy('22/dense_basic')
    const [gone, left] = fragmentsOf(array)
    rmSync(gone, { recursive: true })
    const { code, text } = await run(['ls', array])
    expect(code).toBe(1)
    expect(text).toMatch(/^1 commit names a fragment that is not there/m)
    const name = gone.replace(/^.*\//, '')
    expect(JSON.parse((await run(['ls', array, '--json'])).text)).toMatchObject({ missing_fragments: [name] })
    rmSync(left, { recursive: true })
    expect((await run(['ls', array])).text).toMatch(/^no fragments\n2 commits name fragments that are not there/m)
  })

  test('none of them where a .vac file hides them', async () => {
    const array = copy('22/vacuum_left')
    rmSync(fragmentsOf(array)[0], { recursive: true })
    expect(JSON.parse((await run(['ls', array, '--json'])).text)).toMatchObject({ missing_fragments: [] })
  })
})

test('a fragment that waits for vacuum and lost its metadata is no damage', async () => {
  const array = copy('22/vacuum_left')
  const hidden = fragmentsOf(array).filter((path) => path.includes('/__10_10_'))
  rmSync(`${hidden[0]}/__fragment_metadata.tdb`)
  expect(
    await codes([
      ['ls', array],
      ['check', array],
      ['verify-checksums', array],
    ]),
  ).toEqual({ ls: 0, check: 0, 'verify-checksums': 0 })
})

describe('verify-checksums', () => {
  test.each(['.meta', '.con'])('counts a damaged %s file as a failure, once', async (suffix) => {
    const name = suffix === '.meta' ? '22/fragment_metadata_consolidated' : '22/deletes'
    const array = copy(name)
    const inside = suffix === '.meta' ? '__fragment_meta' : '__commits'
    const file =
      readdirSync(`${array}/${inside}`).find((one) => one.endsWith(suffix)) ?? `__5_5_${'0'.repeat(32)}_22${suffix}`
    if (suffix === '.meta') truncateSync(`${array}/${inside}/${file}`, 100)
    else writeFileSync(`${array}/${inside}/${file}`, '__commits/__5_5_00000000000000000000000000000000_22.del\nab')
    for (const jobs of ['1', '2']) {
      const { code, text, stderr } = await run(['verify-checksums', array, '--json', '--jobs', jobs])
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
      const { ok, verdict, failures } = JSON.parse(text) as { ok: boolean; verdict: string; failures: unknown[] }
      expect({ ok, verdict }).toEqual({ ok: false, verdict: 'damaged' })
      expect(failures).toMatchObject([{ file: `${array}/${inside}/${file}`, fragment: null }])
    }
  })

  test('leaves files of other names to check', async () => {
    const array = copy('22/enumerations')
    writeFileSync(`${array}/__schema/__enumerations/notes`, 'x')
    expect(
      await codes([
        ['check', array],
        ['verify-checksums', array],
      ]),
    ).toEqual({ check: 0, 'verify-checksums': 0 })
    const other = copy('22/sparse_basic')
    for (const path of ['__meta/.DS_Store', '__schema/.DS_Store']) writeFileSync(`${other}/${path}`, '')
    expect(
      await codes([
        ['check', other],
        ['verify-checksums', other],
      ]),
    ).toEqual({ check: 1, 'verify-checksums': 0 })
    const group = copy('22/group')
    for (const path of ['__meta/.DS_Store', '__group/.DS_Store']) writeFileSync(`${group}/${path}`, '')
    expect(
      await codes([
        ['check', group],
        ['verify-checksums', group],
      ]),
    ).toEqual({ check: 1, 'verify-checksums': 0 })
  })
})

describe('what could not be looked at is said once', () => {
  const DEEP: Readonly<Record<string, readonly string[]>> = { check: [], 'verify-checksums': ['--deep'] }
  const encrypted = `${FIXTURES}/22/encrypted`

  test('a file that may not be read, whatever the number of its tiles', async () => {
    const array = copy('22/sparse_basic')
    const refused = `${fragmentsOf(array)[0]}/a2.tdb`
    const refuse = (): Promise<never> =>
      Promise.reject(new InspectError('NO_PERMISSION', 'no permission to read', { file: refused }))
    const storage: Storage = {
      kind: (path) => localFiles.kind(path),
      list: (path) => localFiles.list(path),
      open: (path) =>
        path === refused
          ? { name: path, size: refuse, read: refuse, close: () => Promise.resolve() }
          : localFiles.open(path),
    }
    for (const command of ['check', 'verify-checksums']) {
      const { code, text, stderr } = await run([command, array, '--json', ...DEEP[command]], { storage })
      expect(code).toBe(3)
      expect(JSON.parse(text)).toMatchObject({ not_examined: [{ code: 'NO_PERMISSION', file: refused }] })
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })

  test('verify-checksums without a key', async () => {
    const { code, stderr } = await run(['verify-checksums', encrypted])
    const lines = stderr.trim().split('\n')
    expect(code).toBe(3)
    expect(new Set(lines).size).toBe(lines.length)
  })

  test('check without a key: by the table, or on stderr beside a document', async () => {
    const table = await run(['check', encrypted])
    expect(table).toMatchObject({ code: 3, stderr: '' })
    const said = table.text.split('\n').filter((line) => line.startsWith('not examined: '))
    expect(new Set(said).size).toBe(said.length)
    const document = await run(['check', encrypted, '--json'])
    expect(document.stderr.trim().split('\n')).toHaveLength(said.length)
    expect(JSON.parse(document.text)).toMatchObject({ not_examined: { length: said.length } })
  })
})
