import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { commandNames } from '../helpers/commands.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

async function script(shell: string): Promise<string> {
  const { text, code, stderr } = await run(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return text
}

/** Commands and their long options, from their help. */
async function documented(): Promise<Map<string, string[]>> {
  const commands = new Map<string, string[]>()
  for (const name of await commandNames()) {
    const help = (await run([name, '--help'])).text
    const options = help.slice(help.indexOf('Options:'), help.indexOf('Examples:'))
    commands.set(
      name,
      Array.from(options.matchAll(/^ {2}(?:-\w, )?--([a-z0-9-]+)/gm), ([, option]) => option).filter(
        (option) => option !== 'help',
      ),
    )
  }
  return commands
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PLACES = `${ROOT}examples/arrays/places`
const hasBash = spawnSync('bash', ['--version']).status === 0

describe('completion', () => {
  test('knows every command and every option, in each shell', async () => {
    const commands = await documented()
    const [bash, zsh, fish] = [await script('bash'), await script('zsh'), await script('fish')]
    expect(commands.size).toBeGreaterThan(12)
    for (const [name, options] of commands) {
      const line = bash.split('\n').find((one) => one.trimStart().startsWith(`${name}) options=`)) ?? ''
      const block = zsh.slice(zsh.indexOf(`\n      ${name})\n`)).split(' ;;')[0]
      for (const option of options) {
        expect(line).toContain(` --${option}`.trimStart())
        expect(block).toContain(`'*--${option}[`)
        expect(fish).toMatch(new RegExp(`__fish_seen_subcommand_from ${name}' .*-l ${option}( |$)`, 'm'))
      }
      expect(fish).toContain(`-n __fish_use_subcommand -a ${name} -d `)
    }
  })

  test('of an unknown shell says which there are', async () => {
    const { code, stderr } = await run(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toBe('error: completion expects bash, zsh, fish, found "tcsh"\n')
  })

  const bashTest = hasBash ? test : test.skip
  bashTest('works in bash', async () => {
    const folder = mkdtempSync(`${tmpdir()}/completion-`)
    try {
      const file = `${folder}/script.bash`
      writeFileSync(file, await script('bash'))
      writeFileSync(`${folder}/an array`, '')
      expect(spawnSync('bash', ['-n', file]).status).toBe(0)
      const complete = (...words: string[]): string[] => {
        const line = words.map((word) => `'${word}'`).join(' ')
        const call = `source ${file}; cd ${folder}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tiledb_inspect; printf '%s\\n' "\${COMPREPLY[@]}"`
        return spawnSync('bash', ['-c', call], { encoding: 'utf8' }).stdout.trim().split('\n')
      }
      expect(complete('tiledb-inspect', 'sche')).toEqual(['schema'])
      expect(complete('tiledb-inspect', 'ls', '--ra').sort()).toEqual(['--range', '--raw'])
      expect(complete('tiledb-inspect', '--quiet', 'ls', '--format', 'nd')).toEqual(['ndjson'])
      expect(complete('tiledb-inspect', 'completion', 'f')).toEqual(['fish'])
      expect(complete('tiledb-inspect', 'check', '--level', 'c')).toEqual(['chunks', 'cells'])
      expect(complete('tiledb-inspect', 'check', '--fail-on', '')).toEqual(['note', 'warning', 'error'])
      expect(complete('tiledb-inspect', 'ls', '--sort', 's')).toEqual(['size'])
      expect(complete('tiledb-inspect', 'read', '--order', 'g')).toEqual(['global'])
      expect(complete('tiledb-inspect', 'tile', '--role', 'o')).toEqual(['offsets'])
      expect(complete('tiledb-inspect', 'whatif', '--emit', '')).toEqual(['schema', 'python'])
      expect(complete('tiledb-inspect', 'whatif', '--best', 'f')).toEqual(['fastest'])
      expect(complete('tiledb-inspect', 'whatif', '--cell-order', 'h')).toEqual(['hilbert'])
      expect(complete('tiledb-inspect', 'write-sample', '--tile-order', '')).toEqual(['row-major', 'col-major'])
      expect(complete('tiledb-inspect', 'hel')).toEqual(['help'])
      expect(complete('tiledb-inspect', 'ls', 'an')).toEqual(['an array'])
      // A target alone calls for its overview.
      expect(complete('tiledb-inspect', 'an')).toEqual(['an array'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('the program knows what is inside of an array: fragments, their files, fields, dimensions', async () => {
    const [fragment] = fragmentNames(PLACES)
    const complete = async (...words: string[]) => {
      const { text, stderr, code } = await run(['completion', 'words', ...words])
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
      return text.split('\n').slice(0, -1)
    }
    expect(await complete('footer', `${PLACES}/__1`)).toEqual([`${PLACES}/${fragment}`])
    expect(await complete('dump', `${PLACES}/__17/d`)).toEqual(['d0', 'd1'].map((name) => `${PLACES}/__17/${name}.tdb`))
    const fields = ['lat', 'lon', 'name', 'population', 'founded']
    expect(await complete('read', PLACES, '--field', '')).toEqual(fields)
    expect(await complete('decode', '--field', 'n', `${PLACES}/__17`, '--field', 'f')).toEqual(['founded'])
    expect(await complete('read', PLACES, '--where', 'po')).toEqual(['population'])
    expect(await complete('tile', `${PLACES}/__17`, 'l')).toEqual(['lat', 'lon'])
    expect(await complete('read', '--range', 'lat=1', PLACES, '--range', '')).toEqual(['lat=', 'lon='])
    expect(await complete('decode', `${PLACES}/__17`, '--tiles', '')).toEqual(['0..4'])
    expect(await complete('tile', `${PLACES}/__17`, 'lat', '')).toEqual(['0', '1', '2', '3', '4'])
    expect(await complete('help', 'vacu')).toEqual(['vacuum'])
    expect(await complete('help', 'verify-')).toEqual(['verify-checksums'])
    for (const words of [['read', `${PLACES}/nowhere`, '--field', ''], ['ls', ''], ['ls', 's3://bucket/'], []])
      expect(await complete(...words)).toEqual([])
  })

  /** A folder with the built program on its PATH, and the array. */
  function workplace(): string {
    const folder = mkdtempSync(`${tmpdir()}/completion-`)
    writeFileSync(`${folder}/tiledb-inspect`, `#!/bin/sh\nexec '${execPath}' '${ROOT}bin/tiledb-inspect.js' "$@"\n`, {
      mode: 0o755,
    })
    symlinkSync(PLACES, `${folder}/places`)
    return folder
  }

  const builtTest = (shell: string) =>
    spawnSync(shell, ['--version']).status === 0 && existsSync(`${ROOT}dist/cli`) ? test : test.skip

  builtTest('bash')('bash completes what the program knows', async () => {
    const folder = workplace()
    try {
      writeFileSync(`${folder}/script.bash`, await script('bash'))
      const complete = (...words: string[]): string[] => {
        const line = words.map((word) => `'${word}'`).join(' ')
        const call = `source script.bash; PATH=".:$PATH"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tiledb_inspect; printf '%s\\n' "\${COMPREPLY[@]}"`
        return spawnSync('bash', ['-c', call], { encoding: 'utf8', cwd: folder }).stdout.trim().split('\n')
      }
      expect(complete('tiledb-inspect', 'footer', 'places/__17')).toEqual([`places/${fragmentNames(PLACES)[0]}`])
      expect(complete('tiledb-inspect', 'read', 'places', '--field', 'na')).toEqual(['name'])
      expect(complete('tiledb-inspect', 'read', 'places', '--range', 'l')).toEqual(['lat=', 'lon='])
      expect(complete('tiledb-inspect', 'tile', 'places/__17', 'po')).toEqual(['population'])
      const names = ['$(touch made)', 'a b', 'x\u001b[31m\n; touch made'].flatMap((name) => ['--attr', `${name}:INT32`])
      expect((await run(['write-sample', `${folder}/hostile`, '--dim', 'd:INT32:0..9:5', ...names])).code).toBe(0)
      expect(complete('tiledb-inspect', 'read', 'hostile', '--field', '')).toEqual([
        'd',
        '\\$\\(touch\\ made\\)',
        'a\\ b',
      ])
      // What is there for the shell to see stays.
      expect(complete('tiledb-inspect', 'ls', 'places/__fr')).toEqual(['places/__fragments'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  builtTest('fish')('fish completes what the program knows', async () => {
    const folder = workplace()
    try {
      writeFileSync(`${folder}/script.fish`, await script('fish'))
      const complete = (line: string): string[] => {
        const call = `set -x PATH . $PATH; source script.fish; complete -C '${line}'`
        const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', call], { encoding: 'utf8', cwd: folder })
        expect(stderr).toBe('')
        // A description may follow.
        return stdout
          .trim()
          .split('\n')
          .map((found) => found.split('\t')[0])
      }
      expect(complete('tiledb-inspect read places --field na')).toEqual(['name'])
      expect(complete('tiledb-inspect footer places/__17')).toEqual([`places/${fragmentNames(PLACES)[0]}`])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  builtTest('zsh')('the script for zsh is one', async () => {
    const { status, stderr } = spawnSync('zsh', ['-n'], { input: await script('zsh'), encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
