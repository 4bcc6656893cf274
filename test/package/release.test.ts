import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { VERSION } from '../../src/base/version.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

interface Locked {
  version: string
  integrity?: string
  resolved?: string
  link?: boolean
}

const read = (path: string): string => readFileSync(path, 'utf8')

describe('the version', () => {
  test('is the same wherever it stands', () => {
    const { version, packages } = JSON.parse(read('package-lock.json'))
    expect([version, packages[''].version]).toEqual([VERSION, VERSION])
    expect(JSON.parse(read('vscode/package.json')).version).toBe(VERSION)
    expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(VERSION)
    expect(/tiledb-inspect:(\S+)/.exec(read('examples/kubernetes/sweep.yaml'))?.[1]).toBe(VERSION)
    // The Python package takes it from package.json.
    expect(read('python/pyproject.toml')).toContain('path = "../package.json"')
  })
})

describe('the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  const locked = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link)

  test('has a digest of each package, and names no server', () => {
    expect(locked.length).toBeGreaterThan(400)
    expect(locked.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
  })
})

describe('npm run release', () => {
  const folder = temporaryFolder()

  test('has a digest of each file, which sha256sum reads', async () => {
    // @ts-expect-error a script without types
    const { partsOf, sumsOf } = await import('../../tools/release.mjs')
    writeFileSync(`${folder}/b.whl`, 'abc')
    writeFileSync(`${folder}/a.tgz`, '')
    expect(sumsOf(folder)).toBe(
      `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.tgz\n` +
        `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.whl\n`,
    )
    const names = partsOf(VERSION, { platform: 'linux', arch: 'x64' }).flatMap(({ files }: { files: object }) =>
      Object.values(files),
    )
    expect(names).toEqual([
      `tiledb-inspect-${VERSION}.tgz`,
      `tiledb_inspect-${VERSION}-py3-none-any.whl`,
      `tiledb-inspect-${VERSION}-linux-x64`,
      `tiledb-inspect-${VERSION}-linux-x64-LICENSES`,
    ])
  })
})

const { url } = await serveBuckets({ fixtures: `${FIXTURES}/groups` }, { pageSize: 100 })

describe('the step of action.yml', () => {
  const folder = temporaryFolder()
  const text = read('action.yml')
  const step = text.slice(text.indexOf('      run: |\n')).split('\n').slice(1).join('\n')

  /** The targets that the step gives to the program, which prints `lines` as its listing of any folder. */
  function given(paths: string, lines: string): string[] {
    const program = `${folder}/program`
    writeFileSync(`${folder}/lines`, lines)
    writeFileSync(program, '#!/bin/sh\nif [ "$1" = ls ]; then cat lines; else printf "%s\\n" "$@"; fi\n')
    chmodSync(program, 0o755)
    const inputs = { INPUT_PATHS: paths, INPUT_LEVEL: 'chunks', INPUT_FAIL_ON: 'error', INPUT_FORMAT: 'github' }
    const env = { PATH: process.env.PATH, TILEDB_INSPECT: program, INPUT_OUTPUT: '', ...inputs }
    const { stdout } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step], { cwd: folder, env, encoding: 'utf8' })
    const words = stdout.trim().split('\n')
    return words.slice(words.indexOf('--') + 1)
  }

  test('finds the names of a pattern on S3', async () => {
    const env = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B' }
    const { text, code } = await run(['ls', '--names', '--format', 'ndjson', '--', 's3://fixtures'], { env })
    expect(code).toBe(0)
    const all = ['invalid', 'old', 'other'].map((name) => `s3://fixtures/${name}`)
    expect(given('s3://fixtures/*\n', text)).toEqual(all)
    expect(given('s3://fixtures/o*\ns3://else/one two', text)).toEqual([...all.slice(1), 's3://else/one two'])
  })

  test('leaves a pattern that nothing meets to the program, which says so', () => {
    expect(given('s3://bucket/q*', '')).toEqual(['s3://bucket/q*'])
    expect(given('none*\n', '')).toEqual(['none*'])
  })
})
