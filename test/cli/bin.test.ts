import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process, { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { unpackWorkspace } from '../helpers/genomicsdb.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const ARRAY = `${FIXTURES}/22/sparse_basic`

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})
else {
  const folder = temporaryFolder()

  test('the built program prints what the sources do, and gives their exit code', async () => {
    for (const args of [
      ['ls', '--json', ARRAY],
      ['schema', '--json', `${ARRAY}/nowhere`],
    ]) {
      const { status, stdout, stderr } = spawnSync(execPath, [BIN, ...args], { encoding: 'utf8', env: {} })
      const here = await run(args)
      expect({ status, stdout, stderr }).toEqual({ status: here.code, stdout: here.text, stderr: here.stderr })
    }
  })

  test('help <command> is the help of the command, and an error in one line where there is none', () => {
    const call = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(execPath, [BIN, ...args], { encoding: 'utf8', env: {} })
      return { status, stdout, stderr }
    }
    for (const command of ['ls', 'at']) {
      const help = call('help', command)
      expect(help).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: .*\nExamples:\n/s), stderr: '' })
      expect(help).toEqual(call(command, '--help'))
    }
    expect(call('help', 'verify')).toEqual(call('verify-checksums', '--help'))
    expect(call('--format', 'json', 'help', 'ls')).toEqual(call('ls', '--help'))
    expect(call('help')).toEqual(call('--help'))
    const wrong = (stderr: string) => ({ status: 2, stdout: '', stderr })
    const noAnswer = (rest: string) => wrong(`error: no question or command has the word ${rest}\n`)
    expect(call('help', 'lss')).toEqual(noAnswer('"lss"; did you mean the command ls?'))
    for (const args of [
      ['lss', '--help'],
      ['--help', 'lss'],
      ['--color', 'never', 'lss', '-h'],
      ['lss', '--version'],
      ['--raw', 'lss'],
    ])
      expect(call(...args)).toEqual(wrong("error: unknown command 'lss'; did you mean ls?\n"))
    expect(call('--format', 'csv', '--help')).toEqual(call('--help'))
    expect(call('help', 'quartzlikeit')).toEqual(noAnswer('"quartzlikeit"; tiledb-inspect --help lists the commands'))
  })

  test('a reader that goes away early ends it quietly', () => {
    const script = `"${execPath}" "${BIN}" decode --all-fragments --format ndjson "${FIXTURES}/22/big_tile" 2>&1 | head -n 1`
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    expect(stdout).toMatch(/^\{.*\}\n$/)
  })

  test('a short read does not wait for V8 to optimize libzstd', () => {
    const read = ['read', `${ROOT}examples/arrays/places`, '--format', 'ndjson']
    const { status, stdout } = spawnSync(execPath, ['--trace-wasm-compilation-times', BIN, ...read], {
      encoding: 'utf8',
      env: {},
    })
    expect([status, stdout.includes('"lat"'), stdout.includes('using TurboFan')]).toEqual([0, true, false])
  })

  test('check lets V8 optimize later, once', () => {
    const note = `${folder}/flags.cjs`
    writeFileSync(note, "const v8 = require('v8'); v8.setFlagsFromString = (flag) => console.error(flag)")
    const { stderr } = spawnSync(execPath, ['--require', note, BIN, 'check', ARRAY, ARRAY], {
      encoding: 'utf8',
      env: {},
    })
    const budgets = stderr.split('\n').filter((line) => line.startsWith('--interrupt-budget='))
    expect(budgets).toHaveLength(process.versions.node.startsWith('20.') ? 1 : 0)
  })

  test('every file with compiled code is loaded from it', () => {
    const names = readdirSync(`${ROOT}dist/cli`)
    const compiled = names.filter((name) => name.endsWith(`.${process.versions.v8}.${process.arch}.cache`))
    const note = `${folder}/compiled.cjs`
    writeFileSync(
      note,
      `const vm = require('vm')
       vm.Script = class extends vm.Script {
         constructor(code, options) {
           super(code, options)
           if (options.cachedData) console.error('compiled', options.filename.slice(options.filename.lastIndexOf('/') + 1), this.cachedDataRejected)
         }
       }`,
    )
    const workspace = unpackWorkspace('301', folder)
    const calls = [
      ['check', ARRAY],
      ['stats', ARRAY],
      ['decode', ARRAY, '--format', 'arrow'],
      [ARRAY],
      ['ls', workspace],
    ]
    const lines = calls.flatMap((args) => {
      const { stderr } = spawnSync(execPath, ['--require', note, BIN, ...args], { encoding: 'utf8', env: {} })
      return stderr.split('\n').filter((line) => line.startsWith('compiled'))
    })
    const expected = compiled.map((name) => `compiled ${name.split('.cjs')[0]}.cjs false`)
    expect([...new Set(lines)].sort()).toEqual(expected.sort())
  })

  test('frequent calls load no code of which they use nothing', async () => {
    // Large enough for a finding about slow reads.
    const array = `${folder}/array`
    await run(['write-sample', array, '--cells', '60000', '--capacity', '10000'])
    const list = `${folder}/loaded.json`
    const note = `${folder}/note.cjs`
    const loaded = 'process.moduleLoadList.concat(Object.keys(require.cache))'
    writeFileSync(
      note,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(${loaded})))`,
    )
    const loadedBy = (...args: string[]): string[] => {
      spawnSync(execPath, ['--require', note, BIN, ...args], { env: {} })
      const names: string[] = JSON.parse(readFileSync(list, 'utf8'))
      return names.map((name) => name.slice(name.lastIndexOf('/') + 1))
    }
    // What reads tiles, what checks whole arrays, and a part of Node.
    const isNeedless = (name: string): boolean => /^(?:check\.cjs|refusals\.cjs|.*perf_hooks)$/.test(name)
    expect(loadedBy(array)).not.toContain('read.cjs')
    for (const args of [[array], ['ls', array], ['why', `${array}/__meta`]])
      expect(loadedBy(...args).filter(isNeedless)).toEqual([])
    // The schema is a short stream. Node has zlib as two modules.
    expect(loadedBy('schema', array).filter((name) => name.endsWith('zlib'))).toEqual([])
  })
}
