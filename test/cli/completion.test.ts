import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from '@jest/globals'
import { commandNames } from '../helpers/commands.ts'
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
      expect(complete('tiledb-inspect', 'ls', 'an')).toEqual(['an array'])
      // A target alone calls for its overview.
      expect(complete('tiledb-inspect', 'an')).toEqual(['an array'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
